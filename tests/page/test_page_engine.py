"""`ackclock serve` with the engine in its page: what the page can run it runs, and the server shows the same of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomllib
from playwright.sync_api import Browser, Page, Request

import ackclock as ac
from chromium import STATIC, finished, frame_drawn, opened, served


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not (STATIC / "ackclock.wasm").is_file():
        pytest.skip("the page has been built without the engine (make page; rustup target add wasm32-unknown-unknown)")
    with served("serve", cwd=tmp_path_factory.mktemp("served")) as found:
        yield found


@pytest.fixture
def bench(chromium: Browser, address: str) -> Iterator[Page]:
    with opened(chromium, f"{address}#/play") as page:
        page.locator("select[name=topology]").wait_for()
        yield page


def asked_of_server(page: Page) -> list[str]:
    """The requests of the API that the page sends from now on, as `METHOD path`."""
    found: list[str] = []

    def note(request: Request) -> None:
        path = request.url.split("/api/")
        if len(path) == 2:
            found.append(f"{request.method} {path[1]}")

    page.on("request", note)
    return found


def set_up(page: Page) -> None:
    page.locator("select[name=queue]").select_option("codel")
    page.locator("select[name='flows.0.tcp']").select_option("tcp:cubic")
    page.locator("input[name=duration]").fill("8 s")
    page.locator("[data-test=run]").click()
    finished(page)


#: The server keeps packets as ns-2's trace, which rounds times to a microsecond. On the shortest link, 250 pixels for
#: 5 ms, a packet moves by so many pixels in it.
NEAR = 0.05


def shown(page: Page) -> dict[str, Any]:
    """What is seen of a run: its table, its curves as they are saved, and where its packets are."""
    values = page.locator(".run .figures [data-value]").all()
    seen: dict[str, Any] = {"table": [value.get_attribute("data-value") for value in values]}
    for button in page.get_by_role("button", name="save as CSV").all():
        with page.expect_download() as download:
            button.click()
        seen[download.value.suggested_filename] = Path(download.value.path()).read_text(encoding="utf-8")
    page.get_by_role("link", name="Show its packets").click()
    frame_drawn(page)
    packets = [one for t in (0.2, 1.5, 3.25, 7.9) for one in page.evaluate("t => ackclock.positions(t)", t)]
    seen["packets"] = [[one[name] for name in ("uid", "link", "flow", "kind", "seq", "state")] for one in packets]
    seen["places"] = pytest.approx([one[way] for one in packets for way in ("x", "y")], abs=NEAR)
    return seen


def saved(page: Page, kind: str, folder: Path) -> Path:
    """The file that a button saves."""
    with page.expect_download() as download:
        page.get_by_role("button", name=kind, exact=True).click()
    path = folder / download.value.suggested_filename
    path.write_bytes(Path(download.value.path()).read_bytes())
    return path


def test_the_page_runs_it_and_the_server_shows_the_same(chromium: Browser, address: str) -> None:
    seen = []
    for wasm in (True, False):
        with opened(chromium, f"{address}#/play", wasm=wasm) as page:
            page.locator("select[name=topology]").wait_for()
            asked = asked_of_server(page)
            set_up(page)
            assert page.get_by_text("ran in this page" if wasm else "ran on the server").count() == 1
            assert ("POST runs" in asked) is not wasm
            seen.append(shown(page))
            # Of its results nothing was asked, either.
            assert any(path.startswith("GET recordings/") for path in asked) is not wasm
    places = [one.pop("places") for one in seen]
    assert places[0].expected == places[1]
    assert len(seen[0]["packets"]) > 40 and len(seen[0]) == 6
    assert seen[0] == seen[1]


def test_what_is_saved_of_it_has_the_numbers_of_the_command(bench: Page, tmp_path: Path) -> None:
    set_up(bench)
    toml = saved(bench, "TOML", tmp_path)
    assert tomllib.loads(toml.read_text(encoding="utf-8"))["flows"][0]["control"] == "cubic"
    cells = [cell.get_attribute("data-value") for cell in bench.locator(".run .figures tbody td:nth-child(2)").all()]
    assert [float(cell or "nan") for cell in cells] == [
        row["goodput_bps"] for row in ac.run(ac.load(toml)).rows("flows")
    ]


def test_the_server_writes_the_script_or_says_what_ns2_lacks(bench: Page, tmp_path: Path) -> None:
    # The engine in the page has no writer of scripts.
    assert "new Simulator" in saved(bench, "ns-2", tmp_path).read_text(encoding="utf-8")
    bench.locator("select[name='flows.0.tcp']").select_option("tcp:bbr")
    bench.get_by_role("button", name="ns-2", exact=True).click()
    bench.locator(".said").get_by_role("alert").wait_for()
    assert "flows.0.tcp" in bench.locator(".said").inner_text()


def test_a_claim_s_scenario_comes_from_the_server_and_runs_in_the_page(chromium: Browser, address: str) -> None:
    with opened(chromium, f"{address}#/studies/005") as page:
        asked = asked_of_server(page)
        page.get_by_role("link", name="Run it here").first.click()
        finished(page, 3)
        assert page.get_by_text("ran in this page").count() == 3
        assert "POST runs" not in asked
        assert sorted(path for path in asked if "scenarios/" in path) == [
            f"GET studies/005/scenarios/lowrate%2F{search}%2Ffound" for search in (1, 2, 3)
        ]


def test_scripts_and_mistakes_are_the_server_s(bench: Page) -> None:
    asked = asked_of_server(bench)
    bench.get_by_text("Your own ns-2 script").click()
    bench.locator("textarea[name=script]").fill("set ns [new Simulator]\n$ns no-such-thing\n")
    bench.locator("[data-test=run-script]").click()
    bench.locator(".run").get_by_role("alert").wait_for()
    assert "POST runs" in asked
    bench.locator("input[name=rate]").fill("2 parsecs")
    bench.locator("[data-test=run]").click()
    bench.locator(".said").get_by_role("alert").wait_for()
    assert "a rate such as 10 Mb/s" in bench.locator(".said").inner_text()
    assert bench.locator("input[name=rate]").get_attribute("aria-invalid") == "true"


def test_an_engine_that_does_not_come_leaves_it_to_the_server(chromium: Browser, address: str) -> None:
    with opened(chromium, f"{address}#/play") as page:
        page.route("**/ackclock.wasm", lambda route: route.abort())
        page.locator("input[name=duration]").fill("2 s")
        page.locator("[data-test=run]").click()
        finished(page)
        page.get_by_text("ran on the server").wait_for()


def test_a_run_in_the_page_can_be_cancelled_or_given_to_the_server(bench: Page) -> None:
    bench.locator("input[name=duration]").fill("100000 s")
    bench.locator("[data-test=run]").click()
    bench.locator(".run progress").wait_for()
    bench.get_by_role("button", name="Cancel").click()
    bench.get_by_text("Cancelled").wait_for()
    # It needs more memory than a page may take: 10,000 packets of 1500 bytes a millisecond, and each is kept.
    bench.locator("input[name=rate]").fill("1 Tb/s")
    bench.locator("input[name=accessRate]").fill("1 Tb/s")
    bench.locator("input[name=duration]").fill("3000 s")
    bench.locator("[data-test=run]").click()
    bench.get_by_role("button", name="Run it on the server").wait_for()


def test_the_page_may_compile_webassembly_and_run_no_text(bench: Page) -> None:
    tried = """async () => {
        const found = {};
        const module = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
        found.wasm = await WebAssembly.compile(module).then(() => true, () => false);
        try { found.text = new Function("return true")(); } catch (error) { found.text = error.name; }
        found.worker = await new Promise((resolve) => {
            try {
                const worker = new Worker(URL.createObjectURL(new Blob(["postMessage(1)"])));
                worker.onmessage = () => resolve(true);
                worker.onerror = () => resolve(false);
            } catch { resolve(false); }
        });
        return found;
    }"""
    assert bench.evaluate(tried) == {"wasm": True, "text": "EvalError", "worker": False}
