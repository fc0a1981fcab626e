"""Many curves as what can be seen of them: their median, their middle half, and all between lowest and highest.

Looks of curves repeat after fifteen, and long before that nobody follows one of them in a panel.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ackclock.analysis.plot import palette
from ackclock.analysis.plot.options import View
from ackclock.analysis.plot.panel import Course, Curve, Numbers, Panel

#: More curves than this in a panel are drawn as their spread: that many looks differ.
MOST_CURVES = 15
#: Parts of the time shown, in each of which the bands have one height.
CELLS = 400

_COLOUR = palette.SERIES[0].light
_ALL = {"color": _COLOUR, "alpha": 0.16}
_MIDDLE = {"color": _COLOUR, "alpha": 0.36}
_MEDIAN = {"color": _COLOUR, "linestyle": "-", "linewidth": 1.1}


def spread(panel: Panel, view: View, end_s: float) -> Panel:
    """The panel with its curves' spread where it has many, or where the view asks for it; else the panel.

    Bars and marks stay as they are: neither has a value at each instant.
    """
    if not isinstance(panel, Course) or any(curve.shape in ("bars", "marks") for curve in panel.curves):
        return panel
    curves = [curve for curve in panel.curves if len(curve.x)]
    named = view.flows is not None or view.links is not None
    wanted = len(curves) > MOST_CURVES and not named if view.spread is None else view.spread
    if not wanted or len(curves) < 2:
        return panel
    start_s, end_s = view.start_s, min(view.end_s, end_s)
    means = [curve for curve in curves if curve.shape == "means"]
    if means:
        # Of means over the same intervals, these are the cells.
        longest = max((curve.x for curve in means), key=len)
        ends = longest[(longest > start_s) & (longest - means[0].interval_s < end_s)]
        edges = np.insert(ends, 0, ends[0] - means[0].interval_s) if len(ends) else np.array([start_s, end_s])
    else:
        edges = np.linspace(start_s, end_s, CELLS + 1)
    at, low, high = (np.array(rows) for rows in zip(*(_cells(curve, edges) for curve in curves), strict=True))
    there = ~np.all(np.isnan(low), axis=0)
    lowest, highest = np.full((2, len(there)), np.nan)
    lowest[there], highest[there] = np.nanmin(low[:, there], axis=0), np.nanmax(high[:, there], axis=0)
    quartiles = np.full((3, len(there)), np.nan)
    known = ~np.all(np.isnan(at), axis=0)
    quartiles[:, known] = np.nanpercentile(at[:, known], [25, 50, 75], axis=0)
    name = f"median of {len(curves)}"
    bands = [
        Curve("lowest to highest", edges, _closed(lowest), "band", _ALL, high=_closed(highest)),
        Curve("middle half", edges, _closed(quartiles[0]), "band", _MIDDLE, high=_closed(quartiles[2])),
        Curve(name, edges, _closed(quartiles[1]), "held", _MEDIAN),
    ]
    return replace(panel, curves=bands)


def _closed(values: Numbers) -> Numbers:
    """A value for the end of the last cell, too."""
    return np.append(values, values[-1:])


def _cells(curve: Curve, edges: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """In each cell: the value in its middle, the lowest and the highest; NaN where the curve is not there."""
    there = ~np.isnan(curve.y)
    x, y = curve.x[there], curve.y[there]
    count = len(edges) - 1
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    if not len(x):
        return np.full(count, np.nan), np.full(count, np.nan), np.full(count, np.nan)
    middle = (edges[1:] + edges[:-1]) / 2
    if curve.shape == "means":
        place = np.searchsorted(x, middle)
        inside = (place < len(x)) & (middle > x[0] - curve.interval_s)
        place = np.minimum(place, len(x) - 1)
        # A gap in the means is a gap here.
        inside &= x[place] - middle <= curve.interval_s
        at = np.where(inside, y[place], np.nan)
        return at, at, at
    if curve.shape == "held":
        at = _held(x, y, middle)
        border = _held(x, y, edges[:-1])
    else:
        at = np.interp(middle, x, y, left=np.nan, right=np.nan)
        border = np.interp(edges[:-1], x, y, left=np.nan, right=np.nan)
    # What it was when the cell began, and every value that it took within: no spike is lost.
    for values in (at, border):
        low, high = np.fmin(low, values), np.fmax(high, values)
    cell = np.searchsorted(edges, x, side="right") - 1
    within = (cell >= 0) & (cell < count)
    np.minimum.at(low, cell[within], y[within])
    np.maximum.at(high, cell[within], y[within])
    return at, np.where(np.isinf(low), np.nan, low), np.where(np.isinf(high), np.nan, high)


def _held(x: Numbers, y: Numbers, at: Numbers) -> Numbers:
    """The last value before each instant; NaN before the first and after the last."""
    place = np.searchsorted(x, at, side="right") - 1
    found: Numbers = np.where((place >= 0) & (at <= x[-1]), y[np.maximum(place, 0)], np.nan)
    return found
