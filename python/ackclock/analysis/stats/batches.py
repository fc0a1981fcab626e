"""Intervals of one long correlated series, by batches of it: of its mean and of its percentiles.

Sources: A. Law, W. Kelton, *Simulation Modeling and Analysis*, section 9.5.3 (batch means); B. Schmeiser, "Batch Size
Effects in the Analysis of Simulation Output", Operations Research 30(3), 1982 (10 to 30 batches are enough); G.
Fishman, "Grouping Observations in Digital Simulation", Management Science 24(5), 1978 (von Neumann's ratio decides
whether batches are long enough); S. Asmussen, P. Glynn, *Stochastic Simulation*, 2007, section III.5 (sectioning).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.analysis.stats.interval import Interval, check_varies, mean_of, student_quantile
from ackclock.analysis.stats.percentile import Percentile, share_of
from ackclock.analysis.stats.samples import probability, samples, whole
from ackclock.analysis.stats.shape import CORRELATED, skewed, von_neumann

#: The test of correlation looks at so many parts of each batch. Of 20 batches it would overlook most.
PARTS = 20
#: So many values of each batch, at least, must lie beyond the percentile.
BEYOND = 5


def batch_means(values: ArrayLike, *, batches: int = 20, level: float = 0.95) -> Interval:
    """The mean of one long correlated series, with an interval from the means of equal parts of it (batches).

    - `values`: shape (n,), equally spaced samples or one for each packet, without the warm-up (`warm_up.mser5`). Values
      that do not fill a batch are left out at the beginning.
    - `batches`: how many batches; `n` of the result.
    - `level`: confidence level, above 0 and below 1.

    `ValueError` for fewer than 2 batches or 2 values a batch, for batches that are all identical, and for a series that
    is too short for its correlation: each batch is cut into 20 parts, and the means of all parts must pass von
    Neumann's test at 1 %. The batches, which are 20 times as long, are then nearly uncorrelated. `warning` is set if
    the parts are so skewed that the mean is as well. Source: Law and Kelton, section 9.5.3.
    """
    whole(batches, "batches", 2)
    probability(level)
    array = _fill(values, batches)
    means = array.reshape(batches, -1).mean(axis=1)
    check_varies(means, "means of batches")
    parts = _check_correlation(array, batches, f"{batches} batches of {len(array) // batches}")
    return mean_of(means, level, warning=skewed(parts, any_sign=True))


def batch_percentiles(
    values: ArrayLike,
    percents: Sequence[float] = (50, 90, 95, 99),
    *,
    batches: int = 20,
    level: float = 0.95,
) -> list[Percentile]:
    """Percentiles of one long correlated series, with intervals from the percentiles of its batches (sectioning).

    - `values`, `batches`, `level`: as for `batch_means`.
    - `percents`: numbers above 0 and below 100.

    The estimate is the percentile of all values. The interval is Student's with the batches' squared distances from it
    and batches - 1 degrees of freedom. `ValueError` as for `batch_means`, where the test of correlation looks at
    whether values lie below the percentile; and if fewer than 5 values of a batch lie beyond it. For independent values
    `percentiles` assumes less. Source: Asmussen and Glynn, section III.5.
    """
    whole(batches, "batches", 2)
    probability(level)
    array = _fill(values, batches)
    size = len(array) // batches
    found = []
    for percent in percents:
        share = share_of(percent)
        if size * min(share, 1 - share) < BEYOND * (1 - 1e-9):
            least = math.ceil(BEYOND * batches / min(share, 1 - share))
            raise ValueError(f"values: expected at least {least} for percentile {percent:g}, got {len(array)}")
        value = float(np.quantile(array, share))
        below = (array <= value).astype(np.float64)
        _check_correlation(below, batches, f"percentile {percent:g} of {batches} batches of {size}")
        apart = np.quantile(array.reshape(batches, size), share, axis=1) - value
        error = math.sqrt(float((apart**2).sum()) / (batches - 1) / batches)
        half_width = student_quantile(batches - 1, level) * error
        found.append(Percentile(percent, value, value - half_width, value + half_width, len(array), level))
    return found


def _fill(values: ArrayLike, batches: int) -> NDArray[np.float64]:
    """The values that fill the batches, at least two each."""
    array = samples(values, "values", 2 * batches)
    return array[len(array) % batches :]


def _check_correlation(array: NDArray[np.float64], batches: int, what: str) -> NDArray[np.float64]:
    """The means of the parts of the batches. `ValueError` where these are correlated."""
    parts = batches * min(PARTS, len(array) // batches)
    size = len(array) // parts
    means: NDArray[np.float64] = array[len(array) - size * parts :].reshape(parts, size).mean(axis=1)
    lag_1, p = von_neumann(means)
    if p >= CORRELATED:
        return means
    # Of an exponentially falling correlation little is left after six time constants.
    longer = math.ceil(max(2.0, -6 / math.log(lag_1))) if 0 < lag_1 < 0.98 else 300
    raise ValueError(
        f"values: {what} are too short for the correlation (von Neumann's test of {parts} parts: p = {p:.1g}); "
        f"expected a run about {longer} times as long{' or longer' if longer == 300 else ''}"
    )
