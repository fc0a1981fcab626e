"""Builds the documentation as a folder of static files: out/site, from copies of the pages in out/pages.

    python tools/build_site.py

With a scoreboard in out/scoreboard (`ackclock scoreboard`), that is the site's folder `scoreboard`. With a report of
the studies in out (`ackclock study report`), that is the folder `report`, and the playground's page shows the studies.

The pages keep their places, so that links among them hold; a README.md is its folder's index. A link to any other file
of the project goes to that file in the repository. Fails where a link leads nowhere.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

from ackclock import _native
from ackclock.batch.study import Run, scenario_of
from ackclock.scenario.formats.as_toml import text as as_toml
from ackclock.server.studies import Studies

ROOT = Path(__file__).resolve().parents[1]
PAGES, SITE, PLAY = ROOT / "out" / "pages", ROOT / "out" / "site", ROOT / "out" / "play"
#: What `ackclock scoreboard` has written, if it was run: hours of runs are no part of a build.
SCOREBOARD = ROOT / "out" / "scoreboard"
#: What `ackclock study report` has written: a page, and folders of outcomes and figures.
OUT = ROOT / "out"
REPORT = OUT / "report.html"
#: By this the page without a server knows that studies are beside it.
WITH_STUDIES = '<meta name="studies" content="studies" />'
REPOSITORY = "https://github.com/ackclock/ackclock/blob/main/"
#: Besides the pages, what they show.
SHOWN = (".png", ".svg")
#: A link in Markdown: its text, and where it leads.
LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(\))")
FENCE = re.compile(r"^( *)(```|~~~)")


def pages() -> list[Path]:
    """The Markdown pages of the site, relative to the project."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "studies").glob("*/README.md")]
    return sorted(path.relative_to(ROOT) for path in found)


def site_path(page: Path) -> Path:
    """Where a page of the project lies among the pages of the site."""
    return page.with_name("index.md") if page.name == "README.md" else page


def adapted(page: Path, text: str) -> str:
    """A page's text with its links as the site needs them."""
    lines, fence = [], ""
    for line in text.splitlines():
        if opened := FENCE.match(line):
            fence = "" if fence == opened[2] else fence or opened[2]
        lines.append(line if fence else LINK.sub(lambda link: _linked(page, link), line))
    return "\n".join(lines) + "\n"


def _linked(page: Path, link: re.Match[str]) -> str:
    before, target, place, after = link[1], link[2], link[3] or "", link[4]
    path = (ROOT / page).parent / target
    try:
        inside = path.resolve().relative_to(ROOT)
    except ValueError:
        return link[0]
    if inside in pages():
        if inside.name == "README.md":
            target = Path(target).with_name("index.md").as_posix()
        return f"{before}{target}{place}{after}"
    if inside.suffix in SHOWN:
        return link[0]
    return f"{before}{REPOSITORY}{inside.as_posix()}{place}{after}"


#: The pages that lead to what is not documentation.
ENTRANCES = (Path("README.md"), Path("docs/guide/playground.md"), Path("docs/guide/view.md"))


def entrance(page: Path) -> str:
    """A paragraph with links to the playground and the report, as far as they were built; empty for other pages."""
    up = "../" * (len(page.parts) - 1)
    doors = []
    if (PLAY / "ackclock.wasm").is_file():
        doors.append(f'<a href="{up}play/index.html">Open the playground, the lessons and the studies</a>')
    if REPORT.is_file():
        doors.append(f'<a href="{up}report/index.html">the report of the studies</a>')
    return " · ".join(doors) if page in ENTRANCES else ""


def stage() -> None:
    """Copy the pages and their pictures to out/pages."""
    shutil.rmtree(PAGES, ignore_errors=True)
    for page in pages():
        copy = PAGES / site_path(page)
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = adapted(page, (ROOT / page).read_text(encoding="utf-8"))
        # Below the title.
        copy.write_text(re.sub(r"(?m)^(# .*\n)", rf"\1\n{entrance(page)}\n", text, count=1), encoding="utf-8")
    for folder in ("docs", "studies"):
        for picture in (ROOT / folder).rglob("*"):
            if picture.suffix in SHOWN:
                copy = PAGES / picture.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(picture, copy)


class Links(HTMLParser):
    """The links of a page of HTML, and the places in it that links can name."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag of the page."""
        for name, value in attrs:
            if value and name == "id":
                self.places.add(value)
            elif value and (name, tag) in {("href", "a"), ("href", "link"), ("src", "img"), ("src", "script")}:
                self.targets.append(value)


