"""The models, against the numbers of their sources and of programs that are not ours."""

from __future__ import annotations

import subprocess
import sys
from math import comb, sqrt
from pathlib import Path

import pytest

from ackclock import models
from ackclock.analysis.models import cubic, high_speed, pftk, reno_and_vegas, square_root, vegas
from ackclock.analysis.models.reno_and_vegas import Bottleneck, VegasWindow, drop_tail, red

ROOT = Path(__file__).resolve().parents[2]

#: RFC 8312, table 1 (RTT 0.1 s) and table 2 (0.01 s): loss ratio, TCP, HSTCP, CUBIC with C 0.04, 0.4, 4.
WINDOWS = {
    0.1: """
        1e-2      12      12      12      12      12
        1e-3      38      38      38      38      59
        1e-4     120     263     120     187     333
        1e-5     379    1795     593    1054    1874
        1e-6    1200   12279    3332    5926   10538
        1e-7    3795   83981   18740   33325   59261
        1e-8   12000  574356  105383  187400  333250""",
    0.01: """
        1e-2      12      12      12      12      12
        1e-3      38      38      38      38      38
        1e-4     120     263     120     120     120
        1e-5     379    1795     379     379     379
        1e-6    1200   12279    1200    1200    1874
        1e-7    3795   83981    3795    5926   10538
        1e-8   12000  574356   18740   33325   59261""",
}


@pytest.mark.parametrize("rtt_s", WINDOWS)
def test_windows_are_those_of_the_rfc(rtt_s: float) -> None:
    for line in WINDOWS[rtt_s].strip().splitlines():
        p, tcp, hstcp, *cubics = map(float, line.split())
        ours = [1.2 / sqrt(p), high_speed.window_packets(p)]
        ours += [cubic.window_packets(p, rtt_s=rtt_s, c=c) for c in (0.04, 0.4, 4)]
        # The RFC rounds some of its numbers down, and computes with 1.17, 1.054, 1.874 for the fourth roots.
        for published, own in zip((tcp, hstcp, *cubics), ours, strict=True):
            assert own == pytest.approx(published, rel=6e-4, abs=1.0), (p, published, own)
        standard = square_root.packets_per_s(p, rtt_s=rtt_s, constant=1.2) * rtt_s
        assert standard == pytest.approx(tcp, abs=1.0)


@pytest.mark.parametrize(
    ("rate_mbps", "high_speed_p", "cubic_p"),
    [(10, 3.9e-4, 2.9e-4), (100, 2.5e-5, 1.4e-5), (1000, 1.5e-6, 6.3e-7), (10000, 1.0e-7, 2.9e-8)],
)
def test_rates_are_those_of_the_rfc(rate_mbps: float, high_speed_p: float, cubic_p: float) -> None:
    """RFC 8312, table 3: the loss ratio that allows a rate, 1500-byte packets, RTT 0.1 s, cut to two digits."""
    packets_per_s = rate_mbps * 1e6 / 8 / 1500
    assert high_speed.packets_per_s(high_speed_p, rtt_s=0.1) == pytest.approx(packets_per_s, rel=0.055)
    assert cubic.packets_per_s(cubic_p, rtt_s=0.1) == pytest.approx(packets_per_s, rel=0.055)


@pytest.mark.parametrize(
    ("p", "millionths"),
    [(0.0001, 8172), (0.0002, 11567), (0.001, 26052), (0.002, 37172), (0.01, 89021), (0.05, 271305), (0.1, 564939)],
)
def test_the_short_pftk_is_that_of_linux(p: float, millionths: int) -> None:
    """Linux tabulates 1/(RTT x rate) for a timeout of four round trips: net/dccp/ccids/lib/tfrc_equation.c."""
    rate = pftk.approximate_packets_per_s(p, rtt_s=0.08, rto_s=0.32)
    assert 1e6 / (0.08 * rate) == pytest.approx(millionths, abs=1.0)


def test_the_full_pftk_is_the_sum_of_its_cycle() -> None:
    """Equation 32 is a ratio of means; here the cycle is added up from the paper's sums, not its closed forms."""
    for p, b in ((0.005, 1), (0.02, 2), (0.1, 1), (0.3, 2)):
        window = pftk.unlimited_window_packets(p, packets_per_ack=b)
        # Equations 11, 12: b w/2 rounds take the window from w/2 to w; in them and the next, (1-p)/p + w are sent.
        rounds = b * window / 2
        assert (1 - p) / p + window == pytest.approx(rounds / 2 * (window / 2 + window - 1) + window / 2, rel=1e-12)
        # The k-th timeout in a row lasts 2^(k-1) of the first, 64 at most; each follows with probability p.
        timeouts = sum(p ** (k - 1) * (1 - p) * sum(2 ** min(i, 6) for i in range(k)) for k in range(1, 200))
        q = pftk.timeout_share(p, window)
        packets = (1 - p) / p + window + q * sum(k * p ** (k - 1) * (1 - p) for k in range(1, 200))
        time_s = 0.1 * (rounds + 1) + q * 0.4 * timeouts
        ours = pftk.packets_per_s(p, rtt_s=0.1, rto_s=0.4, packets_per_ack=b)
        assert ours == pytest.approx(packets / time_s, rel=1e-9)


