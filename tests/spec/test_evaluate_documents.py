"""The numbers of evaluation suites against the documents, worked by hand from their sections and tables."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path

import pytest

import ackclock as ac
from ackclock.batch.evaluate import begin, evaluate, load_suite, suites
from ackclock.scenario.resolve.network import resolve

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
        found = begin(what, suite, quick=quick, replications=2)
        assert len(found.arms) > 10
        for arm in found.arms:
            scenario = ac.Scenario.of(found.how.table(arm))
            # Of whole runs some have tens of thousands of transfers.
            if quick or suite.id != "tcpeval":
                resolve(scenario)


def test_every_section_of_rfc_9743_has_its_row() -> None:
    suite = load_suite("rfc9743")
    criteria = {part.strip() for one in suite.criterion for part in one.where.split(",")}
    conditions = {part.strip() for one in suite.condition for part in one.where.split(",")}
    assert criteria >= RFC9743_CRITERIA
    assert conditions >= RFC9743_CONDITIONS
    # 5.1.2 to 5.1.4 and 5.2.1 are considered in every condition of sections 6 and 7.
    # Those of one family, and of some criteria only, vary one thing: buffers, rates, numbers of flows ...
    some = {"policer", "rtts_quarter", "stairs"}
    general = {one.id for one in suite.condition if one.where.startswith(("6.", "7.")) and not one.family} - some
    for id in ("bufferbloat", "standing_queue", "utilisation", "loss", "fairness", "harm_goodput"):
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
    found = begin("red", suite, quick=True, replications=2)
    scenario = found.scenario("capacity_long", "few")
    changes = [(change.at, change.rate) for change in scenario.changes]
    assert changes == [("20.0 s", "10 Mb/s"), ("40.0 s", "100 Mb/s")]


def test_what_cannot_mark_is_not_asked_to(tmp_path: Path) -> None:
    only = ["rtt_ratio", "ecn_100"]
    found = evaluate("sfq", "rfc7928", quick=True, only=only, store=tmp_path)
    assert found.rows[0].cells[0].lacks == "sfq does not mark" and found.rows[0].word == "not evaluated"
    red = begin("red", "rfc7928", quick=True, replications=2)
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


#: draft-irtf-iccrg-tcpeval-01, tables 2 to 5 and 7: warm-up and test duration (s) at loads of 60, 85, 110 %; then the
#: central link's rate (bit/s) and buffer (s) from right to left, its delay (ms), and the rate of the edges.
TCPEVAL_BASIC: dict[str, tuple[list[tuple[float, float]], float, float, float, float]] = {
    "data_center": ([(63, 69), (19, 328), (8, 663)], 1e9, 0.010, 0, 1e9),
    "access": ([(84, 479), (179, 829), (34, 1423)], 100e6, 0.100, 2, 100e6),
    "trans_oceanic": ([(140, 82.5), (64, 252.0), (82, 326.0)], 1e9, 0.100, 65, 1e9),
    "satellite": ([(163, 2513), (230, 2184), (298, 2481)], 40e6, 0.100, 300, 100e6),
    "dial_up": ([(280, 168804), (400, 88094), (512, 69891)], 64e3, 1.250, 5, 100e6),
}
#: Section 4.1 and table 1: one-way delays of the edges, ms, and the round trips that they make by themselves.
TCPEVAL_EDGES = {"n1": 0.0, "n2": 12.0, "n3": 25.0, "n4": 2.0, "n5": 37.0, "n6": 75.0}
TCPEVAL_TRIPS = [4, 28, 54, 74, 98, 124, 150, 174, 200]


def links_of(scenario: ac.Scenario) -> dict[tuple[str, ...], ac.Link]:
    """A graph's links by their ends, in the order of the alphabet."""
    assert isinstance(scenario.topology, ac.Graph)
    return {tuple(sorted(link.ends or [])): link for link in scenario.topology.links}


def whole(name: str, condition: str, traffic: str, *, quick: bool = False) -> ac.Scenario:
    return begin("vegas", name, quick=quick, replications=2).scenario(condition, traffic)


def delay_ms(text: str) -> float:
    number, unit = text.split()
    assert unit == "ms"
    return float(number)


