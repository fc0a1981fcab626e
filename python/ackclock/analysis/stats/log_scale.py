"""Intervals of skewed positive values and of ratios, by their logarithms.

Sources: U. Olsson, "Confidence Intervals for the Mean of a Log-Normal Distribution", Journal of Statistics Education
13(1), 2005 (Cox's method with Student's quantile); J. Fleming, J. Wallace, "How Not to Lie with Statistics: The Correct
Way to Summarize Benchmark Results", CACM 29(3), 1986 (ratios have a geometric mean).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.analysis.stats.interval import Interval, check_varies, mean_of, student_quantile
from ackclock.analysis.stats.samples import identical, logarithms, pair
from ackclock.analysis.stats.shape import NOT_LOGNORMAL, lognormal_p, skewed, skewness

#: Of fewer values nobody can see whether they are lognormal.
FEW = 8


def geometric_mean(values: ArrayLike, level: float = 0.95) -> Interval:
    """The geometric mean of independent positive values; its interval is on the log scale.

    - `values`: shape (n,), n at least 2, all above 0.
    - `level`: confidence level.

    The interval is Student's of the logarithms. The geometric mean of lognormal values is the median. It is smaller
    than the arithmetic mean, which `lognormal_mean` estimates. `warning` is set for fewer than 8 values, and if the
    logarithms are not normal and too few for that not to matter. `ValueError` for values that are not above 0 or all
    identical.
    """
    logs = logarithms(values, "values", 2)
    check_varies(np.exp(logs), "values")
    return _exponential(mean_of(logs, level, "geometric mean", _not_normal(logs)))


def lognormal_mean(values: ArrayLike, level: float = 0.95) -> Interval:
    """The arithmetic mean of independent lognormal values; the interval is on the log scale.

    - `values`: shape (n,), n at least 2, all above 0.
    - `level`: confidence level.

    The estimate is exp(m + s^2/2) from the mean m and variance s^2 of the logarithms. The interval is Cox's with
    Student's quantile: m + s^2/2 ± t sqrt(s^2/n + s^4/(2 (n - 1))) (Olsson 2005, section 3.3). `warning` is set if the
    values are not lognormal by Shapiro and Wilk's test at 10 %, for fewer than 8 values, and for so wide a distribution
    that n is too small (s^2 > n/5). `ValueError` for values that are not above 0 or all identical.
    """
    logs = logarithms(values, "values", 2)
    check_varies(np.exp(logs), "values")
    n, variance = len(logs), float(logs.var(ddof=1))
    error = math.sqrt(variance / n + variance**2 / (2 * (n - 1)))
    if n < FEW:
        warning = _few(n)
    elif lognormal_p(logs) < NOT_LOGNORMAL:
        warning = "the values do not look lognormal, their mean may be elsewhere"
    elif variance > n / 5:
        warning = f"the values are too few for logarithms whose variance is {variance:.1f}"
    else:
        warning = ""
    mean = float(logs.mean()) + variance / 2
    return _exponential(Interval(mean, student_quantile(n - 1, level) * error, n, level, warning=warning))


def ratio(first: ArrayLike, second: ArrayLike, level: float = 0.95) -> Interval:
    """The first variant's metric over the second's, pair by pair: geometric mean, with an interval on the log scale.

    - `first`, `second`: shape (n,) both, n at least 2, all above 0; replication i of one belongs to i of the other.
    - `level`: confidence level.

    The variants differ significantly if 1 is outside the interval. With the variants exchanged, estimate and ends are
    the reciprocals, which a mean of plain ratios would not give. `warning` is set if the logarithms of the ratios are
    skewed. `ValueError` for values that are not above 0, and if all ratios are identical.
    """
    one, other = pair(first, second, ("first", "second"), 2)
    logs = logarithms(one, "first", 2) - logarithms(other, "second", 2)
    if identical(logs, 1.0):
        raise ValueError(
            f"ratios: all {len(logs)} are identical ({math.exp(logs[0]):.6g}), which counts as one run: no interval"
        )
    return _exponential(mean_of(logs, level, "ratio", skewed(logs, any_sign=True)))


def _exponential(interval: Interval) -> Interval:
    return replace(interval, mean=math.exp(interval.mean), scale="log")


def _not_normal(logs: NDArray[np.float64]) -> str:
    n = len(logs)
    if n < FEW:
        return _few(n)
    matters = n < 20 or n < 25 * skewness(logs) ** 2
    if matters and lognormal_p(logs) < NOT_LOGNORMAL:
        return "the logarithms of the values do not look normal, the interval may be too narrow"
    return ""


def _few(n: int) -> str:
    return f"{n} values are too few to see whether they are lognormal, which the interval assumes"
