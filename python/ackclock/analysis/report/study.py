"""Studies and their outcomes as one HTML page that needs nothing else: no network, no other file."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from ackclock.analysis.report import page
from ackclock.analysis.report.page import Column, Markup, Table
from ackclock.batch.study import (
    SETTINGS,
    Checked,
    Claim,
    Comparison,
    Figure,
    Outcome,
    Replications,
    Settings,
    Unweighed,
    Verdict,
    spread,
    tally,
)
from ackclock.batch.study import Table as Printed
from ackclock.batch.study.text import (
    COUNTED,
    command,
    difference,
    exactly,
    expected,
    left_out,
    over_seeds,
    rule_words,
    settings_words,
    shown,
    summary,
    verdict_words,
)
from ackclock.execution.process import ACKCLOCK

#: of which verdict a word has which look
_LOOK = {
    Verdict.REPRODUCED: "good",
    Verdict.CONTRADICTED: "against",
    Verdict.DEPENDS: "depends",
    Verdict.UNDETERMINED: "unknown",
}

#: The option that runs a level.
_OPTIONS = {"quick": " --quick", "normal": "", "full": " --full"}


def write_report(outcomes: Sequence[Outcome], path: Path) -> Path:
    """Write a page about all of these studies and return its absolute path. It appears whole or not at all."""
    return page.write(text(outcomes), path)


def text(outcomes: Sequence[Outcome]) -> str:
    """The page itself."""
    one = outcomes[0].study.paper.title if len(outcomes) == 1 else "Published studies against runs"
    values = {
        "title": one,
        "summary": summary(outcomes),
        "glance": _glance(outcomes),
        "studies": [_section(outcome) for outcome in outcomes],
        "verdicts": [(_LOOK[verdict], word) for verdict, word in COUNTED.items()],
        "counts": _counts(outcomes),
        "left_out": left_out(outcomes),
        "settings": SETTINGS,
        "found": {_LOOK[verdict]: sum(one.count(verdict) for one in outcomes) for verdict in COUNTED},
    }
    return page.render("study.html", values)


def _glance(outcomes: Sequence[Outcome]) -> list[dict[str, object]]:
    """For the front page: a study a row, and its verdicts as pieces of one bar."""
    return [
        {
            "id": outcome.study.id,
            "paper": outcome.study.paper,
            "claims": tally([outcome]).count(),
            "left_out": len(outcome.left_out),
            "bar": [(_LOOK[verdict], outcome.count(verdict), word) for verdict, word in COUNTED.items()],
            "exact": exactly(outcome),
        }
        for outcome in outcomes
    ]


def _counts(outcomes: Sequence[Outcome]) -> Table:
    """Claims by verdict, and by where their settings come from."""
    found = tally(outcomes)
    rows = []
    for verdict, numbers in found.rows:
        word: str = "all" if verdict is None else _mark(_LOOK[verdict], COUNTED[verdict])
        ours = sum(found.ours.values()) if verdict is None else found.ours.get(verdict, 0)
        rows.append([word, *map(str, numbers), str(ours)])
    columns = [Column("claims"), *(Column(f"settings {name}", number=True) for name in SETTINGS)]
    columns += [Column("all of the paper's", number=True), Column("our own statements", number=True)]
    return Table("Verdicts, by where the settings come from", columns, rows)


def _places(outcome: Outcome) -> Table:
    """Where each sentence, figure, table and equation of the paper went."""
    checked = {one.claim.id: one for one in outcome.checked}
    rows: list[list[str]] = []
    for place in outcome.study.places:
        for number, item in enumerate(place.items):
            heading = place.name if number == 0 else ""
            if isinstance(item, Unweighed):
                rows.append(
                    [heading, item.words, Markup("{} {}").format(_mark("unknown", "not weighed."), item.reason)]
                )
            elif isinstance(item, Printed):
                rows.append([heading, f"{item.title}: {len(item.claims())} numbers", _verdicts_of(item, checked)])
            elif item.id in checked:
                one = checked[item.id]
                verdict = _mark(_LOOK[one.verdict], COUNTED[one.verdict])
                settings = _mark("note", settings_words(item))
                rows.append([heading, item.words, Markup("{} {}").format(verdict, settings)])
            else:
                rows.append([heading, item.words, _mark("note", "left out at this level")])
    columns = [Column("place"), Column("what stands there"), Column("where it went")]
    return Table("Where each sentence, figure, table and equation of the paper went", columns, rows)


def _verdicts_of(printed: Printed, checked: Mapping[str, Checked]) -> str:
    verdicts = [checked[claim.id].verdict for claim in printed.claims() if claim.id in checked]
    parts = [_mark(_LOOK[one], f"{COUNTED[one]} {verdicts.count(one)}") for one in COUNTED if one in verdicts]
    rest = len(printed.claims()) - len(verdicts)
    return Markup(", ").join([*parts, *([_mark("note", f"left out {rest}")] if rest else [])])


def _section(outcome: Outcome) -> dict[str, object]:
    tabled = {checked.claim.cell[0] for checked in outcome.checked if checked.claim.cell}
    others = [c for c in outcome.checked if not c.claim.cell]
    notes = [c.claim.note for c in outcome.checked if c.claim.cell and c.claim.note]
    study = outcome.study
    return {
        "id": study.id,
        "paper": study.paper,
        "command": f"ackclock study run {study.id}{_OPTIONS[outcome.level]}",
        "counts": _counts([outcome]),
        "left_out": left_out([outcome]),
        "places": _places(outcome),
        "tiles": _tiles(outcome),
        "tables": [_table(outcome, printed) for printed in study.tables if printed.id in tabled],
        "comparisons": [_comparison(one) for one in outcome.comparisons],
        "notes": list(dict.fromkeys(notes)),
        "claims": [_claim(outcome, checked) for checked in others],
        "figures": [_figure(outcome, figure) for figure in outcome.figures],
        "traces": _traces(outcome) if outcome.traces else None,
        "program": "ackclock ns2" if outcome.program == ACKCLOCK else " ".join(outcome.program),
    }


def _tiles(outcome: Outcome) -> list[tuple[str, str]]:
    titles = {table.id: table.title for table in outcome.study.tables}
    tiles = [
        (f"{right} of {count}", f"published numbers to the last digit: {titles.get(name, 'outside tables')}")
        for name, (right, count) in outcome.exact.items()
    ]
    for verdict, word in COUNTED.items():
        if count := outcome.count(verdict):
            tiles.append((str(count), f"{'claim' if count == 1 else 'claims'}: {word}"))
    referred = [c for c in outcome.checked if c.as_referred is not None]
    if referred:
        same = sum(c.as_referred is True for c in referred)
        tiles.append((f"{same} of {len(referred)}", "values and verdicts as the paper's own simulator gives them"))
    if outcome.traces:
        same = sum(t.same for t in outcome.traces)
        tiles.append((f"{same} of {len(outcome.traces)}", "traces identical to ns-2's, byte for byte"))
    return tiles


def _table(outcome: Outcome, printed: Printed) -> Table:
    """The paper's table, in each cell what is printed, ours, the difference, and what other seeds gave."""
    here = [claim for claim in outcome.study.claims if claim.cell and claim.cell[0] == printed.id]
    cells = {tuple(claim.cell[1:]): _left_out(claim) for claim in here}
    under = settings_of(outcome, printed.id)
    cells |= {tuple(c.claim.cell[1:]): _cell(c, under) for c in outcome.checked if c.claim in here}
    rows: list[list[str]] = []
    for row in printed.rows:
        rows.append([row, *(cells.get((row, column), "") for column in printed.columns)])
    columns = [Column(printed.corner), *(Column(name, printed.unit, number=True) for name in printed.columns)]
    left_out = {claim.level for claim in here} - {c.claim.level for c in outcome.checked}
    ours = f"ours, with {' / '.join(under)}" if under else "ours"
    fuller = " or ".join(f"ackclock study run {outcome.study.id}{_OPTIONS[level]}" for level in sorted(left_out))
    rest = f"; what is left out, {fuller} measures" if fuller else ""
    return Table(f"{printed.title} ({printed.where}). Published, and below it {ours}{rest}", columns, rows)


