"""The `ns3` sender against the real ns-3.25: every window of 40 s, byte by byte."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import ackclock as ac
from ackclock.scenario import defaults
from ackclock.scenario.resolve.network import resolve

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RECORDED = tomllib.loads((Path(__file__).parent / "ns3" / "windows.toml").read_text(encoding="utf-8"))


def handshake_s(rate_bps: float) -> float:
    """By how much ns-3's handshake is longer.

    A SYN and its answer have 58 bytes, not 42 and 54, over two links at 5 Mb/s and one at `rate_bps`, and a third
    packet of 54 goes before the first data. Timestamps count whole milliseconds, so this decides how round trips are
    rounded.
    """
    return (16 + 4) * 8 * (2 / 5e6 + 1 / rate_bps) + 54 * 8 / 5e6


def one_flow(control: str) -> ac.Scenario:
    queue = ac.Queue(limit="13 packets")
    rate_kbps = RECORDED[control]["rate_kbps"]
    return ac.Scenario(
        topology=ac.Dumbbell(
            pairs=1,
            access=ac.Link(rate="5 Mb/s", delay="10 ms", queue=queue),
            bottleneck=ac.Link(rate=f"{rate_kbps} kb/s", delay="20 ms", queue=queue),
        ),
        flows=[ac.Flow(pair=1, tcp="ns3", control=control, start=f"{handshake_s(rate_kbps * 1e3)!r} s")],
        duration="40 s",
        defaults="ns3_25",
        record=ac.Record(changes=True),
    )


@pytest.mark.parametrize("control", RECORDED)
def test_every_window_is_that_of_ns3(control: str) -> None:
    results = ac.run(one_flow(control))
    at: dict[float, int] = {}
    for row in results.rows("window_changes"):
        if row["time_s"] > 0:
            at[row["time_s"]] = round(row["cwnd_packets"] * 536)
    # ns-3 knows no window before the connection is open; here it is the initial one from the start.
    windows = [536]
    for window in at.values():
        if window != windows[-1]:
            windows.append(window)
    known = RECORDED[control]
    assert windows[: len(known["first"])] == known["first"]
    digest = hashlib.sha256("".join(f"{window}\n" for window in windows).encode()).hexdigest()
    assert (len(windows), digest) == (known["changes"], known["sha256"])
    (flow,) = results.rows("flows")
    assert abs(flow["delivered_bytes"] - known["goodput_mbps"] * 1e6 * 40 / 8) <= 536


def test_the_ns3_set_names_its_sources() -> None:
    found = defaults.data()["ns3_25"]
    for name, entry in found["tcp"].items():
        assert name in defaults.parameters("one_way") and (
            "Tcp" in entry["source"] or "bytes of TCP" in entry["source"]
        )
    flow = resolve(one_flow("westwood")).flows[0]
    # A segment of 536 bytes with 20 of TCP, 12 of timestamps, 20 of IP and 2 of PPP.
    assert flow.wire_bytes == 590 and flow.receiver == "sink_del_ack"
    assert flow.parameters["window_init"] == 1 and flow.parameters["minrto"] == 1.0
    assert flow.receiver_parameters == {
        "interval": 0.2,
        "duplicate_immediate_ack": True,
        "quick_acks": 1,
        "packet_size": 54,
    }


def test_the_syn_goes_alone_and_then_the_initial_window() -> None:
    """RFC 9293, 3.5: no data before the SYN's answer; RFC 6928: then ten segments."""
    scenario = one_flow("new_reno")
    flow = replace(scenario.flows[0], parameters={"window_init": "10 packets"})
    rows = ac.run(replace(scenario, flows=[flow], duration="1 s", record=ac.Record(packets=True))).rows("packets")
    answered_s = next(
        row["time_s"] for row in rows if (row["event"], row["kind"], row["to_node"]) == ("receive", "ack", 0)
    )
    sent = [row["time_s"] for row in rows if (row["event"], row["from_node"]) == ("enqueue", 0)]
    assert sum(time_s < answered_s for time_s in sent) == 1
    assert sum(time_s == answered_s for time_s in sent) == 10


def test_a_receiver_is_given_what_it_has() -> None:
    scenario = one_flow("new_reno")
    flow = ac.Flow(pair=1, tcp="reno", receiver="sink", receiver_parameters={"packet_size": "60 B"})
    found = resolve(ac.Scenario(topology=scenario.topology, flows=[flow], duration="1 s", defaults="ns3_25")).flows[0]
    assert "interval" not in found.receiver_parameters and found.receiver_parameters["packet_size"] == 60


@pytest.mark.parametrize(("tcp", "control", "word"), [("ns3", "cubic", "of ns3"), ("linux", "new_reno", "of linux")])
def test_controls_are_their_senders(tcp: str, control: str, word: str) -> None:
    topology = ac.Dumbbell(pairs=1, bottleneck=ac.Link(rate="1 Mb/s", delay="10 ms"))
    flow = ac.Flow(pair=1, tcp=tcp, control=control)
    with pytest.raises(ac.ScenarioError, match=f"a congestion control {word}"):
        resolve(ac.Scenario(topology=topology, flows=[flow], duration="1 s"))
