"""What texts say of whole runs of today's congestion controls: slow start, the set `linux`, tail losses, marks."""

from __future__ import annotations

from typing import Any

import pytest

import ackclock as ac
from ackclock.scenario import defaults


def outage(tcp: str, **parameters: Any) -> dict[str, Any]:
    """One flow at 50 Mb/s and 52 ms with a queue of 2 BDP; the link to the receiver is down from 6 to 6.5 s."""
    bottleneck = ac.Link(rate="50 Mb/s", delay="25 ms", queue=ac.Queue(limit="2 BDP"))
    scenario = ac.Scenario(
        topology=ac.Dumbbell(pairs=1, bottleneck=bottleneck),
        flows=[ac.Flow(pair=1, tcp=tcp, parameters=parameters)],
        duration="20 s",
        defaults="linux",
        changes=[
            ac.Change(at="6 s", link="router1->router2", up=False),
            ac.Change(at="6.5 s", link="router1->router2", up=True),
        ],
    )
    (flow,) = ac.run(scenario).rows("flows")
    assert flow["timeouts"] >= 1
    return flow


def test_hystart_is_for_the_initial_slow_start() -> None:
    # RFC 9406, 4.3: only for the initial slow start. The slow start after a timeout is the standard one, so HyStart++
    # costs a long flow nothing then.
    with_it, without = (outage("cubic", hystart=hystart)["goodput_bps"] for hystart in (True, False))
    assert with_it >= 0.95 * without


def test_a_window_of_linux_fills_a_long_fast_path() -> None:
    # Linux 6.16 and later: tcp_rmem[2] is 32 MB, of which the scaling ratio of 128/256 leaves 16 MB of window: 11,586
    # segments of 1448 bytes. The path holds 1 Gb/s * 80 ms = 10 MB.
    set_linux = defaults.data()["linux"]
    assert set_linux["tcp"]["window"]["value"] == 33554432 * 128 // 256 // 1448 == 11586
    bottleneck = ac.Link(rate="1 Gb/s", delay="38 ms", queue=ac.Queue(limit="1 BDP"))
    # The bursts of slow start wait at the sender's own link.
    access = ac.Link(rate="10 Gb/s", delay="1 ms", queue=ac.Queue(limit="20000 packets"))
    scenario = ac.Scenario(
        topology=ac.Dumbbell(pairs=1, bottleneck=bottleneck, access=access),
        flows=[ac.Flow(pair=1, tcp="cubic")],
        duration="8 s",
        defaults="linux",
    )
    # 1448 of 1500 bytes are data: 965 Mb/s. Slow start and the loss that ends it cost about the first second of eight.
    assert ac.run(scenario).rows("flows")[0]["goodput_bps"] > 0.875 * 1e9 * 1448 / 1500


def around_a_tail_loss(tcp: str, lost: list[int]) -> tuple[list[float], int]:
    """Windows at 1.03, 1.1 and 2.9 s of a source that pauses from 0.5 to 1 s, and the last packet before the pause."""
    loss = [ac.Loss(kind="list", packets=lost)] if lost else []
    queue = ac.Queue(limit="2000 packets")
    line = ac.Link(rate="100 Mb/s", delay="10 ms", loss=loss, reverse=ac.Reverse(loss=[]), queue=queue)
    app = ac.Cbr(rate="40 Mb/s", packet_size="1448 B")
    spans = [ac.Span(start="0 s", stop="0.5 s"), ac.Span(start="1 s", stop="3 s")]
    scenario = ac.Scenario(
        topology=ac.Chain(nodes=2, link=line),
        flows=[ac.Flow(source="node1", destination="node2", tcp=tcp, app=app, spans=spans)],
        duration="3 s",
        defaults="linux",
        record=ac.Record(changes=True, packets=True),
    )
    results = ac.run(scenario)
    assert results.rows("flows")[0]["timeouts"] == 0
    changes = results.rows("window_changes")
    windows = [
        next(row["cwnd_packets"] for row in reversed(changes) if row["time_s"] <= time_s) for time_s in (1.03, 1.1, 2.9)
    ]
    # The place of the last packet among those of the sender; the SYN has place 0.
    seen = [row for row in results.rows("packets") if row["source_node"] == 0 and row["event"] == "enqueue"]
    return windows, sum(row["time_s"] < 0.5 for row in seen) - 1


