"""`ackclock attack`: what it finds fails, again and again, and is small."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import ackclock as ac
from ackclock.batch.attack import FEATURES, attack
from ackclock.batch.attack.evaluate import FILE, AttackError, Evaluator
from ackclock.batch.attack.minimise import minimised
from ackclock.batch.attack.properties import PROPERTIES, find_property
from ackclock.batch.attack.space import (
    Candidate,
    Quantity,
    Space,
    capacity_bits,
    gaps_s,
    made,
    scenario_table,
    settled_s,
)
from ackclock.batch.attack.witness import Witness
from ackclock.cli import main
from ackclock.scenario.formats.read import load

#: Slow senders whose failures are found in a few networks.
QUICK: dict[str, Any] = {"features": ["pulses"], "evaluations": 64, "witnesses": 1, "duration_s": 5.0}


def usual(*features: str, duration_s: float = 10.0, **others: float) -> Candidate:
    values = {f"{name}.{each.name}": each.usual for name in features for each in FEATURES[name].quantities}
    return made(set(features), values | {name.replace("__", "."): value for name, value in others.items()}, duration_s)


def test_quantity_spans_its_range_in_three_digits() -> None:
    quantity = Quantity("rate_mbps", 1, 100, 10)
    assert [quantity.at(part) for part in (-1, 0, 0.5, 1, 2)] == [1, 1, 10, 100, 100]
    assert quantity.at(0.123456) == 1.77  # 100 ** 0.123456 = 1.7657...
    count = Quantity("times", 1, 16, 1, is_count=True)
    assert [count.at(part) for part in (0, 0.5, 0.6, 1)] == [1, 4, 5, 16]  # 16 ** 0.6 = 5.27...


def test_capacity_by_hand() -> None:
    # 10 Mb/s for 10 s.
    assert capacity_bits(usual("path")) == pytest.approx(100e6)
    # The last 4 s only.
    assert capacity_bits(usual("path"), begin_s=6.0) == pytest.approx(40e6)
    # Down for 1 s.
    assert capacity_bits(usual("path", "outage")) == pytest.approx(90e6)
    # 5 s at 10 Mb/s, then 5 s at 20 Mb/s; of the latter one is lost to the outage, which begins with the step.
    assert capacity_bits(usual("path", "outage", "rate_step")) == pytest.approx(50e6 + 80e6)
    # A pulse of the full rate takes 0.1 s of each second.
    assert capacity_bits(usual("path", "pulses")) == pytest.approx(90e6)
    # The application sends half of the time.
    assert capacity_bits(usual("path", "pauses")) == pytest.approx(50e6)


@pytest.mark.parametrize("name", FEATURES)
def test_each_feature_makes_a_network_that_runs(name: str) -> None:
    asked = PROPERTIES["starvation"]
    flows = asked.flows({"tcp": "tcp", "control": "reno"}, {})
    for part in (0.0, 1.0):
        values = {f"{n}.{each.name}": each.at(part) for n in ("path", name) for each in FEATURES[n].quantities}
        table = scenario_table(made({"path", name}, values | {"path.rate_mbps": 2.0}, 2.0), flows, 1)
        assert ac.run(ac.Scenario.of(table)).flows.column("flow")[:2] == [1, 2]


def test_when_a_network_is_settled_by_hand() -> None:
    assert settled_s(usual("path", "loss", "queue")) == 0
    # At half of 10 s, for 1 s.
    assert settled_s(usual("path", "outage")) == pytest.approx(6)
    assert settled_s(usual("path", "delay_step", "late")) == pytest.approx(5)
    # 1 s, 1.5 s and 2 s, each for 50 ms.
    drops = usual("path", "drops", drops__times=3.0, drops__gap_s=0.45)
    assert gaps_s(drops.of("drops")) == [pytest.approx(gap) for gap in ((1, 1.05), (1.5, 1.55), (2, 2.05))]
    assert settled_s(drops) == pytest.approx(2.05)


def datagrams(*features: str, **others: float) -> ac.Results:
    """Two flows of datagrams of 1000 bytes, each 4 Mb/s, over 10 Mb/s for 3 s."""
    app = {"kind": "cbr", "rate": "4 Mb/s", "packet_size": "1000 B"}
    flows = [{"name": f"subject{number}", "app": app} for number in (1, 2)]
    candidate = usual("path", *features, duration_s=3.0, **others)
    return ac.run(ac.Scenario.of(scenario_table(candidate, flows, 1)))


def test_drops_lose_what_arrives_while_they_last() -> None:
    results = datagrams("drops", drops__times=2.0, drops__gap_s=0.9, drops__length_s=0.1)
    # 500 packets a second: 50 in each of two times of 0.1 s.
    first, second = results.flows.column("dropped_packets")
    assert first == pytest.approx(100, abs=2) and second == 0


def test_own_jitter_delays_the_first_subject_alone() -> None:
    first, second = datagrams("own_jitter", own_jitter__max_delay_s=0.05).rows("flows")
    # 20 ms on the wire. 500 packets a second in order: each has nearly the longest of some 25 delays.
    assert first["delay_p95_s"] == pytest.approx(0.07, abs=0.005)
    assert second["delay_max_s"] < 0.024


def test_marks_are_given_instead_of_drops() -> None:
    for kind in (0.0, 1.0, 2.0):
        flow = {"name": "subject1", "tcp": "tcp", "control": "dctcp", "window": "1000 packets"}
        candidate = usual("path", "marks", duration_s=5.0, marks__kind=kind, path__buffer_bdp=4)
        row = ac.run(ac.Scenario.of(scenario_table(candidate, [flow], 1))).rows("flows")[0]
        assert row["marked_packets"] > 0


def measured(flows: int, rate_mbps: Mapping[int, float], duration_s: float) -> Any:
    """What a figure reads of a run in which flow n has `rate_mbps[n]` in the last quarter, and 9 Mb/s before."""
    times = [(step + 1) / 10 for step in range(round(10 * duration_s))]
    rows = [(at_s, flow) for at_s in times for flow in range(1, flows + 1)]
    rates = [1e6 * (rate_mbps[flow] if at_s > 0.75 * duration_s else 9.0) for at_s, flow in rows]
    columns = {"time_s": [row[0] for row in rows], "flow": [row[1] for row in rows], "throughput_bps": rates}
    series = SimpleNamespace(column=columns.__getitem__)
    names = {"flows": [f"subject{flow}" for flow in range(1, flows + 1)]}
    return SimpleNamespace(names=names, tables={"flow_series": series})


def test_figures_of_the_last_quarter_by_hand() -> None:
    stall, latecomer = PROPERTIES["stall"], PROPERTIES["latecomer"]
    # 0.5 of 10 Mb/s; of 20 Mb/s after the step.
    assert stall.figure(measured(1, {1: 0.5}, 10), usual("path", "drops")) == pytest.approx(0.05)
    assert stall.figure(measured(1, {1: 0.5}, 10), usual("path", "rate_step")) == pytest.approx(0.025)
    # The outage ends at 6 s, which leaves too little of 10 s.
    assert stall.figure(measured(1, {1: 0.5}, 10), usual("path", "outage")) is None
    assert latecomer.figure(measured(2, {1: 0.6, 2: 8.0}, 10), usual("path", "late")) == pytest.approx(0.075)
    assert latecomer.figure(measured(2, {1: 0.6, 2: 0.0}, 10), usual("path", "late")) is None


def test_completion_does_not_count_an_outage_by_hand() -> None:
    # 1 MB over 0.95 of 10 Mb/s and eight delays of 20 ms, and an outage of 2 s that begins at 0.8 s, not one at 8 s.
    run = SimpleNamespace(tables={"flows": SimpleNamespace(column={"completion_s": [6.0]}.__getitem__)})
    ideal_s = 8e6 / 9.5e6 + 8 * 0.02
    for begin, expected in ((0.08, 6 / (ideal_s + 2)), (0.8, 6 / ideal_s)):
        candidate = usual("path", "outage", outage__begin=begin, outage__length_s=2.0)
        assert PROPERTIES["completion"].figure(run, candidate) == pytest.approx(expected)


def test_hosts_links_hold_a_burst_of_a_window() -> None:
    # Linux holds packets back in the host that its own queue cannot take: they are not lost.
    burst = {"name": "burst", "tcp": "sack", "window": "400 packets", "parameters": {"window_init": "400 packets"}}
    results = ac.run(ac.Scenario.of(scenario_table(usual("path"), [burst], 1)))
    link = results.names["links"].index("left1->router1")
    assert results.rows("links")[link]["dropped_packets"] == 0


def test_space_leaves_out_a_feature_of_what_was_found() -> None:
    space = Space(["loss", "jitter", "outage"], 5.0)
    everything = [1.0] * space.dimensions
    assert space.candidate(everything).features == ("path", "loss", "jitter", "outage")
    assert space.candidate(everything, [frozenset({"loss", "jitter"})]).features == ("path", "loss", "outage")
    assert space.candidate([0.0] * space.dimensions).features == ("path",)


def test_minimised_keeps_only_what_the_failure_needs() -> None:
    big = usual("path", "loss", "jitter", "outage", duration_s=20.0, path__rate_mbps=37.3, jitter__max_delay_s=0.0523)

    def fails(candidate: Candidate) -> bool:
        values = dict(candidate.values)
        return values.get("jitter.max_delay_s", 0) > 0.0195 and candidate.duration_s >= 6

    small = minimised(big, fails, frozenset({"path"}))
    assert small.features == ("path", "jitter")
    # The usual 0.01 is too little; in one digit it is 0.05. The rate does not matter, so it is the usual one.
    assert dict(small.values)["jitter.max_delay_s"] == 0.05
    assert dict(small.values)["path.rate_mbps"] == 10
    # 20, 10, then three quarters of that; 5 would be too short, 5.6 too.
    assert small.duration_s == 7.5


def test_minimised_counts_down() -> None:
    big = usual("path", "drops", duration_s=4.0, drops__times=8.0)

    def at_least_five(candidate: Candidate) -> bool:
        return candidate.of("drops")["times"] >= 5

    small = minimised(big, at_least_five, frozenset({"path", "drops"})).of("drops")
    assert small == {"at_s": 1, "length_s": 0.05, "gap_s": 0.2, "times": 5}

    def long_enough(candidate: Candidate) -> bool:
        drops = candidate.of("drops")
        return drops["times"] * drops["length_s"] >= 0.4

    # 8 of 50 ms. A longer time makes up for a lower count, up to 0.4 s.
    small = minimised(big, long_enough, frozenset({"path", "drops"})).of("drops")
    assert small["times"] < 8 and small["times"] * small["length_s"] >= 0.4


def one(folder: Path | None = None, jobs: int = 2) -> Witness:
    found = attack("reno", folder=folder, jobs=jobs, **QUICK)
    assert len(found) == 1
    return found[0]


def test_witness_fails_when_its_file_is_run(tmp_path: Path) -> None:
    witness = one(tmp_path)
    path = tmp_path / "witness-1.toml"
    assert path.read_text(encoding="utf-8") == witness.text
    assert len(witness.text.splitlines()) < 30
    results = ac.run(load(path))
    figure = witness.asked.figure(results, witness.candidate)
    assert figure == witness.figure
    assert figure is not None and figure < witness.asked.bound


def test_changes_are_short(tmp_path: Path) -> None:
    asked = PROPERTIES["stall"]
    evaluator = Evaluator(asked, {"tcp": "tcp", "control": "reno"}, {}, seed=1)
    candidate = usual("path", "drops", drops__times=8.0)
    table = evaluator.table(candidate)
    evaluator.close()
    table.pop("record", None)
    text = Witness("reno", asked, candidate, 0.0, None, {}, table).text
    assert text.count("up = ") == 2 * 8
    assert len(text.splitlines()) < 30
    path = tmp_path / "witness.toml"
    path.write_text(text, encoding="utf-8")
    assert load(path) == ac.Scenario.of(table)


def test_same_search_gives_the_same_witness_on_any_number_of_threads() -> None:
    assert one(jobs=1).text == one(jobs=3).text


def test_search_goes_on_where_it_was_ended(tmp_path: Path) -> None:
    first = one(tmp_path)
    lines = (tmp_path / FILE).read_text(encoding="utf-8").splitlines()
    # Killed while the last line was written.
    (tmp_path / FILE).write_text("\n".join(lines[:40]) + "\n" + lines[40][:20], encoding="utf-8")
    assert one(tmp_path).text == first.text
    assert sorted((tmp_path / FILE).read_text(encoding="utf-8").splitlines()) == sorted(lines)


def test_folder_of_another_search_is_refused(tmp_path: Path) -> None:
    one(tmp_path)
    with pytest.raises(AttackError, match="of another search"):
        attack("reno", "delay", folder=tmp_path, **QUICK)
    text = (tmp_path / FILE).read_text(encoding="utf-8").splitlines()
    (tmp_path / FILE).write_text("\n".join([text[0], "{}"]) + "\n", encoding="utf-8")
    with pytest.raises(AttackError, match=rf"{FILE}:2: damaged"):
        one(tmp_path)


def test_unlike_controls_keep_the_property() -> None:
    found = attack("reno", unlike=["tcp/cubic"], below=0.7, **QUICK)
    for witness in found:
        other = witness.others["tcp/cubic"]
        assert other is not None and witness.figure is not None
        assert witness.figure < 0.7 <= other


def test_without_its_cause_a_witness_keeps_the_property() -> None:
    asked = find_property("share", above=0.9, features=("marks", "loss"))
    (found,) = attack("dctcp", asked, cause=["marks"], evaluations=128, witnesses=1, duration_s=5.0)
    assert "marks" in found.features and asked.fails(found.figure)
    spared = made({*found.candidate.features} - {"marks"}, dict(found.candidate.values), found.candidate.duration_s)
    control = {"tcp": "tcp", "control": "cubic"}
    evaluator = Evaluator(asked, {"tcp": "tcp", "control": "dctcp"}, control, seed=1)
    figure = evaluator.figure(spared).figure
    evaluator.close()
    assert figure is not None and not asked.fails(figure)
    with pytest.raises(ac.ScenarioError, match="nearest known: marks"):
        attack("dctcp", asked, cause=["mark"])


def test_each_replication_of_a_witness_fails() -> None:
    asked = find_property("starvation", below=0.3, features=("own_jitter",))
    (found,) = attack(
        "vegas", asked, cause=["own_jitter"], replications=3, evaluations=128, witnesses=1, duration_s=5.0
    )
    evaluator = Evaluator(asked, {"tcp": "tcp", "control": "vegas"}, {}, seed=1)
    figures = [evaluator.figures([found.candidate], further=further)[0].figure for further in range(3)]
    evaluator.close()
    assert figures[0] == found.figure and len(set(figures)) == 3
    assert all(asked.fails(figure) for figure in figures)
    with pytest.raises(ac.ScenarioError, match="replications = 0: expected at least 1"):
        attack("vegas", asked, replications=0)


def test_expression_is_computed_from_metrics() -> None:
    asked = find_property("(goodput_bps - 2e6) / -rtt_min_s.subject1", above=1.0)
    flows = asked.flows({"tcp": "sack"}, {})
    candidate = usual("path", duration_s=2.0)
    results = ac.run(ac.Scenario.of(scenario_table(candidate, flows, 1)))
    goodput_bps = 8 * results.flows.column("delivered_bytes")[0] / 2.0
    assert asked.figure(results, candidate) == pytest.approx(
        (goodput_bps - 2e6) / -results.flows.column("rtt_min_s")[0]
    )


@pytest.mark.parametrize(
    ("text", "bounds", "message"),
    [
        ("utilization", {}, "nearest known: utilisation"),
        ("goodput_bps / rtt_mean.subject1", {"above": 1}, "nearest known: rtt_mean_s"),
        ("goodput_bps", {}, "an expression needs --below or --above"),
        ("goodput_bps +", {"above": 1}, "not an expression"),
        ("open('x')", {"above": 1}, "expected"),
        ("delay", {"above": 1, "below": 2}, "expected one of the two"),
        ("delay", {"above": float("nan")}, "expected a finite number"),
    ],
)
def test_wrong_properties(text: str, bounds: dict[str, Any], message: str) -> None:
    with pytest.raises(ac.ScenarioError, match=message.replace("(", r"\(")):
        find_property(text, **bounds)


def test_wrong_features_and_numbers() -> None:
    with pytest.raises(ac.ScenarioError, match="nearest known: jitter"):
        attack("reno", features=["jiter"])
    with pytest.raises(ac.ScenarioError, match="expected at least 1"):
        attack("reno", evaluations=0)
    for jobs in (0, -1):
        with pytest.raises(ac.ScenarioError, match=f"jobs = {jobs}: expected a number of parallel runs, at least 1"):
            attack("reno", jobs=jobs)


def test_control_that_crashes_is_a_witness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fragile.py").write_text(
        "import ackclock as ac\n\n\nclass Fragile(ac.CongestionControl):\n"
        "    def on_loss(self, *_):\n        raise ValueError('no answer to losses')\n\n"
        "    def on_ack(self, *_):\n        self.cwnd += 1\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    found = attack("fragile:Fragile", evaluations=64, witnesses=1, duration_s=5.0)
    assert found[0].crash is not None
    assert "crashes" in found[0].text


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["attack", "reno", "--features", "pulses", "--evaluations", "64", "--witnesses", "1", "--duration", "5 s"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert said.startswith("out/attack/reno-utilisation-1/witness-1.toml:\nutilisation of reno: 0.")
    assert main(["run", "out/attack/reno-utilisation-1/witness-1.toml"]) == 0
    assert main(["attack", "nobody"]) == 1
    assert "expected a TCP variant" in capsys.readouterr().err
    for jobs in ("0", "-2"):
        assert main([*words, "--jobs", jobs]) == 1
        said = f"ackclock: --jobs = {jobs}: expected a number of parallel runs, at least 1\n"
        assert capsys.readouterr().err == said
