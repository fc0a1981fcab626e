"""The lessons, from the list to the answer: static files from a plain file server, in a real Chromium."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

import ackclock as ac
from axe import LOOKS, violations
from chromium import ROOT, finished, opened, static_page

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILES = sorted((ROOT / "web" / "src" / "lessons").glob("*.toml"))
LESSONS = {path.stem.split("-", 1)[1]: tomllib.loads(path.read_text(encoding="utf-8")) for path in FILES}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with static_page() as found:
        yield found


def saved(page: Page, folder: Path) -> ac.Scenario:
    """The scenario that the form holds."""
    with page.expect_download() as download:
        page.get_by_role("button", name="TOML").click()
    toml = folder / "scenario.toml"
    toml.write_bytes(Path(download.value.path()).read_bytes())
    return ac.load(toml)


def scenario(lesson: dict[str, Any]) -> ac.Scenario:
    """A lesson's scenario with the ends of its flows as the form has them."""
    flows = []
    for flow in lesson["scenario"]["flows"]:
        rest = dict(flow)
        pair = rest.pop("pair", None)
        flows.append(rest if pair is None else {"source": f"left{pair}", "destination": f"right{pair}", **rest})
    return ac.Scenario.of({**lesson["scenario"], "flows": flows})


def goodput(page: Page, run: int) -> list[float]:
    """The flows' goodputs, as a run's table has them."""
    rows = page.locator(".run").nth(run).locator(".figures tbody tr").all()
    return [float(row.locator("td").first.get_attribute("data-value") or "nan") for row in rows]


def test_from_the_list_to_the_answer_without_a_network(chromium: Browser, address: str, tmp_path: Path) -> None:
    with opened(chromium, address) as page:
        page.get_by_role("link", name="Lessons").click()
        entries = page.locator(".lesson-entry h2")
        entries.first.wait_for()
        assert entries.all_inner_texts() == [lesson["title"] for lesson in LESSONS.values()]
        page.get_by_role("link", name="Bufferbloat and CoDel").click()
        page.locator("select[name=queue]").wait_for()
        page.context.set_offline(True)
        page.locator("[data-test=first]").click()
        finished(page)
        # What a student does by hand, and what the button does, are the same change.
        page.locator("select[name=queue]").select_option("codel")
        page.locator("[data-test=run]").click()
        finished(page, 2)
        by_hand = saved(page, tmp_path)
        page.locator("[data-test=second]").click()
        finished(page, 3)
        assert saved(page, tmp_path) == by_hand
        assert goodput(page, 1) == goodput(page, 2) == pytest.approx(ac.run(by_hand).flows.column("goodput_bps"))
        answer = page.get_by_text("With CoDel the mean queueing delay is under 20 ms")
        assert not answer.is_visible()
        page.get_by_text("Show the answer").click()
        assert answer.is_visible()
        # The runs are there when one comes back from their packets.
        page.locator(".run").first.get_by_role("link", name="Show its packets").click()
        page.locator("[data-drawn]").wait_for()
        page.go_back()
        page.locator(".run").nth(2).wait_for()
        page.get_by_role("link", name="Next: RED's tuning").click()
        page.get_by_role("heading", name="RED's tuning").wait_for()
        assert page.locator(".run").count() == 0


def test_each_has_a_link_and_the_set_up_of_its_file(chromium: Browser, address: str, tmp_path: Path) -> None:
    for name, lesson in LESSONS.items():
        with opened(chromium, f"{address}#/lessons/{name}", viewport={"width": 390, "height": 844}) as page:
            page.get_by_role("heading", name=lesson["title"]).wait_for()
            assert saved(page, tmp_path) == scenario(lesson)
            # The choices show what is saved: of a name that the form does not know they would show another.
            flow = lesson["scenario"]["flows"][0]
            assert page.locator("[name='flows.0.tcp']").input_value() == f"{flow['tcp']}:{flow['control']}"
            topology = lesson["scenario"]["topology"]
            queue = (topology.get("bottleneck") or topology["link"])["queue"]["kind"]
            assert page.locator("[name=queue]").input_value() == queue
            assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_lesson_that_is_not_there_is_said(chromium: Browser, address: str) -> None:
    with opened(chromium, f"{address}#/lessons/fast-start") as page:
        page.get_by_text('There is no lesson "fast-start".').wait_for()
        page.get_by_role("link", name="To the lessons").click()
        page.locator(".lesson-entry").first.wait_for()


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing(chromium: Browser, address: str, look: str) -> None:
    found: dict[str, list[str]] = {}
    with opened(chromium, f"{address}#/lessons", **LOOKS[look]) as page:
        page.locator(".lesson-entry").first.wait_for()
        found["list"] = violations(page)
        page.get_by_role("link", name="Incast").click()
        for run in ("first", "second"):
            page.locator(f"[data-test={run}]").click()
        finished(page, 2)
        page.get_by_text("Show the answer").click()
        found["lesson"] = violations(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
