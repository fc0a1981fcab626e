"""Plots of sweeps: a metric over a varied key, with intervals, as distributions, or as a map."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

from ackclock._internal.escape import escaped
from ackclock._internal.shown_units import axis_of
from ackclock.analysis.plot import palette
from ackclock.analysis.plot.axis import Scale, fitted, name_of, plain_log, scale_of, word_of
from ackclock.analysis.plot.figure import ROW, PlotFigure
from ackclock.analysis.plot.form import Form, in_form
from ackclock.analysis.plot.options import PlotError, near
from ackclock.analysis.plot.table import SWEEPS as KINDS
from ackclock.analysis.plot.theme import line

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")


class Interval(Protocol):
    """A mean's confidence interval."""

    @property
    def mean(self) -> float:
        """The mean."""

    @property
    def half_width(self) -> float:
        """Half its width."""


class Point(Protocol):
    """The settings of a point."""

    @property
    def settings(self) -> Any:
        """Values by key."""


class Cell(Protocol):
    """A point and its runs' metrics."""

    @property
    def point(self) -> Point:
        """Its settings."""

    def values(self, metric: str) -> list[float]:
        """A metric of all runs."""

    def interval(self, metric: str) -> Interval | None:
        """Its mean and interval, if it has one."""


class Sweep(Protocol):
    """The data that plots need from a sweep."""

    @property
    def cells(self) -> Sequence[Any]:
        """All points."""

    def metrics(self) -> list[str]:
        """Names of metrics."""


@dataclass(frozen=True)
class What:
    """What of a sweep is drawn; names are keys of the grid, `y` metrics."""

    x: str | None = None
    y: tuple[str, ...] = ()
    hue: str | None = None
    col: str | None = None
    kind: str = "intervals"
    #: values that other keys are held at
    where: dict[str, str] = field(default_factory=dict)
    #: which axes are logarithmic: "", "x", "y" or "xy"; None: x where the values are multiplied from one to the next
    log: str | None = None


class _Part(NamedTuple):
    """The points of one panel and hue, by their places on the x axis."""

    name: str
    cells: list[tuple[float, Cell]]


def draw(sweep: Sweep, what: What, form: Form) -> PlotFigure:
    """A sweep's figure: a row of panels for each metric, a column for each value of `col`. `PlotError` for keys and
    metrics that there are not, for a key left open, and where nothing was run.
    """
    keys = _varied(sweep)
    what = _completed(sweep, what, keys)
    cells = [cell for cell in sweep.cells if _is_at(cell, what.where)]
    if not any(cell.values(name) for cell in cells for name in what.y):
        raise PlotError("nothing to plot: no run of these points is done; `ackclock sweep` runs them")
    columns = _groups(cells, what.col)
    hues = [word for word, _ in _groups(cells, what.hue)]
    scale = scale_of(what.x, keys[what.x]) if what.x else None
    across, down = len(columns), len(what.y)
    size = form.scale
    with in_form(form):
        width = size.width if form.size != "screen" or across == 1 else min(3.6 * across + 0.6, 13.0)
        if scale is not None:
            scale = fitted(scale, 0.8 * width / across, size.text)
        height = (2.6 if what.kind != "heat" else 0.9 + 0.42 * len(hues)) * size.height * down
        figure = PlotFigure(figsize=(width, height + 0.25 * size.text / 9), layout="constrained")
        grid = figure.subplots(down, across, squeeze=False, sharex="row" if what.kind == "ecdf" else True, sharey="row")
        for row, metric in enumerate(what.y):
            limits = _limits(cells, metric) if what.kind == "heat" else None
            for column, (word, own) in enumerate(columns):
                axes = grid[row, column]
                parts = _parts(own, what, keys, scale)
                _KINDS[what.kind](axes, parts, metric, scale, hues, size.line, limits)
                _label(axes, metric, what, scale, row == down - 1, column == 0)
                if what.col is not None and row == 0:
                    axes.set_title(word, fontweight="normal", loc="center")
                elif form.has_titles and row == 0 and what.kind != "heat":
                    axes.set_title(f"{KINDS[what.kind][0].upper()}{KINDS[what.kind][1:]}")
            # When all panels that share the axis are drawn: a limit that is set holds for what comes after it.
            first = grid[row, 0]
            if what.kind in ("intervals", "box") and first.get_yscale() == "linear" and first.get_ylim()[0] >= 0:
                first.set_ylim(0, first.get_ylim()[1] * 1.04)
        if what.col is not None:
            figure.suptitle(name_of(what.col), fontweight="normal", fontsize=size.text)
        if across > 1:
            # One label for all, in the middle: of each panel it would run into the next one's.
            label, middle = grid[-1, 0].get_xlabel(), (across - 1) // 2
            for axes in grid.flat:
                axes.set_xlabel("")
            grid[-1, middle].set_xlabel(label, x=0.5 if across % 2 else 1.05)
        _legend(figure, grid[0, 0], what, hues, form)
        for text in figure.findobj(lambda one: hasattr(one, "get_text") and hasattr(one, "set_text")):
            text.set_text(escaped(text.get_text(), lines=True))  # type: ignore[attr-defined]
    return figure


