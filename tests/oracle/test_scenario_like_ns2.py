"""A scenario gives the packets of the equal ns-2 script: by our front end, and by ns-2 (skipped where it is not)."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.batch.study import load_study
from ackclock.execution.process import ACKCLOCK
from ackclock.scenario.formats.as_tcl import script

ROOT = Path(__file__).resolve().parents[2]
STUDY = ROOT / "studies" / "004_sack_vs_vegas"

TCP = ("tahoe", "reno", "new_reno", "sack", "fack", "sack_rh", "reno_rbp", "vegas_rbp", "vegas", "rfc793edu")
QUEUES = {
    "drop_tail": ac.Queue(limit="10 packets"),
    "drop_tail_bytes": ac.Queue(limit="9 kB"),
    "red": ac.Queue(kind="red", limit="20 packets", parameters={"thresh": "3 packets", "maxthresh": "9 packets"}),
    "red_marking": ac.Queue(kind="red", limit="20 packets", parameters={"setbit": True}),
    "sfq": ac.Queue(kind="sfq"),
    "drr": ac.Queue(kind="drr"),
    "fq": ac.Queue(kind="fq"),
    **{
        kind: ac.Queue(kind=kind, limit="20 packets") for kind in ("pi", "rem", "virtual_queue", "gibbens_kelly", "rio")
    },
}


def dumbbell(queue: ac.Queue, loss: ac.Loss | list[ac.Loss] | None = None) -> ac.Dumbbell:
    return ac.Dumbbell(
        pairs=3,
        bottleneck=ac.Link(rate="1.5 Mb/s", delay="12 ms", queue=queue, loss=loss),
        access=ac.Link(rate="10 Mb/s", delay="2 ms"),
        delays=["2 ms", "5 ms", "9 ms"],
    )


@pytest.fixture(params=["ackclock", "ns"])
def other(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """What runs the equal script."""
    return ACKCLOCK if request.param == "ackclock" else (request.getfixturevalue("ns"),)


def same_packets(scenario: ac.Scenario, other: tuple[str, ...], folder: Path, nam: bool = False) -> None:
    """Run the scenario and the equal script, and compare what they wrote."""
    ours = {"tr": folder / "ours.tr"} | ({"nam": folder / "ours.nam"} if nam else {})
    ac.run(scenario, trace=ours["tr"], nam=ours.get("nam"))
    assert ours["tr"].stat().st_size > 1000
    tcl = folder / "equal.tcl"
    tcl.write_text(script(scenario, "theirs.tr", "theirs.nam" if nam else None))
    ac.run_ns2(tcl, cwd=folder, program=other)
    for kind, path in ours.items():
        assert path.read_bytes() == (folder / f"theirs.{kind}").read_bytes(), kind


@pytest.mark.parametrize("tcp", TCP)
@pytest.mark.parametrize("queue", QUEUES)
def test_each_variant_over_each_queue(tcp: str, queue: str, other: tuple[str, ...], tmp_path: Path) -> None:
    flows = [
        ac.Flow(pair=1, tcp=tcp, window="40 packets", parameters={"ecn": queue == "red_marking"}),
        ac.Flow(pair=2, tcp=tcp, start="0.7 s", stop="6 s"),
        ac.Flow(pair=3, app=ac.Exponential(rate="300 kb/s", packet_size="400 B"), start="2 s"),
    ]
    same_packets(ac.Scenario(topology=dumbbell(QUEUES[queue]), flows=flows, duration="10 s"), other, tmp_path)


#: each discipline with parameters of its own
TUNED = {
    "red": ac.Queue(
        kind="red",
        limit="25 packets",
        parameters={"thresh": "2 packets", "maxthresh": "8 packets", "linterm": 5, "q_weight": 0.01, "wait": False},
    ),
    "rio": ac.Queue(
        kind="rio",
        limit="25 packets",
        parameters={
            "in_thresh": "6 packets",
            "in_maxthresh": "12 packets",
            "out_thresh": "2 packets",
            "out_maxthresh": "5 packets",
            "in_linterm": 20,
            "priority_method": 1,
        },
    ),
    "pi": ac.Queue(kind="pi", limit="25 packets", parameters={"a": 0.002, "b": 0.0015, "w": 50, "qref": "6 packets"}),
    "rem": ac.Queue(
        kind="rem", limit="25 packets", parameters={"gamma": 0.01, "phi": 1.01, "pbo": "5 packets", "pupdtime": "4 ms"}
    ),
    "virtual_queue": ac.Queue(
        kind="virtual_queue", limit="25 packets", parameters={"ecnlim": 0.6, "gamma": 0.9, "buflim": 0.7}
    ),
    "gibbens_kelly": ac.Queue(kind="gibbens_kelly", limit="12 packets", parameters={"ecnlim": 0.5}),
    "fq": ac.Queue(kind="fq", limit="6 packets", parameters={"flow_drop_front": True}),
    "fq_red": ac.Queue(kind="fq", parameters={"red_flows": True, "flow_thresh": "2 packets", "flow_linterm": 4}),
    "sfq": ac.Queue(kind="sfq", limit="9 packets", parameters={"buckets": 2}),
    "drr": ac.Queue(kind="drr", limit="7 kB", parameters={"quantum": "700 B", "buckets": 3}),
}


@pytest.mark.parametrize("queue", TUNED)
def test_parameters_of_queues(queue: str, other: tuple[str, ...], tmp_path: Path) -> None:
    flows = [
        ac.Flow(pair=1, tcp="sack", window="40 packets", parameters={"ecn": queue == "gibbens_kelly"}),
        ac.Flow(pair=2, tcp="new_reno", window="40 packets", start="0.7 s"),
        ac.Flow(
            pair=3,
            app=ac.Exponential(rate="400 kb/s", packet_size="400 B"),
            start="2 s",
            id=256 if queue == "rio" else 3,
        ),
    ]
    scenario = ac.Scenario(topology=dumbbell(TUNED[queue]), flows=flows, duration="10 s")
    same_packets(scenario, other, tmp_path)
    plain = replace(TUNED[queue], parameters={})
    ac.run(replace(scenario, topology=dumbbell(plain)), trace=tmp_path / "plain.tr")
    assert (tmp_path / "plain.tr").read_bytes() != (tmp_path / "ours.tr").read_bytes()


def diffserv(meter: dict[str, Any], schedule: str, average: str, edge: bool) -> ac.Queue:
    """Two queues; of the first host's packets the meter decides, others are best effort."""
    reds = [("8 packets", "16 packets", 0.05), ("4 packets", "10 packets", 0.2), ("2 packets", "6 packets", 0.5)]
    assured = [
        ac.Precedence(code_points=[10 + place], thresh=low, maxthresh=high, max_p=most, q_weight=0.01)
        for place, (low, high, most) in enumerate(reds)
    ]
    effort = ac.Precedence(code_points=[0], thresh="5 packets", maxthresh="15 packets", max_p=0.1)
    policies = [
        ac.Policy(source="left1", destination="right1", code_point=10, **meter),
        ac.Policy(meter="none", code_point=0),
    ]
    return ac.Queue(
        kind="ds_red_edge" if edge else "ds_red_core",
        parameters={"limit": "30 packets"},
        diffserv=ac.DiffServ(
            schedule=schedule,
            packet_size="1000 B",
            queues=[
                ac.PhysicalQueue(precedences=assured, average=average, weight=3, max_rate="900 kb/s"),
                ac.PhysicalQueue(precedences=[effort], average="weighted", weight=1),
            ],
            policies=policies if edge else [],
        ),
    )