@pytest.mark.parametrize("name", TCPEVAL_BASIC)
def test_the_basic_scenarios_of_tcpeval(name: str) -> None:
    times, rate_bps, buffer_s, delay, edge_bps = TCPEVAL_BASIC[name]
    suite = load_suite("tcpeval")
    for load, (warm_up_s, duration_s) in zip((60, 85, 110), times, strict=True):
        condition = suite.named_condition(f"{name}_{load}")
        assert condition.warm_up == f"{warm_up_s} s"
        assert condition.bottleneck == "r2->r1"
        scenario = whole("tcpeval", condition.id, "crowd")
        assert float(scenario.duration.split()[0]) == warm_up_s + duration_s
        links = links_of(scenario)
        central = links.pop(("r1", "r2"))
        assert {units(link.rate) for link in links.values()} == {edge_bps}
        assert (units(central.rate), delay_ms(central.delay)) == (rate_bps, delay)
        assert central.queue.limit is not None and central.queue.limit.endswith(" kB")
        assert float(central.queue.limit.split()[0]) * 1e3 == pytest.approx(rate_bps * buffer_s / 8)
        # What is offered from right to left: the load, in 10 % of the transfers with packets of 536 bytes (2.4, 4.2).
        offered = {1448: 0.0, 484: 0.0}
        for flow in scenario.flows:
            if flow.source in ("n4", "n5", "n6") and flow.arrivals is not None:
                kilobytes, unit = flow.arrivals.size.split()
                size = float(kilobytes) * {"kB": 1e3, "MB": 1e6}[unit]
                assert flow.packet_size is not None
                every_s = float(flow.arrivals.interval.split()[0])
                offered[int(flow.packet_size.split()[0])] += 8 * size / every_s
        assert sum(offered.values()) == pytest.approx(load / 100 * rate_bps)
        assert offered[484] == pytest.approx(0.1 * load / 100 * rate_bps)
        ends = {next(end for end in pair if end.startswith("n")): delay_ms(link.delay) for pair, link in links.items()}
        if name == "data_center":  # 4.4.1: 10 us from nodes 1, 2 and 4, 100 us from 3, 5 and 6
            assert ends == {"n1": 0.01, "n2": 0.01, "n4": 0.01, "n3": 0.1, "n5": 0.1, "n6": 0.1}
        else:
            assert ends == TCPEVAL_EDGES
    trips = [2 * (TCPEVAL_EDGES[a] + TCPEVAL_EDGES[b]) for b in ("n4", "n5", "n6") for a in ("n1", "n2", "n3")]
    assert sorted(trips) == TCPEVAL_TRIPS
    if name == "satellite":  # 4.4.4: 4 Mb/s up with 1000 ms of buffer
        up = central.reverse
        assert up is not None and up.rate == "4 Mb/s" and up.queue is not None
        assert up.queue.limit == f"{4e6 * 1.0 / 8 / 1e3:g} kB"


