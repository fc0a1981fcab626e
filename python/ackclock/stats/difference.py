"""How much better one variant is than another, and whether that is more than chance.

Sources: A. Law, W. Kelton, *Simulation Modeling and Analysis*, sections 10.2.1 (paired) and 10.2.2 (Welch); J. Cohen,
*Statistical Power Analysis for the Behavioral Sciences*, 1988, chapter 2 (effect sizes d and d_z).
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from ackclock.stats.interval import Interval, student, student_quantile
from ackclock.stats.samples import pair, samples


@dataclass(frozen=True)
class Difference:
    """The first variant's mean less the second's, with its interval, and the effect in standard deviations."""

    interval: Interval
    #: Cohen's d; nan where nothing varies. About 0.2 is called small, 0.5 medium, 0.8 large.
    effect: float

    @property
    def significant(self) -> bool:
        """Whether 0 is outside the interval."""
        return 0.0 not in self.interval


def paired(first: ArrayLike, second: ArrayLike, level: float = 0.95) -> Difference:
    """Compare variants that were run with the same random numbers, replication by replication.

    Both have shape (n,), n at least 2, and replication i of one belongs to i of the other: what makes a replication
    easy for both takes no part in the difference. `effect` is d_z, the mean difference over the standard deviation of
    the differences.
    """
    one, other = pair(first, second, ("first", "second"), 2)
    apart = one - other
    spread = float((apart - apart[0]).std(ddof=1))
    return Difference(student(apart, level), float(apart.mean()) / spread if spread else float("nan"))


def welch(first: ArrayLike, second: ArrayLike, level: float = 0.95) -> Difference:
    """Compare variants whose replications have nothing in common, and may vary differently: Welch's interval.

    Shapes (n,) and (m,), both at least 2. `n` of the interval is n + m. `effect` is Cohen's d, with the pooled standard
    deviation.
    """
    one, other = samples(first, "first", 2), samples(second, "second", 2)
    n, m = len(one), len(other)
    variances = float(one.var(ddof=1)), float(other.var(ddof=1))
    a, b = variances[0] / n, variances[1] / m
    mean = float(one.mean() - other.mean())
    pooled = (((n - 1) * variances[0] + (m - 1) * variances[1]) / (n + m - 2)) ** 0.5
    if a + b == 0:
        return Difference(Interval(mean, 0.0, n + m, level), float("nan"))
    degrees = (a + b) ** 2 / (a**2 / (n - 1) + b**2 / (m - 1))
    half_width = student_quantile(degrees, level) * (a + b) ** 0.5
    return Difference(Interval(mean, half_width, n + m, level), mean / pooled)
