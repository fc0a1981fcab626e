"""The scoreboard's page: controls x (criterion, queue) with counts of verdicts, and the conditions of each cell."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Sequence

from ackclock._native import __version__
from ackclock.analysis.report import page
from ackclock.analysis.report.page import Column, Markup, Table
from ackclock.analysis.report.verdicts import LOOK, WORST
from ackclock.batch.evaluate import failures_of
from ackclock.batch.evaluate.judge import bound_words, judged_in
from ackclock.batch.evaluate.suite import COMPARISONS, Criterion
from ackclock.batch.scoreboard import Changes, Scoreboard, ScoreCell
from ackclock.batch.scoreboard.cells import folders
from ackclock.batch.scoreboard.folder import suite_digest
from ackclock.batch.scoreboard.run import SEED
from ackclock.batch.store import engine_digest

#: The verdicts that cells have here, the worst first.
SHOWN = ("not met", "undetermined", "met", "not evaluated")

#: Rows of a table of changes; cells.json has all.
NAMED = 200

#: Digits of numbers in the page; cells.json has all.
DIGITS = 5


def text(found: Scoreboard, changed: Changes | None = None) -> str:
    """The page of a scoreboard that was run; `changed` is what differs from another version's."""
    first = found.first
    counts = Counter(cell.verdict for cell in found.cells)
    values = {
        "title": found.matrix.title,
        "found": found,
        "suite": found.suite,
        "command": command(found),
        "version": __version__,
        "engine": engine_digest(),
        "suite_sha256": suite_digest(found),
        "quick": first.quick,
        "replications": first.replications,
        "judged": sum(cell.p is not None for cell in found.cells),
        "tiles": [(f"{counts[word]:,}", word) for word in SHOWN if counts[word]],
        "words": [(word, *LOOK[word]) for word in SHOWN if counts[word]],
        "standards": [one.subject.name for one in found.evaluations if one.seed != found.seed],
        "own_code": [one.subject for one in found.evaluations if one.subject.source_sha256],
        "groups": _groups(found),
        "queues": found.matrix.queue,
        "lines": _lines(found),
        "failures": [str(failed) for failed in failures_of(found.evaluations)],
        "changed": changed,
        "change_tables": [] if changed is None else _change_tables(found, changed),
        "tables": _tables(found),
        "data": _data(found),
    }
    return page.render("scoreboard.html", values)


def command(found: Scoreboard) -> str:
    """The command line that makes the scoreboard."""
    words = ["ackclock", "scoreboard", *found.added]
    words += ["--quick"] if found.first.quick else []
    words += ["--matrix", found.file] if found.file else []
    words += [word for name in found.only for word in ("--only", name)]
    words += [] if found.first.usual_replications else ["--replications", str(found.first.replications)]
    words += [] if found.seed == SEED else ["--seed", str(found.seed)]
    return shlex.join(words)


def label(name: str, names: Sequence[str]) -> str:
    """A row's name, without its sender where that leaves it the only one of its name."""
    short = name.partition("/")[2] or name
    return short if sum((one.partition("/")[2] or one) == short for one in names) == 1 else name


def _groups(found: Scoreboard) -> list[tuple[Criterion, list[str]]]:
    """Each criterion, and the queues in which it has cells."""
    there = {(cell.criterion, cell.queue) for cell in found.cells}
    queues = [one.id for one in found.matrix.queue]
    return [(one, [queue for queue in queues if (one.id, queue) in there]) for one in found.suite.criterion]


def _lines(found: Scoreboard) -> list[dict[str, object]]:
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for cell in found.cells:
        counts.setdefault((cell.control, cell.criterion, cell.queue), Counter())[cell.verdict] += 1
    columns = [(criterion.id, queue) for criterion, queues in _groups(found) for queue in queues]
    lines = []
    for number, name in enumerate(found.names):
        cells = [_counted(*column, counts.get((name, *column), Counter())) for column in columns]
        lines.append({"number": number, "name": name, "label": label(name, found.names), "cells": cells})
    return lines


def _counted(criterion: str, queue: str, counts: Counter[str]) -> dict[str, object]:
    worst = next((word for word in WORST if counts[word]), "not evaluated")
    all_met = worst == "met"
    return {
        "criterion": criterion,
        "queue": queue,
        "look": LOOK[worst][0],
        "shown": LOOK[worst][1] if all_met else str(counts[worst]),
        "counts": ",".join(str(counts[word]) for word in SHOWN),
        "told": ", ".join(f"{counts[word]} {word}" for word in SHOWN if counts[word]),
        "bars": [(LOOK[word][0], counts[word]) for word in SHOWN if counts[word]],
    }


