"""Reports of runs: one page that needs nothing else and holds what the tables have."""

from __future__ import annotations

import re
import shlex
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import ackclock as ac
from ackclock._internal.checksums import write_sums
from ackclock.analysis.plot import palette
from ackclock.analysis.report.described import Reported
from ackclock.analysis.report.measured import tiles
from ackclock.analysis.report.page import svg
from ackclock.analysis.report.run import SHOWN, text, write_report
from ackclock.batch.sweep.metrics import metrics
from commands import ackclock as command

SCENARIO = ac.Scenario(
    name="long & short",
    topology=ac.Dumbbell(pairs=2, bottleneck=ac.Link(rate="2 Mb/s", delay="10 ms", queue=ac.Queue(limit="20 packets"))),
    flows=[
        ac.Flow(pair=1, tcp="sack", window="60 packets", name="<long>"),
        ac.Flow(pair=2, tcp="new_reno", app=ac.Ftp(size="300 kB"), start="1 s", name="short"),
        ac.Flow(pair=1, app=ac.Cbr(rate="200 kb/s"), start="2 s", name="datagrams"),
    ],
    duration="6 s",
    seed=7,
    record=ac.Record(changes=True, packets=True),
)

#: Elements that HTML closes by itself.
VOID = {"meta", "br", "img", "hr"}


class Page(HTMLParser):
    """A page taken apart: fails where an element is closed that is not the innermost open one."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"{tag} is closed at {self.getpos()}"

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def results() -> ac.Results:
    return ac.run(SCENARIO)


@pytest.fixture(scope="module")
def page(results: ac.Results) -> str:
    return text([Reported("long & short", results)])


def test_the_page_holds_every_flow_and_link(results: ac.Results, page: str) -> None:
    found = Page(page).texts
    for place, row in enumerate(results.rows("flows")):
        assert results.names["flows"][place] in found
        assert f"{row['goodput_bps'] / 1e6:.3f}" in found and str(row["sent_packets"]) in found
    for place, row in enumerate(results.rows("links")):
        if row["offered_packets"]:
            assert results.names["links"][place] in found and f"{100 * row['utilisation']:.1f}" in found
    for text_ in ("7", "6 s", "ns2_35", f"ackclock {ac.__version__}", "ftp size 300 kB", "2 to the end"):
        assert text_ in found
    whole = sum(results.flows.column("delivered_bytes")) * 8 / 6 / 1e6
    assert f"{whole:.3f} Mb/s" in found
    assert f"{results.rows('flows')[1]['completion_s']:.3f}" in found


def test_jains_index_is_of_the_flows_that_last() -> None:
    """Worked by hand; transfers of `arrivals` and those that end are not in it, as in a sweep's figures."""
    arriving = ac.Flow(name="web", pair=2, tcp="sack", arrivals=ac.Arrivals(interval="1 s", size="30 kB"))
    results = ac.run(replace(SCENARIO, flows=[*SCENARIO.flows, arriving]))
    rows = dict(zip(results.names["flows"], results.rows("flows"), strict=True))
    assert rows["short"]["completion_s"] is not None and len(rows) > 4
    a, b = (rows[name]["goodput_bps"] for name in ("<long>", "datagrams"))
    index = (a + b) ** 2 / (2 * (a**2 + b**2))
    assert metrics(results)["jain"] == pytest.approx(index)
    shown = {said: value for value, said in tiles(results)}
    assert shown["Jain's index of the goodputs, flows that last"] == f"{index:.3f}"
    alone = ac.run(replace(SCENARIO, flows=SCENARIO.flows[:2]))
    assert not any("Jain" in said for _, said in tiles(alone)), "one flow that lasts shares with none"


def test_the_page_needs_nothing_else(page: str) -> None:
    parsed = Page(page)
    assert parsed.all("script") == [] and parsed.all("link") == []
    assert not re.search(r'(src|href)="(?!#|data:)', page) and "url(#" in page and "@import" not in page
    assert "<long>" not in page and "&lt;long&gt;" in page


def test_the_page_can_be_read_without_seeing_it(page: str) -> None:
    parsed = Page(page)
    assert len(parsed.all("svg")) == 1 + len(SHOWN)
    assert all(picture["role"] == "img" and picture["aria-label"] for picture in parsed.all("svg"))
    assert parsed.all("th") and all(head.get("scope") in ("row", "col") for head in parsed.all("th"))
    assert len(parsed.all("caption")) == len(parsed.all("table")) > 5
    assert parsed.all("html")[0]["lang"] == "en" and len(parsed.all("h1")) == 1


