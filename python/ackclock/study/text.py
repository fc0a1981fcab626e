"""A study and its outcome as text for a terminal of 80 columns."""

from __future__ import annotations

import textwrap

from ackclock.study.claim import Claim, Rule, Value
from ackclock.study.load import Study
from ackclock.study.run import Checked, Outcome

WIDTH = 80


def describe(study: Study) -> str:
    """What a study's paper asks and claims, and which runs it takes."""
    paper = study.paper
    lines = [
        f"{study.id}  {paper.title}",
        f"     {paper.authors}, {paper.venue}, {paper.year}",
        "",
        *textwrap.wrap(paper.question, WIDTH),
        "",
        "Runs",
        *(f"  {run.label:12} {run.script.name} {' '.join(run.args)}" for run in study.runs),
        "",
        "Claims",
    ]
    for claim in study.claims:
        lines.append(f"  {claim.group}, {claim.quantity}: {_bound(claim)} {claim.unit}".rstrip())
        lines += textwrap.wrap(
            f'"{claim.words}" ({claim.where})',
            WIDTH,
            initial_indent="    ",
            subsequent_indent="    ",
        )
    return "\n".join(lines)


def table(outcome: Outcome) -> str:
    """The paper's table, published beside measured with their ratio, and the verdicts."""
    numbers = [c for c in outcome.checked if c.claim.rule in (Rule.DIGITS, Rule.WITHIN)]
    others = [c for c in outcome.checked if c not in numbers]
    head = f"{'':9}{'':11}{'published':21}{'measured':21}{'ratio':7}"
    lines = [outcome.study.paper.title, "", head.rstrip()]
    group = ""
    for checked in numbers:
        claim = checked.claim
        first = claim.group if claim.group != group else ""
        group = claim.group
        ratio = claim.ratio(checked.measured)
        lines.append(
            f"{first:9}{claim.quantity:11}{claim.published:21}{shown(checked.measured):21}"
            f"{'' if ratio is None else f'{ratio:.4f}':7}{_mark(checked)}"
        )
    lines.append("")
    for checked in others:
        claim = checked.claim
        lines += textwrap.wrap(f'"{claim.words}"', WIDTH)
        lines.append(f"    {claim.quantity}: {shown(checked.measured)}, {_bound(claim)} expected: {_mark(checked)}")
    same = sum(trace.same for trace in outcome.traces)
    lines += ["", f"{same} of {len(outcome.traces)} traces are ns-2's, byte for byte (sha256)"]
    lines += [f"    {trace.path} differs: {trace.found}" for trace in outcome.traces if not trace.same]
    return "\n".join(lines)


def shown(value: Value) -> str:
    """A measurement as it stands in a table: digits as they are, numbers to five places."""
    return value if isinstance(value, str) else f"{value:.5g}"


def _bound(claim: Claim) -> str:
    signs = {Rule.AT_LEAST: "at least ", Rule.AT_MOST: "at most "}
    return f"{signs.get(claim.rule, '')}{claim.published}"


def _mark(checked: Checked) -> str:
    if checked.as_in_ns2:
        return checked.verdict.value + ("" if checked.claim.holds_in_ns2 else ", as in ns-2")
    return f"{checked.verdict.value}, UNLIKE ns-2"
