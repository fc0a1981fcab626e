"""A study and its outcome as text for a terminal."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ackclock.batch.study.claim import LEVELS, RULES, SETTINGS, Claim, Table, Unweighed, Verdict
from ackclock.batch.study.counts import by_settings, tally
from ackclock.batch.study.family import Run
from ackclock.batch.study.load import Study
from ackclock.batch.study.measured import Measured, Replications, Settings, Undetermined, number, spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.batch.study.run import Checked, Outcome

WIDTH = 100

#: The four verdicts in the order in which they are counted.
COUNTED = {
    Verdict.REPRODUCED: "reproduced",
    Verdict.CONTRADICTED: "contradicted",
    Verdict.DEPENDS: "depends",
    Verdict.UNDETERMINED: "undetermined",
}


def listed(study: Study) -> str:
    """A line about a study: number, title, year, how many runs, and how many claims by their settings."""
    counts = {level: len(study.at(level)) for level in ("quick", "normal", "full")}
    runs = f"{counts['normal']} runs ({counts['quick']} with --quick, {counts['full']} with --full)"
    if counts["quick"] == counts["full"]:
        runs = f"{counts['full']} runs"
    settings = by_settings(study.claims)
    claims = f"{sum(settings.values())} claims ({', '.join(f'{name} {count}' for name, count in settings.items())})"
    ours = sum(claim.origin == "ours" for claim in study.claims)
    parts = [claims, *([f"{ours} of our own"] if ours else []), f"{len(study.unweighed)} entries not weighed", runs]
    return f"{study.id}  {study.paper.titled}: {', '.join(parts)}"


def describe(study: Study) -> str:
    """What a study's paper asks and claims, and which runs it takes."""
    paper = study.paper
    lines = [
        f"{study.id}  {paper.title}",
        f"     {paper.authors}, {paper.appeared}",
        "",
        *textwrap.wrap(paper.question, WIDTH),
        "",
        "Runs",
    ]
    for group in dict.fromkeys(run.group for run in study.runs):
        runs = [run for run in study.runs if run.group == group]
        more = f", and {len(runs) - 1} more seeds" if len(runs) > 1 else ""
        lines.append(f"  {runs[0].id}: {command(runs[0])}{more}")
    lines += ["", "Claims"]
    for table in study.tables:
        lines.append(f"  {table.title} ({table.where}): {len(table.claims())} numbers")
        lines += [f"    {row}: {', '.join(cells)}" for row, cells in zip(table.rows, table.published, strict=True)]
    for claim in study.claims:
        if claim.cell:
            continue
        lines.append(f"  {claim.group + ', ' if claim.group else ''}{claim.quantity}: {expected(claim)}")
        quoted = f'"{claim.words}" ({claim.where})'
        lines += textwrap.wrap(quoted, WIDTH, initial_indent="    ", subsequent_indent="    ")
    lines += ["", "Where each sentence, figure, table and equation went"]
    for place in study.places:
        lines.append(f"  {place.name}")
        for item in place.items:
            lines += textwrap.wrap(_went(item), WIDTH, initial_indent="    ", subsequent_indent="      ")
    return "\n".join(lines)


def _went(item: Table | Claim | Unweighed) -> str:
    if isinstance(item, Unweighed):
        return f'"{item.words}": not weighed. {item.reason}'
    if isinstance(item, Table):
        return f"{len(item.claims())} numbers: table {item.id}, settings {item.settings}"
    return f'"{item.words}": claim {item.id}, settings {item.settings}'


def command(run: Run) -> str:
    """The command that does a run by itself, with all that it writes."""
    if run.script is not None:
        words = (*run.under(("ackclock", "ns2"), ours=True), _near(run.script), *run.args)
        return " ".join(map(shlex.quote, words))
    if run.entry.scenario is not None:
        settings = [f"--set {shlex.quote(f'{key}={value}')}" for key, value in run.settings.items()]
        seed = [f"--seed {run.seed}"] if run.replication or run.entry.seed is not None else []
        return " ".join(["ackclock run", shlex.quote(_near(run.folder / run.entry.scenario)), *settings, *seed])
    return f"ackclock study run {run.folder.name.partition('_')[0]} --only {shlex.quote(run.id)}"


