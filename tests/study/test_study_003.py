"""Study 003: what ns-2.29's defaults give, to the last digit and to the last byte of the traces."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from scipy.stats import kstest, pearsonr  # type: ignore[import-untyped]

import ackclock as ac
from ackclock.batch.store import Store
from ackclock.batch.study import Outcome, Verdict, find_study, load_study, run_study
from ackclock.batch.study.load import function

STUDY = find_study("003")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run_study(load_study(STUDY), tmp_path_factory.mktemp("study"), level="quick")


def test_printed_numbers(outcome: Outcome) -> None:
    assert outcome.exact == {"table2": (12, 15), "percentages": (4, 5), "table4": (20, 20)}
    missed = {c.claim.cell[2] for c in outcome.checked if c.claim.cell and c.verdict is not Verdict.REPRODUCED}
    assert missed == {"Taho"}


def test_every_value_trace_and_verdict_is_ns2s(outcome: Outcome) -> None:
    assert [c.claim.id for c in outcome.checked if c.as_referred is False] == []
    assert len(outcome.traces) == 35
    assert [trace.run for trace in outcome.traces if not trace.same] == []


def test_claims_that_need_replications_are_left_out_of_a_quick_run(outcome: Outcome) -> None:
    left_out = {claim.id for claim in outcome.left_out}
    assert {"vegas.most", "vegas.gap", "vegas.drops", "vegas.congested", "half"} <= left_out
    assert not any(claim.cell for claim in outcome.left_out), "the printed digits are those of one run"


def test_the_release_is_our_own_statement() -> None:
    ours = {claim.id for claim in load_study(STUDY).claims if claim.origin == "ours"}
    assert ours == {"release"}


def test_figures_are_drawn(outcome: Outcome) -> None:
    assert [figure.path.name for figure in outcome.figures] == [
        "error_model.svg",
        "two_flows.svg",
        "received.svg",
        "drops.svg",
        "occupancy.svg",
    ]


@pytest.mark.parametrize("tcp", ["tahoe", "reno", "new_reno", "sack", "vegas"])
def test_the_scenario_writes_the_same_trace(tcp: str, tmp_path: Path) -> None:
    name = {"tahoe": "Taho", "new_reno": "Newreno"}.get(tcp, tcp.capitalize())
    ac.run(ac.load(STUDY / "error_model.toml", {"flows.0.tcp": tcp}), trace=tmp_path / "out.tr")
    recorded = load_study(STUDY).traces[f"table2/{name}", "out.tr"]
    assert hashlib.sha256((tmp_path / "out.tr").read_bytes()).hexdigest() == recorded


def test_the_scenario_of_two_flows_writes_the_same_trace(tmp_path: Path) -> None:
    ac.run(ac.load(STUDY / "two_flows.toml"), trace=tmp_path / "out.tr")
    recorded = load_study(STUDY).traces["table4/Vegas/Reno", "out.tr"]
    assert hashlib.sha256((tmp_path / "out.tr").read_bytes()).hexdigest() == recorded


@pytest.mark.parametrize("words", [["error_model.tcl", "Newreno", "11"], ["two_flows.tcl", "Sack/Reno", "7"]])
def test_a_replication_is_ns2s_too(words: list[str], ns: str, tmp_path: Path) -> None:
    ours = [sys.executable, "-m", "ackclock", "ns2", "--defaults", "ns2_29"]
    theirs = [ns, str(STUDY / "as_ns2_29.tcl")]
    found = []
    for name, program in (("ours", ours), ("theirs", theirs)):
        (tmp_path / name).mkdir()
        line = [*program, str(STUDY / words[0]), *words[1:]]
        subprocess.run(line, cwd=tmp_path / name, check=True, capture_output=True)
        found.append((tmp_path / name / "out.tr").read_bytes())
    assert found[0] == found[1]


DRAWS = """
source {variants}
for {{set n 0}} {{$n < 40}} {{incr n}} {{
    $defaultRNG seed 12345
    use_substream $n
    puts "[$defaultRNG uniform 0 1] [$defaultRNG uniform 0 1]"
}}
"""


def test_replications_draw_independent_numbers(ns: str, tmp_path: Path) -> None:
    script = tmp_path / "draws.tcl"
    script.write_text(DRAWS.format(variants=STUDY / "variants.tcl"))
    printed = [
        subprocess.run([*program, str(script)], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
        for program in ([sys.executable, "-m", "ackclock", "ns2"], [ns])
    ]
    assert printed[0] == printed[1]
    draws = [tuple(map(float, line.split())) for line in printed[0].splitlines()]
    assert len(draws) == 40
    # Consecutive seeds fail this at once: the first number of seed s is s times that of seed 1, below 0.02 in all 40.
    for numbers in zip(*draws, strict=True):
        assert kstest(numbers, "uniform").pvalue > 0.01
        assert abs(pearsonr(numbers[1:], numbers[:-1]).statistic) < 0.4, "P = 0.01 for 39 pairs"


def test_a_release_that_is_not_known_is_named(tmp_path: Path) -> None:
    shutil.copy(STUDY / "variants.tcl", tmp_path / "x.tcl")
    words = [sys.executable, "-m", "ackclock", "ns2", "--defaults", "ns2_92", "x.tcl"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "ackclock: --defaults ns2_92: expected one of ns2_35, ns2_29\n"


#: What the real ns-2.35 gives for the same scripts with its own defaults: packets sent, received, dropped of Table 2,
#: packets dropped of Table 4 (as the runs are named), and packets of both flows in 5 to 20 s of section IV.
NS2_35_ALONE = {
    "Taho": (4602, 4487, 119),
    "Newreno": (5283, 5161, 129),
    "Sack": (5254, 5132, 129),
    "Reno": (4145, 4040, 109),
    "Vegas": (6759, 6609, 150),
}
NS2_35_PAIRS = {
    "Taho/Vegas": (28, 6),
    "Vegas/Reno": (3, 27),
    "Vegas/Newreno": (3, 28),
    "Vegas/Sack": (14, 32),
    "Taho/Newreno": (27, 31),
    "Newreno/Reno": (31, 30),
    "Sack/Taho": (30, 30),
    "Sack/Newreno": (30, 31),
    "Sack/Reno": (31, 30),
    "Taho/Reno": (28, 26),
}
NS2_35_FAIRNESS = {
    "Taho": ((2415, 2772), (434, 4704), (2499, 2698), (998, 4102)),
    "Reno": ((2609, 2599), (153, 5055), (2266, 2942), (1224, 3984)),
    "Newreno": ((2604, 2604), (510, 4698), (2694, 2514), (1243, 3964)),
    "Sack": ((2601, 2607), (257, 4950), (2615, 2593), (1145, 4062)),
    "Vegas": ((2815, 2810), (3516, 2109), (3125, 2500), (2813, 2812)),
}


def test_2_35s_own_defaults_give_what_2_35_gives(tmp_path: Path) -> None:
    study = load_study(STUDY)
    store = Store(tmp_path)
    reduce = function(study.reducer, "reduce")
    settings = ("DropTail/1ms", "DropTail/30ms", "RED/1ms", "RED/30ms")
    checked = 0
    for run in study.runs:
        family, _, name = run.id.partition("/")
        if run.replication or not family.endswith("_35") or run.script is None:
            continue
        found = store.run_ns2(run.script, *run.args, keep=[], reduce=partial(reduce, run), reduced_by="test").reduced
        if family == "table2_35":
            ours = tuple(found[what]["0"] for what in ("sent", "received", "dropped"))
            expected: tuple[int, ...] = NS2_35_ALONE[name]
        elif family == "table4_35":
            ours, expected = (found["dropped"]["1"], found["dropped"]["2"]), NS2_35_PAIRS[name]
        else:
            setting, _, variant = name.rpartition("/")
            ours = (found["steady"]["1"], found["steady"]["2"])
            expected = NS2_35_FAIRNESS[variant][settings.index(setting)]
        assert ours == expected, run.id
        checked += 1
    assert checked == 35
