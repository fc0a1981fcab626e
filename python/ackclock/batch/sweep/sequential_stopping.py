"""How many replications are enough."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock.analysis.stats.interval import AT_LEAST, Interval, stopped
from ackclock.analysis.stats.samples import identical
from ackclock.scenario import ScenarioError
from ackclock.scenario.errors import RenamedError, nearest

KEYS = ("metric", "half_width", "at_most")


@dataclass(frozen=True)
class Until:
    """Replicate until half of the 95 % interval of `metric` is at most `half_width`, a share of its mean.

    There are at least 10 replications, at most `at_most`. Each point has its own number. It follows from the values
    alone, so that an interrupted sweep reaches the same one. If all values are identical there are 10 replications: the
    point has no randomness. Source: A. Law, W. Kelton, *Simulation Modeling and Analysis*, section 9.4.1; the look
    penalty is that of `stats.stopped`.
    """

    metric: str
    half_width: float = 0.05
    at_most: int = 100

    def __post_init__(self) -> None:
        if not isinstance(self.half_width, float) or not 0 < self.half_width < 1:
            expected = "expected a share of the mean, above 0 and below 1: 0.05 is 5 %"
            raise ScenarioError(expected, key="half_width", value=self.half_width)
        if not isinstance(self.at_most, int) or self.at_most < AT_LEAST:
            expected = f"expected a whole number, at least {AT_LEAST}: of fewer an interval is often narrow by chance"
            raise ScenarioError(expected, key="at_most", value=self.at_most)

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Until:
        """Read a grid's `table`. `ScenarioError` for wrong keys or values, `RenamedError` for an old key."""
        for key in table:
            if key == "figure":
                raise RenamedError("renamed; the key is now metric", key=key)
            if key not in KEYS:
                expected = f"unknown key; expected one of {', '.join(KEYS)}"
                raise ScenarioError(expected, key=key, nearest=nearest(key, KEYS))
        if not isinstance(table.get("metric"), str):
            raise ScenarioError("expected the name of a metric, such as goodput_bps", key="metric")
        return cls(**table)

    def interval(self, values: Sequence[float], level: float = 0.95) -> Interval | None:
        """The interval of `values` with the look penalty at this confidence `level`; None for fewer than two and for
        identical values.
        """
        if len(values) < 2 or identical(values):
            return None
        return stopped(values, level=level)

    def reached(self, values: Sequence[float]) -> bool:
        """Whether the interval of `values` is narrow enough, or they are all identical."""
        if len(values) < AT_LEAST:
            return False
        interval = self.interval(values)
        return interval is None or interval.relative <= self.half_width

    def wanted(self, values: Sequence[float]) -> int:
        """The number of replications to run, computed from the `values` so far."""
        now = len(values)
        if now < AT_LEAST:
            return AT_LEAST
        interval = self.interval(values)
        if interval is None or interval.relative <= self.half_width or now >= self.at_most:
            return now
        # The interval narrows with the square root of their number. Few tell little about how much: so not more than
        # twice as many at once.
        needed = now * min((interval.relative / self.half_width) ** 2, 2.0)
        return min(max(math.ceil(needed), now + 1), self.at_most)