def _near(path: Path) -> str:
    """As a path from the source tree, where studies are."""
    return "/".join(path.parts[-3:])


def expected(claim: Claim) -> str:
    """What a claim's rule requires, as text."""
    printed = claim.published
    unit = f" {claim.unit}" if claim.unit else ""
    one = printed if isinstance(printed, str) else " > ".join(printed)
    match claim.rule:
        case "within" | "closest":
            tolerance = claim.tolerance if isinstance(claim.tolerance, str) else f"{claim.tolerance:g}{unit}"
            return f"{one}{unit}, give or take {tolerance}"
        case "at_least" | "at_most":
            return f"{claim.rule.replace('_', ' ')} {one}{unit}"
        case "between":
            return f"{printed[0]} to {printed[1]}{unit}"
        case "highest" | "lowest":
            return f"{one} {claim.rule}"
        case "undetermined":
            return "nothing that a run could show"
    return f"{one}{unit}"


def table(outcome: Outcome) -> str:
    """The paper's numbers beside ours, claim by claim, with the verdicts."""
    lines = [f"{outcome.study.id}  {outcome.study.paper.title}", ""]
    head = ("", "published", "ours", "difference", "over seeds", "")
    for group in dict.fromkeys(c.claim.group for c in outcome.checked):
        numbers = [c for c in outcome.checked if c.claim.group == group and c.claim.cell]
        if numbers:
            rows = [(c.claim.quantity, str(c.claim.published), *_cells(c), _mark(c)) for c in numbers]
            settings = " and ".join(dict.fromkeys(settings_words(c.claim) for c in numbers))
            lines += [f"{group} ({settings})", *_columns([head, *rows]), ""]
    for checked in outcome.checked:
        if not checked.claim.cell:
            lines += _sentence(checked)
    if outcome.traces:
        same = sum(trace.same for trace in outcome.traces)
        lines.append(f"{same} of {len(outcome.traces)} traces are ns-2's, byte for byte (sha256)")
        lines += [f"    {trace.path} differs: {trace.found}" for trace in outcome.traces if not trace.same]
        lines.append("")
    return "\n".join([*lines, *counted([outcome])])


def counted(outcomes: Iterable[Outcome]) -> list[str]:
    """The paper's claims by verdict and settings, then our own statements, what is left out, what is not weighed."""
    done = list(outcomes)
    found = tally(done)
    head = ("claims", *SETTINGS, "all")
    rows = [("all" if verdict is None else COUNTED[verdict], *map(str, numbers)) for verdict, numbers in found.rows]
    lines = _columns([head, *rows])
    if found.ours:
        ours = ", ".join(f"{word} {found.ours[verdict]}" for verdict, word in COUNTED.items() if verdict in found.ours)
        lines.append(f"  statements of our own, which no paper makes: {ours}")
    if found.left_out:
        lines.append(f"  left out: {left_out(done)}")
    if found.unweighed:
        lines.append(f"  not weighed: {found.unweighed} entries; `ackclock study show` and the report give the reasons")
    return lines


def left_out(outcomes: Sequence[Outcome]) -> str:
    """How many claims the level leaves out, and which option weighs them; empty where it leaves out none."""
    claims = [claim for outcome in outcomes for claim in outcome.left_out]
    if not claims:
        return ""
    every = sum(len(outcome.study.claims) for outcome in outcomes)
    level = max((claim.level for claim in claims), key=LEVELS.index)
    needed = "without --quick" if level == "normal" else "with --full"
    return f"{len(claims)} of {every} claims, which are weighed {needed}"


def summary(outcomes: Iterable[Outcome]) -> str:
    """One line over studies: claims by verdict, and the published figures that came out to their last digit."""
    done = list(outcomes)
    claims = tally(done).count()
    verdicts = ", ".join(f"{word} {sum(o.count(verdict) for o in done)}" for verdict, word in COUNTED.items())
    rest = left_out(done)
    exact = "; ".join(f"{o.study.id} {exactly(o)}" for o in done if o.exact)
    more = f"; left out {rest}" if rest else ""
    return (
        f"studies {len(done)}, claims {claims}: {verdicts}; published figures matched exactly: {exact or 'none'}{more}"
    )


