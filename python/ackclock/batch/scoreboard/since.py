"""What changed since another version: cells whose verdict differs, or whose interval has moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ackclock.batch.scoreboard.cells import ScoreCell

#: A cell before and now.
Pair = tuple[ScoreCell, ScoreCell]

#: Relative difference below which two numbers are the same: they pass through JSON, whose digits are exact.
SAME = 1e-12


@dataclass(frozen=True)
class Changes:
    """Two scoreboards compared cell by cell.

    `verdicts` have another verdict. `moved` have the same, but their 95 % intervals do not overlap. `differ` is how
    many of the others have other numbers. `new` and `gone` are cells of one of the two only.
    """

    #: version and settings of the older one
    before: str
    verdicts: list[Pair] = field(default_factory=list)
    moved: list[Pair] = field(default_factory=list)
    differ: int = 0
    same: int = 0
    new: int = 0
    gone: int = 0


def changes(now: Sequence[ScoreCell], before: Sequence[ScoreCell], told: str) -> Changes:
    """Compare the cells of `now` with those `before`; `told` says whose those are."""
    old = {cell.key: cell for cell in before}
    both = [(old[cell.key], cell) for cell in now if cell.key in old]
    verdicts = [pair for pair in both if pair[0].verdict != pair[1].verdict]
    alike = [pair for pair in both if pair[0].verdict == pair[1].verdict]
    moved = [pair for pair in alike if _apart(*pair)]
    rest = [pair for pair in alike if not _apart(*pair)]
    differ = sum(not _same(one, other) for one, other in rest)
    keys = {cell.key for cell in now}
    return Changes(
        told, verdicts, moved, differ, len(rest) - differ, len(now) - len(both), sum(key not in keys for key in old)
    )


def _apart(one: ScoreCell, other: ScoreCell) -> bool:
    """Whether the intervals do not overlap; a mean without an interval is a point."""
    if one.mean is None or other.mean is None:
        return (one.mean is None) is not (other.mean is None)
    if _same(one, other):
        return False
    (low, high), (other_low, other_high) = _span(one), _span(other)
    return high < other_low or other_high < low


def _span(cell: ScoreCell) -> tuple[float, float]:
    assert cell.mean is not None
    return (cell.mean if cell.low is None else cell.low), (cell.mean if cell.high is None else cell.high)


def _same(one: ScoreCell, other: ScoreCell) -> bool:
    pairs = ((one.mean, other.mean), (one.low, other.low), (one.high, other.high))
    return all(a == b or (a is not None and b is not None and abs(a - b) <= SAME * abs(a)) for a, b in pairs)
