"""What the RFCs say, worked by hand from their texts, against what a sender of the `rfc` set puts on the wire."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

import ackclock as ac
from ackclock.scenario import defaults
from ackclock.scenario.resolve.network import resolve

#: a tick of the sender's clock, and as much for what rounding to ticks adds up to
CLOCK_S = 0.003


@dataclass(frozen=True)
class Seen:
    """Data packets that leave the sender's host, ACKs that come there, and changes of the window."""

    sent: list[dict[str, Any]]
    acked: list[dict[str, Any]]
    windows: list[dict[str, Any]]
    #: data packets that reach the receiver's host, and ACKs that leave it
    received: list[dict[str, Any]]
    answered: list[dict[str, Any]]

    def times(self, sequence: int) -> list[float]:
        return [p["time_s"] for p in self.sent if p["sequence"] == sequence]


def run(delay: str, lost: list[int], **flow: Any) -> Seen:
    """One sender over a line of 1 Gb/s that loses packets by number; the SYN is number 0."""
    loss = [ac.Loss(kind="list", packets=lost)] if lost else []
    line = ac.Link(
        rate="1 Gb/s", delay=delay, loss=loss, reverse=ac.Reverse(loss=[]), queue=ac.Queue(limit="1000 packets")
    )
    flow = {"tcp": "sack", "app": ac.Ftp(size="60 packets"), **flow}
    scenario = ac.Scenario(
        topology=ac.Chain(nodes=2, link=line),
        flows=[ac.Flow(source="node1", destination="node2", **flow)],
        duration="20 s",
        defaults="rfc",
        record=ac.Record(changes=True, packets=True),
    )
    results = ac.run(scenario)
    packets = results.rows("packets")

    def at(node: str, event: str, source: int) -> list[dict[str, Any]]:
        number = results.nodes.index(node)
        end = "from_node" if event == "enqueue" else "to_node"
        return [p for p in packets if p["event"] == event and p[end] == number and p["source_node"] == source]

    # What a loss takes is gone before the queue; the losses' own lines are of packets that were sent, too.
    sent = [p for p in packets if p["event"] in ("enqueue", "drop") and p["source_node"] == 0]
    return Seen(
        sent, at("node1", "receive", 1), results.rows("window_changes"), at("node2", "receive", 0),
        at("node2", "enqueue", 1),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("packet", "segments"),
    # RFC 6928, 2: min(10*MSS, max(2*MSS, 14600)) bytes, in whole segments: 14480/1448; 14600/4000; 2*9000/9000
    [(None, 10), ("536 B", 10), ("1460 B", 10), ("4000 B", 3), ("9000 B", 2)],
)
def test_the_initial_window(packet: str | None, segments: int) -> None:
    seen = run("100 ms", [], packet_size=packet)
    opened_s = seen.acked[0]["time_s"]
    burst = [p for p in seen.sent if p["sequence"] > 0 and p["time_s"] <= opened_s + 0.05]
    assert [p["sequence"] for p in burst] == list(range(1, segments + 1))


def test_a_lost_syn_is_sent_again_after_a_second_then_two() -> None:
    # RFC 6298, 2.1: before there is a sample, RTO is 1 s; 5.5: each timeout doubles it.
    assert run("10 ms", [0, 1]).times(0) == pytest.approx([0, 1, 3], abs=CLOCK_S)


def test_the_timeout_after_one_sample_is_three_round_trips() -> None:
    # RFC 6298, 2.2: SRTT = R, RTTVAR = R/2, RTO = SRTT + 4*RTTVAR = 3R; 5.5: then twice that. R is 0.5 s.
    first, second, third = run("250 ms", [1, 2], app=ac.Ftp(size="1 packets")).times(1)
    assert (second - first, third - second) == pytest.approx((1.5, 3.0), abs=2 * CLOCK_S)


def test_the_timeout_after_two_equal_samples_is_two_and_a_half() -> None:
    # RFC 6298, 2.3: RTTVAR = 3/4*R/2 + 1/4*|R - R| = 3/8*R, SRTT = R, so RTO = R + 4*3/8*R = 2.5R. R is 0.6 s.
    seen = run("300 ms", [2], app=ac.Ftp(size="2 packets"), receiver="sink", parameters={"window_init": "1 packets"})
    first, second = seen.times(2)
    assert second - first == pytest.approx(1.5, abs=4 * CLOCK_S)


