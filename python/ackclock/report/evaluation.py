"""An evaluation as one HTML page: what the document asks, what was measured, the figures, the verdicts by rule."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from ackclock.evaluate import Cell, Condition, Evaluation, Row
from ackclock.evaluate.judge import NOT_HERE, REPORTED, WORDS, mean
from ackclock.evaluate.measure import MEASURES, Measure
from ackclock.evaluate.suite import AGAINST, Criterion
from ackclock.report import page, pictures
from ackclock.report.page import Column, Markup, Table
from ackclock.study import Verdict

#: a word -> its look and its sign in the table of all
_LOOK = {
    WORDS[Verdict.REPRODUCED]: ("good", "✓"),
    WORDS[Verdict.CONTRADICTED]: ("against", "✗"),
    WORDS[Verdict.DEPENDS]: ("depends", "±"),
    WORDS[Verdict.UNDETERMINED]: ("unknown", "?"),
    REPORTED: ("plain", "·"),
    NOT_HERE: ("none", "-"),
}


def write_report(found: Evaluation, path: Path) -> Path:
    """Write the page and return its absolute path. It appears whole or not at all."""
    return page.write(text(found), path)


def text(found: Evaluation) -> str:
    """The page itself."""
    suite = found.suite
    values = {
        "title": f"{found.subject.name} by {suite.document.partition(',')[0]}",
        "found": found,
        "suite": suite,
        "command": _command(found),
        "tiles": [(str(found.count(word)), word) for word in _LOOK if found.count(word)],
        "words": [(look, word) for word, (look, _) in _LOOK.items()],
        "glance": [_glance(row) for row in found.rows],
        "matrix": _matrix(found),
        "graph": pictures.graph(found),
        "criteria": [_criterion(found, row) for row in found.rows if not row.criterion.unevaluated],
        "unevaluated": _unevaluated(found),
        "stand_ins": _stand_ins(found),
        "conditions": _conditions(found),
        "own_code": [one for one in (found.subject, found.baseline) if one.source_sha256],
        "failures": [str(one) for one in found.failures],
    }
    return page.render("evaluation.html", values)


def _command(found: Evaluation) -> str:
    words = ["ackclock", "evaluate", found.subject.name, "--suite", found.suite.id]
    words += ["--quick"] if found.quick else []
    if found.baseline.name != found.suite.baseline:
        words += ["--against", found.baseline.name]
    words += [word for name in found.only for word in ("--only", name)]
    return shlex.join(words)


def _glance(row: Row) -> dict[str, str]:
    criterion = row.criterion
    return {
        "id": criterion.id,
        "title": criterion.title,
        "where": criterion.where,
        "strength": criterion.strength,
        "look": _LOOK[row.word][0],
        "word": row.word,
        "says": row.says,
    }


def _matrix(found: Evaluation) -> dict[str, object] | None:
    """Criteria that are judged as columns, conditions as rows; none where there is too little for a table of it."""
    rows = [row for row in found.rows if row.criterion.rule != REPORTED and len(row.cells) >= pictures.LEAST]
    if len(rows) < pictures.LEAST:
        return None
    names = {cell.condition.id: cell.condition for row in rows for cell in row.cells}
    lines = []
    for id, condition in names.items():
        cells = [next((cell for cell in row.cells if cell.condition.id == id), None) for row in rows]
        signs = [("", "", "") if cell is None else (*_LOOK[cell.word], cell.word) for cell in cells]
        lines.append((condition, signs))
    return {"criteria": [row.criterion for row in rows], "lines": lines}


def _criterion(found: Evaluation, row: Row) -> dict[str, object]:
    criterion = row.criterion
    measure = MEASURES[criterion.measure["of"]]
    traffic = [found.suite.named_traffic(name).title for name in criterion.traffics]
    return {
        "criterion": criterion,
        "look": _LOOK[row.word][0],
        "word": row.word,
        "says": row.says,
        "measured": measure.says,
        "traffic": traffic[0] if len(traffic) == 1 else "as in the table",
        "arguments": ", ".join(f"{key} {value}" for key, value in criterion.measure.items() if key != "of" and value),
        "compared": AGAINST[criterion.against],
        "rule": _rule(criterion, measure),
        "table": _figures(found, row, measure),
        "picture": pictures.intervals(found, row, measure, _compared_in(criterion, measure)),
    }


def _rule(criterion: Criterion, measure: Measure) -> str:
    if criterion.rule == REPORTED:
        return "none; the figure is given, and held against the baseline's"
    bounds = [criterion.bound] if isinstance(criterion.bound, str) else criterion.bound
    unit, per = _compared_in(criterion, measure)
    shown = " and ".join(f"{float(bound) / per:g}" for bound in bounds)
    words = criterion.rule.replace("_", " ")
    return f"{words} {shown}{f' {unit}' if unit else ''}, for the whole 95 % interval of the mean: {criterion.why}"


def _compared_in(criterion: Criterion, measure: Measure) -> tuple[str, float]:
    """The unit in which what is judged is shown, and what it is divided by."""
    if criterion.against == "ratio":
        return "times the baseline's", 1.0
    if criterion.against == "harm":
        return "%", 0.01
    return measure.unit, measure.per


def _figures(found: Evaluation, row: Row, measure: Measure) -> Table:
    criterion = row.criterion
    unit, per = _compared_in(criterion, measure)
    judged = criterion.rule != REPORTED
    titled = {"": "judged", "ratio": "ratio", "difference": "difference", "harm": "harm"}[criterion.against]
    same = found.subject.name == found.baseline.name
    columns = [
        Column("condition" if len(criterion.traffics) == 1 else "traffic"),
        Column(found.subject.name, measure.unit, number=True),
        Column(f"{found.baseline.name} (baseline)" if same else found.baseline.name, measure.unit, number=True),
        *([Column(titled, "" if criterion.against == "ratio" else unit, number=True)] if criterion.against else []),
        *([Column("difference", measure.unit, number=True)] if not judged else []),
        Column("n", number=True),
        Column("verdict" if judged else "beside the baseline's"),
    ]
    rows = []
    for cell in row.cells:
        if cell.lacks:
            rows.append([cell.title, *[""] * (len(columns) - 2), _verdict(cell)])
            continue
        shown = [mean(list(cell.subject.values()), measure.per), mean(list(cell.baseline.values()), measure.per)]
        if criterion.against:
            shown.append(mean(cell.compared, per))
        if not judged:
            shown.append(_difference(cell, measure.per))
        n = len(cell.compared) if judged else len(cell.subject)
        rows.append([cell.title, *shown, str(n), _verdict(cell)])
    return Table("Means with half of the 95 % interval (Student) over n replications", columns, rows)


def _difference(cell: Cell, per: float) -> str:
    found = cell.difference
    return "" if found is None else f"{found.interval.mean / per:+.3g} ± {found.interval.half_width / per:.2g}"


def _verdict(cell: Cell) -> Markup:
    look = _LOOK.get(cell.word, ("plain", ""))[0]
    why = cell.lacks or cell.failed
    note = Markup('<br><span class="note">{}</span>').format(why) if why else ""
    return Markup('<span class="{}">{}</span>{}').format(look, cell.word, note)


def _unevaluated(found: Evaluation) -> Table | None:
    rows = [
        [
            row.criterion.title,
            row.criterion.where,
            row.criterion.strength,
            row.criterion.asks,
            row.criterion.unevaluated,
        ]
        for row in found.rows
        if row.criterion.unevaluated
    ]
    lacking = {cell.condition.id: cell for row in found.rows for cell in row.cells if cell.lacks}
    rows += [
        [cell.title, cell.condition.where, "condition", cell.condition.asks, cell.lacks] for cell in lacking.values()
    ]
    if not rows:
        return None
    columns = [
        Column("what"),
        Column("section"),
        Column("strength"),
        Column("the document asks"),
        Column("why not here"),
    ]
    return Table("What could not be evaluated here", columns, rows)


def _used(found: Evaluation) -> list[Condition]:
    names = dict.fromkeys(cell.condition.id for row in found.rows for cell in row.cells if not cell.lacks)
    return [found.suite.named_condition(name) for name in names]


def _stand_ins(found: Evaluation) -> list[tuple[str, str]]:
    evaluated = [row.criterion for row in found.rows if not row.criterion.unevaluated]
    names = dict.fromkeys(name for criterion in evaluated for name in criterion.traffics)
    traffic = [found.suite.named_traffic(name) for name in names]
    parts = [(one.title, one.stands_in) for one in _used(found)] + [(one.title, one.stands_in) for one in traffic]
    return [(title, text) for title, text in parts if text]


def _conditions(found: Evaluation) -> Table:
    rows = []
    for one in _used(found):
        settings: dict[str, object] = {**one.scenario}
        if found.quick and one.quick:
            settings["quick"] = one.quick
        if one.flows:
            settings["flows"] = one.flows
        if one.sender:
            settings["sender"] = one.sender
        shown = json.dumps(settings, ensure_ascii=False) if settings else "as all"
        rows.append([one.title, one.where, one.asks, Markup("<code>{}</code>").format(shown)])
    columns = [Column("condition"), Column("section"), Column("the document asks"), Column("what differs here")]
    return Table("Conditions", columns, rows)
