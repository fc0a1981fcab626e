"""Trace files: packet tables, figures of flows and links, and their course over time.

    import ackclock as ac

    trace = ac.trace.read("out.tr")          # or out.tr.gz, or the tagged format, or out.nam
    stats = trace.stats(kind="tcp")
    stats.flows.column("throughput_bps")
    trace.series("queue", interval_s=0.1)
    polars.DataFrame(trace)                  # the packet table, read as a stream

`docs/trace-tools.md` says how each figure is computed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from ackclock import _native
from ackclock._native import Table, TraceError

if TYPE_CHECKING:
    from ackclock.plot.plots import Plots

__all__ = ["Stats", "Table", "Trace", "TraceError", "What", "address", "read"]

#: What a series can follow.
What = Literal["throughput", "queue", "delay", "loss"]


class Stats(NamedTuple):
    """The figures of a trace."""

    #: A row for each flow, in the order in which they first appear.
    flows: Table
    #: A row for each link, in the same order.
    links: Table
    #: Lines of the file.
    lines: int
    #: Lines that are a packet's event.
    packet_lines: int
    #: Lines of other kinds: watched variables, remarks. They are passed over.
    other_lines: int


class Trace:
    """A trace file. Each question reads it once, from begin to end, in little memory.

    It is a table of packets by Arrow's PyCapsule interface: `pyarrow.table(trace)`, `polars.DataFrame(trace)`,
    `duckdb.from_arrow(trace)`. Its columns: `event` (enqueue, dequeue, receive, drop, error), `time_s`, `from_node`,
    `to_node`, `kind`, `size_bytes`, `flags`, `flow`, `source_node`, `source_port`, `destination_node`,
    `destination_port`, `sequence`, `packet`.

    Filters, the same everywhere: `flow` keeps one flow id, `kind` one word for what packets carry, `node` flows from or
    to a node and links that leave or enter it, `start_s` and `end_s` lines with start_s <= time < end_s.

    Every method raises `TraceError` for a file that is damaged, cut short or no packet trace, saying which line and how
    much was read, and `OSError` for one that cannot be read or written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise FileNotFoundError(f"no such trace file: {self.path}")

    def stats(
        self,
        *,
        flow: int | None = None,
        kind: str | None = None,
        node: int | None = None,
        start_s: float | None = None,
        end_s: float | None = None,
    ) -> Stats:
        """Throughput, delay, jitter, drops and loss of each flow and each link."""
        return Stats(*_native.trace_stats(str(self.path), flow, kind, node, start_s, end_s))

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
        """A row for each interval and each flow (throughput, delay, loss) or link (queue)."""
        return _native.trace_series(str(self.path), what, interval_s, flow, kind, node, start_s, end_s)

    def packets(
        self,
        *,
        flow: int | None = None,
        kind: str | None = None,
        node: int | None = None,
        start_s: float | None = None,
        end_s: float | None = None,
    ) -> Table:
        """The packet table, or those of its rows that the filters keep, in memory."""
        return _native.trace_packets(str(self.path), flow, kind, node, start_s, end_s)

    @property
    def plot(self) -> Plots:
        """Pictures of it: `trace.plot.throughput()`, `.queue()`, `.loss()`, `.sequence()`, `.fairness()`."""
        from ackclock.plot.plots import Plots
        from ackclock.plot.trace import TraceFile

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
        """What the usual throughput script prints, and the mean over its intervals in Mbit/s."""
        ends = [address(end) if isinstance(end, str) else end for end in (source, destination)]
        return _native.trace_throughput(str(self.path), node, ends[0], ends[1], interval_s, kind)

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
        """Write the packets as `.csv`, `.parquet` or `.pcapng`, by the name's ending; how many were written.

        A capture (`.pcapng`) is what is seen at `at_node`, or on `at_link`, or at the senders of data.
        """
        output = Path(path)
        form = output.suffix.removeprefix(".")
        if form == "pcapng":
            return _native.trace_to_pcapng(
                str(self.path), str(output), at_node, at_link, flow, kind, node, start_s, end_s
            )
        if at_node is not None or at_link is not None:
            raise ValueError("at_node and at_link are for captures: .pcapng")
        if form not in ("csv", "parquet"):
            raise ValueError(f"the name must end in .csv, .parquet or .pcapng: {output}")
        return _native.trace_write(str(self.path), str(output), form, flow, kind, node, start_s, end_s)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's PyCapsule interface: the packet table as a stream."""
        return _native.trace_stream(str(self.path))

    def __arrow_c_schema__(self) -> object:
        """Arrow's PyCapsule interface: the packet table's columns."""
        return _native.trace_schema()

    def __repr__(self) -> str:
        return f"Trace({str(self.path)!r})"


def read(path: str | os.PathLike[str]) -> Trace:
    """Open a trace file: ns-2's plain format or its tagged one, or nam's; gzipped or not."""
    return Trace(path)


def address(text: str) -> tuple[int, int]:
    """Node and port of `node.port`. Raises `ValueError`."""
    node, point, port = text.partition(".")
    try:
        if not point:
            raise ValueError
        return int(node), int(port)
    except ValueError:
        raise ValueError(f"expected node.port, such as 0.0, not {text!r}") from None
