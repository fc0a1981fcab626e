"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from collections.abc import Callable, Iterator
from typing import Any, final

__version__: str
#: Variables from which on a look for an element that is not there may make an array's table grow.
MANY_VARIABLES: int

class SimulationError(RuntimeError):
    """A simulation that cannot go on, or cannot be described so."""

class InvariantError(SimulationError):
    """What holds in every simulation did not hold: the simulator, or code of one's own in it, is wrong. Nothing of the
    run is a result.
    """

class LimitError(SimulationError):
    """A run that went beyond what it was allowed: time, memory, or events at one instant. Nothing of it is a result."""

class TraceError(ValueError):
    """A trace file that is damaged, cut short or no packet trace."""

class PartialTrace(UserWarning):
    """Of a damaged trace file only the part before the damage was taken."""

def run_packetdrill(
    name: str,
    text: str,
    options: list[tuple[str, str]],
    definitions: list[tuple[str, str]],
) -> tuple[str, str, list[tuple[int, bool, str]], list[str]]:
    """Runs the text of a packetdrill script against the simulated socket. `options` are packetdrill's command line
    options without dashes, `definitions` its symbols. Returns the verdict ("passes", "differs" or "not applicable"),
    packetdrill's message or the missing feature, the packets (microseconds, whether they are outbound, notation),
    and the lines that code blocks print. `ValueError` if the script cannot be read, with file, line and column.
    """

def abort_silently_without_memory() -> None:
    """From now on a refused allocation ends this process by SIGABRT, without a message."""

def confine(folder: str, readable: list[str], namespace: bool) -> list[str]:
    """Confine this process to `folder`, an absolute path without symbolic links, and to reading the files of
    `readable`; start no program and open no socket from here on. The names of the mechanisms in force: "namespace",
    "landlock", "seccomp".  `namespace` says that `namespace_is_allowed`. Raises `OSError` where the system cannot do
    it; the process should end then.
    """

def namespace_is_allowed() -> bool:
    """Whether this user may have a mount namespace. The process that asks is unusable afterwards: ask after
    `os.fork`.
    """

def die_with_parent() -> None:
    """The system kills this process when its parent ends, however it ends. Without effect where the system is not
    Linux.
    """

def adopt_orphans() -> None:
    """Processes below this one whose parents end become its own children. Without effect where the system is not
    Linux.
    """

def grow_stack(bytes: int) -> None:
    """Let the stack grow to so many bytes, or as far as the system allows; where more is allowed already, that
    stays.
    """

def hash_seed(seed: int, name: str) -> int:
    """The hash of a seed and a name, 64 bits."""

def queue_disciplines() -> list[tuple[str, str]]:
    """Ids of the queue disciplines, each with a line about it."""

def applications() -> list[tuple[str, str]]:
    """Ids of the applications, each with a line about it."""

def agents() -> list[tuple[str, str]]:
    """Ids of the agents, each with a line about it."""

def tcp_senders() -> list[tuple[str, str]]:
    """Ids of the one-way TCP senders, each with a line about it."""

def tcp_two_way() -> list[tuple[str, str]]:
    """Ids of the two-way TCPs, each with a line about it."""

def tcp_receivers() -> list[tuple[str, str]]:
    """Ids of the one-way TCP receivers, each with a line about it."""

def error_models() -> list[tuple[str, str]]:
    """Ids of the error models, each with a line about it."""

def congestion_controls(sender: str) -> list[tuple[str, str]]:
    """Ids of the congestion controls that a TCP sender can be given by name, each with a line about it: those of
    `linux`, in ns-2's order, of `tcp` or of `ns3`; none for another sender.
    """

def ecn_controls() -> list[str]:
    """Ids of the congestion controls of `tcp` that reduce their window in response to ECN marks."""

def format_g(value: float, precision: int = 6) -> str:
    """`value` as C's `%.{precision}g` prints it."""

def join_runs(of_runs: list[tuple[str, int, Table]]) -> Table:
    """One table of those of many runs, which are given by their points, their seeds and their tables: it has the
    columns `point` and `seed` in front, and its rows are in their order; of a run that is there twice the first
    counts. `ValueError` for tables of different columns.
    """

def trace_stats(
    path: str,
    flow: int | None = None,
    kind: str | None = None,
    node: int | None = None,
    start_s: float | None = None,
    end_s: float | None = None,
    partial: bool = False,
) -> tuple[Table, Table, int, int, int]:
    """The figures of each flow and of each link of a trace file, plain or gzipped, and how many lines it has: all,
    packets', others. `OSError` when it cannot be read, `TraceError` when it is damaged.
    """

def trace_series(
    path: str,
    what: str,
    interval_s: float,
    flow: int | None = None,
    kind: str | None = None,
    node: int | None = None,
    start_s: float | None = None,
    end_s: float | None = None,
    partial: bool = False,
) -> Table:
    """The course of throughput, queue, delay or loss: a row for each interval and each flow, or link."""

def trace_throughput(
    path: str,
    node: int,
    source: tuple[int, int],
    destination: tuple[int, int],
    interval_s: float,
    kind: str = "tcp",
    partial: bool = False,
) -> tuple[str, float]:
    """What the usual perl script prints about a connection's throughput, and the mean over all its intervals
    (Mbit/s).
    """

def trace_packets(
    path: str,
    flow: int | None = None,
    kind: str | None = None,
    node: int | None = None,
    start_s: float | None = None,
    end_s: float | None = None,
    partial: bool = False,
) -> Table:
    """The table of packets, whole: for who wants columns and has no Arrow reader."""

def trace_stream(
    path: str,
    flow: int | None = None,
    kind: str | None = None,
    node: int | None = None,
    start_s: float | None = None,
    end_s: float | None = None,
    partial: bool = False,
) -> object:
    """Arrow's C stream of the table of packets; the file is read while the stream is."""

def trace_schema() -> object:
    """Arrow's C schema of the table of packets."""

def trace_write(
    path: str,
    output: str,
    form: str,
    flow: int | None = None,
    kind: str | None = None,
    node: int | None = None,
    start_s: float | None = None,
    end_s: float | None = None,
    partial: bool = False,
) -> int:
    """Writes the table of packets, as `csv` or `parquet`; how many rows."""

def trace_to_pcapng(
    path: str,
    output: str,
    at_node: int | None = None,
    at_link: tuple[int, int] | None = None,
    flow: int | None = None,
    kind: str | None = None,
    node: int | None = None,
    start_s: float | None = None,
    end_s: float | None = None,
    partial: bool = False,
) -> int:
    """Writes what is seen at a place as pcapng: at a node, on a link (both ways), or at the senders of data; how
    many packets.
    """

@final
class Params:
    """Names of parameters with their values, to be given to many of a kind."""

    def __new__(cls, params: list[tuple[str, float]]) -> Params: ...

