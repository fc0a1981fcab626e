"""Adaptive video over TCP: figures worked by hand. crates/engine/tests/sabre.rs holds the choices to Sabre's."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import ackclock as ac

#: One bitrate: 1 Mb/s in segments of 2 s, 250,000 bytes.
STEADY = ac.Video(bitrates=["1 Mb/s"], segment="2 s", buffer="10 s")
SEGMENT_BYTES = 250_000
#: Data in a packet of 1500 bytes with timestamps.
DATA_PART = 1448 / 1500


def run(rate: str, app: ac.Video, duration: str = "60 s", **more: Any) -> ac.Results:
    """A video over one link, there and back 20 ms."""
    link = ac.Link(rate=rate, delay="10 ms", queue=ac.Queue(limit="1000 packets"))
    film = ac.Flow(source="node1", destination="node2", tcp="cubic", app=app, name="film", **more)
    topology = ac.Chain(nodes=2, link=link)
    return ac.run(ac.Scenario(topology=topology, flows=[film], duration=duration, defaults="linux"))


def film(results: ac.Results) -> dict[str, Any]:
    """The row of the only video."""
    (row,) = results.rows("videos")
    return row


def test_a_fast_path_fills_the_buffer_and_then_waits_for_room() -> None:
    results = run("20 Mb/s", STEADY)
    row, segments = film(results), results.rows("segments")
    assert (row["rebuffering_s"], row["rebufferings"], row["switches"]) == (0, 0, 0)
    assert row["bitrate_mean_bps"] == 1e6
    assert {segment["size_bytes"] for segment in segments} == {SEGMENT_BYTES}
    # A handshake and a request take 30 ms, the segment 0.1 s and the round trips of slow start.
    assert 0.13 < row["startup_delay_s"] < 0.13 + 5 * 0.02 + 0.05
    # Played from the first segment to the end.
    assert row["played_s"] == pytest.approx(60 - row["startup_delay_s"], rel=1e-9)
    # With 10 s at most, a segment of 2 s is asked for when 8 s are left.
    full = segments[len(segments) // 2 :]
    for segment in full:
        assert segment["buffer_s"] == pytest.approx(8, abs=1e-6)
    for before, after in pairwise(full):
        assert after["requested_s"] - before["requested_s"] == pytest.approx(2, abs=1e-6)


def test_a_slow_path_gives_the_part_of_the_time_that_it_can_carry() -> None:
    # 0.8 Mb/s carry 0.77 Mb/s of data: of a video of 1 Mb/s, the buffer is empty for the rest of the time.
    row = film(run("0.8 Mb/s", STEADY, duration="200 s"))
    assert row["rebuffering_ratio"] == pytest.approx(1 - 0.8 * DATA_PART, abs=0.02)
    # Each segment is waited for.
    assert row["rebufferings"] in (row["segments"] - 1, row["segments"])
    watched_s = row["played_s"] + row["rebuffering_s"]
    assert watched_s == pytest.approx(200 - row["startup_delay_s"], rel=1e-9)


def test_the_player_chooses_what_the_path_carries() -> None:
    # BOLA's utility grows with the bitrate, so the mean approaches what the path carries; it cannot exceed it for long.
    results = run("3 Mb/s", ac.Video(), duration="300 s")
    row = film(results)
    assert 0.75 * 3e6 * DATA_PART < row["bitrate_mean_bps"] < 1.05 * 3e6 * DATA_PART
    assert row["rebuffering_s"] == 0
    # "BOLA begins low": an empty buffer asks for the lowest bitrate.
    assert results.rows("segments")[0]["bitrate_bps"] == 230e3


def test_a_film_of_three_segments_ends() -> None:
    app = ac.Video(bitrates=["1 Mb/s"], segment="2 s", buffer="10 s", segments=3)
    results = run("20 Mb/s", app)
    row, (flow,) = film(results), results.rows("flows")
    assert (row["segments"], row["played_s"], row["rebuffering_s"]) == (3, 6, 0)
    assert flow["delivered_bytes"] == 3 * SEGMENT_BYTES
    assert flow["completion_s"] == pytest.approx(results.rows("segments")[-1]["time_s"] - flow["start_s"], abs=1e-9)
    # Three requests of 300 bytes went back.
    assert flow["replies_delivered_bytes"] == 3 * 300


def test_a_viewer_who_leaves_asks_for_nothing_more() -> None:
    results = run("20 Mb/s", STEADY, stop="20 s")
    row = film(results)
    assert row["played_s"] == pytest.approx(20 - row["startup_delay_s"], rel=1e-9)
    assert max(segment["requested_s"] for segment in results.rows("segments")) <= 20


@pytest.mark.parametrize("tcp", ["full_sack", "bbr"])
def test_other_senders_carry_it(tcp: str) -> None:
    link = ac.Link(rate="20 Mb/s", delay="10 ms", queue=ac.Queue(limit="1000 packets"))
    flow = ac.Flow(source="node1", destination="node2", tcp=tcp, app=STEADY)
    results = ac.run(ac.Scenario(topology=ac.Chain(nodes=2, link=link), flows=[flow], duration="20 s"))
    assert film(results)["segments"] >= 10