def test_a_timeout_ends_what_three_acks_cannot_save() -> None:
    """Equations 22 to 24: Q as the sum over where the first loss is, and what the next round brings."""
    for p, window in ((0.01, 12), (0.1, 5), (0.2, 8)):
        first = [
            (1 - p) ** k * p / (1 - (1 - p) ** window) for k in range(window)
        ]  # A(w, k): k packets were acknowledged
        # C(k, m): m of k packets come before the next loss; fewer than three give no third duplicate ACK.
        few = [1.0 if k < 3 else sum((1 - p) ** m * p for m in range(3)) for k in range(window)]
        assert pftk.timeout_share(p, window) == pytest.approx(sum(a * c for a, c in zip(first, few, strict=True)))
    assert pftk.timeout_share(0.01, 3) == 1.0


def test_a_receiver_limits_the_rate() -> None:
    free = pftk.packets_per_s(1e-5, rtt_s=0.1, rto_s=0.4)
    limited = pftk.packets_per_s(1e-5, rtt_s=0.1, rto_s=0.4, window_packets=20)
    assert limited == pytest.approx(200, rel=0.01) and free > 3000
    assert pftk.approximate_packets_per_s(1e-5, rtt_s=0.1, rto_s=0.4, window_packets=20) == 200
    assert pftk.packets_per_s(0.05, rtt_s=0.1, rto_s=0.4, window_packets=1000) == pftk.packets_per_s(
        0.05, rtt_s=0.1, rto_s=0.4
    )


def test_few_losses_make_all_of_them_the_square_root() -> None:
    for name in ("pftk", "pftk_approximate", "reno_cycle"):
        rate = models.TABLE[name].packets_per_s(1e-7, 0.1, 0.4)
        assert rate == pytest.approx(models.TABLE["square_root"].packets_per_s(1e-7, 0.1, 0.4), rel=2e-3), name


def test_the_constants_are_the_paper_s() -> None:
    """Mathis et al., table 1, to the two digits that it has."""
    assert round(square_root.PERIODIC, 2) == 1.22 and round(square_root.PERIODIC_DELAYED_ACK, 2) == 0.87


def test_vegas_rests_where_its_rule_says() -> None:
    window = vegas.window_packets(rtt_s=0.12, base_rtt_s=0.1, alpha_packets=2, beta_packets=4)
    assert (window / 0.1 - window / 0.12) * 0.1 == pytest.approx(3)  # Brakmo and Peterson's diff, in packets
    assert vegas.packets_per_s(rtt_s=0.12, base_rtt_s=0.1) == pytest.approx(
        2 / 0.02
    )  # packets queued over queueing delay


# Study 001's model. Numbers were worked out apart from this code when the paper's equations were restored.

DUMBBELL = Bottleneck(rate_packets_per_s=0.3e6 / 8 / 592, delay_s=0.22, buffer_packets=10)


def test_drop_tail_as_printed() -> None:
    shares = drop_tail(DUMBBELL)
    assert DUMBBELL.wire_packets == pytest.approx(27.8716, abs=5e-5)
    assert shares.vegas_window_packets == 2
    assert shares.reno_window_at_overflow_packets == pytest.approx(35.8716, abs=5e-5)
    assert shares.reno_lost_packets == pytest.approx(0.947190, abs=5e-7)
    assert shares.vegas_lost_packets == pytest.approx(0.052810, abs=5e-7)
    assert shares.reno_window_after_packets == pytest.approx(18.8830, abs=5e-5)
    assert shares.reno_window_packets == pytest.approx(27.8495, abs=5e-5)
    assert shares.reno_queued_packets == pytest.approx(7.3537, abs=5e-5)
    assert shares.vegas_queued_packets == pytest.approx(0.5281, abs=5e-5)
    assert shares.reno_packets_per_s == pytest.approx(59.1003, abs=5e-5)
    assert shares.vegas_packets_per_s == pytest.approx(4.2443, abs=5e-5)
    assert shares.ratio == pytest.approx(13.9248, abs=5e-5)


