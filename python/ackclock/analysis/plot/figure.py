"""Panels arranged: a column for each run, one time axis, one legend that hides nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from ackclock._internal.escape import escaped
from ackclock.analysis.plot.files import rendered, save
from ackclock.analysis.plot.form import Form, in_form
from ackclock.analysis.plot.options import View
from ackclock.analysis.plot.panel import Panel

#: Inches of each column of several runs, on a screen; of a paper's page, the least that it may have.
COLUMN_WIDTH, LEAST_WIDTH = 4.4, 2.2
#: More runs than this go on below.
MOST_COLUMNS = 3
#: Of more names than looks differ the legend has the first ones, and says how many follow.
MOST_NAMES = 15
#: inches of a legend's row
ROW = 0.19


class PlotFigure(Figure):
    """A matplotlib figure that notebooks show by themselves."""

    def _repr_png_(self) -> bytes:
        return rendered(self, "png")

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it as PNG, SVG or PDF, by the name's ending; returns the path. The same plot gives the same bytes."""
        return save(self, path)


class Column(NamedTuple):
    """A run's label, and its panels from top to bottom."""

    label: str
    panels: Sequence[Panel]


def arrange(columns: Sequence[Column], view: View, end_s: float) -> PlotFigure:
    """A figure of one run, its panels one above the other, or of several side by side, on the same axes."""
    form = Form(view.size, view.title, view.font, view.style)
    scale = form.scale
    fit = MOST_COLUMNS if view.size == "screen" else max(1, int(scale.width / (LEAST_WIDTH * scale.text / 8.5)))
    blocks = -(-len(columns) // min(MOST_COLUMNS, fit))
    across = -(-len(columns) // blocks)
    rows = max(len(column.panels) for column in columns)
    heights = [scale.height * max(c.panels[row].height for c in columns if row < len(c.panels)) for row in range(rows)]
    several = len(columns) > 1
    with in_form(form):
        width = COLUMN_WIDTH * across if several and view.size == "screen" else scale.width
        room = 0.7 if form.has_titles or several else 0.25
        figure = PlotFigure(figsize=(width, sum(heights) * blocks + room * scale.text / 9), layout="constrained")
        grid = figure.subplots(rows * blocks, across, squeeze=False, gridspec_kw={"height_ratios": heights * blocks})
        drawn: list[_Drawn] = []
        for place in range(across * blocks):
            block, at = divmod(place, across)
            panels = columns[place].panels if place < len(columns) else ()
            for row in range(rows):
                axes = grid[block * rows + row, at]
                if row >= len(panels):
                    axes.remove()
                    continue
                panel = panels[row]
                _share(axes, panel, row, drawn)
                panel.draw(axes, view)
                _thicken(axes, scale.line)
                drawn.append(_Drawn(axes, panel, row))
                title = panel.title if form.has_titles else ""
                above = (columns[place].label if row == 0 else "", panel.subject)
                # Several flows' panels say whose each is, with titles or without.
                subject = panel.subject if sum(bool(one.subject) for one in panels) > 1 else ""
                axes.set_title(": ".join(filter(None, above)) if several else title or subject)
                last = row + 1 == len(panels) or not panels[row + 1].x
                axes.set_xlabel(panel.x if last else "")
                has_scale = at == 0 or not _same_scale(panel, row, drawn[:-1])
                axes.set_ylabel(panel.y if has_scale else "")
                axes.tick_params(labelbottom=last, labelleft=has_scale)
        for axes, panel, _ in drawn:
            panel.frame(axes)
            if panel.x:
                axes.set_xlim(view.start_s, min(view.end_s, end_s))
        if form.has_titles:
            _head(figure, columns)
        _legend(figure, drawn, width / (scale.text / 9), several, scale.text / 9)
        for text in figure.findobj(Text):
            assert isinstance(text, Text)
            text.set_text(escaped(text.get_text(), lines=True))
    return figure


class _Drawn(NamedTuple):
    axes: Axes
    panel: Panel
    row: int


def _thicken(axes: Axes, times: float) -> None:
    """Lines as thick as the text asks for."""
    if times != 1.0:
        for line in axes.lines:
            line.set_linewidth(line.get_linewidth() * times)
            line.set_markersize(line.get_markersize() * times)


def _share(axes: Axes, panel: Panel, row: int, drawn: Sequence[_Drawn]) -> None:
    """Time is one axis for all; the same row of each run has one scale if it has one unit."""
    others = [other for other in drawn if other.panel.x] if panel.x else []
    if others:
        axes.sharex(others[0].axes)
    same = _same_scale(panel, row, others)
    if same:
        axes.sharey(same[0].axes)


def _same_scale(panel: Panel, row: int, drawn: Sequence[_Drawn]) -> list[_Drawn]:
    """The panels of this row, of other runs, with the same quantity and unit."""
    return [other for other in drawn if other.row == row and other.panel.y == panel.y]


def _head(figure: Figure, columns: Sequence[Column]) -> None:
    """Above the panels of one run its label; above several, what they show."""
    if len(columns) == 1:
        text = columns[0].label
    else:
        panels = [panel for column in columns for panel in column.panels]
        text = "; ".join(dict.fromkeys(_title(panel) for panel in panels))
    if text:
        figure.suptitle(text, x=0.01, ha="left", wrap=True)


def _title(panel: Panel) -> str:
    """What a panel shows, without the flow that its axes name."""
    return panel.title.partition(f" of {panel.subject}")[0] if panel.subject else panel.title


def _legend(figure: Figure, drawn: Sequence[_Drawn], width: float, several: bool, text: float) -> None:
    """Every name once. Of several runs, curves of one look in one row are one entry, whatever each run calls them."""
    named: dict[object, tuple[list[str], Any]] = {}
    for axes, _, row in drawn:
        bands = [one for one in axes.collections if isinstance(one, PolyCollection)]
        handles: list[Any] = [*axes.lines, *bands, *axes.containers]
        for handle in handles:
            name = str(handle.get_label())
            if name.startswith("_"):
                continue
            look = (row, *_look(handle)) if several else name
            names, _ = named.setdefault(look, ([], handle))
            if name not in names:
                names.append(name)
    if len(named) < 2:
        return
    # The same names with the same look in another row are one entry.
    entries = list(
        {(" / ".join(names), *_look(one)): (" / ".join(names), one) for names, one in named.values()}.values()
    )
    if len(entries) > MOST_NAMES:
        entries[MOST_NAMES:] = [(f"and {len(entries) - MOST_NAMES} more", Line2D([], [], linestyle="none"))]
    texts, shown = zip(*entries, strict=True)
    across = max(1, min(len(texts), int(width / (0.55 + 0.075 * max(map(len, texts))))))
    figure.set_figheight(figure.get_figheight() + ROW * text * -(-len(texts) // across))
    figure.legend(shown, texts, loc="outside lower center", ncols=across, handlelength=2.6)


def _look(handle: Any) -> tuple[object, ...]:
    """What tells a line or bars from others."""
    if isinstance(handle, Line2D):
        return handle.get_color(), str(handle.get_linestyle()), handle.get_marker()
    if isinstance(handle, PolyCollection):
        return (str(handle.get_facecolor()),)
    patches = getattr(handle, "patches", ())
    return tuple((patch.get_facecolor(), patch.get_hatch()) for patch in patches[:1])
