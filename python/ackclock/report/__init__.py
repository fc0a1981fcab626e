"""The outcome of a study as one HTML page that needs nothing else: no network, no other file."""

from __future__ import annotations

import base64
import os
from html import escape
from pathlib import Path

from ackclock.process import ACKCLOCK
from ackclock.study import Checked, Claim, Figure, Outcome, Rule, Verdict

_STYLE = """
:root { --ink: #1c2126; --soft: #66707a; --line: #dfe3e7; --good: #1d6b3a; --bad: #a3261c; }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--ink);
       max-width: 56rem; margin: 3rem auto; padding: 0 1.25rem; background: #fff; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.1rem; margin: 2.6rem 0 .7rem; }
.soft { color: var(--soft); } .by { margin: 0 0 1.4rem; }
.sum { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1.6rem 0; padding: 0; list-style: none; }
.sum li { flex: 1 1 11rem; border: 1px solid var(--line); border-radius: 6px; padding: .7rem 1rem; }
.sum b { display: block; font-size: 1.5rem; line-height: 1.25; }
table { border-collapse: collapse; width: 100%; font-size: .87rem; }
.wide { overflow-x: auto; }
th, td { text-align: left; padding: .32rem .7rem .32rem 0; border-bottom: 1px solid var(--line);
         vertical-align: top; }
th { font-weight: 600; color: var(--soft); }
tr.first td { border-top: 2px solid var(--line); }
.num { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .82rem;
       font-variant-numeric: tabular-nums; white-space: nowrap; }
.good { color: var(--good); white-space: nowrap; } .bad { color: var(--bad); font-weight: 600; }
figure { margin: 0 0 2rem; } figure img { width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: .9rem; }
blockquote { margin: 0; } .note { color: var(--soft); font-size: .84rem; }
@media print { body { margin: 0; } }
"""


def write_report(outcome: Outcome, path: Path) -> Path:
    """Write the page and return its absolute path. It appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_text(page(outcome), encoding="utf-8")
    part.replace(path)
    return path.resolve()


def page(outcome: Outcome) -> str:
    """The page itself."""
    study = outcome.study
    paper = study.paper
    numbers = [c for c in outcome.checked if c.claim.rule in (Rule.DIGITS, Rule.WITHIN)]
    others = [c for c in outcome.checked if c not in numbers]
    body = [
        f"<h1>{escape(paper.title)}</h1>",
        f'<p class="soft by">{escape(paper.authors)}. {escape(paper.venue)}, {paper.year}. '
        f"Study {escape(study.id)}.</p>",
        f"<p>{escape(paper.question)}</p>",
        _summary(outcome, numbers),
        "<h2>Published beside measured</h2>",
        _numbers(numbers),
        "<h2>What the paper concludes</h2>",
        _conclusions(others),
        "<h2>Figures</h2>",
        *map(_figure, outcome.figures),
        "<h2>Traces</h2>",
        _traces(outcome),
        f'<p class="note">Scripts run by <code>{escape(_program(outcome))}</code>. A verdict is '
        "given by the rule stored with the claim, never by eye.</p>",
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(study.id)}: {escape(paper.title)}</title>\n"
        f"<style>{_STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _summary(outcome: Outcome, numbers: list[Checked]) -> str:
    digits = [c for c in numbers if c.claim.rule is Rule.DIGITS]
    exact = sum(c.verdict is Verdict.REPRODUCED for c in digits)
    same = sum(t.same for t in outcome.traces)
    as_ns2 = sum(c.as_in_ns2 for c in outcome.checked)
    tiles = [
        (f"{exact} of {len(digits)}", "published numbers, to the last digit"),
        (f"{same} of {len(outcome.traces)}", "traces identical to ns-2's, byte for byte"),
        (f"{as_ns2} of {len(outcome.checked)}", "verdicts as ns-2 itself gives them"),
    ]
    items = "".join(f"<li><b>{big}</b>{small}</li>" for big, small in tiles)
    return f'<ul class="sum">{items}</ul>'


def _numbers(numbers: list[Checked]) -> str:
    rows = []
    group = None
    for checked in numbers:
        claim = checked.claim
        opens = claim.group != group
        group = claim.group
        ratio = claim.ratio(checked.measured)
        rows.append(
            f"<tr class='{'first' if opens else ''}'>"
            f"<td>{escape(claim.group) if opens else ''}</td>"
            f"<td>{escape(claim.quantity)} <span class='soft'>{escape(claim.unit)}</span></td>"
            f'<td class="num">{escape(claim.published)}</td>'
            f'<td class="num">{_shown(checked)}</td>'
            f'<td class="num">{"" if ratio is None else f"{ratio:.4f}"}</td>'
            f"<td>{_verdict(checked)}</td></tr>"
        )
    notes = dict.fromkeys(c.claim.note for c in numbers if c.claim.note)
    return (
        '<div class="wide"><table><tr><th></th><th></th><th>published</th><th>measured</th>'
        "<th>measured / published</th><th></th></tr>" + "".join(rows) + "</table></div>"
        f'<ul class="note">{"".join(f"<li>{escape(note)}</li>" for note in notes)}</ul>'
    )


def _conclusions(others: list[Checked]) -> str:
    rows = "".join(
        f"<tr><td><blockquote>&ldquo;{escape(c.claim.words)}&rdquo;</blockquote>"
        f'<span class="note">{escape(c.claim.where)}. {escape(c.claim.note)}</span></td>'
        f"<td>{escape(c.claim.quantity)}: {_shown(c)} {escape(c.claim.unit)}<br>"
        f'<span class="note">{_bound(c.claim)} expected</span></td>'
        f"<td>{_verdict(c)}</td></tr>"
        for c in others
    )
    return "<table><tr><th>the paper</th><th>measured</th><th>verdict</th></tr>" + rows + "</table>"


def _figure(figure: Figure) -> str:
    data = base64.b64encode(figure.path.read_bytes()).decode("ascii")
    caption = escape(figure.caption)
    return (
        f'<figure><img src="data:image/png;base64,{data}" alt="{caption}"><figcaption>{caption}</figcaption></figure>'
    )


def _traces(outcome: Outcome) -> str:
    rows = "".join(
        f'<tr><td>{escape(t.run.label)}</td><td>{escape(t.path.name)}</td><td class="num">'
        f"{t.found[:16]}&hellip;</td><td>"
        + ('<span class="good">as ns-2' if t.same else '<span class="bad">differs from ns-2')
        + "</span></td></tr>"
        for t in outcome.traces
    )
    return f"<table><tr><th>run</th><th>file</th><th>sha256</th><th></th></tr>{rows}</table>"


def _shown(checked: Checked) -> str:
    value = checked.measured
    return escape(value) if isinstance(value, str) else f"{value:.5g}"


def _bound(claim: Claim) -> str:
    word = "at least" if claim.rule is Rule.AT_LEAST else "at most"
    return f"{word} {escape(claim.published)}"


def _verdict(checked: Checked) -> str:
    text = checked.verdict.value
    if not checked.as_in_ns2:
        return f'<span class="bad">{text}, unlike ns-2</span>'
    if checked.claim.holds_in_ns2:
        return f'<span class="good">{text}</span>'
    return f"<span>{text}; nor is it in ns-2</span>"


def _program(outcome: Outcome) -> str:
    return "ackclock ns2" if outcome.program == ACKCLOCK else " ".join(outcome.program)
