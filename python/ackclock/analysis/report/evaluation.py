"""An evaluation as one HTML page: what the document asks, what was measured, the metrics, the verdicts by rule."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from math import isnan
from pathlib import Path

from ackclock.analysis.report import evaluation_plots, page, pictures
from ackclock.analysis.report.page import Column, Markup, Table
from ackclock.analysis.report.verdicts import LOOK, WORST
from ackclock.batch.evaluate import Cell, Condition, Evaluation, Row, failures_of
from ackclock.batch.evaluate.judge import REPORTED, bound_words, judged_in, mean
from ackclock.batch.evaluate.measure import MEASURES, Measure
from ackclock.batch.evaluate.suite import COMPARISONS, Criterion


def write_report(found: Evaluation | Sequence[Evaluation], path: Path) -> Path:
    """Write the page of one subject, or of several side by side; its absolute path. It appears whole or not at all."""
    return page.write(text(found), path)


def text(found: Evaluation | Sequence[Evaluation]) -> str:
    """The page itself. `ValueError` without a subject, or for subjects of different suites."""
    all_of = [found] if isinstance(found, Evaluation) else list(found)
    if not all_of or any(one.suite.id != all_of[0].suite.id for one in all_of):
        raise ValueError("expected evaluations by one suite, at least one")
    first, suite = all_of[0], all_of[0].suite
    plots = [(plot, evaluation_plots.draw(all_of, plot)) for plot in suite.plot]
    own_code = {one.name: one for each in all_of for one in (each.subject, *each.baselines) if one.source_sha256}
    values = {
        "title": f"{' and '.join(one.subject.name for one in all_of)} by {suite.document.partition(',')[0]}",
        "found": first,
        "suite": suite,
        "command": _command(all_of),
        "beside": list(dict.fromkeys(" and ".join(one.name for one in each.others) for each in all_of if each.others)),
        "runs": len({arm for one in all_of for arm in one.arms}) * first.replications,
        "subjects": [_subject(one, f"s{number}-" if number else "") for number, one in enumerate(all_of)],
        "words": [(look, word) for word, (look, _) in LOOK.items()],
        "glance": _glance(all_of),
        "plots": [(plot.id, plot.title, drawn[0], drawn[1]) for plot, drawn in plots if drawn],
        "judged": _tested(all_of, reported=False),
        "reported": _tested(all_of, reported=True),
        "unevaluated": _unevaluated(first),
        "stand_ins": _stand_ins(first),
        "conditions": _conditions(first),
        "own_code": list(own_code.values()),
        "failures": [str(failed) for failed in failures_of(all_of)],
    }
    return page.render("evaluation.html", values)


def _tested(found: Sequence[Evaluation], *, reported: bool) -> int:
    """In how many cells something is tested, of those that are judged or of those that are reported."""
    rows = [row for one in found for row in one.rows if (row.criterion.rule == REPORTED) is reported]
    return sum(cell.p_value is not None for row in rows for cell in row.cells)


def _subject(found: Evaluation, prefix: str) -> dict[str, object]:
    return {
        "name": found.subject.name,
        "prefix": prefix,
        "own_seed": found.seed != 1,
        "tiles": [(str(found.count(word)), word) for word in LOOK if found.count(word)],
        "matrix": _matrix(found),
        "graph": pictures.graph(found, prefix),
        "criteria": [_criterion(found, row, prefix) for row in found.rows if not row.criterion.unevaluated],
    }


def _command(found: Sequence[Evaluation]) -> str:
    first = found[0]
    words = ["ackclock", "evaluate", *(one.subject.name for one in found), "--suite", first.suite_given]
    words += ["--quick"] if first.quick else []
    words += [word for name in first.given_baselines for word in ("--baseline", name)]
    words += [word for name in first.only for word in ("--only", name)]
    words += [] if first.usual_replications else ["--replications", str(first.replications)]
    # A seed is given for all subjects; else one that is a baseline has another seed than the others.
    words += [] if all(one.usual_seed for one in found) else ["--seed", str(first.seed)]
    return shlex.join(words)


def _glance(found: Sequence[Evaluation]) -> list[dict[str, object]]:
    lines = []
    for rows in zip(*(one.rows for one in found), strict=True):
        criterion = rows[0].criterion
        verdicts = [{"look": LOOK[row.word][0], "word": row.word, "says": row.says} for row in rows]
        told = {"id": criterion.id, "title": criterion.title, "where": criterion.where, "strength": criterion.strength}
        better = "" if criterion.unevaluated else criterion.says_better
        lines.append({**told, "better": better, "verdicts": verdicts, "is_here": not criterion.unevaluated})
    return lines


def _matrix(found: Evaluation) -> dict[str, object] | None:
    """Criteria that are judged as columns, conditions as rows; none where there is too little for a table of it."""
    rows = [row for row in found.rows if row.criterion.rule != REPORTED and len(row.cells) >= pictures.LEAST]
    if len(rows) < pictures.LEAST:
        return None
    names = {cell.condition.id: cell.condition for row in rows for cell in row.cells}
    lines = []
    for id, condition in names.items():
        signs = []
        for row in rows:
            # Beside several standards there are several verdicts.
            words = {cell.word: cell.title for cell in row.cells if cell.condition.id == id}
            worst = next((word for word in WORST if word in words), None)
            signs.append(("", "", "") if worst is None else (*LOOK[worst], f"{worst}: {words[worst]}"))
        lines.append((condition, signs))
    return {"criteria": [row.criterion for row in rows], "lines": lines}


def _criterion(found: Evaluation, row: Row, prefix: str) -> dict[str, object]:
    criterion = row.criterion
    measure = MEASURES[criterion.measure["of"]]
    traffic = [found.suite.named_traffic(name).title for name in criterion.traffics]
    return {
        "criterion": criterion,
        "look": LOOK[row.word][0],
        "word": row.word,
        "says": row.says,
        "measured": measure.says,
        "better": criterion.says_better,
        "traffic": traffic[0] if len(traffic) == 1 else "as in the table",
        "arguments": ", ".join(f"{key} {value}" for key, value in criterion.measure.items() if key != "of" and value),
        "compared": COMPARISONS[criterion.comparison],
        "rule": _rule(criterion),
        "table": _figures(found, row, measure),
        "picture": pictures.intervals(found, row, measure, judged_in(criterion), prefix),
    }


def _rule(criterion: Criterion) -> str:
    if criterion.rule == REPORTED:
        return "none; the metric is shown with the baselines'"
    return f"{bound_words(criterion)}, for the whole 95 % interval of the mean: {criterion.why}"


def _figures(found: Evaluation, row: Row, measure: Measure) -> Table:
    criterion = row.criterion
    unit, per = judged_in(criterion)
    judged, harms = criterion.rule != REPORTED, criterion.comparison == "harm"
    titled = {"": "judged", "ratio": "ratio", "difference": "difference", "harm": "excess harm"}[criterion.comparison]
    same = found.subject.name in [one.name for one in found.others]
    columns = [
        Column("condition" if len(criterion.traffics) == 1 else "traffic"),
        Column(found.subject.name, measure.unit, number=True),
        *(Column(f"{one.name} (baseline)" if same else one.name, measure.unit, number=True) for one in found.others),
        *([Column("alone", measure.unit, number=True), Column("harm", "%", number=True)] if harms else []),
        *(
            [Column(titled, "" if criterion.comparison == "ratio" else unit, number=True)]
            if criterion.comparison
            else []
        ),
        *([Column("compared with")] if criterion.comparison and len(found.baselines) > 1 else []),
        *([Column("difference", measure.unit, number=True)] if not judged else []),
        Column("n", number=True),
        *([Column("p (Holm)", number=True)] if judged else []),
        Column("verdict" if judged else "the first baseline's"),
    ]
    rows = []
    for cell in row.cells:
        if cell.lacks:
            rows.append([cell.title, *[""] * (len(columns) - 2), _verdict(cell)])
            continue
        shown = [mean(list(cell.subject.values()), measure.per)]
        shown += [mean(list(cell.baselines.get(one.name, {}).values()), measure.per) for one in found.others]
        if harms:
            shown += [mean(list(cell.solo.values()), measure.per), mean(cell.harms(cell.subject), 0.01)]
        if criterion.comparison:
            shown.append(mean(cell.compared, per))
        if criterion.comparison and len(found.baselines) > 1:
            shown.append(cell.by)
        if not judged:
            shown.append(_difference(cell, measure.per))
        shown.append(str(len(cell.compared) if judged else len(cell.subject)))
        if judged:
            shown.append("" if cell.p_holm is None else f"{cell.p_holm:.2g}")
        rows.append([cell.title, *shown, _verdict(cell)])
    caption = f"Means with half of the 95 % interval (Student) over n replications; {criterion.says_better}"
    return Table(caption, columns, rows)


def _difference(cell: Cell, per: float) -> str:
    found = cell.difference
    if found is None:
        return ""
    mean = f"{found.interval.mean / per:+.3g}"
    return mean if isnan(found.interval.half_width) else f"{mean} ± {found.interval.half_width / per:.2g}"


def _verdict(cell: Cell) -> Markup:
    look = LOOK.get(cell.word, ("plain", ""))[0]
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
