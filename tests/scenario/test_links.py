"""Links that send when a recording says so; channels with bursts of losses, jitter, reordering and duplication."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from pathlib import Path
from statistics import mean

import pytest

import ackclock as ac
from ackclock.scenario.formats.as_tcl import script


def stream(link: ac.Link, rate: str = "8 Mb/s", size: str = "1000 B", stop: str = "1 s") -> ac.Results:
    """Datagrams from the first node over the link to the last one."""
    app = ac.Cbr(rate=rate, packet_size=size)
    flow = ac.Flow(source="a", destination="c", app=app, packet_size=size, stop=stop)
    links = [ac.Link(rate="1 Gb/s", delay="1 ms", ends=["a", "b"]), link]
    topology = ac.Graph(nodes=["a", "b", "c"], links=links)
    described = ac.Scenario(topology=topology, flows=[flow], duration="100 s", record=ac.Record(packets=True), seed=3)
    return ac.run(described)


def times(results: ac.Results, event: str, ends: tuple[int, int] = (1, 2)) -> list[tuple[int, float]]:
    """Packets and when something happened to them on a link."""
    rows = results.rows("packets")
    return [
        (row["packet"], row["time_s"])
        for row in rows
        if row["event"] == event and (row["from_node"], row["to_node"]) == ends
    ]


def recorded(deliveries: str | list[int]) -> ac.Link:
    return ac.Link(delay="5 ms", deliveries=deliveries, ends=["b", "c"], reverse=ac.Reverse(rate="1 Mb/s"))


def test_a_link_sends_at_the_opportunities_of_its_recording() -> None:
    # 1000 bytes wait each millisecond. Opportunities of 1504 bytes at 10, 20, 20 and 50 ms, and 50 ms later again: with
    # the n-th of them, packet k is whole when 1000 k <= 1504 n.
    results = stream(recorded([10, 20, 20, 50]))
    at_ms = [10, 20, 20, 50, 60, 70, 70, 100, 110, 120, 120, 150]
    due = []
    for packet in range(1, 19):
        opportunity = -(-1000 * packet // 1504)  # rounded up
        due.append(at_ms[opportunity - 1] / 1000 + 0.005)
    assert [at_s for _, at_s in times(results, "receive")][:18] == pytest.approx(due, abs=1e-9)
    # 4 of 1504 bytes in 50 ms
    assert results.rows("links")[2]["utilisation"] > 0.01
    assert results.scenario.table()["topology"]["links"][1]["deliveries"] == [10, 20, 20, 50]


def test_what_nobody_uses_is_lost_and_a_packet_waits_for_the_next_opportunity() -> None:
    # A packet of 1000 bytes at 8 us + 1 ms after 0, 100, 200 ... ms: each goes with the first opportunity after that.
    results = stream(recorded([10, 20, 20, 50, 70]), rate="80 kb/s")
    came = [at_s for _, at_s in times(results, "enqueue")]
    assert came[:2] == pytest.approx([0.001008, 0.101008])
    # Periods of 70 ms: 10; 140 + 10 would be after 101 ms too, 70 + 50 = 120 is before; 201 ms: 210; 301 ms: 330.
    left = [at_s - 0.005 for _, at_s in times(results, "receive")]
    assert left[:4] == pytest.approx([0.010, 0.120, 0.210, 0.330], abs=1e-9)


def test_a_recording_is_read_beside_its_scenario_and_kept(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "cell.up").write_text("3\n8\n8\n12\n")
    (tmp_path / "here" / "net.toml").write_text(
        'duration = "1 s"\n[topology]\nkind = "dumbbell"\npairs = 1\n'
        'bottleneck = { delay = "5 ms", deliveries = "cell.up", reverse = { rate = "1 Mb/s" } }\n'
        '[[flows]]\npair = 1\ntcp = "sack"\n'
    )
    scenario = ac.load(tmp_path / "here" / "net.toml")
    assert scenario.topology.bottleneck.deliveries == [3, 8, 8, 12]  # type: ignore[union-attr]
    results = ac.run(scenario)
    link = results.rows("links")[results.names["links"].index("router1->router2")]
    # 4 x 1504 bytes in 12 ms are 4.01 Mb/s at most
    assert 1e6 < link["throughput_bps"] < 4 * 1504 * 8 / 0.012
    results.save(tmp_path / "kept")
    (tmp_path / "here" / "cell.up").unlink()
    again = ac.run(ac.open(tmp_path / "kept").scenario)
    assert again.rows("links") == results.rows("links")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("3\nx\n", "line 2"),
        ("5\n3\n", "opportunity 2 is at 3 ms"),
        ("", "expected opportunities"),
        ("0\n", "after 0 ms"),
        (None, "cannot be read"),
    ],
)
def test_a_wrong_recording_says_where(content: str | None, what: str, tmp_path: Path) -> None:
    path = tmp_path / "cell.up"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ac.ScenarioError, match=what) as raised:
        ac.Link(delay="5 ms", deliveries=str(path))
    assert raised.value.key == "deliveries"


def test_a_link_has_a_rate_or_a_recording() -> None:
    with pytest.raises(ac.ScenarioError, match="not both"):
        ac.Link(rate="1 Mb/s", delay="5 ms", deliveries=[5])
    with pytest.raises(ac.ScenarioError, match="missing"):
        ac.Link(delay="5 ms")


def lossy(loss: ac.Loss, queue: str = "1000 packets") -> ac.Link:
    return ac.Link(rate="100 Mb/s", delay="5 ms", queue=ac.Queue(limit=queue), loss=loss, ends=["b", "c"])


def lost(results: ac.Results) -> list[bool]:
    """Of each packet, in order, whether it never arrived."""
    received = {packet for packet, _ in times(results, "receive")}
    return [packet not in received for packet, _ in times(results, "receive", (0, 1))]


def test_gilbert_elliott_loses_as_its_two_states_say() -> None:
    # In the long run p / (p + r) of the packets find the bad state: 0.01 / 0.26, of which 1 - h = 0.6 are lost; of the
    # others 1 - k = 0.002.
    loss = ac.Loss(kind="gilbert_elliott", p=0.01, r=0.25, h=0.4, k=0.998)
    gone = lost(stream(lossy(loss), rate="80 Mb/s", stop="12 s"))
    assert len(gone) >= 120_000
    expected = 0.01 / 0.26 * 0.6 + 0.25 / 0.26 * 0.002
    # The deviation of such a mean is 1.7e-4 of packets that have nothing to do with each other, a few times that here.
    assert mean(gone) == pytest.approx(expected, rel=0.06)


def test_gilberts_bursts_last_as_long_as_its_bad_state() -> None:
    gone = lost(stream(lossy(ac.Loss(kind="gilbert_elliott", p=0.01, r=0.25)), rate="80 Mb/s", stop="12 s"))
    bursts = [len(list(burst)) for is_lost, burst in groupby(gone) if is_lost]
    assert len(bursts) > 1000
    assert mean(bursts) == pytest.approx(1 / 0.25, rel=0.08)
    assert mean(gone) == pytest.approx(0.01 / 0.26, rel=0.08)


def test_gilbert_elliott_is_what_ns2_makes_of_two_states(ns: str, tmp_path: Path) -> None:
    loss = ac.Loss(kind="gilbert_elliott", p=0.03, r=0.3, h=0.2, k=0.99)
    topology = ac.Dumbbell(
        pairs=1, bottleneck=ac.Link(rate="2 Mb/s", delay="9 ms", loss=loss, reverse=ac.Reverse(loss=[]))
    )
    flow = ac.Flow(pair=1, tcp="sack", window="50 packets")
    described = ac.Scenario(topology=topology, flows=[flow], duration="30 s")
    ac.run(described, trace=tmp_path / "ours.tr")
    (tmp_path / "equal.tcl").write_text(script(described, "theirs.tr"))
    ac.run_ns2(tmp_path / "equal.tcl", cwd=tmp_path, program=(ns,))
    ours = (tmp_path / "ours.tr").read_bytes()
    assert ours == (tmp_path / "theirs.tr").read_bytes()
    assert ours.count(b"\nd ") > 20


@pytest.mark.parametrize(
    ("link", "flow", "key"),
    [
        (ac.Link(delay="5 ms", deliveries=[5]), {}, "topology.bottleneck.deliveries"),
        (ac.Link(rate="1 Mb/s", delay="5 ms", loss=ac.Loss(rate=1, duplicate=True)), {}, "loss.duplicate"),
        (ac.Link(rate="1 Mb/s", delay="5 ms"), {"ecn": 1}, "flows.0.parameters.ecn"),
        (ac.Link(rate="1 Mb/s", delay="5 ms", queue=ac.Queue(kind="cake")), {}, "queue.kind"),
    ],
)
def test_no_script_is_made_of_what_ns2_has_not(link: ac.Link, flow: dict[str, int], key: str) -> None:
    flows = [ac.Flow(pair=1, app=ac.Cbr(), parameters=dict(flow))]
    described = ac.Scenario(topology=ac.Dumbbell(pairs=1, bottleneck=link), flows=flows, duration="1 s")
    with pytest.raises(ac.ScenarioError) as raised:
        script(described, "out.tr")
    assert raised.value.key.endswith(key)


def held_s(results: ac.Results) -> list[float]:
    """How much longer than without being held each packet took, in order of arrival at the queue's link."""
    sent = dict(times(results, "receive", (0, 1)))
    return [at_s - sent[packet] - 0.005 - 80e-6 for packet, at_s in times(results, "receive")]


