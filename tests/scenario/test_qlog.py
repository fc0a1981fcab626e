"""qlog of a run: the records are the draft's, and their numbers those of the run's tables.

Source: draft-ietf-quic-qlog-main-schema-02 and draft-ietf-quic-qlog-quic-events-01, of which qvis reads version 0.3.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.cli import main

MSS = 1448
NUMBER = (int, float)

#: quic-events, sections 5.5, 5.6, 7.2 to 7.4 and appendix A: event -> its fields here and their types
EVENTS: dict[str, dict[str, Any]] = {
    "transport:packet_sent": {"header": dict, "raw": dict, "frames": list, "trigger": str},
    "transport:packet_received": {"header": dict, "raw": dict, "frames": list},
    "recovery:packet_lost": {"header": dict},
    "recovery:metrics_updated": {
        **dict.fromkeys(["min_rtt", "smoothed_rtt", "latest_rtt"], NUMBER),
        **dict.fromkeys(["pto_count", "congestion_window", "bytes_in_flight", "ssthresh"], int),
        **dict.fromkeys(["packets_in_flight", "pacing_rate"], int),
    },
    "recovery:congestion_state_updated": {"old": str, "new": str},
}
FRAMES: dict[str, dict[str, Any]] = {
    "stream": {"frame_type": str, "stream_id": int, "offset": int, "length": int, "fin": bool},
    "ack": {"frame_type": str, "acked_ranges": list},
}
TRIGGERS = {"retransmit_reordered", "retransmit_timeout", "pto_probe"}


def described(**settings: Any) -> ac.Scenario:
    """Two flows over 10 Mb/s, 20 ms and a short queue; of the first, some packets are lost at random."""
    lossy = [ac.Loss(rate=0.01, flows=["cubic"])]
    return ac.Scenario(
        topology=ac.Dumbbell(
            pairs=2,
            bottleneck=ac.Link(rate="10 Mb/s", delay="20 ms", queue=ac.Queue(limit="20 packets"), loss=lossy),
            access=ac.Link(rate="100 Mb/s", delay="1 ms"),
        ),
        flows=[
            ac.Flow(pair=1, tcp="cubic", name="cubic", stop="6 s"),
            ac.Flow(pair=2, tcp="bbr", name="b/b r", start="1 s"),
        ],
        duration="8 s",
        defaults="linux",
        seed=1,
        record=ac.Record(changes=True, **settings),
    )


def records(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The head and the events of a JSON text sequence (RFC 7464, 2.2)."""
    first, *parts = path.read_bytes().split(b"\x1e")
    assert first == b"" and all(part.endswith(b"\n") for part in parts)
    head, *events = map(json.loads, parts)
    return head, events


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[ac.Results, Path]:
    folder = tmp_path_factory.mktemp("qlog") / "of a run"
    return ac.run(described(), qlog=folder), folder


def test_each_flow_has_a_file_of_the_drafts_events(run: tuple[ac.Results, Path]) -> None:
    _, folder = run
    assert sorted(path.name for path in folder.iterdir()) == ["b_b_r.sqlog", "cubic.sqlog"]
    for path in folder.iterdir():
        head, events = records(path)
        assert (head["qlog_version"], head["qlog_format"]) == ("0.3", "JSON-SEQ")
        assert head["trace"]["vantage_point"]["type"] in ("client", "server", "network", "unknown")
        assert head["trace"]["common_fields"]["time_format"] == "relative"
        times = [event["time"] for event in events]
        assert times == sorted(times) and {event["name"] for event in events} <= EVENTS.keys()
        for event in events:
            assert event.keys() == {"time", "name", "data"}
            for name, value in event["data"].items():
                assert isinstance(value, EVENTS[event["name"]][name]), (event, name)
            for frame in event["data"].get("frames", []):
                assert {name: type(value) for name, value in frame.items()} == FRAMES[frame["frame_type"]]
            if header := event["data"].get("header"):
                assert header["packet_type"] == "1RTT" and isinstance(header["packet_number"], int)
            assert event["data"].get("trigger", "pto_probe") in TRIGGERS


