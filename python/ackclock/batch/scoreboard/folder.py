"""A scoreboard as a folder of static files.

    index.html      the page, which needs no network
    cells.json      what was run, by which version, and all cells
    cells.csv       the cells as a table
    scenarios/*/*   a scenario for each cell: `ackclock run` and `ackclock view` repeat its first run; beside those of a
                    user-defined control, its module

The folder appears whole, in the place of an older scoreboard, or not at all.
"""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

from ackclock._internal.atomic_file import remove_left_of, temporary_path
from ackclock._native import __version__
from ackclock.batch.evaluate.judge import judged_in
from ackclock.batch.scoreboard.cells import ScoreCell, own_modules, scenarios
from ackclock.batch.scoreboard.run import Scoreboard
from ackclock.batch.store import engine_digest
from ackclock.scenario import ScenarioError

#: What `cells.json` says of itself, and the version of its content.
FORMAT, FORMAT_VERSION = "ackclock scoreboard", 2

CELLS, TABLE, PAGE, SCENARIOS = "cells.json", "cells.csv", "index.html", "scenarios"

#: What else of `cells.json` a comparison needs.
NEEDED = ("engine", "quick", "replications", "seed", "only", "controls", "suite_sha256", "cells")

#: Keys of a suite and of its parts that no result depends on: its texts.
TEXTS = ("document", "title", "about", "baseline_why", "where", "asks", "why", "strength", "stands_in")


def about(found: Scoreboard) -> dict[str, Any]:
    """What `cells.json` says besides the cells: version, digests, settings, and what the ids mean."""
    matrix, first = found.matrix, found.first
    criteria = []
    for one in found.suite.criterion:
        unit, per = judged_in(one)
        told = {"id": one.id, "title": one.title, "where": one.where, "strength": one.strength, "asks": one.asks}
        rule = {"rule": one.rule, "bound": one.bound, "bound_why": one.why, "comparison": one.comparison}
        why = next(asked.why for asked in matrix.criterion if asked.id == one.id)
        criteria.append({**told, **rule, "unit": unit, "per": per, "why": why})
    own_code = {one.subject.name: one.subject.source_sha256 for one in found.evaluations if one.subject.source_sha256}
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "ackclock": __version__,
        "engine": engine_digest(),
        "suite": matrix.suite,
        "suite_sha256": suite_digest(found),
        "quick": first.quick,
        "replications": first.replications,
        "seed": found.seed,
        "only": list(found.only),
        "controls": found.names,
        "own_code": own_code,
        "criteria": criteria,
        "conditions": [{"id": one.id, "title": found.places[one.id], "why": one.why} for one in matrix.condition],
        "queues": [{"id": one.id, "title": one.title, "why": one.why} for one in matrix.queue],
    }


