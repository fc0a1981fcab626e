"""The machinery of studies, without an engine: claims, verdicts, files, the report."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from ackclock.report.study import write_report
from ackclock.study import (
    Claim,
    Rule,
    StudyError,
    Verdict,
    find_studies,
    find_study,
    load_study,
    run_study,
)
from ackclock.study.progress import Bar
from ackclock.study.text import describe, table

GOOD, BAD = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED

CLAIMS = """
[paper]
title = "One <number>"
authors = "A. Author"
year = 1999
venue = "nowhere"
question = "What is said?"

[[run]]
id = "only"
label = "the only run"
script = "script.py"
args = ["7"]
sha256 = { "out.txt" = "7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451" }

[[claim]]
id = "value"
group = "first"
quantity = "value"
unit = "packets"
where = "page 1"
words = "seven"
published = "7"
rule = "digits"

[[claim]]
id = "bound"
group = "second"
quantity = "value"
unit = "packets"
where = "page 2"
words = "more than eight"
published = "8"
rule = "at_least"
holds_in_ns2 = false
"""

CODE = """
from ackclock.study import Figure

def measure(runs):
    text = runs["only"].files["out.txt"].read_text()
    return {"value": text, "bound": float(text)}

def figures(runs, folder):
    path = folder / "dot.png"
    path.write_bytes(b"not really a picture")
    return [Figure(path, "a < b")]
"""

SCRIPT = "import sys; open('out.txt', 'w').write(sys.argv[1])"
PROGRAM = [sys.executable]


def claim(rule: Rule, published: str, tolerance: float = 0.0) -> Claim:
    return Claim("id", "group", "quantity", "s", "page", "words", published, rule, tolerance)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study of one run, whose script is Python."""
    place = tmp_path / "studies" / "007_one_number"
    place.mkdir(parents=True)
    (place / "claims.toml").write_text(CLAIMS)
    (place / "one_number.py").write_text(CODE)
    (place / "script.py").write_text(SCRIPT)
    return place


@pytest.mark.parametrize(
    ("rule", "published", "tolerance", "measured", "verdict"),
    [
        (Rule.DIGITS, "0.10", 0.0, "0.10", GOOD),
        (Rule.DIGITS, "0.10", 0.0, "0.1", BAD),
        (Rule.WITHIN, "1.101", 0.001, 1.1012, GOOD),
        (Rule.WITHIN, "1.101", 0.001, 1.1021, BAD),
        (Rule.AT_LEAST, "1", 0.0, 1.0, GOOD),
        (Rule.AT_LEAST, "1", 0.0, 0.99, BAD),
        (Rule.AT_MOST, "1", 0.0, 1.0, GOOD),
        (Rule.AT_MOST, "1", 0.0, 1.01, BAD),
    ],
)
def test_rules(rule: Rule, published: str, tolerance: float, measured: str | float, verdict: Verdict) -> None:
    assert claim(rule, published, tolerance).verdict(measured) is verdict


def test_a_number_that_is_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="nonesuch"):
        claim(Rule.AT_LEAST, "1").verdict("nonesuch")


def test_outcome(folder: Path, tmp_path: Path) -> None:
    outcome = run_study(load_study(folder), tmp_path / "out", program=PROGRAM)
    assert [c.verdict for c in outcome.checked] == [GOOD, BAD]
    assert outcome.holds, "the claim that ns-2 contradicts is contradicted here too"
    text = table(outcome)
    assert "not reproduced, as in ns-2" in text
    assert "1 of 1 traces" in text


def test_a_trace_unlike_ns2s_is_said(folder: Path, tmp_path: Path) -> None:
    claims = folder / "claims.toml"
    claims.write_text(claims.read_text().replace("7902699b", "00000000"))
    outcome = run_study(load_study(folder), tmp_path / "out", program=PROGRAM)
    assert not outcome.holds
    assert "out.txt differs" in table(outcome)


def test_report_needs_nothing_else(folder: Path, tmp_path: Path) -> None:
    outcome = run_study(load_study(folder), tmp_path / "out", program=PROGRAM)
    path = write_report(outcome, tmp_path / "out" / "report.html")
    page = path.read_text()
    assert path.is_absolute()
    assert "One &lt;number&gt;" in page and "a &lt; b" in page
    assert "://" not in page and "<script" not in page
    assert 'src="data:image/png;base64,' in page
    assert not list(path.parent.glob(".*.part"))


def test_an_old_file_does_not_pass_for_a_new_one(folder: Path, tmp_path: Path) -> None:
    study = load_study(folder)
    run_study(study, tmp_path / "out", program=PROGRAM)
    (folder / "script.py").write_text("pass")
    with pytest.raises(KeyError):
        run_study(study, tmp_path / "out", program=PROGRAM)


def test_a_failing_run_is_named_with_its_message(folder: Path, tmp_path: Path) -> None:
    (folder / "script.py").write_text("import sys; sys.exit('went wrong')")
    with pytest.raises(StudyError, match=r"the only run.*went wrong"):
        run_study(load_study(folder), tmp_path / "out", program=PROGRAM)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('rule = "digits"', 'rule = "by eye"', "by eye"),
        ('published = "7"', 'published = "seven"', "seven"),
        ('words = "seven"', "", "words"),
        ("[[run]]", "[[walk]]", "run"),
        ("sha256", "sha512", "sha256"),
        ("[paper]", "[paper", "line 2"),
    ],
)
def test_bad_claims_are_named(folder: Path, old: str, new: str, says: str) -> None:
    claims = folder / "claims.toml"
    claims.write_text(claims.read_text().replace(old, new))
    with pytest.raises(StudyError, match=rf"claims\.toml.*{says}"):
        load_study(folder)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_for_a_terminal_only() -> None:
    terminal, pipe = Terminal(), io.StringIO()
    for out in (terminal, pipe):
        with Bar("study 007", 2, out) as bar:
            bar.advance("the only run")
    assert "1/2" in terminal.getvalue() and "the only run" in terminal.getvalue()
    assert pipe.getvalue() == ""


def test_finding(folder: Path, tmp_path: Path) -> None:
    root = folder.parent
    assert find_studies(root) == [folder]
    assert find_study("007", root) == find_study("007_one_number", root) == folder
    with pytest.raises(StudyError, match="there is 007"):
        find_study("008", root)
    with pytest.raises(StudyError, match="--studies"):
        find_studies(tmp_path / "nowhere")


def test_every_study_of_the_repository_loads() -> None:
    for folder in find_studies():
        study = load_study(folder)
        assert study.code.is_file()
        assert (folder / "README.md").is_file()
        assert all(run.script.is_file() for run in study.runs)
        assert study.paper.title in describe(study)
