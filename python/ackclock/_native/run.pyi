"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from collections.abc import Iterator
from typing import Any, final

from ackclock._native.agents import Agent

def join_runs(of_runs: list[tuple[str, int, Table]]) -> Table:
    """One table of those of many runs, which are given by their points, their seeds and their tables: it has the
    columns `point` and `seed` in front, and its rows are in their order; of a run that is there twice the first
    counts. `ValueError` for tables of different columns.
    """

def check_scenario_text(text: str) -> str | None:
    """What is wrong with the text of a scenario file, with line and key, or what of it is not read there; `None` if
    it can be simulated.
    """

def run_scenario_text(text: str) -> tuple[list[tuple[str, Table]], list[str], list[str]]:
    """Runs the text of a scenario file by the Rust reader: its tables by name, names of the flows, names of the
    links. `ValueError` for a description that cannot be simulated, with line and key, or is not read there;
    `SimulationError` for a run that cannot go on.
    """

def leo_course(
    interval_s: float,
    first_s: float,
    rates_bps: tuple[float, float],
    spread_s: float,
    pause_s: float,
    seed: int,
    path: str,
    link: str,
    duration_s: float,
) -> tuple[list[int], list[tuple[float, float]]]:
    """When a link over satellites, `a->b`, can send, ms, up to the first instant after the run's end; and from when
    on, s, it has which delay beyond its own, s. All but the first delay begin with a hand-over. The directions of a
    `path`, `a-b`, have the same delays.
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
    "SteeredRuns",
    "Table",
    "check_scenario_text",
    "join_runs",
    "leo_course",
    "run_scenario_text",
]