def test_qvis_takes_it(run: tuple[ac.Results, Path]) -> None:
    """What qvis's code asks of a file, or else refuses, repairs or leaves out.

    Source: github.com/quiclog/qvis, commit 72c8c4b: `FileLoader.ts`, `textsequencejsontoqlog.ts`, `QlogSchema02.ts`,
    `QlogLoaderV2.ts`, and `CongestionGraphD3Renderer.ts` (`parseQlog`). Its own code, in Chromium, counted in such
    files the packets of our tables, without a message, and drew them.
    """
    results, folder = run
    for path, flow in ((folder / "cubic.sqlog", 0), (folder / "b_b_r.sqlog", 1)):
        assert path.suffix in (".sqlog", ".qlogseq")  # others are guessed from the first kilobyte
        head, events = records(path)
        assert head["qlog_version"] in ("draft-02", "draft-02-RC1", "qlog-03-WIP", "0.3")
        assert head["qlog_format"] == "JSON-SEQ" and isinstance(head["trace"], dict)
        common = head["trace"]["common_fields"]
        assert common["time_format"] == "relative" and isinstance(common["reference_time"], (int, float))
        assert "group_id" not in events[0], "its events would be split into several connections"
        times = [event["time"] for event in events]
        assert times == sorted(times), "it warns of others, and sorts them"
        assert all(event["name"].count(":") == 1 for event in events)
        for event in events:
            # What draft 01 had elsewhere is repaired with a warning.
            assert "packet_type" not in event["data"]
            assert not {"packet_size", "payload_length"} & event["data"].get("header", {}).keys()
        of = {kind: [event["data"] for event in events if event["name"] == kind] for kind in EVENTS}
        for kind in ("transport:packet_sent", "transport:packet_received"):
            assert all(packet["raw"]["length"] > 0 for packet in of[kind]), "a packet without a length is not drawn"
        # Packets are looked up by type and number; one that was not sent is left out.
        sent = [(one["header"]["packet_type"], one["header"]["packet_number"]) for one in of["transport:packet_sent"]]
        assert len(sent) == len(set(sent)) == results.rows("flows")[flow]["sent_packets"]
        lost = {(one["header"]["packet_type"], one["header"]["packet_number"]) for one in of["recovery:packet_lost"]}
        ranges = [
            (one["header"]["packet_type"], first, last)
            for one in of["transport:packet_received"]
            for frame in one["frames"]
            for first, last in frame.get("acked_ranges", ())
        ]
        acked = {(kind, number) for kind, first, last in ranges for number in range(first, last + 1)}
        assert lost <= set(sent) and len(acked) > 500 and acked <= set(sent)
        # The lines of its lower graphs.
        drawn = {name for metrics in of["recovery:metrics_updated"] for name in metrics}
        assert {"congestion_window", "bytes_in_flight", "min_rtt", "smoothed_rtt", "latest_rtt"} <= drawn


@pytest.mark.parametrize(("number", "name"), [(1, "cubic"), (2, "b_b_r")])
def test_packets_are_those_of_the_tables(run: tuple[ac.Results, Path], number: int, name: str) -> None:
    results, folder = run
    row = results.rows("flows")[number - 1]
    _, events = records(folder / f"{name}.sqlog")
    of = {kind: [event["data"] for event in events if event["name"].endswith(kind)] for kind in EVENTS}
    sent, received = of["transport:packet_sent"], of["transport:packet_received"]
    assert [packet["header"]["packet_number"] for packet in sent] == list(range(row["sent_packets"]))
    assert sum(packet["raw"]["length"] for packet in sent) == row["sent_bytes"]
    assert len(received) == row["replies_received_packets"]
    assert sum("trigger" in packet for packet in sent) == row["retransmitted_packets"]
    # Nothing is lost but what the table says was dropped, a few that were only late, and what is sent again as a probe.
    lost = {packet["header"]["packet_number"] for packet in of["recovery:packet_lost"]}
    assert row["dropped_packets"] > 10 and abs(len(lost) - row["dropped_packets"]) <= 0.1 * row["dropped_packets"]
    # An ACK acknowledges each packet once, and of those that arrived no other is left out.
    acked = [
        packet
        for reply in received
        for frame in reply["frames"]
        if frame["frame_type"] == "ack"
        for first, last in frame["acked_ranges"]
        for packet in range(first, last + 1)
    ]
    assert len(acked) == len(set(acked))
    assert len(set(acked) - lost) <= row["received_packets"]
    # What was dropped last is not known to be lost when the run ends: at most what the path holds, which is its
    # bandwidth-delay product, 10 Mb/s * 44 ms = 36.7 packets of 1500 bytes, and the queue of 20.
    held = 10e6 * 0.044 / (8 * 1500) + 20
    assert len(acked) + len(lost - set(acked)) + row["in_flight_packets"] + held > row["sent_packets"]


