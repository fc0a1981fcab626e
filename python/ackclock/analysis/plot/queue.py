"""Queue lengths: of a run at each change if it kept those, else as sampled; of a trace mean and most of intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ackclock.analysis.plot.options import View
from ackclock.analysis.plot.panel import Course, Curve, Guide, Panel
from ackclock.analysis.plot.run import Run
from ackclock.analysis.plot.source import Source, listed
from ackclock.analysis.plot.trace import TraceFile


def panels(source: Source, view: View) -> list[Panel]:
    """One panel with the packets that wait for each link; the one that is being sent does not wait."""
    links = source.links(view)
    title = f"Queue of {listed('link', links, source.link_names)}"
    if isinstance(source, TraceFile):
        interval_s = source.interval_s(view.interval_s)
        how = f"mean and most of each {interval_s:g} s"
        return [Course(title, f"queue (packets),\n{how}", _of_trace(source, links, interval_s))]
    run = Run.only(source, "queue")
    exact = run.has("queue_changes")
    found = run.split("queue_changes" if exact else "link_series", "link", "queue_packets")
    how = "at each change" if exact else f"sampled every {run.sample_s:g} s"
    curves = []
    for link in links:
        x, y = found.get(link, (np.zeros(1), np.zeros(1)))
        if exact:
            # Of changes at one instant the last one holds; the queue is empty at first.
            lasting = np.append(np.diff(x) > 0, True)
            x = np.concatenate([[0.0], x[lasting], [run.end_s]])
            y = np.concatenate([[0.0], y[lasting], y[-1:]])
        curve = Curve(run.link_names[link], x, y, "held" if exact else "line", run.link_look(link))
        curves.append(curve if view.interval_s is None else curve.smoothed(view.interval_s, run.end_s))
    if view.interval_s is not None:
        how = f"mean of each {view.interval_s:g} s"
    return [Course(title, f"queue (packets),\n{how}", curves, _limit(run, links, curves))]


def _limit(run: Run, links: list[int], curves: list[Curve]) -> list[Guide]:
    """The limit, where all links have the same and the queues come near it."""
    limits = {run.network.links[link].parameters.get("limit") for link in links}
    limit = limits.pop() if len(limits) == 1 else None
    most = max((float(np.max(curve.y, initial=0.0)) for curve in curves), default=0.0)
    return [Guide(f"limit, {limit:g} packets", float(limit))] if limit and most > limit / 2 else []


def _of_trace(trace: TraceFile, links: list[int], interval_s: float) -> list[Curve]:
    mean, most = (trace.queue(f"queue_{figure}_packets", interval_s) for figure in ("mean", "max"))
    curves = []
    for link in links:
        curve = Curve(trace.link_names[link], *mean[link], "means", trace.link_look(link), interval_s)
        look = {**curve.look, "linewidth": 0.6, "alpha": 0.6}
        curves += [curve, replace(curve, name=f"{curve.name}, most", y=most[link][1], look=look)]
    return curves
