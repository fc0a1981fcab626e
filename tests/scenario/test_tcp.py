"""`tcp`: a whole TCP connection in a scenario. The figures are computed by hand from the network."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac

MSS = 1448
WIRE = 1500


def flow(tmp: Path | None = None, queue: ac.Queue | None = None, duration: str = "20 s", **flow: Any) -> dict[str, Any]:
    """The row of one flow over 20 Mb/s with 44 ms of propagation round trip."""
    link = ac.Link(rate="20 Mb/s", delay="20 ms", queue=queue or ac.Queue(limit="1 BDP"))
    access = ac.Link(rate="100 Mb/s", delay="1 ms", queue=ac.Queue(limit="1000 packets"))
    scenario = ac.Scenario(
        topology=ac.Dumbbell(pairs=1, bottleneck=link, access=access),
        flows=[ac.Flow(pair=1, tcp="tcp", **flow)],
        duration=duration,
        defaults="linux",
    )
    (row,) = ac.run(scenario, pcapng=None if tmp is None else tmp / "run.pcapng").rows("flows")
    return row


@pytest.mark.parametrize("control", ["reno", "cubic", "bbr"])
def test_a_bulk_transfer_fills_the_link(control: str) -> None:
    row = flow(control=control)
    # A buffer of one BDP keeps the link busy (Appenzeller et al. 2004); of each 1500 bytes 1448 are data.
    assert 0.95 * 20e6 * MSS / WIRE < row["goodput_bps"] <= 20e6 * MSS / WIRE


def test_a_window_limits_the_rate() -> None:
    row = flow(control="reno", window="20 packets")
    # RFC 9293, 3.8.6: at most a window per round trip. Packets and ACKs take 44.9 ms with nothing queued.
    most = 20 * MSS * 8 / 0.0449
    assert 0.85 * most < row["goodput_bps"] < 1.02 * most and row["dropped_packets"] == 0


def test_a_transfer_is_delivered_once_and_acknowledged() -> None:
    row = flow(control="reno", app=ac.Ftp(size="1000 packets"))
    assert row["delivered_bytes"] == 1000 * MSS
    assert row["completion_s"] is not None and row["in_flight_packets"] == 0


def test_requests_and_responses_use_one_connection() -> None:
    row = flow(control="cubic", app=ac.Requests(request="200 B", response="30 kB", times=5))
    assert (row["delivered_bytes"], row["replies_delivered_bytes"]) == (5 * 200, 5 * 30_000)


def test_ecn_replaces_drops() -> None:
    codel = ac.Queue(kind="codel", limit="1000 packets", parameters={"ecn": True})
    row = flow(control="cubic", queue=codel, parameters={"ecn": True})
    assert row["marked_packets"] > 0 and row["dropped_packets"] == 0 and row["retransmitted_packets"] == 0


def test_prague_uses_the_low_latency_queue() -> None:
    # RFC 9331, 4.1: a scalable control sends ECT(1). RFC 9332: such packets are marked, not dropped.
    row = flow(control="prague", queue=ac.Queue(kind="dualpi2", limit="1000 packets"))
    assert row["marked_packets"] > 100 and row["dropped_packets"] == 0
    # 22 ms of propagation and less than 1 ms of transmission; a classic flow would wait DualPI2's target of 15 ms more.
    assert row["delay_p50_s"] < 0.0265


def test_the_same_run_twice() -> None:
    assert flow(control="cubic", duration="5 s") == flow(control="cubic", duration="5 s")


def test_a_control_that_does_not_exist() -> None:
    with pytest.raises(ac.ScenarioError, match="congestion control of tcp"):
        flow(control="cubik")


def test_a_capture_is_a_connection_without_faults(tmp_path: Path) -> None:
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.skip("tshark is not installed (Debian: apt-get install tshark)")
    big = ac.Queue(limit="2000 packets")
    flow(tmp_path, big, control="reno", app=ac.Ftp(size="300 packets"))
    read = [tshark, "-r", str(tmp_path / "run.pcapng"), "-o", "tcp.check_checksum:TRUE"]
    # Nothing is lost, so the expert has only the start of the connection to speak of.
    shows_warnings = [*read, "-Y", "_ws.expert.severity >= 0x400000"]
    expert = subprocess.run(shows_warnings, capture_output=True, text=True, check=True)
    assert expert.stdout == ""
    fields = ["tcp.options.mss_val", "tcp.options.sack_perm"]
    shown = subprocess.run(
        [*read, "-c", "3", "-T", "json", *(word for field in fields for word in ("-e", field))],
        capture_output=True,
        text=True,
        check=True,
    )
    syn, syn_ack, _ = (row["_source"]["layers"] for row in json.loads(shown.stdout))
    for packet in (syn, syn_ack):
        assert packet["tcp.options.mss_val"] == ["1460"] and "tcp.options.sack_perm" in packet