METERS: dict[str, dict[str, Any]] = {
    "sliding_window_2": {"rate": "300 kb/s", "yellow": 11},
    "sliding_window_3": {"rate": "300 kb/s", "peak_rate": "500 kb/s", "yellow": 11, "red": 12},
    "token_bucket": {"rate": "300 kb/s", "burst": "5 kB", "yellow": 11},
    "single_rate": {"rate": "300 kb/s", "burst": "5 kB", "excess_burst": "8 kB", "yellow": 11, "red": 12},
    "two_rates": {
        "rate": "300 kb/s", "burst": "5 kB", "peak_rate": "500 kb/s", "peak_burst": "8 kB", "yellow": 11, "red": 12,
    },
    "flow_size": {"burst": "60 kB", "yellow": 11},
}  # fmt: skip


@pytest.mark.parametrize(
    ("meter", "schedule", "average"),
    [
        ("token_bucket", "round_robin", "coupled"),
        ("sliding_window_2", "weighted", "decoupled"),
        ("sliding_window_3", "interleaved", "weighted"),
        ("single_rate", "priority", "coupled"),
        ("two_rates", "weighted", "none"),
        ("flow_size", "round_robin", "decoupled"),
    ],
)
def test_differentiated_services(
    meter: str, schedule: str, average: str, other: tuple[str, ...], tmp_path: Path
) -> None:
    metered = {"meter": meter, **METERS[meter]}
    fast = ac.Link(rate="10 Mb/s", delay="2 ms", queue=ac.Queue(limit="100 packets"))
    plain = ac.Reverse(queue=ac.Queue(limit="60 packets"))
    edge, core = (diffserv(metered, schedule, average, is_edge) for is_edge in (True, False))
    hosts = [replace(fast, ends=ends) for ends in (["left1", "in"], ["left2", "in"], ["out", "right1"])]
    topology = ac.Graph(
        nodes=["left1", "left2", "in", "core", "out", "right1"],
        links=[
            *hosts,
            replace(fast, ends=["in", "core"], queue=edge, reverse=plain),
            ac.Link(rate="1.2 Mb/s", delay="9 ms", ends=["core", "out"], queue=core, reverse=plain),
        ],
    )
    flows = [
        ac.Flow(source="left1", destination="right1", tcp="new_reno", window="40 packets"),
        ac.Flow(source="left2", destination="right1", app=ac.Cbr(rate="700 kb/s", packet_size="700 B"), start="1 s"),
    ]
    scenario = ac.Scenario(topology=topology, flows=flows, duration="10 s", seed="ns2:5")
    same_packets(scenario, other, tmp_path)


