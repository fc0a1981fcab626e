"""Random wired scripts give what the installed ns-2 gives; `python -m fuzz.wired` runs other seeds."""

from __future__ import annotations

import shutil
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fuzz.readers.script import is_own_fault
from fuzz.wired.compare import (
    CRASH,
    CRASHES,
    DIFFERS,
    EXIT,
    HANG,
    REFUSED,
    SAME,
    UNDEFINED,
    Left,
    Outcome,
    compare,
    judge,
)
from fuzz.wired.generate import script

#: scripts that ns-2 survives, and that use nothing which ackclock refuses
SEEDS = range(3, 15)


def test_a_script_is_a_function_of_its_seed() -> None:
    assert script(5).text() == script(5).text() != script(6).text()


@pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed")
@pytest.mark.parametrize("seed", SEEDS)
def test_random_scripts_are_like_ns2(seed: int, tmp_path: Path) -> None:
    outcome = compare(script(seed).text(), tmp_path)
    assert outcome.result == SAME, outcome


GOOD = Left(0, b"1\n", "", {"out.tr": b"+ 0.1\n"})
FAILED = Left(1, b"1\n", "ns: finish: bad\n", {"out.tr": b"+ 0.1\n"})
BROKEN = replace(FAILED, stderr="ackclock: s.tcl:3: internal error: KeyError: 'x'\n")
PANICKED = replace(FAILED, stderr="thread 'main' panicked at crates/engine/src/sim.rs:1:1:\n")
KILLED = replace(GOOD, status=-signal.SIGSEGV)
ENDLESS = replace(GOOD, status=-signal.SIGXCPU)
NOT_YET = replace(FAILED, stderr="ackclock: s.tcl:3: ns-2 has Agent/X; ackclock does not have it yet\n")

#: our run, ns-2's, ns-2's with other contents of memory; the result, and how our process ended
RUNS = {
    "same": (GOOD, GOOD, GOOD, SAME, EXIT),
    "same error": (replace(FAILED, stderr="ackclock: bad"), FAILED, FAILED, SAME, EXIT),
    "other files": (replace(GOOD, files={}), GOOD, GOOD, DIFFERS, EXIT),
    "ours alone ends in an error": (FAILED, GOOD, GOOD, DIFFERS, EXIT),
    "ours breaks where ns-2 ends in an error": (BROKEN, FAILED, FAILED, DIFFERS, CRASH),
    "ours panics where ns-2 ends in an error": (PANICKED, FAILED, FAILED, DIFFERS, CRASH),
    "ours breaks where ns-2 crashes": (BROKEN, KILLED, KILLED, DIFFERS, CRASH),
    "both crash": (KILLED, KILLED, KILLED, DIFFERS, CRASH),
    "ns-2 crashes": (FAILED, KILLED, KILLED, CRASHES, EXIT),
    "ours does not end": (ENDLESS, GOOD, GOOD, DIFFERS, HANG),
    "ours does not end where ns-2 crashes": (ENDLESS, KILLED, KILLED, DIFFERS, HANG),
    "neither ends": (ENDLESS, ENDLESS, ENDLESS, CRASHES, HANG),
    "ours refuses": (NOT_YET, GOOD, GOOD, REFUSED, EXIT),
    "ours refuses, and the script prints it": (
        replace(GOOD, stdout=b"x y_: ns-2 has y_; ackclock does not have it yet; expected its default 1\n"),
        GOOD,
        GOOD,
        REFUSED,
        EXIT,
    ),
    "ns-2 depends on its memory": (replace(GOOD, stdout=b"2\n"), GOOD, replace(GOOD, stdout=b"3\n"), UNDEFINED, EXIT),
}


@pytest.mark.parametrize("case", RUNS)
def test_what_comes_of_two_runs(case: str) -> None:
    ours, theirs, perturbed, result, end = RUNS[case]
    outcome = judge(ours, theirs, lambda: perturbed)
    assert outcome == Outcome(result, outcome.why, end)


def test_a_run_that_crashes_is_like_no_other() -> None:
    for crashed in (BROKEN, PANICKED, KILLED, ENDLESS):
        assert not crashed.is_like(crashed)
    assert GOOD.is_like(GOOD) and FAILED.is_like(FAILED)


def test_an_internal_error_is_a_defect_of_the_reader_of_scripts() -> None:
    assert is_own_fault(1, BROKEN.stderr) and is_own_fault(1, PANICKED.stderr) and is_own_fault(-6, "")
    assert not is_own_fault(1, NOT_YET.stderr)