@final
class Clock:
    """`now` and `at` as commands of Tcl: the object, then the script's words. What is not plain goes to who answers
    otherwise.
    """

    def __new__(cls, simulation: Simulation, due: dict[Any, Any], or_now: object, or_at: object) -> Clock: ...
    def now(self, *words: Any) -> object:
        """The present instant with all 17 digits."""
    def at(self, *words: Any) -> object:
        """Puts a command down for an instant; the event's number."""

@final
class Command:
    """A command of Tcl: what is deferred and plain is answered for at once, anything else by who answers otherwise."""

    def __call__(self, *words: Any) -> object: ...

@final
class LazyObjects:
    """The handles of all objects, and those of them that are deferred."""

    def command(self, name: str, otherwise: object) -> Command:
        """A command of Tcl, by name: `new class`, `call object method word...`, and methods of the Simulator, whose
        first word it is. What it does not do for something deferred, `otherwise` does.
        """
    def __new__(cls) -> LazyObjects: ...
    @property
    def last(self) -> int:
        """The number of the last handle."""
    @staticmethod
    def number(handle: str) -> int:
        """The number in a handle such as _o12; 0 for any other name, such as _o012."""
    def next_handle(self) -> str:
        """The next handle, such as _o12."""
    def skip(self, count: int) -> None:
        """Takes so many handles, as ns-2 does for objects that do not exist here."""
    def defer(self, plans: tuple[Any, ...], whole: object) -> list[str]:
        """Makes lazy objects of the parts of something, which begin by these plans; returns their handles. Its
        `finish` is called for each that is materialized.
        """
    def of(self, handle: str) -> tuple[object, object, int, tuple[Any, ...]] | None:
        """A deferred object is to be made and deferred no longer: its plan, who finishes it, its place among the
        parts, and what there is to know about it. `None` for any other.
        """
    def has(self, handle: str) -> bool:
        """Whether this is the handle of a deferred object."""
    def of_class(self, class_name: str) -> list[str]:
        """Handles of all deferred objects of a class."""
    def forget(self, handle: str) -> list[str]:
        """There is no such object any more. Handles of deferred objects that are to be made before it goes."""
    def serve(
        self,
        simulation: Simulation,
        handle: str,
        kind: object,
        vars: object,
        kept: dict[Any, Any],
        looked: list[Any],
        nodes: dict[Any, Any],
        drawn: dict[Any, Any],
        nodes_made: Count,
        links_made: Count,
        add_neighbour: object,
    ) -> None:
        """Commands of the Simulator with this handle are answered from now on. `kind` says what the library answers
        for it; `vars`, `kept` and `looked` are its variables; `nodes` has the handles of nodes by their numbers,
        `drawn` those of the links that nam is to be told of; the counts are of nodes and links; `add_neighbour`
        tells a node that Python made of a neighbour.
        """
    def new_node(self, simulator: str) -> str | None:
        """A new node of the Simulator with this handle: its own handle. `None` where how to make it was not learnt."""
    def know_node(self, handle: str, number: int) -> None:
        """Python made a node: its handle and its number."""
    def has_its_own(self, handle: str) -> None:
        """The script has given an object a method of its own, or another class. Of those that are answered for,
        others than the Simulator are made by then.
        """
    def put_link(self, queue_class: str, from_node: int, to_node: int, rate_bps: float, delay_s: float) -> str | None:
        """A link by a kind that was learnt: its handle. `None` where none was learnt for this class of queue."""
    def learn_nodes(self, kind: object, ports: tuple[Any, ...]) -> None:
        """New nodes are of this kind from now on; `ports` is the plan of their tables of ports."""
    def learn_links(
        self,
        queue_class: str,
        kind: object,
        discipline: str,
        params: Params,
        keeps_order: bool,
        variables: list[tuple[str, str, str]],
        bandwidth: object,
        delay: object,
    ) -> None:
        """Links with queues of a class are of this kind from now on. Variables are the queue's: what the script
        calls them, what the engine does, their types. The last two find out what is meant by a bandwidth and by a
        delay.
        """
    def learn_agents(
        self,
        class_name: str,
        kind: object,
        engine_kind: str,
        params: Params | None,
        is_sender: bool,
        variables: list[tuple[str, str, str]],
    ) -> None:
        """New agents of a class are of this kind from now on: the engine's kind, first values, variables as above."""
    def learn_apps(self, class_name: str, kind: object, engine_kind: str) -> None:
        """New applications of a class are of this kind from now on."""
    def values_changed(self) -> None:
        """Objects made from now on may be of other kinds: a class has other values."""
    def methods_changed(self) -> None:
        """Classes have other methods, too, or what the library answers has changed."""
    def reset_nodes(self, nodes: list[Any], start: int) -> int:
        """Resets the agents of these nodes, from one on, up to the first node that has to be asked itself: its
        place.
        """
    def reset_queues(self, links: list[Any], start: int) -> int:
        """The same for the queues of these links."""
    def set_costs(self, links: list[Any]) -> list[Any]:
        """Links that cost 1, as most do, count as that in the choice of routes. Those that have to be asked."""
    def to_be_asked(self, handles: list[Any], method: str) -> list[Any]:
        """Those of these nodes and links that have to be asked this method."""
    def introduce(self, handles: list[Any], method: str) -> list[Any]:
        """The same, when this method introduces them to nam and nobody listens."""
    def ends(self, link: str) -> tuple[int, int] | None:
        """Numbers of the nodes that a deferred link leads from and to."""
    def agent(self, number: int) -> str | None:
        """The handle of the agent with this number, if it was deferred."""

@final
class Count:
    """A class variable that counts what was made. It is not known how many that are at first, and after a script has
    written to it.
    """

    def __new__(cls) -> Count: ...
    def value(self) -> int | None:
        """How many were made, if that is known."""
    def set(self, value: int) -> None:
        """So many there are."""
    def forget(self) -> None:
        """The script has written to the variable."""

@final
class SignalWatcher:
    """Waits for signals in a thread of its own: `heard(number)` is called there for each, and `heard(None)` when
    `every_s` seconds have passed without one, until it says False. `OSError` where the system refuses.  The thread
    takes nothing of Python's before there is something to hear: one of Python's would stop the main thread to begin.
    `interrupted` is a line for standard error. If SIGINT comes and `close` is not called within `GRACE_S` seconds,
    the line is written and the process ends with status 130: Tcl may be in a computation that nothing can stop.
    """

    def __new__(cls, every_s: float, heard: object, interrupted: str) -> SignalWatcher: ...
    def end_soon(self, line: str, status: int) -> None:
        """Writes `line` to standard error and ends the process with `status`, unless `close` is called within
        `GRACE_S` seconds.
        """
    def fileno(self) -> int:
        """The file to which the numbers of signals are to be written (`signal.set_wakeup_fd`); -1 behind `close`."""
    def close(self) -> None:
        """Ends the thread, and waits until it has ended."""

