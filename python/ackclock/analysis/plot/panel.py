"""The parts of a plot: panels with curves, before anything is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ackclock.analysis.plot import reduce
from ackclock.analysis.plot.options import View
from ackclock.analysis.plot.theme import GUIDE

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curve:
    """Something that has a value over time.

    `shape` says what lies between two points: `line` joins them; `held` keeps a value until the next, as a window does;
    `means` has the value of the interval of `interval_s` that ends there, `bars` the same as a bar on those before it;
    `marks` has nothing between; `band` is what lies between `y` and `high`, held. `look` are
    arguments of `Axes.plot`. A curve without a name is not in the legend.
    """

    name: str
    x: Numbers
    y: Numbers
    shape: Literal["line", "held", "means", "bars", "marks", "band"]
    look: Mapping[str, Any]
    interval_s: float = 0.0
    high: Numbers | None = None

    def within(self, view: View) -> Curve:
        """The part that the view shows; but for marks with the points next to it, so that it fills the view."""
        first = int(np.searchsorted(self.x, view.start_s, "left"))
        last = int(np.searchsorted(self.x, view.end_s, "right"))
        if self.shape != "marks":
            first, last = max(first - 1, 0), last + 1
        high = None if self.high is None else self.high[first:last]
        return replace(self, x=self.x[first:last], y=self.y[first:last], high=high)

    def smoothed(self, interval_s: float, end_s: float) -> Curve:
        """Means over intervals from 0 on: of what is held over time, of samples over their number; NaN for none."""
        there = ~np.isnan(self.y)
        x, y = self.x[there], self.y[there]
        if len(x) == 0:
            return replace(self, x=x, y=y, shape="means", interval_s=interval_s)
        ends = np.arange(np.floor(x[0] / interval_s) + 1, np.ceil(round(end_s / interval_s, 6)) + 1) * interval_s
        starts = ends - interval_s
        if self.shape == "held":
            area = np.concatenate([[0.0], np.cumsum(y[:-1] * np.diff(x))])
            at = np.minimum(np.maximum(np.concatenate([starts, ends]), x[0]), end_s)
            last = np.searchsorted(x, at, side="right") - 1
            below = area[last] + y[last] * (at - x[last])
            lasted = at[len(ends) :] - at[: len(ends)]
            means = (below[len(ends) :] - below[: len(ends)]) / lasted
        else:
            first, last = np.searchsorted(x, starts, side="left"), np.searchsorted(x, ends, side="left")
            total = np.concatenate([[0.0], np.cumsum(y)])
            with np.errstate(invalid="ignore"):
                means = (total[last] - total[first]) / (last - first)
        return replace(self, x=ends, y=means, shape="means", interval_s=interval_s)


@dataclass(frozen=True)
class Guide:
    """A level that is no data."""

    name: str
    y: float


class Panel(Protocol):
    """One pair of axes, or what stands in their place."""

    @property
    def title(self) -> str:
        """What it shows."""

    @property
    def x(self) -> str:
        """Label of the axis, quantity and unit; empty where there are no axes."""

    @property
    def y(self) -> str:
        """The same for the other one, with the interval or sampling."""

    @property
    def height(self) -> float:
        """Inches."""

    @property
    def subject(self) -> str:
        """The flow that the panel is about; empty if it is about all."""

    def draw(self, axes: Axes, view: View) -> None:
        """Draw it."""

    def frame(self, axes: Axes) -> None:
        """Set the limits of its axes, when everything is drawn that shares them."""


@dataclass(frozen=True)
class Course:
    """Curves over time."""

    title: str
    y: str
    curves: Sequence[Curve]
    guides: Sequence[Guide] = ()
    #: the axis ends here, unless a value lies beyond
    top: float | None = None
    from_zero: bool = True
    x: str = "time (s)"
    height: float = 2.4
    #: the flow that it is about; empty for all
    subject: str = ""

    def draw(self, axes: Axes, view: View) -> None:
        """Draw the curves, each with as many points as can be seen."""
        below: dict[float, float] = {}
        for curve in self.curves:
            part = curve.within(view)
            if curve.shape == "bars":
                _bars(axes, part, below)
                continue
            if part.high is not None:
                look = {"step": "post", "linewidth": 0.0, **curve.look}
                axes.fill_between(part.x, part.y, part.high, label=curve.name or "_", **look)
                continue
            if curve.shape == "marks":
                kept = reduce.marks(part.x, part.y)
                axes.plot(part.x[kept], part.y[kept], label=curve.name or "_", **{"linestyle": "none", **curve.look})
                continue
            x, y = part.x, part.y
            if curve.shape == "means" and len(x):
                x, y = np.insert(x, 0, x[0] - curve.interval_s), np.insert(y, 0, y[0])
            kept = reduce.curve(x, y)
            steps = {"held": "steps-post", "means": "steps-pre", "line": "default"}[curve.shape]
            axes.plot(x[kept], y[kept], drawstyle=steps, label=curve.name or "_", **curve.look)
        for guide in self.guides:
            axes.axhline(guide.y, label=guide.name, **GUIDE)

    def frame(self, axes: Axes) -> None:
        """From 0, so that heights compare, where that means something."""
        axes.ticklabel_format(axis="y", style="plain", useOffset=False)
        if self.from_zero:
            axes.set_ylim(bottom=0)
        if self.top is not None:
            axes.set_ylim(top=self.top)


def _bars(axes: Axes, curve: Curve, below: dict[float, float]) -> None:
    """Draw bars on those that are there; `below` has their heights by the end of the interval."""
    kept = np.nan_to_num(curve.y) != 0
    x, y = curve.x[kept], curve.y[kept]
    bottoms = np.array([below.get(round(float(at), 9), 0.0) for at in x])
    for at, bottom, height in zip(x, bottoms, y, strict=True):
        below[round(float(at), 9)] = bottom + height
    axes.bar(
        x - curve.interval_s / 2,
        y,
        0.9 * curve.interval_s,
        bottom=bottoms,
        label=curve.name or "_",
        color=curve.look["color"],
        hatch=None if curve.look.get("linestyle", "-") == "-" else "/////",
        edgecolor="white",
        linewidth=0.0,
    )
