"""The tasks of Aurora, PCC-RL and Orca: features, rewards and actions by the formulas of their papers and code."""

from __future__ import annotations

import numpy as np
import pytest

from ackclock.scenario import ScenarioError

pytest.importorskip("gymnasium", reason="gymnasium is not installed (the extra gym)")
# isort: split
from ackclock.gym import AURORA_RANGES, Aurora, CongestionEnv, Orca, PccRl, Range, Rows, Task, link_scenario

ALL = np.ones(1, np.bool_)
#: 10 Mb/s, packets of 1500 bytes
CAPACITY = 10e6 / 8 / 1500


def rows(**values: float) -> Rows:
    return Rows(np.array([[values.get(name, 0.0) for name in Rows.names]]))


def started(task: Task, rtt_s: float = 0.1) -> Task:
    task.prepare(1)
    task.start(0, np.random.default_rng(1), 500.0)
    task.connected(0, rtt_s)
    return task


#: 75 packets sent, 50 delivered and 10 lost in 100 ms; RTTs of 100, then 120 ms
INTERVAL = rows(
    interval_s=0.1,
    sent=75,
    delivered=50,
    lost=10,
    rtt_samples=40,
    rtt_mean_s=0.11,
    rtt_first_half_s=0.10,
    rtt_second_half_s=0.12,
)


def test_the_features_and_the_reward_of_aurora() -> None:
    task = started(Aurora())
    features, rewards = task.observe(INTERVAL, ALL)
    # Jay et al., section 4: the latency's derivative; the mean latency over the smallest one of an interval so far;
    # packets sent over packets acknowledged.
    assert features[0].tolist() == pytest.approx([0.02 / 0.1, 1.0, 75 / 50])
    # 10 throughput - 1000 latency - 2000 loss, with packets/s, s and a fraction.
    assert rewards[0] == pytest.approx(10 * 500 - 1000 * 0.11 - 2000 * 10 / 60)
    features, _ = task.observe(rows(interval_s=0.1, sent=5, delivered=5, rtt_samples=5, rtt_mean_s=0.22), ALL)
    assert features[0, 1] == pytest.approx(2.0)
    features, _ = task.observe(rows(interval_s=0.1, sent=5), ALL)
    assert features[0].tolist() == [0, 0, 1]  # sender_obs.py, where nothing is delivered


def test_the_throughput_of_pcc_rl_is_without_a_packet_and_its_reward_a_thousandth() -> None:
    features, rewards = started(PccRl()).observe(INTERVAL, ALL)
    # sender_obs.py, `_mi_metric_recv_rate`: bytes acknowledged less those of a packet; REWARD_SCALE in network_sim.py.
    assert features[0, 2] == pytest.approx(75 / 49)
    assert rewards[0] == pytest.approx((10 * 490 - 1000 * 0.11 - 2000 * 10 / 60) / 1000)


#: What PCC-RL's own simulator (64bea6e) gives for a link of 300 packets/s, 50 ms and a queue of 50 packets, no losses,
#: a first rate of 270 packets/s and these actions: rate, latency gradient, latency ratio, send ratio, reward.
ACTIONS = (10, 10, 10, 0, 0, 0, -40, 0, 0, 0, 0, 0)
PUBLISHED = (
    (337.5, 0.0123, 1.0, 1.275, 2.5657),
    (421.875, 0.0582, 1.0732, 1.4667, 2.8393),
    (527.3438, 0.0534, 1.1319, 1.9333, 2.5901),
    (527.3438, 0.1362, 1.2239, 1.8235, 2.7683),
    (527.3438, 0.1879, 1.4107, 1.8333, 2.734),
    (527.3438, 0.2094, 1.6865, 1.9, 2.6052),
    (263.6719, 0.2189, 2.0211, 0.92, 2.7257),
    (263.6719, 0.2129, 2.4243, 0.9, 2.5637),
    (263.6719, -0.0236, 2.5848, 0.9143, 1.9298),
    (263.6719, -0.0698, 2.4396, 0.8974, 2.7169),
    (263.6719, -0.0679, 2.2644, 0.8889, 2.6502),
    (263.6719, -0.0689, 2.1007, 0.9118, 2.7022),
)


