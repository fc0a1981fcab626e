"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from collections.abc import Iterator
from typing import Any, final

from ackclock._native.agents import Agent
from ackclock._native.simulation import Simulation
from ackclock._native.traces import Channel

def scenario_parts() -> list[Any]:
    """The parts of descriptions as `crates/scenario` declares them, each behind those that its keys take: `name`,
    `module`, `about`, `kind` (with the name of the type of all kinds, and its module; empty where there is none),
    `renamed`, `belongs`, `short`, `keys` (`name`, `about`, `shape`, `is_required`; `words`, `code` and `default`
    where it has any).
    """

def scenario_constants() -> list[tuple[str, str, Any]]:
    """Words and numbers that descriptions are read with: name, what it is, value of each."""

def check_part(name: str, part: Any) -> None:
    """Checks a part of a description, an object of the class that is called `name`. `ScenarioError` for what is
    wrong with it.
    """

def rate_bps(text: str) -> float:
    """A rate's bits per second. `ScenarioError` for anything else than a positive number with a unit."""

def time_s(text: str) -> float:
    """A time's seconds, not negative. `ScenarioError` for anything else than a number with a unit."""

def size_bytes(text: str) -> int:
    """A size's bytes, a whole positive number. `ScenarioError` for anything else than a number with a unit."""

def amount(text: str, kind: str) -> tuple[float, str]:
    """A positive number and what it counts: `packets`, `bytes` or, where `kind` is `amount`, `BDP`; `data` has the
    first two, `window` the first. `ScenarioError` for anything else.
    """

def nearest_name(name: str, known: list[str]) -> str | None:
    """The known name that looks most like this one, if any does."""

def join_runs(of_runs: list[tuple[str, int, Table]]) -> Table:
    """One table of those of many runs, which are given by their points, their seeds and their tables: it has the
    columns `point` and `seed` in front, and its rows are in their order; of a run that is there twice the first
    counts. `ValueError` for tables of different columns.
    """

def read_deliveries(path: str) -> list[int]:
    """The instants of a recording, ms: one opportunity of 1504 bytes each, the last one being the period's length.
    `ScenarioError` for a file that cannot be read, is not a regular file, is too large or holds no opportunities,
    with the line of what is wrong. It shows nothing of a line but a number: the file may be no recording at all, but
    somebody's secret.
    """

def flow_kind(tcp: str | None, control: str | None) -> str:
    """What a flow without a name is called before its number: its congestion control if it names one, else its
    variant.
    """

def default_sets() -> str:
    """The default sets of scenarios, as a TOML file."""

def scenario_parameters(of: str) -> list[tuple[str, float, str, str]]:
    """The parameters that scenarios offer of a queue discipline, by its id, or of senders: `one_way` and `full` for
    ns-2's, `tcp_NAME` for today's TCP with the congestion control NAME, `tcp` for what all controls share; name,
    value, unit, description of each. None for an unknown name.
    """

def check_scenario_text(text: str, folder: str | None = None, code: object | None = None) -> str | None:
    """What is wrong with the text of a scenario file, with line and key, or what of it is not read there; `None` if
    it can be simulated. `folder` has the recordings that it names; without it there are none. `code` finds the code
    that it names (a `NamedCode`), whose own errors pass through.
    """

def run_scenario_text(
    text: str,
    folder: str | None = None,
    code: object | None = None,
) -> tuple[list[tuple[str, Table]], list[str], list[str]]:
    """Runs the text of a scenario file by the Rust reader: its tables by name, names of the flows, names of the
    links. `folder` and `code` are those of `check_scenario_text`. `ValueError` for a description that cannot be
    simulated, with line and key, or is not read there; `SimulationError` for a run that cannot go on.
    """

@final
class MergedRuns:
    """The runs of several tables that `join_runs` gave, as one table in the order of point and seed. Each is in a
    file, or in several of which each begins after the end of the one before, and is read as it is wanted. A run that
    is in two tables counts where it comes first. With `points`, runs of other points may be left out, which is quick
    where a file is Parquet. `OSError` for a file that is not there; `ValueError`, with its name, for one that is
    damaged; `ValueError` for tables of different columns.
    """

    def __new__(cls, tables: list[list[str]], points: list[str] | None = None) -> MergedRuns: ...
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
class ResolvedNetwork:
    """What a description comes to: numbered nodes, one-way links, senders and receivers, instants."""

    def __new__(cls, scenario: object, code: object) -> ResolvedNetwork:
        """The network of a description, an `ackclock.Scenario`; `code` finds the code that it names (a `NamedCode`).
        `ScenarioError` where it describes none.
        """
    def nodes(self) -> list[str]:
        """Names of the nodes, by number."""
    def flow_names(self) -> list[str]:
        """Names of the flows, by number."""
    def link_names(self) -> list[str]:
        """Names of the links (`a->b`), by number."""
    @property
    def duration_s(self) -> float:
        """How long it lasts, s."""
    @property
    def is_drawn(self) -> bool:
        """Whether it depends on the seed: transfers that come, starts and rates that are drawn."""
    def flows(self) -> list[dict[Any, Any]]:
        """The flows, each with the name of its field: `name`, `source`, `destination`, `sender`, `receiver`,
        `control`, `flow_id`, `stream`, `spans_s`, `parameters`, `receiver_parameters`, `wire_bytes`, `packets`,
        `described` (its number in the description), `response_bytes` (of requests that were drawn), `own`
        (parameters of a class of the user's own).
        """
    def links(self) -> list[dict[Any, Any]]:
        """The links, each with the name of its field: `source`, `target`, `rate_bps`, `delay_s`, `losses` (key, flow
        ids, states: loss rate, probabilities of the next state and duration, s, of each), `cost`, `key`,
        `queue_key`, `deliveries` (ms), `slots` (s, bytes), `radio_key`, `parameters`, `commands`.
        """
    def events(self) -> list[tuple[float, str, int, float]]:
        """What happens to links, in the order of time: when, s; what (`rate`, `delay`, `cost`, `up`, `down`, `cut`);
        the link's number; the new value.
        """
    def connections(self, names: list[str] | None, key: str) -> list[int]:
        """Numbers of the flows with these `names`; without names, of all that have today's TCP. `ScenarioError` for
        a name that none of those has; `key` is the key of the names in the description.
        """
    def silent_flows(self) -> list[tuple[str, float]]:
        """The flows that never send, since they start when the run is over: the name, and when they start, s."""
    def build(
        self,
        simulation: Simulation,
        seed: int | None = None,
        trace: Channel | None = None,
        nam: Channel | None = None,
        capture: Channel | None = None,
        qlogs: list[tuple[int, Channel]] | None = None,
        tables: bool = True,
        series: bool = True,
    ) -> list[int]:
        """Sets the network up in an empty simulation. Objects of users' code are made anew. Returns the agent number
        of each flow's sender. `seed` replaces that of the description, where nothing is drawn. `trace`, `nam` and
        `capture` are where those go, `qlogs` are channels by the number of the flow. Without `tables` nothing is
        measured, without `series` no samples are kept. `SimulationError` for values that the engine refuses.
        """

