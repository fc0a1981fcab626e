"""Study 002: our cells are the real ns-3.25's, and every ordering of the tables gets its verdict."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from ackclock.study import Outcome, Verdict, find_study, load_study, run_study
from ackclock.study.load import load_code

STUDY = load_study(find_study("002"))
CODE = load_code(STUDY.code)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run_study(STUDY, tmp_path_factory.mktemp("study"), level="quick")


def ratios(outcome: Outcome, column: str, reading: str, tables: tuple[str, ...]) -> list[float]:
    """Ours over the real ns-3.25's, of the paper's variants."""
    ours: Mapping[tuple[str, str], Mapping[str, list[float]]] = CODE.Ours(outcome.runs)
    known = CODE.recorded(STUDY)
    return [
        value / known[table, column, name][point]
        for table in tables
        for name in CODE.PAPERS
        for point, value in zip(CODE.POINTS[table], ours[table, reading][name], strict=True)
    ]


@pytest.mark.parametrize(
    ("column", "reading", "tables", "cells", "within_1", "within_10"),
    [
        ("M", "q12", ("II", "III"), 54, 45, 53),
        ("O", "q20", ("II", "III"), 54, 40, 50),
        ("M", "q12", ("IV",), 27, 12, 27),
    ],
)
def test_our_cells_are_ns3s(
    outcome: Outcome, column: str, reading: str, tables: tuple[str, ...], cells: int, within_1: int, within_10: int
) -> None:
    found = ratios(outcome, column, reading, tables)
    assert len(found) == cells
    # ns-3's are printed with three decimals: 0.044 is known to 1 %.
    assert sum(abs(ratio - 1) <= 0.011 for ratio in found) >= within_1
    assert sum(abs(ratio - 1) <= 0.1 for ratio in found) >= within_10


#: what section 4.3 of the tables comes to in the real ns-3.25 under both fitting readings
DECIDED = {
    "low": Verdict.REPRODUCED,
    "low.margin": Verdict.CONTRADICTED,
    "high.each": Verdict.CONTRADICTED,
    "high.same": Verdict.CONTRADICTED,
    "II.westwood": Verdict.REPRODUCED,
    "III.falls": Verdict.REPRODUCED,
    "III.steep": Verdict.REPRODUCED,
    "III.useful": Verdict.REPRODUCED,
    "III.crossing": Verdict.REPRODUCED,
    "III.westwood": Verdict.DEPENDS,
    "IV.reading": Verdict.DEPENDS,
    "IV.rises": Verdict.REPRODUCED,
    "IV.dip": Verdict.CONTRADICTED,
    "IV.highspeed": Verdict.CONTRADICTED,
    "IV.westwood": Verdict.REPRODUCED,
    "westwood.estimate": Verdict.DEPENDS,
    "removed": Verdict.UNDETERMINED,
}


def test_orderings_are_decided_as_in_ns3(outcome: Outcome) -> None:
    found = {checked.claim.id: checked.verdict for checked in outcome.checked if not checked.claim.cell}
    assert {id: verdict for id, verdict in found.items() if id in DECIDED} == DECIDED
    # In ns-3.25 HighSpeed's lead with a queue of 20 packets is one of the starts: 0.13 s apart, NewReno leads.
    assert set(found) - set(DECIDED) == {"high"}


def test_half_of_the_printed_cells_and_more_fit(outcome: Outcome) -> None:
    verdicts = [checked.verdict for checked in outcome.checked if checked.claim.cell]
    assert len(verdicts) == 81
    assert sum(verdict is Verdict.REPRODUCED for verdict in verdicts) >= 60


def test_figures_are_drawn(outcome: Outcome) -> None:
    names = [figure.path.stem for figure in outcome.figures]
    tables = [f"{kind}_{table}" for kind in ("table", "side_by_side") for table in ("II", "III", "IV")]
    assert names == [*tables, "agreement", "windows"]
    text = outcome.figures[3].path.read_text(encoding="utf-8")
    # The paper's, the real ns-3.25's and our own throughput of NewReno at 3000 Kbps.
    assert "1.062" in text and text.count("1.146") == 2
