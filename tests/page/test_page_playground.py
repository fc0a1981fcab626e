"""The playground, from a choice to a chart, in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import tomllib
from playwright.sync_api import Browser, Page

import ackclock as ac
from chromium import frame_drawn, opened, served, until

SCRIPT = """
set ns [new Simulator]
set nf [open out.nam w]
$ns namtrace-all $nf
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1Mb 10ms DropTail
set tcp [new Agent/TCP]
set sink [new Agent/TCPSink]
$ns attach-agent $a $tcp
$ns attach-agent $b $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.1 "$ftp start"
$ns at [lindex $argv 0] "finish"
proc finish {} { global ns nf; $ns flush-trace; close $nf; puts "that was all"; exit 0 }
$ns run
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served("serve", cwd=tmp_path_factory.mktemp("served")) as found:
        yield found


@pytest.fixture
def bench(chromium: Browser, address: str) -> Iterator[Page]:
    """The playground whose runs the server makes; test_page_engine.py has those that the page makes itself."""
    with opened(chromium, f"{address}#/play", wasm=False) as page:
        page.locator("select[name=topology]").wait_for()
        yield page


def run(page: Page) -> None:
    page.locator("[data-test=run]").click()


def finished(page: Page, runs: int = 1) -> None:
    """Wait until so many runs have their curves."""
    page.locator(".run").nth(runs - 1).locator(".run-chart .legend li").first.wait_for()


def test_from_a_choice_to_a_chart_with_the_apis_numbers(bench: Page, tmp_path: Path) -> None:
    bench.locator("select[name=queue]").select_option("red")
    bench.locator("input[name=limit]").fill("25 packets")
    bench.locator("select[name='flows.0.tcp']").select_option("sack")
    bench.locator("input[name=duration]").fill("10 s")
    run(bench)
    finished(bench)
    with bench.expect_download() as saved:
        bench.get_by_role("button", name="TOML").click()
    toml = tmp_path / "scenario.toml"
    toml.write_bytes(Path(saved.value.path()).read_bytes())
    # What was saved is what was chosen, and its run has the numbers that the page shows.
    chosen = tomllib.loads(toml.read_text())
    assert chosen["topology"]["bottleneck"]["queue"] == {"kind": "red", "limit": "25 packets"}
    results = ac.run(ac.load(toml))
    rows = results.rows("flows")
    shown = bench.locator(".run .figures tbody tr")
    assert shown.count() == len(rows) == 2
    for n, row in enumerate(rows):
        expected = [row[name] for name in ("goodput_bps", "sent_packets", "dropped_packets")]
        cells = [cell.get_attribute("data-value") for cell in shown.nth(n).locator("td").all()]
        assert [float(cell or "nan") for cell in cells[:3]] == expected
    bench.get_by_role("link", name="Show its packets").click()
    frame_drawn(bench)


def test_the_only_run_is_as_wide_as_two_and_fits_any_window(bench: Page) -> None:
    bench.set_viewport_size({"width": 1440, "height": 900})
    bench.locator("input[name=duration]").fill("5 s")
    run(bench)
    finished(bench)
    # All columns of its table are seen: nothing to scroll.
    wide = bench.locator(".run .scroll").first
    assert wide.evaluate("box => box.scrollWidth <= box.clientWidth")
    for width in (1280, 390, 1440):
        bench.set_viewport_size({"width": width, "height": 900})
        until(bench, "() => document.documentElement.scrollWidth <= innerWidth")
        until(
            bench,
            "() => { const plot = document.querySelector('.run .chart-plot');"
            " return Math.abs(plot.querySelector('.u-wrap').clientWidth - plot.clientWidth) <= 1; }",
        )


def test_runs_stand_side_by_side_with_one_scale(bench: Page) -> None:
    bench.locator("input[name=duration]").fill("4 s")
    run(bench)
    finished(bench)
    bench.locator("select[name='flows.0.tcp']").select_option("linux:cubic")
    run(bench)
    finished(bench, 2)
    assert bench.locator(".run").count() == 2
    for _ in range(3):
        run(bench)
    bench.get_by_text("Four runs stand side by side already").wait_for()
    bench.get_by_role("button", name="Remove this run").first.click()
    assert bench.locator(".run").count() == 3