@final
class SteeredRuns:
    """Runs in lock step, by number, each with a flow that is steered. All arrays are `bytes` of native floats of 8
    bytes, one for each run, as `numpy.ndarray.tobytes` and `numpy.frombuffer` have them.
    """

    def __new__(cls, count: int) -> SteeredRuns:
        """Places for `count` runs."""
    @staticmethod
    def columns() -> list[str]:
        """Names of the columns of a row."""
    def put(
        self,
        place: int,
        sender: Agent,
        cwnd_packets: float | None = None,
        pacing_packets_per_s: float | None = None,
        bytes: int | None = None,
    ) -> None:
        """Puts a run into a place, before its first event: that of the simulation of `sender`, a TCP agent. With
        `cwnd_packets` (and perhaps `pacing_packets_per_s`), the window and the rate are held as they are set;
        without, the sender keeps its own control, and what is set is where that goes on. `bytes` is the size of a
        finite transfer. `ValueError` for another kind of agent, `IndexError` for another place.
        """
    def connect(self, place: int) -> float | None:
        """Runs the run in a place until its connection is established; the round-trip time of the handshake, s,
        which is 0 if that was not measured. `None` if the run has ended before. `SimulationError` for a run that
        cannot go on, `IndexError` for a place without one.
        """
    def step(self, cwnd_packets: bytes, pacing_packets_per_s: bytes, interval_s: bytes) -> bytes:
        """Sets windows (packets) and pacing rates (packets/s) where they are not NaN, and moves each run by its
        interval (s), or to its end. A run whose interval is NaN stays where it is; its row is 0. The rows, one after
        the other. The interpreter's lock is released meanwhile. `SimulationError` for a run that cannot go on,
        `ValueError` for arrays of another length.
        """

@final
class Table:
    """A table of named columns. polars, pandas, DuckDB and pyarrow take it without a copy, by Arrow's PyCapsule
    interface.
    """

    @staticmethod
    def of_words(columns: list[tuple[str, list[str]]]) -> Table:
        """A table of words: `columns` has their names with their values, as many in each. `ValueError` if they are
        not.
        """
    @staticmethod
    def of_columns(columns: list[tuple[str, str, list[Any]]]) -> Table:
        """A table of typed columns: `columns` has their names, types and values, as many in each, `None` for what is
        missing. A type is "real", "count", "number", "integer" or "long" (`f64`, `u64`, `u32`, `i32` and `i64`), or
        "word". `ValueError` for others, and if a value is not of its column's type.
        """
    @staticmethod
    def of_bytes(content: bytes) -> Table:
        """The table that `to_bytes` gave as `content`. `ValueError` for other bytes."""
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
        """The column `name` as a list; `None` for what is missing. `KeyError` for a name that is not there."""
    def __len__(self) -> int:
        """How many rows there are."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Arrow's PyCapsule interface: the table as a stream. The schema asked for is not looked at, as the
        interface allows.
        """
    def __arrow_c_schema__(self) -> object:
        """Arrow's PyCapsule interface: names and types of the columns."""
    def write_parquet(self, path: str) -> None:
        """Writes the table as a Parquet file at `path`. `OSError` when that fails."""
    def csv(self) -> str:
        """The table as CSV: a line of names, then rows, empty where a value is missing, reals in their shortest
        form.
        """
    def write_csv(self, path: str) -> None:
        """Writes the table as a CSV file at `path`. `OSError` when that fails."""
    @staticmethod
    def read_parquet(path: str) -> Table:
        """Reads the Parquet file at `path`. `OSError` when it is not there, `ValueError` when it is none or is cut
        short.
        """

__all__ = [
    "MergedRuns",
    "ResolvedNetwork",
    "SteeredRuns",
    "Table",
    "amount",
    "check_part",
    "check_scenario_text",
    "default_sets",
    "flow_kind",
    "join_runs",
    "nearest_name",
    "rate_bps",
    "read_deliveries",
    "run_scenario_text",
    "scenario_constants",
    "scenario_parameters",
    "scenario_parts",
    "size_bytes",
    "time_s",
]
