"""The playground: what the page shows of a run is what the Python API gives, and no run takes more than it may."""

from __future__ import annotations

import copy
import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import pytest
from starlette.testclient import TestClient

import ackclock as ac
from ackclock._internal.checksums import write_sums
from ackclock.cli.lists import LISTS
from ackclock.scenario import Scenario, load
from ackclock.scenario.model.typed import Described, hints
from ackclock.server.app import application
from ackclock.server.catalog import Catalog
from ackclock.server.errors import Refusal
from ackclock.server.validate import described
from ackclock.server.workers import Limits
from test_server import SCRIPT, rows
from test_server_guard import served

pytestmark = pytest.mark.serial

SCENARIO: dict[str, Any] = {
    "name": "two of a kind",
    "duration": "20 s",
    "seed": 7,
    "topology": {
        "kind": "dumbbell",
        "pairs": 2,
        "bottleneck": {"rate": "1 Mb/s", "delay": "20 ms", "queue": {"kind": "drop_tail", "limit": "8 packets"}},
    },
    "flows": [{"pair": 1, "tcp": "sack"}, {"pair": 2, "tcp": "vegas", "start": "1 s"}],
    "record": {"sample": "0.1 s"},
}


#: With what the page's curves are drawn from, which its runs keep whatever they are told.
KEPT = {**SCENARIO, "record": {"sample": "0.1 s", "changes": True}}


def changed(key: str, value: object) -> dict[str, Any]:
    """The scenario with one key otherwise."""
    scenario = copy.deepcopy(SCENARIO)
    *path, last = key.split(".")
    here: Any = scenario
    for part in path:
        here = here[int(part)] if isinstance(here, list) else here[part]
    here[last] = value
    return scenario


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    yield from serving(Limits())


@pytest.fixture
def strict() -> Iterator[TestClient]:
    yield from serving(Limits(time_s=2, memory_bytes=600 << 20, output_bytes=8 << 20))


def serving(limits: Limits) -> Iterator[TestClient]:
    catalog = Catalog()
    app = application(catalog, limits=limits)
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client
    app.state.runs.close()
    catalog.close()