@pytest.mark.parametrize(
    ("app", "receiver"),
    [
        (ac.Cbr(rate="700 kb/s", packet_size="600 B"), None),
        (ac.Cbr(rate="700 kb/s", packet_size="600 B"), "loss_monitor"),
        (ac.Cbr(rate="1 Mb/s", packet_size="1000 B", dither=True), None),
        (ac.Pareto(rate="500 kb/s", packet_size="300 B", burst="0.2 s", idle="0.3 s", shape=1.4), None),
    ],
    ids=["cbr", "counted", "dithered", "pareto"],
)
def test_datagrams(app: ac.Cbr | ac.Pareto, receiver: str | None, other: tuple[str, ...], tmp_path: Path) -> None:
    flows = [
        ac.Flow(pair=1, app=app, receiver=receiver, start="0.1 s"),
        ac.Flow(pair=2, tcp="sack", window="30 packets"),
    ]
    queue = QUEUES["drop_tail"]
    same_packets(ac.Scenario(topology=dumbbell(queue), flows=flows, duration="8 s", seed="ns2:7"), other, tmp_path)


LOSSES: dict[str, ac.Loss | list[ac.Loss]] = {
    "uniform": ac.Loss(rate=0.02),
    "uniform_by_bytes": ac.Loss(rate=2e-5, unit="bytes"),
    "periodic": ac.Loss(kind="periodic", period=50, offset=20),
    "periodic_bursts": ac.Loss(kind="periodic", period=60, offset=20, burst=3),
    "periodic_inverted": ac.Loss(kind="periodic", period=3, offset=400, invert=True),
    "periodic_by_bytes": ac.Loss(kind="periodic", period=40_000, offset=9_000, unit="bytes"),
    "periodic_by_time": ac.Loss(kind="periodic", period=1.5, offset=2.25, burst=0.02, unit="seconds"),
    "list": ac.Loss(kind="list", packets=[5, 17, 40, 41]),
    "list_by_bytes": ac.Loss(kind="list", packets=[5_000, 90_000, 90_500], unit="bytes"),
    "two_state": ac.Loss(kind="two_state", good=60, bad=2),
    "two_state_by_bytes": ac.Loss(kind="two_state", good=60_000, bad=1500, unit="bytes"),
    "two_state_by_time": ac.Loss(kind="two_state", good=1.2, bad=0.05, unit="seconds"),
    "multi_state": ac.Loss(
        kind="multi_state",
        states=[ac.LossState(rate=0.001, next=[0.98, 0.02]), ac.LossState(rate=0.3, next=[0.25, 0.75])],
    ),
    "multi_state_by_time": ac.Loss(
        kind="multi_state",
        unit="seconds",
        states=[
            ac.LossState(rate=0, next=[0.1, 0.9, 0], duration="1 s"),
            ac.LossState(rate=0.2, next=[0.5, 0, 0.5], duration="200 ms"),
            ac.LossState(rate=0.05, next=[1, 0, 0], duration="500 ms"),
        ],
    ),
    "select": ac.Loss(kind="select", packet_type="tcp", period=101, offset=7),
    "wire": ac.Loss(rate=0.02, place="wire"),
    "of_one_flow": ac.Loss(rate=0.05, flows=["second"]),
    "of_one_flow_on_the_wire": ac.Loss(kind="periodic", period=30, flows=[1], place="wire"),
    "marks": ac.Loss(rate=0.03, mark=True),
    "delays": ac.Loss(rate=0.03, delay="25 ms"),
    "several": [ac.Loss(rate=0.02, flows=[1]), ac.Loss(kind="periodic", period=70), ac.Loss(rate=0.01, place="wire")],
}


