"""What came out: metrics of flows, links and queues as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ackclock.analysis.report.described import Reported
from ackclock.analysis.report.page import Column, Table
from ackclock.execution.results import Results, jain_of_lasting
from ackclock.scenario.units import time_s


class _Metric(NamedTuple):
    """A column of a table: its title and unit, the column of the run's table, what it is divided by, digits."""

    title: str
    unit: str
    name: str
    per: float = 1.0
    digits: int = 0


_FLOW = (
    _Metric("goodput", "Mb/s", "goodput_bps", 1e6, 3),
    _Metric("throughput", "Mb/s", "throughput_bps", 1e6, 3),
    _Metric("sent", "packets", "sent_packets"),
    _Metric("received", "packets", "received_packets"),
    _Metric("lost", "packets", "dropped_packets"),
    _Metric("lost", "%", "loss_ratio", 0.01, 3),
    _Metric("marked", "packets", "marked_packets"),
    _Metric("retransmitted", "packets", "retransmitted_packets"),
    _Metric("timeouts", "", "timeouts"),
    _Metric("delay, mean", "ms", "delay_mean_s", 1e-3, 2),
    _Metric("delay, 95 %", "ms", "delay_p95_s", 1e-3, 2),
    _Metric("jitter", "ms", "jitter_s", 1e-3, 3),
    _Metric("RTT, mean", "ms", "rtt_mean_s", 1e-3, 2),
    _Metric("completion time", "s", "completion_s", 1.0, 3),
)
_LIMITS = (
    _Metric("by the application", "s", "limited_by_application_s", 1.0, 2),
    _Metric("by the receiver's window", "s", "limited_by_receiver_window_s", 1.0, 2),
    _Metric("by the congestion window", "s", "limited_by_congestion_window_s", 1.0, 2),
)
_LINK = (
    _Metric("utilisation", "%", "utilisation", 0.01, 1),
    _Metric("throughput", "Mb/s", "throughput_bps", 1e6, 3),
    _Metric("offered", "packets", "offered_packets"),
    _Metric("dropped by the queue", "packets", "dropped_packets"),
    _Metric("lost on the link", "packets", "lost_packets"),
    _Metric("marked", "packets", "marked_packets"),
)
_QUEUE = (
    _Metric("mean", "packets", "queue_mean_packets", 1.0, 2),
    _Metric("median", "packets", "queue_p50_packets"),
    _Metric("95 %", "packets", "queue_p95_packets"),
    _Metric("maximum", "packets", "queue_max_packets"),
    _Metric("queueing delay, mean", "ms", "queueing_delay_mean_s", 1e-3, 2),
    _Metric("queueing delay, 95 %", "ms", "queueing_delay_p95_s", 1e-3, 2),
    _Metric("queueing delay, maximum", "ms", "queueing_delay_max_s", 1e-3, 2),
)


def flows_measured(runs: Sequence[Reported]) -> list[Table]:
    """Metrics of every flow, and what kept the TCP senders from sending more, for how long."""
    return [
        _table("What each flow received", "flow", "flows", runs, _FLOW),
        _table("Time for which each sender was limited", "flow", "flows", runs, _LIMITS),
    ]


def links_measured(runs: Sequence[Reported]) -> list[Table]:
    """Metrics of the links over which anything went, and of their queues."""
    return [
        _table("Links that carried packets", "link", "links", runs, _LINK),
        _table("Queues of these links", "link", "links", runs, _QUEUE),
    ]


def _table(caption: str, what: str, table: str, runs: Sequence[Reported], metrics: Sequence[_Metric]) -> Table:
    every = [row for run in runs for row in run.results.rows(table)]
    metrics = [metric for metric in metrics if any(row[metric.name] is not None for row in every)]
    found = []
    for run in runs:
        for place, row in enumerate(run.results.rows(table)):
            if table == "links" and not row["offered_packets"]:
                continue
            if all(row[metric.name] is None for metric in metrics):
                continue
            cells = [_shown(row[metric.name], metric) for metric in metrics]
            found.append([run.results.names[table][place], *([run.label] if len(runs) > 1 else []), *cells])
    # A flow's or link's rows of all runs stand together.
    order = {name: place for place, name in reversed(list(enumerate(dict.fromkeys(cells[0] for cells in found))))}
    if len(runs) > 1:
        found.sort(key=lambda cells: order[cells[0]])
    columns = [Column(what, name=True), *([Column("run")] if len(runs) > 1 else [])]
    return Table(caption, [*columns, *(Column(metric.title, metric.unit, number=True) for metric in metrics)], found)


def _shown(value: Any, metric: _Metric) -> str:
    return "" if value is None else f"{value / metric.per:.{metric.digits}f}"


def _whole(results: Results) -> list[tuple[str, str, str]]:
    """Metrics of the whole run: title, unit, value."""
    flows, links = results.rows("flows"), results.rows("links")
    goodput_bps = [row["goodput_bps"] or 0.0 for row in flows]
    # A flow's own goodput is over its own time; all together have the whole run.
    delivered_bps = sum(row["delivered_bytes"] for row in flows) * 8 / time_s(results.scenario.duration)
    busiest = max(range(len(links)), key=lambda link: links[link]["utilisation"] or 0.0)
    link, name = links[busiest], results.names["links"][busiest]
    sent, lost = (sum(row[column] for row in flows) for column in ("sent_packets", "dropped_packets"))
    index = jain_of_lasting(results, goodput_bps)
    return [
        ("goodput of all flows", "Mb/s", f"{delivered_bps / 1e6:.3f}"),
        ("Jain's index of the goodputs, flows that last", "", "" if index is None else f"{index:.3f}"),
        ("packets lost", "% of those sent", f"{100 * lost / sent:.3f}" if sent else ""),
        ("retransmitted packets", "", str(sum(row["retransmitted_packets"] or 0 for row in flows))),
        ("timeouts", "", str(sum(row["timeouts"] or 0 for row in flows))),
        ("busiest link", "", name),
        ("its utilisation", "%", f"{100 * (link['utilisation'] or 0.0):.1f}"),
        ("its queue, mean", "packets", f"{link['queue_mean_packets'] or 0.0:.2f}"),
        ("its queueing delay, mean", "ms", _shown(link["queueing_delay_mean_s"], _QUEUE[4])),
    ]


def glance(runs: Sequence[Reported]) -> Table:
    """A row for each run with metrics of the whole."""
    found = [_whole(run.results) for run in runs]
    columns = [
        Column("run"),
        *(Column(title, unit, number=title != "busiest link", name=True) for title, unit, _ in found[0]),
    ]
    rows = [[run.label, *(value for _, _, value in one)] for run, one in zip(runs, found, strict=True)]
    return Table("The runs at a glance", columns, rows)


def tiles(results: Results) -> list[tuple[str, str]]:
    """The most telling of them for one run."""
    found = {title: (value, unit) for title, unit, value in _whole(results)}
    name = found["busiest link"][0]
    chosen = [
        ("goodput of all flows", "goodput of all flows"),
        ("Jain's index of the goodputs, flows that last", "Jain's index of the goodputs, flows that last"),
        ("packets lost", "packets lost"),
        ("its utilisation", f"utilisation of {name}"),
        ("its queueing delay, mean", f"mean queueing delay of {name}"),
    ]
    shown = []
    for title, text in chosen:
        value, unit = found[title]
        if value:
            shown.append((f"{value} {unit.partition(' of ')[0]}".strip(), text))
    return shown
