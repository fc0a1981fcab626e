"""The outcome of a study as one HTML page that needs nothing else: no network, no other file."""

from __future__ import annotations

from pathlib import Path

from ackclock.process import ACKCLOCK
from ackclock.report import page
from ackclock.report.page import Column, Markup, Table
from ackclock.study import Checked, Claim, Figure, Outcome, Rule, Verdict


def write_report(outcome: Outcome, path: Path) -> Path:
    """Write the page and return its absolute path. It appears whole or not at all."""
    return page.write(text(outcome), path)


def text(outcome: Outcome) -> str:
    """The page itself."""
    numbers = [c for c in outcome.checked if c.claim.rule in (Rule.DIGITS, Rule.WITHIN)]
    others = [c for c in outcome.checked if c not in numbers]
    paper = outcome.study.paper
    values = {
        "title": f"{outcome.study.id}: {paper.title}",
        "paper": paper,
        "study": outcome.study.id,
        "tiles": _tiles(outcome, numbers),
        "numbers": _numbers(numbers),
        "notes": list(dict.fromkeys(c.claim.note for c in numbers if c.claim.note)),
        "conclusions": _conclusions(others),
        "figures": [(_picture(figure), figure.caption) for figure in outcome.figures],
        "traces": _traces(outcome),
        "program": "ackclock ns2" if outcome.program == ACKCLOCK else " ".join(outcome.program),
    }
    return page.render("study.html", values)


def _tiles(outcome: Outcome, numbers: list[Checked]) -> list[tuple[str, str]]:
    digits = [c for c in numbers if c.claim.rule is Rule.DIGITS]
    exact = sum(c.verdict is Verdict.REPRODUCED for c in digits)
    same = sum(t.same for t in outcome.traces)
    as_ns2 = sum(c.as_in_ns2 for c in outcome.checked)
    return [
        (f"{exact} of {len(digits)}", "published numbers, to the last digit"),
        (f"{same} of {len(outcome.traces)}", "traces identical to ns-2's, byte for byte"),
        (f"{as_ns2} of {len(outcome.checked)}", "verdicts as ns-2 itself gives them"),
    ]


def _numbers(numbers: list[Checked]) -> Table:
    rows = []
    for checked in numbers:
        claim = checked.claim
        ratio = claim.ratio(checked.measured)
        rows.append(
            [
                claim.group,
                f"{claim.quantity} {claim.unit}",
                claim.published,
                _shown(checked),
                "" if ratio is None else f"{ratio:.4f}",
                _verdict(checked),
            ]
        )
    columns = [
        Column("run"),
        Column("quantity"),
        Column("published", number=True),
        Column("measured", number=True),
        Column("measured / published", number=True),
        Column("verdict"),
    ]
    return Table("Numbers that the paper prints, and what this run gives", columns, rows)


def _conclusions(others: list[Checked]) -> Table:
    rows = [
        [
            Markup('<blockquote>“{}”</blockquote><span class="note">{}. {}</span>').format(
                c.claim.words, c.claim.where, c.claim.note
            ),
            Markup('{}: {} {}<br><span class="note">{} expected</span>').format(
                c.claim.quantity, _shown(c), c.claim.unit, _bound(c.claim)
            ),
            _verdict(c),
        ]
        for c in others
    ]
    columns = [Column("the paper"), Column("measured"), Column("verdict")]
    return Table("Conclusions in the paper's words", columns, rows)


def _picture(figure: Figure) -> Markup:
    return page.png(figure.path.read_bytes(), figure.caption)


def _traces(outcome: Outcome) -> Table:
    rows = [
        [
            trace.run.label,
            trace.path.name,
            Markup("<code>{}…</code>").format(trace.found[:16]),
            _mark("good", "as ns-2") if trace.same else _mark("bad", "differs from ns-2"),
        ]
        for trace in outcome.traces
    ]
    columns = [Column("run"), Column("file"), Column("sha256"), Column("against ns-2")]
    return Table("Files of the runs, held against the record of ns-2's", columns, rows)


def _shown(checked: Checked) -> str:
    value = checked.measured
    return value if isinstance(value, str) else f"{value:.5g}"


def _bound(claim: Claim) -> str:
    word = "at least" if claim.rule is Rule.AT_LEAST else "at most"
    return f"{word} {claim.published}"


def _verdict(checked: Checked) -> str:
    text = checked.verdict.value
    if not checked.as_in_ns2:
        return _mark("bad", f"{text}, unlike ns-2")
    if checked.claim.holds_in_ns2:
        return _mark("good", text)
    return f"{text}; nor is it in ns-2"


def _mark(kind: str, text: str) -> Markup:
    return Markup('<span class="{}">{}</span>').format(kind, text)
