"""Intervals of means of independent replications, and replicating until one is narrow.

Sources: A. Law, W. Kelton, *Simulation Modeling and Analysis*, chapter 9 (replications; replicating until the interval
is narrow); G. Simons, "On the Cost of not Knowing the Variance when Making a Fixed-Width Confidence Interval for the
Mean", Annals of Mathematical Statistics 39(6), 1968. Student's quantiles are SciPy's. docs/coverage.md has measured
coverage.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.analysis.stats.samples import deviation, identical, pair, probability, samples, whole
from ackclock.analysis.stats.shape import skewed

#: The least number of replications before a stopping rule looks at the interval: fewer look narrow by chance too often.
AT_LEAST = 10
#: A stopping rule prefers samples that look narrow by chance. About so many replications more make up for it.
LOOK_PENALTY = 3


@dataclass(frozen=True)
class Interval:
    """An estimate and an interval that contains the true value with probability `level`, from `n` values.

    On the scale `linear` the true value is within `half_width` of `mean`, both in the values' unit. On the scale `log`
    it is within the factor exp(`half_width`) of `mean`. `half_width` is nan if there is no interval. `warning` says
    why, or how the values differ from what the method assumes.
    """

    mean: float
    half_width: float
    n: int
    level: float = 0.95
    #: `linear` or `log`
    scale: str = "linear"
    #: what is estimated: `mean`, `geometric mean`, `ratio`, `difference`
    of: str = "mean"
    #: empty where nothing is wrong
    warning: str = ""

    @property
    def low(self) -> float:
        """The lower end."""
        return self.mean * math.exp(-self.half_width) if self.scale == "log" else self.mean - self.half_width

    @property
    def high(self) -> float:
        """The upper end."""
        return self.mean * math.exp(self.half_width) if self.scale == "log" else self.mean + self.half_width

    def _repr_html_(self) -> str:
        from ackclock._internal.html import table

        row = [f"{value:.6g}" for value in (self.mean, self.low, self.high, 100 * self.level)]
        notes = [self.warning] if self.warning else []
        return table([self.of, "low", "high", "level %", "n"], [[*row, str(self.n)]], 0, notes)

    @property
    def relative(self) -> float:
        """The distance of the upper end from the estimate as a share of it; infinite for an estimate of 0."""
        if self.scale == "log":
            return math.expm1(self.half_width)
        return self.half_width / abs(self.mean) if self.mean else float("inf")

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if math.isnan(self.half_width):
            return f"{self.mean:.4g} ({self.warning})"
        what = "" if self.of in ("mean", "difference") and self.scale == "linear" else f"{self.of}, "
        notes = f"({what}{self.level:.0%}, n = {self.n})" + (f", warning: {self.warning}" if self.warning else "")
        if self.scale == "log":
            return f"{self.mean:.4g}, {self.low:.4g} to {self.high:.4g} {notes}"
        return f"{self.mean:.4g} ± {self.half_width:.2g} {notes}"


def student(values: ArrayLike, level: float = 0.95) -> Interval:
    """The mean of independent values, one from each replication, with Student's interval.

    - `values`: shape (n,), n at least 2, roughly normal. `warning` is set if they are too skewed; use `geometric_mean`
      or `lognormal_mean` for those.
    - `level`: confidence level, above 0 and below 1.

    `ValueError` for fewer than 2 values, which have no interval, and for values that are all identical: replications
    without randomness are one run. Source: Law and Kelton, *Simulation Modeling and Analysis*, section 9.4.1.
    """
    array = samples(values, "replications", 2)
    check_varies(array, "replications")
    return mean_of(array, level, warning=skewed(array))


def ratio_of_means(numerators: ArrayLike, denominators: ArrayLike) -> list[float]:
    """The ratio of two means over replications, as n values: their mean is the ratio, and `student` has its interval.

    `numerators` y and `denominators` x have shape (n,); replication i of one belongs to i of the other. With r, the
    ratio of the two means, value i is r + (y_i - r x_i) / mean(x): the ratio linearised about the means (the delta
    method). Values of 0 are allowed, also in the denominators. The mean of the ratios y_i / x_i would be biased
    upwards. The interval is that of large samples: by Cochran's working rule n is above 30, and the standard errors of
    both means are below a tenth of them. For values above 0, `ratio` has the geometric mean of the ratios and an
    interval on the log scale. `ValueError` for sequences of different lengths, and where the denominators' mean is 0.
    Source: W. Cochran, *Sampling Techniques*, chapter 6 (the ratio estimator, linearised).
    """
    ys, xs = (array.tolist() for array in pair(numerators, denominators, ("numerators", "denominators")))
    mean = fmean(xs)
    if mean == 0:
        raise ValueError("denominators: expected a mean other than 0")
    ratio = fmean(ys) / mean
    return [ratio + (y - ratio * x) / mean for y, x in zip(ys, xs, strict=True)]


def replicate(
    run: Callable[[int], float],
    *,
    relative: float = 0.05,
    at_least: int = AT_LEAST,
    at_most: int = 1000,
    level: float = 0.95,
) -> Iterator[Interval]:
    """Replicate until the interval is narrow. Yields the interval after each replication from the second on.

    - `run`: `run(i)` returns the value of replication i, from 0, with random numbers of its own.
    - `relative`: half of the interval as a share of the mean at which to stop, above 0.
    - `at_least`, `at_most`: bounds of the number of replications; `at_least` is at least 10.
    - `level`: confidence level.

    It stops at the first interval from `at_least` replications on that is narrow enough, or after `at_most`;
    `Interval.relative` tells which. The intervals after the first look have the look penalty (`stopped`). Values that
    are identical so far give no interval. `ValueError` if they still are after `at_least` replications, for an
    `at_least` below 10, and for a `relative` that is not above 0.
    """
    if not relative > 0:
        raise ValueError(f"relative = {relative}: expected a share of the mean, above 0")
    whole(at_least, "at_least", AT_LEAST)
    whole(at_most, "at_most", at_least)
    probability(level)
    values: list[float] = []
    while len(values) < at_most:
        values.append(run(len(values)))
        array = samples(values, "replications")
        if identical(array):
            if len(values) == at_least:
                check_varies(array, "replications")
            continue
        interval = stopped(array, at_least, level)
        yield interval
        if len(values) >= at_least and interval.relative <= relative:
            return


def stopped(values: ArrayLike, at_least: int = AT_LEAST, level: float = 0.95) -> Interval:
    """The interval of a sample whose size a stopping rule chose: Student's, wider by sqrt(1 + 3/n) after more than one
    look.

    - `values`: shape (n,), n at least 2.
    - `at_least`: the size at the first look; the penalty applies if n is larger.
    - `level`: confidence level.

    The penalty counts about three values fewer. Without it, samples that stop early because they look narrow by chance
    lower the coverage of 95 % intervals to 93 % around 20 replications. Simons (1968) shows that a fixed number of
    further values makes up for it, whatever the variance. That it is three is measured (docs/coverage.md). `ValueError`
    as for `student`.
    """
    plain = student(values, level)
    if plain.n <= at_least:
        return plain
    return replace(plain, half_width=plain.half_width * math.sqrt(1 + LOOK_PENALTY / plain.n))


def student_quantile(degrees_of_freedom: float, level: float = 0.95) -> float:
    """The two-sided quantile of Student's t: t stays within it on both sides with probability `level`.

    `degrees_of_freedom` is a number above 0. `ValueError` for a level outside 0 to 1.
    """
    probability(level)
    from scipy.special import stdtrit  # type: ignore[import-untyped]  # as long to load as many runs take

    return float(stdtrit(degrees_of_freedom, (1 + level) / 2))


def mean_of(array: NDArray[np.float64], level: float, of: str = "mean", warning: str = "") -> Interval:
    """Student's interval of values that are checked already."""
    n = len(array)
    mean = float(array[0] + (array - array[0]).mean())  # exact where all are equal
    half_width = student_quantile(n - 1, level) * deviation(array) / math.sqrt(n)
    return Interval(mean, half_width, n, level, of=of, warning=warning)


def check_varies(array: NDArray[np.float64], what: str) -> None:
    """`ValueError` for values that are all identical, but for rounding."""
    if identical(array):
        raise ValueError(
            f"{what}: all {len(array)} are identical ({array[0]:.6g}), which counts as one run: no interval"
        )