def events(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Server-sent events: names and data."""
    blocks = [dict(line.split(": ", 1) for line in block.splitlines()) for block in text.strip().split("\n\n")]
    return [(block["event"], json.loads(block["data"])) for block in blocks]


def finished(client: TestClient, asked: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Run something to its end: its id, how it ended, and what was told last."""
    answer = client.post("/api/runs", json=asked)
    assert answer.status_code == 202, answer.text
    id = answer.json()["id"]
    name, data = events(client.get(f"/api/runs/{id}/events").text)[-1]
    return id, name, data


@pytest.fixture(scope="module")
def ran(client: TestClient) -> tuple[str, dict[str, Any]]:
    """The scenario's run: its id and the head of its recording."""
    id, name, told = finished(client, {"scenario": SCENARIO})
    assert name == "done", told
    return id, finished_reading(client, told["recording"])


def finished_reading(client: TestClient, recording: str) -> dict[str, Any]:
    """The head of a recording that was read to its end."""
    for _ in range(100):
        head: dict[str, Any] = client.get(f"/api/recordings/{recording}").json()
        if head["complete"]:
            return head
        time.sleep(0.05)
    raise AssertionError("it is not read to its end")


@pytest.fixture(scope="module")
def results() -> ac.Results:
    """The same by the Python API."""
    return ac.run(Scenario.of(KEPT))


def test_the_table_is_the_api_s(client: TestClient, ran: tuple[str, dict[str, Any]], results: ac.Results) -> None:
    table = client.get(f"/api/runs/{ran[0]}/table").json()
    told = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    names = [row.pop("name") for row in told]
    assert told == results.rows("flows") and names == ["sack-1", "vegas-2"]
    units = {"goodput_bps": "bit/s", "rtt_mean_s": "s", "sent_packets": "packets", "loss_ratio": ""}
    assert {name: table["units"][name] for name in units} == units


@pytest.mark.parametrize(
    ("what", "table", "by", "column"),
    [
        ("cwnd", "window_changes", "flow", "cwnd_packets"),
        ("ssthresh", "window_changes", "flow", "ssthresh_packets"),
        ("rtt", "rtt_changes", "flow", "rtt_s"),
        ("throughput", "flow_series", "flow", "throughput_bps"),
        ("queue", "queue_changes", "link", "queue_packets"),
    ],
)
def test_curves_are_the_api_s_tables(
    client: TestClient,
    ran: tuple[str, dict[str, Any]],
    results: ac.Results,
    what: str,
    table: str,
    by: str,
    column: str,
) -> None:
    _, head = ran
    answer = client.get(f"/api/recordings/{head['id']}/series?what={what}&points=200000").json()
    expected: dict[str, list[tuple[float, float]]] = {}
    for row in results.rows(table):
        name = results.names["flows"][row["flow"] - 1] if by == "flow" else results.names["links"][row["link"]]
        if row[column] is not None:
            expected.setdefault(f"{what} {name}", []).append((row["time_s"], row[column]))
    told = {one["name"]: list(zip(one["times"], one["values"], strict=True)) for one in answer["columns"]}
    assert answer["exact"] and told and max(map(len, told.values())) > 100
    for name, points in expected.items():
        assert told.get(name, points) == points
        assert name in told or not any(value for _, value in points)


def test_a_threshold_before_the_first_loss_is_no_point(client: TestClient) -> None:
    """Today's TCP begins with an infinite threshold (RFC 5681, 3.1: arbitrarily high), which is no number of JSON."""
    scenario = {**SCENARIO, "defaults": "linux", "flows": [{"pair": 1, "tcp": "bbr"}]}
    _, name, told = finished(client, {"scenario": scenario})
    assert name == "done", told
    assert finished_reading(client, told["recording"])
    answer = client.get(f"/api/recordings/{told['recording']}/series?what=ssthresh&points=2000")
    assert answer.status_code == 200
    assert all(math.isfinite(value) for one in answer.json()["columns"] for value in one["values"])


def test_a_long_curve_keeps_what_stands_out(client: TestClient, ran: tuple[str, dict[str, Any]]) -> None:
    _, head = ran
    link = next(link["id"] for link in head["links"] if (link["from"], link["to"]) == (2, 3))
    path = f"/api/recordings/{head['id']}/series?what=queue&link={link}"
    whole = client.get(f"{path}&points=200000").json()["columns"][0]
    thin = client.get(f"{path}&points=100").json()
    (column,) = thin["columns"]
    assert not thin["exact"] and len(column["times"]) <= 100 < len(whole["times"])
    assert (max(column["values"]), min(column["values"])) == (max(whole["values"]), min(whole["values"]))
    points = [set(zip(one["times"], one["values"], strict=True)) for one in (column, whole)]
    assert points[0] <= points[1]


def test_packets_are_the_api_s(client: TestClient, ran: tuple[str, dict[str, Any]]) -> None:
    _, head = ran
    packets = ac.run(Scenario.of(changed("record.packets", True))).rows("packets")
    expected: dict[tuple[int, int, int], dict[str, float]] = {}
    for row in packets:
        expected.setdefault((row["from_node"], row["to_node"], row["packet"]), {})[row["event"]] = row["time_s"]
    ends = {link["id"]: (link["from"], link["to"]) for link in head["links"]}
    columns = {"enqueue_s": "enqueue", "start_s": "dequeue", "arrive_s": "receive", "drop_s": "drop"}
    told = {}
    for row in rows(client, head):
        times = {event: row[column] for column, event in columns.items() if not math.isnan(row[column])}
        told[(*ends[row["link"]], row["uid"])] = times
    assert told.keys() == expected.keys() and len(told) > 5000
    for key, times in told.items():
        # A packet trace is rounded to 1 us.
        assert times == pytest.approx(expected[key], abs=6e-7), key


def test_counters_at_the_end_are_the_api_s(
    client: TestClient, ran: tuple[str, dict[str, Any]], results: ac.Results
) -> None:
    _, head = ran
    state = client.get(f"/api/recordings/{head['id']}/state?t=20").json()
    for flow, row in zip(state["flows"], results.rows("flows"), strict=True):
        names = ("sent_packets", "received_packets", "received_bytes", "dropped_packets", "retransmitted_packets")
        told = [flow[name] for name in ("sent", "received", "received_bytes", "dropped", "retransmitted")]
        assert told == [row[name] for name in names]
        assert sum(one["dropped"] for one in state["flows"]) > 0


def test_the_head_says_what_the_scenario_says(ran: tuple[str, dict[str, Any]]) -> None:
    _, head = ran
    links = {(link["from"], link["to"]): link for link in head["links"]}
    assert (links[2, 3]["rate_bps"], links[2, 3]["delay_s"], links[2, 3]["limit_packets"]) == (1e6, 0.02, 8)
    assert links[0, 2]["limit_packets"] == 50
    assert [node["name"] for node in head["nodes"]] == ["left1", "left2", "router1", "router2", "right1", "right2"]
    assert [flow["name"] for flow in head["flows"]] == ["sack-1", "vegas-2"]
    place = {node["name"]: (node["x"], node["y"]) for node in head["nodes"]}
    assert place["left1"][0] < place["router1"][0] < place["router2"][0] < place["right1"][0]
    assert place["left1"][1] < place["left2"][1] and place["right1"][1] < place["right2"][1]
    assert Scenario.of(head["scenario"]) == Scenario.of(KEPT) and head["name"] == "two of a kind"


def test_a_saved_run_without_packets_is_run_again(tmp_path: Path, results: ac.Results) -> None:
    results.save(tmp_path / "run")
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "run.json").write_text("{}")
    write_sums(tmp_path / "half")
    catalog = Catalog(folder=tmp_path)
    with TestClient(application(catalog), base_url="http://127.0.0.1") as client:
        files = {file["name"]: file for file in client.get("/api/about").json()["files"]}
        assert files["run"]["kind"] == "run"
        head = client.get(f"/api/recordings/{files['run']['id']}").json()
        assert "kept no packets" in head["notes"][0] and head["chunks"]
        answer = client.get(f"/api/recordings/{files['half']['id']}")
        assert answer.status_code == 422 and "not what a run writes" in answer.json()["error"]
    catalog.close()


