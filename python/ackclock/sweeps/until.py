"""How many replications are enough."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock.scenario import ScenarioError
from ackclock.scenario.errors import nearest
from ackclock.stats.interval import student

KEYS = ("figure", "half_width", "at_most")


@dataclass(frozen=True)
class Until:
    """Replicate until half of the 95 % interval of a figure is no more than this share of its mean.

    `at_most` replications. Each point has its own number. It follows from the values alone, so that a sweep that was
    interrupted comes to the same one. Source: A. Law, W. Kelton, *Simulation Modeling and Analysis*, section 9.4.1.
    """

    figure: str
    half_width: float = 0.05
    at_most: int = 100

    def __post_init__(self) -> None:
        if not isinstance(self.half_width, float) or not 0 < self.half_width < 1:
            expected = "expected a share of the mean, above 0 and below 1: 0.05 is 5 %"
            raise ScenarioError(expected, key="half_width", value=self.half_width)
        if not isinstance(self.at_most, int) or self.at_most < 2:
            raise ScenarioError("expected a whole number, at least 2", key="at_most", value=self.at_most)

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Until:
        """From a grid's table. `ScenarioError` for what is wrong in it."""
        for key in table:
            if key not in KEYS:
                expected = f"there is no such key here, only {', '.join(KEYS)}"
                raise ScenarioError(expected, key=key, nearest=nearest(key, KEYS))
        if not isinstance(table.get("figure"), str):
            raise ScenarioError("expected the name of a figure, such as goodput_bps", key="figure")
        return cls(**table)

    def reached(self, values: Sequence[float]) -> bool:
        """Whether the interval of these is narrow enough."""
        return len(values) > 1 and student(values).relative <= self.half_width

    def wanted(self, values: Sequence[float]) -> int:
        """How many replications there are to be, by the values of those that there are."""
        now = len(values)
        if self.reached(values) or now >= self.at_most:
            return now
        # The interval narrows with the square root of their number. Few tell little about how much: so not more than
        # twice as many at once.
        needed = now * min((student(values).relative / self.half_width) ** 2, 2.0)
        return min(max(math.ceil(needed), now + 1), self.at_most)
