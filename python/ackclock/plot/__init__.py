"""One style for every figure: readable in black and white, units on the axes.

Series differ by line and by shade, never by colour alone. Figures are drawn without a window
system and without pyplot's global state, so any thread may draw.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

#: Arguments of `Axes.plot` for the first, second, ... series of a figure.
SERIES: tuple[Mapping[str, Any], ...] = (
    {"color": "#0b3c5d", "linestyle": "-", "linewidth": 1.0},
    {"color": "#d9822b", "linestyle": "-", "linewidth": 1.0},
    {"color": "#5a5a5a", "linestyle": "--", "linewidth": 1.2},
    {"color": "#9aa5ad", "linestyle": ":", "linewidth": 1.4},
)
#: For a limit or another line that is not data.
GUIDE: Mapping[str, Any] = {"color": "#888888", "linestyle": (0, (1, 2)), "linewidth": 0.9}

# Any: the names that rc_context accepts are typed in newer matplotlibs only.
_STYLE: Any = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "savefig.dpi": 160,
}


@contextmanager
def style() -> Iterator[None]:
    """Draw in ackclock's style inside a `with`; make and save the figure there."""
    with matplotlib.rc_context(_STYLE):
        yield


def panels(rows: int, columns: int, *, x: str, y: str, size: tuple[float, float]) -> tuple[Figure, list[Axes]]:
    """A grid of panels that share both axes, labelled with units at the edges.

    `x` and `y` are axis labels, quantity and unit: "time (s)". `size` is in inches. The panels
    come row by row.
    """
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes in grid[-1]:
        axes.set_xlabel(x)
    for axes in grid[:, 0]:
        axes.set_ylabel(y)
    return figure, [axes for row in grid for axes in row]


def save(figure: Figure, path: Path) -> Path:
    """Write a figure as PNG or SVG, by the name's ending.

    The file appears whole or not at all, and the same each time.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    # Without the software and the date the bytes change neither with its version nor with the day.
    without = {"Software": None} if path.suffix == ".png" else {"Date": None, "Creator": None}
    with matplotlib.rc_context({"svg.hashsalt": path.name, "svg.fonttype": "none"}):
        figure.savefig(part, format=path.suffix.removeprefix("."), metadata=without)
    part.replace(path)
    return path
