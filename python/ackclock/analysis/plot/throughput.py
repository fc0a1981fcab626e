"""Throughput: all bytes that come, headers and repetitions too, over intervals. With `links` given, that of links."""

from __future__ import annotations

from ackclock.analysis.plot.options import View
from ackclock.analysis.plot.panel import Course, Curve, Panel
from ackclock.analysis.plot.source import Source, listed


def panels(source: Source, view: View) -> list[Panel]:
    """One panel with the mean throughput of each interval, in Mb/s."""
    of_links = view.links is not None
    found = source.link_throughput(view.interval_s) if of_links else source.flow_throughput(view.interval_s)
    shown = source.links(view) if of_links else source.flows(view)
    names = source.link_names if of_links else source.flow_names
    look = source.link_look if of_links else source.flow_look
    curves = []
    for number in shown:
        ends, rate_bps = found.of[number]
        curves.append(Curve(names[number], ends, rate_bps / 1e6, "means", look(number), found.interval_s))
    title = f"Throughput of {listed('link' if of_links else 'flow', shown, names)}"
    return [Course(title, f"throughput (Mb/s),\nmean of each {found.interval_s:g} s", curves)]
