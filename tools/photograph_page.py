"""The pictures of the page in docs/images, taken anew: `python tools/photograph_page.py`.

Needs the page (make page) and Chromium. Look at them before they are committed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
WIDE, NARROW = {"width": 1280, "height": 940}, {"width": 390, "height": 844}


def main() -> None:
    """Serve a folder in which a study was run, and go through the page as a teacher would."""
    program = shutil.which("chromium") or "chromium"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        command = [sys.executable, "-m", "ackclock"]
        subprocess.run([*command, "study", "run", "004", "--quick"], cwd=folder, stdout=subprocess.DEVNULL, check=True)
        server = subprocess.Popen([*command, "serve", "--no-browser"], cwd=folder, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            browser = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
            compared(browser, address)
            studied(browser, address)
            browser.close()
        finally:
            server.terminate()
            server.wait()


def opened(browser: Browser, address: str, size: dict[str, int], scheme: str) -> Page:
    """A page of a size in light or dark."""
    context = browser.new_context(viewport=size, color_scheme=scheme, device_scale_factor=1)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    return page


def compared(browser: Browser, address: str) -> None:
    """Two runs side by side, then the packets of the first."""
    page = opened(browser, f"{address}#/play", WIDE, "light")
    for n, name in enumerate(("Vegas beside Reno", "RED instead of drop-tail")):
        page.locator(".preset", has_text=name).click()
        page.locator(".run").nth(n).locator(".run-chart .legend li").first.wait_for()
    page.wait_for_timeout(1000)
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=IMAGES / "view-playground.png")
    page.get_by_role("link", name="Show its packets").first.click()
    played(page)
    page.screenshot(path=IMAGES / "view-player.png")
    # Each picture is of a browser of its own, which needs the token, and makes the runs again.
    page.get_by_role("button", name="Link").click()
    link = f"{address}#{page.locator('[data-test=link]').input_value().partition('#')[2]}"
    for scheme, size, name in (("dark", WIDE, "view-player-dark"), ("light", NARROW, "view-phone")):
        other = opened(browser, link, size, scheme)
        played(other)
        other.screenshot(path=IMAGES / f"{name}.png")


def played(page: Page) -> None:
    """At a time when Reno has just filled the queue."""
    page.wait_for_selector("[data-drawn]")
    page.locator('[data-chart="sequence"] .legend li').first.wait_for()
    page.keyboard.press("g")
    page.keyboard.type("8.2")
    page.keyboard.press("Enter")
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(1500)


def studied(browser: Browser, address: str) -> None:
    """A paper beside its runs."""
    page = opened(browser, f"{address}#/studies/004", WIDE, "light")
    page.locator(".study-table").first.wait_for()
    page.screenshot(path=IMAGES / "view-study.png")


if __name__ == "__main__":
    main()
