"""Our own scripts give what ns-2 gives: the same stdout, files and status, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import CASES, SCRIPTS, Case
from record import first_lines_of
from running import Left, differences, differences_from_record, run_case

from ackclock.ns2.session import EAGER

each_case = pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in CASES])


@each_case
def test_same_as_living_ns2(case: Case, ours: Callable[[Case], Left], theirs: Callable[[Case], Left]) -> None:
    found = differences(ours(case), theirs(case))
    assert not found, found


@each_case
def test_same_as_recorded_ns2(case: Case, ours: Callable[[Case], Left], recorded: dict[str, dict[str, Any]]) -> None:
    left = ours(case)
    if left.record() != recorded[case.id]:
        pytest.fail(differences_from_record(left, recorded[case.id], first_lines_of(case.id)))


@each_case
def test_record_is_what_ns2_writes(
    case: Case, theirs: Callable[[Case], Left], recorded: dict[str, dict[str, Any]]
) -> None:
    """A record that living ns-2 contradicts would teach the machines without it a wrong result."""
    assert theirs(case).record() == recorded[case.id]


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.script) for case in {case.script: case for case in CASES}.values()]
)
def test_same_without_deferred_objects(
    case: Case, program: list[str], recorded: dict[str, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With every object made and every class loaded at once, the bytes are the same."""
    monkeypatch.setenv(EAGER, "1")
    left = run_case(case, program, tmp_path / "eager")
    if left.record() != recorded[case.id]:
        pytest.fail(differences_from_record(left, recorded[case.id], first_lines_of(case.id)))


def test_every_script_is_in_a_case() -> None:
    assert {path.name for path in SCRIPTS.glob("*.tcl")} == {case.script for case in CASES}


def test_every_case_is_recorded(recorded: dict[str, dict[str, Any]]) -> None:
    assert set(recorded) == {case.id for case in CASES}


#: Scripts that take options: how many of their arguments are none. The others are pairs of a variable and its value.
PLAIN = {
    "flow.tcl": 2,
    "queue.tcl": 1,
    "full.tcl": 1,
    "tfrc.tcl": 1,
    "quick_start.tcl": 2,
    "rap.tcl": 0,
    "paced.tcl": 2,
}


def test_no_option_is_without_effect(recorded: dict[str, dict[str, Any]]) -> None:
    """An option that changes nothing in its script would pass unimplemented.

    So any two cases differ where one has all options of the other and more; each has one without options beside it.
    """
    by_plain: dict[tuple[str, ...], dict[frozenset[tuple[str, str]], Case]] = {}
    for case in CASES:
        if case.script in PLAIN:
            plain, rest = case.args[: PLAIN[case.script]], case.args[PLAIN[case.script] :]
            options = frozenset(zip(rest[::2], rest[1::2], strict=True))
            by_plain.setdefault((case.script, *plain), {})[options] = case
    for plain, cases in by_plain.items():
        assert frozenset() in cases, f"no case of {plain} without options"
        for options, case in cases.items():
            for fewer in cases:
                assert not fewer < options or recorded[case.id] != recorded[cases[fewer].id], case.id