def _comparison(one: Comparison) -> Table:
    columns = [Column(name, number=number > 0, name=number == 0) for number, name in enumerate(one.columns)]
    rows: list[list[str]] = []
    for group, lines in one.groups:
        rows.append([Markup("<b>{}</b>").format(group), *([""] * (len(columns) - 1))])
        rows += [[name, *cells] for name, cells in lines]
    return Table(one.caption, columns, rows)


def _left_out(claim: Claim) -> Markup:
    """The cell of a claim whose runs are of a higher level than requested."""
    return Markup('<span class="printed">{}</span><br><span class="note">left out</span>').format(claim.published)


def _cell(checked: Checked, under: Sequence[str]) -> Markup:
    claim = checked.claim
    apart = difference(checked)
    seeds = spread(checked.measured.values) if isinstance(checked.measured, Replications) else None
    lines = [
        Markup('<span class="printed">{}</span>').format(claim.published),
        Markup('<span class="{}" title="{}">{}</span>').format(
            _LOOK[checked.verdict], f"{verdict_words(checked)}; expected {expected(claim)}", in_cell(checked, under)
        ),
    ]
    if apart not in ("", "0"):
        lines.append(Markup('<span class="note">{}</span>').format(apart))
    if seeds is not None:
        half = "" if seeds.half is None else f" ± {seeds.half:.3g}"
        between = f"{seeds.least:.4g} to {seeds.most:.4g}"
        lines.append(Markup('<span class="note">{}{}<br>{}</span>').format(f"{seeds.mean:.4g}", half, between))
    return Markup("<br>").join(lines)


