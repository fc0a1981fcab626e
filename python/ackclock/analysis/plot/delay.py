"""One-way delays of packets, from where each was sent to where it was received: of datagrams and of TCP's data."""

from __future__ import annotations

from ackclock.analysis.plot.options import PlotError, View
from ackclock.analysis.plot.panel import Course, Curve, Panel
from ackclock.analysis.plot.source import Source, listed


def panels(source: Source, view: View) -> list[Panel]:
    """One panel with the delay of each packet of each flow, in milliseconds, at the time when it arrived."""
    flows = source.flows(view)
    curves = []
    for flow in flows:
        time_s, delay_s = source.delays(flow)
        if len(time_s):
            curve = Curve(source.flow_names[flow], time_s, delay_s * 1e3, "line", source.flow_look(flow))
            curves.append(curve if view.interval_s is None else curve.smoothed(view.interval_s, source.end_s))
    if not curves:
        raise PlotError(f"{source.label or 'the run'}: no packet of these flows arrived, so none has a delay")
    how = "of each packet" if view.interval_s is None else f"mean of each {view.interval_s:g} s"
    title = f"One-way delay of {listed('flow', flows, source.flow_names)}"
    return [Course(title, f"delay (ms),\n{how}", curves)]
