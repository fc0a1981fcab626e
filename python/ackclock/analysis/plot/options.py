"""The part of a run that a plot shows: flows, links, times, and the averaging interval."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from ackclock.scenario.errors import nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PlotError(ValueError):
    """A plot that cannot be made: what is missing, and what would make it possible."""


class Options(TypedDict, total=False):
    """Keyword arguments of every plot."""

    #: names or numbers of flows (of a trace: flow ids too); all unless given
    flows: Sequence[str | int] | None
    #: names of links such as "router1->router2"; those on which packets wait unless given
    links: Sequence[str] | None
    #: the part of the run that is shown, s
    start_s: float | None
    end_s: float | None
    #: means over intervals of this length, s
    interval_s: float | None
    #: median and range of a panel's curves instead of each curve; by default of more than fifteen
    spread: bool | None
    #: "screen", "column" or "page" of a paper, "slide"
    size: str
    #: titles above panels; by default in sizes that have no caption
    title: bool | None
    #: a font's name, or "serif"
    font: str | None
    #: a style of matplotlib's, or a file with one
    style: str | None


@dataclass(frozen=True)
class View:
    """Options, checked. Raises `PlotError`."""

    flows: tuple[str | int, ...] | None = None
    links: tuple[str, ...] | None = None
    start_s: float = 0.0
    end_s: float = math.inf
    interval_s: float | None = None
    size: str = "screen"
    title: bool | None = None
    font: str | None = None
    style: str | None = None
    spread: bool | None = None

    @classmethod
    def of(cls, options: Options) -> View:
        """The view that keyword arguments describe."""
        for name in options:
            if name not in Options.__annotations__:
                raise PlotError(f"plots take no {name}{near(name, Options.__annotations__)}")
        flows, links = options.get("flows"), options.get("links")
        for name, given in (("flows", flows), ("links", links)):
            if isinstance(given, str):
                raise PlotError(f'{name} is a list, such as ["{given}"], not a text')
        start_s, end_s = options.get("start_s"), options.get("end_s")
        view = cls(
            None if flows is None else tuple(flows),
            None if links is None else tuple(links),
            0.0 if start_s is None else float(start_s),
            math.inf if end_s is None else float(end_s),
            options.get("interval_s"),
            options.get("size") or "screen",
            options.get("title"),
            options.get("font"),
            options.get("style"),
            options.get("spread"),
        )
        if not view.start_s < view.end_s:
            raise PlotError(f"nothing lies between start_s = {view.start_s:g} and end_s = {view.end_s:g}")
        if view.interval_s is not None and not 0 < view.interval_s < math.inf:
            raise PlotError(f"interval_s is a positive number of seconds, not {view.interval_s:g}")
        return view

    def shown(self, time_s: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which instants are shown."""
        return (time_s >= self.start_s) & (time_s <= self.end_s)


def near(name: str, known: Iterable[str]) -> str:
    """`; nearest known: x`, if any known name looks like this one."""
    close = nearest(name, known)
    return f"; nearest known: {close}" if close else ""


def choose(wanted: str, known: Sequence[str], what: str) -> int:
    """The place of a name in what is known. `PlotError` with the nearest one where it is not there."""
    if wanted in known:
        return known.index(wanted)
    listed = ", ".join(known) if len(known) <= 8 else f"{', '.join(known[:8])}, ..."
    raise PlotError(f"unknown {what} {wanted}; expected one of {listed}{near(wanted, known)}")


#: More means than these in a picture look like noise.
MOST_INTERVALS = 60


def fitting_interval_s(duration_s: float, least_s: float, most: int = MOST_INTERVALS) -> float:
    """1, 2 or 5 times a power of ten, at least `least_s`, that cuts the duration into at most `most`."""
    exact = max(duration_s / most, least_s)
    power = 10.0 ** math.floor(math.log10(exact))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= exact * (1 - 1e-9))
