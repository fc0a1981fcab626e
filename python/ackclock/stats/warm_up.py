"""Where a run's warm-up ends.

Source: K. P. White, "An Effective Truncation Heuristic for Bias Reduction in Simulation Output", Simulation 69(6),
1997; with batches of five, W. Franklin, K. P. White, "Stationarity Tests and MSER-5", Winter Simulation Conference,
2008.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ackclock.stats.samples import samples

#: Values are averaged in fives first, which takes the noise off that MSER alone would follow.
BATCH = 5


@dataclass(frozen=True)
class WarmUp:
    """The first `length` values are warm-up; `ended` is False where the series seems to drift on in its second half.

    A run whose warm-up has not ended is too short for a mean. One in some hundred looks so by chance.
    """

    length: int
    ended: bool


def mser5(values: ArrayLike) -> WarmUp:
    """How much of a series is warm-up: `values[mser5(values).length :]` is the rest.

    Of all places in the first half, the one after which the interval of the mean would be narrowest: where the sum of
    squares about the mean of what remains, over the square of its number, is least. `values` has shape (n,), equally
    spaced, n at least 20. It has not ended where that is the very last place looked at.
    """
    array = samples(values, "values", 4 * BATCH)
    means = array[: len(array) // BATCH * BATCH].reshape(-1, BATCH).mean(axis=1)
    # About the mean of all: sums of squares from the end lose no digits to a large mean.
    rest = (means - means.mean())[::-1]
    count = np.arange(1, len(rest) + 1)
    squares = np.cumsum(rest**2) - np.cumsum(rest) ** 2 / count
    last = len(means) // 2
    errors = (squares / count**2)[::-1][: last + 1]
    dropped = int(np.argmin(errors))
    return WarmUp(dropped * BATCH, dropped < last)
