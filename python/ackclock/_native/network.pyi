"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from typing import final

from ackclock._native.agents import Agent
from ackclock._native.monitors import Monitor
from ackclock._native.multicast import GroupTable
from ackclock._native.random import RandomVariable
from ackclock._native.simulation import Params
from ackclock._native.traces import Channel, TracePlace, VariablePlace

@final
class DelayBox:
    """A box where packets enter a node, which delays or loses those of some flows. A flow is source, destination and
    flow id.
    """

    def set_flag(self, name: str, value: bool) -> None:
        """Sets a flag by `name`: `is_symmetric`: ACKs are treated as the data they answer. `is_lossless`: nothing is
        lost. `keeps_record`: flows that are met are written down. `KeyError` for another.
        """
    def set_rule(
        self,
        source: int,
        destination: int,
        delay_ms: RandomVariable,
        loss: RandomVariable | None,
        rate_mbps: RandomVariable | None,
    ) -> None:
        """Lets flows from node `source` to node `destination` draw from these random variables: a delay in ms, a
        loss ratio, a rate in Mbit/s.
        """
    def rules(self) -> list[tuple[int, int]]:
        """Source and destination of each rule, in order."""
    def add_flow(self, flow: tuple[int, int, int], delay_s: float, loss: float) -> None:
        """Delays a flow so long, in s, and loses such a part of its packets."""
    def flows(self) -> list[tuple[tuple[int, int, int], float, float, float]]:
        """The flows in order: flow, delay in s, loss ratio, rate in bytes/s."""
    def take_met_flows(self) -> list[tuple[tuple[int, int, int], float]]:
        """The flows that were met since the last call, and their delays in s."""

@final
class Lan:
    """A shared medium."""

    def set_delay(self, delay_s: float) -> None:
        """Sets how long, in s, a packet is on the medium before others hear it."""
    def add_port(self, node: Node, rate_bps: float, delay_s: float, discipline: str, access: str) -> Link:
        """A new port: a link from a node to the medium, with a queue. `access` is plain or ethernet.
        `SimulationError` for an unknown `discipline`.
        """

@final
class Link:
    """A link from one node to another. A hook's `point` is head, dequeued, wire_end, received, dropped,
    dropped_early, policed, entry or collided; `ValueError` for another.
    """

    def set_plugin_queue(
        self,
        queue: object,
        name: str,
        number: int,
        limit: int,
        interval_s: float,
        traced: list[str],
    ) -> None:
        """Makes an object of the user's own, `queue`, the link's queue discipline, from the queue's next reset on.
        `name` and `number` are the link's; at most `limit` packets may wait; its `timer` is called each
        `interval_s`, if that is more than 0; each change of a variable in `traced` is noted.
        """
    def schedule(self, time_s: float, what: str, value: float = 0.0) -> None:
        """Schedules a change at an instant, s: `rate` (`value` bit/s), `delay` (s), `up`, `down`, `cut` (what is on
        its way is lost), `cost` (in routes), `withdraw` (from routes). `ValueError` for something else, a value that
        cannot be, or a time in the past.
        """
    def set_port_param(self, name: str, value: float) -> None:
        """Sets how a link that is a port of a `Lan` uses the medium: `traces_collisions`; `rate_bps` and `delay_s`
        of a plain one. `KeyError` for another `name`, or a link that is no port.
        """
    @property
    def number(self) -> int:
        """Its number: links are numbered from 0 in the order in which they are added."""
    @property
    def queue(self) -> Queue:
        """Its queue discipline."""
    def param(self, name: str) -> float:
        """A parameter: `rate_bps`, `delay_s`, `is_up`, `keeps_order`; or a count: `bytes_sent`, `queue_packets`,
        `queue_bytes`. `KeyError` for another `name`.
        """
    def set_param(self, name: str, value: float) -> None:
        """Sets `rate_bps`, `delay_s`, `keeps_order` or `can_fail`. `KeyError` for another `name`, `SimulationError`
        for a `value` that a link cannot have.
        """
    def add_trace(self, point: str, trace: TracePlace) -> None:
        """Writes what passes a point to the channels of a trace. Packets pass it before the hooks already there."""
    def tell_lines(self, point: str) -> None:
        """Stops the run after each event in which a packet passes a point, so that the lines of its trace can be
        told.
        """
    def add_monitor(self, point: str, what: str, monitor: Monitor) -> None:
        """Counts what passes a point in a monitor; `what` is arrivals, departures, drops, early_drops or
        policed_drops, and `ValueError` for another. Packets pass it before the hooks already there.
        """
    def add_error_module(self, point: str, module: ErrorModule, at_front: bool = True) -> None:
        """Loses or marks packets at a point as a module says. `at_front`: packets pass it before the hooks already
        there.
        """
    def add_gate(self) -> None:
        """Lets packets pass the head of the link only while it is up."""
    def set_up(self, is_up: bool) -> None:
        """Opens or closes the link's gate."""
    def set_reports_refused(self, reports: bool) -> None:
        """Sets whether what the gate refuses goes the way of lost packets."""
    def cut_wire(self) -> None:
        """Loses every packet on the wire."""
    def insert_delayer(self) -> None:
        """Puts a delayer behind the queue, unless there is one."""
    def set_allocation(self, interval: RandomVariable, length: RandomVariable) -> None:
        """Lets the delayer's channel, when it was not used for `interval` s, take `length` s to be allocated."""
    def set_spikes(self, interval: RandomVariable, length: RandomVariable) -> None:
        """Lets delay spikes of `length` s come after `interval` s."""
    def set_spike(self, begins: bool) -> None:
        """Begins or ends a delay spike."""
    def set_deliveries(self, at_s: list[float]) -> None:
        """Lets the link send at opportunities only, each of 1504 bytes; their times in s, the last one being the
        period's length. `ValueError` for times that are none.
        """
    def name_draws(self, name: str) -> None:
        """Names the link's random streams: their names begin so. Without effect unless the seed is hashed. To be
        called before the first draw.
        """
    def set_label(self, label: int) -> None:
        """Labels packets that arrive over this link or port."""
    def take_apart(self, head: Part, queue: Part, wire: Part) -> None:
        """From now on the link is these parts and what is connected to them."""

