"""What came out: figures of flows, links and queues as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ackclock.analysis.report.described import Reported
from ackclock.analysis.report.page import Column, Table
from ackclock.execution.results import Results, jain_of_lasting
from ackclock.scenario.units import time_s


class _Figure(NamedTuple):
    """A column of a table: its title and unit, the column of the run's table, what it is divided by, digits."""

    title: str
    unit: str
    name: str
    per: float = 1.0
    digits: int = 0


_FLOW = (
    _Figure("goodput", "Mb/s", "goodput_bps", 1e6, 3),
    _Figure("throughput", "Mb/s", "throughput_bps", 1e6, 3),
    _Figure("sent", "packets", "sent_packets"),
    _Figure("received", "packets", "received_packets"),
    _Figure("lost", "packets", "dropped_packets"),
    _Figure("lost", "%", "loss_ratio", 0.01, 3),
    _Figure("marked", "packets", "marked_packets"),
    _Figure("sent again", "packets", "retransmitted_packets"),
    _Figure("timeouts", "", "timeouts"),
    _Figure("delay, mean", "ms", "delay_mean_s", 1e-3, 2),
    _Figure("delay, 95 %", "ms", "delay_p95_s", 1e-3, 2),
    _Figure("jitter", "ms", "jitter_s", 1e-3, 3),
    _Figure("RTT, mean", "ms", "rtt_mean_s", 1e-3, 2),
    _Figure("completed after", "s", "completion_s", 1.0, 3),
)
_LIMITS = (
    _Figure("by the application", "s", "limited_by_application_s", 1.0, 2),
    _Figure("by the receiver's window", "s", "limited_by_receiver_window_s", 1.0, 2),
    _Figure("by the congestion window", "s", "limited_by_congestion_window_s", 1.0, 2),
)
_LINK = (
    _Figure("used", "%", "utilisation", 0.01, 1),
    _Figure("throughput", "Mb/s", "throughput_bps", 1e6, 3),
    _Figure("came", "packets", "offered_packets"),
    _Figure("dropped by the queue", "packets", "dropped_packets"),
    _Figure("lost otherwise", "packets", "lost_packets"),
    _Figure("marked", "packets", "marked_packets"),
)
_QUEUE = (
    _Figure("mean", "packets", "queue_mean_packets", 1.0, 2),
    _Figure("median", "packets", "queue_p50_packets"),
    _Figure("95 %", "packets", "queue_p95_packets"),
    _Figure("most", "packets", "queue_most_packets"),
    _Figure("wait, mean", "ms", "queueing_delay_mean_s", 1e-3, 2),
    _Figure("wait, 95 %", "ms", "queueing_delay_p95_s", 1e-3, 2),
    _Figure("wait, most", "ms", "queueing_delay_most_s", 1e-3, 2),
)


def flows_measured(runs: Sequence[Reported]) -> list[Table]:
    """Figures of every flow, and what kept the TCP senders from sending more, for how long."""
    return [
        _table("What each flow got", "flow", "flows", runs, _FLOW),
        _table("How long each sender was limited", "flow", "flows", runs, _LIMITS),
    ]


def links_measured(runs: Sequence[Reported]) -> list[Table]:
    """Figures of the links over which anything went, and of their queues."""
    return [
        _table("Links that carried packets", "link", "links", runs, _LINK),
        _table("Their queues", "link", "links", runs, _QUEUE),
    ]


def _table(caption: str, what: str, table: str, runs: Sequence[Reported], figures: Sequence[_Figure]) -> Table:
    every = [row for run in runs for row in run.results.rows(table)]
    figures = [figure for figure in figures if any(row[figure.name] is not None for row in every)]
    found = []
    for run in runs:
        for place, row in enumerate(run.results.rows(table)):
            if table == "links" and not row["offered_packets"]:
                continue
            if all(row[figure.name] is None for figure in figures):
                continue
            cells = [_shown(row[figure.name], figure) for figure in figures]
            found.append([run.results.names[table][place], *([run.label] if len(runs) > 1 else []), *cells])
    # A flow's or link's rows of all runs stand together.
    order = {name: place for place, name in reversed(list(enumerate(dict.fromkeys(cells[0] for cells in found))))}
    if len(runs) > 1:
        found.sort(key=lambda cells: order[cells[0]])
    columns = [Column(what, name=True), *([Column("run")] if len(runs) > 1 else [])]
    return Table(caption, [*columns, *(Column(figure.title, figure.unit, number=True) for figure in figures)], found)


def _shown(value: Any, figure: _Figure) -> str:
    return "" if value is None else f"{value / figure.per:.{figure.digits}f}"


def _whole(results: Results) -> list[tuple[str, str, str]]:
    """Figures of the whole run: title, unit, value."""
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
        ("packets sent again", "", str(sum(row["retransmitted_packets"] or 0 for row in flows))),
        ("timeouts", "", str(sum(row["timeouts"] or 0 for row in flows))),
        ("busiest link", "", name),
        ("it is used", "% of the time", f"{100 * (link['utilisation'] or 0.0):.1f}"),
        ("its queue, mean", "packets", f"{link['queue_mean_packets'] or 0.0:.2f}"),
        ("wait for it, mean", "ms", _shown(link["queueing_delay_mean_s"], _QUEUE[4])),
    ]


def glance(runs: Sequence[Reported]) -> Table:
    """A row for each run with figures of the whole."""
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
        ("it is used", f"use of {name}"),
        ("wait for it, mean", f"mean wait for {name}"),
    ]
    shown = []
    for title, text in chosen:
        value, unit = found[title]
        if value:
            shown.append((f"{value} {unit.partition(' of ')[0]}".strip(), text))
    return shown
