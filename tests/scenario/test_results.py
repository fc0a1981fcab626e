"""What a run gives back: tables, folders, the commands, and packets that are all accounted for."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import nanoarrow  # type: ignore[import-untyped]
import pytest

import ackclock as ac
from ackclock._internal.checksums import write_sums
from ackclock.scenario.resolve.network import resolve
from commands import ackclock as command

SMALL = ac.Scenario(
    topology=ac.Dumbbell(pairs=2, bottleneck=ac.Link(rate="2 Mb/s", delay="10 ms", queue=ac.Queue(limit="12 packets"))),
    flows=[
        ac.Flow(pair=1, tcp="sack", window="60 packets", name="long"),
        ac.Flow(pair=2, tcp="reno", app=ac.Ftp(size="200 kB"), start="1 s"),
        ac.Flow(pair=1, app=ac.Cbr(rate="200 kb/s", packet_size="500 B"), start="2 s", stop="4 s"),
    ],
    duration="6 s",
    record=ac.Record(changes=True, packets=True),
)


def test_totals_are_those_of_the_packets() -> None:
    results = ac.run(SMALL)
    packets = results.rows("packets")
    for row, flow in zip(results.rows("flows"), resolve(SMALL).flows, strict=True):
        own = [p for p in packets if p["flow"] == row["flow_id"] and p["source_node"] == flow.source]
        sent = [p for p in own if p["event"] == "enqueue" and p["from_node"] == flow.source]
        received = [p for p in own if p["event"] == "receive" and p["to_node"] == flow.destination]
        assert row["sent_packets"] == len(sent) and row["received_packets"] == len(received)
        assert row["dropped_packets"] == sum(p["event"] == "drop" for p in own)
        assert row["received_bytes"] == sum(p["size_bytes"] for p in received)
        began = {p["packet"]: p["time_s"] for p in sent}
        delays = [p["time_s"] - began[p["packet"]] for p in received]
        assert row["delay_mean_s"] == pytest.approx(sum(delays) / len(delays), rel=1e-9)
        assert row["delay_max_s"] == pytest.approx(max(delays), rel=1e-9)
        middle = sorted(delays)[(len(delays) + 1) // 2 - 1]
        assert row["delay_p50_s"] == pytest.approx(middle, rel=1 / 256)
        variation = [abs(b - a) for a, b in pairwise(delays)]
        assert row["jitter_s"] == pytest.approx(sum(variation) / len(variation), rel=1e-9, abs=1e-12)


def test_a_finite_transfer_completes() -> None:
    long, finite, datagrams = ac.run(SMALL).rows("flows")
    assert finite["delivered_bytes"] == 200_000 and 0 < finite["completion_s"] < 5
    assert finite["goodput_bps"] == pytest.approx(200_000 * 8 / finite["completion_s"])
    assert long["completion_s"] is None and datagrams["retransmitted_packets"] is None
    assert long["retransmitted_packets"] > 0
    limits = [long[f"limited_by_{what}_s"] for what in ("application", "receiver_window", "congestion_window")]
    assert sum(limits) == pytest.approx(6.0) and limits[0] == 0


@pytest.mark.parametrize("tcp", ["tahoe", "vegas", "rfc793edu"])
def test_delivered_bytes_are_the_file(tcp: str) -> None:
    flows = [ac.Flow(pair=1, tcp=tcp, app=ac.Ftp(size="30 packets"), packet_size="500 B")]
    row = ac.run(replace(SMALL, flows=flows)).rows("flows")[0]
    assert row["delivered_bytes"] == 30 * 500 and row["completion_s"] is not None


def test_transfers_come_and_go() -> None:
    arrivals = ac.Arrivals(interval="100 ms", size="10 kB")
    flows = [ac.Flow(pair=2, tcp="reno"), ac.Flow(pair=1, tcp="sack", arrivals=arrivals, start="1 s", stop="5 s")]
    scenario = replace(SMALL, flows=flows, duration="8 s", seed=3)
    results = ac.run(scenario)
    transfers = results.rows("flows")[1:]
    assert 20 < len(transfers) < 65
    assert all(1 < row["start_s"] < 5 for row in transfers) and results.names["flows"][1] == "sack.1"
    completed = [row for row in transfers if row["completion_s"] is not None]
    assert len(completed) > len(transfers) / 2
    assert ac.run(scenario).rows("flows") == results.rows("flows")
    others = ac.run(replace(scenario, flows=[ac.Flow(pair=2, tcp="vegas"), flows[1]])).rows("flows")[1:]
    assert [row["start_s"] for row in others] == [row["start_s"] for row in transfers]


def test_pages_of_several_objects() -> None:
    arrivals = ac.Arrivals(interval="500 ms", size="4 kB", objects=4, spacing="30 ms")
    flows = [ac.Flow(pair=1, tcp="sack", arrivals=arrivals)]
    scenario = replace(SMALL, flows=flows, duration="400 s", record=ac.Record(sample="0 s"), seed=3)
    starts = [span for flow in resolve(scenario).flows for span, _ in flow.spans_s]
    # 800 pages are expected, of 4 objects each; a Pareto number of shape 2.43 has a standard deviation of 4.0.
    assert len(starts) == pytest.approx(3200, rel=0.1)
    # Within a page the intervals are exponential of mean 30 ms: of the shortest three quarters few are longer.
    gaps = sorted(b - a for a, b in pairwise(sorted(starts)))
    assert sum(gap < 0.03 for gap in gaps[: 3 * len(gaps) // 4]) > 0.6 * len(gaps) * 3 / 4


def test_rates_of_a_flow_that_stops_are_of_its_time() -> None:
    # It sends between 2 s and 4 s of 6 s.
    datagrams = ac.run(SMALL).rows("flows")[2]
    assert datagrams["throughput_bps"] == pytest.approx(datagrams["received_bytes"] * 8 / 2.0, rel=0.03)


def test_series_are_sampled_and_complete() -> None:
    results = ac.run(SMALL)
    times = results.flow_series.column("time_s")
    assert len(times) == 3 * 60 and times[:4] == [0.0, 0.0, 0.0, 0.1]
    # The samples of throughput, each of the interval before it, add up to what was received.
    received = sum(rate * 0.1 / 8 for rate in results.flow_series.column("throughput_bps"))
    assert received == pytest.approx(sum(results.flows.column("received_bytes")), rel=0.02)
    changes = results.rows("window_changes")
    assert all(a["time_s"] <= b["time_s"] for a, b in pairwise(changes))
    assert {row["flow"] for row in changes} == {1, 2}


def test_round_trips_are_those_of_the_packets() -> None:
    """Of each ACK that the sender gets: the time since the data packet that it answers was sent."""
    flow = ac.Flow(pair=1, tcp="reno", window="8 packets")
    results = ac.run(replace(SMALL, flows=[flow]))
    sent: dict[int, float] = {}
    trips = []
    for packet in results.rows("packets"):
        assert packet["event"] != "drop", "this test is for a path without loss, where each number is sent once"
        if packet["kind"] == "tcp" and packet["event"] == "enqueue" and packet["from_node"] == packet["source_node"]:
            sent[packet["sequence"]] = packet["time_s"]
        if packet["kind"] == "ack" and packet["event"] == "receive" and packet["to_node"] == packet["destination_node"]:
            trips.append((packet["time_s"], packet["time_s"] - sent[packet["sequence"]]))
    found = [(row["time_s"], row["rtt_s"]) for row in results.rows("rtt_changes")]
    assert len(found) == len(trips) > 300
    for ours, theirs in zip(found, trips, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-12)
    assert set(results.rtt_changes.column("flow")) == {1}


def test_what_was_not_asked_for_is_not_there() -> None:
    results = ac.run(replace(SMALL, record=ac.Record(sample="0 s")))
    assert set(results.tables) == {"flows", "links"}
    with pytest.raises(AttributeError, match=r"Record\(packets=True\)"):
        _ = results.packets


def test_collecting_changes_nothing(tmp_path: Path) -> None:
    for name, record in (("all", SMALL.record), ("nothing", ac.Record(sample="0 s"))):
        ac.run(replace(SMALL, record=record), trace=tmp_path / name)
    assert (tmp_path / "all").read_bytes() == (tmp_path / "nothing").read_bytes()


def test_arrow_readers_take_the_tables() -> None:
    results = ac.run(SMALL)
    for name, table in results.tables.items():
        assert nanoarrow.ArrayStream(table).read_all().to_pylist() == results.rows(name), name


def test_saved_results_are_read_again(tmp_path: Path) -> None:
    results = ac.run(SMALL, seed=5)
    folder = results.save(tmp_path / "out")
    again = ac.open(folder)
    assert again.scenario == replace(SMALL, seed=5) and again.names == results.names
    for name in results.tables:
        assert again.rows(name) == results.rows(name)
    assert ac.run(again.scenario).rows("flows") == results.rows("flows")
    with pytest.raises(ac.ResultsError, match="replace=True"):
        results.save(folder)
    results.save(folder, replace=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def _of_an_older_version(folder: Path) -> None:
    text = (folder / "run.json").read_text()
    assert text.count('"start_jitter"') == len(SMALL.flows)
    _described(folder, text.replace('"start_jitter"', '"spread"'))


def _described(folder: Path, text: str) -> None:
    """Another `run.json`, with digests that fit it."""
    (folder / "run.json").write_text(text)
    write_sums(folder)


@pytest.mark.parametrize(
    ("damage", "word"),
    [
        (lambda folder: (folder / "run.json").unlink(), "run.json is missing"),
        (lambda folder: (folder / "flows.parquet").unlink(), r"out/flows\.parquet: missing; SHA256SUMS lists it"),
        (lambda folder: _cut(folder / "links.parquet"), r"out/links\.parquet: damaged: its sha256 is not the one in"),
        (lambda folder: _cut(folder / "run.json"), r"out/run\.json: damaged"),
        (lambda folder: _cut(folder / "SHA256SUMS"), r"out/SHA256SUMS: damaged: the end is missing"),
        (lambda folder: _described(folder, '{"tables": ' + "[" * 20000), "run.json: not what a run writes"),
        (lambda folder: _described(folder, '{"tables": [1]}'), "run.json: not what a run writes"),
        (_of_an_older_version, r"flows\.0\.spread: renamed; the key is now start_jitter"),
        (_of_an_older_version, r"run\.json: an older ackclock saved this .*run SCENARIO\.toml --out .*out --replace"),
        (lambda folder: (folder / "SHA256SUMS").unlink(), r"run SCENARIO\.toml --out .*out --replace"),
    ],
)
def test_a_folder_written_by_half_is_no_result(damage: Any, word: str, tmp_path: Path) -> None:
    folder = ac.run(SMALL).save(tmp_path / "out")
    damage(folder)
    with pytest.raises(ac.ResultsError, match=word):
        ac.open(folder)


def test_other_peoples_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ac.ResultsError, match="not overwritten"):
        ac.run(SMALL).save(tmp_path)
    assert (tmp_path / "thesis.tex").exists()


def two_classes(pick: random.Random) -> ac.Queue:
    """An edge: what is in a token bucket's profile goes to one queue, other packets to the other."""
    low, high = pick.randint(1, 5), pick.randint(6, 12)
    queues = [
        ac.PhysicalQueue(
            precedences=[
                ac.Precedence(code_points=[point], thresh=f"{low} packets", maxthresh=f"{high} packets", max_p=0.2)
            ],
            weight=weight,
        )
        for point, weight in ((10, 3), (20, 1))
    ]
    policy = ac.Policy(meter="token_bucket", code_point=10, yellow=20, rate="200 kb/s", burst="4 kB")
    schedule = pick.choice(["round_robin", "weighted", "interleaved", "priority"])
    return ac.Queue(
        kind="ds_red_edge",
        parameters={"limit": "20 packets"},
        diffserv=ac.DiffServ(queues=queues, schedule=schedule, policies=[policy]),
    )


