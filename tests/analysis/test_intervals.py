"""Intervals, tests and corrections of `ackclock.stats` against SciPy, against tables in print, and with bad input."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats  # type: ignore[import-untyped]

from ackclock import stats
from ackclock.analysis.stats.difference import adjusted, small_sample
from ackclock.analysis.stats.shape import rank_correlated, skewed, skewness, von_neumann

RNG = np.random.default_rng(11)
SKEWED = RNG.lognormal(0, 1, 40)
NORMAL = RNG.normal(10, 1, 40)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", [2, 3, 10, 40])
def test_means_and_differences_are_scipy_s(n: int, level: float) -> None:
    one, other = RNG.normal(3, 1, n), RNG.normal(3.5, 2, n + 3)
    expected = scipy.stats.ttest_1samp(one, 0).confidence_interval(level)
    found = stats.student(one, level)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    for got, want in (
        (stats.paired(one, other[:n], level), scipy.stats.ttest_rel(one, other[:n])),
        (stats.welch(one, other, level), scipy.stats.ttest_ind(one, other, equal_var=False)),
    ):
        ends = want.confidence_interval(level)
        assert (got.interval.low, got.interval.high) == pytest.approx((ends.low, ends.high))
        assert got.p_value == pytest.approx(want.pvalue)
        assert got.significant == (want.pvalue < 1 - level)


def test_the_geometric_mean_s_interval_is_that_of_the_logarithms() -> None:
    expected = scipy.stats.ttest_1samp(np.log(SKEWED), 0).confidence_interval(0.95)
    found = stats.geometric_mean(SKEWED)
    assert found.mean == pytest.approx(scipy.stats.gmean(SKEWED))
    assert (found.low, found.high) == pytest.approx((math.exp(expected.low), math.exp(expected.high)))
    assert found.scale == "log" and found.relative == pytest.approx(found.high / found.mean - 1)
    assert found.low < found.mean < found.high and found.mean in found and found.high * 1.001 not in found
    assert f"to {found.high:.4g} (geometric mean, 95%, n = 40)" in str(found)


def test_a_ratio_turned_round_is_its_reciprocal() -> None:
    one, other = SKEWED, SKEWED * RNG.lognormal(0.2, 0.1, 40)
    there, back = stats.ratio(other, one), stats.ratio(one, other)
    assert there.mean == pytest.approx(scipy.stats.gmean(other / one))
    assert (back.mean, back.low, back.high) == pytest.approx((1 / there.mean, 1 / there.high, 1 / there.low))
    assert 1 not in there and there.of == "ratio"
    scaled = stats.ratio(1000 * other, one)
    assert scaled.low == pytest.approx(1000 * there.low)


def test_the_lognormal_mean_by_hand() -> None:
    # Logarithms 0, 2, 4: mean 2, variance 4. Estimate exp(2 + 2); error sqrt(4/3 + 16/4) = 2.309; t with 2 degrees of
    # freedom is 4.303 in print.
    found = stats.lognormal_mean(np.exp([0, 2, 4]))
    assert found.mean == pytest.approx(math.exp(4))
    assert found.half_width == pytest.approx(4.303 * 2.3094, rel=1e-4)
    assert "3 values are too few" in found.warning


@pytest.mark.parametrize(
    ("degrees", "printed"),
    [(2, 0.5642), (3, 0.7236), (4, 0.7979), (5, 0.8408), (10, 0.9228), (20, 0.9619), (50, 0.9849)],
)
def test_the_correction_for_small_samples_is_hedges_table(degrees: int, printed: float) -> None:
    """Hedges and Olkin, Statistical Methods for Meta-Analysis, 1985, table 2 of chapter 5."""
    assert small_sample(degrees) == pytest.approx(printed, abs=1e-4)


def test_hedges_g_is_unbiased_and_d_is_not() -> None:
    rng = np.random.default_rng(5)
    found = [stats.welch(rng.normal(1, 1, 4), rng.normal(0, 1, 4)) for _ in range(4000)]
    assert np.mean([one.hedges_g for one in found]) == pytest.approx(1.0, abs=0.05)
    assert np.mean([one.effect for one in found]) > 1.1  # 1/J(6) = 1.15
    pairs = [stats.paired(rng.normal(1, 1, 5), np.zeros(5)) for _ in range(4000)]
    assert np.mean([one.hedges_g for one in pairs]) == pytest.approx(1.0, abs=0.05)


def test_holm_is_the_closure_of_bonferroni_s_test() -> None:
    """Marcus, Peritz and Gabriel 1976: a hypothesis is rejected if every intersection that it is part of is."""
    rng = np.random.default_rng(3)
    for m in (1, 2, 5, 7):
        for p in (rng.random(m), rng.random(m) ** 4, np.repeat(rng.random(), m)):
            closed = [
                max(
                    min(1.0, len(part) * min(p[list(part)]))
                    for size in range(1, m + 1)
                    for part in itertools.combinations(range(m), size)
                    if number in part
                )
                for number in range(m)
            ]
            assert stats.holm(p) == pytest.approx(closed)
    # R: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm")
    assert stats.holm([0.05, 0.01, 0.03, 0.02, 0.04]) == pytest.approx([0.09, 0.05, 0.09, 0.08, 0.09])
    assert len(stats.holm([])) == 0


def test_what_has_no_p_value_is_no_part_of_the_family() -> None:
    real = stats.paired([1, 2, 0.2, 1.4, 0.4], [0] * 5)
    none = stats.paired([1, 1, 1], [0, 0, 0])
    found = adjusted([none, real, none, real])
    assert math.isnan(found[0]) and found[1] == found[3] == pytest.approx(2 * real.p_value)


def test_the_shape_of_values() -> None:
    assert skewness(SKEWED) == pytest.approx(scipy.stats.skew(SKEWED))
    assert "skewed" in skewed(SKEWED) and not skewed(NORMAL)
    assert "lognormal" in skewed(np.array([0.2, 0.5, 1.0, 1.9, 3.3]))
    assert not skewed(np.array([0.2, 0.5, 1.0, 1.9, 3.3]), any_sign=True)
    assert "skewed" in skewed(-SKEWED, any_sign=True)
    assert not skewed(np.array([1.0, 2.0]))
    share = np.mean([bool(skewed(RNG.normal(10, 1, n))) for n in (5, 10, 20, 50) for _ in range(500)])
    assert share < 0.12  # by chance
    assert "skewed" in stats.student(SKEWED).warning and "warning: the values are skewed" in str(stats.student(SKEWED))


def test_von_neumann_s_test_is_a_permutation_test_s() -> None:
    series = np.convolve(RNG.normal(size=61), [1, 0.25], "valid")
    lag_1, p = von_neumann(series)
    middle = series - series.mean()
    assert lag_1 == pytest.approx(np.corrcoef(series[1:], series[:-1])[0, 1], abs=0.03)

    def ratio(values: np.ndarray) -> float:
        return float((np.diff(values) ** 2).sum() / (middle**2).sum())

    shuffled = np.mean([ratio(RNG.permutation(middle)) <= ratio(middle) for _ in range(20_000)])
    assert p == pytest.approx(shuffled, rel=0.3)
    assert von_neumann(np.array([2.0, 2.0, 2.0, 2.0, 2.0])) == (0.0, 1.0)


def test_correlation_in_the_order_given_is_seen() -> None:
    walk = np.cumsum(RNG.normal(size=200))
    assert "correlated" in rank_correlated(walk) and "correlated" in stats.percentiles(walk, [50])[0].warning
    assert not rank_correlated(np.sort(walk)) and not rank_correlated(np.sort(walk)[::-1])
    assert not rank_correlated(RNG.permutation(walk))
    ties = RNG.integers(0, 2, 400).astype(float)
    assert not rank_correlated(ties)
    share = np.mean([bool(rank_correlated(RNG.pareto(1.2, 100))) for _ in range(500)])
    assert share <= 0.03


def test_batches_that_are_correlated_are_refused() -> None:
    noise = np.random.default_rng(8).normal(size=8000)
    walk = np.cumsum(noise)
    with pytest.raises(
        ValueError, match=r"20 batches of 400 are too short for the correlation .* times as long"
    ) as error:
        stats.batch_means(walk)
    assert "\n" not in str(error.value)
    assert stats.batch_means(noise).n == 20 and not stats.batch_means(noise).warning
    found = stats.batch_means(noise, batches=10)
    assert found.mean == pytest.approx(noise.mean())
    assert found.half_width == pytest.approx(stats.student(noise.reshape(10, 800).mean(axis=1)).half_width)
    with pytest.raises(ValueError, match="percentile 95 of 20 batches of 400 are too short for the correlation"):
        stats.batch_percentiles(walk, [95])


def test_percentiles_by_sections() -> None:
    values = np.random.default_rng(9).exponential(size=4000)
    (found,) = stats.batch_percentiles(values, [90], batches=10)
    whole = np.quantile(values, 0.9)
    sections = np.quantile(values.reshape(10, 400), 0.9, axis=1)
    half = scipy.stats.t.ppf(0.975, 9) * math.sqrt(((sections - whole) ** 2).sum() / 9 / 10)
    assert (found.value, found.low, found.high) == pytest.approx((whole, whole - half, whole + half))
    with pytest.raises(ValueError, match="expected at least 10000 for percentile 99, got 4000"):
        stats.batch_percentiles(values, [99])


def test_small_and_shifted_values_lose_nothing() -> None:
    values = np.array([1.0, 2.0, 4.0, 3.0])
    plain = stats.student(values)
    for scale in (1e-300, 1e-160, 1e140):
        found = stats.student(values * scale)
        assert found.half_width == pytest.approx(plain.half_width * scale)
        assert stats.welch(values * scale, values[:3] * scale).p_value == pytest.approx(
            stats.welch(values, values[:3]).p_value
        )
    assert stats.student(values + 1e9).half_width == pytest.approx(plain.half_width)


@pytest.mark.parametrize("n", [2, 3, 10, 97])
def test_identical_values_are_one_run(n: int) -> None:
    """0.1 has no exact double, and ten of them have a sum that is rounded."""
    same = [0.1] * (n - 1) + [0.1 * 3 / 3]
    told = f"all {n} are identical .0.1., which counts as one run: no interval"
    for call in (stats.student, stats.geometric_mean, stats.lognormal_mean):
        with pytest.raises(ValueError, match=told):
            call(same)
    with pytest.raises(ValueError, match=f"ratios: all {n} are identical"):
        stats.ratio([3.0] * n, same)
    assert stats.student([0.1] * (n - 1) + [0.1000001]).half_width > 0


def test_replicating_what_is_one_run_ends_with_an_error() -> None:
    with pytest.raises(ValueError, match=r"replications: all 10 are identical .5., which counts as one run"):
        list(stats.replicate(lambda number: 5.0))
    # Identical at first, and then not.
    assert [one.n for one in stats.replicate(lambda number: float(number == 4), at_most=10)] == [5, 6, 7, 8, 9, 10]


ONE = (stats.student, stats.geometric_mean, stats.lognormal_mean, stats.batch_means, stats.batch_percentiles)
TWO = (stats.paired, stats.welch, stats.ratio)


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        [1.0],
        [1.0, math.nan] * 50,
        [1.0, math.inf] * 50,
        [1.0, 1e200] * 50,
        ["1", "2"] * 50,
        [1.0, None] * 50,
        [[1.0, 2.0], [3.0]],
        [[1.0, 2.0]],
        [1j, 2.0] * 50,
        None,
        3.0,
    ],
    ids=repr,
)
def test_bad_values_are_one_clear_line(wrong: object) -> None:
    calls: list[Callable[[], object]] = [lambda f=f: f(wrong) for f in (*ONE, stats.mser5)]  # type: ignore[misc]
    calls += [lambda f=f: f(wrong, [1.0, 2.0, 3.0]) for f in TWO]  # type: ignore[misc]
    calls += [lambda f=f: f([1.0, 2.0, 3.0], wrong) for f in TWO]  # type: ignore[misc]
    calls += [lambda: stats.holm([0.5, 2.0]), lambda: stats.holm([math.nan])]
    for call in calls:
        with pytest.raises(ValueError, match="expected") as error:
            call()
        assert "\n" not in str(error.value) and len(str(error.value)) < 200


@pytest.mark.parametrize("level", [0.0, 1.0, 95, -1, math.nan])
def test_a_level_is_a_probability(level: float) -> None:
    for call in (*ONE, stats.percentiles):
        with pytest.raises(ValueError, match=f"level = {level}: expected a probability"):
            call(NORMAL, level=level)
    for compare in TWO:
        with pytest.raises(ValueError, match=f"level = {level}: expected a probability"):
            compare(NORMAL, SKEWED, level)


def test_logarithms_need_values_above_0() -> None:
    for call in (stats.geometric_mean, stats.lognormal_mean):
        with pytest.raises(ValueError, match=r"values\[1\] = 0: expected a number above 0"):
            call([1.0, 0.0, 2.0])
    with pytest.raises(ValueError, match=r"second\[0\] = -1: expected a number above 0"):
        stats.ratio([1.0, 2.0], [-1.0, 2.0])