@final
class TclHashOrder:
    """The arrays among an object's variables, as long as none is taken away."""

    def __new__(cls) -> TclHashOrder: ...
    def follow(self, variables: dict[Any, Any], looked: list[Any]) -> None:
        """Takes in what has come since the last time. `looked` says what was looked for in vain: how many variables
        there were then, the element, and so on.
        """
    def names(self, array: str) -> list[str]:
        """Names of an array's elements in Tcl's order."""
    def elements(self, array: str, variables: dict[Any, Any]) -> list[Any]:
        """The elements of an array in that order."""
    def looks(self) -> list[tuple[str, list[int]]]:
        """How many elements the arrays had that grew by a look, when they did."""

@final
class SenderState:
    """A TCP sender as its congestion control sees it. Windows are in packets; `cwnd_packets` and `ssthresh_packets`
    are to be set. It is the same object at each call, with what is true then: keep its numbers, not the object.
    """

    @property
    def now_s(self) -> float:
        """The simulated time, s."""
    @property
    def cwnd_packets(self) -> float:
        """The congestion window, packets: at least 1, not necessarily whole. Less than 1 counts as 1: Linux has no
        smaller window either (`tcp_snd_cwnd_set` warns of one). `ValueError` for a negative number, NaN and above
        2**30.
        """
    @cwnd_packets.setter
    def cwnd_packets(self, packets: float) -> None: ...
    @property
    def ssthresh_packets(self) -> float:
        """The slow-start threshold, packets: whole, the rest is cut off, and at least 2. `ValueError` for a negative
        number or none.
        """
    @ssthresh_packets.setter
    def ssthresh_packets(self, packets: float) -> None: ...
    @property
    def window_packets(self) -> float:
        """What may be in flight, packets: the window with what duplicate ACKs add to it in recovery, at most the
        receiver's.
        """
    @property
    def in_flight_packets(self) -> int:
        """Packets sent and not yet acknowledged."""
    @property
    def mss_bytes(self) -> int:
        """Bytes of data in a packet."""
    @property
    def srtt_s(self) -> float | None:
        """The smoothed round-trip time (RFC 6298, gain 1/8, exact samples), s; None before the first sample."""
    @property
    def min_rtt_s(self) -> float | None:
        """The shortest round-trip time so far, s; None before the first sample."""
    @property
    def is_limited(self) -> bool:
        """Whether the window, not the application or the receiver, limits the sender: one that is not used should
        not grow (RFC 7661). Senders other than `tcp` do not look, and say yes.
        """
    @property
    def pacing_packets_per_s(self) -> float | None:
        """The rate to send at, packets/s; None lets ACKs say when. Only the sender `tcp` goes by it. `ValueError`
        for what is not a positive number.
        """
    @pacing_packets_per_s.setter
    def pacing_packets_per_s(self, rate: float | None) -> None: ...

@final
class Ack:
    """An ACK of new data."""

    @property
    def packets(self) -> int:
        """Packets that it acknowledges and none did before: more than 1 with delayed or lost ACKs, and after a
        recovery.
        """
    @property
    def marked(self) -> bool:
        """Whether it echoes a congestion mark."""
    @property
    def marked_packets(self) -> int:
        """Packets that it newly tells to have been marked; 1 or 0 where marks are not counted (`acc_ecn` counts
        them).
        """
    @property
    def rtt_s(self) -> float | None:
        """The round-trip time that it tells by its echoed timestamp, s; None if it tells none."""
    @property
    def delivery_packets_per_s(self) -> float | None:
        """How fast packets were delivered while the last of these was on its way, packets/s (draft-ietf-ccwg-bbr,
        4.1); None where that cannot be told, and on senders other than `tcp`.
        """
    @property
    def is_app_limited(self) -> bool:
        """Whether the application, not the path, held that rate down."""

@final
class Packet:
    """A packet in a queue: what a discipline may look at, and do with it."""

    @property
    def uid(self) -> int:
        """Its number in the whole simulation."""
    @property
    def flow_id(self) -> int:
        """Its flow's id."""
    @property
    def kind(self) -> str:
        """What it is, as traces name it: tcp, ack, cbr, exp, pareto."""
    @property
    def seqno(self) -> int:
        """Its sequence number, in packets."""
    @property
    def size_bytes(self) -> int:
        """Bytes on the wire."""
    @property
    def source(self) -> int:
        """Number of the node that it comes from."""
    @property
    def destination(self) -> int:
        """Number of the node that it goes to."""
    @property
    def arrived_s(self) -> float:
        """When it came to this queue, s."""
    @property
    def ecn_capable(self) -> bool:
        """Whether its transport understands congestion marks."""
    @property
    def ect_1(self) -> bool:
        """Whether its transport answers marks in proportion: ECT(1)."""
    @property
    def priority(self) -> int:
        """Its priority."""
    @property
    def marked(self) -> bool:
        """Whether this queue or one before it has marked it."""
    def drop(self) -> None:
        """Throws the packet away: the one that has just come, or one that waits. `ValueError` if it does not wait
        here.
        """
    def mark(self) -> bool:
        """Marks the packet if its transport understands marks; whether it does. `ValueError` if it does not wait
        here.
        """
    def __repr__(self) -> str: ...

@final
class RandomStream:
    """A stream of random numbers (MRG32k3a) outside a simulation."""

    @staticmethod
    def hashed(seed: int, name: str) -> RandomStream:
        """The stream with this name among those of a hashed seed."""
    @staticmethod
    def of_ns2(seed: int) -> RandomStream:
        """The stream of an ns-2 seed: all six words of its state are the seed."""
    def state(self) -> list[int]:
        """The six words of the state."""
    def next_substream(self) -> None:
        """Goes to the start of the next substream."""
    def unit(self) -> float:
        """Uniform on (0, 1)."""
    def units(self, count: int) -> list[float]:
        """So many numbers, uniform on (0, 1)."""
    def exponential(self) -> float:
        """Exponential with mean 1."""

@final
class MergedRuns:
    """The runs of several tables that `join_runs` gave, as one table in the order of point and seed. Each is in a
    file, or in several of which each begins after the end of the one before, and is read as it is wanted. A run that
    is in two tables counts where it comes first. `OSError` for a file that is not there; `ValueError`, with its
    name, for one that is damaged; `ValueError` for tables of different columns.
    """

    def __new__(cls, tables: list[list[str]]) -> MergedRuns: ...
    @staticmethod
    def of_tables(tables: list[Table]) -> MergedRuns:
        """Those of tables in memory."""
    def put_first(self, path: str) -> None:
        """One table more, in a file. It counts before the others, and none of its runs comes before those that were
        taken.
        """
    @property
    def point(self) -> str | None:
        """The point of the next run; `None` at the end."""
    def write_parquet(self, path: str, begin: str) -> None:
        """Writes the runs that come next and whose points begin so into a Parquet file. Also `OSError` when that
        fails.
        """
    def write_arrow(self, path: str) -> None:
        """Writes all runs that come next into a file whose name ends in `.arrow`, to be read again soon.
        `ValueError` for another name; also `OSError` when writing fails.
        """
    def __iter__(self) -> MergedRuns: ...
    def __next__(self) -> tuple[str, int, Table]:
        """Point, seed and table of the next run."""