def test_pcc_rls_own_simulator_gives_the_same_course() -> None:
    scenario = link_scenario(rate="3.6 Mb/s", delay="50 ms", queue="50 packets")
    env = CongestionEnv(PccRl(history=1, first=(0.9, 0.9)), scenario=scenario)
    env.reset(seed=1)
    course = []
    for action in ACTIONS:
        features, reward, _, _, info = env.step([action])
        course.append((info["rate_packets_per_s"], *features.tolist(), reward))
    ours, theirs = np.array(course), np.array(PUBLISHED)
    np.testing.assert_allclose(ours[:, 0], theirs[:, 0], rtol=1e-4)
    # An ACK is for two packets here and for one there, and an interval has 12 to 35 of them; an RTT is longer here by
    # what sending takes, 3 ms of 100.
    np.testing.assert_allclose(ours[:, 1], theirs[:, 1], atol=0.05)
    np.testing.assert_allclose(ours[:, 2], theirs[:, 2], rtol=0.07)
    np.testing.assert_allclose(ours[:, 3], theirs[:, 3], rtol=0.12)
    np.testing.assert_allclose(ours[:, 4], theirs[:, 4], rtol=0.12)
    np.testing.assert_allclose(ours.mean(axis=0), theirs.mean(axis=0), rtol=0.05, atol=0.01)


def test_a_full_queue_gives_the_reward_of_pcc_rls_own_simulator() -> None:
    scenario = link_scenario(rate="6 Mb/s", delay="100 ms", queue="100 packets")
    env = CongestionEnv(PccRl(first=(1.2, 1.2)), scenario=scenario)
    env.reset(seed=1)
    rewards = [env.step([0.0])[1] for _ in range(20)]
    # 64bea6e: 4.2193 at 600 packets/s over 500 packets/s, from the fifth interval on.
    assert np.mean(rewards[12:]) == pytest.approx(4.2193, rel=0.01)


@pytest.mark.parametrize(
    ("action", "factor"),
    [(2.0, 1 + 0.025 * 2), (-2.0, 1 / (1 + 0.025 * 2)), (0.0, 1.0), (40.0, 2.0), (-40.0, 0.5)],
)
def test_an_action_of_aurora_multiplies_or_divides_the_rate(action: float, factor: float) -> None:
    task = started(Aurora(first=(1.0, 1.0)))
    steps = task.steer(np.array([action]), ALL)
    assert steps.pacing_packets_per_s[0] == pytest.approx(500 * factor)
    assert np.isnan(steps.cwnd_packets[0])
    again = task.steer(np.array([action]), ALL)
    assert again.pacing_packets_per_s[0] == pytest.approx(500 * factor**2)


def test_the_rate_of_pcc_rl_stays_from_40_to_1000_packets_per_s() -> None:
    task = started(PccRl(first=(1.0, 1.0)))
    assert task.steer(np.array([1.0]), ALL).pacing_packets_per_s[0] == pytest.approx(500 * 1.025)
    assert task.steer(np.array([1e12]), ALL).pacing_packets_per_s[0] == 1000
    assert task.steer(np.array([-1e12]), ALL).pacing_packets_per_s[0] == 40


@pytest.mark.parametrize(("task", "rtts"), [(Aurora(), 1.0), (PccRl(), 0.5)])
def test_an_interval_lasts_as_long_as_the_rtts_before_it(task: Task, rtts: float) -> None:
    started(task)
    assert task.steer(np.zeros(1), ALL).interval_s[0] == pytest.approx(0.15)  # three delays of a link of 50 ms
    task.observe(INTERVAL, ALL)
    assert task.steer(np.zeros(1), ALL).interval_s[0] == pytest.approx(rtts * 0.11)