@pytest.mark.parametrize("loss", LOSSES)
def test_losses(loss: str, other: tuple[str, ...], tmp_path: Path) -> None:
    flows = [
        ac.Flow(pair=1, tcp="sack", parameters={"ecn": True}),
        ac.Flow(pair=2, tcp="new_reno", app=ac.Ftp(size="300 packets"), name="second"),
    ]
    topology = dumbbell(QUEUES["drop_tail"], LOSSES[loss])
    same_packets(ac.Scenario(topology=topology, flows=flows, duration="10 s", seed="ns2:99"), other, tmp_path)


def test_each_loss_shows(tmp_path: Path) -> None:
    seen: dict[bytes, str] = {}
    for name, loss in {"none": [], **LOSSES}.items():
        flows = [ac.Flow(pair=1, tcp="sack", parameters={"ecn": True}), ac.Flow(pair=2, tcp="new_reno", name="second")]
        scenario = ac.Scenario(
            topology=dumbbell(QUEUES["drop_tail"], loss), flows=flows, duration="10 s", seed="ns2:99"
        )
        ac.run(scenario, trace=tmp_path / "out.tr")
        packets = (tmp_path / "out.tr").read_bytes()
        assert packets not in seen, f"{name} and {seen[packets]} give the same packets"
        seen[packets] = name


def test_ways_that_are_not_alike(other: tuple[str, ...], tmp_path: Path) -> None:
    back = ac.Reverse(rate="96 kb/s", delay="40 ms", queue=ac.Queue(limit="6 packets"), loss=ac.Loss(rate=0.05))
    line = ac.Link(rate="2 Mb/s", delay="8 ms", queue=QUEUES["red"], reverse=back)
    lossy = ac.Link(rate="5 Mb/s", delay="3 ms", loss=ac.Loss(kind="periodic", period=90), reverse=ac.Reverse(loss=[]))
    topology = ac.Dumbbell(pairs=2, bottleneck=line, access=lossy, delays=["3 ms", "11 ms"])
    flows = [ac.Flow(pair=0, tcp="sack", window="40 packets")]
    scenario = ac.Scenario(topology=topology, flows=flows, duration="10 s", seed="ns2:4")
    same_packets(scenario, other, tmp_path)
    results = ac.run(scenario)
    links = dict(zip(results.names["links"], results.rows("links"), strict=True))
    assert links["router1->router2"]["lost_packets"] == 0 < links["router2->router1"]["lost_packets"]
    assert links["left1->router1"]["lost_packets"] > 0 == links["router1->left1"]["lost_packets"]


