"""The player, in a real Chromium, against what the trace files say."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page

from ackclock.analysis.plot import palette
from chromium import frame_drawn, opened, served, until
from packet_places import Hop, Links, hops, places

#: Two flows over a narrow link with a short queue, so that there are queues, drops and, with ECN, marks.
SCENARIO = """
duration = "6 s"
[topology]
kind = "dumbbell"
pairs = 2
delays = ["5 ms", "12 ms"]
[topology.bottleneck]
rate = "1 Mb/s"
delay = "20 ms"
[topology.bottleneck.queue]
kind = "red"
limit = "12 packets"
parameters = { thresh = "3 packets", maxthresh = "9 packets", setbit = true }
[topology.access]
rate = "10 Mb/s"
delay = "5 ms"
[[flows]]
pair = 1
tcp = "reno"
window = "40 packets"
parameters = { ecn = true }
[[flows]]
pair = 2
tcp = "sack"
window = "40 packets"
[record]
packets = true
changes = true
"""

#: Of the scenario's nodes in their order: left1 left2 router1 router2 right1 right2.
WAYS = {(0, 2): (10e6, 0.005), (1, 2): (10e6, 0.012), (2, 3): (1e6, 0.02), (3, 4): (10e6, 0.005), (3, 5): (10e6, 0.012)}
LINKS: Links = WAYS | {(b, a): link for (a, b), link in WAYS.items()}

TIMES = (0.0, 0.0301, 0.4, 0.7215, 1.0, 1.5, 2.25, 3.3333, 4.1, 5.9)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one run as each kind of file."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "net.toml").write_text(SCENARIO)
    words = ["run", "net.toml", "--trace", "out.tr", "--nam", "out.nam", "--out", "saved"]
    subprocess.run([sys.executable, "-m", "ackclock", *words], cwd=folder, check=True, capture_output=True)
    for name in ("out.tr", "out.nam"):
        with (folder / name).open("rb") as plain, gzip.open(folder / f"zipped-{name}.gz", "wb") as zipped:
            shutil.copyfileobj(plain, zipped)
    (folder / "cut.tr").write_text((folder / "out.tr").read_text()[:50_000] + "\n+ 1.5 two three\n")
    (folder / "letter.tr").write_text("Dear Sir,\n")
    (folder / "empty.tr").write_text("")
    return folder


@pytest.fixture(scope="module")
def traced(made: Path) -> dict[tuple[int, int, int], Hop]:
    return hops(made / "out.tr")


@pytest.fixture(scope="module")
def address(made: Path) -> Iterator[str]:
    files = [path.name for path in sorted(made.iterdir()) if path.suffix != ".toml"]
    with served("view", *files, cwd=made) as found:
        yield found


def ids(page: Page, address: str) -> dict[str, str]:
    """Names of files to what they are called in addresses."""
    about = page.request.get(f"{address}api/about").json()
    return {file["name"]: file["id"] for file in about["files"]}


@pytest.fixture
def player(chromium: Browser, address: str) -> Iterator[Page]:
    """The page, with the trace open."""
    with opened(chromium, address) as page:
        page.goto(f"{address}#/view/{ids(page, address)['out.tr']}")
        frame_drawn(page)
        yield page


def head_of(page: Page, address: str, name: str) -> dict[str, Any]:
    head: dict[str, Any] = page.request.get(f"{address}api/recordings/{ids(page, address)[name]}").json()
    return head


def shown(page: Page, time_s: float, head: dict[str, Any]) -> dict[tuple[int, int, int], dict[str, Any]]:
    """What the page has at a time, by packet id and link; without what is falling."""
    ends = {link["id"]: (link["from"], link["to"]) for link in head["links"]}
    found = page.evaluate("t => ackclock.positions(t)", time_s)
    return {(one["uid"], *ends[one["link"]]): one for one in found if one["state"] != 2}


@pytest.mark.parametrize("name", ["out.tr", "out.nam", "zipped-out.tr.gz", "zipped-out.nam.gz", "saved"])
def test_packets_are_where_the_trace_has_them(
    name: str, chromium: Browser, address: str, traced: dict[tuple[int, int, int], Hop], made: Path
) -> None:
    # nam's times have more digits than a .tr's; a run has all of them.
    expected_of = hops(made / "out.nam") if "nam" in name else traced
    seen = waiting = 0
    with opened(chromium, address) as page:
        page.goto(f"{address}#/view/{ids(page, address)[name]}")
        frame_drawn(page)
        head = head_of(page, address, name)
        known = {(link["from"], link["to"]) for link in head["links"] if link["rate_bps"] is not None}
        for time_s in TIMES:
            expected = places(expected_of, LINKS, time_s)
            found = shown(page, time_s, head)
            assert found.keys() == expected.keys(), f"at {time_s}"
            for key, place in expected.items():
                one = found[key]
                assert (one["state"] == 0) == place.waits, key
                assert head["kinds"][one["kind"]] == place.kind
                assert head["flows"][one["flow"]]["kinds"], key
                if not place.waits and key[1:] in known:
                    # Times of a .tr have six digits or so, and its links' delays are estimated from them.
                    assert one["head"] == pytest.approx(place.head, abs=2e-3), key
                    assert one["tail"] == pytest.approx(place.tail, abs=2e-3), key
            seen += len(expected)
            waiting += sum(place.waits for place in expected.values())
    assert seen > 60 and waiting > 15


def test_packets_are_drawn_where_they_are(player: Page, address: str) -> None:
    """The pixel in the middle of a packet on its way has its flow's colour."""
    head = head_of(player, address, "out.tr")
    flows = [one["id"] for one in sorted(head["flows"], key=lambda one: int(one["name"]))]
    looked = 0
    for time_s in (0.7215, 2.25, 4.1):
        seek(player, time_s)
        found = [one for one in player.evaluate("t => ackclock.positions(t)", time_s) if one["state"] == 1]
        for one in found:
            if head["kinds"][one["kind"]] == "ack" or one["marked"] or one["head"] - one["tail"] < 0.05:
                continue
            colour = palette.SERIES[flows.index(one["flow"])].light
            assert pixel(player, one["x"], one["y"]) == colour, one
            looked += 1
    assert looked > 10


