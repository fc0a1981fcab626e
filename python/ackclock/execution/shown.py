"""Results as people read them: tables of flows and links, as text and as HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ackclock.scenario.units import time_s

if TYPE_CHECKING:
    from ackclock.execution.results import Results


class Shown(NamedTuple):
    """A table for people: heading and rows, the first column a name, and the columns to leave out first."""

    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    #: headings in the order in which they are left out where the table is too wide
    least: tuple[str, ...]


def _scaled(name: str, unit: float, digits: int) -> Callable[[Mapping[str, Any]], str]:
    def text(row: Mapping[str, Any]) -> str:
        value = row[name]
        return "" if value is None else f"{value / unit:.{digits}f}"

    return text


def _count(name: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda row: "" if row[name] is None else str(row[name])


#: heading -> what stands in the column
_FLOW: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "goodput Mb/s": _scaled("goodput_bps", 1e6, 3),
    "sent": _count("sent_packets"),
    "dropped": _count("dropped_packets"),
    "retransmitted": _count("retransmitted_packets"),
    "timeouts": _count("timeouts"),
    "delay ms": _scaled("delay_mean_s", 1e-3, 2),
    "p50 ms": _scaled("delay_p50_s", 1e-3, 2),
    "p95 ms": _scaled("delay_p95_s", 1e-3, 2),
    "p99 ms": _scaled("delay_p99_s", 1e-3, 2),
    "completion s": _scaled("completion_s", 1.0, 3),
}
_CALL: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "encoded Mb/s": _scaled("encoded_bps", 1e6, 3),
    "frames": _count("captured_frames"),
    "lost": _count("lost_frames"),
    "late": _count("late_frames"),
    "frame delay ms": _scaled("frame_delay_mean_s", 1e-3, 2),
    "p50 ms": _scaled("frame_delay_p50_s", 1e-3, 2),
    "p95 ms": _scaled("frame_delay_p95_s", 1e-3, 2),
    "p99 ms": _scaled("frame_delay_p99_s", 1e-3, 2),
}
_VIDEO: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "bitrate Mb/s": _scaled("bitrate_mean_bps", 1e6, 3),
    "segments": _count("segments"),
    "switches": _count("switches"),
    "start-up s": _scaled("startup_delay_s", 1.0, 3),
    "played s": _scaled("played_s", 1.0, 1),
    "rebuffering s": _scaled("rebuffering_s", 1.0, 2),
    "rebuffering %": _scaled("rebuffering_ratio", 0.01, 2),
    "times": _count("rebufferings"),
}
_LINK: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "utilisation %": _scaled("utilisation", 0.01, 1),
    "arrived": _count("arrived_packets"),
    "dropped": _count("dropped_packets"),
    "lost": _count("lost_packets"),
    "marked": _count("marked_packets"),
    "queue packets": _scaled("queue_mean_packets", 1.0, 2),
    "queueing delay ms": _scaled("queueing_delay_mean_s", 1e-3, 2),
}


def flows(results: Results) -> Shown:
    """A row for each flow: goodput, packets, and the delay's mean and percentiles, ms."""
    rows = [
        (results.names["flows"][row["flow"] - 1], *(text(row) for text in _FLOW.values()))
        for row in results.rows("flows")
    ]
    least = ("timeouts", "p50 ms", "p99 ms", "completion s", "sent", "retransmitted", "dropped", "p95 ms")
    return _without_empty(Shown(("flow", *_FLOW), rows, least), "completion s")


def calls(results: Results) -> Shown:
    """A row for each call: the encoder's rate, its frames, and the frames' delays, ms."""
    rows = [
        (results.names["flows"][row["flow"] - 1], *(text(row) for text in _CALL.values()))
        for row in results.rows("calls")
    ]
    return Shown(("call", *_CALL), rows, ("frames", "p50 ms", "p99 ms"))


def videos(results: Results) -> Shown:
    """A row for each video: its bitrate, and what the viewer waited for, s."""
    rows = [
        (results.names["flows"][row["flow"] - 1], *(text(row) for text in _VIDEO.values()))
        for row in results.rows("videos")
    ]
    return Shown(("video", *_VIDEO), rows, ("start-up s", "rebuffering s"))