@pytest.mark.parametrize("receiver", ["sink_del_ack", "sink_sack_del_ack"])
def test_receivers_and_telnet(receiver: str, other: tuple[str, ...], tmp_path: Path) -> None:
    flows = [
        ac.Flow(pair=1, tcp="sack", receiver=receiver, window="40 packets"),
        ac.Flow(pair=2, tcp="reno", app=ac.Telnet(interval="50 ms"), receiver="sink_del_ack"),
        ac.Flow(pair=3, tcp="reno", app=ac.Telnet()),
    ]
    same_packets(ac.Scenario(topology=dumbbell(QUEUES["drop_tail"]), flows=flows, duration="10 s"), other, tmp_path)


@pytest.mark.parametrize("control", ["reno", "bic", "cubic", "htcp", "vegas", "westwood"])
def test_linux_controls(control: str, other: tuple[str, ...], tmp_path: Path) -> None:
    flows = [
        ac.Flow(pair=1, tcp="linux", control=control, window="200 packets"),
        ac.Flow(pair=2, tcp="linux", control=control, window="200 packets", start="1 s"),
    ]
    same_packets(ac.Scenario(topology=dumbbell(QUEUES["drop_tail"]), flows=flows, duration="10 s"), other, tmp_path)


@pytest.mark.parametrize(
    "feed",
    [
        {"tcp": "new_reno", "window": "30 packets"},
        {"app": ac.Cbr(rate="400 kb/s", packet_size="500 B")},
        {"app": ac.Exponential(rate="900 kb/s", packet_size="500 B")},
    ],
    ids=["ftp", "cbr", "exponential"],
)
def test_spans(feed: dict[str, Any], other: tuple[str, ...], tmp_path: Path) -> None:
    spans = [ac.Span(start="0.5 s", stop="2 s"), ac.Span(start="2 s", stop="3.5 s"), ac.Span(start="6 s")]
    flows = [ac.Flow(pair=1, spans=spans, **feed), ac.Flow(pair=2, tcp="reno", window="30 packets")]
    same_packets(ac.Scenario(topology=dumbbell(QUEUES["drop_tail"]), flows=flows, duration="9 s"), other, tmp_path)


def test_changing_links(other: tuple[str, ...], tmp_path: Path) -> None:
    changes = [
        ac.Change(at="2 s", link="router1->router2", rate="500 kb/s"),
        ac.Change(at="4 s", link="router1-router2", delay="30 ms"),
        ac.Change(at="6 s", link="router1->router2", rate="3 Mb/s"),
    ]
    flows = [ac.Flow(pair=0, tcp="reno", window="30 packets")]
    same_packets(
        ac.Scenario(topology=dumbbell(QUEUES["drop_tail"]), flows=flows, duration="9 s", changes=changes),
        other,
        tmp_path,
    )


def test_failing_links(other: tuple[str, ...], tmp_path: Path) -> None:
    changes = [
        ac.Change(at="2.3 s", link="router1->router2", up=False),
        ac.Change(at="2.9 s", link="router1->router2", up=True),
        ac.Change(at="5.1 s", link="router1-router2", up=False),
        ac.Change(at="6.7 s", link="router1-router2", up=True),
    ]
    flows = [ac.Flow(pair=0, tcp="new_reno", window="30 packets")]
    topology = dumbbell(QUEUES["drop_tail"])
    scenario = ac.Scenario(topology=topology, flows=flows, duration="12 s", changes=changes)
    same_packets(scenario, other, tmp_path, nam=True)


RING = ac.Graph(
    nodes=["a", "b", "c", "d"],
    links=[
        ac.Link(rate="2 Mb/s", delay=delay, ends=ends, queue=ac.Queue(limit="12 packets"))
        for ends, delay in ((["a", "b"], "5 ms"), (["b", "c"], "5 ms"), (["a", "d"], "20 ms"), (["d", "c"], "20 ms"))
    ],
)


