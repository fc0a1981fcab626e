"""The statistics, against published tables and examples, and against processes whose means are known."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ackclock import stats

#: A. Cushny and A. Peebles' hours of sleep gained by ten patients under two drugs: Student's own example of 1908.
FIRST = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


@pytest.mark.parametrize(
    ("degrees", "level", "published"),
    [(1, 0.95, 12.706), (4, 0.95, 2.776), (9, 0.90, 1.833), (9, 0.95, 2.262), (9, 0.99, 3.250), (120, 0.95, 1.980)],
)
def test_quantiles_are_those_of_the_printed_table(degrees: int, level: float, published: float) -> None:
    assert stats.student_quantile(degrees, level) == pytest.approx(published, abs=5e-4)


def test_an_interval_of_replications() -> None:
    interval = stats.student(FIRST)
    assert interval.mean == pytest.approx(0.75) and interval.n == 10
    assert interval.half_width == pytest.approx(2.262157 * statistics.stdev(FIRST) / math.sqrt(10), rel=1e-6)
    assert interval.low in interval and interval.high + 1e-9 not in interval
    assert str(interval) == "0.75 ± 1.3 (95%, n = 10)"


def test_paired_and_welch_are_what_r_prints_for_the_sleep_data() -> None:
    paired = stats.paired(FIRST, SECOND)  # R: t.test(extra ~ group, data = sleep, paired = TRUE)
    assert paired.interval.mean == pytest.approx(-1.58)
    assert (paired.interval.low, paired.interval.high) == pytest.approx((-2.4598858, -0.7001142), abs=1e-7)
    assert paired.significant and paired.effect == pytest.approx(-4.0621 / math.sqrt(10), abs=5e-5)  # t/sqrt(n)
    assert paired.kind == "d_z" and paired.p_value == pytest.approx(0.002833, abs=5e-7)
    welch = stats.welch(FIRST, SECOND)  # R: t.test(extra ~ group, data = sleep)
    assert (welch.interval.low, welch.interval.high) == pytest.approx((-3.3654832, 0.2054832), abs=1e-7)
    assert not welch.significant and welch.effect == pytest.approx(-1.8608 * math.sqrt(2 / 10), abs=5e-5)
    assert welch.kind == "d" and welch.p_value == pytest.approx(0.07939, abs=5e-6)


def test_comparisons_of_what_never_varies_have_no_interval() -> None:
    cases: list[tuple[list[float], list[float], float]] = [
        ([2, 2, 2], [1, 1, 1], 1.0),
        ([0.1 + 0.2] * 3, [0.3] * 3, 0.0),
        ([0.1] * 7, [0.2] * 7, -0.1),
    ]
    for compare in (stats.paired, stats.welch):
        for first, second, mean in cases:
            found = compare(first, second)
            assert found.interval.mean == pytest.approx(mean) and not found.significant
            assert all(math.isnan(x) for x in (found.interval.half_width, found.effect, found.hedges_g, found.p_value))
            assert str(found.interval).endswith("no interval)")
    # Differences that are equal but for rounding: 10.1 - 10 and 0.1 - 0 are apart by 4e-16.
    assert not stats.paired([10.1, 0.1], [10.0, 0.0]).significant
    # One of the two varies: that is enough.
    assert stats.welch([1.0, 1.0, 1.0], [2.0, 2.1, 2.2]).significant


def test_batches_leave_the_odd_values_out_at_the_beginning() -> None:
    values = [100.0, *[1, 3] * 4, *[2, 4] * 4]
    assert stats.batch_means(values, batches=2) == stats.student([2, 3])


def test_replications_end_where_the_interval_is_narrow() -> None:
    asked: list[int] = []

    def run(number: int) -> float:
        asked.append(number)
        return 9.0 if number % 2 == 0 else 11.0

    *_, last = stats.replicate(run, relative=0.05)
    # 21 values, eleven of them 9: 2.086 x 1.0235/sqrt(21) sqrt(1 + 3/21) = 0.4981 of 9.952, more than 5 %.
    # 22 values: 2.080 x 1.0235/sqrt(22) sqrt(1 + 3/22) = 0.4838 of 10.
    assert last.n == 22 and asked == list(range(22)) and last.relative == pytest.approx(0.04838, abs=1e-5)
    first, *_ = stats.replicate(run)  # the first look, after ten, has no penalty, nor has what comes before
    assert first == stats.student([9, 11])
    *_, ten = stats.replicate(run, relative=0.08)
    assert ten.n == 10 and ten == stats.student([9, 11] * 5)
    *_, most = stats.replicate(lambda number: number % 2 - 0.5, at_most=30)
    assert most.n == 30 and most.relative > 0.05


def test_mser_by_hand() -> None:
    # Means of five: 10 6 2 2.2 1.8 2.1 1.9 2. Without two: squares about 2 sum to 0.1, over 36: 0.0028. Without one:
    # mean 2.571, squares 13.81, over 49: 0.28. Without three: 0.1/25. Without four: mean 1.95, 0.05/16 = 0.0031.
    means = [10, 6, 2, 2.2, 1.8, 2.1, 1.9, 2]
    values = [mean + step for mean in means for step in (-0.2, 0.1, 0.0, -0.1, 0.2)]
    assert stats.mser5(values) == stats.WarmUp(10, ended=True)
    assert stats.mser5([*values, 50.0]) == stats.WarmUp(10, ended=True)  # what fills no batch of five is not looked at
    assert stats.mser5([7.3] * 40) == stats.WarmUp(0, ended=True)
    drift = stats.mser5(range(100))
    assert (drift.length, drift.ended) == (50, False) and "too short" in drift.warning
    # Two replications with the same transient and opposite noise: their average has none.
    noise = np.tile([0.5, -0.5, 0.5, -0.5, 0.5], 8)
    assert stats.mser5([np.array(values) + noise, np.array(values) - noise]).length == 10


def test_mser_warns_where_it_bites_or_does_not_reach_the_end() -> None:
    rng = np.random.default_rng(7)
    calm = rng.normal(size=200)
    # A hump a quarter into a stationary run: MSER cuts all until then.
    hump = calm + 4 * ((np.arange(200) >= 30) & (np.arange(200) < 50))
    told = stats.mser5(hump)
    assert told.length == 50 and told.ended and "by chance" in told.warning
    # The same values as a transient are one.
    told = stats.mser5(calm + 4 * (np.arange(200) < 50))
    assert told.length == 50 and told.ended and not told.warning
    # A transient of six tenths of the run: the best cut in the first half is anywhere, the best of all at 120.
    told = stats.mser5(calm + 4 * (np.arange(200) < 120))
    assert not told.ended and told.length <= 100 and "too short" in told.warning


def md1_waits(rng: np.random.Generator, load: float, customers: int, queues: int) -> NDArray[np.float64]:
    """Times in the queue, in services, of a server of fixed service with Poisson arrivals, at first idle."""
    gaps = rng.exponential(1 / load, (queues, customers))
    backlog = np.cumsum(1 - gaps, axis=1)
    backlog = np.concatenate([np.zeros((queues, 1)), backlog[:, :-1]], axis=1)
    waits: NDArray[np.float64] = backlog - np.minimum.accumulate(backlog, axis=1)
    return waits


def sawtooth(rng: np.random.Generator, steps: int, senders: int, loss: float) -> NDArray[np.float64]:
    """Windows that grow by one a round trip and are halved with probability `loss` a round trip, from one packet on."""
    windows = np.empty((steps, senders))
    now = np.ones(senders)
    for row in windows:
        now = (now + 1) * np.where(rng.random(senders) < loss, 0.5, 1.0)
        row[:] = now
    return windows.T


MD1_MEAN = 0.5 / (2 * (1 - 0.5))  # Pollaczek and Khinchine, load 0.5
SAWTOOTH_MEAN = (1 - 0.3 / 2) / (0.3 / 2)  # the mean m with m = (m + 1)(1 - loss/2), loss 0.3


def covered(estimate: Callable[[NDArray[np.float64]], stats.Interval], runs: Iterable[Any], mean: float) -> float:
    """The coverage in 1,000 repetitions, of which at most a tenth may be refused."""
    held = refused = 0
    for run in runs:
        try:
            held += mean in estimate(run)
        except ValueError:
            refused += 1
    assert refused <= 100
    return held / (1000 - refused)


def test_batch_means_after_mser_cover_the_queue_s_mean() -> None:
    rng = np.random.default_rng(1)
    runs = (run for _ in range(20) for run in md1_waits(rng, 0.5, 30_000, 50))
    share = covered(lambda w: stats.batch_means(w[stats.mser5(w).length :]), runs, MD1_MEAN)
    assert 0.93 <= share <= 0.97


def test_replications_cover_the_queue_s_mean() -> None:
    rng = np.random.default_rng(2)
    means = np.concatenate([md1_waits(rng, 0.5, 2_000, 1000)[:, 200:].mean(axis=1) for _ in range(10)])
    assert 0.93 <= covered(stats.student, means.reshape(1000, 10), MD1_MEAN) <= 0.97


def test_batch_means_and_replications_cover_the_sawtooth_s_mean() -> None:
    rng = np.random.default_rng(3)
    runs = (run for _ in range(5) for run in sawtooth(rng, 30_200, 200, 0.3)[:, 200:])
    assert 0.93 <= covered(stats.batch_means, runs, SAWTOOTH_MEAN) <= 0.97
    means = sawtooth(rng, 1_200, 10_000, 0.3)[:, 200:].mean(axis=1)
    assert 0.93 <= covered(stats.student, means.reshape(1000, 10), SAWTOOTH_MEAN) <= 0.97


def test_a_ratio_of_means_by_hand() -> None:
    # r = 15/6 = 2.5; y - r x = -0.5, -1, 1.5; Cochran's standard error is sqrt(3.5 / (3 * 2)) / 2 = 0.38188.
    values = stats.ratio_of_means([2, 4, 9], [1, 2, 3])
    assert values == pytest.approx([2.25, 2.0, 3.25])
    assert statistics.fmean(values) == pytest.approx(2.5)
    assert statistics.stdev(values) / math.sqrt(3) == pytest.approx(0.38188, abs=5e-6)
    assert stats.student(values).half_width == pytest.approx(4.302653 * 0.38188, rel=1e-4)  # Student's, 2 degrees
    # What is in proportion has no spread, and a run with nothing in it is allowed.
    assert stats.ratio_of_means([3, 6, 0], [1, 2, 0]) == pytest.approx([3, 3, 3])
    assert stats.ratio_of_means([5, 7], [2, 2]) == pytest.approx([2.5, 3.5])


@pytest.mark.parametrize(("ratio", "correlated"), [(1.0, False), (1.0, True), (2.5, True)])
def test_a_ratio_of_means_is_unbiased_and_its_interval_right(ratio: float, correlated: bool) -> None:
    """Lognormal quantities whose means are in a known ratio: intervals of 24 replications hold it in 95 % of cases."""
    draw = random.Random(1)
    held, ratios, means = 0, 0.0, 0.0
    for _ in range(1000):
        shared = [draw.gauss(0, 0.3) if correlated else 0.0 for _ in range(24)]
        ys = [ratio * math.exp(common + draw.gauss(0, 0.4)) for common in shared]
        xs = [math.exp(common + draw.gauss(0, 0.4)) for common in shared]
        found = stats.student(stats.ratio_of_means(ys, xs))
        held += ratio in found
        ratios += found.mean / 1000
        means += sum(y / x for y, x in zip(ys, xs, strict=True)) / 24 / 1000
    assert ratios == pytest.approx(ratio, rel=0.02)
    assert 0.92 <= held / 1000 <= 0.97
    # The mean of ratios is too high: E[Y] E[1/X] = exp(0.16) of these, whatever they share.
    assert means == pytest.approx(math.exp(0.16) * ratio, rel=0.02)


def test_jain() -> None:
    # Jain's own examples: 20 of 100 people get a dollar; 50, 30, 50 Mb/s where 50, 10, 10 were fair.
    assert stats.jain([1] * 20 + [0] * 80) == pytest.approx(0.2)
    assert stats.jain([50, 30, 50], fair=[50, 10, 10]) == pytest.approx(0.77, abs=0.005)
    assert stats.jain([1, 4, 5]) == pytest.approx(0.79, abs=0.005)
    assert stats.jain([1, 2, 5]) == pytest.approx(0.71, abs=0.005)
    assert stats.jain([3e9, 3e9]) == 1


def test_epsilon_and_product() -> None:
    assert stats.epsilon([4, 5]) == pytest.approx(0.2) and stats.epsilon([0, 5]) == 1
    assert stats.product([2e6, 8e6]) == pytest.approx(4e6) and stats.product([0, 1]) == 0


def test_max_min_is_the_textbook_s() -> None:
    # S. Keshav, An Engineering Approach to Computer Networking, 9.2: demands of 2, 2.6, 4 and 5 on a link of 10.
    assert stats.max_min({"l": 10}, ["l"] * 4, [2, 2.6, 4, 5]) == pytest.approx([2, 2.6, 2.7, 2.7])
    assert stats.max_min({"a": 1, "b": 2}, ["a", "ab", "b"]) == pytest.approx([0.5, 0.5, 1.5])


def test_max_min_gives_each_flow_a_bottleneck() -> None:
    """Bertsekas and Gallager: rates are max-min fair if each flow has a full link on which no other has more."""
    rng = random.Random(5)
    for _ in range(200):
        capacities = {link: rng.uniform(1, 10) for link in "abcde"}
        routes = [rng.sample("abcde", rng.randint(1, 4)) for _ in range(rng.randint(1, 12))]
        wants = [rng.choice([float("inf"), rng.uniform(0, 3)]) for _ in routes]
        rates = stats.max_min(capacities, routes, wants)
        load = {link: sum(r for r, route in zip(rates, routes, strict=True) if link in route) for link in capacities}
        assert all(load[link] <= capacities[link] * (1 + 1e-9) for link in load)
        for rate, route, want in zip(rates, routes, wants, strict=True):
            full = [link for link in route if load[link] >= capacities[link] * (1 - 1e-9)]
            most = {link: max(r for r, path in zip(rates, routes, strict=True) if link in path) for link in full}
            assert rate == want or any(rate >= most[link] * (1 - 1e-9) for link in full)


def test_harm_and_round_trips() -> None:
    assert stats.harm(10e6, 6e6) == pytest.approx(0.4)
    assert stats.harm(0.02, 0.05, more_is_better=False) == pytest.approx(0.6)
    assert stats.harm(10, 12) == pytest.approx(-0.2)
    rtts = [0.01, 0.05, 0.2]
    assert stats.rtt_exponent([7 / rtt**1.3 for rtt in rtts], rtts) == pytest.approx(1.3)
    assert stats.rtt_ratio([8, 3, 2], rtts) == 4 and stats.rtt_ratio([8, 3, 0], rtts) == float("inf")


def test_convergence() -> None:
    times = [10 + 0.5 * i for i in range(12)]
    newcomer = [0, 1, 2, 4.2, 3, 4.5, 4.5, 5, 4.1, 5, 5, 5]
    first = [10, 9, 8, 5, 7, 5, 5, 5, 5, 5, 5, 5]
    # Fair for a moment at 11.5 s, and from 12.5 s on: 4.1 is more than 0.8 of 5.
    assert stats.convergence_s(times, [first, newcomer], epsilon=0.2, hold_s=1.0) == pytest.approx(2.5)
    assert stats.convergence_s(times, [first, newcomer], epsilon=0.2, hold_s=0.0) == pytest.approx(1.5)
    assert stats.convergence_s(times, [first, newcomer], epsilon=0.05, hold_s=1.0) == pytest.approx(4.5)
    assert stats.convergence_s(times, [first, newcomer], epsilon=0.2, hold_s=4.0) is None
    # Two flows with (1 + d)/2 and (1 - d)/2 of the link are fair for epsilon = 2 d/(1 + d), not for less.
    epsilon = 2 * 0.1 / 1.1
    assert stats.convergence_s([0], [[0.55], [0.45]], epsilon=epsilon + 1e-9, hold_s=0) == 0
    assert stats.convergence_s([0], [[0.55], [0.45]], epsilon=epsilon - 1e-9, hold_s=0) is None


def test_variation_over_scales() -> None:
    rates = [0.0, 2.0] * 8  # a second of nothing, a second of two
    found = stats.variation(rates, interval_s=1.0, scales_s=[1, 2, 3, 8])
    assert found[1] == pytest.approx(1) and found[2] == found[8] == 0
    assert found[3] == pytest.approx(statistics.pstdev([2 / 3, 4 / 3, 2 / 3, 4 / 3, 2 / 3]) / (14 / 15))


def test_loss_events() -> None:
    # RFC 5348, 5.2: a loss no later than a round trip after an event's first one belongs to the event.
    assert stats.loss_events([0.3, 0.0, 0.05, 0.1, 0.11], rtt_s=0.1) == [0.0, 0.11, 0.3]
    assert stats.loss_event_rate([0.3, 0.0, 0.05, 0.1, 0.11], 0.1, packets=600) == pytest.approx(0.005)
    assert stats.loss_events([], 0.1) == [] and stats.loss_event_rate([], 0.1, packets=10) == 0


@pytest.mark.parametrize(
    ("n", "critical"),
    [(6, 0), (8, 0), (9, 1), (10, 1), (12, 2), (15, 3), (20, 5), (25, 7), (30, 9), (50, 17), (100, 39)],
)
def test_a_median_s_interval_is_the_sign_test_s(n: int, critical: int) -> None:
    """The printed table of the sign test, two-sided 5 %: the interval leaves so many values out at each end."""
    (median,) = stats.percentiles(range(1, n + 1), [50])
    assert (median.low, median.high) == (critical + 1, n - critical)
    assert median.value == (n + 1) / 2


def test_too_few_values_bound_no_percentile() -> None:
    (median,) = stats.percentiles([3, 1, 2, 5, 4], [50])
    assert (median.value, median.low, median.high) == (3, None, None)
    (rare,) = stats.percentiles(range(100), [99])
    assert rare.low == 96 and rare.high is None  # 0.99^100 = 0.37: the greatest is often below it


def test_percentiles_cover() -> None:
    rng = np.random.default_rng(4)
    true = -math.log(0.1)  # of completion times that are exponential with mean 1
    found = [stats.percentiles(rng.exponential(size=100), [90])[0] for _ in range(1000)]
    share = sum(p.low is not None and p.high is not None and p.low <= true <= p.high for p in found) / 1000
    assert 0.94 <= share <= 0.98  # at least the level: the ends are values, so it is rarely exact


def test_an_ellipse_is_one_sigma_from_its_middle() -> None:
    drawn = stats.delay_throughput([3, -1, 1, 1], [5, 5, 6, 4])
    assert (drawn.x, drawn.y, drawn.xx, drawn.xy, drawn.yy) == (1, 5, 2, 0, 0.5)
    outline = drawn.outline(points=401)
    assert np.ptp(outline, axis=0) == pytest.approx([2 * math.sqrt(2), 2 * math.sqrt(0.5)], rel=1e-4)
    assert outline[0] == pytest.approx(outline[-1])
    rng = np.random.default_rng(6)
    delays = rng.normal(size=50)
    slanted = stats.delay_throughput(delays, 3 * delays + rng.normal(size=50))
    inverse = np.linalg.inv([[slanted.xx, slanted.xy], [slanted.xy, slanted.yy]])
    for point in slanted.outline(sigmas=2) - [slanted.x, slanted.y]:
        assert point @ inverse @ point == pytest.approx(4)
    flat = stats.delay_throughput([1, 2, 3], [2, 4, 6])
    assert np.isfinite(flat.outline()).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stats.student([1.0]), "replications: expected at least 2, got 1"),
        (lambda: stats.student([1.0, math.nan]), r"replications\[1\] = nan: expected a finite number"),
        (lambda: stats.student([1, 2], level=95), "level = 95: expected a probability"),
        (lambda: stats.batch_means([1, 2, 3], batches=2), "values: expected at least 4, got 3"),
        (lambda: stats.batch_means([1, 2, 3], batches=1), "batches = 1: expected a whole number, at least 2"),
        (lambda: stats.batch_means([1, 2, 3] * 9, batches=True), "batches = True: expected a whole number"),
        (lambda: stats.mser5([1] * 19), "values: expected at least 20, got 19"),
        (lambda: next(stats.replicate(float, relative=0)), "relative = 0"),
        (lambda: next(stats.replicate(float, at_least=9)), "at_least = 9: expected a whole number, at least 10"),
        (lambda: stats.paired([1, 2], [1, 2, 3]), "expected as many second as first, got 3 and 2"),
        (lambda: stats.ratio_of_means([1, 2], [1]), "expected as many denominators as numerators, got 1 and 2"),
        (lambda: stats.ratio_of_means([1, 2], [1, -1]), "denominators: expected a mean other than 0"),
        (lambda: stats.jain([1, -2]), r"rates\[1\] = -2: expected a number of at least 0"),
        (lambda: stats.jain([0, 0]), "rates: expected one above 0 at least"),
        (lambda: stats.jain([[1, 2]]), r"rates: expected a sequence of numbers, got an array of shape \(1, 2\)"),
        (lambda: stats.max_min({"a": 1}, ["b"]), r"routes\[0\]: expected one of the links a, got b"),
        (lambda: stats.max_min({"a": 1}, [[]]), "nothing limits this flow"),
        (lambda: stats.harm(0, 1), "alone = 0, beside = 1"),
        (lambda: stats.rtt_exponent([1, 2], [0.1, 0.1]), "expected different round-trip times"),
        (lambda: stats.convergence_s([1, 1], [[1, 1], [1, 1]]), "each later than the one before"),
        (lambda: stats.convergence_s([1], [[1]]), "expected those of at least 2 flows"),
        (
            lambda: stats.variation([1, 2, 3], interval_s=0.1, scales_s=[0.25]),
            "expected multiples of interval_s, 0.1 s",
        ),
        (lambda: stats.variation([1, 2, 3], interval_s=1, scales_s=[2]), "fit at least twice into 3 s, got 2 s"),
        (lambda: stats.loss_event_rate([1, 2], 0.1, packets=1), "at least as many as loss events, 2"),
        (lambda: stats.percentiles([1, 2], [100]), "percents: expected numbers above 0 and below 100"),
    ],
)
def test_errors_say_what_was_expected(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
