"""Means with intervals: of replications, of batches of one long run, and until they are narrow enough.

Sources: A. Law, W. Kelton, *Simulation Modeling and Analysis*, chapter 9 (replications; batch means; replicating until
the interval is narrow); B. Schmeiser, "Batch Size Effects in the Analysis of Simulation Output", Operations Research
30(3), 1982 (10 to 30 batches are enough). Student's quantiles are SciPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ackclock.stats.samples import samples


@dataclass(frozen=True)
class Interval:
    """A mean and where the true one is: within `half_width` of it, with probability `level`, from `n` values."""

    mean: float
    half_width: float
    n: int
    level: float = 0.95

    @property
    def low(self) -> float:
        """The lower end."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The upper end."""
        return self.mean + self.half_width

    @property
    def relative(self) -> float:
        """Half the width as a share of the mean; infinite for a mean of 0."""
        return self.half_width / abs(self.mean) if self.mean else float("inf")

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.mean:.4g} ± {self.half_width:.2g} ({self.level:.0%}, n = {self.n})"


def student(values: ArrayLike, level: float = 0.95) -> Interval:
    """The mean of independent values, one from each replication, with Student's interval.

    `values` has shape (n,), n at least 2; `ValueError` otherwise: one run has no interval.
    """
    array = samples(values, "replications", 2)
    n = len(array)
    apart = array - array[0]  # of equal values exactly nothing, where their mean may be rounded
    spread = float(apart.std(ddof=1)) / n**0.5
    return Interval(float(array[0] + apart.mean()), student_quantile(n - 1, level) * spread, n, level)


def batch_means(values: ArrayLike, *, batches: int = 20, level: float = 0.95) -> Interval:
    """The mean of one long series, with an interval from the means of `batches` equal parts of it.

    `values` has shape (n,): equally spaced samples, or one for each packet, the warm-up taken off (`warm_up.mser5`).
    What does not fill a batch is left out at the beginning. The parts must be much longer than what happens at one time
    has an effect. `n` of the result is `batches`. `ValueError` for fewer than 2 batches or 2 values a batch.
    """
    if batches < 2:
        raise ValueError(f"batches = {batches}: expected at least 2")
    array = samples(values, "values", 2 * batches)
    size = len(array) // batches
    return student(array[len(array) - size * batches :].reshape(batches, size).mean(axis=1), level)


def replicate(
    run: Callable[[int], float],
    *,
    relative: float = 0.05,
    at_least: int = 10,
    at_most: int = 1000,
    level: float = 0.95,
) -> Iterator[Interval]:
    """Replicate until the interval is narrow: gives the interval after each replication from the second on.

    `run(i)` gives replication i's value, i from 0; its random numbers are its own. The last interval given is the first
    with at least `at_least` replications whose half-width is no more than `relative` of the mean, or that of
    replication `at_most`: `Interval.relative` says which. Few may look narrow by chance, hence `at_least`.
    """
    if not relative > 0:
        raise ValueError(f"relative = {relative}: expected a share of the mean, above 0")
    if not 2 <= at_least <= at_most:
        raise ValueError(f"at_least = {at_least}, at_most = {at_most}: expected 2 <= at_least <= at_most")
    values: list[float] = []
    while len(values) < at_most:
        values.append(run(len(values)))
        if len(values) < 2:
            continue
        interval = student(values, level)
        yield interval
        if len(values) >= at_least and interval.relative <= relative:
            return


def student_quantile(degrees_of_freedom: float, level: float = 0.95) -> float:
    """What Student's t stays within on both sides with probability `level`. `ValueError` for a level that is none."""
    if not 0 < level < 1:
        raise ValueError(f"level = {level}: expected a probability, above 0 and below 1")
    from scipy.special import stdtrit  # type: ignore[import-untyped]  # as long to load as many runs take

    return float(stdtrit(degrees_of_freedom, (1 + level) / 2))
