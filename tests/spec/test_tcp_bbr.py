"""BBR as its authors and those who measured it describe it, on the wire."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from statistics import median
from typing import Any

import pytest

import ackclock as ac

#: 10 Mb/s, 2 * (16 + 2 + 2) ms
MIN_RTT_S = 0.040
PER_S = 10e6 / (1500 * 8)


@cache
def alone(control: str) -> dict[str, list[dict[str, Any]]]:
    """One flow for 25 s through a queue that it never fills."""
    bottleneck = ac.Link(rate="10 Mb/s", delay="16 ms", queue=ac.Queue(limit="4 BDP"))
    results = ac.run(
        ac.Scenario(
            topology=ac.Dumbbell(pairs=1, bottleneck=bottleneck, delays=["2 ms"]),
            # Packets leave one by one, not in pairs.
            flows=[ac.Flow(pair=1, tcp=control, parameters={"gso_max_segs": "1 packets"})],
            duration="25 s",
            defaults="linux",
            record=ac.Record(changes=True, packets=True),
        )
    )
    return {table: results.rows(table) for table in ("flows", "packets", "window_changes")}


def sent(control: str) -> list[float]:
    """When packets leave the sender, s."""
    seen = alone(control)["packets"]
    return [row["time_s"] for row in seen if row["event"] == "enqueue" and row["source_node"] == row["from_node"] == 0]


def test_the_bandwidth_is_probed_in_a_cycle_of_eight_round_trips() -> None:
    # draft-cardwell-iccrg-bbr-congestion-control-00, 4.3.4: a least round trip at 5/4 of the bandwidth, one at 3/4, six
    # at it. A phase ends with the first ACK after a least round trip.
    gaps = [(later, later - earlier) for earlier, later in pairwise(sent("bbr")) if 2 < earlier < 9]
    usual = sorted(gap for _, gap in gaps)[len(gaps) // 2]
    assert usual == pytest.approx(1 / PER_S / 0.99, rel=0.03)
    fast = [at_s for at_s, gap in gaps if gap < usual * 0.87]
    slow = [at_s for at_s, gap in gaps if gap > usual * 1.2]
    begun = [later for earlier, later in pairwise([0.0, *fast]) if later - earlier > 3 * MIN_RTT_S]
    periods = [later - earlier for earlier, later in pairwise(begun)]
    assert len(periods) >= 15
    for period in periods:
        assert 8 * MIN_RTT_S < period < 8 * 1.3 * MIN_RTT_S
    # 5/4 and 3/4 of the gap, and the slow phase behind the fast one.
    in_fast = [gap for at_s, gap in gaps if gap < usual * 0.87]
    in_slow = [gap for at_s, gap in gaps if gap > usual * 1.2]
    assert sum(in_fast) / len(in_fast) == pytest.approx(usual * 4 / 5, rel=0.03)
    assert sum(in_slow) / len(in_slow) == pytest.approx(usual * 4 / 3, rel=0.10)
    for start in begun[1:-1]:
        assert any(start + 0.8 * MIN_RTT_S < at_s < start + 2.5 * MIN_RTT_S for at_s in slow)


@pytest.mark.parametrize(("control", "every_s", "most"), [("bbr", 10, 4), ("bbr3", 5, 18), ("linux_bbr3", 5, 18)])
def test_the_round_trip_is_probed_for_200_ms(control: str, every_s: float, most: float) -> None:
    # The same, 4.3.5: four packets for 200 ms and a round trip after 10 s; draft-ietf-ccwg-bbr, 5.3.4: half of the
    # bandwidth-delay product, of 33 packets, after 5 s.
    rows = alone(control)["window_changes"]
    low = [row["time_s"] for row in rows if row["time_s"] > 1 and row["cwnd_packets"] <= most]
    begun = [later for earlier, later in pairwise([0.0, *low]) if later - earlier > 1]
    assert begun and all(later - earlier > every_s for earlier, later in pairwise([0.0, *begun]))
    for start in begun:
        ended = next(row["time_s"] for row in rows if row["time_s"] > start and row["cwnd_packets"] > most)
        assert 0.2 < ended - start < 0.2 + 4 * MIN_RTT_S


@pytest.mark.parametrize("control", ["bbr", "bbr3", "linux_bbr3"])
def test_alone_it_fills_the_path_and_not_the_queue(control: str) -> None:
    (flow,) = alone(control)["flows"]
    assert flow["goodput_bps"] > 0.93 * 10e6 * 1448 / 1500
    assert flow["rtt_p50_s"] < 1.3 * MIN_RTT_S


def share(control: str, limit: str) -> float:
    """Its part of what it and CUBIC get, from 20 to 90 s: the median of three runs."""
    return median(share_of_run(control, limit, seed) for seed in (1, 2, 3))


@cache
def share_of_run(control: str, limit: str, seed: int) -> float:
    """The same of one run."""
    bottleneck = ac.Link(rate="20 Mb/s", delay="16 ms", queue=ac.Queue(limit=limit))
    results = ac.run(
        ac.Scenario(
            topology=ac.Dumbbell(pairs=2, bottleneck=bottleneck, delays=["2 ms", "2 ms"]),
            flows=[ac.Flow(pair=1, tcp=control, start_jitter="1 s"), ac.Flow(pair=2, tcp="cubic", start_jitter="1 s")],
            duration="90 s",
            defaults="linux",
            seed=seed,
        )
    )
    late = [row for row in results.rows("flow_series") if row["time_s"] > 20]
    own, other = (sum(row["throughput_bps"] for row in late if row["flow"] == flow) for flow in (1, 2))
    return float(own / (own + other))


def test_a_shallow_buffer_is_bbrs_and_a_deep_one_cubics() -> None:
    # M. Hock, R. Bless, M. Zitterbart, "Experimental evaluation of BBR congestion control", ICNP 2017: with 0.8 of a
    # bandwidth-delay product BBR leaves CUBIC little, with 8 of them CUBIC has more than BBR. R. Ware and others,
    # "Modeling BBR's interactions with loss-based congestion control", IMC 2019: BBR's share falls with the buffer.
    shares = [share("bbr", limit) for limit in ("0.5 BDP", "2 BDP", "8 BDP", "16 BDP")]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.8 and 0.2 < shares[2] < 0.5


def test_version_3_leaves_cubic_its_share_of_a_shallow_buffer() -> None:
    # draft-ietf-ccwg-bbr, 5.3.3.8.1: coexistence with Reno and CUBIC is what its cycle is made for.
    for limit in ("0.5 BDP", "1 BDP", "2 BDP"):
        assert 0.3 < share("bbr3", limit) < 0.7
        assert 0.3 < share("linux_bbr3", limit) < 0.7


@pytest.mark.parametrize("control", ["bbr", "bbr3"])
def test_losses_alone_do_not_slow_it(control: str) -> None:
    # Cardwell and others, ACM Queue 2016, figure 8: at 1 % of losses BBR is near the full rate, CUBIC far below.
    def goodput(tcp: str, seed: int) -> float:
        loss = [ac.Loss(kind="uniform", rate=0.01)]
        line = ac.Link(
            rate="50 Mb/s", delay="25 ms", loss=loss, reverse=ac.Reverse(loss=[]), queue=ac.Queue(limit="1 BDP")
        )
        flow = ac.Flow(source="node1", destination="node2", tcp=tcp)
        topology = ac.Chain(nodes=2, link=line)
        scenario = ac.Scenario(topology=topology, flows=[flow], duration="20 s", defaults="linux", seed=seed)
        return float(ac.run(scenario).rows("flows")[0]["goodput_bps"])

    # Of one run in some hundred, 22 Mb/s is all: BBRv3 then takes early losses for the end of the path's capacity.
    assert median(goodput(control, seed) for seed in range(1, 8)) > 0.8 * 50e6 * 1448 / 1500 * 0.99
    assert max(goodput("cubic", seed) for seed in range(1, 4)) < 0.2 * 50e6


def test_a_repair_by_a_tail_loss_probe_leaves_no_recovery() -> None:
    # Linux, tcp_process_tlp_ack: the reduction after a loss that a probe repaired is over at once. The last packet
    # before a pause is lost; Vegas, which reacts only outside of recoveries, returns to its window without the loss.
    def run(lost: list[int]) -> ac.Results:
        loss = [ac.Loss(kind="list", packets=lost)] if lost else []
        line = ac.Link(
            rate="20 Mb/s", delay="25 ms", queue=ac.Queue(limit="4 BDP"), loss=loss, reverse=ac.Reverse(loss=[])
        )
        spans = [ac.Span(start="0 s", stop="2 s"), ac.Span(start="2.6 s")]
        flow = ac.Flow(source="node1", destination="node2", tcp="vegas", spans=spans)
        record = ac.Record(changes=True, packets=True)
        topology = ac.Chain(nodes=2, link=line)
        return ac.run(ac.Scenario(topology=topology, flows=[flow], duration="8 s", defaults="linux", record=record))

    without = run([])
    last = sum(
        row["event"] == "enqueue" and row["from_node"] == 0 and row["time_s"] < 2.55 for row in without.rows("packets")
    )
    with_loss = run([last - 1])
    (flow,) = with_loss.rows("flows")
    assert (flow["retransmitted_packets"], flow["timeouts"]) == (1, 0)
    windows = [results.rows("window_changes")[-1]["cwnd_packets"] for results in (without, with_loss)]
    assert windows[1] == pytest.approx(windows[0], rel=0.05)


def test_the_kernels_bbr3_responds_to_marks_of_low_latency_ecn() -> None:
    # google/bbr, v3, bbr_can_use_ecn and bbr_ecn_max_rtt_us: with the feature, at 5 ms or less, marks bound the data in
    # flight; without it the connection sends no ECT.
    def flows(ecn_low: bool) -> list[dict[str, Any]]:
        bottleneck = ac.Link(rate="100 Mb/s", delay="1 ms", queue=ac.Queue(kind="step", limit="200 packets"))
        scenario = ac.Scenario(
            topology=ac.Dumbbell(pairs=2, bottleneck=bottleneck, delays=["0.2 ms", "0.2 ms"]),
            flows=[ac.Flow(pair=pair, tcp="linux_bbr3", parameters={"ecn_low": ecn_low}) for pair in (1, 2)],
            duration="4 s",
            defaults="linux",
            seed=1,
        )
        return ac.run(scenario).rows("flows")

    without, marked = flows(False), flows(True)
    assert all(flow["marked_packets"] == 0 for flow in without)
    assert all(flow["marked_packets"] > 0 for flow in marked)
    assert sum(flow["rtt_mean_s"] for flow in marked) < 0.9 * sum(flow["rtt_mean_s"] for flow in without)
    assert sum(flow["goodput_bps"] for flow in marked) > 0.9 * 100e6 * 1448 / 1500