def units(rate: str | None) -> float:
    number, unit = str(rate).split()
    return float(number) * {"kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9}[unit]


def test_the_latency_scenarios_of_tcpeval() -> None:
    suite = load_suite("tcpeval")
    # 5.1.1: 10 to 200 % of the bandwidth-delay product of 100 ms on the access link at 85 %.
    buffers = {}
    for one in suite.condition:
        if one.family == "buffer":
            limit = links_of(whole("tcpeval", one.id, "crowd"))["r1", "r2"].queue.limit
            buffers[one.values["percent"]] = float(str(limit).split()[0]) * 1e3 * 8 / 100e6 / 0.100
            assert one.values["load"] == 0.85 and one.warm_up == "179 s"
    assert buffers == pytest.approx({10: 0.1, 20: 0.2, 50: 0.5, 100: 1.0, 200: 2.0})
    # 5.2.1, table 8: link delays T_n1 to T_n4, ms; buffers of 80 ms; 50 % of background.
    delays = {(80, 80): (0, 0, 38, 38), (120, 30): (23, 12, 35, 1), (30, 120): (12, 23, 1, 35)}
    for capacity, rate_bps in (("10M", 10e6), ("1G", 1e9)):
        for (first, second), wanted in delays.items():
            links = links_of(whole("tcpeval", f"ramp_{capacity}_{first}_{second}", "newcomer"))
            t = [delay_ms(links[pair].delay) for pair in (("r1", "t1"), ("r1", "t2"), ("r2", "t3"), ("r2", "t4"))]
            assert tuple(t) == wanted
            central = links["r1", "r2"]
            assert (units(central.rate), central.delay) == (rate_bps, "2 ms")
            assert float(str(central.queue.limit).split()[0]) * 1e3 == pytest.approx(rate_bps * 0.080 / 8)
            assert (2 * (t[0] + 2 + t[2]), 2 * (t[1] + 2 + t[3])) == (first, second)
    # 5.3.1: 100 Mb/s, 1024 packets, 100 ms; steps of 75 Mb/s, and 30 of 2.5 Mb/s a second apart.
    link = suite.named_condition("transient").scenario["topology"]["bottleneck"]
    assert (link["rate"], link["queue"]["limit"], 2 * (delay_ms(link["delay"]) + 2)) == (
        "100 Mb/s",
        "1024 packets",
        100,
    )
    for traffic, key in (("decrease", "stop"), ("increase", "start")):
        cross = suite.named_traffic(traffic).flows[1]
        assert (cross["app"]["rate"], cross[key]) == ("75 Mb/s", "30 s")
    steps = [flow for flow in whole("tcpeval", "transient", "steps").flows if str(flow.name).startswith("cross")]
    assert [flow.start for flow in steps] == [f"{30.0 + number} s" for number in range(30)]
    assert {flow.app.table()["rate"] for flow in steps} == {"2.5 Mb/s"}
    # 5.3.3: 60, 80 and 90 % of the bandwidth-delay product; cross traffic until 100 s after the transient.
    bdp = 100e6 * 0.1 / 8 / 1500
    for id, part in (("grow_60", 0.6), ("grow_80", 0.8), ("grow_90", 0.9)):
        assert next(one for one in suite.criterion if one.id == id).measure["packets"] == round(part * bdp)
    assert suite.named_condition("transient").scenario["duration"] == "130 s"


def test_the_fairness_scenarios_of_tcpeval() -> None:
    suite = load_suite("tcpeval")
    # 6.1, table 10: warm-up and test duration at 50 and 100 %, half of it from each camp.
    for at, warm_up_s, duration_s in ((50, 26, 508), (100, 50, 498)):
        for capacity in ("10M", "1G"):
            one = suite.named_condition(f"impact_{capacity}_{at}")
            assert one.warm_up == f"{warm_up_s} s" and one.values["whole"] == f"{warm_up_s + duration_s} s"
            assert one.values["half"] == at / 200
    # 6.2: the capacities of 5.2, round trips of 10 to 160 ms, buffers of 25 to 200 % of 100 ms.
    found = set()
    for one in suite.condition:
        if one.where == "6.2":
            links = links_of(whole("tcpeval", one.id, "inter_rtt"))
            trip = 2 * (delay_ms(links["r1", "t1"].delay) + 2 + delay_ms(links["r2", "t3"].delay))
            assert 2 * (delay_ms(links["r1", "t2"].delay) + 2 + delay_ms(links["r2", "t4"].delay)) == 160
            rate_bps = units(links["r1", "r2"].rate)
            buffer = float(str(links["r1", "r2"].queue.limit).split()[0]) * 1e3 * 8 / rate_bps / 0.100
            found.add((rate_bps, trip, buffer))
    trips, buffers = (10, 20, 40, 80, 160), (0.25, 0.5, 1.0, 2.0)
    assert found == set(product((10e6, 1e9), trips, buffers))
    # 6.3, figure 10 and table 11: all round trips 60 ms.
    ways = {"all": ("n1", "n8"), "one": ("n2", "n3"), "two": ("n4", "n5"), "three": ("n6", "n7")}
    for load, warm_up_s, duration_s in ((60, 173, 470), (80, 37, 2052), (100, 38, 1338)):
        one = suite.named_condition(f"parking_{load}")
        scenario = whole("tcpeval", one.id, "four_sources")
        assert (one.warm_up, scenario.duration) == (f"{warm_up_s} s", f"{warm_up_s + duration_s} s")
        assert one.values["load"] == load / 200  # two sources share each bottleneck
        links = links_of(scenario)
        routers = ["r1", "r2", "r3", "r4"]
        assert all(links[pair].rate == "100 Mb/s" for pair in pairwise(routers))
        near = {"n1": "r1", "n2": "r1", "n3": "r2", "n4": "r2", "n5": "r3", "n6": "r3", "n7": "r4", "n8": "r4"}
        for first, last in ways.values():
            a, b = routers.index(near[first]), routers.index(near[last])
            between = sum(delay_ms(links[routers[n], routers[n + 1]].delay) for n in range(a, b))
            ends = delay_ms(links[first, near[first]].delay) + delay_ms(links[last, near[last]].delay)
            assert 2 * (between + ends) == 60


def test_the_policer_drops_what_has_no_tokens() -> None:
    """A bucket of ten times the size lets more pass: it is the tokens that are short, not the room to wait."""
    goodputs = []
    for burst in ("50 kB", "500 kB"):
        scenario = begin("tcp/reno", "rfc9743", quick=True).scenario("policer", "alone")
        assert isinstance(scenario.topology, ac.Dumbbell)
        link = scenario.topology.bottleneck
        assert link.rate == scenario.topology.access.rate
        table = scenario.table()
        table["topology"]["bottleneck"]["queue"]["parameters"]["burst"] = burst
        (flow,) = ac.run(ac.Scenario.of(table), seed=1).rows("flows")
        assert flow["rtt_mean_s"] < 0.042, "packets wait"
        goodputs.append(flow["goodput_bps"])
    assert 6e6 < goodputs[0] < goodputs[1] < 10e6
