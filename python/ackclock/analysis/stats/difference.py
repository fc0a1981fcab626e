"""Comparisons of two variants: the difference, its significance and its effect size.

Sources: A. Law, W. Kelton, *Simulation Modeling and Analysis*, sections 10.2.1 (paired) and 10.2.2 (Welch); J. Cohen,
*Statistical Power Analysis for the Behavioral Sciences*, 1988, chapter 2 (effect sizes d and d_z); L. Hedges,
"Distribution Theory for Glass's Estimator of Effect Size and Related Estimators", Journal of Educational Statistics
6(2), 1981, equation 6e (the correction for small samples); S. Holm, "A Simple Sequentially Rejective Multiple Test
Procedure", Scandinavian Journal of Statistics 6(2), 1979.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.analysis.stats.interval import Interval, mean_of, student_quantile
from ackclock.analysis.stats.samples import deviation, identical, pair, probability, samples
from ackclock.analysis.stats.shape import skewed


@dataclass(frozen=True)
class Difference:
    """The first variant's mean minus the second's, with its interval, its p-value and its effect size.

    If nothing varies there is no interval, no p-value and no effect: all are nan, and `interval.warning` says why.
    """

    #: the difference of the means, in the values' unit
    interval: Interval
    #: In standard deviations, as `kind` says. About 0.2 is called small, 0.5 medium, 0.8 large.
    effect: float
    #: `d`, Cohen's: by the pooled standard deviation; or `d_z`, of pairs: by the standard deviation of the differences
    kind: str = "d"
    #: Hedges' g: `effect` without the upward bias that it has in small samples
    hedges_g: float = math.nan
    #: two-sided, that the means are equal
    p_value: float = math.nan

    @property
    def significant(self) -> bool:
        """Whether there is an interval and 0 is outside it. For many differences use `holm`."""
        return not math.isnan(self.interval.half_width) and 0.0 not in self.interval


def paired(first: ArrayLike, second: ArrayLike, level: float = 0.95) -> Difference:
    """Compare variants that ran with the same random numbers, replication by replication.

    - `first`, `second`: shape (n,) both, n at least 2; replication i of one belongs to replication i of the other.
    - `level`: confidence level of the interval.

    The pairing removes from the difference what both variants share in a replication. `effect` is d_z, the mean
    difference over the standard deviation of the differences. It is larger than Cohen's d if the pairs are positively
    correlated; the two cannot be compared. `interval.warning` is set if the differences are skewed. `ValueError` for
    lengths that differ or are below 2. Source: Law and Kelton, section 10.2.1.
    """
    one, other = pair(first, second, ("first", "second"), 2)
    probability(level)
    apart = one - other
    n = len(apart)
    if identical(apart, float(max(np.abs(one).max(), np.abs(other).max()))):
        same = _no_noise(float(apart.mean()), one, other)
        why = f"the same difference in all {n} pairs: no interval"
        return Difference(Interval(same, math.nan, n, level, of="difference", warning=why), math.nan, "d_z")
    interval = mean_of(apart, level, "difference", skewed(apart, any_sign=True))
    effect = float(apart.mean()) / deviation(apart)
    return Difference(interval, effect, "d_z", effect * small_sample(n - 1), _p_value(effect * math.sqrt(n), n - 1))


def welch(first: ArrayLike, second: ArrayLike, level: float = 0.95) -> Difference:
    """Compare variants with independent replications, whose variances may differ, by Welch's interval.

    - `first`, `second`: shapes (n,) and (m,), both at least 2; `n` of the interval is n + m.
    - `level`: confidence level of the interval.

    `effect` is Cohen's d, with the pooled standard deviation. `interval.warning` is set if either sample is skewed.
    `ValueError` for fewer than 2 values. Source: Law and Kelton, section 10.2.2.
    """
    one, other = samples(first, "first", 2), samples(second, "second", 2)
    probability(level)
    n, m = len(one), len(other)
    mean = _no_noise(float(one.mean() - other.mean()), one, other)
    spreads = [0.0 if identical(x) else deviation(x) for x in (one, other)]
    if not any(spreads):
        why = "all replications of each variant are identical: no interval"
        return Difference(Interval(mean, math.nan, n + m, level, of="difference", warning=why), math.nan)
    unit = max(spreads)  # so that no square underflows
    u, v = (spreads[0] / unit) ** 2, (spreads[1] / unit) ** 2
    a, b = u / n, v / m
    degrees = (a + b) ** 2 / (a**2 / (n - 1) + b**2 / (m - 1))
    error = unit * math.sqrt(a + b)
    warning = next((told for x in (one, other) if (told := skewed(x))), "")
    half_width = student_quantile(degrees, level) * error
    effect = mean / (unit * math.sqrt(((n - 1) * u + (m - 1) * v) / (n + m - 2)))
    interval = Interval(mean, half_width, n + m, level, of="difference", warning=warning)
    return Difference(interval, effect, "d", effect * small_sample(n + m - 2), _p_value(mean / error, degrees))


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """p-values adjusted for their number by Holm's method, in the given order.

    `p_values` has shape (n,); an empty sequence stays empty. Call a difference significant if its adjusted p-value is
    at most 0.05. Then at most 5 % of tables name a difference that does not exist, however the comparisons depend on
    each other. `ValueError` for a number outside 0 to 1. Source: Holm 1979.
    """
    array = samples(p_values, "p_values", 0)
    wrong = np.flatnonzero((array < 0) | (array > 1))
    if len(wrong):
        raise ValueError(f"p_values[{wrong[0]}] = {array[wrong[0]]:g}: expected a probability, from 0 to 1")
    order = np.argsort(array, kind="stable")
    stepped = np.maximum.accumulate(array[order] * np.arange(len(array), 0, -1))
    adjusted = np.empty_like(array)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def small_sample(degrees_of_freedom: int) -> float:
    """Hedges' correction of an effect size, exactly: J(m) = Γ(m/2) / (sqrt(m/2) Γ((m - 1)/2)); 0 for m = 1."""
    half = degrees_of_freedom / 2
    if half <= 0.5:
        return 0.0
    return math.exp(math.lgamma(half) - math.lgamma(half - 0.5)) / math.sqrt(half)


def adjusted(differences: Sequence[Difference]) -> list[float]:
    """Holm's adjusted p-values of some differences; nan for those that have none, which do not count."""
    there = [number for number, one in enumerate(differences) if not math.isnan(one.p_value)]
    found = [math.nan] * len(differences)
    for number, p in zip(there, holm([differences[number].p_value for number in there]), strict=True):
        found[number] = float(p)
    return found


def _p_value(t: float, degrees_of_freedom: float) -> float:
    from scipy.special import stdtr  # type: ignore[import-untyped]  # as long to load as many runs take

    return 2 * float(stdtr(degrees_of_freedom, -abs(t)))


def _no_noise(mean: float, one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """A difference of means, 0 where it is rounding only."""
    both = np.concatenate([one, other])
    return 0.0 if identical(np.array([0.0, mean]), float(np.abs(both).max())) else mean