@pytest.mark.parametrize(("number", "name"), [(1, "cubic"), (2, "b_b_r")])
def test_windows_are_those_of_the_tables(run: tuple[ac.Results, Path], number: int, name: str) -> None:
    results, folder = run
    _, events = records(folder / f"{name}.sqlog")
    changes = [row for row in results.rows("window_changes") if row["flow"] == number]
    metrics = [(event["time"], event["data"]) for event in events if event["name"] == "recovery:metrics_updated"]
    # The table has each change of the window; several at one time are one event.
    for field, column in (("congestion_window", "cwnd_packets"), ("ssthresh", "ssthresh_packets")):
        table: dict[int, int] = {}
        for row in changes:
            if row[column] is not None and row[column] != float("inf"):
                table[round(row["time_s"] * 1e9)] = int(row[column] * MSS)
        logged = {round(time * 1e6): data[field] for time, data in metrics if field in data}
        # The initial window of ten packets is no change, and is logged again when the handshake shows the options.
        begun = {at: value for at, value in logged.items() if value not in (10 * MSS, 10 * (MSS + 12))}
        assert len(begun) > (5 if field == "congestion_window" or name == "cubic" else 0)
        assert begun.items() <= table.items()
    # The round trip is at least that of the links: 2 * (20 + 2 * 1) ms.
    assert 44.0 < min(data["min_rtt"] for _, data in metrics if "min_rtt" in data) < 47.0
    # Linux's smoothed RTT is 7/8 of the last one and 1/8 of the sample (RFC 6298, 2.3), in whole microseconds.
    smoothed: float | None = None
    for _, data in metrics:
        if "smoothed_rtt" in data and "latest_rtt" in data and smoothed is not None:
            assert abs(data["smoothed_rtt"] - (7 * smoothed + data["latest_rtt"]) / 8) < 0.005
        smoothed = data.get("smoothed_rtt", smoothed)


def test_states_are_those_of_the_control(run: tuple[ac.Results, Path]) -> None:
    results, folder = run
    for name in ("cubic", "b_b_r"):
        _, events = records(folder / f"{name}.sqlog")
        states = [event["data"] for event in events if event["name"] == "recovery:congestion_state_updated"]
        for before, after in itertools.pairwise(states):
            assert after["old"] == before["new"] != after["new"]
        found = {state["new"] for state in states}
        if name == "cubic":
            assert {"slow_start", "recovery", "congestion_avoidance"} <= found
        else:
            model = {row["state"] for row in results.rows("model_changes") if row["flow"] == 2}
            assert model <= found <= model | {"recovery", "loss"}


def test_names_choose_the_flows(tmp_path: Path) -> None:
    ac.run(described(qlog=["cubic"]), qlog=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["cubic.sqlog"]
    with pytest.raises(
        ac.ScenarioError, match=r'record\.qlog\.0 = "cubik": expected a flow of today.s TCP: cubic, b/b r'
    ):
        ac.run(described(qlog=["cubik"]))


def test_names_of_files_are_ascii_and_distinct(tmp_path: Path) -> None:
    """A file system may change letters beyond ASCII (HFS+ decomposes them), and some take no capital for another."""
    scenario = described()
    names = ["\u00e4", "\u00f6", "\u0627/..", "A", "a"]
    flows = [ac.Flow(pair=1, tcp="cubic", name=name, stop="0.1 s") for name in names]
    bottleneck = ac.Link(rate="10 Mb/s", delay="20 ms", queue=ac.Queue(limit="20 packets"))
    topology = ac.Dumbbell(pairs=1, bottleneck=bottleneck, access=ac.Link(rate="100 Mb/s", delay="1 ms"))
    ac.run(replace(scenario, flows=flows, topology=topology, duration="0.2 s"), qlog=tmp_path)
    files = ["A.sqlog", "_.2.sqlog", "_.sqlog", "____.sqlog", "a.5.sqlog"]
    assert sorted(path.name for path in tmp_path.iterdir()) == files


def test_an_empty_list_of_names_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ac.ScenarioError, match=r"record\.qlog = \[\]: expected names of flows"):
        ac.run(described(qlog=[]), qlog=tmp_path / "qlogs")
    assert not (tmp_path / "qlogs").exists()


def test_a_run_without_todays_tcp_has_no_qlog(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old.toml").write_text(
        'duration = "1 s"\nflows = [{ pair = 1, tcp = "reno" }]\n[topology]\nkind = "dumbbell"\npairs = 1\n'
        'bottleneck = { rate = "1 Mb/s", delay = "10 ms" }\naccess = { rate = "10 Mb/s", delay = "1 ms" }\n'
    )
    assert main(["run", str(tmp_path / "old.toml"), "--qlog", str(tmp_path / "qlogs")]) == 1
    assert "no flow has it" in capsys.readouterr().err
    assert not (tmp_path / "qlogs").exists()
