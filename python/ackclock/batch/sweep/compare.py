"""Variants of a sweep against one of them, replication by replication."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ackclock._internal.shown_units import unit_of
from ackclock.analysis.stats.difference import Difference, adjusted, paired
from ackclock.batch.sweep.outcome import Cell, Sweep, columns
from ackclock.scenario import ScenarioError
from ackclock.scenario.errors import nearest


@dataclass(frozen=True)
class Compared:
    """A point compared with the one that differs from it only in the baseline's key: differences by metric."""

    #: the point's settings
    settings: Mapping[str, object]
    #: the differences, by metric
    differences: Mapping[str, Difference]
    #: the mean differences as shares of the baseline's mean; nan if that is 0
    relative: Mapping[str, float]
    #: p-values adjusted by Holm's method for the number of comparisons in the table; nan if nothing varies
    p_values: Mapping[str, float] = field(default_factory=dict)
    #: confidence level
    level: float = 0.95

    def significant(self, metric: str) -> bool:
        """Whether the difference of `metric` is significant within the table: its adjusted p-value is at most 1 -
        level.
        """
        return self.p_values.get(metric, math.nan) <= 1 - self.level


def compare_with(
    sweep: Sweep, key: str, value: object, level: float = 0.95, metrics: Sequence[str] | None = None
) -> list[Compared]:
    """Compare every point with the one where `key` is set to `value` and all else is equal: paired differences, point
    minus baseline.

    - `sweep`: a sweep with replications.
    - `level`: confidence level of the intervals.
    - `metrics`: the metrics to compare; all by default. Fewer metrics leave more power.

    The same replication has the same random numbers at both points, as `stats.paired` needs. Replications that either
    point lacks are left out. All comparisons of the metrics at all points are one family for Holm's method.
    `ScenarioError` for a key that is not varied, a value that it does not have, or a sweep without replications.
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
        raise ScenarioError("expected at least 2: a comparison needs replications", key="replications")
    # Keys that are set together with this one differ with it.
    moved = next(set(axis.keys) for axis in sweep.grid.axes if key in axis.keys)

    def rest(cell: Cell) -> tuple[tuple[str, str], ...]:
        return tuple((name, str(one)) for name, one in cell.point.settings.items() if name not in moved)

    baselines = {rest(cell): cell for cell in sweep.cells if str(cell.point.settings[key]) == str(value)}
    found: list[Compared] = []
    names = [name for name in sweep.metrics() if metrics is None or name in metrics]
    for cell in sweep.cells:
        base = baselines[rest(cell)]
        if cell is base or str(cell.point.settings[key]) == str(value):
            continue
        differences, relative = {}, {}
        for metric in names:
            column = sweep.measured.columns[metric]
            first, second = column[cell.index], column[base.index]
            both = ~(np.isnan(first) | np.isnan(second))
            if both.sum() < 2:
                continue
            differences[metric] = paired(first[both], second[both], level)
            mean = float(second[both].mean())
            relative[metric] = differences[metric].interval.mean / mean if mean else float("nan")
        found.append(Compared(cell.point.settings, differences, relative, level=level))
    family = iter(adjusted([one for compared in found for one in compared.differences.values()]))
    return [replace(one, p_values={metric: next(family) for metric in one.differences}) for one in found]


def text(sweep: Sweep, key: str, value: object, metrics: Sequence[str] | None = None) -> str:
    """One line per point, one column per metric: the difference ± half-width, in per cent of the baseline, d_z and
    Hedges' g.

    A star marks a difference that is significant at 5 % after Holm's correction for all comparisons of the table. A
    table of identical variants has a star in at most 5 % of cases.
    """
    names = list(metrics) if metrics is not None else [name for name in sweep.metrics() if "." not in name]
    compared = compare_with(sweep, key, value, metrics=names)
    settings = list(dict.fromkeys(name for one in compared for name in one.settings))
    head = [*settings, "n", *(f"{name}{unit_of(name)[1].replace(' ', ', ', 1)}" for name in names)]
    lines = [head]
    for one in compared:
        most = max((difference.interval.n for difference in one.differences.values()), default=0)
        shown = [str(one.settings.get(name, "")) for name in settings]
        lines.append([*shown, str(most), *(_difference(one, name) for name in names)])
    count = sum(not math.isnan(p) for one in compared for p in one.p_values.values())
    foot = (
        f"less {key} = {value}, paired by replication: mean ± half of the 95 % interval, share, d_z, Hedges' g; "
        f"* significant at 5 % among all {count} (Holm)"
    )
    return "\n".join([*columns(lines, len(settings)), foot])


def _difference(one: Compared, metric: str) -> str:
    difference, scale = one.differences.get(metric), unit_of(metric)[0]
    if difference is None:
        return "-"
    interval = difference.interval
    if math.isnan(interval.half_width):
        return f"{interval.mean / scale:+.3g} in all {interval.n} pairs " if interval.mean else "no difference "
    star = "*" if one.significant(metric) else " "
    size = f"{interval.mean / scale:+.3g} ± {interval.half_width / scale:.2g}"
    return f"{size}, {one.relative[metric]:+.1%}, d_z {difference.effect:+.1f}, g {difference.hedges_g:+.1f}{star}"
