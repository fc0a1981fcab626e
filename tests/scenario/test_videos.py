"""Videos in scenarios: what is read, refused, recorded and measured. tests/spec/test_video.py has their figures."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.batch.sweep import grid_of
from ackclock.scenario.formats import as_toml
from ackclock.scenario.formats.as_tcl import script
from commands import ackclock as command


def table(**more: Any) -> dict[str, Any]:
    return {
        "duration": "10 s",
        "topology": {"kind": "dumbbell", "bottleneck": {"rate": "4 Mb/s", "delay": "10 ms"}},
        "flows": [
            {"name": "film", "pair": 1, "tcp": "cubic", "app": "video", **more},
            {"pair": 2, "tcp": "cubic"},
        ],
        "seed": 3,
    }


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"app": {"kind": "video", "bitrates": []}}, "flows.0.app.bitrates: expected at least one bitrate"),
        (
            {"app": {"kind": "video", "bitrates": ["1 Mb/s", "500 kb/s"]}},
            'flows.0.app.bitrates.1 = "500 kb/s": must be above the bitrate before it, 1 Mb/s',
        ),
        ({"app": {"kind": "video", "segment": "0 s"}}, 'flows.0.app.segment = "0 s": must be more than 0'),
        ({"app": {"kind": "video", "buffer": "3 s"}}, 'flows.0.app.buffer = "3 s": must be more than a segment, 3 s'),
        ({"app": {"kind": "video", "gamma_p": 0.5}}, "flows.0.app.gamma_p = 0.5: must be at least 1"),
        ({"app": {"kind": "video", "segments": 0}}, "flows.0.app.segments = 0: expected at least 1"),
        ({"app": {"kind": "video", "request": "0 B"}}, 'flows.0.app.request = "0 B"'),
        ({"app": {"kind": "video", "bitrate": "1 Mb/s"}}, "flows.0.app.bitrate"),
        ({"tcp": "sack"}, 'flows.0.tcp = "sack": requests go both ways; expected two-way TCP'),
        ({"tcp": None}, "flows.0.tcp: the key is missing; video goes over TCP"),
        (
            {"spans": [{"start": "0 s", "stop": "1 s"}, {"start": "2 s"}]},
            "flows.0.spans: a viewer who has left does not come back",
        ),
        ({"arrivals": {"interval": "1 s", "size": "10 kB"}}, "flows.0.arrivals"),
    ],
)
def test_what_is_wrong_is_named(more: dict[str, Any], said: str) -> None:
    wrong = table(**more)
    wrong["flows"][0] = {key: value for key, value in wrong["flows"][0].items() if value is not None}
    with pytest.raises(ac.ScenarioError) as caught:
        ac.run(ac.Scenario.of(wrong))
    assert said in str(caught.value)


def test_there_are_tables_of_videos_where_there_are_videos(tmp_path: Path) -> None:
    results = ac.run(ac.Scenario.of(table()))
    (row,) = results.rows("videos")
    segments = results.rows("segments")
    assert row["flow"] == 1 and len(segments) == row["segments"] > 0
    rates = [segment["bitrate_bps"] for segment in segments]
    assert sum(rates) / len(rates) == pytest.approx(row["bitrate_mean_bps"])
    assert sum(a != b for a, b in pairwise(rates)) == row["switches"]
    assert [segment["segment"] for segment in segments] == list(range(len(segments)))
    results.save(tmp_path / "kept")
    assert ac.open(tmp_path / "kept").rows("videos") == [row]
    scenario = ac.Scenario.of(table())
    without = ac.run(ac.Scenario(topology=scenario.topology, flows=scenario.flows[1:], duration="1 s"))
    assert "videos" not in without and "segments" not in without


def test_the_video_goes_from_the_source_to_the_destination() -> None:
    results = ac.run(ac.Scenario.of(table()))
    flow = results.rows("flows")[0]
    assert flow["delivered_bytes"] >= sum(segment["size_bytes"] for segment in results.rows("segments"))
    assert flow["replies_delivered_bytes"] % 300 == 0


def test_ns2_has_no_video() -> None:
    with pytest.raises(ac.ScenarioError, match=r"flows\.0\.app"):
        script(ac.Scenario.of(table()))


def test_a_sweep_measures_videos(tmp_path: Path) -> None:
    measure = {"flows": ["rebuffering_ratio", "bitrate_mean_bps", "goodput_bps"], "each": "flow"}
    done = ac.sweep(grid_of(ac.Scenario.of(table()), replications=2, measure=measure), store=tmp_path)
    for found in done.cells[0].runs.values():
        assert found["bitrate_mean_bps.film"] >= 230e3
        assert "bitrate_mean_bps.cubic-2" not in found and "goodput_bps.cubic-2" in found


def test_the_command_prints_videos(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(as_toml.text(ac.Scenario.of(table())))
    done = command("run", "net.toml", cwd=tmp_path)
    head = next(line for line in done.stdout.splitlines() if "rebuffering" in line)
    assert head.split()[:4] == ["video", "bitrate", "Mb/s", "segments"]
