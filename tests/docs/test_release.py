"""A release says one version everywhere, and its documentation is a site whose links lead somewhere."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import build_site  # noqa: E402

VERSION = re.compile(r"\d+\.\d+\.\d+")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("Cargo.toml", "[workspace.package]\nversion = "),
        ("crates/engine/Cargo.toml", 'path = "../derive", version = '),
        ("crates/ackclock/Cargo.toml", 'path = "../engine", version = '),
        ("CITATION.cff", "\nversion: "),
        ("codemeta.json", '"version": '),
        (".zenodo.json", '"version": '),
        ("packaging/conda/recipe.yaml", "\n  version: "),
        ("packaging/docker/Dockerfile", "\nARG VERSION="),
        ("CHANGELOG.md", "\n## "),
    ],
)
def test_version_is_the_same_everywhere(name: str, before: str) -> None:
    found = text(name).split(before, 1)[1]
    assert VERSION.search(found[:20])
    assert VERSION.findall(found)[0] == ackclock.__version__


@pytest.mark.parametrize("name", ["codemeta.json", ".zenodo.json", ".devcontainer/devcontainer.json"])
def test_json_is_json(name: str) -> None:
    assert json.loads(text(name))


def requirements() -> dict[str, str]:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    found = (re.match(r"([\w-]+)([^;]*)", line) for line in project["dependencies"])
    return {each[1]: each[2].strip() for each in found if each}


def test_conda_recipe_has_the_dependencies_of_the_package() -> None:
    run = text("packaging/conda/recipe.yaml").split("  run:\n")[1].split("\n\n")[0]
    named = dict(re.findall(r"^    - ([\w-]+) ?(\S*)$", run, re.MULTILINE))
    assert named.pop("python") == tomllib.loads(text("pyproject.toml"))["project"]["requires-python"]
    named["matplotlib"] = named.pop("matplotlib-base")
    assert named == requirements()


def navigation(entry: object) -> list[str]:
    """The pages below an entry of the site's navigation."""
    if isinstance(entry, str):
        return [entry]
    parts = entry.values() if isinstance(entry, dict) else entry
    assert isinstance(parts, type({}.values()) | list)
    return [page for part in parts for page in navigation(part)]


def test_each_page_is_in_the_navigation_of_the_site() -> None:
    pages = {build_site.site_path(page).as_posix() for page in build_site.pages()}
    assert sorted(navigation(tomllib.loads(text("zensical.toml"))["project"]["nav"])) == sorted(pages)


def test_links_are_adapted() -> None:
    page = Path("docs/guide/queues.md")
    source = (
        "[a](../README.md#x) [b](scenarios.md) [c](../../LICENSE-MIT) [d](https://x.org)\n```\n[e](../README.md)\n```"
    )
    assert build_site.adapted(page, source).splitlines() == [
        f"[a](../index.md#x) [b](scenarios.md) [c]({build_site.REPOSITORY}LICENSE-MIT) [d](https://x.org)",
        "```",
        "[e](../README.md)",
        "```",
    ]


def test_the_site_leads_to_what_was_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_site, "PLAY", tmp_path)
    monkeypatch.setattr(build_site, "REPORT", tmp_path / "report.html")
    page = Path("docs/guide/playground.md")
    assert build_site.entrance(page) == ""
    (tmp_path / "ackclock.wasm").touch()
    assert '"../../play/index.html"' in build_site.entrance(page) and "report/" not in build_site.entrance(page)
    (tmp_path / "report.html").touch()
    assert '"play/index.html"' in (home := build_site.entrance(Path("README.md"))) and '"report/index.html"' in home
    assert build_site.entrance(Path("docs/concepts.md")) == ""


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="b.html#there">b</a> <a href="#here">a</a> <a href="c.html">c</a>'
    )
    (tmp_path / "b.html").write_text(
        '<img src="x.png"> <a href="https://example.org/none">out</a> <a href="a.html#here">a</a>'
    )
    assert build_site.broken_links(tmp_path) == ["a.html: b.html#there", "a.html: c.html", "b.html: x.png"]


@pytest.mark.serial
def test_site_builds_and_its_links_lead_somewhere() -> None:
    done = subprocess.run(
        [sys.executable, "tools/build_site.py"], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (ROOT / "out" / "site" / "search.json").is_file()
