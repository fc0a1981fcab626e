"""The studies on the page without a server: what `make site` puts beside it, and claims that are run in the page."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import ackclock as ac
from ackclock.batch.study import find_study, load_study, scenario_of
from axe import LOOKS, violations
from chromium import PLAY, ROOT, finished, frame_drawn, opened, static_page
from test_static_page import MOST_GZIPPED

sys.path.insert(0, str(ROOT / "tools"))
import build_site

#: Where Reno is throttled by pulses, says the paper (studies/005_known_failures).
CLAIM = "maliciously chosen low-rate DoS traffic patterns"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page with the studies beside it, of which 004 and 005 have been run."""
    if not (PLAY / "ackclock.wasm").is_file():
        pytest.skip("the page without a server has not been built (make site)")
    made = tmp_path_factory.mktemp("site")
    line = [sys.executable, "-m", "ackclock", "study", "report", "004", "005", "--quick"]
    subprocess.run(line, cwd=made, capture_output=True, timeout=600, check=True)
    shutil.copytree(PLAY, made / "play")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build_site, "OUT", made / "out")
        build_site.publish_studies(made / "play")
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with static_page(folder / "play") as found:
        yield found


def test_a_study_has_its_tables_figures_and_verdicts(chromium: Browser, address: str, folder: Path) -> None:
    outcome = json.loads((folder / "out" / "004_sack_vs_vegas" / "outcome.json").read_text(encoding="utf-8"))
    with opened(chromium, f"{address}#/play") as page:
        page.get_by_role("link", name="Studies").click()
        page.get_by_role("link", name="TCP Flavours").click()
        table = page.locator(".study-table").first
        table.wait_for()
        told = outcome["claims"]
        cells = load_study(find_study("004")).tables[0].claims()
        assert table.locator(".published").all_inner_texts() == [claim.published for claim in cells]
        shown = table.locator(".measured > :first-child").all_inner_texts()
        assert shown == [told[claim.id]["measured"] for claim in cells]
        for claim in load_study(find_study("004")).claims:
            if not claim.cell:
                item = page.locator(".claims > li").filter(has_text=claim.words[:60])
                assert told[claim.id]["verdict"] in item.first.locator(".verdict").first.inner_text()
        pictures = page.locator(".study img").all()
        assert len(pictures) == len(outcome["figures"]) > 2
        for picture in pictures:
            picture.scroll_into_view_if_needed()
            assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
        # Its runs are of scripts, which need a server: their names lead nowhere.
        assert page.locator(".runs-of").count() > 0
        assert page.locator(".runs-of button, .runs-of a, .study-table button").count() == 0


def test_a_claim_is_run_in_the_page_by_a_link(chromium: Browser, address: str) -> None:
    study = load_study(find_study("005"))
    with opened(chromium, f"{address}#/studies/005") as page:
        claim = page.locator(".claims > li").filter(has_text=CLAIM).first
        link = claim.get_by_role("link", name="Run it here").evaluate("link => link.href")
        claim.locator("button.chip").first.click()
        frame_drawn(page)
    with opened(chromium, link) as page:
        page.context.set_offline(False)
        finished(page, 3)
        shown = [run.locator(".figures tbody tr") for run in page.locator(".run").all()]
        for number, rows in enumerate(shown, 1):
            (run,) = (run for run in study.runs if run.id == f"lowrate/{number}/found")
            expected = [row["goodput_bps"] for row in ac.run(scenario_of(run)).rows("flows")]
            found = [row.locator("td").first.get_attribute("data-value") for row in rows.all()]
            assert [float(value or "nan") for value in found] == pytest.approx(expected)
        with page.expect_download() as saved:
            page.locator(".run").first.get_by_role("button", name="TOML").click()
        (run,) = (run for run in study.runs if run.id == "lowrate/1/found")
        assert ac.load(Path(saved.value.path())) == scenario_of(run)
        # One who comes back finds the runs.
        page.locator(".run").nth(2).get_by_role("link", name="Show its packets").click()
        frame_drawn(page)
        page.go_back()
        page.locator(".run").nth(2).wait_for()
        assert page.locator(".run").count() == 3


def test_a_link_to_what_no_study_has_is_said(chromium: Browser, address: str) -> None:
    with opened(chromium, f"{address}#/play?study=005&run=nonesuch") as page:
        page.get_by_role("alert").wait_for()
        assert "does not run this" in page.get_by_role("alert").inner_text()
    with opened(chromium, f"{address}#/studies/999") as page:
        page.get_by_text("There is no studies/999.json here").wait_for()
    with opened(chromium, f"{address}#/play") as page:
        page.locator("[data-test=run]").wait_for()
        page.context.set_offline(True)
        page.get_by_role("link", name="Studies").click()
        page.get_by_text("without a network there are no studies").wait_for()


@pytest.mark.parametrize("id", ["002", "005"])
def test_the_engine_in_the_page_reads_each_scenario(folder: Path, id: str) -> None:
    published = json.loads((folder / "play" / "studies" / id / "scenarios.json").read_text(encoding="utf-8"))
    assert set(published) == {run.id for run in load_study(find_study(id)).runs if run.replication == 0}


def test_each_claim_of_scenarios_has_its_runs() -> None:
    without = [claim.id for id in ("002", "005") for claim in load_study(find_study(id)).claims if not claim.runs]
    # What the paper prints about itself, measured in no run.
    assert without == ["printed"]


def test_with_the_studies_the_page_is_small(folder: Path) -> None:
    sizes = {path.name: len(gzip.compress(path.read_bytes(), 6)) for path in (folder / "play").rglob("*.*")}
    assert sum(sizes.values()) <= MOST_GZIPPED, sizes


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing(chromium: Browser, address: str, look: str) -> None:
    found = {}
    with opened(chromium, f"{address}#/studies/005", **LOOKS[look]) as page:
        page.get_by_role("link", name="Run it here").first.wait_for()
        found["study"] = violations(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("link", name="Run it here").first.click()
        finished(page, 3)
        found["claim"] = violations(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
