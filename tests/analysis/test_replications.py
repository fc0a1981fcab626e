"""`replication_means`: the interval is Student's of the runs' means, and the runs say when it may be too narrow."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.signal import lfilter  # type: ignore[import-untyped]

from ackclock import stats

NOISE = np.random.default_rng(3).normal(5.0, 1.0, (10, 2000))


def test_the_interval_is_student_s_of_the_means() -> None:
    found = stats.replication_means(NOISE, 0.9)
    expected = stats.student(NOISE.mean(axis=1), 0.9)
    assert (found.low, found.high, found.n, found.level) == (expected.low, expected.high, 10, 0.9)
    assert not stats.replication_means(NOISE).warning


@pytest.mark.parametrize(("runs", "parts"), [(2, 100), (3, 67), (10, 20), (40, 20)])
def test_runs_that_are_short_for_their_correlation_are_warned_of(runs: int, parts: int) -> None:
    """AR(1) with 0.99: about 100 values are correlated, and a part has 20 or fewer."""
    noise = np.random.default_rng(4).normal(size=(runs, 400))
    found = stats.replication_means(lfilter([1.0], [1.0, -0.99], noise, axis=1))
    assert f"the runs are short for their correlation (von Neumann's test of {parts} parts of each" in found.warning


def test_a_warm_up_is_warned_of_in_proportion_to_what_it_does() -> None:
    """The first hundred values are higher by half a standard deviation: the mean of 2000 by 0.025."""
    begins = NOISE.copy()
    begins[:, :100] += 0.5
    assert "the first 5% of the runs differ from the rest" in stats.replication_means(begins).warning
    assert not stats.replication_means(begins[:, 100:]).warning
    # 0.0025 is little beside the half-width, 0.017. With more runs it would not be.
    begins = NOISE.copy()
    begins[:, :100] += 0.05
    assert not stats.replication_means(begins).warning
    noise = np.random.default_rng(5).normal(5.0, 1.0, (1000, 400))
    assert not stats.replication_means(noise).warning
    noise[:, :20] += 0.05
    assert "warm-up" in stats.replication_means(noise).warning


def test_skewed_runs_are_warned_of() -> None:
    """A value of a hundred is large: a part of ten has one in ten, and is as skewed as ten of them allow."""
    rare = (np.random.default_rng(6).random((10, 200)) < 0.01) * 100.0
    assert "the values are skewed" in stats.replication_means(rare).warning


def test_runs_that_all_change_alike_have_no_interval() -> None:
    with pytest.raises(ValueError, match="means of runs: all 4 are identical"):
        stats.replication_means(np.tile(np.arange(100.0), (4, 1)))


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (NOISE[0], "runs: expected at least 2, got 1"),
        (NOISE[:, :19], "runs: expected at least 20, got 19"),
        (NOISE[:2, :99], "runs: expected at least 100, got 99"),
        ([[1.0] * 100, [1.0] * 99 + [math.nan]], r"runs\[1\]\[99\] = nan: expected a finite number"),
        ([[1.0, 2.0], [3.0]], "expected"),
        ([], "expected"),
        (None, "expected"),
    ],
    ids=["one run", "few values", "few values of two", "nan", "ragged", "none", "nothing"],
)
def test_bad_runs_are_one_clear_line(runs: object, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        stats.replication_means(runs)  # type: ignore[arg-type]
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match="level = 95: expected a probability"):
        stats.replication_means(NOISE, 95)
