"""Congestion windows: at each change where the run kept those, else as sampled."""

from __future__ import annotations

import numpy as np

from ackclock.analysis.plot.options import View
from ackclock.analysis.plot.panel import Course, Curve, Guide, Panel
from ackclock.analysis.plot.run import Run
from ackclock.analysis.plot.source import Source, listed


def panels(source: Source, view: View) -> list[Panel]:
    """One panel with the window of each TCP flow, in packets, as long as the flow lives."""
    run = Run.only(source, "cwnd")
    exact = run.has("window_changes")
    found = run.split("window_changes" if exact else "flow_series", "flow", "cwnd_packets")
    how = "at each change" if exact else f"sampled every {run.sample_s:g} s"
    flows = run.flows(view, tcp=True)
    curves = []
    for flow in flows:
        x, y = found.get(flow + 1, (np.empty(0), np.empty(0)))
        spans_s = run.spans_s(flow)
        if not spans_s:
            continue
        start_s, end_s = spans_s[0][0], spans_s[-1][1]
        there = (x <= end_s) & ~np.isnan(y)
        x, y = x[there], y[there]
        first = int(np.searchsorted(x, start_s))
        if exact and len(x):
            # It has a value before it starts, and keeps the last one to its end.
            first = max(int(np.searchsorted(x, start_s, "right")) - 1, 0)
            x, y = np.append(np.maximum(x, start_s), end_s), np.append(y, y[-1])
        x, y = x[first:], y[first:]
        curve = Curve(run.flow_names[flow], x, y, "held" if exact else "line", run.flow_look(flow))
        curves.append(curve if view.interval_s is None else curve.smoothed(view.interval_s, end_s))
    if view.interval_s is not None:
        how = f"mean of each {view.interval_s:g} s"
    title = f"Congestion window of {listed('flow', flows, run.flow_names)}"
    return [Course(title, f"cwnd (packets),\n{how}", curves, _limit(run, flows, curves))]


def _limit(run: Run, flows: list[int], curves: list[Curve]) -> list[Guide]:
    """The receivers' window, where a congestion window is beyond it: the sender sends no more than that."""
    windows = {run.network.flows[flow].parameters.get("window") for flow in flows}
    limit = windows.pop() if len(windows) == 1 else None
    beyond = limit is not None and any(np.any(curve.y > limit) for curve in curves)
    return [Guide("receiver's window", float(limit))] if limit is not None and beyond else []
