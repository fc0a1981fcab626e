"""Study 004 gives the paper's twelve numbers to the last digit, and ns-2's traces."""

from __future__ import annotations

from pathlib import Path

import pytest

from ackclock.batch.study import Outcome, Settings, Verdict, find_study, load_study, run_study


@pytest.fixture(scope="module")
def outcome(program: list[str], tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run_study(load_study(find_study("004")), tmp_path_factory.mktemp("study"), program=program)


def test_published_numbers(outcome: Outcome) -> None:
    assert outcome.exact == {"printed": (12, 12), "ratios": (18, 18), "": (2, 2)}


def test_traces_are_ns2s(outcome: Outcome) -> None:
    assert len(outcome.traces) == 7, "six of src1, and the animator's"
    assert [t.path.name for t in outcome.traces if not t.same] == []


def test_every_value_and_verdict_is_ns2s(outcome: Outcome) -> None:
    assert sum(c.as_referred is not None for c in outcome.checked) == 27
    assert [c.claim.id for c in outcome.checked if c.as_referred is False] == []
    assert outcome.holds


def test_trace_begins_as_the_paper_prints_it(outcome: Outcome) -> None:
    lines = outcome.traces[0].path.read_text().splitlines()
    assert lines[0] == "+ 0 0 2 tcp 40 ------- 1 0.0 4.0 0 0"
    assert lines[23] == "+ 0.125276 0 2 tcp 1040 ------- 1 0.0 4.0 8 19"


def test_the_links_rtts_are_those_of_the_paper(outcome: Outcome) -> None:
    # Twice the delays that the paper prints, 5, 5, 5 ms against 12.5, 5, 12.5 ms and so on. Sending 40 bytes over 10, 1
    # and 10 Mb/s, there and back, adds 2 * (0.032 + 0.32 + 0.032) ms.
    (links,) = (c.measured for c in outcome.checked if c.claim.id == "rtt.links")
    assert isinstance(links, Settings)
    for (near, far), (name, found) in zip(((30, 60), (30, 90), (30, 120)), links.values.items(), strict=True):
        assert found == pytest.approx((far + 0.768) / (near + 0.768) / (far / near), abs=1e-5), name


def test_nothing_changes_after_20_s_under_either(outcome: Outcome) -> None:
    (stable,) = (c for c in outcome.checked if c.claim.id == "vegas.stable")
    assert stable.value == {"SACK": 0.0, "VEGAS": 0.0} and stable.verdict is Verdict.CONTRADICTED


def test_figures_are_drawn(outcome: Outcome) -> None:
    names = [figure.path.name for figure in outcome.figures]
    assert names == ["topology.svg", "ratio.svg", "throughput.svg", "window.svg", "queue.svg"]
    for figure in outcome.figures:
        assert "<svg" in figure.path.read_text(encoding="utf-8")
        assert not list(Path(figure.path.parent).glob(".*.part"))
