"""The scoreboard's page in a real Chromium: counts, filters, conditions of a cell, on a wide and on a narrow screen."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from ackclock.cli import main
from chromium import PATIENCE_MS
from small_matrix import MATRIX, SUITE


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Path:
    del chromium  # without one nothing needs to be run
    folder = tmp_path_factory.mktemp("board")
    (folder / "small.toml").write_text(SUITE)
    (folder / "matrix.toml").write_text(MATRIX)
    words = ["--matrix", str(folder / "matrix.toml"), "--quick", "--store", str(folder / "store")]
    words += ["--only", "cubic", "--only", "bbr", "--only", "vegas", "--out", str(folder / "board")]
    assert main(["scoreboard", *words]) == 0
    return folder / "board"


@contextmanager
def opened(chromium: Browser, board: Path, width: int, place: str = "", **context: Any) -> Iterator[Page]:
    """The page from its file, without network; nothing may go wrong unseen."""
    with chromium.new_context(viewport={"width": width, "height": 900}, offline=True, **context) as made:
        made.set_default_timeout(PATIENCE_MS)
        page = made.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: wrong.append(asked.url) if not asked.url.startswith("file:") else None)
        page.goto(f"{(board / 'index.html').as_uri()}{place}")
        yield page
        assert wrong == []


def cells(board: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((board / "cells.json").read_text())["cells"]
    return found


def test_counts_are_those_of_the_cells(chromium: Browser, board: Path) -> None:
    with opened(chromium, board, 1440) as page:
        buttons = page.locator(".board button")
        wanted: Counter[str] = Counter(cell["verdict"] for cell in cells(board))
        shown: Counter[str] = Counter()
        for told in buttons.evaluate_all("all => all.map((one) => one.title)"):
            for part in told.split(", "):
                number, _, word = part.partition(" ")
                shown[word] += int(number)
        assert shown == wanted
        assert page.locator(".board tbody tr").count() == 3


def test_a_cell_shows_its_conditions_with_their_intervals(chromium: Browser, board: Path) -> None:
    with opened(chromium, board, 1440) as page:
        page.locator('[data-criterion="utilisation"][data-queue="drop_tail"] button').nth(1).click()
        details = page.locator("#details")
        its = [
            cell
            for cell in cells(board)
            if (cell["control"], cell["criterion"], cell["queue"]) == ("tcp/bbr", "utilisation", "drop_tail")
        ]
        rows = details.locator("tbody tr")
        assert rows.count() == len(its) == 3
        scales = []
        for row, cell in zip(rows.all(), its, strict=True):
            said = row.inner_text()
            assert cell["verdict"] in said and cell["compared_with"] in said
            assert float(row.locator("td").nth(1).inner_text().split()[0]) == pytest.approx(cell["mean"], rel=1e-3)
            link = row.locator("a").get_attribute("href") or ""
            assert link == cell["scenario"] and (board / link).is_file()
            # The pictures have one scale: what the mean is beyond the bound, and the interval, are as long in each.
            mean, bound, line = (row.locator(f"svg .{name}") for name in ("mean", "bound", "interval"))
            beyond = float(mean.get_attribute("cx") or 0) - float(bound.get_attribute("x1") or 0)
            scales.append(beyond / (cell["mean"] - cell["lower_bound"]))
            long = float(line.get_attribute("x2") or 0) - float(line.get_attribute("x1") or 0)
            scales.append(long / (cell["high"] - cell["low"]))
        # Numbers in the page have five digits, which differences have fewer of.
        assert scales == pytest.approx([scales[0]] * len(scales), rel=0.05)
        address = page.url
    with opened(chromium, board, 1440, "#" + address.partition("#")[2]) as page:
        assert page.locator("#details tbody tr").count() == 3


def test_filters_leave_what_they_name(chromium: Browser, board: Path) -> None:
    with opened(chromium, board, 1440) as page:
        page.locator("#of-criterion").select_option("harm")
        assert page.locator(".board tbody tr").first.locator("td:visible").count() == 2
        page.locator("#of-queue").select_option("codel")
        assert page.locator(".board tbody tr").first.locator("td:visible").count() == 1
        page.locator("#of-criterion").select_option("")
        page.locator("#of-verdict").select_option("met")
        its = [cell for cell in cells(board) if cell["queue"] == "codel" and cell["verdict"] == "met"]
        numbers = page.locator(".board button:visible b").all_inner_texts()
        assert sum(map(int, numbers)) == len(its)
        page.locator("#of-verdict").select_option("")
        page.locator("#of-queue").select_option("")
        assert page.locator(".board tbody tr").first.locator("td:visible").count() == 4


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_screen_has_one_criterion_and_nothing_beside_the_page(
    chromium: Browser, board: Path, scheme: str
) -> None:
    with opened(chromium, board, 390, color_scheme=scheme) as page:
        assert page.locator("#of-criterion").input_value() == "utilisation"
        page.locator(".board button:visible").first.click()
        page.locator("#details tbody tr").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        board_of = page.locator(".board").bounding_box()
        assert board_of is not None and board_of["width"] <= 390
        # White on the verdict's colour, as in the other reports: at least 4.5 to 1 (WCAG 2, 1.4.3).
        for colour in page.locator(".board button:visible").evaluate_all(
            "all => all.map((one) => getComputedStyle(one).backgroundColor.match(/[\\d.]+/g).map(Number))"
        ):
            assert 1.05 / (luminance(colour) + 0.05) >= 4.5


def luminance(colour: list[float]) -> float:
    """Relative luminance of an sRGB colour (WCAG 2)."""
    linear = [one / 255 / 12.92 if one / 255 <= 0.04045 else ((one / 255 + 0.055) / 1.055) ** 2.4 for one in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