def test_drop_tail_corrected() -> None:
    shares = drop_tail(DUMBBELL, "corrected")
    assert shares.vegas_window_packets == pytest.approx(11.5080, abs=5e-5)
    assert shares.reno_window_packets == pytest.approx(22.2263, abs=5e-5)
    assert shares.ratio == pytest.approx(1.9314, abs=5e-5)


def test_drop_tail_with_smaller_packets_and_more_connections() -> None:
    small = Bottleneck(rate_packets_per_s=0.3e6 / 8 / 552, delay_s=0.22, buffer_packets=10)
    assert drop_tail(small).ratio == pytest.approx(14.6835, abs=5e-5)
    assert drop_tail(small, "corrected").ratio == pytest.approx(1.8641, abs=5e-5)
    many = Bottleneck(rate_packets_per_s=100, delay_s=0.05, buffer_packets=50, reno_connections=5, vegas_connections=5)
    shares = drop_tail(many)
    assert shares.reno_window_at_overflow_packets == pytest.approx(50)
    assert shares.reno_window_after_packets == pytest.approx(29.1667, abs=5e-5)
    assert shares.reno_window_packets == pytest.approx(41.5995, abs=5e-5)
    assert (shares.reno_packets_per_s, shares.vegas_packets_per_s) == pytest.approx((80.62, 19.38), abs=5e-3)
    assert shares.ratio == pytest.approx(4.1599, abs=5e-5)


@pytest.mark.parametrize(
    ("connections", "delay_s", "buffers", "printed", "corrected"),
    [
        (1, 0.001, (10, 20, 50, 100), (4.4, 8.2, 19.5, 38.2), (3.2, 7.0, 18.2, 36.9)),
        (1, 0.050, (10, 20, 50, 100), (6.8, 10.5, 21.8, 40.6), (2.8, 6.4, 17.5, 36.2)),
        (1, 0.200, (10, 20, 50, 100), (13.9, 17.7, 28.9, 47.7), (1.9, 4.8, 15.4, 34.0)),
        (5, 0.010, (20, 50, 100), (1.3, 3.7, 7.5), (0.95, 3.3, 7.1)),
        (5, 0.200, (20, 50, 100), (3.2, 5.5, 9.3), (0.86, 3.0, 6.7)),
    ],
)
def test_ratios_over_delays_and_buffers(
    connections: int, delay_s: float, buffers: tuple[int, ...], printed: tuple[float, ...], corrected: tuple[float, ...]
) -> None:
    for buffer, first, second in zip(buffers, printed, corrected, strict=True):
        path = Bottleneck(
            rate_packets_per_s=DUMBBELL.rate_packets_per_s,
            delay_s=delay_s + 0.02,  # the access links have 10 ms each
            buffer_packets=buffer,
            reno_connections=connections,
            vegas_connections=connections,
        )
        assert drop_tail(path).ratio == pytest.approx(first, abs=0.0501)
        assert drop_tail(path, "corrected").ratio == pytest.approx(second, abs=0.06)


@pytest.mark.parametrize(
    ("p", "peak", "mean", "timeout"),
    [(0.001, 51.639, 38.7189, 0.0013), (0.01, 16.3233, 12.1891, 0.01137), (0.05, 7.2799, 5.3253, 0.0479)],
)
def test_reno_under_random_losses(p: float, peak: float, mean: float, timeout: float) -> None:
    window = reno_and_vegas.reno_peak_packets(p)
    assert window == pytest.approx(peak, abs=5e-4)
    assert reno_and_vegas.reno_mean_window_packets(p, rtt_s=0.1, rto_s=0.3) == pytest.approx(mean, abs=5e-5)
    assert reno_and_vegas.timeout_probability(p, window) == pytest.approx(timeout, abs=5e-5)


def test_the_timeout_probability_is_the_paper_s_sum() -> None:
    for p, w in ((0.01, 16), (0.2, 5)):
        total = sum(comb(w, i) * p**i * (1 - p) ** (w - i) for i in range(2, w + 1))  # equation 15
        assert reno_and_vegas.timeout_probability(p, w) == pytest.approx(total)


def test_red() -> None:
    printed = red(DUMBBELL, least_packets=5, most_packets=15)
    assert (printed.queue_packets, printed.reno_window_packets) == pytest.approx((5.1557, 31.027), abs=5e-4)
    assert printed.loss_ratio == pytest.approx(0.001557, abs=5e-7)
    assert (printed.reno_peak_packets, printed.ratio) == pytest.approx((41.387, 15.514), abs=5e-4)
    corrected = red(DUMBBELL, least_packets=5, most_packets=15, vegas="corrected")
    assert corrected.queue_packets == pytest.approx(5.3462, abs=5e-5)
    assert corrected.loss_ratio == pytest.approx(0.003462, abs=5e-7)
    assert (corrected.vegas_window_packets, corrected.reno_window_packets) == pytest.approx((12.427, 20.791), abs=5e-4)
    assert corrected.ratio == pytest.approx(1.6731, abs=5e-5)


