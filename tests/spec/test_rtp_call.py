"""A call: frames by RFC 8593's encoder, SCReAM version 2 by its draft, figures of frames worked by hand."""

from __future__ import annotations

from typing import Any

import pytest

import ackclock as ac

#: 1.2 Mb/s at 25 frames per second: 6000 bytes, which are six RTP packets of 1000 bytes.
STEADY = ac.Call(fps=25, min_rate="1.2 Mb/s", max_rate="1.2 Mb/s", frame_variation=0)

#: At its max bitrate SCReAM paces at 1.5 (PACKET_PACING_HEADROOM) times 4 (MAX_RELAXED_PACING_FACTOR) the bitrate.
PACE_S = 1000 * 8 / (1.2e6 * 1.5 * 4)

#: Here the round trip is over before the next frame, so that the window never holds a packet back: SCReAM's window does
#: not grow beyond its least 3000 bytes at the max bitrate, and three times as much may be in flight.
PATH = ac.Link(rate="10 Mb/s", delay="5 ms")

#: An RTP packet of 1000 bytes with UDP and IPv4 headers, at 10 Mb/s.
SENT_S = 1028 * 8 / 10e6


def run(link: ac.Link, *flows: ac.Flow, duration: str = "10 s", **more: Any) -> ac.Results:
    """Flows over one link."""
    scenario = ac.Scenario(topology=ac.Chain(nodes=2, link=link), flows=list(flows), duration=duration, seed=1, **more)
    return ac.run(scenario)


def call(app: ac.Call = STEADY, **more: Any) -> ac.Flow:
    return ac.Flow(source="node1", destination="node2", app=app, name="call", **more)


def test_the_delay_of_a_frame_is_pacing_transmission_and_propagation() -> None:
    results = run(PATH, call(), record=ac.Record(changes=True))
    (row,) = results.rows("calls")
    assert row["captured_frames"] in (250, 251)
    assert row["lost_frames"] == 0
    expected_s = 5 * PACE_S + SENT_S + 0.005
    assert row["frame_delay_min_s"] == pytest.approx(expected_s, rel=1e-9)
    assert row["frame_delay_max_s"] == pytest.approx(expected_s, rel=1e-9)
    assert row["encoded_bps"] == pytest.approx(1.2e6, rel=0.01)
    frames = results.rows("frames")
    assert [frame["frame"] for frame in frames] == list(range(len(frames)))
    assert {frame["size_bytes"] for frame in frames} == {6000}
    assert frames[3]["captured_s"] == pytest.approx(0.12)
    assert frames[3]["time_s"] == pytest.approx(0.12 + expected_s)


def test_a_frame_is_late_after_the_deadline() -> None:
    app = ac.Call(fps=25, min_rate="1.2 Mb/s", max_rate="1.2 Mb/s", frame_variation=0, deadline="11 ms")
    (row,) = run(PATH, call(app)).rows("calls")
    assert row["late_frames"] == row["delivered_frames"]
    (row,) = run(ac.Link(rate="10 Mb/s", delay="4 ms"), call(app)).rows("calls")
    assert row["late_frames"] == 0


def test_a_frame_without_one_of_its_packets_is_lost() -> None:
    # Packets 7 and 8 are of the second frame (6 to 11), packet 20 of the fourth (18 to 23).
    loss = ac.Loss(kind="list", packets=[7, 8, 20])
    results = run(ac.Link(rate="10 Mb/s", delay="5 ms", loss=loss, reverse=ac.Reverse(loss=[])), call(), duration="2 s")
    (row,) = results.rows("calls")
    assert row["lost_frames"] == 2
    assert results.rows("flows")[0]["dropped_packets"] == 3


def test_every_frame_has_its_feedback() -> None:
    # Six packets a frame are fewer than 16, and take less than 40 ms: a report for each frame.
    results = run(PATH, call(), record=ac.Record(packets=True))
    (flow,) = results.rows("flows")
    (row,) = results.rows("calls")
    assert flow["replies_sent_packets"] == row["delivered_frames"]
    # RFC 8888, 3.1: 20 bytes, 2 for each of at most 64 packets, and 28 of UDP and IPv4.
    sizes = {p["size_bytes"] for p in results.rows("packets") if p["kind"] == "rtcp"}
    assert min(sizes) == 28 + 20 + 2 * 6
    assert max(sizes) == 28 + 20 + 2 * 64