@final
class Table:
    """A table of named columns. polars, pandas, DuckDB and pyarrow take it without a copy, by Arrow's PyCapsule
    interface.
    """

    @staticmethod
    def of_words(columns: list[tuple[str, list[str]]]) -> Table:
        """A table of words: names of columns with their values, as many in each. `ValueError` if they are not."""
    @staticmethod
    def of_bytes(content: bytes) -> Table:
        """The table that `to_bytes` gave. `ValueError` for other bytes."""
    def to_bytes(self) -> bytes:
        """The table as a Parquet file's content."""
    def __reduce__(self) -> tuple[Any, ...]:
        """How it is pickled: as Parquet."""
    def __getitem__(self, key: Any, /) -> Any:
        """`table["goodput_bps"]` is a column as a list, `table[0]` a row as a dict, `table[2:5]` a table of these
        rows. `KeyError` for a column that is not there, `IndexError` for a row.
        """
    def __iter__(self) -> Iterator[Any]:
        """The rows, a dict each."""
    def __contains__(self, name: Any, /) -> bool:
        """Whether there is a column of this name."""
    def rows(self) -> list[Any]:
        """All rows, a dict each; for a table of few rows."""
    def to_polars(self) -> Any:
        """The table as a polars `DataFrame`. `ImportError` where polars is not installed."""
    def to_pandas(self) -> Any:
        """The table as a pandas `DataFrame`. `ImportError` where pandas is not installed."""
    def __repr__(self) -> str:
        """Sizes, and a line for each column with its first values."""
    def _repr_html_(self) -> str:
        """The first rows as HTML, for notebooks."""
    def _ipython_key_completions_(self) -> list[str]:
        """What a notebook completes in `table["`."""
    def column_names(self) -> list[str]:
        """Names of the columns, in order."""
    def column(self, name: str) -> list[Any]:
        """A column as a list; `None` for what is missing. `KeyError` for a name that is not there."""
    def __len__(self) -> int:
        """How many rows there are."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Arrow's PyCapsule interface: the table as a stream. The schema asked for is not looked at, as the
        interface allows.
        """
    def __arrow_c_schema__(self) -> object:
        """Arrow's PyCapsule interface: names and types of the columns."""
    def write_parquet(self, path: str) -> None:
        """Writes the table as a Parquet file. `OSError` when that fails."""
    def csv(self) -> str:
        """The table as CSV: a line of names, then rows, empty where a value is missing, reals in their shortest
        form.
        """
    def write_csv(self, path: str) -> None:
        """Writes the table as a CSV file. `OSError` when that fails."""
    @staticmethod
    def read_parquet(path: str) -> Table:
        """Reads a Parquet file. `OSError` when it is not there, `ValueError` when it is none or is cut short."""