def test_a_saved_run_that_would_take_too_much_is_not_run_again(tmp_path: Path, results: ac.Results) -> None:
    results.save(tmp_path / "run")
    described = json.loads((tmp_path / "run" / "run.json").read_text())
    described["scenario"]["duration"] = "1000000 s"
    (tmp_path / "run" / "run.json").write_text(json.dumps(described))
    write_sums(tmp_path / "run")
    catalog = Catalog(folder=tmp_path)
    app = application(catalog, limits=Limits(time_s=1))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        (file,) = client.get("/api/about").json()["files"]
        answer = client.get(f"/api/recordings/{file['id']}")
        assert answer.status_code == 422
        assert "cannot be run again: it took more than 1 s of processor time" in answer.json()["error"]
    catalog.close()


#: Keys that take any text, of which no file is opened and nothing imported.
HARMLESS = {
    "average",
    "capture",
    "defaults",
    "destination",
    "direction",
    "dscp",
    "ends",
    "external_nodes",
    "flows",
    "link",
    "meter",
    "name",
    "nodes",
    "packet_type",
    "parameters",
    "place",
    "qlog",
    "receiver",
    "receiver_parameters",
    "routing",
    "schedule",
    "slots",
    "source",
    "tcp",
    "trace",
    "unit",
}
#: Those that name a file or a class of Python, with such a name.
REFUSED = {"control": "module:Class", "deliveries": "/etc/passwd", "kind": "module:Class"}


def takes_text(annotation: Any) -> bool:
    """Whether a text without a unit may stand there, or in a list or table there."""
    if get_origin(annotation) is Annotated:
        return False
    return annotation is str or any(map(takes_text, get_args(annotation)))


def within(annotation: Any) -> Iterator[type[Described]]:
    """The parts of which what is annotated may be made."""
    if isinstance(annotation, type) and issubclass(annotation, Described):
        yield annotation
        for own in hints(annotation).values():
            yield from within(own)
    for argument in get_args(annotation):
        yield from within(argument)


def test_each_key_that_could_name_a_file_is_known_to_the_server() -> None:
    keys = {key for cls in within(Scenario) for key, annotation in hints(cls).items() if takes_text(annotation)}
    assert keys == HARMLESS | REFUSED.keys(), "a new key: if it names a file, `_refuse_names` must refuse it"
    for key, value in REFUSED.items():
        with pytest.raises(Refusal) as refused:
            described({"flows": [{"one": {key: value}}]})
        assert refused.value.key == f"flows.0.one.{key}"


def test_a_script_s_run_is_its_animation(client: TestClient) -> None:
    id, name, told = finished(client, {"script": SCRIPT + '\nputs "never"', "arguments": []})
    assert name == "done", told
    head = client.get(f"/api/recordings/{told['recording']}").json()
    assert head["kind"] == "nam" and len(head["nodes"]) == 6
    assert client.get(f"/api/runs/{id}/table").json()["rows"]