def links(results: Results) -> Shown:
    """A row for each link on which packets were sent."""
    rows = [
        (results.names["links"][row["link"]], *(text(row) for text in _LINK.values()))
        for row in results.rows("links")
        if row["offered_packets"]
    ]
    return Shown(("link", *_LINK), rows, ("marked", "lost", "arrived", "queue packets"))


def totals_of_flows(results: Results) -> str:
    """One line about all flows: packets, timeouts, transfers that ended, and goodput: what all delivered over the run's
    duration, and of each over its own time.
    """
    table = results.flows
    together = 8 * sum(table.column("delivered_bytes")) / time_s(results.scenario.duration) / 1e6
    rates = sorted((value or 0.0) / 1e6 for value in table.column("goodput_bps"))
    each = f"{rates[len(rates) // 2]:.3f} in the median ({rates[0]:.3f} to {rates[-1]:.3f})"
    ended = sum(value is not None for value in table.column("completion_s"))
    sent, dropped = sum(table.column("sent_packets")), sum(table.column("dropped_packets"))
    timeouts = sum(value or 0 for value in table.column("timeouts"))
    return (
        f"{len(rates):,} flows: goodput {together:.3f} Mb/s, {each}; sent {sent:,} packets, dropped {dropped:,}; "
        f"{timeouts:,} timeouts; {ended:,} completed"
    )


def totals_of_calls(results: Results) -> str:
    """One line about all calls: rates, frames, and the longest of the 95th percentiles of frame delay."""
    table = results.calls
    rates = sorted((value or 0.0) / 1e6 for value in table.column("encoded_bps"))
    slow = max((value or 0.0) * 1e3 for value in table.column("frame_delay_p95_s"))
    frames, lost, late = (sum(table.column(f"{name}_frames")) for name in ("captured", "lost", "late"))
    return (
        f"{len(rates):,} calls: {rates[len(rates) // 2]:.3f} Mb/s in the median; {frames:,} frames, {lost:,} lost, "
        f"{late:,} late; 95 % of the frames within {slow:.1f} ms"
    )


def totals_of_videos(results: Results) -> str:
    """One line about all videos: bitrates, and rebuffering of them all."""
    table = results.videos
    rates = sorted((value or 0.0) / 1e6 for value in table.column("bitrate_mean_bps"))
    waited_s, played_s = (sum(table.column(name)) for name in ("rebuffering_s", "played_s"))
    return (
        f"{len(rates):,} videos: {rates[len(rates) // 2]:.3f} Mb/s in the median; {played_s:,.1f} s played, "
        f"{waited_s:,.1f} s of rebuffering"
    )


def totals_of_links(results: Results) -> str:
    """One line about all links on which packets were sent."""
    rows = [row for row in results.rows("links") if row["offered_packets"]]
    utilisation = 100 * max(row["utilisation"] for row in rows)
    sums = {name: sum(row[f"{name}_packets"] for row in rows) for name in ("arrived", "dropped", "lost", "marked")}
    return (
        f"{len(rows):,} busy links: utilisation up to {utilisation:.1f} %; arrived {sums['arrived']:,} packets, "
        f"dropped {sums['dropped']:,}, lost {sums['lost']:,}, marked {sums['marked']:,}"
    )


def _without_empty(shown: Shown, name: str) -> Shown:
    """The same without a column in which nothing stands."""
    at = shown.head.index(name)
    if any(row[at] for row in shown.rows):
        return shown

    def cut(row: Sequence[str]) -> tuple[str, ...]:
        return (*row[:at], *row[at + 1 :])

    return Shown(cut(shown.head), [cut(row) for row in shown.rows], shown.least)


def as_html(results: Results) -> str:
    """Flows and links as tables, and which tables there are."""
    from ackclock._internal.html import heading, table

    parts = [heading(results.scenario.name or "Results")]
    for name, make in (("flows", flows), ("calls", calls), ("videos", videos), ("links", links)):
        if name in results.tables:
            shown = make(results)
            parts.append(table(shown.head, shown.rows))
    sizes = ", ".join(f"{name} ({len(one)} rows)" for name, one in results.tables.items())
    parts.append(f"<p style='font-size:90%'>Tables: {sizes}</p>")
    return "".join(parts)