def random_scenario(seed: int) -> ac.Scenario:
    """Any network, any traffic, from a seed."""
    pick = random.Random(seed)
    queue = ac.Queue(
        kind=pick.choice(["drop_tail", "drop_tail", "red", "rio", "pi", "rem", "virtual_queue", "sfq", "drr", "fq"]),
        limit=None if pick.random() < 0.3 else f"{pick.randint(2, 60)} packets",
    )
    if queue.kind == "drr":
        queue = ac.Queue(kind="drr", limit=pick.choice([None, "1 BDP", "20 kB"]))
    if pick.random() < 0.1:
        queue = two_classes(pick)
    loss = pick.choice(
        [
            None,
            ac.Loss(rate=0.03),
            ac.Loss(kind="two_state", good=40, bad=2, place="wire"),
            [ac.Loss(rate=0.05, flows=[1]), ac.Loss(rate=0.1, delay="300 ms", place=pick.choice(["queue", "wire"]))],
            [ac.Loss(kind="periodic", period=1, burst=0.2, unit="seconds"), ac.Loss(rate=0.02, mark=True)],
        ]
    )
    back = pick.choice([None, ac.Reverse(rate="150 kb/s", loss=[], queue=ac.Queue(limit="5 packets"))])
    link = ac.Link(
        rate=f"{pick.uniform(0.2, 20):.3f} Mb/s",
        delay=f"{pick.uniform(0, 80):.3f} ms",
        queue=queue,
        loss=loss,
        reverse=back,
    )
    count = pick.randint(1, 4)
    topology: Any = pick.choice(
        [
            ac.Dumbbell(pairs=count, bottleneck=link),
            ac.ParkingLot(bottlenecks=count, bottleneck=link),
            ac.Star(hosts=count + 1, link=link),
            ac.Chain(nodes=count + 1, link=link),
        ]
    )
    named = {
        "dumbbell": (["left1", f"left{count}"], ["right1", f"right{count}"]),
        "parking_lot": (["source0", "source1"], ["sink0", f"sink{count}"]),
        "star": (["host1"], [f"host{count + 1}"]),
        "chain": (["node1"], [f"node{count + 1}"]),
    }[topology.kind]
    flows = []
    for _ in range(pick.randint(1, 5)):
        ends: dict[str, Any] = {"source": pick.choice(named[0]), "destination": pick.choice(named[1])}
        start = f"{pick.uniform(0, 3):.3f} s"
        if pick.random() < 0.25:
            app: Any = pick.choice([ac.Cbr(rate="1 Mb/s"), ac.Exponential(rate="2 Mb/s"), ac.Pareto(rate="1 Mb/s")])
            when: dict[str, Any] = {"start": start, "stop": "6 s"}
            if pick.random() < 0.5:
                when = {"spans": [ac.Span(start=start, stop="4 s"), ac.Span(start="5 s", stop="7.9 s")]}
            flows.append(ac.Flow(**ends, app=app, **when))
        else:
            tcp = pick.choice(["tahoe", "reno", "new_reno", "sack", "fack", "vegas", "linux", "ns3"])
            size = pick.choice([None, None, "30 packets", "100 kB"])
            if pick.random() < 0.2:
                asks = ac.Requests(times=pick.randint(0, 4), response="9 kB", think_time="300 ms")
                flows.append(ac.Flow(**ends, tcp=pick.choice(["full", "full_sack"]), app=asks, start=start))
                continue
            if tcp != "linux" and pick.random() < 0.2:
                pages = ac.Arrivals(interval="400 ms", size="5 kB", objects=2, spacing="50 ms")
                flows.append(ac.Flow(**ends, tcp=tcp, arrivals=pages, start=start))
                continue
            flows.append(
                ac.Flow(
                    **ends, tcp=tcp, control="cubic" if tcp == "linux" else None, app=ac.Ftp(size=size), start=start
                )
            )
    changes = []
    if topology.kind == "dumbbell" and pick.random() < 0.5:
        changes = [
            ac.Change(at="2 s", link="router1->router2", rate="300 kb/s"),
            ac.Change(at="3 s", link="router1-router2", up=False),
            ac.Change(at="4 s", link="router1-router2", up=True),
        ]
    return ac.Scenario(
        topology=topology,
        flows=flows,
        duration="8 s",
        seed=seed + 1,
        changes=changes,
        defaults=pick.choice(["ns2_35", "rfc"]),
        routing=pick.choice(["static", "session"]),
    )


