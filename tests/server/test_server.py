"""`ackclock.server`: what the page is told of a trace is what the trace's lines say."""

from __future__ import annotations

import gzip
import json
import math
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from ackclock import trace
from ackclock.server.app import application
from ackclock.server.catalog import Catalog, within

#: Two flows over a bottleneck of five packets, drawn; a random loss on the last link, so that packets are sent again.
SCRIPT = """
set ns [new Simulator]
set f [open out.tr w]; $ns trace-all $f
set nf [open out.nam w]; $ns namtrace-all $nf
foreach n {0 1 2 3 4 5} { set n$n [$ns node] }
$n4 shape box
$ns duplex-link $n0 $n4 10Mb 1ms DropTail
$ns duplex-link $n1 $n4 10Mb 3ms DropTail
$ns duplex-link $n4 $n5 1Mb 10ms DropTail
$ns duplex-link $n5 $n2 10Mb 1ms DropTail
$ns duplex-link $n5 $n3 10Mb 3ms DropTail
$ns duplex-link-op $n0 $n4 orient right-down
$ns duplex-link-op $n1 $n4 orient right-up
$ns duplex-link-op $n4 $n5 orient right
$ns duplex-link-op $n5 $n2 orient right-up
$ns duplex-link-op $n5 $n3 orient right-down
$ns duplex-link-op $n4 $n5 queuePos 0.5
$ns queue-limit $n4 $n5 5
foreach {i kind} {0 Newreno 1 Sack1} {
    set t$i [new Agent/TCP/$kind]
    set s$i [new Agent/TCPSink[expr {$i ? "/Sack1" : ""}]]
    [set t$i] set fid_ [expr $i + 1]
    $ns attach-agent [set n$i] [set t$i]
    $ns attach-agent [set n[expr $i + 2]] [set s$i]
    $ns connect [set t$i] [set s$i]
    [set t$i] trace cwnd_
    [set t$i] attach $f
    set a$i [[set t$i] attach-source FTP]
    $ns at 0.[expr $i + 1] "[set a$i] start"
}
$ns at 20.0 { $ns flush-trace; close $f; close $nf; exit 0 }
$ns run
"""


