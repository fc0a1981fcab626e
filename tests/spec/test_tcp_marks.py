"""Marks on the wire: DCTCP, Prague and AccECN as their texts describe them; Linux's laws on today's sender."""

from __future__ import annotations

from typing import Any

import pytest

import ackclock as ac
from ackclock import _native


def run(tcp: str, queue: ac.Queue, rate: str, delay: str, duration: str, flows: int = 1, **flow: Any) -> ac.Results:
    """Flows over one bottleneck; of `delay`, there and back, 2 ms are of the links beside it."""
    bottleneck = ac.Link(rate=rate, delay=delay, queue=queue)
    return ac.run(
        ac.Scenario(
            topology=ac.Dumbbell(
                pairs=flows,
                bottleneck=bottleneck,
                access=ac.Link(rate="1 Gb/s", delay="0.5 ms", queue=ac.Queue(limit="1000 packets")),
            ),
            flows=[ac.Flow(pair=0, tcp=tcp, window="10000 packets", **flow)],
            duration=duration,
            defaults="linux",
            seed=1,
            record=ac.Record(sample="0.01 s", changes=True),
        )
    )


def step(threshold: int) -> ac.Queue:
    """Every packet that finds more than `threshold` waiting is marked: RED without an average (RFC 8257, 3.1 and 5)."""
    at = f"{threshold} packets"
    values: dict[str, bool | int | float | str] = {
        "thresh": at, "maxthresh": f"{threshold + 1} packets", "q_weight": 1.0, "linterm": 1.0, "gentle": False,
        "setbit": True, "use_mark_p": True, "mark_p": 2.0, "queue_in_bytes": False, "bytes": False, "wait": False,
    }  # fmt: skip
    return ac.Queue(kind="red", limit="400 packets", parameters=values)


def lengths(results: ac.Results, after_s: float) -> list[float]:
    link = results.names["links"].index("router1->router2")
    rows = results.rows("link_series")
    return [row["queue_packets"] for row in rows if row["link"] == link and row["time_s"] > after_s]


def test_dctcp_keeps_the_queue_at_the_threshold() -> None:
    # M. Alizadeh and others, "Data center TCP", SIGCOMM 2010, equations 7 to 10: with N flows the queue swings by A =
    # N/2 sqrt(2 (C RTT + K) / N) below K + N. One flow, 100 Mb/s and 4 ms: C RTT = 33 packets, K = 20: A = 5.1, from
    # 16 to 21 packets; the link is never idle.
    results = run("dctcp", step(20), "100 Mb/s", "1.5 ms", "6 s")
    queue = sorted(lengths(results, 2))
    low, high = queue[len(queue) // 20], queue[-len(queue) // 20]
    assert low >= 20 - 1.5 * 5.1 and high <= 21 + 3
    (flow,) = results.rows("flows")
    assert flow["retransmitted_packets"] == 0 and flow["goodput_bps"] > 0.97 * 100e6 * 1448 / 1500


def test_reno_under_the_same_marks_needs_more_than_the_threshold() -> None:
    # Half of the window for a mark: (33 + 20) / 2 is less than the path holds, and the link is idle for a part of the
    # time.
    results = run("reno", step(20), "100 Mb/s", "1.5 ms", "6 s", parameters={"ecn": True})
    queue = lengths(results, 2)
    assert sum(length == 0 for length in queue) > 0.05 * len(queue)


def test_dctcp_flows_share_evenly() -> None:
    results = run("dctcp", step(30), "100 Mb/s", "1.5 ms", "10 s", flows=4, start_jitter="0.1 s")
    rates = [row["goodput_bps"] for row in results.rows("flows")]
    assert min(rates) > 0.8 * max(rates)


def test_every_mark_is_counted() -> None:
    # RFC 8257, 3.2 and RFC 9768, 3.2: what the sender is told is what was marked. A tenth of the packets is marked for
    # long: DCTCP's average fraction is a tenth.
    for tcp in ("dctcp", "prague"):
        marks = [ac.Loss(kind="periodic", period=10, mark=True)]
        line = ac.Link(rate="50 Mb/s", delay="10 ms", loss=marks, reverse=ac.Reverse(loss=[]))
        flow = ac.Flow(source="node1", destination="node2", tcp=tcp, window="10000 packets")
        topology = ac.Chain(nodes=2, link=line)
        scenario = ac.Scenario(
            topology=topology, flows=[flow], duration="20 s", defaults="linux", record=ac.Record(sample="0.02 s")
        )
        results = ac.run(scenario)
        (row,) = results.rows("flows")
        assert row["marked_packets"] == pytest.approx(row["received_packets"] / 10, rel=0.01)
        # Each round trip has a mark: W grows by one in it and gives up W p / 2: the window settles at 2 / p = 20
        # packets (RFC 9332, appendix C.2, equation 6: W = 2/p).
        late = [point["cwnd_packets"] for point in results.rows("flow_series") if point["time_s"] > 5]
        assert sum(late) / len(late) == pytest.approx(20, rel=0.25), tcp


def test_marks_keep_a_scalable_control_from_losses() -> None:
    results = run("prague", step(20), "50 Mb/s", "10 ms", "3 s")
    (flow,) = results.rows("flows")
    assert flow["marked_packets"] > 0 and flow["retransmitted_packets"] == 0


def test_accurate_feedback_leaves_one_cut_a_round_trip() -> None:
    # RFC 9768, 3.2 with RFC 3168's answer: ten marks in a round trip cut the window once, and CWR is not waited for.
    marks = [ac.Loss(kind="list", packets=list(range(100, 110)), mark=True)]
    line = ac.Link(
        rate="1 Gb/s", delay="50 ms", loss=marks, reverse=ac.Reverse(loss=[]), queue=ac.Queue(limit="1000 packets")
    )
    values: dict[str, bool | int | float | str] = {"ecn": True, "acc_ecn": True}
    flow = ac.Flow(source="node1", destination="node2", tcp="reno", app=ac.Ftp(size="400 packets"), parameters=values)
    scenario = ac.Scenario(
        topology=ac.Chain(nodes=2, link=line), flows=[flow], duration="5 s", defaults="linux",
        record=ac.Record(changes=True),
    )  # fmt: skip
    windows = [row["cwnd_packets"] for row in ac.run(scenario).rows("window_changes")]
    top = windows.index(max(windows))
    assert min(windows[top:]) == pytest.approx(windows[top] / 2, rel=0.05)


LINUX = [name for name, _ in _native.congestion_controls("linux")]
TODAY = [name for name, _ in _native.congestion_controls("tcp")]


@pytest.mark.parametrize("control", [name for name in TODAY if name in LINUX and name not in ("cubic", "reno")])
def test_linux_laws_fill_the_path_as_on_their_own_sender(control: str) -> None:
    def goodput(tcp: str, **flow: Any) -> float:
        bottleneck = ac.Link(rate="10 Mb/s", delay="16 ms", queue=ac.Queue(limit="1 BDP"))
        scenario = ac.Scenario(
            topology=ac.Dumbbell(pairs=1, bottleneck=bottleneck, delays=["2 ms"]),
            flows=[ac.Flow(pair=1, tcp=tcp, window="1000 packets", **flow)],
            duration="30 s",
            defaults="linux",
        )
        return float(ac.run(scenario).rows("flows")[0]["goodput_bps"])

    own, today = goodput("linux", control=control), goodput(control)
    assert today > 0.85 * own and today > 7e6
