"""Queue disciplines of RFCs: drops and turns worked by hand, and packet by packet what the text gives, written down."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import ackclock as ac
from ackclock._native import queue_disciplines
from ackclock.execution.process import ACKCLOCK
from ackclock.scenario.formats.as_tcl import script
from aqm_by_text import TEXTS

#: disciplines whose limit is not that of all packets -> its name in their text
LIMITS = {"cake": "memory_limit", "priority": "each", "weighted_drr": "each"}

#: disciplines that mark unless told otherwise
MARKING = {"fq_codel", "cobalt", "cake", "dualpi2", "step", "blue", "sfb"}

#: disciplines that draw random numbers
DRAWING = {"pie", "fq_pie", "cobalt", "cake", "blue", "sfb"}


def scenario(queue: ac.Queue, ecn: bool = False) -> ac.Scenario:
    """Long and short transfers, a stream of ECT(1) that overloads the link for a while; the link slows down, too."""
    flows = [
        ac.Flow(pair=1, tcp="sack", window="200 packets", parameters={"ecn": ecn}),
        ac.Flow(
            pair=2, tcp="new_reno", window="200 packets", start="0.7 s", stop="14 s",
            parameters={"ecn": ecn, "prio": 1},
        ),
        ac.Flow(pair=3, tcp="reno", start="3 s", app=ac.Ftp(size="60 kB"), parameters={"prio": 2}),
        ac.Flow(
            pair=4, app=ac.Cbr(rate="4.7 Mb/s", packet_size="700 B"), start="8 s", stop="11.3 s",
            parameters={"ecn": 1 if ecn else 0, "prio": 5},
        ),
    ]  # fmt: skip
    topology = ac.Dumbbell(
        pairs=4,
        bottleneck=ac.Link(
            rate="3 Mb/s", delay="12 ms", queue=queue, reverse=ac.Reverse(queue=ac.Queue(limit="500 packets"))
        ),
        access=ac.Link(rate="20 Mb/s", delay="2 ms"),
        delays=["2 ms", "5 ms", "9 ms", "3 ms"],
    )
    changes = [
        ac.Change(at="5 s", link="router1-router2", rate="1.1 Mb/s"),
        ac.Change(at="7 s", link="router1-router2", rate="3 Mb/s"),
    ]
    return ac.Scenario(topology=topology, flows=flows, changes=changes, duration="18 s", seed="ns2:7")


def trace_of(described: ac.Scenario, path: Path) -> bytes:
    ac.run(described, trace=path)
    return path.read_bytes()


CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("codel", "200 packets", {}),
    ("codel", "200 packets", {"target": "20 ms", "interval": "50 ms"}),
    ("codel", "30 packets", {"ecn": True}),
    ("codel", "200 packets", {"ecn": True, "ce_threshold": "1 ms"}),
    ("fq_codel", "200 packets", {}),
    ("fq_codel", "40 packets", {"ecn": False, "quantum": "300 B", "drop_batch": 3}),
    ("fq_codel", "25 packets", {"target": "50 ms"}),
    ("pie", "200 packets", {}),
    ("pie", "60 packets", {"alpha": 1.0, "beta": 8.0, "max_burst": "30 ms", "target": "30 ms"}),
    ("pie", "200 packets", {"ecn": True, "mark_ecnth": 0.05}),
    ("pie", "200 packets", {"derandomization": True}),
    ("pie", "200 packets", {"cap_drop_adjustment": True}),
    ("pie", "200 packets", {"dq_rate_estimator": True, "dq_threshold": "8000 B"}),
    ("fq_pie", "200 packets", {}),
    ("fq_pie", "40 packets", {"quantum": "3000 B", "max_burst": "45 ms", "ecn": True}),
    ("cobalt", "200 packets", {"ecn": False}),
    ("cobalt", "25 packets", {"target": "30 ms", "interval": "60 ms"}),
    ("cobalt", "12 packets", {"target": "1 ms", "increment": 0.05, "decrement": 0.01, "ecn": False}),
    ("cake", "200 kB", {}),
    ("cake", "20 kB", {"by_source": False, "ecn": False}),
    ("cake", "200 kB", {"target": "20 ms", "interval": "40 ms"}),
    ("dualpi2", "200 packets", {}),
    ("dualpi2", "40 packets", {"coupling": 1.5, "classic_share": 0.3, "step_min": "3 ms"}),
    ("dualpi2", "200 packets", {"alpha": 2.0, "beta": 20.0, "tupdate": "15 ms", "step_packets": "4 packets"}),
    ("step", "40 packets", {"threshold": "8 packets"}),
    ("step", "40 packets", {"threshold": "8 packets", "drops_others": True}),
    ("blue", "30 packets", {"ecn": False}),
    ("blue", "30 packets", {"increment": 0.05, "decrement": 0.01, "freeze_time": "40 ms", "ecn": True}),
    ("sfb", "60 packets", {"increment": 0.005, "decrement": 0.001}),
    ("sfb", "60 packets", {"increment": 0.05, "decrement": 0.001, "bin_size": "5 packets", "rehash": "1.5 s"}),
    ("sfb", "60 packets", {"levels": 1, "bins": 3, "bin_size": "9 packets", "increment": 0.02, "ecn": False}),
    ("priority", "20 packets", {}),
    ("priority", "20 packets", {"bands": 2}),
    ("weighted_drr", "20 packets", {}),
    ("weighted_drr", "20 packets", {"quantum_0": "3000 B", "quantum_1": "500 B", "quantum_3": "900 B"}),
]


@pytest.mark.parametrize(("kind", "limit", "parameters"), CASES)
def test_the_engine_gives_the_packets_of_the_text(
    kind: str, limit: str, parameters: dict[str, Any], tmp_path: Path
) -> None:
    ecn = bool(parameters.get("ecn")) or kind in MARKING
    native = scenario(ac.Queue(kind=kind, limit=limit, parameters=parameters), ecn)
    # Each of three TCP senders draws two phases of its clock as it starts.
    theirs = parameters | ({"seed": 7, "skip": 6} if kind in DRAWING else {})
    # A limit in bytes, or of each class, is not that of all packets.
    if kind in LIMITS:
        theirs |= {LIMITS[kind]: limit}
    own = scenario(ac.Queue(kind=TEXTS[kind], limit=None if kind in LIMITS else limit, parameters=theirs), ecn)
    ours = trace_of(native, tmp_path / "native.tr")
    assert ours == trace_of(own, tmp_path / "own.tr")
    # Each case decides something, and its parameters do.
    assert ours.count(b"\nd ") > 20
    if parameters:
        plain = scenario(ac.Queue(kind=kind, limit=limit), ecn)
        assert trace_of(plain, tmp_path / "plain.tr") != ours


def standing(queue: ac.Queue, flows: list[ac.Flow], rate: str = "8 Mb/s", duration: str = "2 s") -> ac.Scenario:
    """Streams over a link that sends 1000 bytes in a millisecond."""
    topology = ac.Dumbbell(
        pairs=len(flows),
        bottleneck=ac.Link(rate=rate, delay="1 ms", queue=queue),
        access=ac.Link(rate="1 Gb/s", delay="1 ms"),
    )
    return ac.Scenario(topology=topology, flows=flows, duration=duration, record=ac.Record(packets=True))


class At(NamedTuple):
    """A packet at the bottleneck."""

    time_s: float
    packet: int
    flow: int


def events(results: ac.Results) -> dict[str, list[At]]:
    """What happened at the bottleneck: enqueue, dequeue, drop."""
    ends = results.nodes.index("router1"), results.nodes.index("router2")
    found: dict[str, list[At]] = {"enqueue": [], "dequeue": [], "drop": [], "receive": []}
    names = ("event", "from_node", "to_node", "time_s", "packet", "flow")
    for event, first, last, *at in zip(*(results.packets.column(name) for name in names), strict=True):
        if (first, last) == ends:
            found[event].append(At(*at))
    return found


@pytest.mark.parametrize("kind", ["codel", "cobalt"])
def test_codels_drops_come_after_intervals_over_roots(kind: str) -> None:
    # 2000 packets a second come where 1000 can go: the wait passes 5 ms and stays. The first drop is an interval later,
    # the next ones 100/sqrt(1), 100/sqrt(2), 100/sqrt(3) ... ms after one another, as the next packet leaves: each ms.
    stream = ac.Flow(pair=1, app=ac.Cbr(rate="16 Mb/s", packet_size="1000 B"))
    results = ac.run(standing(ac.Queue(kind=kind, limit="10000 packets"), [stream]))
    found = events(results)
    left, came = found["dequeue"], {row.packet: row.time_s for row in found["enqueue"]}
    above = next(row.time_s for row in left if row.time_s - came[row.packet] >= 0.005)
    dropped = [row.time_s for row in found["drop"]]
    # COBALT's count is 2 after the first drop.
    gaps = [0.1, 0.0707107, 0.0577350, 0.05, 0.0447214, 0.0408248, 0.0377964, 0.0353553, 0.0333333, 0.0316228]
    due = above + 0.1
    for time, gap in zip(dropped, gaps[1:] if kind == "cobalt" else gaps, strict=False):
        assert due - 1e-9 <= time < due + 0.001 + 1e-9
        due = (time if time == dropped[0] and kind == "codel" else due) + gap
    assert len(dropped) > len(gaps)


def test_fq_codels_flows_take_turns_by_bytes() -> None:
    # With a quantum of 1000 bytes a flow of 1000-byte packets sends one a turn. One of 400-byte packets sends 3 (1000,
    # 600, 200: -200 is left), then 2 (800, 400: 0), then 3 again.
    queue = ac.Queue(kind="fq_codel", limit="10000 packets", parameters={"quantum": "1000 B", "target": "10 s"})
    flows = [
        ac.Flow(pair=1, app=ac.Cbr(rate="16 Mb/s", packet_size="1000 B")),
        ac.Flow(pair=2, app=ac.Cbr(rate="16 Mb/s", packet_size="400 B")),
        # From 1 s on a packet each 100 ms: a new flow each time, so that it never waits for a whole round.
        ac.Flow(pair=3, app=ac.Cbr(rate="8 kb/s", packet_size="100 B"), start="1 s"),
    ]
    results = ac.run(standing(queue, flows))
    found = events(results)
    left = found["dequeue"]
    big = [index for index, row in enumerate(left) if row.flow == 1 and 0.5 < row.time_s < 0.9]
    assert len(big) > 100
    between = [after - before - 1 for before, after in pairwise(big)]
    assert set(pairwise(between)) == {(3, 2), (2, 3)}
    came = {row.packet: row.time_s for row in found["enqueue"]}
    waits = [row.time_s - came[row.packet] for row in left if row.flow == 3]
    assert len(waits) == 10
    assert max(waits) <= 0.001  # no more than the packet that is being sent
    assert max(row.time_s - came[row.packet] for row in left if row.flow == 1) > 0.5


def test_fq_codel_drops_half_of_the_longest_flow_at_its_head() -> None:
    queue = ac.Queue(kind="fq_codel", limit="101 packets", parameters={"target": "10 s"})
    flows = [
        ac.Flow(pair=1, app=ac.Cbr(rate="16 Mb/s", packet_size="1000 B")),
        ac.Flow(pair=2, app=ac.Cbr(rate="80 kb/s", packet_size="1000 B")),
    ]
    results = ac.run(standing(queue, flows, duration="1 s"))
    found = events(results)
    dropped = found["drop"]
    assert {row.flow for row in dropped} == {1}
    batches = [list(batch) for _, batch in groupby(dropped, key=lambda row: row.time_s)]
    assert len(batches) > 3
    # 102 packets wait, at most 2 of them of the other flow: 50 or 51 are half of the rest.
    assert {len(batch) for batch in batches} <= {50, 51}
    came = [row.packet for row in found["enqueue"] if row.flow == 1]
    gone = {row.packet: row.time_s for row in found["dequeue"] if row.flow == 1}
    for batch in batches:
        uids = [row.packet for row in batch]
        first = came.index(uids[0])
        assert came[first : first + len(uids)] == uids
        assert all(gone[uid] < batch[0].time_s for uid in came[:first] if uid in gone)


def departures(results: ac.Results, flow: int, first_s: float = 0.0) -> list[float]:
    return [row.time_s for row in events(results)["dequeue"] if row.flow == flow and row.time_s >= first_s]


def test_a_token_bucket_lets_its_burst_go_and_then_its_rate() -> None:
    # 1000 bytes come each 0.5 ms; a bucket of 5000 bytes is filled with 1 Mb/s. Five go as fast as the link can, 1 ms
    # each; until the fifth begins at 4 ms after the first, 500 bytes of tokens have come: the sixth waits for
    # another 500, until 8 ms after the first, and from then on each takes 8 ms.
    queue = ac.Queue(kind="token_bucket", limit="20 packets", parameters={"rate": "1 Mb/s", "burst": "5000 B"})
    results = ac.run(standing(queue, [ac.Flow(pair=1, app=ac.Cbr(rate="16 Mb/s", packet_size="1000 B"))]))
    left = departures(results, 1)
    after = [1000 * (at_s - left[0]) for at_s in left]
    assert after[:8] == pytest.approx([0, 1, 2, 3, 4, 8, 16, 24], abs=1e-6)
    assert after[100] == pytest.approx(8 * (100 - 4), abs=1e-4)
    most = results.rows("links")[results.names["links"].index("router1->router2")]["queue_max_packets"]
    assert most == 20


def test_a_packet_bigger_than_the_bucket_is_dropped() -> None:
    queue = ac.Queue(kind="token_bucket", parameters={"burst": "999 B"})
    results = ac.run(standing(queue, [ac.Flow(pair=1, app=ac.Cbr(rate="1 Mb/s", packet_size="1000 B"))]))
    assert not events(results)["dequeue"]
    assert len(events(results)["drop"]) > 100


def test_a_policer_drops_what_exceeds_and_delays_nothing() -> None:
    # 1000 bytes come each 4 ms, 2 Mb/s; a bucket of 2500 bytes is filled with 1 Mb/s, 500 bytes in 4 ms. By hand:
    # before the packets there are 2500, 2000, 1500, 1000, 500 (dropped), 1000, 500 (dropped), 1000 ... bytes of tokens.
    queue = ac.Queue(kind="policer", limit="20 packets", parameters={"rate": "1 Mb/s", "burst": "2500 B"})
    results = ac.run(standing(queue, [ac.Flow(pair=1, app=ac.Cbr(rate="2 Mb/s", packet_size="1000 B"))]))
    found = events(results)
    came = [row.packet for row in found["enqueue"] if row.flow == 1]
    gone = {row.packet for row in found["drop"]}
    fates = [packet not in gone for packet in came]
    assert fates[:10] == [True, True, True, True, False, True, False, True, False, True]
    kept = {row.packet: row.time_s for row in found["dequeue"]}
    waits_s = [kept[row.packet] - row.time_s for row in found["enqueue"] if row.packet in kept]
    assert max(waits_s) == pytest.approx(0, abs=1e-9)


def test_a_policers_bucket_holds_its_burst() -> None:
    # An idle time of any length fills the bucket with 3000 bytes: three packets at once, and not a fourth.
    queue = ac.Queue(kind="policer", limit="20 packets", parameters={"rate": "1 Mb/s", "burst": "3000 B"})
    app = ac.Cbr(rate="800 Mb/s", packet_size="1000 B", packets=6)
    results = ac.run(standing(queue, [ac.Flow(pair=1, app=app, start="1 s")]))
    link = results.rows("links")[results.names["links"].index("router1->router2")]
    assert (link["departed_packets"], link["dropped_packets"]) == (3, 3)


def test_cakes_shaper_counts_the_overhead() -> None:
    # 1000 bytes and 250 of overhead at 1 Mb/s are 10 ms; the packets come each millisecond.
    queue = ac.Queue(kind="cake", parameters={"rate": "1 Mb/s", "overhead": "250 B"})
    results = ac.run(standing(queue, [ac.Flow(pair=1, app=ac.Cbr(rate="8 Mb/s", packet_size="1000 B"))]))
    left = departures(results, 1)
    assert [after - before for before, after in pairwise(left)] == pytest.approx([0.01] * (len(left) - 1))
    assert len(left) == 200


def shares(queue: ac.Queue, pairs: list[tuple[str, str]], **more: Any) -> list[float]:
    """Parts of the link that streams between hosts get, each of which alone would fill it."""
    names = sorted({name for pair in pairs for name in pair})
    links = [ac.Link(rate="1 Gb/s", delay="1 ms", ends=[name, "r1"]) for name in names if name.startswith("s")]
    links.append(ac.Link(rate="8 Mb/s", delay="1 ms", ends=["r1", "r2"], queue=queue))
    links += [ac.Link(rate="1 Gb/s", delay="1 ms", ends=["r2", name]) for name in names if name.startswith("d")]
    app = ac.Cbr(rate="9 Mb/s", packet_size="1000 B")
    flows = [ac.Flow(source=first, destination=last, app=app) for first, last in pairs]
    results = ac.run(
        ac.Scenario(topology=ac.Graph(nodes=["r1", "r2", *names], links=links), flows=flows, duration="20 s")
    )
    received = results.flows.column("received_bytes")
    return [part / sum(received) for part in received]


def test_cakes_hosts_share_fairly_whatever_their_flows() -> None:
    # Three flows of s1 to different hosts, one of s2: by flows each gets a quarter, by sources s2 gets half.
    pairs = [("s1", "d1"), ("s1", "d2"), ("s1", "d3"), ("s2", "d4")]

    def cake(**parameters: Any) -> ac.Queue:
        return ac.Queue(kind="cake", limit="100 kB", parameters=parameters)

    assert shares(cake(by_source=False, by_destination=False), pairs) == pytest.approx([1 / 4] * 4, abs=0.01)
    assert shares(cake(), pairs) == pytest.approx([1 / 6, 1 / 6, 1 / 6, 1 / 2], abs=0.01)
    # The other way about, it is the destinations that share.
    back = [("s1", "d1"), ("s2", "d1"), ("s3", "d1"), ("s4", "d2")]
    assert shares(cake(by_source=False), back) == pytest.approx([1 / 6, 1 / 6, 1 / 6, 1 / 2], abs=0.01)
    assert shares(cake(by_destination=False), back) == pytest.approx([1 / 4] * 4, abs=0.01)


def test_classes_share_as_their_quanta_say() -> None:
    streams = [
        ac.Flow(pair=1 + prio, app=ac.Cbr(rate="9 Mb/s", packet_size="1000 B"), parameters={"prio": prio})
        for prio in range(3)
    ]
    quanta: dict[str, Any] = {"quantum_0": "3000 B", "quantum_1": "2000 B", "quantum_2": "1000 B"}
    results = ac.run(standing(ac.Queue(kind="weighted_drr", parameters=quanta), streams, duration="20 s"))
    received = results.flows.column("received_bytes")
    assert [part / sum(received) for part in received] == pytest.approx([1 / 2, 1 / 3, 1 / 6], abs=0.005)


def test_a_band_goes_only_when_those_before_it_are_empty() -> None:
    rates = {0: "3 Mb/s", 1: "4 Mb/s", 2: "9 Mb/s"}
    streams = [
        ac.Flow(pair=1 + prio, app=ac.Cbr(rate=rate, packet_size="1000 B"), parameters={"prio": prio})
        for prio, rate in rates.items()
    ]
    results = ac.run(standing(ac.Queue(kind="priority"), streams, duration="20 s"))
    received = [8 * part / 20 / 1e6 for part in results.flows.column("received_bytes")]
    # 8 Mb/s: all of the first two, 1 Mb/s of the last.
    assert received == pytest.approx([3, 4, 1], abs=0.02)


def test_blues_probability_settles_where_it_loses_what_is_too_much() -> None:
    # Twice the link's rate comes: half of it is lost at last, by the probability and not by overflows.
    queue = ac.Queue(kind="blue", limit="50 packets")
    results = ac.run(
        standing(queue, [ac.Flow(pair=1, app=ac.Cbr(rate="16 Mb/s", packet_size="1000 B"))], duration="60 s")
    )
    found = events(results)
    late = [sum(row.time_s > 50 for row in found[event]) for event in ("enqueue", "drop")]
    assert late[1] / late[0] == pytest.approx(0.5, abs=0.02)


def beside_a_flood(**parameters: Any) -> list[float]:
    """Packets a second that flows get of SFB's, from 8 to 20 s: one of twice the link's rate, four of a tenth of it."""
    values: dict[str, Any] = {"increment": 0.05, "decrement": 0.0, "bin_size": "1 packets", **parameters}
    streams = [
        ac.Flow(pair=pair, app=ac.Cbr(rate="16 Mb/s" if pair == 1 else "0.8 Mb/s", packet_size="1000 B"))
        for pair in range(1, 6)
    ]
    queue = ac.Queue(kind="sfb", limit="100 packets", parameters=values)
    late = [row.flow for row in events(ac.run(standing(queue, streams, duration="20 s")))["dequeue"] if row.time_s >= 8]
    return [late.count(flow) / 12 for flow in range(1, 6)]


def test_sfb_leaves_who_does_not_answer_the_penalty_rate() -> None:
    # The flood fills its bins, its least probability comes to 1 and stays, and it gets 160 kb/s, 20 packets a second.
    # The others lose nothing.
    assert beside_a_flood() == pytest.approx([20, 100, 100, 100, 100], rel=0.01)


def test_moving_hash_functions_part_those_who_shared_all_their_bins() -> None:
    # One level of two bins: who shares the flood's bin is taken for part of it for ever, and all of them get 20 packets
    # a second. With other functions each second nobody shares it always: about half of the time.
    still = beside_a_flood(levels=1, bins=2)
    blocked = [rate for rate in still[1:] if rate < 50]
    assert blocked and still[0] + sum(blocked) == pytest.approx(20, rel=0.01)
    assert min(beside_a_flood(levels=1, bins=2, rehash="1 s")[1:]) > 20


def test_a_step_marks_what_finds_more_than_the_threshold() -> None:
    # Thirty packets of a window come as one: the first goes to the link at once, the n-th finds n - 2 waiting. More
    # than 20 find those from the 23rd on: eight are marked, none is dropped.
    queue = ac.Queue(kind="step", limit="100 packets", parameters={"threshold": "20 packets"})
    burst = ac.Flow(
        pair=1, tcp="sack", window="30 packets", app=ac.Ftp(size="30 packets"),
        parameters={"ecn": True, "syn": False, "window_init": "30 packets"},
    )  # fmt: skip
    described = standing(queue, [burst], rate="0.8 Mb/s")
    (link,) = [row for row in ac.run(described).rows("links") if row["marked_packets"]]
    assert (link["marked_packets"], link["dropped_packets"]) == (8, 0)


PATCHES = {
    "CoDel": ac.Queue(kind="codel", limit="60 packets"),
    "sfqCoDel": ac.Queue(kind="fq_codel", limit="60 packets", parameters={"ecn": False}),
    "PIE": ac.Queue(
        kind="pie",
        limit="60 packets",
        parameters={
            "tupdate": "30 ms", "target": "20 ms", "max_burst": "100 ms", "dq_rate_estimator": True,
            "dq_threshold": "10000 B",
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PATCHES)
def test_scripts_for_patched_ns2_find_the_queues_under_their_names(name: str, tmp_path: Path) -> None:
    def everywhere(queue: ac.Queue) -> ac.Scenario:
        topology = ac.Dumbbell(
            pairs=2,
            bottleneck=ac.Link(rate="1 Mb/s", delay="9 ms", queue=queue),
            access=ac.Link(rate="10 Mb/s", delay="2 ms", queue=queue),
        )
        flows = [ac.Flow(pair=pair, tcp="sack", window="100 packets", start=f"{pair} s") for pair in (1, 2)]
        return ac.Scenario(topology=topology, flows=flows, duration="12 s")

    ours = trace_of(everywhere(PATCHES[name]), tmp_path / "ours.tr")
    tcl = tmp_path / "equal.tcl"
    tcl.write_text(script(everywhere(ac.Queue(limit="60 packets")), "theirs.tr").replace("DropTail", name))
    ac.run_ns2(tcl, cwd=tmp_path, program=ACKCLOCK)
    assert (tmp_path / "theirs.tr").read_bytes() == ours
    assert ours.count(b"\nd ") > 5


#: disciplines that need more than a limit to be described
DESCRIBED = {"ds_red_core", "ds_red_edge"}


@pytest.mark.parametrize("kind", [name for name, _ in queue_disciplines() if name not in DESCRIBED])
def test_packets_are_conserved_and_keep_the_order_of_their_flow(kind: str) -> None:
    limit = "20 kB" if kind in ("drr", "cake") else "30 packets"
    described = scenario(ac.Queue(kind=kind, limit=limit), ecn=True)
    if kind == "xcp":
        # Its routers sort by code points of their own, and refuse others.
        with pytest.raises(ac.SimulationError, match="a packet of flow 2 has prio 1"):
            ac.run(described)
        flows = [replace(flow, parameters={**flow.parameters, "prio": 0}) for flow in described.flows]
        described = replace(described, flows=flows)
    results = ac.run(replace(described, record=ac.Record(packets=True)))
    found = events(results)
    came, left, dropped = ([row.packet for row in found[event]] for event in ("enqueue", "dequeue", "drop"))
    assert len(came) > 1000
    assert len({*left, *dropped}) == len(left) + len(dropped)
    assert {*left, *dropped} <= {*came}
    link = results.rows("links")[results.names["links"].index("router1->router2")]
    waiting = len(came) - len(left) - len(dropped)
    # Of some, the limit is that of each of four flows or classes, of XCP's routers that of each of their three queues.
    # Linux's fq has up to 8 packets beside its flows.
    most = {"fq": 4, "priority": 4, "weighted_drr": 4, "xcp": 3, "linux_fq": 2}.get(kind, 1) * 31
    assert 0 <= waiting <= most
    assert link["queue_max_packets"] <= most
    order = {uid: place for place, uid in enumerate(came)}
    for flow in (1, 2, 3, 4):
        sent = [order[row.packet] for row in found["dequeue"] if row.flow == flow]
        assert sent == sorted(sent)


@pytest.mark.parametrize("kind", ["pie", "fq_pie", "dualpi2"])
def test_updates_without_time_between_them_are_an_error(kind: str) -> None:
    described = scenario(ac.Queue(kind=kind, parameters={"tupdate": "0 s"}))
    with pytest.raises(ac.SimulationError, match="between updates is 0 s"):
        ac.run(described)


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("fq_codel", {"flows": 2_000_000_000, "quantum": "-5 B", "drop_batch": 0}),
        ("fq_pie", {"flows": -1, "quantum": "0 B"}),
        ("sfb", {"levels": 2_000_000_000, "bins": 2_000_000_000}),
        ("priority", {"bands": 2_000_000_000}),
        ("codel", {"interval": "0 s", "target": "0 s"}),
        ("cobalt", {"interval": "0 s", "target": "0 s", "increment": 5}),
        ("cake", {"interval": "0 s", "overhead": "-5000 B"}),
        ("dualpi2", {"coupling": 0, "classic_share": 7}),
        ("dualpi2", {"coupling": 0, "classic_share": 7, "as_linux": True}),
        ("codel", {"interval": "0 s", "target": "0 s", "as_linux": True}),
        ("fq_codel", {"quantum": "-5 B", "memory_limit": "1 B", "interval": "0 s", "as_linux": True}),
        ("pie", {"target": "0 s", "alpha": -5, "beta": 1e9, "as_linux": True}),
        ("cake", {"diffserv": -7, "ack_filter": 99, "rate": "1 b/s", "ingress": True, "as_linux": True}),
        ("linux_fq", {"quantum": "-5 B", "initial_quantum": "-2000000000 B", "horizon": "-5 s", "maxrate": "1 b/s"}),
    ],
)
def test_senseless_numbers_end_too(kind: str, parameters: dict[str, Any]) -> None:
    results = ac.run(scenario(ac.Queue(kind=kind, parameters=parameters), ecn=True))
    assert results.rows("flows")[0]["sent_packets"] > 0