def _change_tables(found: Scoreboard, changed: Changes) -> list[Table]:
    tables = []
    for told, pairs in (
        ("Cells with another verdict", changed.verdicts),
        ("Cells with the same verdict whose 95 % intervals do not overlap", changed.moved),
    ):
        if not pairs:
            continue
        caption = f"{told}: {len(pairs)}" + (f", of which {NAMED} are shown" if len(pairs) > NAMED else "")
        rows = [_changed_row(found, *pair) for pair in pairs[:NAMED]]
        columns = [
            Column("control", name=True),
            Column("criterion"),
            Column("condition"),
            Column("queue"),
            Column("before"),
            Column("now"),
        ]
        tables.append(Table(caption, columns, rows))
    return tables


def _changed_row(found: Scoreboard, before: ScoreCell, now: ScoreCell) -> list[str]:
    criterion = next(one for one in found.suite.criterion if one.id == now.criterion)
    queue = next(one for one in found.matrix.queue if one.id == now.queue)
    where = found.places[now.condition] + (f", beside {now.standard}" if now.standard else "")
    both = [_verdict(cell, criterion) for cell in (before, now)]
    return [label(now.control, found.names), criterion.title, where, queue.title, *both]


def _verdict(cell: ScoreCell, criterion: Criterion) -> Markup:
    look = LOOK.get(cell.verdict, ("plain", ""))[0]
    unit, per = judged_in(criterion)
    shown = "" if cell.mean is None else f"{cell.mean / per:.4g}"
    if cell.mean is not None and cell.high is not None:
        shown += f" ± {(cell.high - cell.mean) / per:.2g}"
    return Markup('<span class="chip {}">{}</span> <span class="note">{} {}</span>').format(
        look, cell.verdict, shown, unit
    )


def _tables(found: Scoreboard) -> list[Table]:
    matrix = found.matrix
    asked = {one.id: one.why for one in matrix.criterion}
    criteria = [
        [one.title, one.where, COMPARISONS[one.comparison], bound_words(one), one.why, asked[one.id]]
        for one in found.suite.criterion
    ]
    conditions = {one.family: one for one in found.suite.condition}
    places = [
        [
            found.places[one.id],
            conditions[one.id].where,
            "each queue" if one.queues == "all" else "its own queue",
            one.why,
            conditions[one.id].stands_in,
        ]
        for one in matrix.condition
    ]
    queues = [[one.title, json.dumps(one.settings) if one.settings else "defaults", one.why] for one in matrix.queue]
    return [
        Table(
            "Criteria and their bounds",
            [
                Column("criterion"),
                Column("section"),
                Column("judged"),
                Column("bound"),
                Column("why this bound"),
                Column("why here"),
            ],
            criteria,
        ),
        Table(
            "Conditions",
            [Column("condition"), Column("section"), Column("with"), Column("why"), Column("what stands in")],
            places,
        ),
        Table("Queue disciplines", [Column("queue"), Column("settings"), Column("why")], queues),
    ]


def _data(found: Scoreboard) -> Markup:
    """What the page's script reads: names once, cells as lists of numbers."""
    words = [*SHOWN]
    names, queues = found.names, [one.id for one in found.matrix.queue]
    criteria = [one.id for one in found.suite.criterion]
    places = [one.id for one in found.matrix.condition]
    standards = sorted({cell.standard for cell in found.cells} | {cell.compared_with for cell in found.cells})
    traffic = [one.id for one in found.suite.traffic]
    rows = [
        [
            names.index(cell.control),
            criteria.index(cell.criterion),
            places.index(cell.condition),
            queues.index(cell.queue),
            traffic.index(cell.traffic),
            standards.index(cell.standard),
            words.index(cell.verdict),
            cell.n,
            _short(cell.mean),
            _short(cell.low),
            _short(cell.high),
            _short(cell.p),
            _short(cell.p_holm),
            standards.index(cell.compared_with),
            _short(cell.subject),
            _short(cell.baseline),
            cell.note,
        ]
        for cell in found.cells
    ]
    told = []
    for one in found.suite.criterion:
        unit, per = judged_in(one)
        told.append(
            {
                "title": one.title,
                "says": f"{bound_words(one)}; {one.why}",
                "unit": unit,
                "per": per,
                "bounds": one.bound_numbers,
            }
        )
    table = {
        "words": [(word, *LOOK[word]) for word in words],
        "controls": [label(name, names) for name in names],
        "folders": folders(found.evaluations),
        "criteria": told,
        "conditions": [(one, found.places[one]) for one in places],
        "queues": [(one.id, one.title) for one in found.matrix.queue],
        "traffic": traffic,
        "standards": standards,
        "cells": rows,
    }
    content = json.dumps(table, ensure_ascii=True, separators=(",", ":"))
    # Inside a script element only this could end it.
    return Markup(content.replace("<", "\\u003c"))


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")