@pytest.mark.parametrize("seed", range(60))
def test_every_packet_is_accounted_for(seed: int) -> None:
    scenario = random_scenario(seed)
    results = ac.run(scenario)
    network = resolve(scenario)
    flows, links = results.rows("flows"), results.rows("links")
    for row, link in zip(links, network.links, strict=True):
        ended = row["received_packets"] + row["dropped_packets"] + row["lost_packets"]
        assert row["offered_packets"] == ended + row["in_transit_packets"], row
        assert row["utilisation"] <= 1 + 1e-9, row
        kind, told = link.queue.kind, link.parameters
        if kind == "drr":
            assert row["queue_max_bytes"] <= told.get("blimit", 25_000)
        elif kind == "sfq":
            assert row["queue_max_packets"] <= told.get("maxqueue", 40)
        elif kind == "ds_red_edge":
            assert row["queue_max_packets"] <= 2 * told["limit"]
        elif kind != "fq" and "limit" in told:
            assert row["queue_max_packets"] <= told["limit"]
    in_network = 0
    for row in flows:
        assert row["sent_packets"] == row["received_packets"] + row["dropped_packets"] + row["in_flight_packets"], row
        in_network += row["in_flight_packets"]
        in_network += row["replies_sent_packets"] - row["replies_received_packets"] - row["replies_dropped_packets"]
    # The engine's own count of what its queues and wires hold is another way to the same number.
    assert in_network == sum(row["in_transit_packets"] for row in links)


def test_commands(tmp_path: Path) -> None:
    done = command("init", cwd=tmp_path)
    assert done.returncode == 0 and (tmp_path / "scenario.toml").exists()
    assert command("init", cwd=tmp_path).returncode == 1
    done = command("run", "scenario.toml", "--set", "duration=5 s", "--out", "kept", "--json", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    told = json.loads(done.stdout)
    assert len(told["flows"]) == 3 and told["scenario"]["duration"] == "5 s"
    assert ac.open(tmp_path / "kept").scenario.duration == "5 s"
    done = command("run", "scenario.toml", "--set", "flows.0.tcp=vega", cwd=tmp_path)
    assert done.returncode == 1 and "nearest known: vegas" in done.stderr and done.stderr.count("\n") == 1
    assert "vegas" in command("list", "variants", cwd=tmp_path).stdout
    assert "drop_tail" in command("list", cwd=tmp_path).stdout
