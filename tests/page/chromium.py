"""The page in a real browser: Debian's Chromium, driven by Playwright, and the server as users start it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "python" / "ackclock" / "server" / "static"
BUILT = STATIC / "index.html"
#: The page without a server.
PLAY = ROOT / "out" / "play"

#: How long the page may take for anything, ms: other tests share the machine.
PATIENCE_MS = 30_000


def launched() -> Iterator[Browser]:
    """A browser for all tests; they are skipped, with the reason, where there is none or no page."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    if not BUILT.is_file():
        pytest.skip("the page has not been built (make page; Node is needed)")
    with sync_playwright() as play:
        # In a container there are no namespaces for its sandbox; it sees nothing but our own page.
        browser = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


#: The servers' tokens, by host and port. `opened` opens each page as a user does: by a link with the token in it.
TOKENS: dict[str, str] = {}


@contextmanager
def served(*words: str, cwd: Path) -> Iterator[str]:
    """The address of `ackclock WORDS...`, which runs meanwhile; without the token."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ackclock", *words, "--no-browser"],
        cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None and process.stderr is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://"), process.stderr.read()
        parts = urlsplit(address)
        TOKENS[parts.netloc] = parts.query
        assert parts.query.startswith("token=")
        yield parts._replace(query="").geturl()
    finally:
        process.terminate()
        process.communicate(timeout=20)


@contextmanager
def static_page(folder: Path = PLAY) -> Iterator[str]:
    """The address of the page without a server, given out by Python's own file server."""
    if not (PLAY / "ackclock.wasm").is_file():
        pytest.skip(
            "the page without a server has not been built (make site; rustup target add wasm32-unknown-unknown)"
        )
    words = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            # "Serving HTTP on 127.0.0.1 port 41234 (http://127.0.0.1:41234/) ..."
            address = process.stdout.readline().split("(")[1].split(")")[0]
            TOKENS[urlsplit(address).netloc] = ""
            yield address
        finally:
            process.terminate()


@contextmanager
def opened(browser: Browser, address: str, *, wasm: bool = True, **context: Any) -> Iterator[Page]:
    """A page at an address, in which nothing may go wrong unseen. Without `wasm` the browser has no WebAssembly."""
    with browser.new_context(**context) as made:
        made.set_default_timeout(PATIENCE_MS)
        if not wasm:
            made.add_init_script("delete globalThis.WebAssembly")
        page = made.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        parts = urlsplit(address)
        page.goto(parts._replace(query=TOKENS[parts.netloc]).geturl())
        yield page
        assert wrong == []


def until(page: Page, condition: str) -> None:
    """Wait until a JavaScript function of no arguments returns true in the page.

    `Page.wait_for_function` evaluates text again and again from inside the page, which the page's Content Security
    Policy forbids from the second time on.
    """
    end = time.monotonic() + PATIENCE_MS / 1000
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"not true after {PATIENCE_MS} ms: {condition}"
        page.wait_for_timeout(50)


def frame_drawn(page: Page) -> None:
    """Wait until the player has drawn packets."""
    page.wait_for_selector("[data-drawn]")


def finished(page: Page, runs: int = 1) -> None:
    """Wait until so many runs have their curves."""
    page.locator(".run").nth(runs - 1).locator(".run-chart .legend li").first.wait_for()
