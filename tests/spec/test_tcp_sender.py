"""What RFCs say of today's TCP, worked by hand from their texts, against what `tcp` senders put on the wire."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

import ackclock as ac
from ackclock.scenario.resolve.network import resolve

#: 1500 bytes at 1 Gb/s, twice, and back: what the wire adds to a round trip
WIRE_S = 0.0001
MSS = 1448
#: no ACK waits, and timers last whole milliseconds
EXACT: dict[str, Any] = {"quickack": True, "hz": 1000}


@dataclass(frozen=True)
class Seen:
    """Data packets that leave the sender's host, what the sender's window was, and the flow's totals."""

    sent: list[dict[str, Any]]
    windows: list[dict[str, Any]]
    flow: dict[str, Any]

    def times(self, sequence: int) -> list[float]:
        return [packet["time_s"] for packet in self.sent if packet["sequence"] == sequence]

    def window_at(self, time_s: float) -> float:
        return next(float(row["cwnd_packets"]) for row in reversed(self.windows) if row["time_s"] <= time_s)


def run(delay: str, losses: list[ac.Loss], changes: list[ac.Change] | None = None, **flow: Any) -> Seen:
    """One sender over a line of 1 Gb/s, and what is lost, marked or held back on the way there.

    The SYN is number 0, the first segment of data number 1; the ACK of the handshake is not counted.
    """
    flow = {"tcp": "reno", "app": ac.Ftp(size="60 packets"), **flow}
    line = ac.Link(
        rate="1 Gb/s", delay=delay, loss=losses, reverse=ac.Reverse(loss=[]), queue=ac.Queue(limit="1000 packets")
    )
    scenario = ac.Scenario(
        topology=ac.Chain(nodes=2, link=line),
        flows=[ac.Flow(source="node1", destination="node2", **flow)],
        duration="20 s",
        defaults="linux",
        changes=changes or [],
        record=ac.Record(changes=True, packets=True),
    )
    results = ac.run(scenario)
    # What a loss takes is gone before the queue; the losses' own lines are of packets that were sent, too.
    sent = [
        {**packet, "sequence": (packet["sequence"] + MSS - 1) // MSS}
        for packet in results.rows("packets")
        if packet["source_node"] == 0 and packet["event"] in ("enqueue", "drop") and packet["from_node"] == 0
        if packet["size_bytes"] > 52 or packet["sequence"] == 0
    ]
    return Seen(sent, results.rows("window_changes"), results.rows("flows")[0])


def place(number: int) -> int:
    """The place of a segment among the packets of the sender; the ACK of the handshake is behind the SYN."""
    return number + (number > 0)


def lose(*numbers: int) -> list[ac.Loss]:
    return [ac.Loss(kind="list", packets=[place(number) for number in numbers])]


def test_the_initial_window_is_ten() -> None:
    # RFC 6928, 2: min(10*MSS, max(2*MSS, 14600)), of 1448 bytes.
    seen = run("50 ms", [])
    burst = [packet["sequence"] for packet in seen.sent if 0.1 < packet["time_s"] < 0.15]
    assert burst == list(range(1, 11))


def test_a_lost_syn_is_sent_again_each_second() -> None:
    # RFC 6298, 2.1: before there is a sample, RTO is 1 s; Linux's tcp_syn_linear_timeouts: it doubles from the fifth
    # timeout on. RFC 5681, 3.1: then the window is one.
    seen = run("10 ms", [ac.Loss(kind="list", packets=[0, 1])])
    assert seen.times(0) == pytest.approx([0, 1, 2], abs=1e-6)
    assert [packet["sequence"] for packet in seen.sent if 2.02 < packet["time_s"] < 2.03] == [1]


def test_three_segments_above_a_hole_bring_it_again_within_a_round_trip() -> None:
    # RFC 8985, 6.2, step 4: without reordering, DupThresh segments above the hole are enough. Segment 15 of the second
    # round trip, at 0.2 s: those above it arrive at 0.25, their ACKs at 0.3.
    seen = run("50 ms", lose(15))
    first, again = seen.times(15)
    assert first == pytest.approx(0.2, abs=0.001) and again == pytest.approx(0.3, abs=0.001)
    assert seen.flow["timeouts"] == 0 and seen.flow["retransmitted_packets"] == 1


@pytest.mark.parametrize(("tcp", "left"), [("reno", 0.5), ("cubic", 0.7)])
def test_a_loss_leaves_the_laws_part_of_the_window(tcp: str, left: float) -> None:
    # RFC 5681, 3.1 and RFC 9438, 4.6; RFC 9937: the window is at ssthresh when recovery ends.
    seen = run("50 ms", lose(100), tcp=tcp, app=ac.Ftp(size="400 packets"), parameters={"hystart": False})
    (_, again) = seen.times(100)
    before = seen.window_at(again - 1e-9)
    ended = min(packet["time_s"] for packet in seen.sent if packet["time_s"] > again + 0.099)
    assert seen.window_at(ended + 0.002) == pytest.approx(left * before, rel=0.05)


def test_a_lost_tail_is_probed_after_two_round_trips() -> None:
    # RFC 8985, 7.2: PTO = 2 * SRTT after the last sending with more than one segment in flight; Linux adds 2 ms. The
    # last of 60 is lost, with the one before it; its ACKs come 100 ms after.
    seen = run("50 ms", lose(58, 59, 60), parameters=EXACT)
    last_s, *probes = seen.times(60)
    heard_s = last_s + 0.1 + WIRE_S
    assert probes[0] == pytest.approx(heard_s + 0.202, abs=0.002)
    assert seen.flow["timeouts"] == 0


def test_a_lost_tail_is_probed_while_a_mark_reduces_the_window() -> None:
    # Linux, tcp_schedule_loss_probe: in the states Open and CWR. Segment 55 of the last window is marked, the last
    # three are lost: 2 * SRTT + 2 ms after the last ACK the probe comes, and not the timer.
    mark = ac.Loss(kind="list", packets=[place(55)], mark=True)
    seen = run("50 ms", [*lose(58, 59, 60), mark], parameters={"ecn": True, **EXACT})
    last_s, *probes = seen.times(60)
    assert seen.flow["marked_packets"] == 1 and seen.flow["timeouts"] == 0
    assert probes[0] == pytest.approx(last_s + 0.1 + WIRE_S + 0.202, abs=0.002)


def test_without_a_probe_the_timer_does_it() -> None:
    # RFC 6298, 2 with Linux's minimum on the deviation's part: RTO = SRTT + 200 ms after the last ACK.
    seen = run("50 ms", lose(58, 59, 60), parameters={"tlp": False, **EXACT})
    first_s, again_s = seen.times(58)
    assert again_s == pytest.approx(first_s + 0.1 + 0.3, abs=0.003)
    assert seen.flow["timeouts"] == 1


def test_a_probe_that_repairs_a_loss_is_congestion() -> None:
    # RFC 8985, 7.4.2: the single lost segment comes by the probe; nobody else tells of it. As new data are acknowledged
    # beyond it, without a duplicate, the window is cut.
    two = [ac.Span(start="0 s", stop="0.35 s"), ac.Span(start="0.95 s", stop="1.1 s")]
    source = ac.Cbr(rate="2 Mb/s", packet_size="1448 B")
    seen = run("50 ms", lose(61), app=source, spans=two, parameters={"slow_start_restart": False})
    _, probe_s = seen.times(61)
    assert seen.flow["timeouts"] == 0 and seen.flow["retransmitted_packets"] == 1
    heard_s = next(row["time_s"] for row in seen.windows if row["time_s"] > 0.95)
    assert probe_s < 0.8 and seen.window_at(heard_s) == seen.window_at(0.95) // 2


def test_a_reordered_packet_is_taken_for_lost_once() -> None:
    # RFC 8985, 6.2: until reordering is seen, three segments above mean a loss; D-SACK or the timestamp show that it
    # was none (RFC 3522), and the window is given back. From then on a quarter of a round trip is waited for: 20 ms of
    # 100.
    held = [ac.Loss(kind="list", packets=[place(number)], delay="20 ms") for number in (30, 300)]
    seen = run("50 ms", held, app=ac.Ftp(size="600 packets"))
    numbers = [packet["sequence"] for packet in seen.sent]
    again = sorted({number for number in numbers if numbers.count(number) > 1})
    assert len(again) == 1 and seen.flow["timeouts"] == 0
    (_, again_s) = seen.times(again[0])
    assert seen.window_at(again_s + 0.15) >= seen.window_at(again_s - 1e-9)


def test_a_late_round_trip_is_no_loss() -> None:
    # RFC 5682, 3.1: the way becomes 500 ms longer: the timer comes up for nothing. The first ACKs after it acknowledge
    # what was sent once, so the window is as before and no more is sent again.
    longer = [ac.Change(at="0.35 s", link="node1->node2", delay="550 ms")]
    seen = run("50 ms", [], longer, app=ac.Ftp(size="400 packets"))
    assert seen.flow["timeouts"] >= 1 and seen.flow["retransmitted_packets"] <= 3
    before = max(row["cwnd_packets"] for row in seen.windows if row["time_s"] < 0.5)
    assert max(row["cwnd_packets"] for row in seen.windows if 0.9 < row["time_s"] < 1.2) >= before
    # Without F-RTO, timestamps and D-SACK nothing shows that it was late.
    blind = {"frto": False, "timestamps": False, "dsack": False}
    plain = run("50 ms", [], longer, app=ac.Ftp(size="400 packets"), parameters=blind)
    assert plain.flow["retransmitted_packets"] > 20


def test_a_mark_is_answered_once_and_costs_no_packet() -> None:
    # RFC 3168, 6.1.2: one reduction in a round trip, CWR on the next new packet; nothing is sent again.
    marks = [ac.Loss(kind="list", packets=[place(number) for number in range(100, 110)], mark=True)]
    seen = run("50 ms", marks, app=ac.Ftp(size="400 packets"), parameters={"ecn": True})
    assert seen.flow["marked_packets"] == 10 and seen.flow["retransmitted_packets"] == 0
    windows = [row["cwnd_packets"] for row in seen.windows]
    top = windows.index(max(windows))
    assert min(windows[top:]) == pytest.approx(windows[top] / 2, rel=0.05)


def test_paced_packets_are_spread() -> None:
    # Linux's pacing: in slow start two windows in a round trip, from the eleventh packet on: the last ten packets of an
    # initial window of 20 are 2.5 ms apart in a round trip of 100.
    seen = run("50 ms", [], parameters={"pacing": True, "window_init": "20 packets", "gso_max_segs": "1 packets"})
    opened = [packet["time_s"] for packet in seen.sent if packet["sequence"] in range(11, 21)]
    gaps = [later - earlier for earlier, later in pairwise(opened)]
    assert gaps == pytest.approx([0.0025] * 9, rel=0.02)


def test_a_window_that_follows_what_comes_is_not_what_limits() -> None:
    # M. Fisk, W. Feng, "Dynamic right-sizing in TCP", 2001: the window is twice what came in a round trip, so that a
    # sender that doubles its own is not stopped by it: from 10 on, 4000 packets take 9 round trips behind the
    # handshake. The greatest that the receiver gives holds.
    big: dict[str, Any] = {"app": ac.Ftp(size="4000 packets"), "tcp": "cubic", "parameters": {"hystart": False}}
    tuned = run("50 ms", [], **big)
    assert tuned.sent[-1]["time_s"] < 1.1
    least = run("50 ms", [], window="200 packets", **big)
    rounds = [sum(at <= row["time_s"] < at + 0.1 for row in least.sent) for at in (0.9, 1.0, 1.1)]
    assert rounds == pytest.approx([200] * 3, abs=2)


def test_names_mean_senders_by_the_set() -> None:
    topology = ac.Dumbbell(pairs=1, bottleneck=ac.Link(rate="1 Mb/s", delay="10 ms"))

    def senders(tcp: str, given: str, **flow: Any) -> tuple[str, str | None]:
        one = ac.Flow(pair=1, tcp=tcp, **flow)
        found = resolve(ac.Scenario(topology=topology, flows=[one], duration="1 s", defaults=given)).flows[0]
        return found.sender, found.control

    assert senders("cubic", "ns2_35") == ("tcp", "cubic")
    assert senders("reno", "linux") == ("tcp", "reno")
    assert senders("reno", "ns2_35") == ("reno", None)
    assert senders("tahoe", "linux") == ("tahoe", None)
    assert senders("tcp", "linux", control="reno") == ("tcp", "reno")
    for wrong in ({"control": "reno"}, {"receiver": "sink"}, {"parameters": {"overhead": 0.1}}):
        with pytest.raises(ac.ScenarioError):
            senders("cubic", "linux", **wrong)
