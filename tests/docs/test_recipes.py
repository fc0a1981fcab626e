"""The recipes of CONTRIBUTING.md, each followed on an example in a copy of the source.

`recipes/NAME/edits.toml` says which files an example adds and which lines it changes, and nothing else is changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
RECIPES = Path(__file__).parent / "recipes"

#: other people's crates are taken from the target folder as they are; the engine is not optimised
QUICKLY_BUILT = ("--offline", "--config", "profile.test.package.ackclock-engine.opt-level=0")

SCENARIO = """
duration = "2 s"

[topology]
kind = "dumbbell"
bottleneck = { rate = "2 Mb/s", delay = "5 ms" }
pairs = 1

[[flows]]
pair = 1
tcp = "reno"
"""


def follow(recipe: str, copy: Path) -> set[str]:
    """Do what a recipe's example says; the files that it touched."""
    steps = tomllib.loads((RECIPES / recipe / "edits.toml").read_text())
    touched = set()
    for name, target in steps["adds"].items():
        assert not (copy / target).exists(), target
        (copy / target).parent.mkdir(exist_ok=True)
        shutil.copy(RECIPES / recipe / name, copy / target)
        touched.add(target)
    for edit in steps["edit"]:
        file = copy / edit["file"]
        text = file.read_text()
        old = edit.get("old", edit.get("after"))
        assert text.count(old) == 1, f"{edit['file']} has {text.count(old)} times {old!r}"
        file.write_text(text.replace(old, edit["new"] if "new" in edit else old + edit["text"]))
        touched.add(edit["file"])
    return touched


@pytest.fixture(scope="module")
def crates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the crates in which the recipes of a control, a queue and a scenario key were followed."""
    copy = tmp_path_factory.mktemp("crates")
    for name in ("Cargo.toml", "Cargo.lock", "rust-toolchain.toml"):
        shutil.copy(ROOT / name, copy / name)
    shutil.copytree(ROOT / "crates", copy / "crates")
    for recipe in ("control", "queue"):
        assert len(follow(recipe, copy)) == 2, "a file of its own, and a table; the third is CHANGELOG.md"
    assert len(follow("scenario_key", copy)) == 3, "a test, the field, and what it does"
    return copy


def cargo_test(crates: Path, package: str, *words: str) -> str:
    """What some tests of a crate of the copy print."""
    ran = subprocess.run(
        ["cargo", "test", *QUICKLY_BUILT, "--package", package, *words],
        cwd=crates,
        env={**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.serial
def test_a_control_and_a_queue_are_one_file_and_one_table(crates: Path) -> None:
    tests = ["transport::tcp::cc::fixed", "queue::every_nth"]
    assert "3 passed" in cargo_test(crates, "ackclock-engine", "--lib", "--", *tests)


@pytest.mark.serial
def test_a_scenario_key_is_a_field_and_what_it_does(crates: Path) -> None:
    assert "1 passed" in cargo_test(crates, "ackclock-scenario", "--test", "slowdown")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the Python package in which the recipes of a plot and a command were followed."""
    copy = tmp_path_factory.mktemp("package")
    ignored = shutil.ignore_patterns("__pycache__", "static")
    shutil.copytree(ROOT / "python", copy / "python", ignore=ignored)
    assert len(follow("plot", copy)) == 3
    assert len(follow("command", copy)) == 2
    (copy / "plain.toml").write_text(SCENARIO)
    return copy


def ackclock(package: Path, *words: str) -> str:
    """What the copy's command prints."""
    ran = subprocess.run(
        [sys.executable, "-m", "ackclock", *words],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package / "python")},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_command_is_one_file_and_one_line(package: Path) -> None:
    assert ackclock(package, "hello", "reader") == "hello, reader\n"
    assert "greet somebody" in ackclock(package, "--help")


def test_a_plot_is_one_file_one_line_and_one_method(package: Path) -> None:
    ackclock(package, "run", "plain.toml", "--out", "saved")
    ackclock(package, "plot", "saved", "--what", "goodput", "--out", "goodput.svg")
    assert "<svg" in (package / "goodput.svg").read_text()
