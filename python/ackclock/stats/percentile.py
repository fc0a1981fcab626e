"""Percentiles of completion times and delays, with intervals that ask nothing of how they are distributed.

Source: W. Conover, *Practical Nonparametric Statistics*, section 3.2: the ends are two of the sorted values, by the
binomial distribution, which is SciPy's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ackclock.stats.samples import samples


@dataclass(frozen=True)
class Percentile:
    """The value below which `percent` of all are, and where the true one is with probability `level` at least.

    `low` or `high` is None where `n` values are too few to say.
    """

    percent: float
    value: float
    low: float | None
    high: float | None
    n: int
    level: float


def percentiles(
    values: ArrayLike, percents: Sequence[float] = (50, 90, 95, 99), level: float = 0.95
) -> list[Percentile]:
    """Percentiles of independent values, shape (n,): completion times in seconds, say.

    The value is interpolated between two, as NumPy does. `ValueError` for percents outside 0 to 100, both excluded.
    """
    array = np.sort(samples(values, "values"))
    if not 0 < level < 1:
        raise ValueError(f"level = {level}: expected a probability, above 0 and below 1")
    from scipy.special import bdtr  # type: ignore[import-untyped]  # as long to load as many runs take

    found = []
    for percent in percents:
        if not 0 < percent < 100:
            raise ValueError(f"percents: expected numbers above 0 and below 100, got {percent}")
        share = percent / 100
        below = bdtr(np.arange(len(array)), len(array), share)  # that at most 0, 1, ... n-1 values are below it
        first = int(np.searchsorted(below, (1 - level) / 2, side="right"))
        last = int(np.searchsorted(below, (1 + level) / 2, side="left"))
        low = float(array[first - 1]) if first else None
        high = float(array[last]) if last < len(array) else None
        found.append(Percentile(percent, float(np.quantile(array, share)), low, high, len(array), level))
    return found