def test_jitter_is_uniform_and_keeps_the_order_if_asked() -> None:
    loose = stream(lossy(ac.Loss(rate=1, delay="2 ms", max_delay="32 ms", place="wire")), rate="800 kb/s", stop="50 s")
    waits = held_s(loose)
    assert len(waits) >= 5000
    assert min(waits) > 0.002 - 1e-9
    assert max(waits) < 0.032 + 1e-9
    # A uniform time's deviation is 30 ms / sqrt(12) = 8.7 ms: of 5000, 0.12 ms.
    assert mean(waits) == pytest.approx(0.017, abs=0.0004)
    order = [packet for packet, _ in times(loose, "receive")]
    assert order != sorted(order)
    # With 10 ms between packets and up to 30 ms more, one overtakes the one before when the times differ by more than
    # 10 ms: (20 / 30)^2 / 2 of the pairs.
    overtaken = sum(
        sooner > later for sooner, later in zip(*(_arrivals(loose, shift) for shift in (0, 1)), strict=False)
    )
    assert overtaken / 5000 == pytest.approx((20 / 30) ** 2 / 2, abs=0.03)
    strict = ac.Loss(rate=1, delay="2 ms", max_delay="32 ms", in_order=True, place="wire")
    order = [packet for packet, _ in times(stream(lossy(strict), rate="800 kb/s", stop="50 s"), "receive")]
    assert len(order) == len(waits)
    assert order == sorted(order)