def test_a_script_gets_its_arguments_and_prints(client: TestClient) -> None:
    _, name, told = finished(client, {"script": "puts [lindex $argv 1]; error gone", "arguments": ["a", "b c"]})
    assert (name, told["output"], told["error"]) == ("failed", "b c\n", "script.tcl:1: gone")


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("set f [open ../../secret w]", "is not in the folder that the script is run in"),
        ("exec rm -rf .", 'asks to run "rm"'),
        ("socket localhost 80", "may not use socket"),
        ("puts done", "the script wrote no trace"),
        ("while 1 {}", "it took more than 2 s of processor time"),
        ("proc f {} { f }\nset l {}\nwhile 1 { lappend l [string repeat x 1000000]$l }", "it needed more than 600 MiB"),
        ("set f [open a.tr w]\nwhile 1 { puts $f [string repeat x 10000] }", "it wrote more than 8 MiB"),
        (
            "while 1 { set f [open [incr n].tr w]; puts $f [string repeat x 1000000]; close $f; after 20 }",
            "it wrote more than 8 MiB",
        ),
    ],
)
def test_a_run_that_goes_too_far_ends_with_why(strict: TestClient, script: str, why: str) -> None:
    _, name, told = finished(strict, {"script": script})
    assert name == "failed" and why in told["error"], told


def test_a_network_that_is_too_large_is_refused(strict: TestClient) -> None:
    answer = strict.post("/api/runs", json={"scenario": changed("topology.pairs", 10**9)})
    if answer.status_code == 202:  # it is still being thought about
        _, data = events(strict.get(f"/api/runs/{answer.json()['id']}/events").text)[-1]
        assert "of memory" in data["error"] or "of processor time" in data["error"]
    else:
        assert answer.status_code == 422
    assert strict.get("/api/about").status_code == 200


def test_cancelling_ends_it(client: TestClient) -> None:
    id = client.post("/api/runs", json={"script": "while 1 {}"}).json()["id"]
    assert client.delete(f"/api/runs/{id}").status_code == 200
    name, told = events(client.get(f"/api/runs/{id}/events").text)[-1]
    assert (name, told["error"]) == ("failed", "cancelled")
    answer = client.get(f"/api/runs/{id}/table")
    assert answer.status_code == 409 and "cancelled" in answer.json()["error"]


def test_equal_scenarios_are_one_run(client: TestClient) -> None:
    long = changed("duration", "100000 s")
    ids = [client.post("/api/runs", json={"scenario": long}).json()["id"] for _ in range(6)]
    assert len(set(ids)) == 1, "runs are deterministic: six who ask for the same get the same"
    for id in ids[:5]:
        client.delete(f"/api/runs/{id}")
    other = client.post("/api/runs", json={"scenario": long}).json()["id"]
    assert other == ids[0], "it goes on for those who are left"
    for id in (ids[5], other):
        client.delete(f"/api/runs/{id}")
    name, told = events(client.get(f"/api/runs/{other}/events").text)[-1]
    assert (name, told["error"]) == ("failed", "cancelled")
    again = client.post("/api/runs", json={"scenario": long}).json()["id"]
    assert again != other, "what was cancelled is run anew"
    client.delete(f"/api/runs/{again}")


@pytest.mark.parametrize(
    ("key", "value", "wrong", "says"),
    [
        ("flows.0.tcp", "sackk", "flows.0.tcp", "nearest known: sack"),
        ("flows.0.control", "os:system", "flows.0.control", "runs no Python"),
        ("topology.bottleneck.queue.kind", "os:system", "topology.bottleneck.queue.kind", "runs no Python"),
        ("topology.bottleneck.deliveries", "/etc/passwd", "topology.bottleneck.deliveries", "reads no file"),
        ("topology.bottleneck.rate", "fast", "topology.bottleneck.rate", "expected"),
        ("duration", "0 s", "duration", "more than 0"),
        ("fame", 1, "fame", ""),
    ],
)
def test_a_wrong_scenario_names_its_key(client: TestClient, key: str, value: object, wrong: str, says: str) -> None:
    for path in ("/api/runs", "/api/scenario/text"):
        answer = client.post(path, json={"scenario": changed(key, value)})
        assert answer.status_code == 422 and answer.json()["key"] == wrong and says in answer.json()["error"]
        assert "root:" not in answer.text


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b"[" * 100_000, "not JSON"),
        (b"{}", 'expected {"scenario"'),
        (b'{"scenario": {}, "script": ""}', 'expected {"scenario"'),
        (b'{"script": 1}', "expected a text"),
        (b'{"script": "", "arguments": "a"}', "a list of strings"),
    ],
)
def test_a_request_that_is_none_is_refused(client: TestClient, body: bytes, says: str) -> None:
    answer = client.post("/api/runs", content=body)
    assert answer.status_code == 400 and says in answer.json()["error"]