def _varied(sweep: Sweep) -> dict[str, list[Any]]:
    """Keys with more than one value, and these in their order."""
    found: dict[str, list[Any]] = {}
    for cell in sweep.cells:
        for key, value in cell.point.settings.items():
            values = found.setdefault(key, [])
            if value not in values:
                values.append(value)
    return {key: values for key, values in found.items() if len(values) > 1}


def _completed(sweep: Sweep, what: What, keys: dict[str, list[Any]]) -> What:
    """The same with nothing left open. `PlotError` for what is wrong."""
    if what.kind not in KINDS:
        raise PlotError(f"kind {what.kind}: expected one of {', '.join(KINDS)}{near(what.kind, KINDS)}")
    if what.log not in (None, "", "none", "x", "y", "xy"):
        raise PlotError(f"log {what.log}: expected x, y, xy or none")
    metrics = sweep.metrics()
    if not metrics:
        raise PlotError("nothing to plot: no run of this sweep is done; `ackclock sweep` runs it")
    y = what.y or tuple(metrics[:1])
    for name in y:
        of = [metric for metric in metrics if metric.startswith(f"{name}.")]
        if name not in metrics and of:
            raise PlotError(f"{name} is of single flows or groups of them: expected a name behind it, as {of[0]}")
        if name not in metrics:
            raise PlotError(f"unknown metric {name}; expected one of {_listed(metrics)}{near(name, metrics)}")
    known = list(dict.fromkeys(key for cell in sweep.cells for key in cell.point.settings))
    ends = {
        key: [full for full in known if full.endswith(f".{key}")] for key in (what.x, what.hue, what.col, *what.where)
    }

    def full(key: str | None) -> str | None:
        """A key by its end, where one alone ends so."""
        return ends[key][0] if key not in known and len(ends[key]) == 1 else key

    where = {str(full(key)): value for key, value in what.where.items()}
    what = replace(what, x=full(what.x), hue=full(what.hue), col=full(what.col), where=where)
    for option, key in (("x", what.x), ("hue", what.hue), ("col", what.col), *(("where", key) for key in what.where)):
        if key is not None and key not in known:
            listed = ", ".join(known) or "none: nothing is varied"
            raise PlotError(f"{option} {key}: expected a varied key: {listed}{near(key, known)}")
        if key is not None and option != "where" and key not in keys:
            raise PlotError(f"{option} {key}: it has one value only")
    if what.kind == "ecdf" and what.x is not None:
        raise PlotError("x: an ecdf has the metric itself on its x axis; use hue and col for keys")
    for key, value in what.where.items():
        texts = list(dict.fromkeys(str(cell.point.settings[key]) for cell in sweep.cells))
        if value not in texts:
            raise PlotError(f"where {key} = {value}: expected one of {', '.join(texts)}{near(value, texts)}")
    taken = [key for key in (what.x, what.hue, what.col) if key is not None]
    twice = next((key for key in taken if taken.count(key) > 1), None)
    if twice is not None:
        raise PlotError(f"{twice} is asked for twice: as x, hue or col, once")
    # Keys that a key which is shown determines are not open.
    open_keys = [key for key in keys if key not in what.where and not any(_follows(sweep, key, one) for one in taken)]
    open_keys = [key for key in open_keys if not any(_follows(sweep, key, one) for one in what.where)]
    x, hue, col = what.x, what.hue, what.col
    if x is None and what.kind != "ecdf":
        if not open_keys:
            raise PlotError("x: nothing is left that varies; expected a varied key")
        # A line wants numbers below it.
        x = next((key for key in open_keys if scale_of(key, keys[key]).is_numeric), open_keys[0])
        open_keys = [key for key in open_keys if not _follows(sweep, key, x)]
    if hue is None and open_keys:
        hue = open_keys[0]
        open_keys = [key for key in open_keys if not _follows(sweep, key, hue)]
    if col is None and open_keys:
        col = open_keys[0]
        open_keys = [key for key in open_keys if not _follows(sweep, key, col)]
    if open_keys:
        raise PlotError(f"{open_keys[0]} is varied too: show it by x, hue or col, or hold it at a value by where")
    if what.kind == "heat" and hue is None:
        raise PlotError("hue: a heat map needs a second varied key, for its rows")
    return replace(what, x=x, y=y, hue=hue, col=col)