def _arrivals(results: ac.Results, first: int) -> list[float]:
    received = dict(times(results, "receive"))
    return [received[packet] for packet in sorted(received)][first:]


def test_some_packets_held_back_in_order_hold_those_behind_them() -> None:
    loss = ac.Loss(kind="periodic", period=10, delay="25 ms", in_order=True, place="wire")
    results = stream(lossy(loss), rate="800 kb/s", stop="5 s")
    order = [packet for packet, _ in times(results, "receive")]
    assert order == sorted(order)
    # 10 ms apart: the next two wait for 15 and 5 ms.
    assert {round(wait, 6) for wait in held_s(results)} == {0.0, 0.025, 0.015, 0.005}


def test_duplicates_follow_their_packet() -> None:
    results = stream(lossy(ac.Loss(rate=0.1, duplicate=True, place="wire")), rate="8 Mb/s", stop="10 s")
    order = [packet for packet, _ in times(results, "receive")]
    counts = Counter(order)
    assert len(counts) >= 10_000
    assert set(counts.values()) == {1, 2}
    # 10 000 drawn with 0.1: a deviation of 30
    assert abs(len(order) - 11_000) < 120
    assert [packet for packet, _ in groupby(order)] == sorted(counts)


def test_a_duplicate_before_the_queue_is_queued_too() -> None:
    results = stream(lossy(ac.Loss(rate=1, duplicate=True)), rate="8 Mb/s", stop="1 s")
    link = results.rows("links")[2]
    assert link["departed_packets"] == 2 * 1000
    assert [packet for packet, _ in times(results, "receive")] == [number for number in range(1000) for _ in (0, 1)]


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"kind": "gilbert_elliott", "p": 0.1}, "r"),
        ({"kind": "gilbert_elliott", "p": 0.1, "r": 1.5}, "r"),
        ({"kind": "uniform", "rate": 0.1, "p": 0.1}, "p"),
        ({"rate": 1, "max_delay": "3 ms"}, "max_delay"),
        ({"rate": 1, "in_order": True}, "in_order"),
        ({"rate": 1, "delay": "3 ms", "max_delay": "2 ms"}, "max_delay"),
        ({"rate": 1, "delay": "3 ms", "duplicate": True}, "duplicate"),
        ({"rate": 1, "duplicate": True, "place": "link"}, "place"),
    ],
)
def test_what_does_not_go_together_is_refused(keys: dict[str, object], key: str) -> None:
    with pytest.raises(ac.ScenarioError) as raised:
        ac.Loss(**keys)  # type: ignore[arg-type]
    assert raised.value.key == key
