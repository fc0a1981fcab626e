"""Study 003: what ns-2.29's defaults give, to the last digit and to the last byte of the traces."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock as ac
from ackclock.study import Outcome, Verdict, find_study, load_study, run_study

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


def test_another_seed_is_ns2s_too(ns: str, tmp_path: Path) -> None:
    ours = [sys.executable, "-m", "ackclock", "ns2", "--defaults", "ns2_29"]
    theirs = [ns, str(STUDY / "as_ns2_29.tcl")]
    found = []
    for name, program in (("ours", ours), ("theirs", theirs)):
        (tmp_path / name).mkdir()
        words = [*program, str(STUDY / "error_model.tcl"), "Newreno", "11"]
        subprocess.run(words, cwd=tmp_path / name, check=True, capture_output=True)
        found.append((tmp_path / name / "out.tr").read_bytes())
    assert found[0] == found[1]


def test_a_release_that_is_not_known_is_named(tmp_path: Path) -> None:
    shutil.copy(STUDY / "variants.tcl", tmp_path / "x.tcl")
    words = [sys.executable, "-m", "ackclock", "ns2", "--defaults", "ns2_92", "x.tcl"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "ackclock: --defaults ns2_92: expected one of ns2_35, ns2_29\n"
