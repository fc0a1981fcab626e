"""Calls in scenarios: what is read, refused, recorded and measured. tests/spec/test_rtp_call.py has their figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.batch.sweep import grid_of
from ackclock.scenario.formats import as_toml
from ackclock.scenario.formats.as_tcl import script
from ackclock.scenario.resolve.network import resolve
from commands import ackclock as command


def table(**more: Any) -> dict[str, Any]:
    return {
        "duration": "3 s",
        "topology": {"kind": "dumbbell", "bottleneck": {"rate": "4 Mb/s", "delay": "10 ms"}},
        "flows": [{"name": "call", "pair": 1, "app": {"kind": "call"}, **more}, {"pair": 2, "tcp": "cubic"}],
        "seed": 3,
    }


def test_a_call_becomes_rtp_with_its_rates_and_its_packet_size() -> None:
    app = {"kind": "call", "min_rate": "200 kb/s", "max_rate": "3 Mb/s", "deadline": "100 ms"}
    (flow, _) = resolve(ac.Scenario.of(table(app=app, packet_size="1200 B", dscp="AF41"))).flows
    assert (flow.sender, flow.receiver, flow.is_tcp, flow.has_replies) == ("scream", "rtp_receiver", False, True)
    assert flow.parameters == {
        "mss": 1200, "target_bitrate_min": 200e3, "target_bitrate_max": 3e6, "dscp": 34
    }  # fmt: skip
    assert flow.receiver_parameters == {"deadline": 0.1}
    assert flow.wire_bytes == 1228


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"tcp": "cubic"}, 'flows.0.tcp = "cubic": a call goes over RTP'),
        ({"app": {"kind": "call", "fps": 0}}, "flows.0.app.fps = 0"),
        (
            {"app": {"kind": "call", "min_rate": "2 Mb/s"}},
            'flows.0.app.min_rate = "2 Mb/s": must not be above max_rate',
        ),
        ({"app": {"kind": "call", "frame_variation": -0.1}}, "flows.0.app.frame_variation = -0.1"),
        ({"receiver": "null"}, 'flows.0.receiver = "null"'),
        ({"parameters": {"msss": 1000}}, "flows.0.parameters.msss = 1000: unknown parameter"),
    ],
)
def test_what_is_wrong_is_named(more: dict[str, Any], said: str) -> None:
    with pytest.raises(ac.ScenarioError) as caught:
        resolve(ac.Scenario.of(table(**more)))
    assert said in str(caught.value)


def test_a_call_needs_a_way_back_for_its_reports() -> None:
    topology = ac.Graph(nodes=["a", "b"], links=[ac.Link(rate="1 Mb/s", delay="1 ms", ends=["a", "b"], simplex=True)])
    flow = ac.Flow(source="a", destination="b", app=ac.Call())
    with pytest.raises(ac.ScenarioError, match="no route from b to a"):
        ac.run(ac.Scenario(topology=topology, flows=[flow], duration="1 s"))


def test_there_are_tables_of_calls_where_there_are_calls() -> None:
    scenario = ac.Scenario.of(table())
    results = ac.run(scenario)
    assert [row["flow"] for row in results.rows("calls")] == [1]
    assert "frames" not in results
    with pytest.raises(AttributeError, match=r"Record\(changes=True\) keeps it"):
        _ = results.frames
    without = ac.run(ac.Scenario(topology=scenario.topology, flows=scenario.flows[1:], duration="1 s"))
    assert "calls" not in without


def test_frames_are_those_that_the_table_of_calls_counts(tmp_path: Path) -> None:
    results = ac.run(ac.Scenario.of(table() | {"record": {"changes": True}}))
    (row,) = results.rows("calls")
    delays = sorted(results.frames.column("delay_s"))
    assert len(delays) == row["delivered_frames"]
    assert sum(delays) / len(delays) == pytest.approx(row["frame_delay_mean_s"], rel=1e-9)
    assert (delays[0], delays[-1]) == (row["frame_delay_min_s"], row["frame_delay_max_s"])
    assert sum(delay > 0.15 for delay in delays) == row["late_frames"]
    results.save(tmp_path / "kept")
    assert ac.open(tmp_path / "kept").rows("calls") == [row]


def test_the_same_seed_gives_the_same_frames_and_another_gives_others() -> None:
    scenario = ac.Scenario.of(table())
    one, again, other = (ac.run(scenario, seed=seed).rows("calls") for seed in (3, 3, 4))
    assert one == again != other


def test_ns2_has_no_call() -> None:
    with pytest.raises(ac.ScenarioError, match=r"flows\.0\.app"):
        script(ac.Scenario.of(table()))


def test_a_sweep_measures_calls(tmp_path: Path) -> None:
    measure = {"flows": ["frame_delay_p95_s", "delay_p95_s"], "each": "flow"}
    done = ac.sweep(grid_of(ac.Scenario.of(table()), replications=2, measure=measure), store=tmp_path)
    for found in done.cells[0].runs.values():
        # The path alone takes 12 ms.
        assert found["frame_delay_p95_s.call"] > 0.012
        assert "frame_delay_p95_s.cubic-2" not in found
        assert "delay_p95_s.cubic-2" in found


def test_the_command_prints_calls(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(as_toml.text(ac.Scenario.of(table())))
    done = command("run", "net.toml", cwd=tmp_path)
    head = next(line for line in done.stdout.splitlines() if "encoded" in line)
    assert head.split()[:5] == ["call", "encoded", "Mb/s", "frames", "lost"]
