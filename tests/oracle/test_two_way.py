"""Two-way TCP in scenarios: handshake, data both ways, requests and responses, FIN; the packets are ns-2's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.execution.process import ACKCLOCK
from ackclock.scenario.formats.as_tcl import TWO_WAY, script

LINE = ac.Link(rate="1.5 Mb/s", delay="12 ms", queue=ac.Queue(limit="10 packets"))
TOPOLOGY = ac.Dumbbell(pairs=2, bottleneck=LINE, delays=["2 ms", "5 ms"])


def same_packets(scenario: ac.Scenario, program: tuple[str, ...], folder: Path) -> None:
    ac.run(scenario, trace=folder / "ours.tr")
    (folder / "equal.tcl").write_text(script(scenario, "theirs.tr"))
    ac.run_ns2(folder / "equal.tcl", cwd=folder, program=program)
    assert (folder / "ours.tr").stat().st_size > 1000
    assert (folder / "ours.tr").read_bytes() == (folder / "theirs.tr").read_bytes()


@pytest.fixture(params=["ackclock", "ns"])
def other(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """What runs the equal script."""
    return ACKCLOCK if request.param == "ackclock" else (request.getfixturevalue("ns"),)


@pytest.mark.parametrize("tcp", TWO_WAY)
def test_transfers(tcp: str, other: tuple[str, ...], tmp_path: Path) -> None:
    flows = [
        ac.Flow(pair=1, tcp=tcp, window="40 packets", packet_size="1000 B", stop="6 s"),
        ac.Flow(pair=2, tcp=tcp, app=ac.Ftp(size="120 packets"), start="0.7 s", parameters={"segsperack": 2}),
    ]
    same_packets(ac.Scenario(topology=TOPOLOGY, flows=flows, duration="10 s"), other, tmp_path)


EXCHANGES: dict[str, dict[str, Any]] = {
    "one": {},
    "several": {"times": 5, "server_delay": "30 ms", "think_time": "400 ms", "response": "30 kB"},
    "at_once": {"times": 20, "request": "3 kB", "response": "9 kB"},
    "endless": {"times": 0, "think_time": "100 ms", "response": "2 kB"},
    "kept_open": {"times": 3, "closes": False},
}


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize("tcp", ["full", "full_sack"])
def test_requests(tcp: str, exchange: str, ns: str, tmp_path: Path) -> None:
    requests = ac.Requests(**EXCHANGES[exchange])
    flows = [
        ac.Flow(pair=1, tcp=tcp, app=requests, start="0.3 s", packet_size="1000 B"),
        ac.Flow(pair=2, tcp="new_reno", window="40 packets"),
    ]
    same_packets(ac.Scenario(topology=TOPOLOGY, flows=flows, duration="10 s"), (ns,), tmp_path)


def test_figures_of_an_exchange() -> None:
    requests = ac.Requests(request="400 B", response="30 kB", times=3, think_time="200 ms")
    scenario = ac.Scenario(
        topology=TOPOLOGY,
        flows=[ac.Flow(pair=1, tcp="full_sack", app=requests, start="0.3 s", packet_size="1000 B")],
        duration="10 s",
        record=ac.Record(packets=True),
    )
    results = ac.run(scenario)
    (row,) = results.rows("flows")
    assert (row["delivered_bytes"], row["replies_delivered_bytes"]) == (3 * 400, 3 * 30_000)
    client, server = results.nodes.index("left1"), results.nodes.index("right1")
    packets = results.rows("packets")
    headers = 40
    answers = [p for p in packets if p["source_node"] == server and p["event"] == "receive" and p["to_node"] == client]
    with_data = [p for p in answers if p["size_bytes"] > headers]
    assert sum(p["size_bytes"] - headers for p in with_data) == 3 * 30_000  # nothing is lost here
    asked = [p for p in packets if p["source_node"] == client and p["event"] == "enqueue" and p["from_node"] == client]
    assert row["start_s"] == asked[0]["time_s"] == 0.3
    assert row["completion_s"] == pytest.approx(with_data[-1]["time_s"] - 0.3, rel=1e-12)
    assert row["sent_packets"] == len(asked) and row["replies_received_packets"] == len(answers)
    # Two round trips for the handshake and the request; the connection is closed, so nothing is sent at the end.
    assert max(p["time_s"] for p in packets) < 0.3 + row["completion_s"] + 1


def test_web_traffic_opens_and_closes() -> None:
    pages = ac.Arrivals(interval="300 ms", objects=3, size="8 kB", spacing="20 ms")
    flow = ac.Flow(pair=1, tcp="full_sack", app=ac.Requests(), arrivals=pages, stop="6 s", packet_size="1000 B")
    scenario = ac.Scenario(topology=TOPOLOGY, flows=[flow], duration="30 s", seed=2)
    results = ac.run(scenario)
    rows = results.rows("flows")
    assert len(rows) > 20 and all(row["completion_s"] is not None for row in rows)
    sizes = [row["replies_delivered_bytes"] for row in rows]
    assert all(size % 1000 == 0 for size in sizes) and len(set(sizes)) > 3
    assert all(row["in_flight_packets"] == 0 for row in rows)
