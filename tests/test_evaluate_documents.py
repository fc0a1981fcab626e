"""The numbers of evaluation suites against the documents, worked by hand from their sections and tables."""

from __future__ import annotations

from pathlib import Path

import pytest

import ackclock as ac
from ackclock.evaluate import Evaluation, evaluate, find_subject, load_suite, suites
from ackclock.evaluate.run import _arms
from ackclock.scenario.network import resolve

#: RFC 9743, headings of sections 5 to 7 that are criteria or conditions, and 8.
RFC9743_CRITERIA = {
    *(f"5.1.{n}" for n in range(1, 6)),
    "5.2",
    *(f"5.2.{n}" for n in range(1, 4)),
    "5.3.1",
    "5.3.2",
    "8",
}
RFC9743_CONDITIONS = {*(f"6.{n}" for n in range(1, 5)), *(f"7.{n}" for n in range(1, 12))}


@pytest.mark.parametrize("name", suites())
def test_what_a_suite_names_can_be_run(name: str) -> None:
    """Every scenario of every suite, in both lengths, can be described; nothing is run."""
    suite = load_suite(name)
    what = "red" if suite.evaluates == "queue" else "vegas"
    for quick in (False, True):
        who = [find_subject(name, suite.evaluates) for name in (what, suite.baseline)]
        found = Evaluation(suite, who[0], who[1], quick, 2)
        arms = _arms(found)
        assert len(arms) > 10
        for arm in arms:
            resolve(found.scenario(arm.condition, arm.traffic))


def test_every_section_of_rfc_9743_has_its_row() -> None:
    suite = load_suite("rfc9743")
    criteria = {part.strip() for one in suite.criterion for part in one.where.split(",")}
    conditions = {part.strip() for one in suite.condition for part in one.where.split(",")}
    assert criteria >= RFC9743_CRITERIA
    assert conditions >= RFC9743_CONDITIONS
    # 5.1.2 to 5.1.4 and 5.2.1 are considered in every condition of sections 6 and 7.
    general = {one.id for one in suite.condition if one.where.startswith(("6.", "7."))}
    for id in ("bufferbloat", "utilisation", "loss", "fairness", "harm_goodput"):
        assert set(next(one for one in suite.criterion if one.id == id).conditions) == general, id


def test_the_path_of_media_is_rfc_8867s() -> None:
    """RFC 8867, section 5.6: 2 Mb/s, queues of 300 and 1000 ms; 4.2: 50 ms one way."""
    suite = load_suite("rfc9743")
    for id, queue_s in (("media_path", 0.3), ("media_path_deep", 1.0)):
        link = suite.named_condition(id).scenario["topology"]["bottleneck"]
        assert link["rate"] == "2 Mb/s"
        # Two access links of 1 ms are on the way.
        assert link["delay"] == "48 ms"
        assert suite.scenario["topology"]["access"]["delay"] == "1 ms"
        assert link["queue"]["limit"] == f"{round(2e6 * queue_s / 8 / 1500)} packets"


def test_the_flows_of_rfc_7928() -> None:
    """Section 8.2.1 to 8.2.4: N = ROUND(0.036 S), ROUND(0.081 S), ROUND(0.114 S) for losses of 0.1, 0.5 and 1 %."""
    suite = load_suite("rfc7928")
    link = suite.scenario["topology"]["bottleneck"]
    assert (link["rate"], link["delay"], link["queue"]["limit"]) == ("10 Mb/s", "1 ms", "1 BDP")
    assert suite.scenario["topology"]["access"]["delay"] == "24.5 ms"
    # A round trip of 100 ms; a buffer of whole packets.
    bdp = 10e6 * 0.1 / 8 / 1500
    s = bdp + round(bdp)
    for id, factor, loss in (("mild", 0.036, 0.001), ("medium", 0.081, 0.005), ("heavy", 0.114, 0.01)):
        assert factor == pytest.approx((loss / 0.76) ** 0.5, rel=0.01)  # l_r = 0.76 N^2 / S^2
        assert suite.named_traffic(id).flows[0]["count"] == int(factor * s + 0.5), id
    # 8.2.5: 6 flows for 20 s, 13 for 20 s, 19 for 20 s, counted from 10 s on.
    turns = {flow["name"]: flow for flow in suite.named_traffic("turns").flows}
    assert [turns[name]["count"] for name in ("bulk", "more", "most")] == [6, 13 - 6, 19 - 13]
    assert [span["start"] for name in ("more", "most") for span in turns[name]["spans"]] == [
        "30 s",
        "90 s",
        "50 s",
        "110 s",
    ]
    assert [span.get("stop") for name in ("more", "most") for span in turns[name]["spans"]] == [
        "70 s",
        None,
        "70 s",
        None,
    ]


