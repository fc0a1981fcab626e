"""A run's tables as a source of plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ackclock._native import Table
from ackclock.analysis.plot.options import PlotError, View, choose, fitting_interval_s
from ackclock.analysis.plot.panel import Numbers
from ackclock.analysis.plot.source import DROP, Intervals, Segments, Source, counted, delays, numbered
from ackclock.analysis.plot.theme import line, link_line
from ackclock.scenario import Ftp, Scenario
from ackclock.scenario.resolve.network import Network, resolve
from ackclock.scenario.resolve.view import ResolvedFlow
from ackclock.scenario.units import time_s

#: table -> the key of the scenario's `record` that keeps it, as TOML and as Python have it
KEPT_BY = {
    "flow_series": ('sample = "0.1 s"', 'Record(sample="0.1 s")'),
    "link_series": ('sample = "0.1 s"', 'Record(sample="0.1 s")'),
    "window_changes": ("changes = true", "Record(changes=True)"),
    "queue_changes": ("changes = true", "Record(changes=True)"),
    "packets": ("packets = true", "Record(packets=True)"),
}

#: How many links are shown where none is named.
MOST_LINKS = 4


class Results(Protocol):
    """The data that plots need from the results of a run."""

    scenario: Scenario
    nodes: list[str]
    names: dict[str, list[str]]
    tables: dict[str, Table]

    @property
    def external_flows(self) -> Sequence[External]:
        """Flows whose ends are of another program."""
        ...


class External(Protocol):
    """A flow whose ends are of another program: its name and its nodes."""

    @property
    def name(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def destination(self) -> str: ...


class Run:
    """A run of a scenario. Flows and links are known by their places in `names`, from 0."""

    def __init__(self, results: Results) -> None:
        self.scenario, self.nodes = results.scenario, results.nodes
        self.names, self.tables = results.names, results.tables
        self._external = results.external_flows
        self._columns: dict[tuple[str, str], NDArray[Any]] = {}

    @classmethod
    def only(cls, source: Source, plot: str) -> Run:
        """The source, if it is a run. `PlotError` for a trace, which has no such thing."""
        if not isinstance(source, Run):
            windows = "; a script that traces it (`$tcp trace cwnd_`) writes a file that `ackclock plot` draws"
            raise PlotError(
                f"{source.label}: a trace file does not say enough for {plot}; it is drawn from a run"
                + (windows if plot == "cwnd" else "")
            )
        return source

    @cached_property
    def network(self) -> Network:
        """The network with nothing left open."""
        network = resolve(self.scenario, to_run=False)
        for one in self._external:
            number = len(network.flows)
            source, destination = network.numbers[one.source], network.numbers[one.destination]
            flow_id = self.tables["flows"].column("flow_id")[number]
            network.flows.append(
                ResolvedFlow(
                    name=one.name,
                    source=source,
                    destination=destination,
                    sender="udp",
                    receiver="null",
                    control=None,
                    app=Ftp(),
                    flow_id=flow_id,
                    stream="",
                    spans_s=[(0.0, None)],
                )
            )
        return network

    @property
    def flow_names(self) -> list[str]:
        """Names of the flows."""
        return self.names["flows"]

    @property
    def link_names(self) -> list[str]:
        """Names of the links, `a->b`."""
        return self.names["links"]

    @property
    def label(self) -> str:
        """What the run is called; may be empty."""
        return self.scenario.name

    @property
    def end_s(self) -> float:
        """When it ended."""
        return self.network.duration_s

    @property
    def sample_s(self) -> float:
        """The time between two samples of its series."""
        return time_s(self.scenario.record.sample)

    def has(self, table: str) -> bool:
        """Whether the run kept a table."""
        return table in self.tables

    def column(self, table: str, name: str) -> NDArray[Any]:
        """A column as an array, NaN for what is missing. `PlotError` for a table that the run did not keep."""
        if table not in self.tables:
            toml, python = KEPT_BY[table]
            raise PlotError(
                f"this run did not keep {table}: set `{toml}` under [record] of the scenario, in Python {python}, "
                f"and run it again"
            )
        if (table, name) not in self._columns:
            values = self.tables[table].column(name)
            self._columns[table, name] = numbered(values) if name == "event" else np.array(values, dtype=float)
        return self._columns[table, name]

    def split(self, table: str, by: str, name: str) -> dict[int, tuple[Numbers, Numbers]]:
        """For each flow or link (`by`): times and values of one of a table's columns."""
        keys, times, values = (self.column(table, column) for column in (by, "time_s", name))
        order = np.argsort(keys, kind="stable")
        cuts = np.flatnonzero(np.diff(keys[order], prepend=np.nan))
        parts = zip(keys[order][cuts], np.split(order, cuts[1:]), strict=True) if len(keys) else ()
        return {int(key): (times[rows], values[rows]) for key, rows in parts}

    def flows(self, view: View, *, tcp: bool = False) -> list[int]:
        """The flows that are shown; `tcp`: only those that have a window."""
        known = self.flow_names
        if view.flows is None:
            return [flow for flow in range(len(known)) if not tcp or self.network.flows[flow].is_tcp]
        found = []
        for wanted in view.flows:
            if isinstance(wanted, int) or wanted.isdecimal():
                number = int(wanted)
                if not 1 <= number <= len(known):
                    raise PlotError(f"unknown flow {number}; expected 1 to {len(known)}")
                flow = number - 1
            else:
                flow = choose(wanted, known, "flow")
            if tcp and not self.network.flows[flow].is_tcp:
                raise PlotError(f"{known[flow]} is not a TCP flow: it has no window and no round-trip time")
            found.append(flow)
        return found

    def links(self, view: View) -> list[int]:
        """The links that are shown: those named, else those where packets wait the most, in their own order."""
        known = self.link_names
        if view.links is not None:
            return [choose(wanted, known, "link") for wanted in view.links]
        waiting = self.column("links", "queue_mean_packets")
        dropped = self.column("links", "dropped_packets") + self.column("links", "lost_packets")
        least = max(0.01, 0.02 * float(np.max(waiting)))
        busy = [link for link in range(len(known)) if waiting[link] >= least or dropped[link]]
        if not busy:
            busy = [int(np.argmax(np.nan_to_num(self.column("links", "utilisation"))))]
        busy.sort(key=lambda link: -waiting[link])
        return sorted(busy[:MOST_LINKS])

    def flow_look(self, flow: int) -> Mapping[str, Any]:
        """A flow has one style in all plots."""
        return line(flow)

    def link_look(self, link: int) -> Mapping[str, Any]:
        """The look of a link: the slowest ones have the first looks, whatever happened on them."""
        links = self.network.links
        return link_line(sorted(range(len(links)), key=lambda number: links[number].rate_bps).index(link))

    def flow_throughput(self, interval_s: float | None) -> Intervals:
        """Mean throughput of each flow, bit/s."""
        return self._intervals("flow_series", "flow", "throughput_bps", interval_s, add=False)

    def link_throughput(self, interval_s: float | None) -> Intervals:
        """Mean throughput of each link, bit/s."""
        return self._intervals("link_series", "link", "throughput_bps", interval_s, add=False)

    def link_losses(self, interval_s: float | None) -> Intervals:
        """Packets that each link lost: those its queue dropped and those lost otherwise."""
        return self._intervals("link_series", "link", "drops_packets", interval_s, add=True)

    def flow_losses(self, interval_s: float | None) -> Intervals:
        """Packets of each flow that were lost, on whatever link; from the table of packets."""
        length_s = interval_s or fitting_interval_s(self.end_s, 0.0)
        event, time, number = (self.column("packets", name) for name in ("event", "time_s", "flow"))
        source = self.column("packets", "source_node")
        lost = event == DROP
        found = {}
        for flow, one in enumerate(self.network.flows):
            own = time[lost & (number == one.flow_id) & (source == one.source)]
            found[flow] = counted(own, length_s, self.end_s)
        return Intervals(length_s, found)

    def segments(self, flow: int) -> Segments:
        """What became of a flow's packets, from the table of packets."""
        one = self.network.flows[flow]
        names = ("event", "time_s", "from_node", "to_node", "source_node", "destination_node", "sequence", "size_bytes")
        number = self.column("packets", "flow")
        rows = {name: self.column("packets", name)[number == one.flow_id] for name in names}
        return Segments.of(rows, one.source, one.destination)

    def delays(self, flow: int) -> tuple[Numbers, Numbers]:
        """When a flow's packets arrived, and how long each took, s; from the table of packets."""
        one = self.network.flows[flow]
        names = ("event", "time_s", "from_node", "to_node", "source_node", "destination_node", "packet")
        own = self.column("packets", "flow") == one.flow_id
        return delays({name: self.column("packets", name)[own] for name in names}, one.source, one.destination)

    def spans_s(self, flow: int) -> list[tuple[float, float]]:
        """When the flow sends: in each of its spans from its first packet on, until its transfer is complete."""
        start_s = float(self.column("flows", "start_s")[flow])
        completion_s = float(self.column("flows", "completion_s")[flow])
        end_s = self.end_s if np.isnan(completion_s) else start_s + completion_s
        found = []
        for first_s, last_s in self.network.flows[flow].spans_s:
            span = max(first_s, start_s), min(end_s if last_s is None else last_s, end_s)
            if span[0] < span[1]:
                found.append(span)
        return found

    def _intervals(self, table: str, by: str, name: str, interval_s: float | None, *, add: bool) -> Intervals:
        """A series' samples, each of the time before it, as means or sums (`add`) of whole intervals."""
        found = self.split(table, by, name)
        fitting = round(fitting_interval_s(self.end_s, self.sample_s) / self.sample_s) * self.sample_s
        length_s = interval_s or fitting
        count = self._samples(length_s)
        first = 0 if by == "link" else 1
        result = {}
        for key, (time, value) in found.items():
            # The sample at 0 stands for no time at all. The last interval may be shorter.
            time, value = time[1:], value[1:]
            starts = np.arange(0, len(value), count)
            ends = np.minimum(starts + count, len(value))
            sums = np.add.reduceat(value, starts) if len(value) else value
            result[key - first] = time[ends - 1], sums if add else sums / (ends - starts)
        return Intervals(length_s, result)

    def _samples(self, interval_s: float) -> int:
        count = round(interval_s / self.sample_s)
        if count < 1 or abs(interval_s / self.sample_s - count) > 1e-6:
            raise PlotError(
                f"interval_s = {interval_s:g}: the run was sampled every {self.sample_s:g} s, and an interval is a "
                f"whole number of those, such as {max(1, count) * self.sample_s:g}; a finer `sample` "
                f"under [record] of the scenario allows others"
            )
        return count