def _follows(sweep: Sweep, key: str, other: str) -> bool:
    """Whether a key is the other one, or changes together with it and has one value for each of the other's."""
    if key == other:
        return True
    axes = getattr(getattr(sweep, "grid", None), "axes", ())
    if not any(key in axis.keys and other in axis.keys for axis in axes):
        return False
    found: dict[str, str] = {}
    pairs = ((str(cell.point.settings[other]), str(cell.point.settings[key])) for cell in sweep.cells)
    return all(found.setdefault(one, value) == value for one, value in pairs)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 16 else f"{', '.join(names[:16])}, ..."


def _is_at(cell: Cell, where: dict[str, str]) -> bool:
    return all(str(cell.point.settings[key]) == value for key, value in where.items())


def _groups(cells: Iterable[Cell], key: str | None) -> list[tuple[str, list[Cell]]]:
    """Cells by their value of a key, in order of appearance; one group without a key."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        found.setdefault("" if key is None else word_of(cell.point.settings[key]), []).append(cell)
    return list(found.items())


def _parts(cells: Sequence[Cell], what: What, keys: dict[str, list[Any]], scale: Scale | None) -> list[_Part]:
    parts = []
    for word, own in _groups(cells, what.hue):
        if what.x is None or scale is None:
            parts.append(_Part(word, [(0.0, cell) for cell in own]))
        else:
            values = keys[what.x]
            placed = [(scale.places[values.index(cell.point.settings[what.x])], cell) for cell in own]
            parts.append(_Part(word, sorted(placed, key=lambda one: one[0])))
    return parts


def _look(number: int) -> dict[str, Any]:
    return {**line(number), "marker": _MARKERS[number % len(_MARKERS)], "markersize": 4.0}


#: what tells boxes apart without colours
_HATCHES = ["", "////", "....", r"\\\\", "xxxx", "----", "||||", "++++"]

_Limits = tuple[float, float] | None


def _intervals(
    axes: Axes, parts: list[_Part], metric: str, scale: Scale | None, hues: list[str], thick: float, _: _Limits
) -> None:
    assert scale is not None
    unit, _label = axis_of(metric)
    for part in parts:
        number = hues.index(part.name)
        x, mean, half = [], [], []
        for place, cell in part.cells:
            values = cell.values(metric)
            if not values:
                continue
            interval = cell.interval(metric)
            x.append(place + _beside(number, len(hues), scale))
            mean.append((sum(values) / len(values) if interval is None else interval.mean) / unit)
            half.append(0.0 if interval is None else interval.half_width / unit)
        look = _look(number)
        if not scale.is_numeric:
            look["linestyle"] = "none"
        look["linewidth"] *= thick
        look["markersize"] *= thick
        axes.errorbar(x, mean, half, capsize=2.2 * thick, elinewidth=0.9 * thick, label=part.name or "_", **look)
    _ticks(axes, scale)


def _beside(number: int, of: int, scale: Scale) -> float:
    """Among words, hues stand beside each other."""
    return 0.0 if scale.is_numeric or of < 2 else (number - (of - 1) / 2) * min(0.7 / of, 0.16)


def _box(
    axes: Axes, parts: list[_Part], metric: str, scale: Scale | None, hues: list[str], thick: float, _: _Limits
) -> None:
    assert scale is not None
    unit, _label = axis_of(metric)
    order = sorted({place for part in parts for place, _ in part.cells})
    wide = 0.8 / max(len(hues), 1)
    for part in parts:
        number = hues.index(part.name)
        look = line(number)
        values = [[value / unit for value in cell.values(metric)] for _, cell in part.cells]
        places = [order.index(place) + (number - (len(hues) - 1) / 2) * wide for place, _ in part.cells]
        drawn = axes.boxplot(
            values,
            positions=places,
            widths=0.75 * wide,
            manage_ticks=False,
            patch_artist=True,
            boxprops={"facecolor": look["color"], "alpha": 0.35, "edgecolor": look["color"], "linewidth": thick},
            medianprops={"color": look["color"], "linewidth": 1.6 * thick},
            whiskerprops={"color": look["color"], "linewidth": thick, "linestyle": look["linestyle"]},
            capprops={"color": look["color"], "linewidth": thick},
            flierprops={"marker": "o", "markersize": 2.4 * thick, "markeredgecolor": look["color"]},
        )
        for box in drawn["boxes"]:
            box.set_hatch(_HATCHES[number % len(_HATCHES)])
        if part.name and drawn["boxes"]:
            drawn["boxes"][0].set_label(part.name)
    words = dict(zip(scale.places, scale.texts, strict=True))
    axes.xaxis.set_major_locator(FixedLocator(list(range(len(order)))))
    axes.set_xticklabels([words[place] for place in order])
    axes.set_xlim(-0.5, len(order) - 0.5)
    axes.grid(visible=False, axis="x")


def _ecdf(
    axes: Axes, parts: list[_Part], metric: str, scale: Scale | None, hues: list[str], thick: float, _: _Limits
) -> None:
    unit, _label = axis_of(metric)
    for part in parts:
        values = [value / unit for _, cell in part.cells for value in cell.values(metric)]
        if values:
            look = line(hues.index(part.name))
            look["linewidth"] *= 1.2 * thick
            axes.ecdf(values, label=part.name or "_", **look)
    axes.set_ylim(0, 1.02)


def _heat(
    axes: Axes, parts: list[_Part], metric: str, scale: Scale | None, hues: list[str], thick: float, limits: _Limits
) -> None:
    assert scale is not None and limits is not None
    unit, label = axis_of(metric)
    order = sorted({place for part in parts for place, _ in part.cells})
    table = np.full((len(hues), len(order)), np.nan)
    for part in parts:
        for place, cell in part.cells:
            if values := cell.values(metric):
                table[hues.index(part.name), order.index(place)] = sum(values) / len(values) / unit
    low, high = limits[0] / unit, limits[1] / unit
    drawn = axes.pcolormesh(table, cmap="viridis", vmin=low, vmax=high, edgecolors="white", linewidth=0.6)
    for (row, column), value in np.ndenumerate(table):
        if not np.isnan(value):
            # White on the dark half of the map.
            colour = "white" if high > low and (value - low) / (high - low) < 0.6 else palette.INK.light
            axes.text(column + 0.5, row + 0.5, f"{value:.3g}", ha="center", va="center", color=colour)
    words = dict(zip(scale.places, scale.texts, strict=True))
    axes.set_xticks([place + 0.5 for place in range(len(order))], [words[place] for place in order])
    axes.set_yticks([place + 0.5 for place in range(len(hues))], hues)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for side in axes.spines.values():
        side.set_visible(False)
    spot, figure = axes.get_subplotspec(), axes.get_figure()
    if spot is not None and figure is not None and spot.is_last_col():
        figure.colorbar(drawn, ax=axes, label=textwrap.fill(label, 18), fraction=0.06, pad=0.02)


_KINDS: dict[str, Callable[..., None]] = {"intervals": _intervals, "box": _box, "ecdf": _ecdf, "heat": _heat}


def _limits(cells: Sequence[Cell], metric: str) -> tuple[float, float]:
    """The minimum and the maximum of the means: all maps of a metric have one scale."""
    means = [sum(values) / len(values) for cell in cells if (values := cell.values(metric))]
    return (min(means), max(means)) if means else (0.0, 1.0)


def _ticks(axes: Axes, scale: Scale) -> None:
    """A tick at each value, where they are few."""
    if scale.is_numeric and scale.is_logarithmic:
        axes.set_xscale("log")
    if not scale.is_numeric or len(scale.places) <= 8:
        axes.xaxis.set_major_locator(FixedLocator(scale.places))
        axes.set_xticks(scale.places, scale.texts)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_minor_formatter(NullFormatter())
    if not scale.is_numeric:
        axes.set_xlim(min(scale.places) - 0.5, max(scale.places) + 0.5)


def _label(axes: Axes, metric: str, what: What, scale: Scale | None, is_last: bool, is_first: bool) -> None:
    _, metric_label = axis_of(metric)
    if what.kind != "ecdf":
        metric_label = textwrap.fill(metric_label, 24)
    if what.kind == "ecdf":
        axes.set_xlabel(metric_label)
        axes.set_ylabel("share of the runs" if is_first else "")
    elif what.kind == "heat":
        assert scale is not None and what.hue is not None
        axes.set_xlabel(scale.label if is_last else "")
        axes.set_ylabel(name_of(what.hue) if is_first else "")
    else:
        assert scale is not None
        axes.set_xlabel(scale.label if is_last else "")
        axes.set_ylabel(metric_label if is_first else "")
        if what.log and "y" in what.log:
            axes.set_yscale("log")
            plain_log(axes.yaxis)
    if what.kind == "intervals" and what.log is not None:
        axes.set_xscale("log" if "x" in what.log else "linear")
        if scale is not None and len(scale.places) <= 8:
            axes.set_xticks(scale.places, scale.texts)
            axes.xaxis.set_minor_locator(NullLocator())


def _legend(figure: PlotFigure, axes: Axes, what: What, hues: list[str], form: Form) -> None:
    if what.hue is None or what.kind == "heat" or len(hues) < 2:
        return
    handles, texts = axes.get_legend_handles_labels()
    text = form.scale.text / 9
    across = max(1, min(len(texts), int(form.scale.width / text / (0.6 + 0.075 * max(map(len, texts))))))
    figure.set_figheight(figure.get_figheight() + ROW * text * (1 - (-len(texts) // across)))
    figure.legend(handles, texts, title=name_of(what.hue), loc="outside lower center", ncols=across, handlelength=2.6)
