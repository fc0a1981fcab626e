"""The playground without a server: static files from a plain file server, in a real Chromium, the network then cut."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import ackclock as ac
from axe import LOOKS, violations
from chromium import PATIENCE_MS, PLAY, finished, frame_drawn, opened, static_page

#: All files of the page as a web server sends them.
MOST_GZIPPED = 1_500_000


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with static_page() as found:
        yield found


@pytest.fixture
def bench(chromium: Browser, address: str) -> Iterator[Page]:
    with opened(chromium, f"{address}#/play") as page:
        page.locator("select[name=topology]").wait_for()
        yield page


def test_from_a_choice_to_packets_without_a_network(bench: Page, tmp_path: Path) -> None:
    # The engine, the worker and the charts came with the choices, or come with the first run.
    bench.locator("[data-test=run]").click()
    finished(bench)
    bench.context.set_offline(True)
    bench.locator("select[name=queue]").select_option("red")
    bench.locator("input[name=limit]").fill("25 packets")
    bench.locator("select[name='flows.0.tcp']").select_option("sack")
    bench.locator("input[name=duration]").fill("10 s")
    with bench.expect_download() as saved:
        bench.get_by_role("button", name="TOML").click()
    toml = tmp_path / "scenario.toml"
    toml.write_bytes(Path(saved.value.path()).read_bytes())
    bench.locator("[data-test=run]").click()
    finished(bench, 2)
    # What was saved is what ran: the numbers of the Python package, whose logarithms are the C library's.
    rows = ac.run(ac.load(toml)).rows("flows")
    shown = bench.locator(".run").nth(1).locator(".figures tbody tr")
    assert shown.count() == len(rows) == 2
    for n, row in enumerate(rows):
        expected = [row[name] for name in ("goodput_bps", "sent_packets", "dropped_packets")]
        cells = [cell.get_attribute("data-value") for cell in shown.nth(n).locator("td").all()]
        assert [float(cell or "nan") for cell in cells[:3]] == pytest.approx(expected)
    bench.locator(".run").nth(1).get_by_role("link", name="Show its packets").click()
    frame_drawn(bench)
    assert bench.get_by_role("link", name="Playground").count() == 1
    assert bench.get_by_role("link", name="Studies").count() == 0


def test_a_mistake_is_said_beside_its_field(bench: Page) -> None:
    bench.locator("input[name=rate]").fill("2 parsecs")
    bench.locator("[data-test=run]").click()
    alert = bench.get_by_role("alert")
    alert.wait_for()
    assert "2 parsecs" in alert.inner_text() and "a rate such as 10 Mb/s" in alert.inner_text()
    assert bench.locator("input[name=rate]").get_attribute("aria-invalid") == "true"


def test_a_long_run_tells_how_far_it_is_and_can_be_cancelled(bench: Page) -> None:
    bench.locator("input[name=duration]").fill("100000 s")
    bench.locator("[data-test=run]").click()
    bench.locator(".run progress").wait_for()
    bench.get_by_role("button", name="Cancel").click()
    bench.get_by_text("Cancelled").wait_for()


def test_a_run_that_takes_for_ever_says_how_long_and_what_to_do(bench: Page) -> None:
    # A million years. The page judges a run after five seconds; its clock goes on by ten, since a fast machine has
    # filled the memory by then.
    bench.clock.install()
    bench.locator("input[name=duration]").fill("30000000000000 s")
    bench.locator("[data-test=run]").click()
    bench.locator(".run progress").wait_for()
    bench.clock.fast_forward(10_000)
    bench.locator(".run").get_by_text("Cancel it and shorten its duration").wait_for()
    bench.get_by_role("button", name="Cancel").click()
    bench.get_by_text("Cancelled").wait_for()


def test_a_run_that_outgrows_its_memory_says_so(bench: Page) -> None:
    # 100 packets of 1,000 bytes a microsecond, and each is kept: 1 GiB is full in milliseconds of the network.
    for name in ("rate", "accessRate"):
        bench.locator(f"input[name={name}]").fill("1 Tb/s")
    bench.locator("input[name=limit]").fill("1000000 packets")
    for n in range(2):
        bench.locator(f"input[name='flows.{n}.window']").fill("1000000 packets")
    bench.locator("input[name=duration]").fill("3000 s")
    bench.locator("[data-test=run]").click()
    bench.locator(".run").get_by_role("alert").wait_for(timeout=3 * PATIENCE_MS)
    assert "more memory than a page may take (1 GiB)" in bench.locator(".run").get_by_role("alert").inner_text()
    # The next run is not the worse for it.
    bench.get_by_role("button", name="Remove this run").click()
    bench.locator(".preset").first.click()
    finished(bench)


def test_a_run_in_a_frame_can_be_cancelled(bench: Page, chromium: Browser) -> None:
    bench.locator("input[name=duration]").fill("100000 s")
    bench.get_by_role("button", name="Link", exact=True).click()
    tag = bench.locator("[data-test=embed]").input_value()
    with chromium.new_context() as context:
        other = context.new_page()
        other.set_content(f"<!doctype html><title>Theirs</title>{tag}")
        frame = other.frame_locator("iframe")
        frame.get_by_role("button", name="Cancel").click(timeout=PATIENCE_MS)
        frame.get_by_text("Cancelled.").wait_for(timeout=PATIENCE_MS)


@pytest.mark.parametrize("place", ["play", "embed", "lessons/incast"])
def test_a_browser_without_webassembly_is_told_so(chromium: Browser, address: str, place: str) -> None:
    with opened(chromium, f"{address}#/{place}", wasm=False) as page:
        page.get_by_text("This browser has no WebAssembly, which the simulator needs: take a newer one.").wait_for()


def test_an_engine_that_does_not_come_is_said_and_asked_for_again(chromium: Browser, address: str) -> None:
    with chromium.new_context() as context:
        page = context.new_page()
        page.route("**/ackclock.wasm", lambda route: route.fulfill(status=404))
        page.goto(f"{address}#/play")
        page.get_by_text("The engine did not come: ackclock.wasm, status 404.").wait_for()
        page.unroute("**/ackclock.wasm")
        page.get_by_role("button", name="Try again").click()
        page.locator("[data-test=run]").click()
        finished(page)


def test_a_link_with_a_network_without_bounds_is_bounded(chromium: Browser, address: str) -> None:
    packer = zlib.compressobj(wbits=-15)
    asked = {"form": 1, "setups": [{"size": 10**12, "duration": "2 s", "flows": [{}]}]}
    packed = packer.compress(json.dumps(asked).encode()) + packer.flush()
    setup = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    with opened(chromium, f"{address}#/play?setup={setup}") as page:
        page.locator("[data-test=run]").click()
        finished(page)
        assert page.locator("input[name=size]").input_value() == "8"


def test_links_hold_the_set_up_or_say_why_not(bench: Page, chromium: Browser, address: str) -> None:
    bench.get_by_text("Near and far").click()
    bench.locator("input[name=rate]").fill("3 Mb/s")
    bench.get_by_role("button", name="Link", exact=True).click()
    link = bench.locator("[data-test=link]").input_value()
    assert link.startswith(address)
    with opened(chromium, link) as other:
        other.locator("input[name=rate]").wait_for()
        assert other.locator("input[name=rate]").input_value() == "3 Mb/s"
        assert other.locator("select[name='flows.1.tcp']").input_value() == "reno"
    with opened(chromium, link[:-12]) as cut:
        cut.get_by_text("cannot be read").wait_for()
    packer = zlib.compressobj(wbits=-15)
    later = packer.compress(json.dumps({"form": 2, "setups": [{}]}).encode()) + packer.flush()
    setup = base64.urlsafe_b64encode(later).decode().rstrip("=")
    with opened(chromium, f"{address}#/play?setup={setup}") as other:
        other.get_by_text("from another version").wait_for()


def test_a_link_holds_the_runs_and_the_place_in_time(bench: Page, chromium: Browser) -> None:
    bench.locator("input[name=duration]").fill("5 s")
    bench.locator("[data-test=run]").click()
    finished(bench)
    bench.locator("select[name='flows.0.tcp']").select_option("sack")
    bench.locator("[data-test=run]").click()
    finished(bench, 2)
    bench.locator(".run").nth(1).get_by_role("link", name="Show its packets").click()
    frame_drawn(bench)
    time = bench.get_by_label("Time in seconds")
    time.fill("2.125")
    time.press("Enter")
    bench.get_by_role("button", name="Link").click()
    link = bench.locator("[data-test=link]").input_value()
    assert link.endswith("&show=2&t=2.125")
    expected = bench.evaluate("ackclock.positions(ackclock.time)")
    # On another machine, of which the page knows nothing: both are run again, and the second is shown.
    with opened(chromium, link) as other:
        frame_drawn(other)
        assert other.evaluate("ackclock.time") == 2.125
        assert other.evaluate("ackclock.positions(ackclock.time)") == expected != []
        other.go_back()
        finished(other, 2)
        summaries = other.locator(".run header p").all_inner_texts()
        assert [text.split(" · ")[0] for text in summaries] == ["reno, vegas", "sack, vegas"]


def test_a_tag_shows_the_player_in_another_page(bench: Page, chromium: Browser, address: str) -> None:
    bench.locator("input[name=rate]").fill("3 Mb/s")
    bench.locator("input[name=duration]").fill("5 s")
    bench.locator("input[name=name]").fill('A "name" & <more>')
    bench.get_by_role("button", name="Link", exact=True).click()
    tag = bench.locator("[data-test=embed]").input_value()
    with chromium.new_context(viewport={"width": 760, "height": 800}) as context:
        other = context.new_page()
        other.set_content(f"<!doctype html><title>Theirs</title><h1>Theirs</h1>{tag}")
        assert other.locator("iframe").get_attribute("title") == 'A "name" & <more>'
        frame = other.frame_locator("iframe")
        frame.locator("[data-drawn]").wait_for(timeout=PATIENCE_MS)
        assert frame.get_by_role("heading", name='A "name" & <more>').is_visible()
        assert frame.get_by_role("navigation", name="Pages").count() == 0
        link = frame.get_by_role("link", name="Change it in the playground").evaluate("link => link.href")
    with opened(chromium, link) as page:
        page.locator("input[name=rate]").wait_for()
        assert page.locator("input[name=rate]").input_value() == "3 Mb/s"


@pytest.mark.parametrize("look", LOOKS)
def test_the_player_alone_passes_axe_and_fits(chromium: Browser, address: str, look: str) -> None:
    with opened(chromium, f"{address}#/embed", **LOOKS[look]) as page:
        frame_drawn(page)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_is_only_a_servers_is_said(chromium: Browser, address: str) -> None:
    with opened(chromium, f"{address}#/view/run-1") as page:
        page.get_by_text("not in this page any more").wait_for()


def test_it_is_small(address: str) -> None:
    assert address
    sizes = {path.name: len(gzip.compress(path.read_bytes(), 6)) for path in PLAY.rglob("*") if path.is_file()}
    assert sum(sizes.values()) <= MOST_GZIPPED, sizes
