"""The studies' pages, in a real Chromium."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import tomllib
from playwright.sync_api import Browser

from chromium import frame_drawn, opened, served

CLAIMS = Path(__file__).resolve().parents[2] / "studies" / "004_sack_vs_vegas" / "claims.toml"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[str]:
    """Where study 004 has been run, and no other."""
    del chromium  # without one nothing needs to be run
    folder = tmp_path_factory.mktemp("studies")
    line = [sys.executable, "-m", "ackclock", "study", "run", "004", "--quick"]
    subprocess.run(line, cwd=folder, capture_output=True, timeout=600, check=True)
    with served("serve", cwd=folder) as found:
        yield found


def test_published_stands_beside_measured_and_a_point_opens_its_run(chromium: Browser, address: str) -> None:
    printed = tomllib.loads(CLAIMS.read_text(encoding="utf-8"))["table"][0]["published"]
    with opened(chromium, f"{address}#/studies") as page:
        page.get_by_role("link", name="TCP Flavours").click()
        table = page.locator(".study-table").first
        table.wait_for()
        cells = [value for row in printed for value in row]
        assert table.locator(".published").all_inner_texts() == cells
        # The paper's digits come out, all of them (and claims.toml says that the real ns-2 prints them).
        assert [text.strip() for text in table.locator(".measured button").all_inner_texts()] == cells
        assert table.get_by_role("img", name="reproduced").count() == len(cells)
        # Three of the paper's, and one of our own.
        assert page.locator(".claims .verdict", has_text="contradicted").count() == 4
        assert page.locator(".claims li", has_text="our own statement").count() == 1
        table.locator(".measured button").first.click()
        frame_drawn(page)
        assert "#/view/" in page.url


def test_verdicts_are_counted_by_settings_and_what_is_not_weighed_is_listed(chromium: Browser, address: str) -> None:
    study = tomllib.loads(CLAIMS.read_text(encoding="utf-8"))
    with opened(chromium, f"{address}#/studies") as page:
        entry = page.locator(".study-entry", has_text="TCP Flavours")
        entry.get_by_text(f"{len(study['unweighed'])} entries not weighed").wait_for()
        entry.click()
        table = page.locator(".verdicts-by-settings")
        table.wait_for()
        assert table.locator("thead th").all_inner_texts() == ["claims", "printed", "inferred", "fitted", "all"]
        *rows, total = [
            [int(n) for n in row.locator("td").all_inner_texts()] for row in table.locator("tbody tr").all()
        ]
        claims = [one["settings"] for one in study["claim"] if one.get("origin") != "ours"]
        claims += [one["settings"] for one in study["table"] for row in one["published"] for _ in row]
        assert total == [*(claims.count(name) for name in ("printed", "inferred", "fitted")), len(claims)]
        assert [sum(column) for column in zip(*rows, strict=True)] == total
        shown = page.locator(".unweighed li")
        assert shown.count() == len(study["unweighed"])
        for one, item in zip(study["unweighed"], shown.all(), strict=True):
            text = " ".join(item.inner_text().split())
            assert all(" ".join(one[name].split()) in text for name in ("place", "words", "reason"))


def test_figures_are_shown_with_their_words(chromium: Browser, address: str) -> None:
    with opened(chromium, f"{address}#/studies/004") as page:
        page.locator(".study img").first.wait_for()
        for picture in page.locator(".study img").all():
            picture.scroll_into_view_if_needed()
            assert picture.get_attribute("alt")
            page.wait_for_timeout(300)
            assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0


def test_a_study_that_was_not_run_says_how(chromium: Browser, address: str) -> None:
    with opened(chromium, f"{address}#/studies/003") as page:
        page.get_by_text("has not been run yet").wait_for()
        page.get_by_text("ackclock study run 003").wait_for()
        assert page.locator(".published").count() > 10


def test_an_unknown_study_is_said(chromium: Browser, address: str) -> None:
    with opened(chromium, f"{address}#/studies/999") as page:
        page.get_by_role("alert").wait_for()
