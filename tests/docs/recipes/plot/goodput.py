"""Throughput of each flow as a line: an example of what a plot needs."""

from __future__ import annotations

from ackclock.analysis.plot.options import View
from ackclock.analysis.plot.panel import Course, Curve, Panel
from ackclock.analysis.plot.source import Source


def panels(source: Source, view: View) -> list[Panel]:
    """One panel, a line for each flow."""
    found = source.flow_throughput(view.interval_s)
    curves = [Curve(str(flow), *found.of[flow], "line", {}, found.interval_s) for flow in source.flows(view)]
    return [Course("Throughput", "throughput (Mb/s)", curves)]