def pixel(page: Page, x: float, y: float) -> str:
    """The colour at a place of the stage, as #rrggbb."""
    r, g, b, _ = page.evaluate(
        """([x, y]) => {
            const canvas = document.querySelectorAll(".stage canvas")[1];
            const ratio = canvas.width / canvas.clientWidth;
            return [...canvas.getContext("2d").getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data];
        }""",
        [x, y],
    )
    return f"#{r:02x}{g:02x}{b:02x}"


def seek(page: Page, time_s: float) -> None:
    """Write a time where the time stands, and wait for its picture."""
    page.keyboard.press("g")
    page.keyboard.type(repr(time_s))
    page.keyboard.press("Enter")
    assert page.evaluate("ackclock.time") == pytest.approx(time_s)
    # The next frame but one has it.
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_play_and_pause(player: Page) -> None:
    player.keyboard.press("ArrowUp")
    player.keyboard.press("Space")
    player.wait_for_timeout(600)
    player.keyboard.press("Space")
    stopped = player.evaluate("ackclock.time")
    assert stopped > 0
    player.wait_for_timeout(200)
    assert player.evaluate("ackclock.time") == stopped
    # By mouse too; the button says what it would do.
    player.get_by_role("button", name="Play").click()
    player.wait_for_timeout(200)
    player.get_by_role("button", name="Pause").click()
    assert player.evaluate("ackclock.time") > stopped
    player.keyboard.press("Home")
    assert player.evaluate("ackclock.time") == 0


def test_speed_goes_from_a_microsecond_to_ten_seconds(player: Page) -> None:
    for _ in range(25):
        player.keyboard.press("ArrowDown")
    player.get_by_text("1 µs per second").wait_for()
    for _ in range(25):
        player.keyboard.press("ArrowUp")
    player.get_by_text("10 s per second").wait_for()


def test_steps_go_from_event_to_event(player: Page, traced: dict[tuple[int, int, int], Hop]) -> None:
    """Each step is at the next time that stands in the trace, and back again."""
    times = sorted({time for hop in traced.values() for time in hop[3:] if isinstance(time, float)})
    start = next(n for n, time in enumerate(times) if time > 1.0)
    seek(player, 1.0)
    for expected in times[start : start + 12]:
        player.keyboard.press("ArrowRight")
        wait_for_time(player, expected)
    for expected in times[start + 10 : start + 5 : -1]:
        player.keyboard.press("ArrowLeft")
        wait_for_time(player, expected)


