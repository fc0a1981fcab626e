"""What a study's `measure` gives: values, values over replications, values under several settings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

#: One measurement: text where every digit counts, a number, numbers one after the other, or numbers by name.
Value = str | float | Sequence[float] | Mapping[str, float]


@dataclass(frozen=True)
class Replications:
    """The same measurement in runs that differ only in their random numbers."""

    #: the measurements
    values: Sequence[Value]
    #: that of the base run
    base: Value | None = None

    @classmethod
    def ratio_of_means(cls, numerators: Sequence[float], denominators: Sequence[float]) -> Replications:
        """Values whose mean is the ratio of two means (`numerators` to `denominators`) and whose spread its interval.

        As for `stats.ratio_of_means`.
        """
        from ackclock.analysis.stats.interval import ratio_of_means

        return cls(ratio_of_means(numerators, denominators))


@dataclass(frozen=True)
class Undetermined:
    """Nothing could be measured."""

    #: why, for the reader of the report
    reason: str


@dataclass(frozen=True)
class Settings:
    """The same measurement under several settings."""

    #: measurements by the setting's name; the claim's `depends_on` says what is set
    values: Mapping[str, Value | Replications | Undetermined]


Measured = Value | Replications | Settings | Undetermined


@dataclass(frozen=True)
class Spread:
    """Statistics of numbers over replications."""

    #: how many
    n: int
    #: their mean
    mean: float
    #: Half of Student's 95 % interval of the mean; None for fewer than two numbers and for identical ones.
    half: float | None
    #: the minimum
    least: float
    #: the maximum
    most: float

    def __str__(self) -> str:
        half = "" if self.half is None else f" ± {self.half:.3g}"
        return f"{self.mean:.5g}{half}, {self.least:.5g} to {self.most:.5g} of {self.n}"


def spread(values: Sequence[Value]) -> Spread | None:
    """Mean, Student's interval and range of `values`; None if there are none, or if one is no finite number."""
    try:
        numbers = [number(value) for value in values]
    except (TypeError, ValueError):
        return None
    if not numbers or not all(map(math.isfinite, numbers)):
        return None
    from ackclock.analysis.stats.interval import student
    from ackclock.analysis.stats.samples import identical

    half = student(numbers).half_width if len(numbers) > 1 and not identical(numbers) else None
    return Spread(len(numbers), sum(numbers) / len(numbers), half, min(numbers), max(numbers))


def by_name(found: Mapping[str, Replications]) -> Replications:
    """Several measurements as one by name, replication by replication: `found` has them by their names.

    The base run's is there if each has one. `ValueError` where they have not as many replications.
    """
    rows = zip(*(one.values for one in found.values()), strict=True)
    values = [dict(zip(found, map(number, row), strict=True)) for row in rows]
    bases = {name: number(one.base) for name, one in found.items() if one.base is not None}
    return Replications(values, bases if len(bases) == len(found) else None)


def read_columns(path: Path) -> list[list[float]]:
    """The columns of the file at `path`, whose lines are numbers. `ValueError` where lines have different lengths."""
    with path.open(encoding="ascii") as file:
        rows = [[float(word) for word in line.split()] for line in file]
    return [list(column) for column in zip(*rows, strict=True)]


def number(value: Value) -> float:
    """A measurement as one number: two numbers by name count as the quotient of the first and the second.

    `value` is a text, a number or such a pair. A division by 0 is infinite. `TypeError` or `ValueError` for what is no
    number, as 0/0.
    """
    if isinstance(value, Mapping):
        first, second = map(float, value.values())
        if second == 0:
            if first == 0:
                raise ValueError("0 / 0 is not a number")
            return math.copysign(math.inf, first)
        return first / second
    if isinstance(value, Sequence) and not isinstance(value, str):
        raise TypeError(f"expected one number, found {len(value)}")
    return float(value)