def settings_of(outcome: Outcome, table: str) -> list[str]:
    """The settings under which all cells of a printed `table` were measured, in order; empty if the cells differ."""
    here = [one.measured for one in outcome.checked if one.claim.cell and one.claim.cell[0] == table]
    names = {tuple(one.values) if isinstance(one, Settings) else () for one in here}
    return list(names.pop()) if len(names) == 1 else []


def in_cell(checked: Checked, under: Sequence[str]) -> str:
    """What was measured, as a cell of a table shows it: of several settings the values alone, if they are those `under`
    which the whole table is.
    """
    measured, value = checked.measured, checked.value
    if isinstance(measured, Settings) and under and list(measured.values) == list(under):
        return " / ".join(shown(one) for one in measured.values.values())
    if isinstance(value, float) and checked.claim.rule in ("rounded", "truncated"):
        # With two decimals more than are printed, so that what was rounded is seen.
        decimals = len(str(checked.claim.published).partition(".")[2])
        return f"{value:.{decimals + 2}f}" if decimals else f"{value:g}"
    return shown(measured)


def _claim(outcome: Outcome, checked: Checked) -> dict[str, object]:
    """A claim with everything that leads from its words to what decides it."""
    claim = checked.claim
    runs = [outcome.runs.run(id) for id in claim.runs if id in outcome.runs]
    seeds = over_seeds(checked.measured)
    return {
        "words": claim.words,
        "where": claim.where,
        "look": _LOOK[checked.verdict],
        "verdict": verdict_words(checked),
        "settings": settings_words(claim),
        "found": f"{claim.quantity}: {shown(checked.measured)} {claim.unit}".strip(),
        "seeds": seeds,
        "expected": expected(claim),
        "rule": rule_words(claim),
        "why": claim.why,
        "note": claim.note if claim.rule != "undetermined" else "",
        "reference": _reference(checked),
        "commands": [command(run) for run in runs[:3]] + ([f"(and {len(runs) - 3} more)"] if len(runs) > 3 else []),
        "inspect": claim.look,
    }


def _reference(checked: Checked) -> str:
    reference = checked.claim.reference
    if reference is None:
        return ""
    value = reference.value
    gives = ", ".join(f"{name} {one}" for name, one in value.items()) if isinstance(value, dict) else value
    words = " and ".join(word for word in (gives, reference.verdict) if word)
    same = "ours is the same" if checked.as_referred else "OURS IS ANOTHER"
    return f"{reference.program} gives {words}: {same}. {reference.how}".strip()


def _figure(outcome: Outcome, figure: Figure) -> tuple[Markup, str, str]:
    name = f"study-{outcome.study.id}-{figure.path.stem}"
    if figure.path.suffix == ".svg":
        picture = page.svg(figure.path.read_text(encoding="utf-8"), figure.caption, name)
    else:
        picture = page.png(figure.path.read_bytes(), figure.caption)
    shown_runs = [command(outcome.runs.run(id)) for id in figure.runs if id in outcome.runs]
    first = shown_runs[0] if shown_runs else f"ackclock study run {shlex.quote(outcome.study.id)}"
    more = f"  (and {len(shown_runs) - 1} more)" if len(shown_runs) > 1 else ""
    return picture, figure.caption, f"{first}{more}"


def _traces(outcome: Outcome) -> Table:
    rows = [
        [
            trace.run,
            trace.path.name,
            Markup("<code>{}…</code>").format(trace.found[:16]),
            _mark("good", "as ns-2") if trace.same else _mark("bad", "differs from ns-2"),
        ]
        for trace in outcome.traces
    ]
    columns = [Column("run"), Column("file"), Column("sha256"), Column("against ns-2")]
    return Table("Files of the runs, checked against the record of ns-2's", columns, rows)


def _mark(kind: str, text: str) -> Markup:
    return Markup('<span class="{}">{}</span>').format(kind, text)
