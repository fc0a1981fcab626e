"""Time the page without a server: its engine beside the native one, and how soon packets move.

    python benches/browser.py [--rounds N] [--write]

It needs `make site`, Node and Chromium. W1 is dumbbell.toml, run in turn by the native engine in this process and by
the page's in Node, whose WebAssembly compiler is Chromium's; shown is the median of processor time. The first packets
are those of the playground's first set-up, a run of 40 s, from the opening of the page, which Python's own file server
gives out on this machine, with nothing in the browser's cache. `--write` puts the table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import page
from run import machine

from ackclock import _native

HERE = Path(__file__).resolve().parent
PLAY = HERE.parent / "out" / "play"
SCENARIO = HERE / "dumbbell.toml"
#: Tells when the player has first drawn packets, ms after the page was asked for.
WATCH = """new MutationObserver((_, watch) => {
    if (document.querySelector("[data-drawn]")) { watch.disconnect(); globalThis.drawnAfter_ms = performance.now(); }
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-drawn"] })"""


def native_s() -> float:
    """Processor time of W1 in the native engine."""
    text = SCENARIO.read_text(encoding="utf-8")
    began = time.process_time()
    _native.run_scenario_text(text)
    return time.process_time() - began


def browser_s() -> float:
    """The same in the page's engine. The first of two runs in a process is left out: V8 compiles in its course."""
    words = ["node", str(HERE / "browser.mjs"), str(PLAY / "ackclock.wasm"), str(SCENARIO)]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    return float(said[-1])


def first_packets_s(rounds: int) -> list[float]:
    """From the opening of the page to its first packets, each time in a new browser profile."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    words = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(PLAY)]
    found = []
    with (
        sync_playwright() as play,
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server,
    ):
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split("(")[1].split(")")[0]
            browser = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
            for _ in range(rounds):
                with browser.new_context() as context:
                    context.add_init_script(WATCH)
                    tab = context.new_page()
                    tab.goto(f"{address}#/embed")
                    tab.wait_for_function("globalThis.drawnAfter_ms")
                    found.append(tab.evaluate("drawnAfter_ms") / 1000)
            browser.close()
        finally:
            server.terminate()
    return found


def main() -> int:
    """Measure, print the table, and write it on request."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="runs of each (default: 5)")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    if not (PLAY / "ackclock.wasm").is_file():
        print("there is no out/play: make site builds it", file=sys.stderr)
        return 1
    pairs = [(native_s(), browser_s()) for _ in range(options.rounds)]
    ratio = statistics.median(browser / native for native, browser in pairs)
    native, browser = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
    seen = first_packets_s(options.rounds)
    least, most = min(seen), max(seen)
    table = f"""\
{machine()}; medians of {options.rounds}, {time.strftime("%Y-%m-%d")}

| | |
|---|---|
| W1, the native engine | {native:.2f} CPU s |
| W1, the engine in the page | {browser:.2f} CPU s, **{ratio:.1f}** times as much |
| from the opening of the page to its first packets | {statistics.median(seen):.2f} s ({least:.2f} to {most:.2f}) |"""
    print(table)
    if options.write:
        page.put("browser", table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