def broken_links(site: Path) -> list[str]:
    """The links of a built site that lead to no file of it, or to no place in the file, as `page: link`."""
    read: dict[Path, Links] = {}
    for page in sorted(site.rglob("*.html")):
        read[page.resolve()] = links = Links()
        links.feed(page.read_text(encoding="utf-8"))
    broken = []
    for page, links in read.items():
        if page.name == "404.html":
            continue  # served for any address, so its links begin at the site's root
        for link in links.targets:
            target, place = urldefrag(link)
            if re.match(r"[a-z]+:|//", link):
                continue
            path = (page.parent / unquote(target)).resolve() if target else page
            if path.is_dir():
                path /= "index.html"
            known = read.get(path)
            if not path.is_file() or (place and known is not None and unquote(place) not in known.places):
                broken.append(f"{page.relative_to(site.resolve())}: {link}")
    return broken


def publish_studies(play: Path) -> None:
    """The studies beside the page without a server, as files that answer what it would ask a server for.

    `index.json` is the list, `ID.json` a study, `ID/NAME` a figure, and `ID/scenarios.json` has the scenarios of its
    runs as far as the page can run them.
    """
    studies = Studies(OUT)
    folder = play / "studies"
    folder.mkdir()
    lines = studies.listed()
    _write(folder / "index.json", lines)
    for line in lines:
        id = line["id"]
        (folder / id).mkdir()
        told = studies.described(id)
        for figure in told["figures"]:
            name = figure["id"]
            shutil.copyfile(studies.figure(id, name), folder / id / name)
            figure["svg"] = f"studies/{id}/{name}"
        scenarios = {run.id: found for run in studies.study(id).runs if (found := scenario_here(run)) is not None}
        for run in told["runs"]:
            run["scenario"] = run["id"] in scenarios
        _write(folder / f"{id}.json", told)
        _write(folder / id / "scenarios.json", scenarios)
    index = play / "index.html"
    index.write_text(index.read_text(encoding="utf-8").replace("<title>", f"{WITH_STUDIES}<title>"), encoding="utf-8")


def scenario_here(run: Run) -> dict[str, object] | None:
    """The scenario of a study's run as a table, if the engine in the page can run it."""
    if run.script is not None or run.replication:
        return None
    scenario = scenario_of(run)
    return None if _native.check_scenario_text(as_toml(scenario)) else scenario.table()


def gzipped_bytes(folder: Path) -> int:
    """Bytes of all files of a folder as a web server sends them."""
    return sum(len(gzip.compress(path.read_bytes(), 6)) for path in folder.rglob("*") if path.is_file())


def _write(path: Path, told: object) -> None:
    path.write_text(json.dumps(told, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def main() -> int:
    """Build the site; the exit status."""
    stage()
    shutil.rmtree(SITE, ignore_errors=True)
    colourless = os.environ | {"NO_COLOR": "1"}
    done = subprocess.run([sys.executable, "-m", "zensical", "build", "--clean"], cwd=ROOT, check=False, env=colourless)
    if done.returncode:
        return done.returncode
    if (SCOREBOARD / "index.html").is_file():
        shutil.copytree(SCOREBOARD, SITE / "scoreboard")
    else:
        print(f"no {SCOREBOARD.relative_to(ROOT)}: the site has no scoreboard (ackclock scoreboard --quick makes one)")
    if REPORT.is_file():
        (SITE / "report").mkdir()
        shutil.copyfile(REPORT, SITE / "report" / "index.html")
    else:
        print(f"no {REPORT.relative_to(ROOT)}: the site has no studies' outcomes (ackclock study report makes it)")
    # The page without a server, where `make site` could build it: it has said what is missing if not.
    if (PLAY / "ackclock.wasm").is_file():
        shutil.copytree(PLAY, SITE / "play")
        if REPORT.is_file():
            publish_studies(SITE / "play")
        print(f"{(SITE / 'play').relative_to(ROOT)}: {gzipped_bytes(SITE / 'play') / 1e6:.2f} MB, gzipped")
    broken = broken_links(SITE)
    for link in broken:
        print(f"leads nowhere: {link}", file=sys.stderr)
    print(f"{SITE.relative_to(ROOT)}: {sum(1 for _ in SITE.rglob('*.html'))} pages")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