def suite_digest(found: Scoreboard) -> str:
    """sha256 of the derived suite: conditions, traffic, criteria and bounds, without their texts."""
    table = found.suite.table()
    table["replications"] = {}  # the number is compared itself
    for part in ("condition", "traffic", "criterion"):
        table[part] = [_without_texts(one) for one in table[part]]
    for condition in table["condition"]:
        condition["values"] = {key: value for key, value in condition["values"].items() if key != "place"}
    text = json.dumps(_without_texts(table), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _without_texts(table: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key not in TEXTS}


def write_folder(found: Scoreboard, folder: str | os.PathLike[str], page: str) -> Path:
    """Write the scoreboard, with the HTML `page`, and return the folder's absolute path.

    `ScenarioError` for a folder that is there and has no scoreboard: it is not replaced. `OSError` if it cannot be
    written; what was there is there then, too.
    """
    target = Path(folder).resolve()
    check_target(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = Path(temporary_path(target))
    try:
        part.mkdir()
        described = ((path, text.encode()) for path, text in scenarios(found.evaluations))
        for path, content in (*described, *own_modules(found.evaluations)):
            (part / path).parent.mkdir(parents=True, exist_ok=True)
            (part / path).write_bytes(content)
        table = {**about(found), "cells": [dataclasses.asdict(cell) for cell in found.cells]}
        (part / CELLS).write_text(_json(table), encoding="utf-8")
        (part / TABLE).write_text(_csv(found.cells), encoding="utf-8")
        (part / PAGE).write_text(page, encoding="utf-8")
        if target.exists():
            old = Path(temporary_path(target))
            target.rename(old)
            try:
                part.rename(target)
            except BaseException:
                old.rename(target)
                raise
            shutil.rmtree(old, ignore_errors=True)
        else:
            part.rename(target)
        # Not before: what a killed process left may be the older scoreboard.
        remove_left_of(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return target


def check_target(folder: Path, store: str | os.PathLike[str] | None = None) -> None:
    """`ScenarioError` for something that is there and is neither an empty folder nor a scoreboard alone.

    Nor may the `store` be the folder, in it or around it: the folder is replaced.
    """
    if store is not None:
        kept = Path(store).resolve()
        if kept.is_relative_to(folder) or folder.is_relative_to(kept):
            expected = f"expected a folder apart from --out, {folder}, which each scoreboard replaces"
            raise ScenarioError(expected, key="--store", value=str(store))
    if not folder.exists():
        return
    if folder.is_dir() and not any(folder.iterdir()):
        return
    try:
        is_ours = json.loads((folder / CELLS).read_text(encoding="utf-8")).get("format") == FORMAT
    except (OSError, ValueError, AttributeError):
        is_ours = False
    expected = "expected a new folder, an empty one or an older scoreboard"
    if not is_ours:
        raise ScenarioError(f"{expected}; this holds something else", key="--out", value=str(folder))
    others = sorted({one.name for one in folder.iterdir()} - {CELLS, TABLE, PAGE, SCENARIOS})
    if others:
        raise ScenarioError(f"{expected}; this also holds {others[0]}", key="--out", value=str(folder))


def read_cells(folder: str | os.PathLike[str]) -> tuple[dict[str, Any], list[ScoreCell]]:
    """What a scoreboard's folder says, and its cells.

    `ScenarioError` for a folder that has no scoreboard, or one of another format.
    """
    file = Path(folder) / CELLS
    try:
        table = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ScenarioError(
            f"expected a folder of a scoreboard: it has no {CELLS}", key="since", value=str(folder)
        ) from None
    except (OSError, ValueError) as error:
        raise ScenarioError(f"{CELLS}: not what a scoreboard writes: {error}", key="since", value=str(folder)) from None
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        raise ScenarioError(f"{CELLS}: not what a scoreboard writes", key="since", value=str(folder))
    version = table.get("format_version", table.get("form"))
    if version != FORMAT_VERSION:
        raise ScenarioError(
            f"written by ackclock {table.get('ackclock')}, in format version {version}; ackclock {__version__} reads"
            f" {FORMAT_VERSION}. Run that version's scoreboard again with this one",
            key="since",
            value=str(folder),
        )
    missing = [name for name in NEEDED if name not in table]
    if missing:
        expected = f"{CELLS}: not what a scoreboard writes: it has no {missing[0]}"
        raise ScenarioError(expected, key="since", value=str(folder))
    try:
        return table, [ScoreCell(**cell) for cell in table.pop("cells")]
    except (KeyError, TypeError) as error:
        raise ScenarioError(f"{CELLS}: not what a scoreboard writes: {error}", key="since", value=str(folder)) from None


def check_comparable(found: Scoreboard, older: dict[str, Any], folder: str | os.PathLike[str]) -> None:
    """`ScenarioError` where the older scoreboard is of other runs, so that differences would not be the version's.

    Holm's correction is over all cells of a page, so with other rows or places the verdicts differ, too.
    """
    now = about(found)
    for name in ("quick", "replications", "seed"):
        if older[name] != now[name]:
            differ = f"this one has {name} = {json.dumps(now[name])}, that one {json.dumps(older[name])}"
            raise _other_runs(differ, folder)
    if (older["controls"], older["suite_sha256"]) == (now["controls"], now["suite_sha256"]):
        return
    for name, differ in (("only", "--only differs"), ("controls", "the controls differ")):
        here, there = (dict.fromkeys(map(str, table[name])) for table in (now, older))
        if here.keys() != there.keys():
            alone = [
                ", ".join(one for one in some if one not in other) for some, other in ((here, there), (there, here))
            ]
            told = f"{differ}: this one alone has {alone[0] or 'none'}, that one alone {alone[1] or 'none'}"
            raise _other_runs(told, folder)
    raise _other_runs(
        f"conditions, queues, criteria or bounds differ: sha256 of this suite {now['suite_sha256'][:8]}, of that one"
        f" {str(older['suite_sha256'])[:8]}",
        folder,
    )


def _other_runs(differ: str, folder: str | os.PathLike[str]) -> ScenarioError:
    return ScenarioError(f"expected a scoreboard of the same runs: {differ}", key="since", value=str(folder))


def _json(table: dict[str, Any]) -> str:
    """JSON with a line for each cell, so that two versions can be compared as text."""
    cells = table.pop("cells")
    head = json.dumps(table, indent=1)[:-2]
    lines = ",\n".join(map(json.dumps, cells))
    return f'{head},\n "cells": [\n{lines}\n]}}\n'


def _csv(cells: list[ScoreCell]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(field.name for field in dataclasses.fields(ScoreCell))
    writer.writerows(dataclasses.astuple(cell) for cell in cells)
    return text.getvalue()
