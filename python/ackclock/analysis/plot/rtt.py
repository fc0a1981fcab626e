"""Round-trip times as the senders measure them, by the timestamps that ACKs echo."""

from __future__ import annotations

import numpy as np

from ackclock.analysis.plot.options import View
from ackclock.analysis.plot.panel import Course, Curve, Panel
from ackclock.analysis.plot.run import Run
from ackclock.analysis.plot.source import Source, listed


def panels(source: Source, view: View) -> list[Panel]:
    """One panel with the latest round-trip time of each TCP flow at each sample, in milliseconds."""
    run = Run.only(source, "rtt")
    found = run.split("flow_series", "flow", "rtt_s")
    flows = run.flows(view, tcp=True)
    curves = []
    for flow in flows:
        x, y = found[flow + 1]
        there = ~np.isnan(y) & (x <= max((end_s for _, end_s in run.spans_s(flow)), default=0.0))
        curve = Curve(run.flow_names[flow], x[there], y[there] * 1e3, "line", run.flow_look(flow))
        curves.append(curve if view.interval_s is None else curve.smoothed(view.interval_s, run.end_s))
    how = f"sampled every {run.sample_s:g} s" if view.interval_s is None else f"mean of each {view.interval_s:g} s"
    title = f"Round-trip time of {listed('flow', flows, run.flow_names)}"
    return [Course(title, f"RTT (ms),\n{how}", curves)]
