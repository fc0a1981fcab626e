"""Every page by the rules of axe-core, in a real Chromium: light, dark and on a phone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from axe import LOOKS, violations
from chromium import PATIENCE_MS, frame_drawn, opened, served
from small_matrix import MATRIX, SUITE

GRID = """\
scenario = "scenario.toml"
replications = 2
metrics = ["goodput_mbps"]

[vary]
"topology.bottleneck.queue.limit" = ["20 packets", "40 packets"]
"""


def command(folder: Path, *words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ackclock", *words], cwd=folder, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Path:
    """A saved run, a sweep's grid, and what study 004 gives."""
    del chromium  # without one nothing needs to be run
    made = tmp_path_factory.mktemp("pages")
    command(made, "init")
    for name in ("first", "second"):  # of one alone there is no list
        command(made, "run", "scenario.toml", "--set", "duration=5 s", "--set", "record.packets=true", "--out", name)
    (made / "grid.toml").write_text(GRID, encoding="utf-8")
    command(made, "study", "report", "004", "--quick")
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with served("serve", cwd=folder) as found:
        yield found


@pytest.mark.parametrize("look", LOOKS)
def test_the_app(chromium: Browser, address: str, look: str) -> None:
    found: dict[str, list[str]] = {}
    with opened(chromium, address, **LOOKS[look]) as page:
        page.get_by_role("link", name="second").wait_for()
        found["recordings"] = violations(page)
        page.get_by_role("link", name="second").click()
        frame_drawn(page)
        page.keyboard.press("f")
        found["player"] = violations(page)
        page.keyboard.press("?")
        page.locator("dialog[open]").wait_for()
        found["help"] = violations(page)
        page.keyboard.press("Escape")
        page.get_by_role("link", name="Playground").click()
        page.locator(".preset").first.click()
        page.locator(".run .run-chart .legend li").first.wait_for()
        found["playground"] = violations(page)
        page.get_by_role("link", name="Lessons").click()
        page.locator(".lesson-entry").first.click()
        page.locator("[data-test=answer] summary").click()
        found["lesson"] = violations(page)
        page.get_by_role("link", name="Studies").click()
        page.locator(".study-entry").first.wait_for()
        found["studies"] = violations(page)
        page.locator(".study-entry", has_text="TCP Flavours").click()
        page.locator(".study-table").first.wait_for()
        found["study"] = violations(page)
    assert "\n".join(f"{name}: {one}" for name, wrong in found.items() for one in wrong) == ""


@pytest.fixture(scope="module")
def reports(folder: Path) -> list[Path]:
    """A page of each kind of report."""
    command(folder, "report", "first", "--out", "run.html")
    command(folder, "report", "first", "second", "--out", "compared.html")
    command(folder, "sweep", "grid.toml")
    command(folder, "report", "grid.toml", "--out", "sweep.html")
    command(
        folder,
        "evaluate",
        "vegas",
        "--suite",
        "rfc9743",
        "--quick",
        "--only",
        "fairness",
        "--replications",
        "2",
        "--out",
        "suite.html",
    )
    return [folder / name for name in ("run.html", "compared.html", "sweep.html", "suite.html", "out/report.html")]


@pytest.mark.parametrize("look", LOOKS)
def test_the_reports(chromium: Browser, reports: list[Path], look: str) -> None:
    found = {}
    with chromium.new_context(**LOOKS[look]) as context:
        page = context.new_page()
        for path in reports:
            page.goto(path.as_uri())
            found[path.name] = violations(page)
    assert "\n".join(f"{name}: {one}" for name, wrong in found.items() for one in wrong) == ""


@pytest.fixture(scope="module")
def exported(folder: Path) -> Path:
    """The player of one run as a file."""
    command(folder, "view", "first", "--export", "exported.html")
    return folder / "exported.html"


@pytest.mark.parametrize("look", LOOKS)
def test_the_exported_page(chromium: Browser, exported: Path, look: str) -> None:
    found = {}
    with chromium.new_context(offline=True, **LOOKS[look]) as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.goto(exported.as_uri())
        frame_drawn(page)
        page.keyboard.press("f")
        page.locator("[data-chart=cwnd] .legend li").first.wait_for()
        found["player"] = violations(page)
        page.keyboard.press("?")
        page.locator("dialog[open]").wait_for()
        found["help"] = violations(page)
    assert "\n".join(f"{name}: {one}" for name, wrong in found.items() for one in wrong) == ""


@pytest.fixture(scope="module")
def board(folder: Path) -> Path:
    """A small scoreboard with met and undetermined cells, and with what changed since another one."""
    (folder / "small.toml").write_text(SUITE, encoding="utf-8")
    (folder / "matrix.toml").write_text(MATRIX, encoding="utf-8")
    words = ["scoreboard", "--matrix", "matrix.toml", "--quick", "--only", "cubic", "--only", "bbr", "--only", "vegas"]
    command(folder, *words, "--out", "older")
    cells = folder / "older" / "cells.json"
    # A page with a table of changes.
    cells.write_text(cells.read_text("utf-8").replace('"verdict": "met"', '"verdict": "not met"', 1), encoding="utf-8")
    command(folder, *words, "--out", "board", "--since", "older")
    return folder / "board" / "index.html"


@pytest.mark.parametrize("look", LOOKS)
def test_the_scoreboard(chromium: Browser, board: Path, look: str) -> None:
    found = {}
    with chromium.new_context(offline=True, **LOOKS[look]) as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.goto(board.as_uri())
        assert page.locator("#changed").count() == 1
        found["matrix"] = violations(page)
        page.locator(".board button:visible").first.click()
        page.locator("#details tbody tr").first.wait_for()
        found["conditions of a cell"] = violations(page)
        page.locator("#of-verdict").select_option("met")
        found["one verdict"] = violations(page)
    assert "\n".join(f"{name}: {one}" for name, wrong in found.items() for one in wrong) == ""
