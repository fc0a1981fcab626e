"""The figures of flows and links, computed anew from the table of packets alone."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest

import ackclock as ac
from ackclock.scenario.resolve.network import resolve
from ackclock.scenario.resolve.view import ResolvedFlow

Row = dict[str, Any]

FLOWS = [
    ac.Flow(pair=1, tcp="sack", window="24 packets", app=ac.Ftp(size="900 packets"), parameters={"ecn": True}),
    ac.Flow(pair=2, tcp="sack", window="24 packets", app=ac.Ftp(size="600 packets"), start="0.5 s"),
    ac.Flow(pair=1, app=ac.Cbr(rate="200 kb/s", packet_size="500 B"), start="2 s", stop="4 s"),
]
BOTTLENECKS = {
    "drop_tail": ac.Link(rate="2 Mb/s", delay="10 ms", queue=ac.Queue(limit="30 packets")),
    "marking": ac.Link(
        rate="2 Mb/s",
        delay="10 ms",
        queue=ac.Queue(kind="red", limit="60 packets", parameters={"setbit": True, "thresh": "3 packets"}),
    ),
    "lossy": ac.Link(rate="5 Mb/s", delay="30 ms", loss=ac.Loss(kind="list", packets=[200, 420, 640, 900])),
    "reordering": ac.Link(rate="5 Mb/s", delay="10 ms", loss=ac.Loss(rate=0.005, delay="2 ms")),
    "window": ac.Link(rate="50 Mb/s", delay="40 ms", queue=ac.Queue(limit="200 packets")),
}
DURATION_S = 12.0


@pytest.fixture(scope="module", params=BOTTLENECKS)
def run(request: pytest.FixtureRequest) -> tuple[ac.Results, list[ResolvedFlow], list[Row]]:
    """Results, flows, packets."""
    scenario = ac.Scenario(
        topology=ac.Dumbbell(pairs=2, bottleneck=BOTTLENECKS[request.param]),
        flows=FLOWS,
        duration=f"{DURATION_S} s",
        seed=2,  # without a timeout, see below
        record=ac.Record(changes=True, packets=True),
    )
    results = ac.run(scenario)
    return results, resolve(scenario).flows, results.rows("packets")


def rank(values: list[float], part: float) -> float:
    """The value that `part` of all do not exceed."""
    return sorted(values)[math.ceil(part * len(values)) - 1]


class Seen:
    """A flow's packets where they are sent and where they arrive."""

    def __init__(self, flow: ResolvedFlow, packets: list[Row]) -> None:
        own = [p for p in packets if p["flow"] == flow.flow_id]
        data = [p for p in own if p["source_node"] == flow.source]
        acks = [p for p in own if p["source_node"] == flow.destination]
        self.sent = [p for p in data if p["event"] == "enqueue" and p["from_node"] == flow.source]
        self.received = [p for p in data if p["event"] == "receive" and p["to_node"] == flow.destination]
        self.dropped = [p for p in data if p["event"] == "drop"]
        self.acked = [p for p in acks if p["event"] == "receive" and p["to_node"] == flow.source]
        self.answered = [p for p in acks if p["event"] == "enqueue" and p["from_node"] == flow.destination]


def test_counts_delays_and_rates(run: tuple[ac.Results, list[ResolvedFlow], list[Row]]) -> None:
    results, flows, packets = run
    for row, flow in zip(results.rows("flows"), flows, strict=True):
        seen = Seen(flow, packets)
        assert row["sent_packets"] == len(seen.sent)
        assert row["received_packets"] == len(seen.received)
        assert row["received_bytes"] == sum(p["size_bytes"] for p in seen.received)
        assert row["dropped_packets"] == len(seen.dropped)
        assert row["marked_packets"] == sum("E" in p["flags"] and "N" in p["flags"] for p in seen.received)
        assert row["loss_ratio"] == pytest.approx(len(seen.dropped) / len(seen.sent))
        began = {p["packet"]: p["time_s"] for p in seen.sent}
        delays = [p["time_s"] - began[p["packet"]] for p in seen.received]
        assert row["delay_mean_s"] == pytest.approx(sum(delays) / len(delays), rel=1e-9)
        assert row["delay_min_s"] == pytest.approx(min(delays)) and row["delay_max_s"] == pytest.approx(max(delays))
        for name, part in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99)):
            assert row[f"delay_{name}_s"] == pytest.approx(rank(delays, part), rel=1 / 256), name
        steps = [abs(b - a) for a, b in pairwise(delays)]
        assert row["jitter_s"] == pytest.approx(sum(steps) / len(steps), rel=1e-9)
        # It is over when all is acknowledged, or when the last packet came, not before the source stopped at 4 s.
        ends_s = row["start_s"] + row["completion_s"] if flow.is_tcp else max(4.0, seen.received[-1]["time_s"])
        lasted_s = ends_s - seen.sent[0]["time_s"]
        assert row["throughput_bps"] == pytest.approx(row["received_bytes"] * 8 / lasted_s)
        assert row["goodput_bps"] == pytest.approx(row["delivered_bytes"] * 8 / lasted_s)


