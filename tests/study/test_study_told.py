"""What is told of a study: its tables and its page, the places of the paper, what a level leaves out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ackclock.analysis.report.outcome import data
from ackclock.analysis.report.study import write_report
from ackclock.batch.study import StudyError, Verdict, load_study, tally
from ackclock.batch.study.text import counted, describe, listed, summary, table
from small_study import CLAIMS, CODE, run, study_folder

ROOT = Path(__file__).resolve().parents[2]

GOOD, BAD = Verdict.REPRODUCED, Verdict.CONTRADICTED


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return study_folder(tmp_path)


def test_report_needs_nothing_else(folder: Path, tmp_path: Path) -> None:
    outcome = run(folder, tmp_path / "out")
    path = write_report([outcome, outcome], tmp_path / "out" / "report.html")
    page = path.read_text()
    assert path.is_absolute()
    assert "One &lt;number&gt;" in page and "a &lt; b" in page
    assert "://" not in page and "<script" not in page
    assert 'src="data:image/png;base64,' in page
    assert "studies 2, claims 6" in page and "script.py 7" in page
    assert not list(path.parent.glob(".*.part"))


OURS = """
[[claim]]
id = "ours"
quantity = "value"
where = "nowhere in the paper"
words = "it is odd"
published = "7"
rule = "digits"
settings = "fitted"
origin = "ours"
"""


def test_our_own_statements_count_apart(folder: Path, tmp_path: Path) -> None:
    (folder / "claims.toml").write_text(CLAIMS + OURS)
    (folder / "one_number.py").write_text(CODE.replace('"value": text,', '"value": text, "ours": text,'))
    outcome = run(folder, tmp_path / "out")
    assert (outcome.count(GOOD), outcome.exact) == (1, {"": (1, 1)}), "the paper's alone"
    found = tally([outcome])
    assert found.paper == {(GOOD, "printed"): 1, (BAD, "printed"): 1, (Verdict.DEPENDS, "printed"): 1}
    assert found.ours == {GOOD: 1} and found.count() == 3 and found.count(settings="fitted") == 0
    assert "claims 3: reproduced 1," in summary([outcome])
    assert "  statements of our own, which no paper makes: reproduced 1" in table(outcome).splitlines()
    assert "(settings fitted, our own statement)" in table(outcome)
    assert data(outcome)["claims"].keys() == {"value", "bound", "seeds", "ours"}


def test_counts_are_by_verdict_and_settings(folder: Path, tmp_path: Path) -> None:
    claims = folder / "claims.toml"
    claims.write_text(CLAIMS.replace('settings = "printed"', 'settings = "fitted"', 1))
    outcome = run(folder, tmp_path / "out")
    rows = [line.split() for line in counted([outcome])]
    assert rows[:6] == [
        ["claims", "printed", "inferred", "fitted", "all"],
        ["reproduced", "0", "0", "1", "1"],
        ["contradicted", "1", "0", "0", "1"],
        ["depends", "1", "0", "0", "1"],
        ["undetermined", "0", "0", "0", "0"],
        ["all", "2", "0", "1", "3"],
    ]
    assert rows[6][:4] == ["not", "weighed:", "1", "entries;"] and len(rows) == 7
    page = write_report([outcome], tmp_path / "report.html").read_text()
    cells = re.findall(r"<t[hd][^>]*>(?:<span[^>]*>)?([^<]*)", page[page.index("Verdicts, by where") :])
    assert cells[7:19] == ["reproduced", "0", "0", "1", "1", "0", "contradicted", "1", "0", "0", "1", "0"]
    assert "3 claims (printed 2, inferred 0, fitted 1), 1 entries not weighed" in listed(load_study(folder))


def test_what_a_level_leaves_out_is_said(folder: Path, tmp_path: Path) -> None:
    quick, normal = (run(folder, tmp_path / level, level) for level in ("quick", "normal"))
    assert [claim.id for claim in quick.left_out] == ["seeds"] and normal.left_out == ()
    says = "1 of 3 claims, which are weighed without --quick"
    assert f"  left out: {says}" in counted([quick]) and summary([quick]).endswith(f"; left out {says}")
    assert "left out" not in "".join(counted([normal])) + summary([normal])
    page = write_report([quick], tmp_path / "report.html").read_text()
    assert f"Left out: {says}." in page and ">left out at this level<" in page
    assert "left out of" not in write_report([normal], tmp_path / "report.html").read_text()


PLACES = 'question = "What is said?"\nplaces = ["page 1", "page 2", "page 3", "Figure 1"]'


def test_each_place_of_the_paper_is_accounted_for(folder: Path, tmp_path: Path) -> None:
    claims = folder / "claims.toml"
    claims.write_text(CLAIMS.replace('question = "What is said?"', PLACES))
    study = load_study(folder)
    assert [place.name for place in study.places] == ["page 1", "page 2", "page 3", "Figure 1"]
    assert [[type(item).__name__ for item in place.items] for place in study.places[2:]] == [["Claim"], ["Unweighed"]]
    page = write_report([run(folder, tmp_path / "out")], tmp_path / "report.html").read_text()
    part = page[page.index("Where each sentence") :]
    assert re.search(
        r'page 2</th><td>more than eight</td><td><span class="against">contradicted</span> <span class="note">settings',
        part,
    )
    assert re.search(r"Figure 1</th><td>Fig. 1 The network</td><td>.*not weighed.*It draws the network", part)
    shown = describe(study)
    assert '"seven": claim value, settings printed' in shown
    assert '"Fig. 1 The network": not weighed. It draws the network.' in shown


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"Figure 1"]', '"Figure 1", "page 4"]', r"paper\.places\.4 = \"page 4\": no claim"),
        ('"page 3", ', "", r"claim\.2\.where = \"page 3\": no place"),
        (', "Figure 1"]', "]", r"unweighed\.0\.place = \"Figure 1\""),
        ('"page 1", ', '"page", "page 1", ', r"paper\.places\.0 = \"page\": no claim"),
        ('where = "page 1"', 'where = "page 11"', r"claim\.0\.where = \"page 11\": no place"),
    ],
)
def test_a_place_that_is_missing_is_named(folder: Path, old: str, new: str, says: str) -> None:
    claims = folder / "claims.toml"
    text = CLAIMS.replace('question = "What is said?"', PLACES)
    assert old in text
    claims.write_text(text.replace(old, new, 1))
    with pytest.raises(StudyError, match=rf"claims\.toml:\d+: {says}"):
        load_study(folder)


def test_a_claim_may_stand_at_two_places(folder: Path) -> None:
    claims = folder / "claims.toml"
    text = CLAIMS.replace('question = "What is said?"', PLACES)
    claims.write_text(text.replace('where = "page 3"', 'where = "page 1, line 2; page 3"'))
    assert [len(place.items) for place in load_study(folder).places] == [2, 1, 1, 1]


def test_what_no_claim_weighs_is_read(folder: Path) -> None:
    (found,) = load_study(folder).unweighed
    assert (found.place, found.words, found.reason) == ("Figure 1", "Fig. 1 The network", "It draws the network.")


TABLE = """
[[table]]
id = "t"
title = "Counts"
where = "page 4"
corner = "what"
columns = ["count"]
rows = ["small", "large"]
published = [["6"], ["2995"]]
rule = "digits"
settings = "printed"
[[table.cell]]
row = "large"
level = "normal"
"""


def test_a_table_shows_what_a_level_leaves_out(folder: Path, tmp_path: Path) -> None:
    (folder / "claims.toml").write_text(CLAIMS + TABLE)
    code = CODE.replace('"value": text,', '"value": text, "t/small/count": text, "t/large/count": text,')
    (folder / "one_number.py").write_text(code)
    quick, normal = (
        write_report([run(folder, tmp_path / level, level)], tmp_path / f"{level}.html").read_text()
        for level in ("quick", "normal")
    )
    hint = "what is left out, ackclock study run 007 measures"
    assert quick.count(">left out<") == 1 and hint in quick and "2995" in quick
    assert ">left out<" not in normal and hint not in normal
    # 7 - 6 and 7 - 2995.
    assert ">+1<" in quick and ">+1<" in normal and ">-2,988<" in normal


IMPORT = "\nfrom ackclock.batch.study import Settings\n"


def test_settings_of_a_whole_table_stand_above_it_and_not_in_each_cell(folder: Path, tmp_path: Path) -> None:
    (folder / "claims.toml").write_text(CLAIMS + TABLE.replace('level = "normal"', 'settings = "fitted"'))
    cells = ""
    for row in ("small", "large"):
        cells += f'"t/{row}/count": Settings({{"12 packets, 40 s": 6, "20 packets, 30 s": int(text)}}), '
    code = CODE.replace('"value": text,', f'"value": text, {cells}')
    (folder / "one_number.py").write_text(code + IMPORT)
    outcome = run(folder, tmp_path / "out", "normal")
    page = write_report([outcome], tmp_path / "report.html").read_text()
    assert ">12 packets" not in page and page.count(">6 / 7<") == 2
    assert "Published, and below it ours, with 12 packets, 40 s / 20 packets, 30 s" in page
    assert data(outcome)["settings"] == {"t": ["12 packets, 40 s", "20 packets, 30 s"]}
    assert data(outcome)["claims"]["t/small/count"]["measured"] == "6 / 7"


def test_cells_under_different_settings_name_them(folder: Path, tmp_path: Path) -> None:
    (folder / "claims.toml").write_text(CLAIMS + TABLE.replace('level = "normal"', 'settings = "fitted"'))
    cells = '"t/small/count": Settings({"a": 6, "b": 7}), "t/large/count": text,'
    code = CODE.replace('"value": text,', f'"value": text, {cells}')
    (folder / "one_number.py").write_text(code + IMPORT)
    outcome = run(folder, tmp_path / "out", "normal")
    assert "a: 6; b: 7" in write_report([outcome], tmp_path / "report.html").read_text()
    assert data(outcome)["settings"] == {}


def test_the_page_can_show_the_claims_of_one_verdict(folder: Path, tmp_path: Path) -> None:
    outcome = run(folder, tmp_path / "out")
    page = write_report([outcome, outcome], tmp_path / "report.html").read_text()
    shown = dict(re.findall(r'id="only-(\w+)"> (\w+ \d+)', page))
    found = tally([outcome, outcome])
    for look, verdict in (("good", GOOD), ("against", BAD), ("depends", Verdict.DEPENDS)):
        assert shown[look].endswith(f" {found.count(verdict)}")
        assert page.count(f'<article class="claim {look}">') == found.count(verdict)
    assert re.search(r'<nav aria-label="Studies"><a href="#study-(\w+)">\1</a>', page)


def test_figures_of_studies_have_the_palettes_colours() -> None:
    """Reports turn these into those of a dark page; a colour that is written out stays, and may not be seen there."""
    files = [path for path in (ROOT / "studies").rglob("*.py") if "color" in path.read_text(encoding="utf-8")]
    assert len(files) >= 5
    written = r"""\b(?:color|facecolor|edgecolor)["']?\s*[=:]\s*["'](?!none)|["']#[0-9a-fA-F]{3,8}["']"""
    assert {path.name: found for path in files if (found := re.findall(written, path.read_text("utf-8")))} == {}