def test_a_sample_ends_the_back_off() -> None:
    # RFC 6298, 5.7, last note: with a new sample RTO is computed as in 2.3 again, 2.5R and no longer twice that; RFC
    # 7323, 4: timestamps make a sample of the ACK of a segment that was sent twice. R is 0.6 s.
    seen = run("300 ms", [1, 3], app=ac.Ftp(size="2 packets"), receiver="sink", parameters={"window_init": "1 packets"})
    first, second = seen.times(2)
    assert second - first == pytest.approx(1.5, abs=4 * CLOCK_S)


def test_no_timeout_is_shorter_than_a_second() -> None:
    # RFC 6298, 2.4; 5.3: the timer starts anew with each ACK of new data. The round trip is 20 ms.
    seen = run("10 ms", [5], app=ac.Ftp(size="5 packets"))
    first, second = seen.times(5)
    restarted_s = max(p["time_s"] for p in seen.acked if p["time_s"] < first + 0.9)
    assert second == pytest.approx(restarted_s + 1.0, abs=CLOCK_S)


@pytest.mark.parametrize("tcp", ["new_reno", "sack"])
def test_duplicate_acks(tcp: str) -> None:
    # RFC 3042, 2: the first two duplicate ACKs let a new segment go each. RFC 5681, 3.2: the third is taken for a loss:
    # the segment goes again, and ssthresh is half of what was in flight, not counting those two: 10/2 (equation 4).
    seen = run("50 ms", [1], tcp=tcp)
    copies = [p["time_s"] for p in seen.acked if p["sequence"] == 0][1:]
    after = [p for p in seen.sent if p["time_s"] >= copies[0]]
    assert [p["sequence"] for p in after[:3]] == [11, 12, 1]
    assert [p["time_s"] for p in after[:3]] == pytest.approx(copies[:3], abs=1e-9)
    assert next(c["ssthresh_packets"] for c in seen.windows if c["time_s"] >= copies[2]) == 5


def test_slow_start_grows_by_a_segment_for_an_ack() -> None:
    # RFC 5681, 3.1, equation 2: at most SMSS for each ACK of new data.
    seen = run("50 ms", [])
    grown = [c["cwnd_packets"] for c in seen.windows]
    acks = len({p["sequence"] for p in seen.acked if p["sequence"] > 0})
    opened = grown.index(10)
    assert grown[opened : opened + acks + 1] == [10 + number for number in range(acks + 1)]


def test_acks_are_delayed() -> None:
    # RFC 5681, 4.2: an ACK for at least every second full-sized segment, and within 500 ms of its coming.
    seen = run("50 ms", [])
    numbers = [p["sequence"] for p in seen.answered]
    steps = [b - a for a, b in pairwise(numbers[1:])]
    assert set(steps) <= {1, 2} and steps.count(2) > len(steps) / 2
    for packet in seen.received:
        answer_s = next(p["time_s"] for p in seen.answered if p["sequence"] >= packet["sequence"])
        assert 0 <= answer_s - packet["time_s"] <= 0.5


def test_segments_out_of_order_are_acknowledged_at_once() -> None:
    # RFC 5681, 4.2: an immediate duplicate ACK when a segment comes out of order, an ACK when the gap is filled.
    seen = run("50 ms", [3])
    late = [p for p in seen.received if p["sequence"] in (4, 5, 6, 7)]
    answers = {p["time_s"]: p["sequence"] for p in seen.answered}
    assert [answers[p["time_s"]] for p in late] == [2, 2, 2, 2]


def test_sizes_and_the_greatest_window() -> None:
    seen = run("10 ms", [])
    # RFC 9293, 3.1, RFC 791, 3.1 and RFC 7323, 3.2 and appendix A: 20 + 20 + 12 bytes of headers in 1500.
    assert {p["size_bytes"] for p in seen.sent if p["sequence"] > 0} == {1500}
    # RFC 7323, 2.3: 65535 shifted by 14 at most.
    scenario = ac.Scenario(
        topology=ac.Chain(link=ac.Link(rate="1 Gb/s", delay="1 ms")),
        flows=[ac.Flow(source="node1", destination="node3", tcp="sack")],
        duration="1 s",
        defaults="rfc",
    )
    assert resolve(scenario).flows[0].parameters["window"] * 1448 <= 65535 << 14


def test_every_value_names_its_source() -> None:
    rfc = defaults.data()["rfc"]
    for name, entry in {**rfc["tcp"], **rfc["two_way"], "initial_window": rfc["initial_window"]}.items():
        assert entry["source"].startswith("RFC "), name