def test_what_only_tcp_has(run: tuple[ac.Results, list[ResolvedFlow], list[Row]]) -> None:
    results, flows, packets = run
    for row, flow in zip(results.rows("flows"), flows, strict=True):
        if not flow.is_tcp:
            assert row["completion_s"] is None and row["rtt_mean_s"] is None
            continue
        seen = Seen(flow, packets)
        here = {p["sequence"] for p in seen.received}
        in_order = next(number for number in range(len(here) + 1) if number not in here)
        assert row["delivered_bytes"] == (in_order - 1) * 1000  # the SYN carries none
        assert row["retransmitted_packets"] == len(seen.sent) - len({p["sequence"] for p in seen.sent})
        last = max(p["sequence"] for p in seen.sent)
        over_s = min(p["time_s"] for p in seen.acked if p["sequence"] == last)
        assert row["completion_s"] == pytest.approx(over_s - seen.sent[0]["time_s"], rel=1e-12)
        # Every packet is answered at once: the n-th ACK answers the n-th packet that came. RFC 7323, 4.1: an ACK is a
        # sample of the round trip only if it acknowledges something new.
        began = {p["packet"]: p["time_s"] for p in seen.sent}
        cause = {ack["packet"]: data for ack, data in zip(seen.answered, seen.received, strict=True)}
        trips, highest = [], -1
        for ack in seen.acked:
            if ack["sequence"] > highest:
                highest = ack["sequence"]
                trips.append(ack["time_s"] - began[cause[ack["packet"]]["packet"]])
        assert row["rtt_mean_s"] == pytest.approx(sum(trips) / len(trips), rel=1e-9)
        assert row["rtt_p95_s"] == pytest.approx(rank(trips, 0.95), rel=1 / 256)


def test_what_limits_a_sender(run: tuple[ac.Results, list[ResolvedFlow], list[Row]]) -> None:
    results, flows, packets = run
    kinds = ("application", "receiver_window", "congestion_window")
    for row, flow in zip(results.rows("flows"), flows, strict=True):
        if not flow.is_tcp:
            assert row["limited_by_application_s"] is None
            continue
        assert row["timeouts"] == 0, "a timeout goes back in a way that the packets do not tell"
        seen = Seen(flow, packets)
        last = max(p["sequence"] for p in seen.sent)
        windows = [c for c in results.rows("window_changes") if c["flow"] == row["flow"]]
        changes = [(c["time_s"], "window", c["cwnd_packets"]) for c in windows]
        changes += [(p["time_s"], "sent", p["sequence"]) for p in seen.sent]
        window, highest, since_s = 0.0, -1, seen.sent[0]["time_s"]
        took = dict.fromkeys(kinds, 0.0)
        for at_s, what, value in [*sorted(changes, key=lambda change: change[0]), (DURATION_S, "end", 0)]:
            if at_s > since_s:
                limit = "application" if highest == last else "congestion_window"
                if limit != "application" and window >= 24:
                    limit = "receiver_window"
                took[limit] += at_s - since_s
                since_s = at_s
            if what == "window":
                window = value
            elif what == "sent":
                highest = max(highest, value)
        for kind in kinds:
            assert row[f"limited_by_{kind}_s"] == pytest.approx(took[kind], abs=1e-9), kind


def test_links(run: tuple[ac.Results, list[ResolvedFlow], list[Row]]) -> None:
    results, _, packets = run
    network = resolve(results.scenario)
    for row, link in zip(results.rows("links"), network.links, strict=True):
        own = [p for p in packets if (p["from_node"], p["to_node"]) == (link.source, link.target)]
        by = {event: [p for p in own if p["event"] == event] for event in ("enqueue", "dequeue", "receive", "drop")}
        assert row["arrived_packets"] == len(by["enqueue"])
        assert row["departed_packets"] == len(by["dequeue"]) and row["received_packets"] == len(by["receive"])
        assert row["dropped_packets"] + row["lost_packets"] == len(by["drop"])
        sent_s = sum(p["size_bytes"] * 8 / link.rate_bps for p in by["dequeue"])
        assert row["utilisation"] == pytest.approx(sent_s / DURATION_S, rel=1e-6)
        assert row["throughput_bps"] == pytest.approx(sum(p["size_bytes"] for p in by["dequeue"]) * 8 / DURATION_S)
        came = {p["packet"]: p["time_s"] for p in by["enqueue"]}
        waits = [p["time_s"] - came[p["packet"]] for p in by["dequeue"]]
        if not waits:
            continue
        assert row["queueing_delay_mean_s"] == pytest.approx(sum(waits) / len(waits), rel=1e-9, abs=1e-12)
        assert row["queueing_delay_max_s"] == pytest.approx(max(waits), abs=1e-12)
        assert row["queueing_delay_p95_s"] == pytest.approx(rank(waits, 0.95), rel=1 / 256, abs=1e-9)
        # Little's law: everything has left when the run ends, and what is dropped never waited.
        assert row["in_transit_packets"] == 0
        assert row["queue_mean_packets"] == pytest.approx(sum(waits) / DURATION_S, rel=1e-9, abs=1e-12)