@pytest.fixture(scope="session")
def folder(program: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the script's trace and animation, plain and gzipped."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "net.tcl").write_text(SCRIPT)
    subprocess.run([*program, "net.tcl"], cwd=folder, check=True, timeout=60)
    (folder / "zipped").mkdir()
    for name in ("out.tr", "out.nam"):
        (folder / "zipped" / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
    return folder


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    catalog = Catalog(folder=folder)
    with TestClient(application(catalog), base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as client:
        yield client
    catalog.close()


def ids(client: TestClient) -> dict[str, str]:
    return {file["name"]: file["id"] for file in client.get("/api/about").json()["files"]}


def read_head(client: TestClient, name: str) -> dict[str, Any]:
    """The head of a recording that has been read to its end."""
    for _ in range(200):
        answer = client.get(f"/api/recordings/{ids(client)[name]}")
        assert answer.status_code == 200, answer.text
        head: dict[str, Any] = answer.json()
        if head["complete"]:
            return head
        time.sleep(0.02)
    raise AssertionError("it is not read to its end")


COLUMNS = (
    ("enqueue_s", "<f8"),
    ("start_s", "<f8"),
    ("end_s", "<f8"),
    ("arrive_s", "<f8"),
    ("drop_s", "<f8"),
    ("uid", "<u4"),
    ("size_bytes", "<u4"),
    ("link", "<u2"),
    ("flow", "<u2"),
    ("kind", "u1"),
    ("flags", "u1"),
    ("seq", "<u4"),
)


def unpacked(content: bytes) -> dict[str, np.ndarray[Any, Any]]:
    """A chunk as docs/http-api.md says it is packed."""
    magic, version, rows = struct.unpack_from("<4sII", content)
    assert (magic, version) == (b"ACKH", 1)
    at, found = 16, {}
    for name, form in COLUMNS:
        found[name] = np.frombuffer(content, form, rows, at)
        at += math.ceil(rows * np.dtype(form).itemsize / 8) * 8
    assert at == len(content)
    return found


def rows(client: TestClient, head: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    for chunk in head["chunks"]:
        answer = client.get(f"/api/recordings/{head['id']}/hops/{chunk['n']}")
        assert answer.headers["content-type"] == "application/octet-stream"
        columns = unpacked(answer.content)
        assert len(columns["uid"]) == chunk["rows"]
        found += [
            dict(zip(columns, row, strict=True)) for row in zip(*(c.tolist() for c in columns.values()), strict=True)
        ]
    return found


def events(path: Path) -> dict[tuple[int, int, int], dict[str, float]]:
    """Link's ends and packet to the times of `+`, `-`, `r`, `d`: the lines split into words, nothing more."""
    found: dict[tuple[int, int, int], dict[str, float]] = {}
    for line in path.read_text().splitlines():
        words = line.split()
        if words[0] in "+-rd" and len(words) == 12:
            found.setdefault((int(words[2]), int(words[3]), int(words[11])), {})[words[0]] = float(words[1])
    return found


@pytest.mark.parametrize("name", ["out.tr", "zipped/out.tr.gz", "out.nam", "zipped/out.nam.gz"])
def test_rows_are_the_lines(client: TestClient, folder: Path, name: str) -> None:
    head = read_head(client, name)
    expected = events(folder / "out.tr")
    ends = {link["id"]: (link["from"], link["to"]) for link in head["links"]}
    found = {(*ends[row["link"]], row["uid"]): row for row in rows(client, head)}
    assert found.keys() == expected.keys() and len(found) > 5000
    letters = {"enqueue_s": "+", "start_s": "-", "arrive_s": "r", "drop_s": "d"}
    for key, row in found.items():
        told = {letter: row[column] for column, letter in letters.items() if not math.isnan(row[column])}
        # nam's times have all digits, ns-2's packet trace is rounded to 1 us.
        assert told == pytest.approx(expected[key], abs=0 if ".tr" in name else 6e-7), key
        assert bool(row["flags"] & 2) == ("d" in expected[key])
        if "-" in expected[key]:
            rate = head["links"][row["link"]]["rate_bps"]
            if rate is not None:
                assert row["end_s"] == pytest.approx(row["start_s"] + row["size_bytes"] * 8 / rate, abs=1e-6)


def test_links_are_estimated_as_the_script_has_them(client: TestClient) -> None:
    head = read_head(client, "out.tr")
    links = {(link["from"], link["to"]): link for link in head["links"]}
    for ends, rate, delay in (((4, 5), 1e6, 0.010), ((0, 4), 1e7, 0.001), ((5, 3), 1e7, 0.003), ((1, 4), 1e7, 0.003)):
        assert links[ends]["rate_bps"] == pytest.approx(rate, rel=0.005), ends
        assert links[ends]["delay_s"] == pytest.approx(delay, rel=0.005), ends
        assert links[ends]["estimated"]
    assert any("estimated" in note for note in head["notes"])


def test_nam_tells_links_and_places(client: TestClient) -> None:
    head = read_head(client, "out.nam")
    links = {(link["from"], link["to"]): link for link in head["links"]}
    assert (links[4, 5]["rate_bps"], links[4, 5]["delay_s"], links[4, 5]["orient"]) == (1e6, 0.01, "right")
    assert links[4, 5]["queue_position"] == 0.5 and not links[4, 5]["estimated"]
    place = {node["id"]: (node["x"], node["y"]) for node in head["nodes"]}
    assert {node["id"]: node["shape"] for node in head["nodes"]}[4] == "box"
    # right-down of 0 is 4, right of 4 is 5, right-up of 5 is 2; y grows downwards.
    assert place[0][0] < place[4][0] < place[5][0] < place[2][0]
    assert place[0][1] < place[4][1] == place[5][1] < place[1][1] and place[2][1] < place[5][1] < place[3][1]


def test_made_up_places_lead_flows_to_the_right(client: TestClient) -> None:
    head = read_head(client, "out.tr")
    place = {node["id"]: (node["x"], node["y"]) for node in head["nodes"]}
    assert all(0 < x < 1 and 0 < y < 1 for x, y in place.values())
    assert max(place[0][0], place[1][0]) < place[4][0] < place[5][0] < min(place[2][0], place[3][0])
    assert len({(round(x, 2), round(y, 2)) for x, y in place.values()}) == 6


def test_throughput_is_that_of_the_trace_tools(client: TestClient, folder: Path) -> None:
    head = read_head(client, "out.tr")
    answer = client.get(f"/api/recordings/{head['id']}/series?what=throughput&bin=0.5").json()
    table = trace.read(folder / "out.tr").series("throughput", 0.5, kind="tcp")
    for column in answer["columns"]:
        flow = head["flows"][column["flow"]]["flow_id"]
        expected = [
            (time_s, value)
            for time_s, value, id in zip(*map(table.column, ("time_s", "throughput_bps", "flow")), strict=True)
            if id == flow
        ]
        assert list(zip(column["times"], column["values"], strict=True)) == expected
    assert answer["exact"] and {column["unit"] for column in answer["columns"]} == {"bit/s"}


def test_counters_are_those_of_the_trace_tools(client: TestClient, folder: Path) -> None:
    head = read_head(client, "out.tr")
    for end_s in (3.0, 11.25, 20.0):
        state = client.get(f"/api/recordings/{head['id']}/state?t={end_s}").json()
        stats = trace.read(folder / "out.tr").stats(kind="tcp", end_s=math.nextafter(end_s, 99)).flows
        names = ("sent_packets", "received_packets", "dropped_packets", "received_bytes")
        expected = {row[0]: row[1:] for row in zip(*map(stats.column, ("flow", *names)), strict=True)}
        for flow in state["flows"]:
            told = tuple(flow[name] for name in ("sent", "received", "dropped", "received_bytes"))
            assert told == expected[head["flows"][flow["id"]]["flow_id"]]


def test_queue_is_what_waits(client: TestClient, folder: Path) -> None:
    head = read_head(client, "out.tr")
    link = next(link["id"] for link in head["links"] if (link["from"], link["to"]) == (4, 5))
    (column,) = client.get(f"/api/recordings/{head['id']}/series?what=queue&link={link}&points=200000").json()[
        "columns"
    ]
    waiting, lengths = set(), {}
    for line in (folder / "out.tr").read_text().splitlines():
        words = line.split()
        if words[0] in "+-d" and words[2:4] == ["4", "5"]:
            waiting.add(words[11]) if words[0] == "+" else waiting.discard(words[11])
            lengths[float(words[1])] = len(waiting)
    times = np.array(sorted(lengths))
    expected = np.array([lengths[t] for t in times])
    told = np.array(column["values"])[np.searchsorted(column["times"], times, side="right") - 1]
    # A queue with a limit of 5 holds 4: ns-2 drops the packet that would make it 5.
    assert (told == expected).all() and expected.max() == 4
    # A span in the middle begins with what waits then.
    part = client.get(f"/api/recordings/{head['id']}/series?what=queue&link={link}&from=9.5&to=9.6").json()["columns"][
        0
    ]
    assert part["values"][0] == expected[times <= 9.5][-1]
    state = client.get(f"/api/recordings/{head['id']}/state?t=9.5").json()["links"][link]
    assert state["queue_packets"] == expected[times <= 9.5][-1]


def test_windows_are_the_watched_ones(client: TestClient, folder: Path) -> None:
    head = read_head(client, "out.tr")
    lines = [line.split() for line in (folder / "out.tr").read_text().splitlines()]
    expected = [(float(words[0]), float(words[6])) for words in lines if words[1] == "0" and words[5:6] == ["cwnd_"]]
    columns = client.get(f"/api/recordings/{head['id']}/series?what=cwnd&points=100000").json()["columns"]
    (column,) = (column for column in columns if head["flows"][column["flow"]]["source"] == 0)
    assert list(zip(column["times"], column["values"], strict=True)) == expected and len(expected) > 50


@pytest.mark.parametrize(("source", "least"), [(0, 100), (1, 1000)])
def test_round_trips_are_from_data_to_its_acknowledgement(
    client: TestClient, folder: Path, source: int, least: int
) -> None:
    head = read_head(client, "out.tr")
    flow = next(flow["id"] for flow in head["flows"] if flow["source"] == source)
    (column,) = client.get(f"/api/recordings/{head['id']}/series?what=rtt&flow={flow}&points=200000").json()["columns"]
    sent: dict[int, list[float]] = {}
    round_trips = {}
    for line in (folder / "out.tr").read_text().splitlines():
        words = line.split()
        if words[0] == "+" and words[2] == str(source) and words[4] == "tcp":
            sent.setdefault(int(words[10]), []).append(float(words[1]))
        elif words[0] == "r" and words[3] == str(source) and words[4] == "ack":
            times = sent.get(int(words[10]), [])
            if len(times) == 1 and int(words[10]) not in round_trips:
                round_trips[int(words[10])] = (float(words[1]), float(words[1]) - times[0])
    assert list(zip(column["times"], column["values"], strict=True)) == list(round_trips.values())
    assert len(round_trips) > least


def test_a_packet_s_way(client: TestClient, folder: Path) -> None:
    head = read_head(client, "out.tr")
    answer = client.get(f"/api/recordings/{head['id']}/packet/300").json()
    words = {"+": "enqueue", "-": "dequeue", "r": "receive", "d": "drop"}
    lines = [line.split() for line in (folder / "out.tr").read_text().splitlines()]
    lines = [line for line in lines if len(line) == 12 and line[11] == "300"]
    ends = {link["id"]: (link["from"], link["to"]) for link in head["links"]}
    told = [(event["t"], event["what"], *ends[event["link"]]) for event in answer["events"]]
    assert told == [(float(line[1]), words[line[0]], int(line[2]), int(line[3])) for line in lines]
    assert {(event["source"], event["destination"]) for event in answer["events"]} == {(lines[0][8], lines[0][9])}


def test_a_damaged_file_is_shown_up_to_the_damage(tmp_path: Path, folder: Path) -> None:
    text = (folder / "out.tr").read_text()
    (tmp_path / "cut.tr").write_text(text[: len(text) // 2])
    (tmp_path / "cut.tr.gz").write_bytes(gzip.compress(text.encode())[:-20_000])
    (tmp_path / "poem.tr").write_text("Shall I compare thee\n")
    (tmp_path / "empty.tr").write_text("")
    catalog = Catalog(folder=tmp_path)
    with TestClient(application(catalog), base_url="http://127.0.0.1") as client:
        for name in ("cut.tr", "cut.tr.gz"):
            head = read_head(client, name)
            assert "cut short" in head["damage"] and "damaged" in head["notes"][0]
            assert sum(chunk["rows"] for chunk in head["chunks"]) > 1000
        for name, why in (("poem.tr", "not an ns-2 packet trace"), ("empty.tr", "empty")):
            answer = client.get(f"/api/recordings/{ids(client)[name]}")
            assert answer.status_code == 422 and why in answer.json()["error"], name
    catalog.close()


def test_a_file_that_changes_is_read_anew(tmp_path: Path) -> None:
    line = "r {} 0 1 tcp 1040 ------- 1 0.0 1.0 {} {}\n"
    (tmp_path / "a.tr").write_text(line.format(1.0, 0, 0))
    catalog = Catalog(folder=tmp_path)
    with TestClient(application(catalog), base_url="http://127.0.0.1") as client:
        assert read_head(client, "a.tr")["end_s"] == 1.0
        (tmp_path / "a.tr").write_text(line.format(1.0, 0, 0) + line.format(2.0, 1, 1))
        assert read_head(client, "a.tr")["end_s"] == 2.0
    catalog.close()


def test_links_out_of_the_folder_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("secret.tr", "in/own.tr"):
        (tmp_path / name).write_text("r 1 0 1 tcp 1040 ------- 1 0.0 1.0 0 0\n")
    (tmp_path / "in" / "link.tr").symlink_to(tmp_path / "secret.tr")
    assert [item.name for item in within(tmp_path / "in")] == ["own.tr"]


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/api/recordings/nothere", 404, "unknown recording"),
        ("/api/recordings/..%2f..%2fetc%2fpasswd", 404, "etc"),
        ("/api/recordings/{id}/hops/99", 404, "no chunk 99"),
        ("/api/recordings/{id}/series?what=fame", 400, "'fame' is none of throughput"),
        ("/api/recordings/{id}/series?what=rtt&from=soon", 400, "expected a number of seconds"),
        ("/api/recordings/{id}/series?what=rtt&from=5&to=4", 400, "is not a valid interval"),
        ("/api/recordings/{id}/series?what=throughput&bin=1e-9", 400, "is not a valid interval"),
        ("/api/recordings/{id}/series?what=throughput&bin=-1", 400, "above 0"),
        ("/api/recordings/{id}/series?what=rtt&points=0", 400, "points"),
        ("/api/recordings/{id}/series?what=rtt&flow=70000", 400, ""),
        ("/api/recordings/{id}/packet/99999999999", 404, "no packet"),
        ("/api/recordings/{id}/state", 400, "t is missing"),
        ("/api/recordings/{id}/state?t=nan", 400, "t='nan'"),
        ("/api/fame", 404, "/api/fame"),
    ],
)
def test_refusals_say_why(client: TestClient, path: str, status: int, says: str) -> None:
    answer = client.get(path.format(id=ids(client)["out.tr"]))
    assert answer.status_code == status
    assert says in json.loads(answer.text)["error"]


#: Two-way TCP with the columns of its header, and a RED queue that marks.
MARKING = """
Trace set show_tcphdr_ 1
set ns [new Simulator]
set f [open full.tr w]; $ns trace-all $f
foreach n {0 1 2} { set n$n [$ns node] }
$ns duplex-link $n0 $n1 10Mb 1ms DropTail
Queue/RED set setbit_ true
Queue/RED set thresh_ 3
Queue/RED set maxthresh_ 9
Queue/RED set q_weight_ 0.1
$ns duplex-link $n1 $n2 1Mb 10ms RED
$ns queue-limit $n1 $n2 30
set t [new Agent/TCP/FullTcp/Sack]
set s [new Agent/TCP/FullTcp/Sack]
foreach a "$t $s" { $a set ecn_ 1; $a set fid_ 1; $a set segsize_ 960 }
$ns attach-agent $n0 $t
$ns attach-agent $n2 $s
$ns connect $t $s
$s listen
set ftp [$t attach-source FTP]
$ns at 0.1 "$ftp start"
$ns at 15.0 { $ns flush-trace; close $f; exit 0 }
$ns run
"""


@pytest.fixture(scope="session")
def marking(program: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("marking")
    (folder / "full.tcl").write_text(MARKING)
    subprocess.run([*program, "full.tcl"], cwd=folder, check=True, timeout=60)
    return folder


#: The same without the header's columns, with nam's file beside it.
HEADLESS = (
    MARKING.replace("Trace set show_tcphdr_ 1\n", "")
    .replace("full.tr", "bare.tr")
    .replace("$ns trace-all $f", "$ns trace-all $f; set g [open bare.nam w]; $ns namtrace-all $g")
)


@pytest.mark.parametrize("name", ["bare.tr", "bare.nam"])
def test_what_is_in_flight_is_not_told_by_acks_without_their_header(
    program: list[str], tmp_path: Path, name: str
) -> None:
    """An ACK of two-way TCP has the number of its own data there: ns-2's manual, "Trace support"."""
    (tmp_path / "bare.tcl").write_text(HEADLESS)
    subprocess.run([*program, "bare.tcl"], cwd=tmp_path, check=True, timeout=60)
    lines = [line.split() for line in (tmp_path / "bare.tr").read_text().splitlines()]
    sent = [(int(w[10]), int(w[5])) for w in lines if w[0] == "+" and w[2] == "0" and w[4] == "tcp"]
    catalog = Catalog(folder=tmp_path)
    with TestClient(application(catalog), base_url="http://127.0.0.1") as client:
        head = read_head(client, name)
        path = f"/api/recordings/{head['id']}"
        for what in ("in_flight", "rtt"):
            answer = client.get(f"{path}/series?what={what}&points=200000").json()
            assert answer["columns"] == [] and "show_tcphdr_" in answer["note"]
        (column,) = client.get(f"{path}/series?what=sequence&points=200000").json()["columns"]
        assert column["unit"] == "bytes" and max(column["values"]) == max(number for number, _ in sent) > 100_000
        # The handshake's last ACK has the number of the first data, and is no earlier copy of it.
        again = client.get(f"{path}/state?t=99").json()["flows"][0]["retransmitted"]
        assert again == len(sent) - len(set(sent)) > 0
    catalog.close()


def test_marks_and_round_trips_of_two_way_tcp(marking: Path) -> None:
    lines = [line.split() for line in (marking / "full.tr").read_text().splitlines()]
    marked = {(int(w[2]), int(w[3]), int(w[11])) for w in lines if w[0] == "-" and "E" in w[6]}
    sent: dict[int, list[float]] = {}
    expected = {}
    acknowledged = 0
    for words in lines:
        if words[0] == "+" and words[2] == "0" and int(words[5]) > int(words[14]):
            # The byte behind the segment's last, which its acknowledgement names.
            sent.setdefault(int(words[10]) + int(words[5]) - int(words[14]), []).append(float(words[1]))
        elif words[0] == "r" and words[3] == "0" and int(words[12]) > acknowledged:
            acknowledged = int(words[12])
            if len(sent.get(acknowledged, ())) == 1:
                expected[float(words[1])] = float(words[1]) - sent[acknowledged][0]
    catalog = Catalog(folder=marking)
    with TestClient(application(catalog), base_url="http://127.0.0.1") as client:
        head = read_head(client, "full.tr")
        ends = {link["id"]: (link["from"], link["to"]) for link in head["links"]}
        found = {(*ends[row["link"]], row["uid"]) for row in rows(client, head) if row["flags"] & 1}
        assert marked <= found and all((1, 2, uid) in marked for _, _, uid in found) and len(marked) > 10
        (column,) = client.get(f"/api/recordings/{head['id']}/series?what=rtt&points=200000").json()["columns"]
        assert dict(zip(column["times"], column["values"], strict=True)) == expected and len(expected) > 100
        state = client.get(f"/api/recordings/{head['id']}/state?t=99").json()
        arrived = {w[11] for w in lines if w[0] == "r" and w[3] == "2" and "E" in w[6]}
        assert state["flows"][0]["marked"] == len(arrived)
    catalog.close()
