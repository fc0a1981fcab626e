"""How often intervals hold the truth: a part of docs/coverage.md, with fewer repetitions and the same seeds.

With 500 repetitions the standard deviation of a coverage of 95 % is 1 %, so 92 to 98 % are asked for. Long series have
150, and three standard deviations too.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("measure_coverage", ROOT / "tools" / "measure_coverage.py")
assert SPEC is not None and SPEC.loader is not None
coverage = importlib.util.module_from_spec(SPEC)
sys.modules["measure_coverage"] = coverage
SPEC.loader.exec_module(coverage)

CASES = {(case.method, case.process, case.n): case for case in coverage.cases()}
TEN = "replication_means of ten, "
HALF = "M/M/1, load 0.5, from empty"


@pytest.mark.parametrize(
    "name",
    [
        ("student", "normal", "5"),
        ("student", "normal", "30"),
        ("geometric_mean", "lognormal", "10"),
        ("lognormal_mean", "lognormal", "30"),
        ("ratio", "lognormal", "10"),
        ("paired", "normal", "10"),
        ("welch", "normal", "10"),
        ("batch_means", "M/M/1, load 0.5", "50,000"),
        ("batch_means", "AR(1), 0.95", "100,000"),
        ("mser5, then batch_means", HALF, "50,000"),
        (f"{TEN}no cut", HALF, "2,000"),
        ("batch_percentiles, 95 %", "AR(1), 0.95", "100,000"),
        ("batch_percentiles, 95 %", "M/M/1, load 0.5", "100,000"),
        ("percentiles, 50 %", "Pareto 2.5", "100"),
        ("replicate, to 8%", "normal", "200"),
        ("until, to 8%", "normal", "200"),
    ],
    ids=", ".join,
)
def test_what_is_accepted_covers(name: tuple[str, str, str]) -> None:
    case = CASES[name]
    least, most, repetitions = (0.92, 0.98, 500) if case.size < 50_000 else (0.90, 1.0, 150)
    found = coverage.measure(case, repetitions)
    assert found.verdict == "accepted"
    assert least <= found.all_given <= most and least <= found.unwarned <= most


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        (("student", "lognormal", "10"), "warned of"),
        (("student", "lognormal", "30"), "warned of"),
        (("student", "Pareto 2.5", "10"), "warned of"),
        (("lognormal_mean", "Pareto 2.5", "30"), "warned of"),
        (("geometric_mean", "Pareto 2.5", "10"), "warned of"),
        (("percentiles, 95 %", "AR(1), 0.95", "2,000"), "warned of"),
        (("student of ten replications, mser5 for each", HALF, "500"), "warned of"),
        ((f"{TEN}no cut", HALF, "500"), "warned of"),
        ((f"{TEN}no cut", "M/M/1, load 0.9, from empty", "2,000"), "warned of"),
        ((f"{TEN}no cut", "M/M/1, load 0.9, from empty", "20,000"), "warned of"),
        ((f"{TEN}no cut", "AR(1), 0.95, from 5", "2,000"), "warned of"),
        (("replicate, to 20%", "lognormal", "200"), "warned of"),
        (("batch_means", "M/M/1, load 0.5", "2,000"), "refused"),
        (("batch_means", "M/M/1, load 0.9", "100,000"), "refused"),
        (("batch_means", "AR(1), 0.95", "2,000"), "refused"),
        (("mser5, then batch_means", "M/M/1, load 0.9, from empty", "100,000"), "refused"),
        (("student", "deterministic", "10"), "refused"),
        (("paired", "deterministic", "10"), "refused"),
        (("batch_means", "deterministic", "2,000"), "refused"),
        (("until, to 5%", "deterministic", "200"), "refused"),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, tuple) else value,
)
def test_what_does_not_cover_is_refused_or_warned_of(name: tuple[str, str, str], verdict: str) -> None:
    assert coverage.measure(CASES[name], 60).verdict == verdict


@pytest.mark.parametrize("draw", [coverage.normal, coverage.lognormal], ids=["normal", "lognormal"])
def test_a_table_of_identical_variants_is_rarely_starred(draw: object) -> None:
    assert coverage.starred(draw, 10, 500, True) <= 0.05 + 2 * 0.01  # 5 %, and two standard deviations
    assert coverage.starred(draw, 10, 200, False) > 0.2  # what the correction is for


def test_the_processes_have_the_truths_that_are_said() -> None:
    rng = np.random.default_rng(1)
    waits = coverage.mm1(rng, 400, 20_000, 0.5)
    assert waits.mean() == pytest.approx(1.0, abs=0.01)  # 4 standard errors: 29/(400 x 20,000) is the variance
    assert (waits == 0).mean() == pytest.approx(0.5, abs=0.002)
    empty = coverage.mm1(rng, 20_000, 3, 0.9, empty=True)
    assert (empty[:, 0] == 0).all()
    # The second customer waits if its gap, with rate 0.9, is shorter than the first's service: 0.9/1.9.
    assert (empty[:, 1] > 0).mean() == pytest.approx(0.9 / 1.9, abs=0.012)
    series = coverage.ar1(rng, 400, 5_000)
    assert series.std() == pytest.approx(1, abs=0.02)
    assert (series[:, 1:] * series[:, :-1]).mean() == pytest.approx(0.95, abs=0.02)
    assert coverage.pareto(rng, 1, 10**6).mean() == pytest.approx(5 / 3, abs=0.01)


def test_the_page_has_the_tables() -> None:
    page = (ROOT / "docs" / "coverage.md").read_text()
    rows = {tuple(cell.strip() for cell in line.split("|")[1:3]) for line in page.splitlines() if line.startswith("| ")}
    for case in CASES.values():
        assert f"### {case.method}\n" in page and (case.process, case.n) in rows, case