def test_the_other_numbers_of_rfc_7928() -> None:
    suite = load_suite("rfc7928")
    # 3.3: NewReno with SACK; 5.1.1: initial window of 3; 5.1.2: of 3 or 10, more than 10 packets but fewer than 100.
    assert suite.named_traffic("friendly").flows[0]["parameters"] == {"window_init": "3 packets"}
    for id, window in (("iw3", "3 packets"), ("iw10", "10 packets")):
        long, short = suite.named_traffic(id).flows
        assert long["tcp"] == short["tcp"] == "sack" and short["parameters"] == {"window_init": window}
        assert 10 < int(short["app"]["size"].split()[0]) < 100
    # 5.3: above the capacity; between half of it and all of it.
    assert suite.named_traffic("unresponsive").flows[0]["app"]["rate"] == "12 Mb/s"
    assert suite.named_traffic("mixed").flows[0]["app"]["rate"] == "7.5 Mb/s"
    # 6.2: category I has 100 ms, category II from 5 to 560 ms. Round trip: 2 x (1 ms + 2 x access).
    trips = {}
    for one in suite.condition:
        if one.family == "rtt":
            delays = [float(delay.split()[0]) for delay in one.scenario["topology"]["delays"]]
            assert 2 * (1 + 2 * delays[0]) == 100
            trips[one.values["rtt"]] = 2 * (1 + 2 * delays[1])
    assert trips == {5: 5, 20: 20, 50: 50, 100: 100, 200: 200, 560: 560}
    # 7.2, figure 2: what takes part in cases I to IV; at least 50 objects of 1 KB, six connections, IW10.
    parts = {
        "burst_1": "web cbr",
        "burst_2": "web cbr long",
        "burst_3": "video web cbr",
        "burst_4": "video web cbr long",
    }
    for id, names in parts.items():
        flows = {flow["name"]: flow for flow in suite.named_traffic(id).flows}
        assert list(flows) == [
            name for part in names.split() for name in ((part, "web_b") if part == "web" else (part,))
        ]
        page = flows["web"]
        assert (page["count"], page["parameters"]) == (6, {"window_init": "10 packets"})
        assert page["count"] * page["app"]["times"] >= 50 and page["app"]["response"] == "10 kB"
    # 8.2.6: 100 and 10 Mb/s, every 20 s and every 100 ms.
    for id, every in (("capacity_long", "20 s"), ("capacity_short", "100 ms")):
        turns = suite.named_condition(id).alternate
        assert (turns["rates"], turns["every"]) == (["100 Mb/s", "10 Mb/s"], every)
    # 4.4: half with packets of 500 bytes, half with 1500: 52 are headers and timestamps.
    sizes = [int(flow["packet_size"].split()[0]) + 52 for flow in suite.named_traffic("sizes").flows]
    assert sizes == [500, 1500] and {flow["count"] for flow in suite.named_traffic("sizes").flows} == {3}
    # 9.1: 1 bidirectional VoIP, 6 pages of 6 connections, 1 CBR, 1 video, 5 bulk.
    counts = {flow["name"]: flow.get("count", 1) for flow in suite.named_traffic("mix").flows}
    assert counts == {"voice": 1, "voice_back": 1, "web": 36, "cbr": 1, "video": 1, "bulk": 5}
    # Figure 4: every scenario's section.
    where = [one.where for one in suite.criterion] + [one.where for one in suite.traffic]
    where += [one.where for one in suite.condition]
    for section in (
        "4.5",
        "4.6",
        "5.1.1",
        "5.1.2",
        "5.2",
        "5.3",
        "5.4",
        "6.2",
        "7.2",
        "8.2.5",
        "8.2.6",
        "8.3",
        "9.1",
        "9.2",
        "10.2",
    ):
        assert any(section in one for one in where), section


def test_a_link_takes_its_rates_by_turns() -> None:
    suite = load_suite("rfc7928")
    who = find_subject("red", "queue")
    found = Evaluation(suite, who, find_subject("drop_tail", "queue"), quick=True, replications=2)
    scenario = found.scenario("capacity_long", "few")
    changes = [(change.at, change.rate) for change in scenario.changes]
    assert changes == [("20.0 s", "10 Mb/s"), ("40.0 s", "100 Mb/s")]


def test_what_cannot_mark_is_not_asked_to(tmp_path: Path) -> None:
    only = ["rtt_ratio", "ecn_100"]
    found = evaluate("sfq", "rfc7928", quick=True, only=only, store=tmp_path)
    assert found.rows[0].cells[0].lacks == "sfq does not mark" and found.rows[0].word == "not evaluated"
    red = Evaluation(load_suite("rfc7928"), find_subject("red", "queue"), find_subject("drop_tail", "queue"), True, 2)
    topology = red.scenario("ecn_100", "rtts").topology
    assert isinstance(topology, ac.Dumbbell)
    queue = topology.bottleneck.queue
    assert queue.kind == "red" and queue.parameters == {"setbit": True}
    assert all(flow.parameters == {"ecn": True} for flow in red.scenario("ecn_100", "rtts").flows)


def test_backoff_is_bounded_by_a_timer_that_doubles() -> None:
    """RFC 6298, 5.5, with the shortest first timeout that any default set has, 0.2 s: when it comes up."""
    suite = load_suite("rfc9743")
    silence = suite.named_condition("silence").scenario
    assert (silence["duration"], silence["changes"][0]["at"]) == ("80 s", "25 %")
    at, wait = 0.0, 0.2
    due = []
    while at < 60:
        at, wait = at + wait, wait * 2
        due.append(at)
    late = [one for one in due if 1.6 < one < 60]
    assert late == pytest.approx([3.0, 6.2, 12.6, 25.4, 51.0])
    bound = next(one for one in suite.criterion if one.id == "collapse").bound
    assert len(late) < int(str(bound)) < 2 * len(late)