def test_scream_keeps_its_own_queue_near_its_target() -> None:
    # Half of the target of 60 ms is where the window begins to shrink; the link stays busy.
    link = ac.Link(rate="1 Mb/s", delay="20 ms", queue=ac.Queue(limit="1000 packets"))
    app = ac.Call(max_rate="5 Mb/s")
    flow = call(app, parameters={"competing_flows_compensation": False})
    results = run(link, flow, duration="60 s")
    (row,) = results.rows("calls")
    (there, _) = results.rows("links")
    assert there["dropped_packets"] == 0
    assert there["queueing_delay_mean_s"] < 0.06
    assert there["utilisation"] > 0.6
    assert row["frame_delay_p50_s"] < 0.02 + 0.06 + 1 / 30


#: CoDel that marks, for short queues.
MARKING: dict[str, bool | int | float | str] = {"ecn": True, "target": "2 ms", "interval": "20 ms"}


@pytest.mark.parametrize(
    ("l4s", "queue"),
    [
        (False, ac.Queue(kind="codel", limit="1000 packets", parameters=MARKING)),
        (True, ac.Queue(kind="dualpi2", limit="1000 packets")),
    ],
    ids=["classic", "l4s"],
)
def test_marks_instead_of_losses(l4s: bool, queue: ac.Queue) -> None:
    link = ac.Link(rate="2 Mb/s", delay="20 ms", queue=queue)
    flow = call(ac.Call(max_rate="5 Mb/s"), parameters={"ecn": True, "l4s": l4s})
    results = run(link, flow, duration="30 s", defaults="linux")
    (row,) = results.rows("flows")
    assert row["marked_packets"] > 0
    assert row["dropped_packets"] == 0
    assert results.rows("links")[0]["utilisation"] > 0.6


def test_the_queue_delay_target_rises_beside_a_loss_based_flow() -> None:
    # "Competing Flows Compensation": without it, the call gets next to nothing beside a long drop-tail queue.
    link = ac.Link(rate="6 Mb/s", delay="20 ms", queue=ac.Queue(limit="100 packets"))
    rates = {}
    for compensates in (True, False):
        download = ac.Flow(source="node1", destination="node2", tcp="cubic", window="10000 packets")
        flow = call(ac.Call(), parameters={"competing_flows_compensation": compensates})
        rates[compensates] = run(link, flow, download, duration="60 s").rows("calls")[0]["encoded_bps"]
    assert rates[True] > 1.5 * rates[False]


def test_a_call_goes_on_after_an_outage() -> None:
    changes = [ac.Change(at="4 s", link="node1-node2", up=False), ac.Change(at="7 s", link="node1-node2", up=True)]
    results = run(PATH, call(), duration="20 s", changes=changes, record=ac.Record(changes=True))
    late = [frame for frame in results.rows("frames") if frame["captured_s"] > 15]
    assert len(late) > 100
    assert max(frame["delay_s"] for frame in late) < 0.1


def test_the_encoder_deviates_as_rfc_8593_says() -> None:
    # A Laplacian deviation of scale 0.15 has the mean deviation 0.15. 1000 frames give it within 10 % (four standard
    # errors are 13 % of it, and sizes are of one seed).
    app = ac.Call(fps=50, min_rate="1 Mb/s", max_rate="1 Mb/s")
    results = run(ac.Link(rate="100 Mb/s", delay="1 ms"), call(app), duration="20 s", record=ac.Record(changes=True))
    sizes = results.frames.column("size_bytes")
    nominal = 1e6 / 8 / 50
    assert sum(abs(size / nominal - 1) for size in sizes) / len(sizes) == pytest.approx(0.15, rel=0.13)
    assert sum(sizes) / len(sizes) == pytest.approx(nominal, rel=0.03)
