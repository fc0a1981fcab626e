"""Pictures of an evaluation: intervals by condition, and two metrics against each other."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ackclock.analysis.plot.files import rendered
from ackclock.analysis.plot.theme import GUIDE, SERIES, style
from ackclock.analysis.report import page
from ackclock.analysis.report.page import Markup
from ackclock.analysis.stats import delay_throughput
from ackclock.batch.evaluate import Cell, Evaluation, Row
from ackclock.batch.evaluate.judge import REPORTED, interval
from ackclock.batch.evaluate.measure import MEASURES, Measure

#: The minimum number of conditions for a plot of a criterion.
LEAST = 3

#: Panels side by side in a graph.
ACROSS = 4


def intervals(
    found: Evaluation, row: Row, measure: Measure, shown_in: tuple[str, float], prefix: str = ""
) -> Markup | None:
    """The intervals of all conditions, and the bound; without a comparison, subject and baseline.

    `shown_in` is the unit of what is judged and what it is divided by; `prefix` begins the picture's ids. None for
    fewer conditions than `LEAST`.
    """
    cells = [cell for cell in row.cells if len(cell.compared) > 1]
    if len(cells) < LEAST:
        return None
    criterion, (unit, per) = row.criterion, shown_in
    series: Mapping[str, list[Sequence[float]]]
    if criterion.comparison:
        series = {"": [cell.compared for cell in cells]}
    else:
        series = {found.subject.name: [list(cell.subject.values()) for cell in cells]}
        for baseline in found.others:
            series[_named(baseline.name, found)] = [[*cell.baselines.get(baseline.name, {}).values()] for cell in cells]
    label = {
        "": criterion.title,
        "ratio": "ratio to the baseline's",
        "difference": "difference from the baseline's",
        "harm": "harm beyond that by a standard",
    }
    with style():
        figure = Figure(figsize=(7.2, 0.75 + 0.21 * len(cells)), layout="constrained")
        axes = figure.subplots()
        for number, (name, values) in enumerate(series.items()):
            for place, one in enumerate(map(interval, values)):
                if one is None:
                    continue
                at = place + (number - (len(series) - 1) / 2) * 0.3
                axes.errorbar(
                    one.mean / per,
                    at,
                    xerr=one.half_width / per,
                    fmt="osD^"[number % 4],
                    markersize=3.5,
                    capsize=2,
                    elinewidth=1.1,
                    color=SERIES[number]["color"],
                    label=name if place == 0 and name else None,
                )
        if criterion.rule != REPORTED:
            for bound in criterion.bounds():
                if math.isfinite(bound):
                    axes.axvline(bound / per, **GUIDE)
        axes.set_yticks(range(len(cells)), [cell.title for cell in cells])
        axes.set_ylim(len(cells) - 0.5, -0.5)
        axes.xaxis.set_major_locator(MaxNLocator(8))
        in_unit = _in(unit) if criterion.comparison != "ratio" else ""
        axes.set_xlabel(f"{label[criterion.comparison]}{in_unit}, {criterion.says_better}")
        if len(series) > 1 and axes.get_legend_handles_labels()[1]:
            axes.legend(loc="best")
        data = rendered(figure, "svg").decode()
    return page.svg(data, f"{criterion.title}: 95 % intervals by condition", f"{prefix}c-{criterion.id}")


def graph(found: Evaluation, prefix: str = "") -> tuple[Markup, str] | None:
    """The plot of two criteria that the suite's document requires, a panel for each condition, and its caption.

    Each run is a point; around those of the subject and of the baseline is the 1-sigma ellipse. None without a graph.
    """
    rows = {row.criterion.id: row for row in found.rows}
    if not found.suite.graph:
        return None
    across, up = (rows[found.suite.graph[axis]] for axis in ("x", "y"))
    pairs = [(x, y) for x, y in zip(across.cells, up.cells, strict=True) if len(x.subject) > 1 and len(y.subject) > 1]
    if not pairs:
        return None
    x_in, y_in = (MEASURES[row.criterion.measure["of"]] for row in (across, up))
    columns = min(ACROSS, len(pairs))
    height = math.ceil(len(pairs) / columns)
    with style():
        figure = Figure(figsize=(2.3 * columns + 0.4, 1.9 * height + 0.5), layout="constrained")
        panels = figure.subplots(height, columns, squeeze=False, sharey=True).flat
        for axes, (x, y) in zip(panels, pairs, strict=False):
            axes.set_title(textwrap.fill(x.title, 26), fontsize=7.5)
            for number, (name, one, other) in enumerate(_points(found, x, y)):
                xs, ys = [value / x_in.per for value in one], [value / y_in.per for value in other]
                axes.plot(xs, ys, "os"[number], markersize=3, color=SERIES[number]["color"], label=name)
                outline = delay_throughput(xs, ys).outline()
                axes.plot(outline[:, 0], outline[:, 1], linewidth=0.9, color=SERIES[number]["color"])
            axes.set_xlim(left=0)
            axes.xaxis.set_major_locator(MaxNLocator(4))
            axes.tick_params(labelsize=7)
        for axes in list(panels)[len(pairs) :]:
            axes.set_visible(False)
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper right", ncols=2)
        figure.supxlabel(f"{across.criterion.title}{_in(x_in.unit)}", fontsize=9)
        figure.supylabel(f"{up.criterion.title}{_in(y_in.unit)}", fontsize=9)
        data = rendered(figure, "svg").decode()
    caption = f"{up.criterion.title} over {across.criterion.title}: a point for each run, 1-sigma ellipses"
    return page.svg(data, caption, f"{prefix}graph"), caption


def _points(found: Evaluation, x: Cell, y: Cell) -> list[tuple[str, list[float], list[float]]]:
    """Subject and baseline: the runs that have both metrics."""
    pairs = [(found.subject.name, x.subject, y.subject), (_named(found.baseline.name, found), x.baseline, y.baseline)]
    points = []
    for name, one, other in pairs:
        both = sorted(set(one) & set(other))
        if len(both) > 1:
            points.append((name, [one[number] for number in both], [other[number] for number in both]))
    return points


def _named(baseline: str, found: Evaluation) -> str:
    """The name of a baseline; where it is the subject's own, too, with what it is."""
    return f"{baseline} (baseline)" if baseline == found.subject.name else baseline


def _in(unit: str) -> str:
    return f" ({unit})" if unit else ""
