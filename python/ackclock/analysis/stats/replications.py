"""The mean of replications whose series are known, not their means alone.

Ten means cannot show that the runs behind them are short: that each begins with a warm-up, or has a skewed mean. The
series can. Sources: A. Law, W. Kelton, *Simulation Modeling and Analysis*, section 9.5.2 (replication/deletion); L.
Schruben, "Detecting Initialization Bias in Simulation Output", Operations Research 30(3), 1982 (a test before the mean
is used); G. Fishman, "Grouping Observations in Digital Simulation", Management Science 24(5), 1978 (von Neumann's ratio
decides whether parts are long enough); W. Cochran, *Sampling Techniques*, section 2.15 (skewness).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.analysis.stats.interval import Interval, check_varies, mean_of, student_quantile
from ackclock.analysis.stats.samples import deviation, identical, probability, table
from ackclock.analysis.stats.shape import CORRELATED, skewed, von_neumann

#: Each run is cut into so many parts, as `batch_means` does with a batch.
PARTS = 20
#: So many parts of all runs together, at least: of fewer, the test of correlation overlooks most.
ALL_PARTS = 200
#: The runs' beginnings count as different where chance alone makes them so in one of so many experiments.
DIFFERENT = 0.05


def replication_means(runs: ArrayLike, level: float = 0.95) -> Interval:
    """The mean of independent replications, with Student's interval of the runs' means and a look at the runs.

    `runs` has shape (m, n): a row for each run, m at least 2, with n values in the order of time, the warm-up taken off
    (`warm_up.mser5` of all runs gives one cut). `level` is that of the interval. `n` of the result
    is m. `student` of the means gives the same interval, but sees nothing of the runs. Each run is cut into at least 20
    parts, together at least 200. `warning` is set where

    - the parts' means are correlated (von Neumann's test at 1 %): a run is not long for its correlation, so its mean
      may be skewed, and the beginning counts for much of it;
    - the parts are so skewed that the mean of all runs is as well;
    - the first parts differ from the rest of their runs (Student's test of the differences at 5 %): there is a warm-up.

    `ValueError` for fewer than 2 runs, for runs with fewer values than parts, and where all means are identical.
    """
    probability(level)
    array = table(runs, "runs", 1)
    count = len(array)
    if count < 2:
        raise ValueError("runs: expected at least 2, got 1")
    parts = max(PARTS, math.ceil(ALL_PARTS / count))
    array = table(runs, "runs", parts)
    means = array.mean(axis=1)
    check_varies(means, "means of runs")
    return mean_of(means, level, warning=_warning(array, parts))


def _warning(array: NDArray[np.float64], parts: int) -> str:
    """What in the runs may make the interval of their mean too narrow, else ""."""
    count, n = array.shape
    size = n // parts
    pieces = array[:, n - parts * size :].reshape(count, parts, size).mean(axis=2)
    # The runs one after the other: where they join there is no correlation, at one place in 20.
    _, p = von_neumann(pieces.reshape(-1))
    if p < CORRELATED:
        return (
            f"the runs are short for their correlation (von Neumann's test of {parts} parts of each: p = {p:.1g}), "
            "the interval may be too narrow"
        )
    found = []
    apart = array[:, :size].mean(axis=1) - array[:, size:].mean(axis=1)
    if not identical(apart, float(np.abs(array).max())):
        error = deviation(apart) / math.sqrt(count)
        if abs(float(apart.mean())) > student_quantile(count - 1, 1 - DIFFERENT) * error:
            found.append(f"the first {1 / parts:.0%} of the runs differ from the rest: there may be a warm-up to cut")
    # A warm-up that is much higher than the rest is skewness too; and Student's test of very skewed differences finds a
    # warm-up too often. So whoever reads one of the two has to know of the other.
    found.append(skewed(pieces.reshape(-1), any_sign=True))
    return "; ".join(filter(None, found))
