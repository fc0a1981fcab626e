"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from collections.abc import Callable
from typing import final

from ackclock._native.agents import Agent, Application, QuickStartRouter, TokenBucket
from ackclock._native.monitors import FlowTable, Monitor
from ackclock._native.multicast import Replicator
from ackclock._native.network import ErrorModel, ErrorModule, Lan, Link, Node, Part
from ackclock._native.random import RandomVariable, SimulationStream
from ackclock._native.run import Table
from ackclock._native.traces import Capture, Channel, TracePlace, VariablePlace

@final
class Params:
    """Names of parameters with their values, to be given to many of a kind."""

    def __new__(cls, params: list[tuple[str, float]]) -> Params: ...

@final
class Simulation:
    """A packet-level simulation. What it adds (a `Node`, a `Link`, an `Agent` and so on) has the methods to set it
    up.
    """

    def add_capture(self, channel: Channel) -> Capture:
        """Begins a capture in a channel that nothing else is written to."""
    def open_channel(self, fd: int, block: int | None = None, begun: int = 0) -> Channel:
        """A channel that writes to a file; the file's descriptor `fd` is taken over and closed with the channel.
        With `block` it writes whole blocks of so many bytes, as C's standard output does. `begun`: the bytes that
        Tcl would not have written yet, had the channel been its own. `ValueError` for a negative descriptor.
        """
    def run_in_real_time(
        self,
        ends: list[tuple[Agent, int, list[str]]],
        progress: Callable[..., object],
    ) -> tuple[list[tuple[str, float]], list[tuple[int, str, str, int, int, int]]]:
        """Runs what is scheduled in real time, up to the end; the present instant is now. `ends`: a gateway agent,
        the descriptor of a device that gives and takes one IP packet at a time and does not wait, and the addresses
        whose packets go out there. The descriptors are taken over. `progress` is called every 50 ms with the
        simulated time and how many packets came in or went out, and ends the run when it gives False. The
        interpreter's lock is released meanwhile.  What was seen: packets that `came_in`, `went_out`, were `marked`,
        were `strange` (no IP, or for no end), were `lost` outside the simulation; `latest_s`, how late an event was
        dealt with at most, and `late_median_s` and `late_99_s`, how late half and 99 % of the packets that went out
        were at most; and each flow's id, source, destination, protocol and ports.
        """
    def run_scheduled(self, progress: Callable[..., object] | None = None) -> float:
        """Runs what is scheduled up to the end; the instant of it, s. `progress` is called with the simulated time
        now and then. The interpreter's lock is released meanwhile.
        """
    def take_tables(self) -> list[tuple[str, Table]]:
        """The run is over: its tables, by name."""
    def take_lines(self) -> list[tuple[int, str]]:
        """The lines that trace places are to tell, with the numbers of the places, since this was last called."""
    def add_trace_place(
        self,
        op: str,
        from_node: int,
        to_node: int,
        trace: Channel | None = None,
        nam: Channel | None = None,
        shows_tcp_header: bool = False,
        is_tagged: bool = False,
    ) -> TracePlace:
        """A place for a trace of packets, to be added to a link: its lines begin with `op` and name the two nodes by
        their numbers. `trace` and `nam` are as in `TracePlace.set_channels`, the rest as in `TracePlace.set_style`.
        """
    def add_variable_place(self, owner: str, name: str, channel: Channel | None = None) -> VariablePlace:
        """A place for the variable `name` of the object `owner`. Its lines go to `channel`, or nowhere."""
    def __new__(cls) -> Simulation: ...
    def lack_srm(self) -> None:
        """Takes the header of SRM from all packets, which nam's lines tell."""
    def lack_flags(self) -> None:
        """Takes the header for flags from all packets."""
    def node(self, number: int) -> Node:
        """The node of a number. `KeyError` if there is none."""
    def agent(self, number: int) -> Agent:
        """The agent of a number. `KeyError` if there is none."""
    def add_node(self) -> Node:
        """A new node."""
    def add_link(
        self,
        from_node: Node,
        to_node: Node,
        rate_bps: float,
        delay_s: float,
        discipline: str,
        params: Params | None = None,
        keeps_order: bool = False,
    ) -> Link:
        """A new link with a queue of a discipline, perhaps with values for its parameters. `keeps_order`: a shorter
        delay lets no packet overtake another. `SimulationError` for what cannot be.
        """
    def add_agent(self, kind: str) -> Agent:
        """A new agent of a kind; `SimulationError` for one that there is not."""
    def add_app(self, kind: str) -> Application:
        """A new application of a kind; `SimulationError` for one that there is not."""
    def add_bucket(self) -> TokenBucket:
        """A new token bucket."""
    def add_lan(self, node: Node, delay_s: float) -> Lan:
        """A new shared medium, for which a node stands in routes; `delay_s` is how long a packet is on it before
        others hear it.
        """
    def add_error_model(self, kind: str) -> ErrorModel:
        """A new error model of a kind; `SimulationError` for one that there is not."""
    def add_error_module(self, key: str = "fid") -> ErrorModule:
        """A new error module, to be added to a link. `key` is what tells flows apart: fid, dest, src_dest or
        src_dest_fid, and `ValueError` for another.
        """
    def add_quick_start_router(self) -> QuickStartRouter:
        """A new router that takes part in Quick-Start."""
    def set_rate_function(self, function: int) -> None:
        """Sets how the rates of all Quick-Start requests are coded: 1 by 10240 bytes/s, 2 by powers of two times
        5000 bytes/s.
        """
    def restart_clock(self) -> None:
        """Starts the clock again at 0 with nothing pending; uids and random numbers go on."""
    def call_back(self, delay_s: float) -> int:
        """Asks for a call-back so many seconds from now; its number. `SimulationError` for a negative `delay_s`."""
    def call_back_at(self, when: str) -> int | None:
        """Asks for a call-back `when` a script has written, or so many seconds from now if that is negative; its
        number. `None` for what is no plain number, or in the past.
        """
    def cancel(self, script: int) -> bool:
        """Cancels a call-back; whether it was still to come."""
    def now(self) -> float:
        """The simulated time, s."""
    def now_text(self) -> str:
        """The simulated time with all 17 digits, as ns-2 shows it."""
    def has_events(self) -> bool:
        """Whether anything is still to happen."""
    def run(self) -> tuple[str, int]:
        """Runs the simulation until a call-back is due (`("script", number)`), an agent that is listened to tells
        something (`("idle" | "done" | "received" | "lost" | "emptied" | "message" | "no_bytes" | "one_block",
        agent)`), a table has met flows that nobody knew (`("flows", 0)`), a packet for a group needs a decision
        (`("multicast", 0)`), no packet moved in the last million seconds (`("quiet", 0)`; the run can go on) or
        nothing is left to happen (`("exhausted", 0)`).
        """
    def check(self) -> None:
        """Checks at the end of a run what holds in every simulation. `InvariantError` where it does not."""
    def limit_events_at_one_time(self, most: int) -> None:
        """Takes more events than `most` at one instant for a loop without end, which ends the run by a `LimitError`."""
    def add_monitor(self) -> Monitor:
        """A new monitor."""
    def add_flow_table(self, key: str) -> FlowTable:
        """A new table of flows, told apart by fid, dest, src_dest or src_dest_fid; `ValueError` for another `key`."""
    def add_replicator(self) -> Replicator:
        """A new replicator, without receivers."""
    def set_group_levels(self, levels: list[tuple[int, int]]) -> None:
        """Shows the addresses of groups in these levels in traces: mask and shift of each."""
    def open_deliveries(self) -> int:
        """How many agents have received a packet for a group and still have something to tell."""
    def settle_groups(self, keeps_open: int) -> tuple[str, int] | None:
        """Goes on with packets for groups that wait, without any further event: what `run` would come back with, or
        `None` if none waits. So many deliveries remain open: those from whose telling the call comes.
        """
    def multicast_question(self) -> tuple[str, int, int, int, int, int] | None:
        """The question that `run` has come back with: `cache-miss`, `wrong-iif`, `drop` or `which`; a number that
        belongs to it (the replicator, or the packet's upstream router); then node, source, group and interface.
        """
    def answer_multicast(self, again: bool, which: tuple[Replicator, int] | None = None) -> None:
        """Answers it: whether the packet is looked up again; after `which`, the replicator and the packet's upstream
        router from now on, or nothing if the packet is discarded.
        """
    def add_part(
        self,
        kind: str,
        worker: TracePlace | Monitor | Link | ErrorModule | Node | Agent | None = None,
    ) -> Part:
        """A new part that links may be made of: a connector, hop_limit, closed_gate or discard; a trace of a
        `TracePlace`; the arrivals, departures, drops or early_drops of a `Monitor`; the gate, queue or wire of a
        `Link`; the error_model or error_module of an `ErrorModule`; a `Node` or an `Agent`. `ValueError` for another
        `kind`, or a `worker` that does not do it.
        """
    @property
    def default_stream(self) -> SimulationStream:
        """The stream that everything draws from that has none of its own."""
    def add_stream(self) -> SimulationStream:
        """A new stream."""
    def add_random_variable(self, kind: str) -> RandomVariable:
        """A new random variable of a kind; `SimulationError` for one that there is not."""
    def set_route_cost(self, from_node: int, to_node: int, cost: float) -> None:
        """Sets the cost of the link between two nodes."""
    def remove_route_cost(self, from_node: int, to_node: int) -> None:
        """Takes the link between two nodes out of the choice of routes."""
    def next_hops(self, source: int) -> list[int | None]:
        """The next node on the cheapest path from `source` to every other; `None` where there is no path."""
    def install_routes(self) -> None:
        """Sets every node's routes from the costs. The last link made between two nodes is the one used."""
    def install_next_hops(self, next_hops: list[list[int | None]]) -> None:
        """Sets every node's routes: by node, the next node on the way to every other. `KeyError` for more nodes than
        there are.
        """
    @staticmethod
    def hierarchical_next_hops(places: list[list[int]], links: list[tuple[int, int, float]]) -> list[list[int | None]]:
        """By node, the next node on the way to every other, in a network of addresses (domain, cluster, node) and
        links (from, to, cost). `KeyError` for a link to a node that there is not.
        """

__all__ = [
    "Params",
    "Simulation",
]