def test_pictures_are_whole_and_apart(page: str) -> None:
    ids = [attributes["id"] for _, attributes in Page(page).elements if attributes.get("id")]
    assert len(ids) == len(set(ids)) > 20
    pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    for picture in pictures:
        ET.fromstring(picture)
        for name in re.findall(r'(?:url\(#|href="#)([^)"]+)', picture):
            assert f'id="{name}"' in picture
        # Dark on a dark page: no colour of ours is left as a number.
        assert not [colour for colour in palette.names().values() if colour.light in picture]
    assert "prefers-color-scheme: dark" in page


def test_a_picture_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="expected an SVG"):
        svg("<p>no</p>", "about", "id")


def test_the_same_runs_are_the_same_page(results: ac.Results, page: str) -> None:
    assert text([Reported("long & short", ac.run(SCENARIO))]) == page


def test_what_was_not_kept_is_not_shown() -> None:
    bare = ac.run(replace(SCENARIO, record=ac.Record(sample="0 s")))
    parsed = Page(text([Reported("bare", bare)]))
    assert len(parsed.all("svg")) == 1 and "short" in parsed.texts


def test_several_runs_and_what_tells_them_apart(results: ac.Results) -> None:
    flows = [replace(SCENARIO.flows[0], tcp="vegas"), *SCENARIO.flows[1:]]
    other = ac.run(replace(SCENARIO, flows=flows, name="vegas"))
    page = text([Reported("one", results), Reported("two", other)])
    parsed = Page(page)
    row = re.search(r"<tr>(?:(?!</tr>).)*flows\.0\.tcp.*?</tr>", page, re.DOTALL)
    assert row and re.findall(r"<td>(.*?)</td>", row[0]) == ["sack", "vegas"]
    assert "flows.1.tcp" not in parsed.texts
    for run in (results, other):
        for goodput in run.flows.column("goodput_bps"):
            assert f"{goodput / 1e6:.3f}" in parsed.texts
    # The network is one; what went over it is beside each other in every picture.
    assert len(parsed.all("svg")) == 1 + len(SHOWN)
    assert all("one, two" in str(picture["aria-label"]) for picture in parsed.all("svg")[1:])


def test_the_commands_draw_the_pictures_again(results: ac.Results, tmp_path: Path) -> None:
    results.save(tmp_path / "my run")
    done = command("report", "my run", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == f"{tmp_path / 'report.html'}\n", done.stderr
    given = [words for words in Page((tmp_path / "report.html").read_text()).texts if words.startswith("ackclock plot")]
    assert len(given) == 1 + len(SHOWN)
    for words in given[:3]:
        done = command(*shlex.split(words)[1:], cwd=tmp_path)
        assert done.returncode == 0 and (tmp_path / done.stdout.strip()).stat().st_size > 5000, done.stderr
    assert not list(tmp_path.glob(".*"))


def test_the_version_is_that_of_the_run(results: ac.Results, tmp_path: Path) -> None:
    folder = results.save(tmp_path / "run")
    file = folder / "run.json"
    file.write_text(file.read_text().replace(f'"ackclock": "{ac.__version__}"', '"ackclock": "0.0.7"'))
    write_sums(folder)
    assert "ackclock 0.0.7" in Page(text([Reported("old", ac.open(folder))])).texts


def test_what_cannot_be_reported_is_said(results: ac.Results, tmp_path: Path) -> None:
    folder = results.save(tmp_path / "run")
    (tmp_path / "out.tr").write_text("r 1 0 1 tcp 40 ------- 1 0.0 1.0 0 0\n")
    (tmp_path / "half").mkdir()
    for words, says in (
        (["half"], "not a complete folder of results: run.json is missing"),
        (["nowhere"], "no such folder"),
        (["out.tr"], "not a file"),
        (["run", "run", "--label", "a"], "expected 2 labels"),
        (["run", "--out", "run/flows.parquet/x.html"], "flows.parquet"),
    ):
        done = command("report", *words, cwd=tmp_path)
        assert done.returncode == 1 and says in done.stderr and done.stderr.count("\n") == 1, done.stderr
    (folder / "links.parquet").unlink()
    assert (
        command("report", "run", cwd=tmp_path).stderr == "ackclock: run/links.parquet: missing; SHA256SUMS lists it\n"
    )
    assert not list(tmp_path.glob("*.html"))
    with pytest.raises(ValueError, match="at least one run"):
        write_report([], tmp_path / "none.html")
