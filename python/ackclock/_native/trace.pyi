"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from typing import final

from ackclock._native.run import Table

def trace_throughput(
    path: str,
    node: int,
    source: tuple[int, int],
    destination: tuple[int, int],
    interval_s: float,
    kind: str = "tcp",
    partial: bool = False,
) -> tuple[str, float]:
    """The output of the usual throughput script for a connection, and the mean over its intervals, Mbit/s."""

def trace_schema() -> object:
    """Arrow's C schema of the packet table."""

def thin_curve(times_s: list[float], values: list[float], most: int) -> tuple[list[float], list[float]]:
    """Thins a curve for plots, which keeps its shape: its points' times, s, and values. Returns at most about `most`
    points: the first, the least, the greatest and the last of each of several equal spans of time; all if there are
    at most `most`. The points are sorted by time; `ValueError` if there are not as many values as times.
    """

@final
class TraceFile:
    """A trace file, plain or gzipped, and the filter of its packets: `flow` id, packet `kind`, a `node` (number)
    that is the flow's source or destination or an end of the link, and `start_s` <= time < `end_s`. With `partial`,
    a damaged file counts up to the damage. Every method raises `OSError` for a file that cannot be read or written,
    and `TraceError` for one that is damaged.
    """

    def __new__(
        cls,
        path: str,
        flow: int | None = None,
        kind: str | None = None,
        node: int | None = None,
        start_s: float | None = None,
        end_s: float | None = None,
        partial: bool = False,
    ) -> TraceFile: ...
    def stats(self) -> tuple[Table, Table, int, int, int]:
        """The totals of each flow and of each link, and the number of lines: all, packets', others."""
    def series(self, what: str, interval_s: float) -> Table:
        """Throughput, queue, delay or loss over time: a row for each interval and each flow, or link."""
    def packets(self) -> Table:
        """The packet table in memory."""
    def stream(self) -> object:
        """Arrow's C stream of the packet table. The file is read as the stream is."""
    def write(self, output: str, form: str) -> int:
        """Writes the packet table to `output` as `form`, "csv" or "parquet"; returns the number of rows."""
    def to_pcapng(self, output: str, at_node: int | None = None, at_link: tuple[int, int] | None = None) -> int:
        """Writes a capture to `output` as pcapng: of a node, of a link (both ways), or of the senders of data;
        returns the number of packets. `ValueError` for a node and a link at once.
        """

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
    def byte_flows(self) -> list[tuple[int, bool]]:
        """The flows, by number, whose senders number bytes, and whether the file says how much their ACKs
        acknowledge.
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
    "Recording",
    "TraceFile",
    "thin_curve",
    "trace_schema",
    "trace_throughput",
]