def test_red_takes_the_retransmission_timeout() -> None:
    """Whatever the timeout, both windows are what the path and the queue hold; a longer one costs Reno."""
    found = {
        rto_s: red(DUMBBELL, least_packets=5, most_packets=6, rto_s=rto_s, vegas="corrected") for rto_s in (0.2, 20)
    }
    for rto_s, shares in found.items():
        rtt_s = 0.44 + shares.queue_packets / DUMBBELL.rate_packets_per_s
        window = reno_and_vegas.reno_mean_window_packets(shares.loss_ratio, rtt_s=rtt_s, rto_s=rto_s)
        assert shares.reno_window_packets == pytest.approx(window)
        total = shares.reno_window_packets + shares.vegas_window_packets
        assert total == pytest.approx(DUMBBELL.wire_packets + shares.queue_packets)
    assert found[20].ratio < found[0.2].ratio
    with pytest.raises(ValueError, match="rto_s = 0: expected a number above 0"):
        red(DUMBBELL, least_packets=5, most_packets=6, rto_s=0)


@pytest.mark.parametrize(
    ("bottleneck", "most", "vegas_window", "ratio"),
    [
        (DUMBBELL, 6, "as_printed", 15.4),
        (DUMBBELL, 6, "corrected", 1.52),
        (Bottleneck(rate_packets_per_s=63.3446, delay_s=0.07, buffer_packets=50), 15, "as_printed", 6.39),
        (Bottleneck(rate_packets_per_s=63.3446, delay_s=0.07, buffer_packets=50), 15, "corrected", 2.18),
    ],
)
def test_red_with_other_thresholds(
    bottleneck: Bottleneck, most: float, vegas_window: VegasWindow, ratio: float
) -> None:
    found = red(bottleneck, least_packets=5, most_packets=most, vegas=vegas_window).ratio
    assert found == pytest.approx(ratio, abs=0.05 if ratio == 15.4 else 0.005)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: square_root.packets_per_s(0, rtt_s=0.1), "loss_ratio = 0: expected a probability"),
        (lambda: pftk.packets_per_s(0.01, rtt_s=-1, rto_s=1), "rtt_s = -1: expected a number above 0"),
        (lambda: pftk.packets_per_s(0.01, rtt_s=1, rto_s=1, packets_per_ack=0), "packets_per_ack = 0"),
        (lambda: high_speed.packets_per_s(1.5, rtt_s=0.1), "loss_ratio = 1.5"),
        (lambda: high_speed.packets_per_s(float("nan"), rtt_s=0.1), "loss_ratio = nan"),
        (lambda: cubic.packets_per_s(0.1, rtt_s=0.1, beta=1), "beta = 1: expected what remains"),
        (lambda: vegas.window_packets(rtt_s=0.1, base_rtt_s=0.1), "expected more than base_rtt_s"),
        (lambda: Bottleneck(rate_packets_per_s=1, delay_s=1, buffer_packets=0), "buffer_packets = 0"),
        (lambda: drop_tail(DUMBBELL, "as printed"), "expected 'as_printed' or 'corrected'"),  # type: ignore[arg-type]
        (lambda: red(DUMBBELL, least_packets=12, most_packets=15), "not applicable: the buffer of 10 packets"),
    ],
)
def test_errors_say_what_was_expected(call: object, message: str) -> None:
    with pytest.raises(ValueError, match="^.*" + message):
        call()  # type: ignore[operator]


def test_a_small_buffer_has_no_corrected_answer() -> None:
    crowded = Bottleneck(
        rate_packets_per_s=63, delay_s=0.22, buffer_packets=10, reno_connections=5, vegas_connections=5
    )
    with pytest.raises(ValueError, match="not applicable: Vegas keeps 10 packets queued and the buffer holds 10"):
        drop_tail(crowded, "corrected")


def test_the_picture_s_script_runs_and_its_points_are_near(tmp_path: Path) -> None:
    script = ROOT / "docs" / "examples" / "throughput_models.py"
    line = [sys.executable, str(script), "--quick", "--out", "picture.png"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    few = next(row.split() for row in done.stdout.splitlines() if row.startswith("0.003 "))
    law, reno, sack = float(few[1]), float(few[6]), float(few[8])
    assert reno == pytest.approx(law, rel=0.15) and sack == pytest.approx(law, rel=0.15)
