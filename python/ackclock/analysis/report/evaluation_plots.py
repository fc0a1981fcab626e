"""The plots that a suite asks for: lines over conditions, distributions, courses of a run, a matrix of pairs."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator

from ackclock.analysis.plot.files import rendered
from ackclock.analysis.plot.theme import GUIDE, SERIES, style
from ackclock.analysis.report import page
from ackclock.analysis.report.page import Markup
from ackclock.batch.evaluate import Evaluation, Plot, Subject
from ackclock.batch.evaluate.arms import Arm, Figured
from ackclock.batch.evaluate.judge import interval
from ackclock.batch.evaluate.measure import MEASURES

#: Signs of the series of a plot, which is read in black and white, too.
_SIGNS = "osD^vXP*<>"


def draw(found: Sequence[Evaluation], plot: Plot) -> tuple[Markup, str] | None:
    """A plot of some subjects with its caption; None where no run has what it shows."""
    lines: dict[str, dict[Arm, Figured]] = {}
    seen: set[tuple[str, str, str]] = set()
    for one in found:
        for name, arm in one.drawn(plot):
            # What is a subject and stands beside another one, too, is shown once.
            name = _name(found, arm.subject, name)
            rival = _name(found, arm.standard, arm.standard.name) if plot.kind == "matrix" else ""
            place = name, arm.condition, rival
            if place not in seen:
                lines.setdefault(name, {})[arm] = one.figured.get(arm, {})
            seen.add(place)
    lines = {name: arms for name, arms in lines.items() if any(arms.values())}
    if not lines:
        return None
    with style():
        if plot.kind == "matrix":
            figure = _matrix(found, plot, lines)
        else:
            kinds = {"lines": _lines, "distribution": _distribution, "course": _course}
            figure = kinds[plot.kind](found[0], plot, lines)
        data = rendered(figure, "svg").decode()
    caption = f"{plot.title} (section {plot.where}). {plot.about}".strip()
    return page.svg(data, caption, f"p-{plot.id}"), caption


def _name(found: Sequence[Evaluation], who: Subject | None, name: str) -> str:
    """What a variant is called on this page: `cubic` and `tcp/cubic` are one."""
    return next((one.subject.name for one in found if who and one.subject.settings == who.settings), name)


def axis(plot: Plot) -> str:
    """What is measured, in which unit, and whether less or more is better."""
    measure = MEASURES[plot.measure["of"]]
    names = {
        "split": "share",
        "ratio": "goodput over the other's",
        "rtt": "round-trip time",
        "retransmitted": "retransmitted",
    }
    words = names.get(plot.measure["of"], plot.measure["of"].replace("_", " "))
    unit = f" ({measure.unit})" if measure.unit else ""
    return f"{words}{unit}\n{measure.better}"


def _values(plot: Plot, figured: Figured) -> list[float]:
    return [run[plot.key] for run in figured.values() if plot.key in run]


def _lines(found: Evaluation, plot: Plot, lines: Mapping[str, Mapping[Arm, Figured]]) -> Figure:
    figure = Figure(figsize=(7.2, 3.4), layout="constrained")
    axes = figure.subplots()
    shown = plot.shown(found.quick)
    conditions = [found.suite.named_condition(id) for id in shown]
    xs = [float(one.values[plot.x]) if plot.x else float(place) for place, one in enumerate(conditions)]
    per = MEASURES[plot.measure["of"]].per
    for number, (name, arms) in enumerate(lines.items()):
        by_condition = {arm.condition: _values(plot, figured) for arm, figured in arms.items()}
        points = [
            (x, one.mean / per, one.half_width / per)
            for x, id in zip(xs, shown, strict=True)
            if (one := interval(by_condition.get(id, []))) is not None
        ]
        if not points:
            continue
        apart = 0.0 if plot.x else (number - (len(lines) - 1) / 2) * 0.1
        at, means, halves = (np.array(column) for column in zip(*points, strict=True))
        axes.errorbar(
            at + apart,
            means,
            yerr=halves,
            marker=_SIGNS[number % len(_SIGNS)],
            markersize=4,
            capsize=2,
            label=name,
            **{**SERIES[number], "linestyle": SERIES[number]["linestyle"] if plot.x else "none"},
        )
    for value in plot.at:
        axes.axhline(value / per, **GUIDE)
    if plot.log and plot.x:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(
        xs, [f"{x:g}" if plot.x else textwrap.fill(one.title, 16) for x, one in zip(xs, conditions, strict=True)]
    )
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(axis(plot))
    axes.set_ylim(bottom=0)
    if plot.measure["of"] == "split":
        axes.set_ylim(0, 100)
    if any(axes.get_legend_handles_labels()[1] for axes in figure.axes):
        figure.legend(loc="outside right upper")
    return figure


def _distribution(found: Evaluation, plot: Plot, lines: Mapping[str, Mapping[Arm, Figured]]) -> Figure:
    figure = Figure(figsize=(7.2, 3.2), layout="constrained")
    axes = figure.subplots()
    for number, (name, arms) in enumerate(lines.items()):
        values = sorted(
            value
            for figured in arms.values()
            for run in figured.values()
            for key, value in run.items()
            if key.startswith(f"{plot.key}|")
        )
        if values:
            shares = np.arange(1, len(values) + 1) / len(values)
            axes.step(values, 100 * shares, where="post", label=f"{name} (n = {len(values)})", **SERIES[number])
    axes.set_xscale("log")
    axes.set_xlabel("completion time (s), less is better")
    axes.set_ylabel("transfers (%)")
    axes.set_ylim(0, 101)
    if any(axes.get_legend_handles_labels()[1] for axes in figure.axes):
        figure.legend(loc="outside right upper")
    return figure


def _course(found: Evaluation, plot: Plot, lines: Mapping[str, Mapping[Arm, Figured]]) -> Figure:
    figure = Figure(figsize=(7.2, 3.4), layout="constrained")
    panels = figure.subplots(2, len(lines), squeeze=False, sharex=True, sharey="row")
    for column, (name, arms) in enumerate(lines.items()):
        upper, lower = panels[0][column], panels[1][column]
        upper.set_title(textwrap.fill(name, 26), fontsize=8)
        series = _series(plot, next(iter(arms.values())))
        at_s = series.pop("at", [])
        lower.plot(at_s, np.array(series.pop("queue", [])) * 1e3, color=SERIES[0]["color"], linewidth=0.9)
        for number, (flow, values) in enumerate(sorted(series.items())):
            upper.plot(at_s, np.array(values) / 1e6, label=flow if not column else None, **SERIES[number])
        lower.set_xlabel("time (s)")
        for axes in (upper, lower):
            axes.set_ylim(bottom=0)
            axes.yaxis.set_major_locator(MaxNLocator(5))
    panels[0][0].set_ylabel("throughput (Mb/s)")
    panels[1][0].set_ylabel("queueing delay (ms)")
    figure.legend(loc="outside upper right", ncols=3)
    return figure


def _series(plot: Plot, figured: Figured) -> dict[str, list[float]]:
    """The series of the first replication that has them, by name."""
    for run in figured.values():
        found: dict[str, dict[int, float]] = {}
        for key, value in run.items():
            if key.startswith(f"{plot.key}|"):
                _, name, place = key.split("|")
                found.setdefault(name, {})[int(place)] = value
        if found:
            return {name: [values[place] for place in sorted(values)] for name, values in found.items()}
    return {}


def _matrix(found: Sequence[Evaluation], plot: Plot, lines: Mapping[str, Mapping[Arm, Figured]]) -> Figure:
    per = MEASURES[plot.measure["of"]].per
    named = {arm: _name(found, arm.standard, arm.standard.name) for arms in lines.values() for arm in arms}
    rivals = list(dict.fromkeys(named.values()))
    values = np.full((len(lines), len(rivals)), np.nan)
    for row, arms in enumerate(lines.values()):
        for arm, figured in arms.items():
            if here := _values(plot, figured):
                values[row, rivals.index(named[arm])] = float(np.mean(here)) / per
    figure = Figure(figsize=(7.2, 1.1 + 0.34 * len(lines)), layout="constrained")
    axes: Axes = figure.subplots()
    share = plot.measure["of"] == "split"
    axes.pcolormesh(
        values,
        cmap="RdBu_r" if share else "Greys",
        vmin=0,
        vmax=100 if share else 1.6 * np.nanmax(values),
        edgecolors="w",
    )
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            dark = share and abs(value - 50) > 35
            axes.text(
                column + 0.5, row + 0.5, f"{value:.0f}", ha="center", va="center", color="white" if dark else "black"
            )
    axes.set_xticks(np.arange(len(rivals)) + 0.5, [textwrap.fill(name, 14, break_long_words=False) for name in rivals])
    axes.set_yticks(np.arange(len(lines)) + 0.5, list(lines))
    axes.set_xlabel("beside")
    axes.invert_yaxis()
    axes.grid(False)
    axes.set_title(axis(plot), fontsize=8)
    return figure