def test_a_repaired_tail_loss_ends_recovery() -> None:
    # Linux, tcp_process_tlp_ack: the loss that a probe repaired ends in Open at once. BBR restores its window when
    # recovery ends (draft-cardwell-iccrg-bbr-congestion-control-00, 4.2.3.4). Vegas grows in Open only.
    without, last = around_a_tail_loss("bbr", [])
    with_it, _ = around_a_tail_loss("bbr", [last])
    assert with_it == pytest.approx(without, rel=0.05)
    (_, early, late), _ = around_a_tail_loss("vegas", [around_a_tail_loss("vegas", [])[1]])
    assert late > 1.5 * early


def test_a_mark_is_echoed_for_its_packet_alone() -> None:
    # RFC 8257, 3.2: a packet whose CE differs from the last one's is acknowledged immediately, and ECE says which one
    # was marked. Packets are 20 ms apart; number 41 is marked, behind SYN and ACK.
    marks = [ac.Loss(kind="list", packets=[42], mark=True)]
    line = ac.Link(rate="100 Mb/s", delay="10 ms", loss=marks, reverse=ac.Reverse(loss=[]))
    app = ac.Cbr(rate="579.2 kb/s", packet_size="1448 B")
    scenario = ac.Scenario(
        topology=ac.Chain(nodes=2, link=line),
        flows=[ac.Flow(source="node1", destination="node2", tcp="dctcp", app=app)],
        duration="2 s",
        defaults="linux",
        record=ac.Record(packets=True),
    )
    rows = ac.run(scenario).rows("packets")
    arrived = [row["time_s"] for row in rows if row["source_node"] == 0 and row["event"] == "receive"]
    echoes = [
        row["time_s"]
        for row in rows
        if row["source_node"] == 1 and row["event"] == "enqueue" and "C" in row["flags"] and row["time_s"] > 0.1
    ]
    assert echoes == pytest.approx([arrived[42]], abs=1e-6)


#: RFC 9332, appendix A.1; the set `linux` has the kernel's values
RFC_9332: dict[str, bool | int | float | str] = {
    "as_linux": False,
    "tupdate": "15 ms",
    "alpha": 0.15,
    "beta": 3.0,
    "step_min": "0.8 ms",
    "step_range": "0.4 ms",
    "step_packets": "1 packets",
}


def test_prague_flows_below_25_ms_share_evenly() -> None:
    # draft-briscoe-iccrg-prague-congestion-control, 2.4.4: flows of 5 and 25 ms have about the same rate, as if both
    # had RTT_virt = 25 ms. 40 Mb/s and DualPI2 with the defaults of RFC 9332.
    bottleneck = ac.Link(
        rate="40 Mb/s", delay="1 ms", queue=ac.Queue(kind="dualpi2", limit="1000 packets", parameters=RFC_9332)
    )
    access = ac.Link(rate="1 Gb/s", delay="1 ms")
    scenario = ac.Scenario(
        topology=ac.Dumbbell(pairs=2, bottleneck=bottleneck, delays=["0.75 ms", "5.75 ms"], access=access),
        flows=[ac.Flow(pair=0, tcp="prague")],
        duration="60 s",
        defaults="linux",
    )
    short, long = (row["goodput_bps"] for row in ac.run(scenario).rows("flows"))
    assert max(short, long) / min(short, long) < 1.25


def test_ecn_needs_a_control_that_responds_to_marks() -> None:
    # draft-cardwell-iccrg-bbr-congestion-control-00 has no response to marks, and RFC 3168, 5, requires one of whoever
    # sends ECT.
    topology = ac.Dumbbell(pairs=1, bottleneck=ac.Link(rate="1 Mb/s", delay="10 ms"))

    def scenario(tcp: str, **parameters: Any) -> ac.Scenario:
        flow = ac.Flow(pair=1, tcp=tcp, parameters=parameters)
        return ac.Scenario(topology=topology, flows=[flow], duration="0.1 s", defaults="linux")

    refused = r"bbr does not respond to ECN marks; expected one of .*cubic, .*reno"
    for key in ("ecn", "acc_ecn"):
        with pytest.raises(ac.ScenarioError, match=refused):
            ac.run(scenario("bbr", **{key: True}))
    for tcp in ("cubic", "linux_cubic", "vegas", "dctcp"):
        ac.run(scenario(tcp, ecn=True))