@final
class ErrorModel:
    """An error model: which packets are lost or marked. `KeyError` for a parameter that it does not have."""

    @property
    def number(self) -> int:
        """Its number, by which commands of other models name it."""
    def param(self, name: str) -> float:
        """A parameter's value."""
    def set_param(self, name: str, value: float) -> None:
        """Sets a parameter."""
    def command(self, name: str, arguments: list[str]) -> str:
        """Gives it a command; the answer. `SimulationError` for one that it does not know."""
    def name_draws(self, name: str) -> None:
        """As `Agent.name_draws`, for the model's streams: their names begin with `name`."""

@final
class ErrorModule:
    """An error module on a link: says which error model judges which flow's packets."""

    def assign(self, fid: int, model: ErrorModel) -> None:
        """Lets a model judge the packets of the flow with this id."""
    def assign_others(self, model: ErrorModel | None) -> None:
        """Lets a model, or none, judge the packets of all other flows."""

@final
class Node:
    """A node. Destinations are numbers of nodes; `KeyError` for one that there is not."""

    def add_delay_box(self) -> DelayBox:
        """A new delay box where packets enter the node."""
    def add_group_table(self, asks_always: bool) -> GroupTable:
        """Gives the node a table of groups, which replaces the one it has. With `asks_always` every packet is a
        question.
        """
    @property
    def number(self) -> int:
        """Its number: nodes are numbered from 0 in the order in which they are added."""
    def set_route(self, destination: int, link: Link | None) -> None:
        """Sends packets for a destination over this link; over none, without one."""
    def discard_route(self, destination: int) -> None:
        """Throws away packets for a destination."""
    def route_in_turn(self, destination: int, turn: int) -> None:
        """Sends packets for a destination over the links of a turn, one after the other."""
    def set_default_route(self, link: Link) -> None:
        """Sends packets over this link for whose destination no other route is set."""
    def set_flow_route(self, flow: tuple[int, int, int], link: Link) -> None:
        """Sends the packets of one flow over this link: `flow` is source, destination and flow id."""
    def add_turn(self) -> int:
        """A new turn: links that packets take one after the other. Its number."""
    def set_turn(self, turn: int, links: list[Link | None]) -> None:
        """Sets the links of a turn; `None` is passed over. `KeyError` for a turn that there is not."""
    def set_address(self, packed: int, text: str) -> None:
        """Sets what traces call the node: an address in levels, `packed` where there is room for one number only.
        `ValueError` for a `text` that is too long.
        """

@final
class Part:
    """A part of a link that was taken apart: it passes packets to the part that it is connected to."""

    def replace(
        self,
        kind: str,
        worker: TracePlace | Monitor | Link | ErrorModule | Node | Agent | None = None,
    ) -> None:
        """Gives the part another purpose: arguments and errors as for `Simulation.add_part`."""
    def connect(self, target: Part | None) -> None:
        """The part that gets its packets; `None` for none."""
    def set_drop_target(self, target: Part | None) -> None:
        """The part that gets the packets that it drops; `None` for none."""

@final
class Queue:
    """The queue discipline of a link. `KeyError` for a parameter that it does not have."""

    def param(self, name: str) -> float:
        """A parameter's value."""
    def parameters(self) -> list[tuple[str, float, str, str]]:
        """The parameters that scenarios offer: name, present value, unit, description."""
    def set_param(self, name: str, value: float) -> None:
        """Sets a parameter."""
    def set_params(self, params: Params) -> None:
        """Sets several parameters."""
    def command(self, name: str) -> str:
        """Gives the discipline a command, with its arguments behind it; the answer. `SimulationError` for one that
        it does not know.
        """
    def reset(self) -> None:
        """Empties the queue and begins anew."""
    def watch(self, name: str, channel: Channel) -> None:
        """Writes each change of a variable to a channel."""
    def watch_at(self, name: str, place: VariablePlace) -> None:
        """Writes each change of a variable at a place."""

@final
class WifiSettings:
    """The constants of a Wi-Fi medium. `ValueError` for some that cannot be."""

    def __new__(
        cls,
        phy_rate_bps: float,
        symbol_s: float,
        preamble_s: float,
        control_rate_bps: float,
        slot_s: float,
        sifs_s: float,
        aifsn: int,
        cw_min: int,
        cw_max: int,
        retries: int,
        max_frames: int,
        max_bytes: int,
        max_airtime_s: float,
        contenders: int,
    ) -> WifiSettings:
        """Rates in bit/s, times in s; `max_bytes` is that of an aggregate."""
    @property
    def rate_bps(self) -> float:
        """What a station that is alone delivers of packets of 1500 bytes, bit/s."""

@final
class WifiMedium:
    """A Wi-Fi medium."""

    def join(self, link: Link) -> None:
        """Makes a link one of its stations, before the link's first packet."""

__all__ = [
    "DelayBox",
    "ErrorModel",
    "ErrorModule",
    "Lan",
    "Link",
    "Node",
    "Part",
    "Queue",
    "WifiMedium",
    "WifiSettings",
]