def test_saved_as_toml_it_is_the_same_scenario(client: TestClient, tmp_path: Path) -> None:
    told = client.post("/api/scenario/text", json={"scenario": SCENARIO}).json()
    (tmp_path / "scenario.toml").write_text(told["toml"])
    assert load(tmp_path / "scenario.toml") == Scenario.of(SCENARIO)
    assert "receiver_parameters" not in told["toml"]


def test_saved_as_a_script_it_gives_the_same_packets(client: TestClient, tmp_path: Path) -> None:
    scenario = changed("seed", "ns2:7")
    told = client.post("/api/scenario/text", json={"scenario": scenario}).json()
    (tmp_path / "scenario.tcl").write_text(told["tcl"])
    ac.run(Scenario.of(scenario), trace=tmp_path / "scenario.tr")
    line = [sys.executable, "-m", "ackclock", "ns2", "--safe", "scenario.tcl"]
    subprocess.run(line, cwd=tmp_path, check=True, timeout=60)
    assert (tmp_path / "out.tr").read_bytes() == (tmp_path / "scenario.tr").read_bytes() != b""


@pytest.mark.parametrize(
    ("key", "value", "lacks"),
    [
        ("flows.0.tcp", "ns3", 'flows.0.tcp = "ns3": ns-2 has none'),
        ("topology.bottleneck.queue", "codel", 'topology.bottleneck.queue.kind = "codel": ns-2 has none'),
        ("seed", 7, "seed = 7: ns-2 draws from one stream"),
    ],
)
def test_what_ns2_lacks_is_said(client: TestClient, key: str, value: object, lacks: str) -> None:
    told = client.post("/api/scenario/text", json={"scenario": changed(key, value)}).json()
    assert told["tcl"] is None and told["lacks"].startswith(lacks) and told["toml"]


def test_all_that_is_listed_can_be_chosen(client: TestClient) -> None:
    told = client.get("/api/choices").json()
    names = {what: {one["id"]: one["words"] for one in found} for what, found in told.items()}
    assert names["tcp"] == dict(LISTS["variants"]()) | dict(LISTS["two_way"]())
    assert names["queues"] == {id: words for id, words in LISTS["queues"]() if not id.startswith("ds_red")}
    assert names["defaults"] == dict(LISTS["defaults"]())
    assert names["controls"].keys() == dict(LISTS["controls"]()).keys()
    assert names["topologies"].keys() == dict(LISTS["topologies"]()).keys()
    red = next(queue for queue in told["queues"] if queue["id"] == "red")
    assert {one["id"]: one["unit"] for one in red["parameters"]}["thresh"] == "packets"


def test_progress_is_told_while_it_goes(tmp_path: Path) -> None:
    import http.client

    with served("serve", tmp_path) as (_, port, query):
        own = {"Authorization": f"Bearer {query.removeprefix('token=')}"}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", "/api/runs", json.dumps({"scenario": changed("duration", "4000 s")}), own)
        id = json.loads(connection.getresponse().read())["id"]
        connection.request("GET", f"/api/runs/{id}/events", headers=own)
        answer = connection.getresponse()
        fractions: list[float] = []
        while len(set(fractions)) < 2:
            line = answer.readline().decode()
            assert line and "done" not in line and "failed" not in line
            if line.startswith("data: ") and json.loads(line[6:])["fraction"]:
                fractions.append(json.loads(line[6:])["fraction"])
        assert 0 < fractions[0] < fractions[-1] < 1
        other = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        other.request("DELETE", f"/api/runs/{id}", headers={**own, "Origin": "http://evil.example"})
        assert other.getresponse().status == 403
        other.close()
        other.request("DELETE", f"/api/runs/{id}", headers=own)
        assert other.getresponse().status == 200
        assert b"cancelled" in answer.read()
