"""Tests whether values have the distribution that an interval assumes, and whether a series is correlated.

Sources: W. Cochran, *Sampling Techniques*, 3rd ed., 1977, section 2.15 (n > 25 g1^2); J. von Neumann, "Distribution of
the Ratio of the Mean Square Successive Difference to the Variance", Annals of Mathematical Statistics 12(4), 1941;
R. Bartels, "The Rank Version of von Neumann's Ratio Test for Randomness", JASA 77, 1982; S. Shapiro, M. Wilk, "An
Analysis of Variance Test for Normality", Biometrika 52, 1965 (SciPy's).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ackclock.analysis.stats.samples import identical

#: A series counts as correlated where chance alone gives as much correlation in one of so many series.
CORRELATED = 0.01
#: Lognormal values are mistaken for something else in one sample of ten.
NOT_LOGNORMAL = 0.1


def skewness(array: NDArray[np.float64]) -> float:
    """g1, the third central moment over the 3/2-th power of the second; 0 where nothing varies."""
    apart = array - array.mean()
    largest = float(np.abs(apart).max())
    if not largest:
        return 0.0
    apart /= largest  # so that no power underflows
    return float((apart**3).mean()) / math.sqrt(float((apart**2).mean())) ** 3


def skewed(array: NDArray[np.float64], *, any_sign: bool = False) -> str:
    """A warning where Student's interval of these values may be too narrow because they are skewed, else "".

    Two rules, either of which warns. Skewness: beyond 1.64 of its standard errors (10 %), and n < 25 g1^2 (Cochran's
    rule, so that a 95 % interval holds the mean in 94 %). Of few positive values, fewer than 50: a lognormal
    distribution has a greater likelihood than a normal one, and is so skewed that n < 8 g1^2. This second rule is for
    figures that cannot be negative; `any_sign` leaves it out, for differences.
    """
    n = len(array)
    if n < 3 or identical(array):
        return ""
    g1 = skewness(array)
    # The standard error is that of the unbiased G1 of normal values.
    unbiased = g1 * math.sqrt(n * (n - 1)) / (n - 2)
    error = math.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    if abs(unbiased) > 1.64 * error and n < 25 * g1**2:
        return f"the values are skewed (skewness {g1:.1f}), the interval may be too narrow"
    if not any_sign and n < 50 and (array > 0).all():
        logs = np.log(array)
        array = array / array.max()
        logs -= logs.max()
        likelier = math.log(float(array.std())) - float(logs.mean()) - math.log(float(logs.std())) > 0
        grown = math.exp(min(float(logs.var(ddof=1)), 50.0))
        if likelier and n < 8 * (grown + 2) ** 2 * (grown - 1):
            return "the values look lognormal rather than normal, the interval may be too narrow"
    return ""


def lognormal_p(logs: NDArray[np.float64]) -> float:
    """Shapiro and Wilk's p-value of the logarithms; of more than 5,000, of 5,000 that are spread over them."""
    from scipy.stats import shapiro  # type: ignore[import-untyped]  # half a second to load

    return float(shapiro(logs[:: math.ceil(len(logs) / 5000)]).pvalue)


def von_neumann(array: NDArray[np.float64]) -> tuple[float, float]:
    """The lag-1 correlation of a series, and the p-value of von Neumann's ratio against a positive one.

    The ratio is 2 on average for independent values and less for positively correlated ones; its distribution is taken
    as normal, which needs 20 values or more. A series that does not vary has no correlation.
    """
    n = len(array)
    apart = array - array.mean()
    largest = float(np.abs(apart).max())
    if n < 4 or not largest:
        return 0.0, 1.0
    apart /= largest
    squares = float((apart**2).sum())
    ratio = float((np.diff(apart) ** 2).sum()) / squares
    z = (ratio - 2) / math.sqrt(4 * (n - 2) / (n**2 - 1))
    return float((apart[1:] * apart[:-1]).sum()) / squares, 0.5 * math.erfc(-z / math.sqrt(2))


def rank_correlated(array: NDArray[np.float64]) -> str:
    """A warning where values in the order of time are correlated, else "". Sorted values have lost that order.

    By ranks, so that a long tail counts no more than it should; a correlation below 0.05 changes little.
    """
    steps = np.diff(array)
    if len(array) < 20 or (steps >= 0).all() or (steps <= 0).all():
        return ""
    _, place, counts = np.unique(array, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    lag_1, p = von_neumann(ranks)
    if p < CORRELATED and lag_1 > 0.05:
        return f"the values are correlated in the order given (lag 1: {lag_1:.2f}), the intervals are too narrow"
    return ""