@pytest.mark.parametrize(
    ("name", "more", "times"),
    [("Vegas beside Reno", 0, 3), ("Near and far", 0, 10), ("A lossy link", 1, 1.2)],
)
def test_what_there_is_to_try_shows_what_its_words_say(name: str, more: int, times: float, bench: Page) -> None:
    bench.locator(".preset", has_text=name).click()
    finished(bench)
    cells = bench.locator(".run .figures tbody tr td:nth-child(2)")
    goodput = [float(cells.nth(n).get_attribute("data-value") or "nan") for n in range(2)]
    assert goodput[more] > times * goodput[1 - more]


def test_a_shared_link_holds_the_set_up(bench: Page, chromium: Browser) -> None:
    bench.get_by_text("Near and far").click()
    bench.locator("input[name=rate]").fill("3 Mb/s")
    bench.get_by_role("button", name="Link", exact=True).click()
    link = bench.locator("[data-test=link]").input_value()
    with opened(chromium, link) as other:
        other.locator("input[name=rate]").wait_for()
        assert other.locator("input[name=rate]").input_value() == "3 Mb/s"
        assert other.locator("input[name=accessDelay]").input_value() == "2 ms, 80 ms"
        assert other.locator("select[name='flows.1.tcp']").input_value() == "reno"
    with opened(chromium, link[:-12]) as cut:
        cut.get_by_text("cannot be read").wait_for()


def test_a_mistake_is_said_beside_its_field(bench: Page) -> None:
    bench.locator("input[name=rate]").fill("2 parsecs")
    run(bench)
    alert = bench.get_by_role("alert")
    alert.wait_for()
    assert "2 parsecs" in alert.inner_text()
    assert bench.locator("input[name=rate]").get_attribute("aria-invalid") == "true"
    bench.locator("input[name=rate]").fill("2 Mb/s")
    assert bench.locator("[aria-invalid]").count() == 0


def test_a_long_run_tells_how_far_it_is_and_can_be_cancelled(bench: Page) -> None:
    bench.locator("input[name=rate]").fill("1 Gb/s")
    bench.locator("input[name=accessRate]").fill("1 Gb/s")
    bench.locator("input[name=duration]").fill("3000 s")
    run(bench)
    bench.locator(".run progress").wait_for()
    bench.get_by_role("button", name="Cancel").click()
    bench.get_by_text("Cancelled").wait_for()


def test_the_server_going_away_ends_the_waiting(chromium: Browser, tmp_path: Path) -> None:
    with ExitStack() as server:
        address = server.enter_context(served("serve", cwd=tmp_path))
        with opened(chromium, f"{address}#/play", wasm=False) as page:
            page.locator("input[name=duration]").fill("3000 s")
            page.locator("input[name=rate]").fill("1 Gb/s")
            run(page)
            page.locator(".run progress").wait_for()
            server.close()
            page.locator(".run").get_by_text("The server does not answer").wait_for()


#: Posts a script that never ends, as another page would; its id.
OTHERS = """async () => {
    const body = JSON.stringify({ script: "while 1 {}" });
    const headers = { "Content-Type": "application/json" };
    return (await (await fetch("/api/runs", { method: "POST", headers, body })).json()).id;
}"""


def test_the_place_in_the_queue_is_shown(bench: Page) -> None:
    others = [bench.evaluate(OTHERS) for _ in range(5)]
    bench.locator("input[name=duration]").fill("1 s")
    run(bench)
    bench.locator(".run").get_by_text("Waiting for its turn: place 2 in the queue").wait_for()
    bench.evaluate("id => fetch(`/api/runs/${id}`, { method: 'DELETE' })", others[4])
    bench.locator(".run").get_by_text("Waiting for its turn: place 1 in the queue").wait_for()
    for id in others[:4]:
        bench.evaluate("id => fetch(`/api/runs/${id}`, { method: 'DELETE' })", id)
    finished(bench)


def test_ones_own_script(bench: Page) -> None:
    bench.get_by_text("Your own ns-2 script").click()
    bench.locator("textarea[name=script]").fill(SCRIPT)
    bench.locator("input[name=arguments]").fill("2.0")
    bench.locator("[data-test=run-script]").click()
    bench.get_by_text("that was all").wait_for()
    bench.get_by_role("link", name="Show its packets").click()
    frame_drawn(bench)


def test_a_script_that_fails_says_where(bench: Page) -> None:
    bench.get_by_text("Your own ns-2 script").click()
    bench.locator("textarea[name=script]").fill("set ns [new Simulator]\n$ns no-such-thing\n")
    bench.locator("[data-test=run-script]").click()
    alert = bench.locator(".run").get_by_role("alert")
    alert.wait_for()
    assert "no-such-thing" in bench.locator(".run").inner_text()
