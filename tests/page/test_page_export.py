"""One recording as one HTML file, opened from the disk in a real Chromium that has no network."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page

import ackclock as ac
from chromium import PATIENCE_MS, TOKENS, frame_drawn, served
from commands import ackclock as command

SCENARIO = ac.Scenario(
    name="two <flows> & a queue",
    topology=ac.Dumbbell(pairs=2, bottleneck=ac.Link(rate="2 Mb/s", delay="20 ms", queue=ac.Queue(limit="15 packets"))),
    flows=[ac.Flow(pair=n, tcp=tcp, window="100 packets", name=tcp) for n, tcp in ((1, "reno"), (2, "sack"))],
    duration="5 s",
    record=ac.Record(changes=True, packets=True),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Path:
    del chromium  # without one, or without the page, nothing needs to be made
    made = tmp_path_factory.mktemp("export")
    ac.run(SCENARIO).save(made / "run")
    done = command("view", "run", "--export", "run.html", cwd=made)
    assert done.returncode == 0, done.stderr
    size = (made / "run.html").stat().st_size
    assert done.stdout == f"run.html: {size / 1e6:.1f} MB\n" and size < 3e6
    return made


def facts(page: Page) -> dict[str, str]:
    """The numbers that the player shows of what is selected."""
    names = page.locator(".facts dt").all_inner_texts()
    return dict(zip(names, page.locator(".facts dd").all_inner_texts(), strict=True))


def test_it_plays_without_server_and_network(chromium: Browser, folder: Path) -> None:
    results = ac.open(folder / "run")
    with chromium.new_context(offline=True) as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        asked: list[str] = []
        wrong: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.goto((folder / "run.html").as_uri())
        frame_drawn(page)
        page.keyboard.press("End")
        page.keyboard.press("f")
        # The counters at the end are those of the run's table, which the engine wrote.
        row = results.flows[0]
        page.locator(".facts dd", has_text=f"{row['sent_packets']:,}".replace(",", " ")).first.wait_for()
        for chart in ("cwnd", "throughput", "queue", "rtt", "drops", "sequence"):
            page.locator(f"[data-chart={chart}] .legend li").first.wait_for()
        page.keyboard.press("Home")
        page.keyboard.press("z")  # a closer look needs nothing from elsewhere, either
        page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("p")
        page.locator(".details", has_text="joins the queue").wait_for()
        page.keyboard.press("t")
        assert page.locator("html").get_attribute("data-theme") == "dark"
        page.keyboard.press("?")
        page.locator("dialog[open]").wait_for()
        assert wrong == []
        assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []


def test_its_answers_are_those_of_the_server(chromium: Browser, folder: Path) -> None:
    """A packet's life, which the page works out by itself, as the server's own code has it."""
    with served("view", "run", cwd=folder) as address:

        def get(path: str) -> dict[str, object]:
            parts = urlsplit(address)
            token = TOKENS[parts.netloc].removeprefix("token=")
            request = Request(f"http://{parts.netloc}/api/{path}", headers={"Authorization": f"Bearer {token}"})
            with urlopen(request, timeout=60) as answer:
                return dict(json.load(answer))

        id = get("about")["files"][0]["id"]  # type: ignore[index]
        served_packets = {uid: get(f"recordings/{id}/packet/{uid}")["events"] for uid in (0, 17, 400)}
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto((folder / "run.html").as_uri())
        frame_drawn(page)
        for uid, events in served_packets.items():
            shown = page.evaluate(
                "async (uid) => (await (await ackclock.ask(`recordings/recording/packet/${uid}`)).json())", uid
            )
            assert isinstance(events, list) and events
            for mine, theirs in zip(shown["events"], events, strict=True):
                assert mine == {key: theirs[key] for key in mine}
                assert set(theirs) - set(mine) <= {"source", "destination", "flags"}


def test_what_is_wrong_is_said(tmp_path: Path, folder: Path) -> None:
    for words, said in (
        (("run", "--export", "run.pdf"), "expected a name that ends in .html"),
        (("run", "run", "--export", "run.html"), "a page has one recording, got 2"),
        (("nowhere", "--export", "run.html"), "no such file or folder: nowhere"),
        (("run", "--export", str(tmp_path / "no" / "run.html")), "run.html"),
    ):
        done = command("view", *words, cwd=folder)
        assert done.returncode == 1 and said in done.stderr and "Traceback" not in done.stderr
    (tmp_path / "bad.tr").write_text("no trace\n", encoding="utf-8")
    done = command("view", "bad.tr", "--export", "run.html", cwd=tmp_path)
    assert done.returncode == 1 and "bad.tr" in done.stderr and not (tmp_path / "run.html").exists()
