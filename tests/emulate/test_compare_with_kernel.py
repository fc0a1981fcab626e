"""The comparison with the kernel: its interval by hand, and what it measures at the same time."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import compare_with_kernel
from kernel_transfers import Case, Detour, Seen, Way, detour

WAY = Way("10 Mb/s", 40, 1.0)


def seen(*goodputs_mbps: float) -> Seen:
    return Seen(list(goodputs_mbps), 1.0, [10.0] * len(goodputs_mbps), [], [])


# 1, 2 and 3 have the mean 2 and the standard deviation 1; Student's t for two degrees of freedom is 4.3027 (95 %, both
# sides). One more value lies within 4.3027 * sqrt(1 + 1/3) = 4.9683 of the mean.
def test_the_interval_is_that_of_one_more_transfer() -> None:
    kernel = [seen(1.0), seen(2.0), seen(3.0)]
    cell = compare_with_kernel.Cell(Case(WAY, ("reno",)), kernel, [seen(6.0), seen(7.9)])
    [(mean, half, engine)] = cell.figures("goodputs_mbps")
    assert [mean, half, engine] == pytest.approx([2.0, 4.9683, 6.95], abs=1e-4)
    assert cell.agrees("goodputs_mbps")
    assert not compare_with_kernel.Cell(cell.case, kernel, [seen(7.0)]).agrees("goodputs_mbps")


def test_each_of_two_flows_must_agree() -> None:
    kernel = [seen(3.0, 6.0), seen(3.0, 6.0)]
    case = Case(WAY, ("cubic", "bbr"))
    for engine, exactly, within in (
        (seen(3.0, 6.0), True, True),
        (seen(3.05, 6.1), False, True),
        (seen(3, 7), False, False),
    ):
        cell = compare_with_kernel.Cell(case, kernel, [engine])
        assert (cell.agrees("goodputs_mbps"), cell.agrees("goodputs_mbps", 0.02)) == (exactly, within)


def test_what_runs_together_fits_the_machine() -> None:
    slow, fast = Case(Way("2 Mb/s", 20, 1.0), ("bbr", "bbr")), Case(Way("50 Mb/s", 20, 1.0), ("bbr",))
    batches = list(compare_with_kernel.batches([slow] * 6 + [fast] * 3))
    assert [len(batch) for batch in batches] == [5, 2, 2]  # 10 flows; 2 and 50 Mb/s; 100 Mb/s
    assert [case for batch in batches for case in batch] == [slow] * 6 + [fast] * 3


def test_there_are_a_hundred_cells() -> None:
    cases = list(compare_with_kernel.cases(quick=False))
    assert len(cases) == len(set(cases)) == 101


# Of 0.15 ms, 0.07 ms vary from packet to packet (half of that on average, each way); the rest is constant.
def test_the_engines_link_has_the_detour() -> None:
    link = WAY.link(["a0", "b0"], Detour(0.15, 0.07))
    assert link.delay == "20.04 ms" and link.reverse is not None
    for losses in (link.loss, link.reverse.loss):
        assert isinstance(losses, list)
        assert [loss.max_delay for loss in losses] == ["0.07 ms"]
    assert WAY.link(["a0", "b0"], Detour()).delay == "20.0 ms"


# Medians; an RTT of whole milliseconds, shorter than the path's, tells nothing.
def test_the_detour_is_of_round_trips_in_microseconds() -> None:
    def of(longer_ms: float, late_ms: float = 0.07) -> Seen:
        return replace(seen(1.0), longer_ms=longer_ms, lateness_ms=(0.02, late_ms, 4.0))

    assert detour([of(-0.02), of(0.1), of(0.3, 1.5)]) == Detour(0.2, 0.07)
    assert detour([of(-0.02)]) == Detour(0.0, 0.07)