def wait_for_time(page: Page, time_s: float) -> None:
    for _ in range(100):
        if page.evaluate("ackclock.time") == pytest.approx(time_s, abs=1e-9):
            return
        page.wait_for_timeout(20)
    pytest.fail(f"at {page.evaluate('ackclock.time')}, expected {time_s}")


def test_filters_by_flow_and_kind(player: Page, address: str, traced: dict[tuple[int, int, int], Hop]) -> None:
    head = head_of(player, address, "out.tr")
    expected = places(traced, LINKS, 1.5)
    flow_ids = sorted(one["flow_id"] for one in head["flows"])

    def uids() -> Counter[int]:
        return Counter(uid for uid, *_ in shown(player, 1.5, head))

    def of(*, flows: tuple[int, ...] = (1, 2), kinds: tuple[str, ...] = ("tcp", "ack")) -> Counter[int]:
        return Counter(key[0] for key, place in expected.items() if place.flow in flows and place.kind in kinds)

    assert uids() == of()
    player.get_by_label("Show flow 1", exact=True).uncheck()
    assert uids() == of(flows=(2,)) != of()
    player.keyboard.press("0")
    player.get_by_label("ack", exact=True).uncheck()
    assert uids() == of(kinds=("tcp",)) != of()
    player.keyboard.press("a")
    assert uids() == of()
    player.keyboard.press(f"Shift+Digit{flow_ids.index(2) + 1}")
    assert uids() == of(flows=(2,))


def test_a_click_on_a_packet_tells_its_life(player: Page, traced: dict[tuple[int, int, int], Hop]) -> None:
    seek(player, 2.25)
    found = player.evaluate("t => ackclock.positions(t)", 2.25)
    one = next(one for one in found if one["state"] == 1 and one["head"] - one["tail"] > 0.1)
    box = player.locator(".stage").bounding_box()
    assert box is not None
    player.mouse.click(box["x"] + one["x"], box["y"] + one["y"])
    player.get_by_role("heading", name=f"Packet {one['uid']}", exact=True).wait_for()
    life = player.locator(".life li").count()
    times = [time for (uid, _, _), hop in traced.items() if uid == one["uid"] for time in hop[3:] if time is not None]
    assert life == len(times)
    player.keyboard.press("Escape")
    player.get_by_text("Click a packet, flow, link or node for its numbers.", exact=True).wait_for()


def test_counters_are_the_traces(player: Page, traced: dict[tuple[int, int, int], Hop]) -> None:
    """Data packets of each flow that left their source, arrived and were dropped until the end."""
    player.keyboard.press("End")
    player.wait_for_timeout(800)
    for flow, source, sink in ((1, 0, 4), (2, 1, 5)):
        own = {key: hop for key, hop in traced.items() if hop.flow == flow and hop.kind == "tcp"}
        sent = sum(a == source for _, a, _ in own)
        received = sum(b == sink and hop.came_s is not None for (_, _, b), hop in own.items())
        dropped = sum(hop.dropped_s is not None for hop in own.values())
        row = player.locator(".flows tbody tr", has=player.get_by_role("rowheader", name=str(flow), exact=True))
        cells = [text.replace("\u202f", "") for text in row.locator("td.number").all_inner_texts()]
        assert cells[:3] == [str(sent), str(received), str(dropped)]
        assert sent > 50


def test_charts_have_the_servers_numbers_and_a_csv(player: Page) -> None:
    card = player.locator('[data-chart="drops"]')
    card.locator(".legend li").first.wait_for()
    with player.expect_download() as saved:
        card.get_by_role("button", name="save the data as CSV").click()
    lines = Path(saved.value.path()).read_text().splitlines()
    assert lines[0] == "time_s,curve,unit,value"
    head = player.url.rsplit("/", 1)[1]
    answer = player.request.get(f"{player.url.split('#')[0]}api/recordings/{head}/series?what=drops").json()
    assert [line.split(",")[0] for line in lines[1:]] == [
        json.dumps(time).removesuffix(".0") for column in answer["columns"] for time in column["times"]
    ]
    assert len(lines) > 5
    with player.expect_download() as saved:
        card.get_by_role("button", name="save as SVG").click()
    assert Path(saved.value.path()).read_text().startswith("<svg xmlns=")
    with player.expect_download() as saved:
        card.get_by_role("button", name="save as PNG").click()
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")


