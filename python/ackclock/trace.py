"""Trace files: packet tables, metrics of flows and links, and time series.

    import ackclock as ac

    trace = ac.trace.read("out.tr")          # or out.tr.gz, or the tagged format, or out.nam
    stats = trace.stats(kind="tcp")
    stats.flows.column("throughput_bps")
    trace.series("queue", interval_s=0.1)
    polars.DataFrame(trace)                  # the packet table, read as a stream

`docs/trace-tools.md` defines each metric.
"""

from __future__ import annotations

import os

from ackclock import _native
from ackclock._internal.atomic_file import atomic_write
from ackclock._native import PartialTrace, Table, TraceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal

    from ackclock.analysis.plot.plots import Plots

    #: What a series can follow.
    What = Literal["throughput", "queue", "delay", "loss"]

__all__ = ["PartialTrace", "Stats", "Table", "Trace", "TraceError", "address", "read"]


class Stats:
    """The metrics of a trace."""

    def __init__(self, flows: Table, links: Table, lines: int, packet_lines: int, other_lines: int) -> None:
        #: A row for each flow, in the order in which they first appear.
        self.flows = flows
        #: A row for each link, in the same order.
        self.links = links
        #: Lines of the file.
        self.lines = lines
        #: Lines that are a packet's event.
        self.packet_lines = packet_lines
        #: Lines of other kinds: traced variables, annotations. They are skipped.
        self.other_lines = other_lines

    def __repr__(self) -> str:
        return f"<Stats of {self.packet_lines} packet lines: {len(self.flows)} flows, {len(self.links)} links>"


