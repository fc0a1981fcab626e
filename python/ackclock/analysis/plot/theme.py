"""One style for every figure: readable in black and white, units on the axes.

Series differ by line and by shade, never by colour alone. Figures are drawn without a window system and without the
global state of pyplot, so any thread may draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.analysis.plot import palette

_DASHED, _DASH_DOT, _DOTTED = (0, (5, 1.6)), (0, (6, 1.5, 1.2, 1.5)), (0, (1.2, 1.4))

#: Dashes of the five colours, and of the next five series, and the next.
_DASHES: tuple[tuple[Any, ...], ...] = (
    ("-", "-", _DASHED, "-", _DASHED),
    (_DASH_DOT, _DASHED, _DOTTED, _DASH_DOT, _DOTTED),
    (_DOTTED, _DOTTED, "-", _DOTTED, "-"),
)


#: Of the first, second, ... run laid over each other, whose flows have their own colours. Eight differ.
RUN_DASHES: tuple[Any, ...] = (
    "-", _DASHED, _DOTTED, _DASH_DOT, (0, (9, 2)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (9, 1.5, 3, 1.5)),
)  # fmt: skip


def line(number: int) -> dict[str, Any]:
    """Arguments of `Axes.plot` for a series by its number, from 0. Fifteen differ; then they repeat."""
    lap, place = divmod(number, len(palette.SERIES))
    return {
        "color": palette.SERIES[place].light,
        "linestyle": _DASHES[lap % len(_DASHES)][place],
        "linewidth": 1.1,
    }


def link_line(number: int) -> dict[str, Any]:
    """The same for a link: links are black and grey, so that they differ from flows. Six differ."""
    lap, place = divmod(number, 2)
    colour = (palette.INK, palette.SOFT)[place].light
    return {"color": colour, "linestyle": ("-", _DASHED, _DOTTED)[lap % 3], "linewidth": 1.0}


#: Arguments of `Axes.plot` for the first, second, ... series of a figure.
SERIES: tuple[Mapping[str, Any], ...] = tuple(line(number) for number in range(15))

#: For a limit or another line that is not data.
GUIDE: Mapping[str, Any] = {"color": palette.SOFT.light, "linestyle": (0, (1, 2)), "linewidth": 1.0}

# Any: the names that rc_context accepts are typed in newer matplotlibs only.
STYLE: Any = {
    "font.family": "sans-serif",
    # The first one comes with matplotlib and makes the layout; others are as wide, for SVGs on machines without it.
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Bitstream Vera Sans"],
    "font.size": 9,
    "text.color": palette.INK.light,
    "axes.labelcolor": palette.INK.light,
    "axes.edgecolor": palette.INK.light,
    "axes.facecolor": palette.PAPER.light,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlecolor": palette.INK.light,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": palette.GRID.light,
    "grid.linewidth": 0.6,
    "xtick.color": palette.INK.light,
    "ytick.color": palette.INK.light,
    "legend.frameon": False,
    "figure.titlesize": 10,
    "figure.titleweight": "bold",
    "figure.facecolor": palette.PAPER.light,
    "savefig.dpi": 160,
    # Whatever a user's matplotlibrc says, the same figure is the same file.
    "svg.hashsalt": "ackclock",
    # Texts of an SVG are texts: they can be found, read out and changed.
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "path.simplify": True,
}


@contextmanager
def style() -> Iterator[None]:
    """Draw in ackclock's style inside a `with`; create and save the figure there."""
    with matplotlib.rc_context(STYLE):
        yield


def panels(rows: int, columns: int, *, x: str, y: str, size: tuple[float, float]) -> tuple[Figure, list[Axes]]:
    """A grid of `rows` by `columns` panels that share both axes, labelled with units at the edges.

    `x` and `y` are axis labels, quantity and unit: "time (s)". `size` is in inches. The panels are returned row by row.
    """
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes in grid[-1]:
        axes.set_xlabel(x)
    for axes in grid[:, 0]:
        axes.set_ylabel(y)
    return figure, [axes for row in grid for axes in row]
