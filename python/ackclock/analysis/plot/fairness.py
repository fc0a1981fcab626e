"""How evenly the flows share: Jain's index over time, and each flow's part of the throughput."""

from __future__ import annotations

import numpy as np

from ackclock.analysis.plot import palette
from ackclock.analysis.plot.options import View
from ackclock.analysis.plot.panel import Course, Curve, Numbers, Panel
from ackclock.analysis.plot.source import Source
from ackclock.analysis.stats import jain


def panels(source: Source, view: View) -> list[Panel]:
    """A panel with the index, 1/n to 1, of the flows that live in each interval, and one with their shares in percent.

    An interval in which fewer than two flows live has no index: there is nothing to share.
    """
    found = source.flow_throughput(view.interval_s)
    flows = source.flows(view)
    most = max((found.of[flow][0] for flow in flows), key=len, default=np.empty(0))
    rates = np.full((len(flows), len(most)), np.nan)
    for row, flow in enumerate(flows):
        ends, rate = found.of[flow]
        alive = np.zeros(len(ends), dtype=bool)
        for start_s, end_s in source.spans_s(flow):
            alive |= (ends > start_s) & (ends - found.interval_s < end_s)
        place = len(most) - len(ends)
        rates[row, place:] = np.where(alive, rate, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = 100 * rates / np.nansum(rates, axis=0)
    index = Curve(
        "",
        most,
        np.array([_index(column) for column in rates.T]),
        "means",
        {"color": palette.INK.light, "linewidth": 1.3},
        found.interval_s,
    )
    curves = [
        Curve(source.flow_names[flow], most, share, "means", source.flow_look(flow), found.interval_s)
        for flow, share in zip(flows, shares, strict=True)
    ]
    of = "all flows" if len(flows) == len(source.flow_names) else f"{len(flows)} of {len(source.flow_names)} flows"
    over = f"each {found.interval_s:g} s"
    return [
        Course(f"Jain's fairness index of {of}", f"Jain's index of the\nthroughput of {over}", [index], top=1.05),
        Course("Share of each flow", f"share (%) of the\nthroughput of {over}", curves),
    ]


def _index(rates: Numbers) -> float:
    """The index of the flows that are there; NaN of fewer than two, or where nothing came at all."""
    there = rates[~np.isnan(rates)]
    return jain(there) if len(there) > 1 and there.any() else np.nan
