"""The playground's lessons: what each answer says is so in its two runs."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.scenario.formats.read import put
from test_words import found

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).resolve().parents[2] / "web" / "src" / "lessons"
LESSONS = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))}

CLAIMS = [(name, number) for name, lesson in LESSONS.items() for number in range(len(lesson["claims"]))]
#: The number of words that fit on one screen.
MOST_WORDS = 190


def leaves(table: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The values of nested tables, each with its path: `flows.0.tcp`."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def scenario(lesson: dict[str, Any], run: str) -> ac.Scenario:
    """The lesson's set-up, as it is (`first`) or `changed`."""
    table = copy.deepcopy(lesson["scenario"])
    if run == "changed":
        for path, value in leaves(lesson["change"]):
            put(table, path, value)
    return ac.Scenario.of(table)


@cache
def tables(name: str, run: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The flows of a lesson's run, and its busiest link."""
    results = ac.run(scenario(LESSONS[name], run))
    return results.rows("flows"), max(results.rows("links"), key=lambda link: link["utilisation"])


def measured(name: str, run: str, figure: str) -> float:
    """`flows.0.goodput_bps`, `flows.sum.dropped_packets` (or `min`, `max`), or a column of the busiest link:
    `bottleneck.utilisation`.
    """
    flows, bottleneck = tables(name, run)
    match figure.split("."):
        case ["bottleneck", column]:
            return float(bottleneck[column])
        case ["flows", ("sum" | "min" | "max") as of, column]:
            values = [float(flow[column]) for flow in flows]
            return {"sum": sum(values), "min": min(values), "max": max(values)}[of]
        case ["flows", number, column]:
            return float(flows[int(number)][column])
    raise AssertionError(f"no such figure: {figure}")


def holds(name: str, claim: dict[str, Any], run: str) -> bool:
    """Whether a claim holds in a run of its lesson."""
    value = measured(name, run, claim["figure"])
    if "over" in claim:
        value /= measured(name, run, claim["over"])
    return bool(claim.get("at_least", value) <= value <= claim.get("at_most", value))


def test_there_are_ten() -> None:
    assert len(LESSONS) == 10


@pytest.mark.parametrize(("name", "number"), CLAIMS)
def test_what_the_answer_says_is_so(name: str, number: int) -> None:
    claim = LESSONS[name]["claims"][number]
    assert claim["says"] in " ".join(LESSONS[name]["answer"].split()), "the answer does not say it"
    assert claim["because"] and {"at_least", "at_most"} & claim.keys(), "no reason, or no bound"
    assert holds(name, claim, claim["run"]), (measured(name, claim["run"], claim["figure"]), claim)


@pytest.mark.parametrize("name", LESSONS)
def test_the_change_is_what_makes_it_so(name: str) -> None:
    for run, other in (("first", "changed"), ("changed", "first")):
        claims = [claim for claim in LESSONS[name]["claims"] if claim["run"] == run]
        assert claims, f"the answer says nothing of the run {run}"
        assert not all(holds(name, claim, other) for claim in claims), f"the run {other} has it as well"


@pytest.mark.parametrize("name", LESSONS)
def test_it_is_of_one_screen_and_names_its_sources(name: str) -> None:
    lesson = LESSONS[name]
    assert len(lesson["text"].split()) <= MOST_WORDS
    assert all(source["text"] and source["url"].startswith("https://") for source in lesson["sources"])
    prose = " ".join(lesson[key] for key in ("title", "summary", "text", "question", "task", "answer"))
    assert found(prose, prose=True) == []