@final
class Simulation:
    """A packet-level simulation. Nodes, links, agents, applications, monitors are known by their numbers."""

    def set_plugin_control(self, agent: int, control: object, name: str, number: int, traced: list[str]) -> bool:
        """An object of the user's own decides about the window of a TCP sender, from the sender's next reset on.
        `name` and `number` are the flow's; each change of a variable in `traced` is noted. Whether the sender is one
        that lets it.
        """
    def set_plugin_queue(
        self,
        link: int,
        queue: object,
        name: str,
        number: int,
        limit: int,
        interval_s: float,
        traced: list[str],
    ) -> None:
        """An object of the user's own becomes a link's queue discipline, from the queue's next reset on. `name` and
        `number` are the link's; at most `limit` packets may wait; its `timer` is called each `interval_s`, if that
        is more than 0; each change of a variable in `traced` is noted.
        """
    def add_stream(self) -> int:
        """A stream of its own; its number."""
    def seed_stream(self, stream: int, seed: int) -> None:
        """Seeds a stream; streams made later follow from the seed."""
    def hash_seed(self, seed: int) -> None:
        """From now on each source of random numbers has a stream of its own, by the hash of this seed and of the
        source's name. To be called before anything is added.
        """
    def name_draws(self, owner: str, number: int, name: str) -> None:
        """Names an `agent`, `app`, `link` or `error_model`: the names of its streams begin so. Without effect unless
        the seed is hashed. To be called before the first draw.
        """
    def stream_state(self, stream: int) -> list[int]: ...
    def next_substream(self, stream: int) -> None: ...
    def restart_substream(self, stream: int) -> None: ...
    @staticmethod
    def sample_stream(seed: int, first: int, every: int, count: int) -> list[int]:
        """Whole numbers of a stream of its own seeded so: the first `first`, then each `every`-th, of `count` in
        all.
        """
    def draw_unit(self, stream: int) -> float:
        """Uniform on (0, 1)."""
    def draw_whole(self, stream: int) -> int:
        """A whole number in [0, 2^31)."""
    def draw_exponential(self, stream: int) -> float:
        """Exponential with mean 1."""
    def draw_normal(self, stream: int, mean: float, deviation: float) -> float: ...
    def add_random_variable(self, kind: str) -> int:
        """A random variable of this kind; its number."""
    def random_variable_param(self, variable: int, name: str) -> float: ...
    def set_random_variable_param(self, variable: int, name: str, value: float) -> None: ...
    def set_random_variable_stream(self, variable: int, stream: int) -> None:
        """From now on a random variable draws from this stream."""
    def set_random_variable_table(self, variable: int, table: list[tuple[float, float]]) -> None:
        """The table of an empirical distribution: cumulative probabilities, rising, each with its value."""
    def restart_random_variable(self, variable: int) -> None:
        """What a random variable draws once for many values is drawn anew."""
    def draw_random_variable(self, variable: int) -> float:
        """The next value of a random variable."""
    def add_capture(self, channel: int) -> int:
        """Begins a capture (pcapng) in a channel that nothing else is written to; its number."""
    def capture_links(self, capture: int, name: str, leaving: list[int], entering: list[int]) -> None:
        """A new interface of a capture, at the near end of some links and at the far end of others: packets that
        come to the queues of `leaving` and those that `entering` deliver.
        """
    def run_in_real_time(
        self,
        ends: list[tuple[int, int, list[str]]],
        progress: Callable[..., object],
    ) -> tuple[list[tuple[str, float]], list[tuple[int, str, str, int, int, int]]]:
        """Runs what is scheduled in real time, up to the end; the present instant is now. `ends`: a gateway agent's
        number, the descriptor of a device that gives and takes one IP packet at a time and does not wait, and the
        addresses whose packets go out there. The descriptors are taken over. `progress` is called every 50 ms with
        the simulated time and how many packets came in or went out, and ends the run when it gives False. The
        interpreter's lock is released meanwhile.  What was seen: packets that `came_in`, `went_out`, were `marked`,
        were `strange` (no IP, or for no end), were `lost` outside the simulation; `latest_s`, how late an event was
        dealt with at most; and each flow's id, source, destination, protocol and ports.
        """
    def schedule(self, time_s: float, what: str, number: int = 0, value: float = 0.0) -> None:
        """Something happens at an instant, `number` naming whom it happens to: `stop` (the end), `start_app`,
        `stop_app`, `rate` (of a link, `value` bit/s), `delay` (s), `up`, `down`, `cost` (in routes), `withdraw`
        (from routes), `reroute` (routes by the present costs), `ask`, `stop_asking` (of an exchange).
        """
    def schedule_text(self, time_s: float, channel: int, text: str) -> None:
        """A text is written to a channel at an instant."""
    def run_scheduled(self, progress: Callable[..., object] | None = None) -> float:
        """Runs what is scheduled up to the end; the instant of it, s. `progress` is called with the simulated time
        now and then. The interpreter's lock is released meanwhile.
        """
    def keep_tables(self, sample_s: float | None = None, changes: bool = False, packets: bool = False) -> None:
        """Tables are filled from now on: totals, and if wanted samples of series each `sample_s`, each change of
        windows and queues, each packet on each link.
        """
    def tabulate_links(self, links: list[int]) -> None:
        """Links are counted from now on. What else stands on them is there already."""
    def tabulate_flow(self, sender: int, receiver: int, is_tcp: bool) -> int:
        """The flow from one agent to another, attached and connected, is counted from now on; if the sender
        `is_tcp`, its window is followed.
        """
    def await_completion(self, sender: int) -> None:
        """From now on the instant at which all that a flow's sender was given is acknowledged counts as the flow's
        end.
        """
    def await_bytes(self, sender: int, bytes: int) -> None:
        """The flow of a two-way connection ends when so many bytes of its sender are acknowledged."""
    def take_tables(self) -> list[tuple[str, Table]]:
        """The run is over: its tables, by name."""
    def open_channel(self, fd: int, block: int | None = None, begun: int = 0) -> int:
        """A channel that writes to a file; the file's descriptor `fd` is taken over and closed with the channel.
        With `block` it writes whole blocks of so many bytes, as C's standard output does. `begun`: the bytes that
        Tcl would not have written yet, had the channel been its own.
        """
    def channel_write(self, channel: int, bytes: bytes) -> None: ...
    def channel_flush(self, channel: int, in_blocks: bool = False) -> None:
        """What is buffered goes to the file; with `in_blocks` only what Tcl's own buffers would have let go by now."""
    def channel_close(self, channel: int) -> None: ...
    def add_trace_place(
        self,
        op: str,
        from_node: int,
        to_node: int,
        trace: int | None = None,
        nam: int | None = None,
        shows_tcp_header: bool = False,
        is_tagged: bool = False,
    ) -> int:
        """A place for a packet trace: lines begin with `op` and name the two nodes; tap it into a link."""
    def set_trace_channels(self, place: int, trace: int | None, nam: int | None) -> None:
        """Where a place's lines go from now on."""
    def set_trace_nodes(self, place: int, from_node: int, to_node: int) -> None:
        """The two nodes that a place's lines name from now on."""
    def annotate(self, place: int, text: str) -> None:
        """Writes a remark where a place's lines go."""
    def set_trace_style(self, place: int, shows_tcp_header: bool, is_tagged: bool) -> None:
        """How a place's lines look from now on."""
    def watch_agent(self, agent: int, name: str, shown: str, channel: int, at_once: bool) -> None:
        """An agent's variable is written to a channel at each change, and now if `at_once`; `shown` is what the
        lines call it.
        """
    def watch_agent_for_nam(self, agent: int, name: str, shown: str, channel: int) -> int:
        """An agent's variable is written to a channel at each change, in nam's manner; the place, for naming the
        agent.
        """
    def move_agent_variables(self, agent: int, channel: int) -> None:
        """Whatever is written of an agent's variables goes to this channel from now on."""
    def add_variable_place(self, owner: str, name: str, channel: int | None = None) -> int:
        """A place for one variable of an object, written as ns-2's `Trace/Var` writes it."""
    def set_variable_channel(self, place: int, channel: int | None = None) -> None:
        """Where the lines of such a place go from now on."""
    def watch_agent_at(self, agent: int, name: str, place: int) -> None:
        """An agent's variable is written at such a place at each change."""
    def watch_queue_at(self, link: int, name: str, place: int) -> None:
        """A queue's variable is written at such a place at each change."""
    def name_agent_for_nam(self, place: int, name: str) -> None:
        """What nam calls an agent from now on, at a place for one of its variables."""
    def watch_remarks(self, agent: int, channel: int) -> None:
        """What an agent prints (Linux's congestion controls, TFRC) is written to a channel."""
    def watch_happenings(self, agent: int, trace: int | None = None, nam: int | None = None) -> None:
        """What an agent reports in words (`E` lines) is written to channels."""
    def watch_queue(self, link: int, name: str, channel: int) -> None:
        """Each change of a queue's variable is written to a channel."""
    def add_monitor(self) -> int: ...
    def set_monitor_nodes(self, monitor: int, from_node: int, to_node: int) -> None:
        """The nodes that a monitor's lines name."""
    def trace_monitor(self, monitor: int, channel: int) -> None:
        """Each change of a monitored queue's length is written to a channel."""
    def monitor_param(self, monitor: int, name: str) -> float: ...
    def set_monitor_param(self, monitor: int, name: str, value: float) -> None: ...
    def keep_integral(self, monitor: int, which: str) -> None:
        """Keeps one of a monitor's integrals from now on: `which` is bytes or packets."""
    def integral_param(self, monitor: int, which: str, name: str) -> float:
        """A value of an integral that is kept: last_s, last_value or sum."""
    def set_integral_param(self, monitor: int, which: str, name: str, value: float) -> None: ...
    def integral_new_point(self, monitor: int, which: str, at_s: float, value: float) -> None:
        """A new point of an integral: the function is `value` from `at_s` on."""
    def keep_histogram(self, monitor: int, which: str, bin_width: int, bins: int) -> None:
        """Keeps a histogram of the TCP segments that leave: `which` is rtts (ms) or seqnos."""
    def histogram(self, monitor: int, which: str) -> list[int]:
        """Counts in the bins of a histogram that is kept."""
    def keep_delay_samples(self, monitor: int) -> None:
        """Keeps samples of a monitor's queueing delay from now on."""
    def delay_samples(self, monitor: int) -> tuple[int, float, float]:
        """Count, sum (s) and sum of squares (s²) of a monitor's delay samples."""
    def reset_delay_samples(self, monitor: int) -> None: ...
    def add_agent(self, kind: str) -> int: ...
    def agent_param(self, agent: int, name: str) -> float: ...
    def agent_parameters(self, agent: int) -> list[tuple[str, float, str, str]]:
        """The parameters of an agent that scenarios offer: name, present value, unit, description."""
    def set_agent_param(self, agent: int, name: str, value: float) -> None: ...
    def set_agent_params(self, agent: int, params: Params) -> None:
        """Gives an agent values that are the first ones, or changed before anybody watches."""
    def offer_agent_params(self, agent: int, params: Params) -> list[int]:
        """The same, of those that it knows: the places of the others."""
    def attach(self, agent: int, node: int, port: int | None = None) -> int: ...
    def connect(self, one: int, other: int) -> None:
        """Two agents, attached, send to each other."""
    def aim(self, agent: int, other: int) -> None:
        """An agent sends to where another one is."""
    def detach(self, agent: int, node: int) -> None:
        """A node lets an agent go, which may be at another one."""
    def reset_agent(self, agent: int) -> None: ...
    def send_bytes(self, agent: int, bytes: int, flags: str = "") -> None:
        """Gives an agent so many bytes to send, -1 for without end."""
    def advance(self, agent: int, packets: int) -> None: ...
    def close_agent(self, agent: int) -> None: ...
    def done_was_delivered(self, agent: int) -> None:
        """Tell an agent that the notification of its close was delivered to the script."""
    def agent_command(self, agent: int, name: str, arguments: list[str]) -> str: ...
    def listen(self, agent: int, kind: str | None = None) -> None:
        """From now on `run` comes back when the agent tells something, of all that or of one kind."""
    def add_delay_box(self, node: int) -> int:
        """A box at the door of a node; its number."""
    def set_delay_box(self, delay_box: int, name: str, value: bool) -> None:
        """`is_symmetric`: ACKs are treated as the data they answer. `is_lossless`: nothing is lost. `keeps_record`:
        flows that are met are written down.
        """
    def set_delay_rule(
        self,
        delay_box: int,
        source: int,
        destination: int,
        delay_ms: int,
        loss: int | None,
        rate_mbps: int | None,
    ) -> None:
        """Flows between two nodes draw from these random variables: a delay in ms, a loss ratio, a rate in Mbit/s."""
    def delay_rules(self, delay_box: int) -> list[tuple[int, int]]:
        """The nodes that a box has rules for, in order."""
    def add_delayed_flow(self, delay_box: int, ends: tuple[int, int, int], delay_s: float, loss: float) -> None:
        """A flow (source, destination, flow id) is delayed so long and loses such a part of its packets."""
    def delayed_flows(self, delay_box: int) -> list[tuple[tuple[int, int, int], float, float, float]]:
        """The flows of a box in order: their ends, delay in s, loss ratio, rate in bytes/s."""
    def take_met_flows(self, delay_box: int) -> list[tuple[tuple[int, int, int], float]]:
        """The flows that a box has met since the last call, and their delays in s."""
    def add_flow_table(self, key: str) -> int:
        """A new table of flows, told apart by fid, dest, src_dest or src_dest_fid; its number."""
    def set_monitor_flows(self, monitor: int, table: int) -> None:
        """What a monitor counts is counted for each flow of a table too."""
    def take_fresh_flows(self, table: int) -> list[tuple[int, int, int, int]]:
        """Source, destination, flow id and monitor of each flow that a table has met since the last call."""
    def assign_flow(self, table: int, src: int, dst: int, fid: int, monitor: int) -> int | None:
        """From now on a monitor counts a flow of a table. The one that did so far is returned."""
    def remove_flow(self, table: int, src: int, dst: int, fid: int) -> int | None:
        """From now on nobody counts a flow of a table. The monitor that did so far is returned."""
    def copy_monitor(self, source: int, target: int) -> None:
        """A monitor takes over what another has counted."""
    def monitored_flow(self, monitor: int) -> tuple[int, int, int, str] | None:
        """Source, destination and flow id of the last packet that a monitor of one flow has counted, and what it
        carried.
        """
    def set_tagger(self, monitor: int, fresh: bool, rate_bps: float, depth: float, tokens: float) -> None:
        """A monitor tags the packets of its flow, or those of flows that nobody knew (`fresh`), by a token bucket."""
    def tagger(self, monitor: int) -> tuple[float, float, float] | None:
        """Rate in bit/s, depth and content in bytes of the token bucket by which a monitor tags the packets of its
        flow.
        """
    def drop_delay_samples(self, monitor: int) -> None:
        """A monitor samples queueing delays no longer."""
    def add_lan(self, node: int, delay_s: float) -> int:
        """A new shared medium that a node stands for in routes; its number."""
    def set_lan_delay(self, lan: int, delay_s: float) -> None:
        """How long a packet is on a medium before others hear it."""
    def add_port(self, lan: int, node: int, rate_bps: float, delay_s: float, discipline: str, access: str) -> int:
        """A new port of a medium, with a queue; `access` is plain or ethernet. Its number, which is a link's."""
    def set_port_param(self, link: int, name: str, value: float) -> None:
        """Sets a parameter of how a port uses the medium: traces_collisions; rate_bps and delay_s of a plain one."""
    def restart_clock(self) -> None:
        """The clock starts again at 0 and nothing is pending any more; uids and random numbers go on."""
    def insert_delayer(self, link: int) -> bool:
        """Puts a delayer behind a link's queue, unless it has one. Whether it had none."""
    def set_allocation(self, link: int, interval: int, length: int) -> None:
        """A channel that was not used for a random while takes another random while to be allocated."""
    def set_spikes(self, link: int, interval: int, length: int) -> None:
        """Delay spikes of random lengths come after random intervals."""
    def set_spike(self, link: int, begins: bool) -> None:
        """A delay spike begins or ends by hand."""
    def set_deliveries(self, link: int, at_s: list[float]) -> None:
        """The link sends at opportunities only, each of 1504 bytes; their times in s, the last one being the
        period's length.
        """
    def set_link_up(self, link: int, is_up: bool) -> None:
        """Whether packets pass a link's gate, if one is tapped into it."""
    def set_reports_refused(self, link: int, reports: bool) -> None:
        """Whether what a link's gate refuses goes the way of lost packets."""
    def cut_wire(self, link: int) -> None:
        """Loses every packet on a link's wire."""
    def discard_route(self, node: int, destination: int) -> None:
        """From now on a node throws away packets for a destination."""
    def add_turn(self, node: int) -> int:
        """A new turn of a node: links that packets take one after the other; its number."""
    def set_turn(self, node: int, turn: int, links: list[int | None]) -> None:
        """The links of a node's turn from now on; `None` is passed over."""
    def route_in_turn(self, node: int, destination: int, turn: int) -> None:
        """From now on packets for a destination take the links of a turn."""
    def add_error_model(self, kind: str) -> int:
        """A new error model; its number."""
    def error_model_param(self, model: int, name: str) -> float: ...
    def set_error_model_param(self, model: int, name: str, value: float) -> None: ...
    def error_model_command(self, model: int, name: str, arguments: list[str]) -> str: ...
    def add_error_module(self) -> int:
        """A new error module, to be tapped into a link; its number."""
    def assign_error_model(self, module: int, fid: int, model: int) -> None:
        """From now on a model judges a flow's packets in a module."""
    def assign_error_model_to_others(self, module: int, model: int | None) -> None:
        """From now on a model, or none, judges the packets of a module's other flows."""
    def __new__(cls) -> Simulation: ...
    def lack_srm(self) -> None:
        """Packets have no header of SRM, which nam's lines tell."""
    def lack_flags(self) -> None:
        """Packets have no header for flags from now on."""
    def add_node(self) -> int: ...
    def add_nodes(self, count: int) -> None:
        """So many nodes."""
    def add_link(
        self,
        from_node: int,
        to_node: int,
        rate_bps: float,
        delay_s: float,
        discipline: str,
        params: Params | None = None,
        keeps_order: bool = False,
    ) -> int:
        """A link, perhaps with values for its queue."""
    def link_param(self, link: int, name: str) -> float: ...
    def set_link_param(self, link: int, name: str, value: float) -> None: ...
    def queue_param(self, link: int, name: str) -> float: ...
    def queue_parameters(self, link: int) -> list[tuple[str, float, str, str]]:
        """The parameters of a queue discipline that scenarios offer: name, present value, unit, description."""
    def set_queue_param(self, link: int, name: str, value: float) -> None: ...
    def set_queue_params(self, link: int, params: Params) -> None:
        """Gives a queue discipline values."""
    def queue_command(self, link: int, name: str) -> str: ...
    def reset_queue(self, link: int) -> None: ...
    def reset_queues(self, links: list[int]) -> None:
        """Those of several links, one after the other."""
    def set_route_cost(self, from_node: int, to_node: int, cost: float) -> None: ...
    def remove_route_cost(self, from_node: int, to_node: int) -> None: ...
    def next_hops(self, source: int) -> list[int | None]: ...
    def set_route(self, node: int, destination: int, link: int | None) -> None: ...
    def install_routes(self) -> None:
        """Sets every node's routes from the costs. The last link made between two nodes is the one used."""
    def add_app(self, kind: str) -> int: ...
    def app_param(self, app: int, name: str) -> float: ...
    def set_app_param(self, app: int, name: str, value: float) -> None: ...
    def attach_app(self, app: int, agent: int) -> None: ...
    def start_app(self, app: int) -> None: ...
    def stop_app(self, app: int) -> None: ...
    def app_command(self, app: int, name: str, arguments: list[str]) -> str: ...
    def call_back(self, delay_s: float) -> int:
        """Asks for a call-back so many seconds from now; its number."""
    def call_back_at(self, when: str) -> int | None:
        """Asks for a call-back at the instant that a script has written, or so many seconds from now if that is
        negative; its number. `None` for what is no plain number, or in the past.
        """
    def cancel(self, script: int) -> bool:
        """Takes a call-back back; whether it was still to come."""
    def now(self) -> float: ...
    def now_text(self) -> str:
        """The same with all 17 digits, as ns-2 shows it."""
    def has_events(self) -> bool: ...
    def run(self) -> tuple[str, int]:
        """Runs until a call-back is due (`("script", number)`), an agent that is listened to tells something
        (`("idle" | "done" | "received" | "lost" | "emptied" | "message" | "no_bytes", agent)`), a table has met
        flows that nobody knew (`("flows", 0)`), a packet for a group needs a decision (`("multicast", 0)`) or
        nothing is left to happen (`("exhausted", 0)`).
        """
    def check(self) -> None:
        """For the end of a run: that what holds in every simulation does (`InvariantError`)."""
    def limit_events_at_one_time(self, most: int) -> None:
        """More events than this at one instant are held for a loop without end."""
    def tap(self, link: int, place: str, what: str, number: int, at_front: bool = True) -> None:
        """Puts a tap at a place of a link: `what` is trace, gate, arrivals, departures, drops, early_drops or
        errors; `number` is the trace place's, the monitor's or the error module's. `at_front`: packets pass it
        before those already there.
        """
    def add_group_table(self, node: int, asks_always: bool) -> None:
        """Gives a node a table of groups, which replaces the one it has. With `asks_always` every packet is a
        question.
        """
    def add_group(self, node: int, source: int | None, group: int, slot: int, interface: int) -> None:
        """Packets of a source (`None`: of all) for a group that come over an interface go to a slot of the node's
        table.
        """
    def change_group_interface(self, node: int, source: int | None, group: int, old: int, new: int) -> None:
        """They are to come over another interface."""
    def group_interface(self, node: int, source: int | None, group: int) -> int | None:
        """Over which interface they are to come."""
    def group_slot(self, node: int, source: int | None, group: int, interface: int) -> int | None:
        """The slot of those that come over an interface; -2 stands for any."""
    def clear_groups(self, node: int) -> None:
        """Forgets all groups of a node."""
    def install_replicator(self, node: int, slot: int, replicator: int | None) -> None:
        """Puts a replicator into a slot of a node's table, or nothing."""
    def add_replicator(self) -> int:
        """A replicator without receivers; its number."""
    def set_receiver(self, replicator: int, slot: int, what: str, number: int) -> None:
        """Sets a slot of a replicator: `what` is link, agent, encapsulator, nowhere or empty."""
    def silence_replicator(self, replicator: int, is_silent: bool) -> None:
        """Whether a replicator without receivers discards packets without a question."""
    def label_interface(self, link: int, label: int) -> None:
        """Packets that arrive over a link or port have this label."""
    def set_group_levels(self, levels: list[tuple[int, int]]) -> None:
        """Traces show the addresses of groups in these levels: mask and shift of each."""
    def divert_agent(self, agent: int, to: int) -> None:
        """An agent's packets go to another one of its node instead."""
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
    def answer_multicast(self, again: bool, which: tuple[int, int] | None = None) -> None:
        """Answers it: whether the packet is looked up again; after `which`, the replicator and the packet's upstream
        router from now on, or nothing if the packet is discarded.
        """
    def add_router(self) -> int:
        """A new router that takes part; its number. Its clock is to be started when it has its parameters."""
    def start_router(self, router: int) -> None: ...
    def router_param(self, router: int, name: str) -> float: ...
    def set_router_param(self, router: int, name: str, value: float) -> None: ...
    def set_rate_function(self, function: int) -> None:
        """How the rates of all requests are coded: 1 by 10240 bytes/s, 2 by powers of two times 5000 bytes/s."""
    def put_router(self, router: int, link: int, weight: float, period_s: float, periods: int) -> None:
        """Requests that leave the router over this link are judged, and the link's use is measured from now on."""
    def add_exchange(
        self,
        client: int,
        server: int,
        request_bytes: int,
        response_bytes: int,
        times: int,
        serves_s: float,
        thinks_s: float,
        closes: bool,
    ) -> int:
        """A new exchange of requests and responses of so many bytes between two agents; its number. `times`: how
        often the client asks, -1 for without end; `serves_s`, `thinks_s`: how long until the server answers and the
        client asks again; `closes`: whether the client then closes the connection.
        """
    @staticmethod
    def hierarchical_next_hops(places: list[list[int]], links: list[tuple[int, int, float]]) -> list[list[int | None]]:
        """By node, the next node on the way to every other, in a network of addresses (domain, cluster, node) and
        links (from, to, cost).
        """
    def install_next_hops(self, next_hops: list[list[int | None]]) -> None:
        """Sets every node's routes: by node, the next node on the way to every other."""
    def give_route(self, node: int, conversation: tuple[int, int, int], link: int) -> None:
        """Where a node's packets of one conversation go: those of a flow id from one node to another."""
    def set_default_route(self, node: int, link: int) -> None:
        """Where a node's packets go for whose destination no other route is set."""
    def set_address(self, node: int, packed: int, text: str) -> None:
        """What traces call a node from now on: an address in levels, `packed` where there is room for one number
        only.
        """
    def add_bucket(self) -> int:
        """A new token bucket; its number."""
    def bucket_param(self, bucket: int, name: str) -> float: ...
    def set_bucket_param(self, bucket: int, name: str, value: float) -> None: ...
    def pass_bucket(self, agent: int, bucket: int) -> None:
        """An agent's packets pass this bucket on their way to the node."""

