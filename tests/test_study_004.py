"""Study 004 gives the paper's twelve numbers to the last digit, and ns-2's traces."""

from __future__ import annotations

from pathlib import Path

import pytest

from ackclock.study import Outcome, Rule, find_study, load_study, run_study


@pytest.fixture(scope="module")
def outcome(program: list[str], tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run_study(load_study(find_study("004")), tmp_path_factory.mktemp("study"), program=program)


def test_twelve_published_numbers(outcome: Outcome) -> None:
    digits = [c for c in outcome.checked if c.claim.rule is Rule.DIGITS]
    assert len(digits) == 12
    assert [c.measured for c in digits] == [c.claim.published for c in digits]


def test_six_traces_are_ns2s(outcome: Outcome) -> None:
    assert len(outcome.traces) == 6
    assert [t.path.name for t in outcome.traces if not t.same] == []


def test_every_verdict_is_ns2s(outcome: Outcome) -> None:
    assert [c.claim.id for c in outcome.checked if not c.as_in_ns2] == []
    assert outcome.holds


def test_trace_begins_as_the_paper_prints_it(outcome: Outcome) -> None:
    lines = outcome.traces[0].path.read_text().splitlines()
    assert lines[0] == "+ 0 0 2 tcp 40 ------- 1 0.0 4.0 0 0"
    assert lines[23] == "+ 0.125276 0 2 tcp 1040 ------- 1 0.0 4.0 8 19"


def test_figures_are_drawn(outcome: Outcome) -> None:
    names = [figure.path.name for figure in outcome.figures]
    assert names == ["ratio.png", "throughput.png", "window.png", "queue.png"]
    for figure in outcome.figures:
        assert figure.path.read_bytes().startswith(b"\x89PNG")
        assert not list(Path(figure.path.parent).glob(".*.part"))
