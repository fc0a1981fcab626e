"""A trace file as a source of plots."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ackclock._native import Table
from ackclock.analysis.plot.options import PlotError, View, choose, fitting_interval_s
from ackclock.analysis.plot.panel import Numbers
from ackclock.analysis.plot.run import MOST_LINKS
from ackclock.analysis.plot.source import DROP, Intervals, Segments, counted, delays, numbered
from ackclock.analysis.plot.theme import line, link_line

_FLOW = ("flow", "kind", "source_node", "source_port", "destination_node", "destination_port")
_LINK = ("from_node", "to_node")


class Stats(Protocol):
    """The two tables of totals."""

    @property
    def flows(self) -> Table:
        """A row for each flow."""

    @property
    def links(self) -> Table:
        """A row for each link."""


class Trace(Protocol):
    """The data that plots need from a trace."""

    @property
    def path(self) -> Path:
        """Where it is."""

    def stats(self) -> Stats:
        """Totals."""

    def series(self, what: Any, interval_s: float) -> Table:
        """The course of throughput, queue or loss."""

    def packets(self, *, flow: int | None = None) -> Table:
        """Every event."""


class TraceFile:
    """A trace. Its flows are those of data: the directions that only acknowledge are left out."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    @property
    def label(self) -> str:
        """The file's name."""
        return self.trace.path.name

    @cached_property
    def _stats(self) -> tuple[Table, Table]:
        stats = self.trace.stats()
        return stats.flows, stats.links

    @cached_property
    def _flows(self) -> list[tuple[Any, ...]]:
        """Flow id, kind and ends of each flow."""
        rows = zip(*(self._stats[0].column(name) for name in _FLOW), strict=True)
        # By id, as a run has them: a flow has one colour in both.
        return sorted((row for row in rows if row[1] != "ack"), key=lambda row: row[0])

    @cached_property
    def _links(self) -> list[tuple[int, int]]:
        return list(zip(*(self._stats[1].column(name) for name in _LINK), strict=True))

    @cached_property
    def flow_names(self) -> list[str]:
        """Names such as `tcp 1`; with their ends where several flows have one id, as where no script sets it."""
        short = [f"{flow[1]} {flow[0]}" for flow in self._flows]
        long = [f"{kind} {id}: {a}.{b} to {c}.{d}" for id, kind, a, b, c, d in self._flows]
        return [name if short.count(name) == 1 else full for name, full in zip(short, long, strict=True)]

    @cached_property
    def link_names(self) -> list[str]:
        """Names such as `2->3`."""
        return [f"{first}->{last}" for first, last in self._links]

    @cached_property
    def end_s(self) -> float:
        """The last interval of the coarsest series: a trace does not say when its simulation ended."""
        table = self.trace.series("queue", 1e-3 * self._last_s or 1.0)
        times = table.column("time_s")
        return max(self._last_s, times[-1] if times else 0.0)

    @cached_property
    def _last_s(self) -> float:
        return max((time for time in self._stats[0].column("last_received_s") if time is not None), default=0.0)

    def flows(self, view: View, *, tcp: bool = False) -> list[int]:
        """The flows that are shown: of the ids or names given, or all."""
        del tcp
        if view.flows is None:
            return list(range(len(self._flows)))
        found = []
        for wanted in view.flows:
            if isinstance(wanted, int) or wanted.isdecimal():
                own = [place for place, flow in enumerate(self._flows) if flow[0] == int(wanted)]
                if not own:
                    ids = ", ".join(str(id) for id in sorted({flow[0] for flow in self._flows}))
                    raise PlotError(f"{self.trace.path}: no packets of flow id {wanted}; expected one of {ids}")
                found += own
            else:
                found.append(choose(wanted, self.flow_names, "flow"))
        return found

    def links(self, view: View) -> list[int]:
        """The links that are shown: those named, else those where packets wait the most, in their own order."""
        if view.links is not None:
            return [choose(wanted, self.link_names, "link") for wanted in view.links]
        # By Little's law the mean queue is what all packets waited, over the time; the time is everybody's.
        wait_s, count, dropped = (
            np.nan_to_num(np.array(self._stats[1].column(name), dtype=float))
            for name in ("queue_delay_mean_s", "dequeued_packets", "dropped_packets")
        )
        waited = wait_s * count
        busy = [link for link in range(len(waited)) if waited[link] > 0 or dropped[link]] or [int(np.argmax(count))]
        busy.sort(key=lambda link: -waited[link])
        most = waited[busy[0]]
        return sorted(link for link in busy[:MOST_LINKS] if dropped[link] or waited[link] >= 1e-3 * most)

    def flow_look(self, flow: int) -> Mapping[str, Any]:
        """A flow has one style in all plots."""
        return line(flow)

    def link_look(self, link: int) -> Mapping[str, Any]:
        """So has a link."""
        usual = self.links(View())
        return link_line(usual.index(link) if link in usual else len(usual) + link)

    def interval_s(self, wanted_s: float | None) -> float:
        """The interval wanted, or one that fits."""
        return wanted_s or fitting_interval_s(self.end_s, 0.0)

    def flow_throughput(self, interval_s: float | None) -> Intervals:
        """Mean throughput of each flow, bit/s."""
        length_s = self.interval_s(interval_s)
        return Intervals(length_s, self._series("throughput", _FLOW, self._flows, "throughput_bps", length_s))

    def link_throughput(self, interval_s: float | None) -> Intervals:
        """Not from a trace: `PlotError`."""
        raise PlotError(
            f"{self.trace.path}: throughput of links is drawn from a run; of a trace's flows, without links"
        )

    def flow_losses(self, interval_s: float | None) -> Intervals:
        """Packets of each flow that were dropped."""
        length_s = self.interval_s(interval_s)
        return Intervals(length_s, self._series("loss", _FLOW, self._flows, "dropped_packets", length_s))

    def link_losses(self, interval_s: float | None) -> Intervals:
        """Packets that each link dropped, by the `d` lines."""
        length_s = self.interval_s(interval_s)
        event, time, first, last = (self._packets[name] for name in ("event", "time_s", "from_node", "to_node"))
        dropped = event == DROP
        found = {}
        for link, (a, b) in enumerate(self._links):
            own = time[dropped & (first == a) & (last == b)]
            found[link] = counted(own, length_s, self.end_s)
        return Intervals(length_s, found)

    def queue(self, figure: str, interval_s: float) -> dict[int, tuple[Numbers, Numbers]]:
        """`queue_mean_packets` or `queue_max_packets` of each link."""
        return self._series("queue", _LINK, self._links, figure, interval_s)

    def spans_s(self, flow: int) -> list[tuple[float, float]]:
        """One span, from its first packet sent to its last one received."""
        rows = list(zip(*(self._stats[0].column(name) for name in _FLOW), strict=True))
        row = rows.index(self._flows[flow])
        start_s, end_s = (self._stats[0].column(name)[row] for name in ("first_sent_s", "last_received_s"))
        return [] if start_s is None else [(start_s, self.end_s if end_s is None else end_s)]

    def delays(self, flow: int) -> tuple[Numbers, Numbers]:
        """When a flow's packets arrived, and how long each took, s."""
        id, _, *ends = self._flows[flow]
        own = self._packets["flow"] == id
        for name, value in zip(_FLOW[2:], ends, strict=True):
            own &= self._packets[name] == value
        return delays({name: values[own] for name, values in self._packets.items()}, ends[0], ends[2])

    def segments(self, flow: int) -> Segments:
        """What became of a flow's packets."""
        id, _, *ends = self._flows[flow]
        packets = self._packets
        forward, back = (ends, [*ends[2:], *ends[:2]])
        own = np.zeros(len(packets["flow"]), dtype=bool)
        for way in (forward, back):
            match = packets["flow"] == id
            for name, value in zip(_FLOW[2:], way, strict=True):
                match &= packets[name] == value
            own |= match
        return Segments.of({name: values[own] for name, values in packets.items()}, ends[0], ends[2])

    @cached_property
    def _packets(self) -> dict[str, NDArray[Any]]:
        names = ("event", "time_s", "from_node", "to_node", *_FLOW, "sequence", "size_bytes", "packet")
        table = self.trace.packets()
        columns = {name: table.column(name) for name in names if name != "kind"}
        return {name: numbered(v) if name == "event" else np.array(v, dtype=float) for name, v in columns.items()}

    def _series(
        self, what: str, by: tuple[str, ...], known: list[Any], name: str, interval_s: float
    ) -> dict[int, tuple[Numbers, Numbers]]:
        """The course of a figure of each flow or link: when its intervals end, and the figure."""
        table = self.trace.series(what, interval_s)
        place = {row: number for number, row in enumerate(known)}
        rows = zip(*(table.column(column) for column in by), strict=True)
        keys = np.array([place.get(row, -1) for row in rows], dtype=int)
        times = np.array(table.column("time_s"), dtype=float) + interval_s
        values = np.array(table.column(name), dtype=float)
        return {number: (times[keys == number], values[keys == number]) for number in range(len(known))}