@final
class Recording:
    """A trace as a player wants it: a row for each packet on each link, in chunks, read in steps. What has been read
    is in a file of its own, which must stay while this is used.
    """

    @staticmethod
    def of_file(path: str, rows: str) -> Recording:
        """Of a trace file, `.tr` or `.nam`, plain or gzipped; rows go to the new file `rows`. Nothing is read yet.
        `OSError` when one of the two cannot be opened.
        """
    @staticmethod
    def of_packets(packets: Table, rows: str) -> Recording:
        """Of a run's table of packets; rows go to the new file `rows`. `ValueError` for another table."""
    def read_on(self, count: int) -> bool:
        """Reads on, at most `count` packet lines; whether there is more. `TraceError` where the file is damaged:
        what stands in front of the damage is there then.
        """
    def progress(self) -> tuple[int, int, bool]:
        """Bytes of the file that were read, packed if it is packed; packet lines; whether all has been read."""
    def span_s(self) -> tuple[float, float] | None:
        """Time of the first packet's event and of the last so far, s; `None` before any."""
    def kinds(self) -> list[str]:
        """Words for what packets carry, by number."""
    def set_link(self, link: int, rate_bps: float, delay_s: float) -> None:
        """A link's rate and delay as known from elsewhere; nothing is estimated of it from now on."""
    def links(self) -> list[tuple[int, int, float | None, float | None]]:
        """Links that packets took, by number: from which node, to which, rate in bit/s and delay in s, as told or as
        estimated so far; `None` for what cannot be.
        """
    def flows(self) -> list[tuple[int, int, int, int, int, list[int]]]:
        """Flows, by number: flow id, source node and port, destination node and port, numbers of what the packets
        carry.
        """
    def drawn_nodes(self) -> list[tuple[int, str, str]]:
        """nam's nodes: number, shape, label."""
    def drawn_links(self) -> list[tuple[int, int, float, float, str]]:
        """nam's links: from which node, to which, rate in bit/s, delay in s, towards where."""
    def drawn_queues(self) -> list[tuple[int, int, float]]:
        """Where nam draws queues: the link's nodes, and an angle in half turns."""
    def drawn_colours(self) -> list[tuple[int, str]]:
        """nam's colours of flow ids."""
    def remarks(self) -> list[tuple[float, str]]:
        """Remarks, each with its time, s."""
    def variables(self) -> list[str]:
        """Names of the watched variables that there are values of."""
    def chunks(self) -> list[tuple[float, float, float, int]]:
        """The chunks that can be had: from when to when their packets come to queues, the last time that something
        happens to one of them (all s), and how many rows there are.
        """
    def chunk(self, number: int) -> bytes:
        """A chunk, packed. `KeyError` for one that there is not, or not yet."""
    def series(
        self,
        what: str,
        from_s: float,
        to_s: float,
        points: int,
        interval_s: float,
        flow: int | None = None,
        link: int | None = None,
    ) -> list[tuple[int | None, int | None, list[float], list[float]]]:
        """Curves from a time to a time (s), each of at most `points` points: the flow's number, the link's number,
        times and values. `interval_s` is the length of an interval for throughput. `ValueError` for something that
        cannot be followed.
        """
    def state(
        self,
        time_s: float,
    ) -> tuple[list[tuple[int, int, int, int, int, int]], list[tuple[int, int, int, int, int]]]:
        """Counters at a time (s): for each flow packets sent, received, bytes received, packets dropped, marked,
        sent again, all from its source to its destination; for each link packets and bytes that wait, packets that
        left the queue, were dropped, left marked so far.
        """
    def packet(self, uid: int) -> list[tuple[int, int, int, int, int, int, float, float, float, float]]:
        """The way of one packet: for each link its number, the flow's, kind, bytes, sequence number, flags, and when
        it comes to the queue, leaves it, arrives, is dropped (s, NaN for what does not happen).
        """

__all__ = [
    "MANY_VARIABLES",
    "Ack",
    "Clock",
    "Command",
    "Count",
    "InvariantError",
    "LazyObjects",
    "LimitError",
    "MergedRuns",
    "Packet",
    "Params",
    "PartialTrace",
    "RandomStream",
    "Recording",
    "SenderState",
    "SignalWatcher",
    "Simulation",
    "SimulationError",
    "Table",
    "TclHashOrder",
    "TraceError",
    "__version__",
    "abort_silently_without_memory",
    "adopt_orphans",
    "agents",
    "applications",
    "confine",
    "congestion_controls",
    "die_with_parent",
    "ecn_controls",
    "error_models",
    "format_g",
    "grow_stack",
    "hash_seed",
    "join_runs",
    "namespace_is_allowed",
    "queue_disciplines",
    "run_packetdrill",
    "tcp_receivers",
    "tcp_senders",
    "tcp_two_way",
    "trace_packets",
    "trace_schema",
    "trace_series",
    "trace_stats",
    "trace_stream",
    "trace_throughput",
    "trace_to_pcapng",
    "trace_write",
]