def test_the_features_the_reward_and_the_action_of_orca() -> None:
    task = started(Orca())
    interval = rows(
        interval_s=0.02,
        sent=24,
        delivered=20,
        lost=0.4,
        rtt_samples=10,
        srtt_s=0.05,
        min_rtt_s=0.036,
        cwnd=40,
        pacing_per_s=1200,
    )
    features, rewards = task.observe(interval, ALL)
    # envwrapper.py: 1000 packets/s are the maximum so far, 20 packets/s are lost; min RTT and 25 % are 0.9 of the RTT.
    assert features[0].tolist() == pytest.approx([1.0, 1.2, 5 * 20 / 1000, 10 / 40, 0.02, 0.72, 0.9])
    assert rewards[0] == pytest.approx((1000 - 5 * 20) / 1000 * 0.9)
    for action, cwnd in ((0.5, 80.0), (1.0, 160.0), (-1.0, 10.0)):
        task.observe(interval, ALL)
        assert task.steer(np.array([action]), ALL).cwnd_packets[0] == pytest.approx(cwnd)
    task.observe(rows(interval_s=0.02, cwnd=8), ALL)
    assert task.steer(np.array([-1.0]), ALL).cwnd_packets[0] == 4  # MIN_CWND
    assert np.isnan(task.steer(np.zeros(1), ALL).cwnd_packets[0])


def test_a_rate_above_the_link_is_seen_as_a_latency_gradient() -> None:
    env = CongestionEnv(Aurora(first=(1.25, 1.25), history=1), scenario=link_scenario(queue="2000 packets"))
    env.reset(seed=1)
    for _ in range(5):
        features, _, _, _, info = env.step([0.0])
    # A queue that gets 1.25 packets for each that leaves: a packet that leaves an interval T later was sent T / 1.25
    # later and has waited T - T / 1.25 more. The means of two halves are half an interval apart.
    assert features[0] == pytest.approx((1 - 1 / 1.25) / 2, rel=0.1)
    assert features[1] > 1
    assert features[2] == pytest.approx(1.25, rel=0.1)
    assert info["throughput_packets_per_s"] == pytest.approx(CAPACITY, rel=0.05)
    assert info["rate_packets_per_s"] == pytest.approx(1.25 * CAPACITY, rel=0.001)


def test_orca_waits_for_the_first_slow_start_and_lets_cubic_go_on() -> None:
    env = CongestionEnv("orca", scenario=link_scenario())
    _, info = env.reset(seed=1)
    # The pipe has room for 33 packets: slow start does not end before a queue is seen, or losses.
    assert info["window_packets"] > 33
    before = info["window_packets"]
    _, _, _, _, info = env.step([-0.5])
    # Half, and what CUBIC adds in an interval: slow start again, a packet for each of about 17 that are acknowledged.
    assert before / 2 <= info["window_packets"] <= before / 2 + 20
    windows = [env.step([0.0])[4]["window_packets"] for _ in range(100)]
    assert windows[-1] > windows[0]  # CUBIC, without the agent


def test_a_constant_window_is_an_agent_of_zeros() -> None:
    task = Aurora(steers="window", first=(20.0, 20.0))
    env = CongestionEnv(task, scenario=link_scenario())
    env.reset(seed=1)
    for _ in range(5):
        _, _, _, _, info = env.step([0.0])
    # Less than the pipe: a window in each round trip, the RTT of an empty path, and what sending takes.
    assert info["window_packets"] == 20
    assert info["latency_s"] == pytest.approx(0.0412, abs=0.003)
    assert info["throughput_packets_per_s"] == pytest.approx(20 / info["latency_s"], rel=0.1)


def test_ranges_draw_what_they_say() -> None:
    random = np.random.default_rng(1)
    rates = [float(AURORA_RANGES["topology.link.rate"].draw(random).split()[0]) for _ in range(200)]
    assert 1.2 <= min(rates) < 1.4
    assert 5.8 < max(rates) <= 6
    queues = [int(AURORA_RANGES["topology.link.queue.limit"].draw(random).split()[0]) for _ in range(400)]
    assert min(queues) >= 2
    assert max(queues) <= 2981
    # Uniform in the logarithm: half of them below the root of the product of the bounds.
    assert np.mean(np.array(queues) < (2 * 2981) ** 0.5) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        (("1 ms", "2 s"), "two texts of one unit, not ms and s"),
        (("2 ms", "1 ms"), "the lower bound first"),
        (("fast", "2 ms"), "expected a number with its unit"),
        ((0, 5, True), "a positive lower bound"),
        ((None, 5), "expected a number, or a text"),
    ],
)
def test_a_wrong_range_is_told(bounds: tuple[float, float], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        Range(*bounds)