def exactly(outcome: Outcome) -> str:
    """How many printed figures came out to their last digit: "printed 12 of 12, ratios 18 of 18, others 1 of 1"."""
    return ", ".join(f"{name or 'others'} {right} of {count}" for name, (right, count) in outcome.exact.items())


def shown(value: Measured | None) -> str:
    """A measurement as it stands in a table: digits as they are, numbers to five places."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Undetermined):
        return "not measured"
    if isinstance(value, Replications):
        return shown(value.base) if value.base is not None else str(spread(value.values) or "")
    if isinstance(value, Settings):
        return "; ".join(f"{name}: {shown(one)}" for name, one in value.values.items())
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {found:.5g}" for name, found in value.items())
    if isinstance(value, Sequence):
        return " ".join(f"{found:.5g}" for found in value)
    return f"{value:.5g}"


def difference(checked: Checked) -> str:
    """Ours less the published number; empty where either is none."""
    value = checked.value
    if value is None or checked.claim.rule not in ("digits", "rounded", "truncated", "within"):
        return ""
    if checked.claim.rule == "digits":
        return _signed(float(str(value)) - float(str(checked.claim.published)))
    return _signed(number(value) - float(str(checked.claim.published)))


def over_seeds(measured: Measured) -> str:
    """Mean, interval and range over replications; empty without any."""
    found = spread(measured.values) if isinstance(measured, Replications) else None
    return "" if found is None else str(found)


def _signed(value: float) -> str:
    if value == 0:
        return "0"
    return f"{value:+,.0f}" if abs(value) >= 1000 else f"{value:+.3g}"


def _cells(checked: Checked) -> tuple[str, str, str]:
    measured = checked.measured
    return shown(measured), difference(checked), over_seeds(measured)


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    used = [column for column in range(len(rows[0])) if any(row[column] for row in rows[1:])]
    widths = {column: max(len(row[column]) for row in rows) for column in used}
    return ["  " + "  ".join(row[column].ljust(widths[column]) for column in used).rstrip() for row in rows]


def _sentence(checked: Checked) -> list[str]:
    claim = checked.claim
    lines = textwrap.wrap(f'"{claim.words}" ({claim.where})', WIDTH)
    found = f"{claim.quantity}: {shown(checked.measured)}"
    seeds = over_seeds(checked.measured)
    found += f" (over seeds {seeds})" if seeds else ""
    says = f"{found}; expected {expected(claim)}"
    lines += textwrap.wrap(says, WIDTH, initial_indent="    ", subsequent_indent="    ")
    mark = f"{_mark(checked)} ({settings_words(claim)})"
    lines += textwrap.wrap(mark, WIDTH, initial_indent="    -> ", subsequent_indent="       ")
    return [*lines, ""]


def _mark(checked: Checked) -> str:
    says = verdict_words(checked)
    reference = checked.claim.reference
    if reference is None or checked.as_referred is None:
        return says
    return f"{says}, {'as' if checked.as_referred else 'UNLIKE'} {reference.program}"


def verdict_words(checked: Checked) -> str:
    """The verdict with what decided it: "depends on the seed: holds in 7 of 20"."""
    judged = checked.judged
    if judged.verdict is Verdict.DEPENDS:
        return f"depends {judged.says}"
    if judged.verdict is Verdict.UNDETERMINED:
        return f"cannot be determined: {judged.says}"
    return f"{judged.verdict.value}{f' ({judged.says})' if judged.says else ''}"


def settings_words(claim: Claim) -> str:
    """Where the settings come from, and whether the statement is ours: "settings fitted"."""
    return f"settings {claim.settings}" + (", our own statement" if claim.origin == "ours" else "")


def rule_words(claim: Claim) -> str:
    """What the claim's rule is."""
    return RULES[claim.rule]
