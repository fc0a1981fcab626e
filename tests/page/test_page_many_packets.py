"""Two thousand packets in the air, in a real Chromium."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from chromium import frame_drawn, opened, served

#: The windows are larger than the links hold: those are full, of 1,300 packets there and as many acknowledgements back.
SCENARIO = """
duration = "3 s"
[topology]
kind = "dumbbell"
pairs = 10
access = { rate = "1 Gb/s", delay = "2 ms" }
bottleneck = { rate = "200 Mb/s", delay = "50 ms", queue = { limit = "6000 packets" } }
[[flows]]
pair = 0
tcp = "sack"
window = "400 packets"
"""

FRAMES = 120


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[str]:
    del chromium
    folder: Path = tmp_path_factory.mktemp("many")
    (folder / "many.toml").write_text(SCENARIO)
    line = [sys.executable, "-m", "ackclock", "run", "many.toml", "--trace", "many.tr"]
    subprocess.run(line, cwd=folder, check=True, capture_output=True)
    with served("view", "many.tr", cwd=folder) as found:
        yield found


def test_two_thousand_packets_are_drawn_while_it_plays(chromium: Browser, address: str) -> None:
    """How long a frame takes is not asked: others use this machine, and Chromium draws without a graphics card here."""
    with opened(chromium, address, viewport={"width": 1280, "height": 900}) as page:
        frame_drawn(page)
        page.get_by_text("Reading the file").wait_for(state="detached")
        page.keyboard.press("g")
        page.keyboard.type("2.5")
        page.keyboard.press("Enter")
        page.wait_for_timeout(1500)
        on_links = page.evaluate("ackclock.positions(2.5).then(all => all.filter(one => one.state === 1).length)")
        assert on_links >= 2000
        page.keyboard.press("Space")
        page.evaluate(
            """frames => new Promise(done => {
                const next = () => frames-- > 0 ? requestAnimationFrame(next) : done();
                next();
            })""",
            FRAMES,
        )
        assert page.evaluate("ackclock.time") > 2.5