class Trace:
    """A trace file. Each method reads it once, from beginning to end. Memory grows with flows and links, not with
    lines.

    It is a table of packets by Arrow's PyCapsule interface: `pyarrow.table(trace)`, `polars.DataFrame(trace)`,
    `duckdb.from_arrow(trace)`. Its columns: `event` (enqueue, dequeue, receive, drop, error; also hop in nam's format
    and the tagged one), `time_s`, `from_node`, `to_node`, `kind`, `size_bytes`, `flags`, `flow`, `source_node`,
    `source_port`, `destination_node`, `destination_port`, `sequence`, `packet`.

    Filters are the same everywhere:

    - `flow`: one flow id.
    - `kind`: one packet type, such as "tcp".
    - `node`: flows from or to this node, and links that leave or enter it.
    - `start_s`, `end_s`: lines with start_s <= time < end_s.

    Every method raises `TraceError` for a file that is damaged, truncated or no packet trace, with the line and how
    much was read, and `OSError` for one that cannot be read or written. With `partial`, a damaged file counts up to the
    damage, if it has a packet's line there, and a `PartialTrace` warning says so. A `path` that does not exist is a
    `FileNotFoundError`.
    """

    def __init__(self, path: str | os.PathLike[str], *, partial: bool = False) -> None:
        self._path = os.fspath(path)
        #: whether the part before a damage is wanted
        self.partial = partial
        if not os.path.exists(self._path):
            raise FileNotFoundError(f"no such trace file: {self._path}")

    @property
    def path(self) -> Path:
        """The file's path."""
        from pathlib import Path

        return Path(self._path)

    def _file(
        self,
        flow: int | None = None,
        kind: str | None = None,
        node: int | None = None,
        start_s: float | None = None,
        end_s: float | None = None,
    ) -> _native.TraceFile:
        return _native.TraceFile(self._path, flow, kind, node, start_s, end_s, self.partial)

    def stats(
        self,
        *,
        flow: int | None = None,
        kind: str | None = None,
        node: int | None = None,
        start_s: float | None = None,
        end_s: float | None = None,
    ) -> Stats:
        """Throughput, delay, jitter, drops and loss ratio of each flow and each link."""
        return Stats(*self._file(flow, kind, node, start_s, end_s).stats())

    def series(
        self,
        what: What,
        interval_s: float = 1.0,
        *,
        flow: int | None = None,
        kind: str | None = None,
        node: int | None = None,
        start_s: float | None = None,
        end_s: float | None = None,
    ) -> Table:
        """Metrics over time: a row for each interval and each flow (throughput, delay, loss) or link (queue).

        `what` is "throughput", "delay", "loss" or "queue"; `interval_s` is the interval in seconds.
        """
        return self._file(flow, kind, node, start_s, end_s).series(what, interval_s)

    def packets(
        self,
        *,
        flow: int | None = None,
        kind: str | None = None,
        node: int | None = None,
        start_s: float | None = None,
        end_s: float | None = None,
    ) -> Table:
        """The packet table in memory, or those of its rows that the filters keep."""
        return self._file(flow, kind, node, start_s, end_s).packets()

    @property
    def plot(self) -> Plots:
        """Plots: `trace.plot.throughput()`, `.queue()`, `.loss()`, `.sequence()`, `.fairness()`."""
        from ackclock.analysis.plot.plots import Plots
        from ackclock.analysis.plot.trace import TraceFile

        return Plots(TraceFile(self))

    def throughput(
        self,
        node: int,
        source: str | tuple[int, int],
        destination: str | tuple[int, int],
        interval_s: float = 1.0,
        *,
        kind: str = "tcp",
    ) -> tuple[str, float]:
        """The output of the usual throughput script, and the mean over its intervals in Mbit/s.

        - `node`: the node at which packets are received.
        - `source`, `destination`: node and port, as "0.0" or (0, 0).
        - `interval_s`: the interval in seconds.

        `ValueError` for an address of another form.
        """
        ends = [address(end) if isinstance(end, str) else end for end in (source, destination)]
        return _native.trace_throughput(self._path, node, ends[0], ends[1], interval_s, kind, self.partial)

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        flow: int | None = None,
        kind: str | None = None,
        node: int | None = None,
        start_s: float | None = None,
        end_s: float | None = None,
        at_node: int | None = None,
        at_link: tuple[int, int] | None = None,
    ) -> int:
        """Write the packets as `.csv`, `.parquet` or `.pcapng`, by the ending of `path`; returns the number of packets.

        A capture (`.pcapng`) is taken at the node `at_node`, or on the link `at_link` (two nodes), or at the senders of
        data. `ValueError` for another ending, and for `at_node` or `at_link` without a capture.
        """
        form = os.path.splitext(path)[1].removeprefix(".")
        if form not in ("csv", "parquet", "pcapng"):
            raise ValueError(f"the name must end in .csv, .parquet or .pcapng: {os.fspath(path)}")
        if form != "pcapng" and (at_node is not None or at_link is not None):
            raise ValueError("at_node and at_link are for captures: .pcapng")
        file = self._file(flow, kind, node, start_s, end_s)
        with atomic_write(path) as output:
            if form == "pcapng":
                return file.to_pcapng(output, at_node, at_link)
            return file.write(output, form)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's PyCapsule interface: the packet table as a stream."""
        return self._file().stream()

    def __arrow_c_schema__(self) -> object:
        """Arrow's PyCapsule interface: the packet table's columns."""
        return _native.trace_schema()

    def __repr__(self) -> str:
        return f"Trace({self._path!r})"


def read(path: str | os.PathLike[str], *, partial: bool = False) -> Trace:
    """Open the trace file `path`: ns-2's plain format, its tagged one, or nam's; gzipped or not.

    With `partial` a damaged file counts up to the damage, with a warning. `FileNotFoundError` if there is no such file.
    """
    return Trace(path, partial=partial)


def address(text: str) -> tuple[int, int]:
    """Node and port of a `text` such as "0.1". `ValueError` for another form."""
    node, point, port = text.partition(".")
    try:
        if not point:
            raise ValueError
        return int(node), int(port)
    except ValueError:
        raise ValueError(f"expected node.port, such as 0.0, not {text!r}") from None
