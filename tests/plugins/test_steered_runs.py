"""Runs in lock step whose windows and rates a program sets: what they send, measure, and how they end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ackclock as ac
from ackclock._native import Agent, Simulation, SteeredRuns
from ackclock.scenario.resolve.network import resolve

COLUMNS = {name: number for number, name in enumerate(SteeredRuns.columns())}
#: 10 Mb/s and 20 ms each way: packets of 1500 bytes at 833.3 a second, an RTT of 40 ms and what sending takes
CAPACITY = 10e6 / 8 / 1500
#: 1500 bytes and an ACK of 52 bytes at 10 Mb/s
RTT_S = 0.040 + (1500 + 52) * 8 / 10e6


def scenario(duration: str = "30 s", **flow: Any) -> ac.Scenario:
    link = ac.Link(rate="10 Mb/s", delay="20 ms", queue=ac.Queue(limit="100 packets"))
    return ac.Scenario(
        topology=ac.Chain(nodes=2, link=link),
        flows=[ac.Flow(source="node1", destination="node2", **{"tcp": "cubic", "window": "10000 packets", **flow})],
        duration=duration,
        defaults="linux",
        seed=1,
        record=ac.Record(changes=True),
    )


def sender(described: ac.Scenario) -> Agent:
    engine = Simulation()
    return engine.agent(resolve(described).native.build(engine, tables=False)[0])


def held(runs: SteeredRuns, place: int, cwnd_packets: float, pacing_packets_per_s: float | None = None) -> None:
    runs.put(place, sender(scenario()), cwnd_packets, pacing_packets_per_s)
    assert runs.connect(place) == pytest.approx(0.04, abs=0.001)


def move(runs: SteeredRuns, count: int, interval_s: float, **values: list[float]) -> dict[str, NDArray[np.float64]]:
    unset = np.full(count, np.nan)
    cwnd, rate = (np.array(values.get(name, unset), np.float64) for name in ("cwnd", "rate"))
    moved = runs.step(cwnd.tobytes(), rate.tobytes(), np.full(count, interval_s).tobytes())
    rows = np.frombuffer(moved).reshape(count, len(COLUMNS))
    return {name: rows[:, number] for name, number in COLUMNS.items()}


def test_a_run_that_is_left_alone_sends_the_packets_of_an_ordinary_run() -> None:
    results = ac.run(scenario())
    (flow,) = results.rows("flows")
    runs = SteeredRuns(1)
    runs.put(0, sender(scenario()))
    assert runs.connect(0) is not None
    sent = lost = 0.0
    while True:
        row = move(runs, 1, 0.01)
        sent, lost = sent + row["sent"][0], lost + row["lost"][0]
        if row["ending"][0]:
            break
    assert row["ending"] == 1
    assert row["time_s"] == 30
    # The SYN and the ACK of the SYN-ACK are packets without payload.
    assert sent + 2 == flow["sent_packets"]
    assert lost == flow["dropped_packets"] > 0
    windows = [change["cwnd_packets"] for change in results.rows("window_changes")]
    assert row["cwnd"][0] == windows[-1]


def test_a_rate_that_is_held_is_the_rate_that_is_sent() -> None:
    runs = SteeredRuns(1)
    held(runs, 0, 1e6, 500.0)
    move(runs, 1, 0.5)
    row = move(runs, 1, 1.0)
    assert abs(row["sent"][0] - 500) <= 1
    assert abs(row["delivered"][0] - 500) <= 2  # ACKs of two packets each
    assert row["lost"] == 0
    assert row["rtt_mean_s"] == pytest.approx(RTT_S + 0.001, abs=0.0015)  # every other ACK waits for a packet, 2 ms
    row = move(runs, 1, 1.0, rate=[250.0])
    row = move(runs, 1, 1.0)
    assert abs(row["sent"][0] - 250) <= 1


def test_a_rate_above_the_link_fills_its_queue_and_loses_the_rest() -> None:
    runs = SteeredRuns(1)
    held(runs, 0, 1e6, 2 * CAPACITY)
    move(runs, 1, 3.0)
    row = move(runs, 1, 1.0)
    assert row["delivered"][0] == pytest.approx(CAPACITY, rel=0.01)
    assert row["lost"][0] == pytest.approx(CAPACITY, rel=0.05)
    # 100 packets in the queue.
    assert row["rtt_mean_s"][0] == pytest.approx(RTT_S + 100 / CAPACITY, rel=0.02)


def test_a_window_that_is_held_gives_a_window_per_round_trip_through_losses() -> None:
    runs = SteeredRuns(2)
    held(runs, 0, 16.0)
    held(runs, 1, 300.0)
    move(runs, 2, 2.0)
    row = move(runs, 2, 10 * RTT_S)
    assert row["sent"][0] == pytest.approx(160, abs=16)
    assert row["cwnd"].tolist() == [16, 300]
    assert row["in_flight"][0] <= 16
    move(runs, 2, 1.0, cwnd=[32.0, np.nan])
    row = move(runs, 2, 10 * RTT_S)
    assert row["sent"][0] == pytest.approx(320, abs=32)
    assert row["cwnd"].tolist() == [32, 300]


def test_runs_do_not_see_each_other_and_stay_where_they_are_without_an_interval() -> None:
    runs = SteeredRuns(2)
    held(runs, 0, 1e6, 300.0)
    held(runs, 1, 1e6, 300.0)
    unset, one = np.full(2, np.nan).tobytes(), np.array([1.0, np.nan]).tobytes()
    rows = np.frombuffer(runs.step(unset, unset, one)).reshape(2, -1)
    assert not rows[1].any()
    first = rows[0].copy()
    rows = np.frombuffer(runs.step(unset, unset, np.array([np.nan, 1.0]).tobytes())).reshape(2, -1)
    assert not rows[0].any()
    # The second run, begun alike, does the same a step later.
    assert rows[1].tolist() == first.tolist() and first[COLUMNS["sent"]] > 0


def test_a_finite_transfer_ends_when_all_is_acknowledged() -> None:
    runs = SteeredRuns(1)
    described = scenario(app=ac.Ftp(size="100 packets"))
    network = resolve(described)
    assert network.flows[0].packets == 100
    runs.put(0, sender(described), 1e6, 500.0, 100 * int(network.flows[0].parameters["segsize"]))
    assert runs.connect(0) is not None
    rows = [move(runs, 1, 0.05) for _ in range(10)]
    # The first ten packets are not paced; the other 90 take 0.18 s, and the last one's ACK an RTT.
    ended = next(number for number, row in enumerate(rows) if row["ending"] == 2)
    assert 0.18 + 0.04 <= rows[ended]["time_s"][0] <= 0.18 + 4 * RTT_S + 0.05
    assert sum(row["sent"][0] for row in rows) == 100


def test_mistakes_are_told() -> None:
    runs = SteeredRuns(2)
    with pytest.raises(IndexError, match="there is no place 2, only 2"):
        runs.put(2, sender(scenario()))
    with pytest.raises(IndexError, match="there is no run in place 1"):
        runs.connect(1)
    with pytest.raises(ValueError, match="only flows of today's TCP can be steered"):
        runs.put(0, sender(scenario(tcp="sack", window="10 packets")))
    with pytest.raises(ValueError, match="interval_s has 8 bytes; expected 2 numbers of 8 bytes"):
        runs.step(bytes(16), bytes(16), bytes(8))