def test_the_playhead_goes_through_all_charts(player: Page) -> None:
    player.locator('[data-chart="sequence"] .legend li').first.wait_for()
    seek(player, 3.0)
    heads, cards = player.locator(".playhead:visible"), player.locator(".chart-card:not(.bare)")
    # A chart has its playhead when its data has come, and is bare when there is none.
    until(
        player,
        """() => {
            const shown = [...document.querySelectorAll(".playhead")].filter((head) => head.checkVisibility()).length;
            return shown >= 4 && shown === document.querySelectorAll(".chart-card:not(.bare)").length;
        }""",
    )
    count = heads.count()
    assert count == cards.count()
    # Each at the middle of its plot: the recording is six seconds long.
    for n in range(count):
        place = heads.nth(n).evaluate(
            "head => new DOMMatrix(getComputedStyle(head).transform).e / head.parentElement.clientWidth"
        )
        assert place == pytest.approx(0.5, abs=0.01)


def test_zoom_asks_for_what_is_seen(player: Page) -> None:
    player.locator('[data-chart="throughput"] .legend li').first.wait_for()
    with player.expect_request(lambda request: "what=throughput" in request.url) as asked:
        player.keyboard.press("z")
    query = parse_qs(urlsplit(asked.value.url).query)
    assert float(query["from"][0]) == 0
    assert float(query["to"][0]) == pytest.approx(3, abs=0.01)


def test_every_key_is_in_the_help(player: Page) -> None:
    player.keyboard.press("?")
    overlay = player.get_by_role("dialog")
    overlay.wait_for()
    for words in ("play, pause", "to the next event", "light or dark"):
        overlay.get_by_text(words, exact=True).wait_for()
    player.keyboard.press("Escape")
    overlay.wait_for(state="hidden")


def test_a_link_to_a_time_opens_there(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto(f"{address}#/view/{ids(page, address)['out.nam']}?t=2.5")
        frame_drawn(page)
        assert page.evaluate("ackclock.time") == 2.5


def test_the_printed_link_opens_the_file_and_the_token_goes(chromium: Browser, made: Path) -> None:
    with served("view", "out.tr", cwd=made) as address:
        assert "#/view/" in address
        with opened(chromium, address) as page:
            frame_drawn(page)
            assert page.url == address and "token" not in page.url
            page.reload()
            frame_drawn(page)


@pytest.mark.parametrize(("name", "words"), [("letter.tr", "letter.tr"), ("empty.tr", "empty.tr")])
def test_what_is_no_trace_is_said_in_words(name: str, words: str, chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto(f"{address}#/view/{ids(page, address)[name]}")
        alert = page.get_by_role("alert")
        alert.wait_for()
        assert words in alert.inner_text()


def test_a_damaged_trace_plays_up_to_the_damage(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto(f"{address}#/view/{ids(page, address)['cut.tr']}")
        frame_drawn(page)
        page.get_by_text("The file is damaged").wait_for()


def test_a_recording_that_is_not_there(chromium: Browser, address: str) -> None:
    with opened(chromium, f"{address}#/view/nowhere") as page:
        page.get_by_role("alert").wait_for()
        page.get_by_role("button", name="Try again").wait_for()


def test_the_server_going_away_is_said(chromium: Browser, made: Path) -> None:
    with served("view", "out.tr", cwd=made) as address, opened(chromium, address) as page:
        frame_drawn(page)
        page.route("**/api/**", lambda route: route.abort())
        page.locator("a", has_text="Studies").click()
        page.get_by_text("The server does not answer").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_page(scheme: str, width: int, chromium: Browser, address: str) -> None:
    size = {"width": width, "height": 844}
    with opened(chromium, address, viewport=size, color_scheme=scheme) as page:
        page.get_by_role("heading", name="Recordings").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.goto(f"{address}#/view/{ids(page, address)['out.tr']}?t=1.5")
        frame_drawn(page)
        page.locator('[data-chart="sequence"] .legend li').first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        paper = palette.PAPER.dark if scheme == "dark" else palette.PAPER.light
        seen = page.evaluate("getComputedStyle(document.querySelector('.stage-card')).backgroundColor")
        assert seen == "rgb({}, {}, {})".format(*bytes.fromhex(paper[1:]))


def test_every_control_has_a_name(player: Page) -> None:
    """What a screen reader would read of each button, field and picture."""
    nameless = player.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea, a, img, [role=img]")]
            .filter(one => one.checkVisibility() && !one.getAttribute("aria-label") && one.alt === undefined)
            .filter(one => !one.labels?.length && !one.innerText?.trim())
            .map(one => one.outerHTML)"""
    )
    assert nameless == []
