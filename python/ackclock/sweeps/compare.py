"""Variants of a sweep against one of them, replication by replication."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ackclock.scenario import ScenarioError
from ackclock.scenario.errors import nearest
from ackclock.stats.difference import Difference, paired
from ackclock.sweeps.outcome import Cell, Sweep, columns, unit_of


@dataclass(frozen=True)
class Compared:
    """A point against the one that differs from it in the baseline's key alone: differences by figure.

    `relative` are the mean differences as shares of the baseline's mean; nan where that is 0.
    """

    settings: Mapping[str, object]
    differences: Mapping[str, Difference]
    relative: Mapping[str, float]


def against(sweep: Sweep, key: str, value: object, level: float = 0.95) -> list[Compared]:
    """Every point against that with `key` set to `value` and all else alike: paired differences, point less baseline.

    The same replication has the same random numbers at both, which `stats.paired` makes use of; replications that
    either lacks are left out. `ScenarioError` for a key that is not varied, a value that it has not, or a sweep without
    replications.
    """
    keys = [name for axis in sweep.grid.axes for name in axis.keys]
    if key not in keys:
        listed = ", ".join(keys) or "none"
        raise ScenarioError(f"expected a key that is varied: {listed}", key=key, nearest=nearest(key, keys))
    known = list(dict.fromkeys(str(cell.point.settings[key]) for cell in sweep.cells))
    if str(value) not in known:
        raise ScenarioError(
            f"expected one of {', '.join(known)}", key=key, value=value, nearest=nearest(str(value), known)
        )
    if sweep.grid.replications < 2:
        raise ScenarioError("expected at least 2: without replications there is nothing to compare", key="replications")
    # Keys that are set together with this one differ with it.
    moved = next(set(axis.keys) for axis in sweep.grid.axes if key in axis.keys)

    def rest(cell: Cell) -> tuple[tuple[str, str], ...]:
        return tuple((name, str(one)) for name, one in cell.point.settings.items() if name not in moved)

    baselines = {rest(cell): cell for cell in sweep.cells if str(cell.point.settings[key]) == str(value)}
    found, figures = [], sweep.figures()
    for cell in sweep.cells:
        base = baselines[rest(cell)]
        if cell is base or str(cell.point.settings[key]) == str(value):
            continue
        differences, relative = {}, {}
        for figure in figures:
            column = sweep.measured.columns[figure]
            first, second = column[cell.index], column[base.index]
            both = ~(np.isnan(first) | np.isnan(second))
            if both.sum() < 2:
                continue
            differences[figure] = paired(first[both], second[both], level)
            mean = float(second[both].mean())
            relative[figure] = differences[figure].interval.mean / mean if mean else float("nan")
        found.append(Compared(cell.point.settings, differences, relative))
    return found


def text(sweep: Sweep, key: str, value: object, figures: Sequence[str] | None = None) -> str:
    """A line a point, a column a figure: the difference ± half-width, in per cent of the baseline, and Cohen's d.

    A star marks an interval without 0. Of twenty comparisons of what is alike, one has it by chance.
    """
    compared = against(sweep, key, value)
    names = list(figures) if figures is not None else [name for name in sweep.figures() if "." not in name]
    settings = list(dict.fromkeys(name for one in compared for name in one.settings))
    head = [*settings, "n", *(f"{name}{unit_of(name)[1].replace(' ', ', ', 1)}" for name in names)]
    lines = [head]
    for one in compared:
        most = max((difference.interval.n for difference in one.differences.values()), default=0)
        shown = [str(one.settings.get(name, "")) for name in settings]
        lines.append([*shown, str(most), *(_difference(one, name) for name in names)])
    foot = f"less {key} = {value}, paired by replication: mean ± half of the 95 % interval, share, d; * 0 is outside"
    return "\n".join([*columns(lines, len(settings)), foot])


def _difference(one: Compared, figure: str) -> str:
    difference, scale = one.differences.get(figure), unit_of(figure)[0]
    if difference is None:
        return "-"
    star = "*" if difference.significant else " "
    interval = difference.interval
    size = f"{interval.mean / scale:+.3g} ± {interval.half_width / scale:.2g}"
    return f"{size}, {one.relative[figure]:+.1%}, d {difference.effect:+.1f}{star}"
