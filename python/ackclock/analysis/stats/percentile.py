"""Percentiles of completion times and delays, with intervals that ask nothing of how they are distributed.

Source: W. Conover, *Practical Nonparametric Statistics*, section 3.2: the ends are two of the sorted values, by the
binomial distribution, which is SciPy's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ackclock.analysis.stats.samples import probability, samples
from ackclock.analysis.stats.shape import rank_correlated


@dataclass(frozen=True)
class Percentile:
    """The `value` below which `percent` of all values are, and an interval with probability `level` or more for the
    true one.

    `low` or `high` is None if `n` values are too few. `warning` is empty if nothing is wrong.
    """

    percent: float
    value: float
    low: float | None
    high: float | None
    n: int
    level: float
    warning: str = ""


def percentiles(
    values: ArrayLike, percents: Sequence[float] = (50, 90, 95, 99), level: float = 0.95
) -> list[Percentile]:
    """Percentiles of independent values, for example completion times, with intervals that assume no distribution.

    - `values`: shape (n,), in any unit.
    - `percents`: numbers above 0 and below 100.
    - `level`: confidence level.

    The value is interpolated between two, as NumPy does. `warning` is set if values in the order of time are correlated
    (von Neumann's test of their ranks at 1 %); use `batch_percentiles` for those. `ValueError` for percents outside 0
    to 100.
    """
    given = samples(values, "values")
    probability(level)
    warning = rank_correlated(given)
    array = np.sort(given)
    from scipy.special import bdtr  # type: ignore[import-untyped]  # as long to load as many runs take

    found = []
    for percent in percents:
        share = share_of(percent)
        below = bdtr(np.arange(len(array)), len(array), share)  # that at most 0, 1, ... n-1 values are below it
        first = int(np.searchsorted(below, (1 - level) / 2, side="right"))
        last = int(np.searchsorted(below, (1 + level) / 2, side="left"))
        low = float(array[first - 1]) if first else None
        high = float(array[last]) if last < len(array) else None
        value = float(np.quantile(array, share))
        found.append(Percentile(percent, value, low, high, len(array), level, warning))
    return found


def share_of(percent: float) -> float:
    """A percentile as a share. `ValueError` unless it is above 0 and below 100."""
    if not 0 < percent < 100:
        raise ValueError(f"percents: expected numbers above 0 and below 100, got {percent}")
    return percent / 100