@pytest.mark.parametrize(
    "changes",
    [
        [
            ac.Change(at="2.3 s", link="b-c", up=False),
            ac.Change(at="2.3 s", link="a-d", rate="1 Mb/s"),
            ac.Change(at="5.1 s", link="b-c", up=True),
            ac.Change(at="7.1 s", link="a-b", up=False),
        ],
        [ac.Change(at="3 s", link="a->b", cost=5), ac.Change(at="6 s", link="a->b", cost=1.5)],
    ],
    ids=["failures", "costs"],
)
def test_routes_that_change(changes: list[ac.Change], other: tuple[str, ...], tmp_path: Path) -> None:
    flows = [
        ac.Flow(source="a", destination="c", tcp="sack", window="30 packets"),
        ac.Flow(source="b", destination="c", app=ac.Cbr(rate="300 kb/s"), start="1 s"),
    ]
    scenario = ac.Scenario(topology=RING, flows=flows, duration="10 s", changes=changes, routing="session")
    same_packets(scenario, other, tmp_path, nam=True)
    used = dict(zip((results := ac.run(scenario)).names["links"], results.rows("links"), strict=True))
    assert used["a->d"]["departed_packets"] > 100
    static = ac.run(
        replace(scenario, routing="static", changes=[replace(each, cost=None, up=True) for each in changes])
    )
    assert static.rows("links")[4]["departed_packets"] == 0


def test_other_topologies_and_nam(other: tuple[str, ...], tmp_path: Path) -> None:
    link = ac.Link(rate="2 Mb/s", delay="10 ms", queue=QUEUES["drop_tail"])
    lot = ac.ParkingLot(bottlenecks=3, bottleneck=link)
    flows = [ac.Flow(source=f"source{n}", destination=f"sink{n}", tcp="sack") for n in range(4)]
    graph = ac.Graph(
        nodes=["a", "b", "c", "d"],
        links=[
            replace(link, ends=["a", "b"]),
            replace(link, ends=["b", "d"], cost=3.0),
            replace(link, ends=["a", "c"], queue=QUEUES["red"]),
            replace(link, ends=["c", "d"]),
        ],
    )
    star = ac.Star(hosts=5, link=link, delays=["1 ms", "2 ms", "3 ms", "4 ms", "5 ms"])
    chain = ac.Chain(nodes=4, link=link)
    cases: list[tuple[Any, list[ac.Flow]]] = [
        (lot, flows),
        (graph, [ac.Flow(source="a", destination="d", tcp="reno"), ac.Flow(source="d", destination="b", tcp="vegas")]),
        (star, [ac.Flow(source="host1", destination="host5", tcp="sack")]),
        (chain, [ac.Flow(source="node1", destination="node4", tcp="fack")]),
    ]
    for index, (topology, flowing) in enumerate(cases):
        folder = tmp_path / str(index)
        folder.mkdir()
        same_packets(ac.Scenario(topology=topology, flows=flowing, duration="5 s"), other, folder, nam=True)


STUDY_004 = {
    "SACK1": ("sack", "12.5 ms"),
    "SACK2": ("sack", "20 ms"),
    "SACK3": ("sack", "27.5 ms"),
    "VEGAS1": ("vegas", "12.5 ms"),
    "VEGAS2": ("vegas", "20 ms"),
    "VEGAS3": ("vegas", "27.5 ms"),
}


@pytest.mark.parametrize("run", STUDY_004)
def test_study_004_in_three_spellings(run: str, tmp_path: Path) -> None:
    tcp, delay = STUDY_004[run]
    recorded = load_study(STUDY).traces[run, f"out_{run}-S1.tr"]  # what ns-2.35 writes
    in_python = ac.Scenario(
        topology=ac.Dumbbell(
            bottleneck=ac.Link(rate="1 Mb/s", delay="5 ms"),
            access=ac.Link(rate="10 Mb/s", delay="5 ms"),
            pairs=2,
            delays=["5 ms", delay],
        ),
        flows=[ac.Flow(pair=pair, tcp=tcp, receiver="sink") for pair in (1, 2)],
        duration="400 s",
        record=ac.Record(trace=["left1->router1"]),
    )
    settings = {"flows.0.tcp": tcp, "flows.1.tcp": tcp, "topology.delays.1": delay}
    in_toml = ac.load(STUDY / "sack_vegas.toml", settings)
    for scenario in (in_python, in_toml):
        ac.run(scenario, trace=tmp_path / "out.tr")
        assert hashlib.sha256((tmp_path / "out.tr").read_bytes()).hexdigest() == recorded
