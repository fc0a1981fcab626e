"""Where a run's warm-up ends.

Sources: K. P. White, "An Effective Truncation Heuristic for Bias Reduction in Simulation Output", Simulation 69(6),
1997; with batches of five, W. Franklin, K. P. White, "Stationarity Tests and MSER-5", Winter Simulation Conference,
2008; K. Hoad, S. Robinson, R. Davies, "Automating Warm-up Length Estimation", Journal of the Operational Research
Society 61, 2010 (replications averaged first, the last five batches not looked at, a cut in the second half refused).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.analysis.stats.samples import table

#: Values are averaged in fives first, which takes the noise off that MSER alone would follow.
BATCH = 5
#: MSER of so few batches at the end is small by chance.
NOT_LOOKED_AT = 5
#: A cut of less than this share of the run does little to the mean, whether it was needed or not.
LITTLE = 0.01
#: The 99 % quantile of Student's t with 9 degrees of freedom, two-sided: a cut that differs less may be chance.
CHANCE = 3.250


@dataclass(frozen=True)
class WarmUp:
    """The first `length` values are warm-up; `ended` is False where the series seems to drift on in its second half.

    A run whose warm-up has not ended is too short for a mean. `warning` says so, or that the cut may be chance; it is
    empty where nothing is wrong.
    """

    length: int
    ended: bool
    warning: str = ""


def mser5(values: ArrayLike) -> WarmUp:
    """How much of a series is warm-up: `values[mser5(values).length :]` is the rest.

    Of all places in the first half, the one after which the interval of the mean would be narrowest: where the sum of
    squares about the mean of what remains, over the square of its number, is least. `values` has shape (n,), equally
    spaced, n at least 20; or shape (m, n), of m replications, whose average is looked at: one cut for all. That is the
    way for short runs, since a cut of each one by itself comes after its high values and biases the mean.

    `ended` is False where the least is at the very last place of the first half or in the second half, the last 25
    values left out. `warning` is set then, and where the cut is more than 1 % of the run but may be chance: the run's
    first five values have a mean such as five of the rest have, or the mean of the cut differs from the rest's by less
    than 3.25 standard errors, estimated from ten batches of the rest. Such a cut bites into a stationary run.
    `ValueError` for fewer than 20 values.
    """
    array = table(values, "values", 4 * BATCH).mean(axis=0)
    array = array[: len(array) // BATCH * BATCH]
    means = array.reshape(-1, BATCH).mean(axis=1)
    # About the mean of all: sums of squares from the end lose no digits to a large mean.
    rest = (means - means.mean())[::-1]
    count = np.arange(1, len(rest) + 1)
    squares = np.cumsum(rest**2) - np.cumsum(rest) ** 2 / count
    errors = (squares / count**2)[::-1]
    last = len(means) // 2
    dropped = int(np.argmin(errors[: last + 1]))
    later = errors[last + 1 : len(means) - NOT_LOOKED_AT]
    ended = dropped < last and not (len(later) and later.min() < errors[dropped])
    length = dropped * BATCH
    if not ended:
        return WarmUp(length, False, "the warm-up does not end in the first half: the run is too short")
    if length > LITTLE * len(array) and _may_be_chance(array, length):
        share = length / len(array)
        return WarmUp(length, True, f"{share:.0%} of the run are cut, but may differ from the rest by chance only")
    return WarmUp(length, True)


def _may_be_chance(array: NDArray[np.float64], length: int) -> bool:
    """Whether the run begins as it goes on, or what is cut has a mean that a part of a correlated series may have."""
    rest = array[length:]
    fives = rest.reshape(-1, BATCH).mean(axis=1)
    if fives.min() <= array[:BATCH].mean() <= fives.max():
        return True
    size = len(rest) // 10
    batches = rest[len(rest) - 10 * size :].reshape(10, size).mean(axis=1)
    spread = size * float(batches.var(ddof=1)) * (1 / length + 1 / len(rest))
    return abs(float(array[:length].mean() - rest.mean())) < CHANCE * math.sqrt(spread)
