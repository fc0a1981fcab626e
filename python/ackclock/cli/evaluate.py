"""`ackclock evaluate`: a variant or a queue discipline by an evaluation suite, as one page."""

from __future__ import annotations

import argparse
from pathlib import Path

from ackclock.cli.batch_options import (
    add_jobs,
    add_limits_of_many,
    add_store,
    check_jobs,
    progress_of,
    tell_failures,
)
from ackclock.cli.print_error import print_error, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.batch.evaluate import Evaluation, Row

_EXAMPLES = """\
examples:
  ackclock evaluate vegas --suite rfc9743 --quick
  ackclock evaluate cubic bbr --suite rfc9743 --quick       # side by side on one page
  ackclock evaluate mine:Control --suite rfc9743 --baseline cubic --only harm_goodput --only deep
  ackclock evaluate codel --suite rfc7928 --out codel.html

VARIANT is a name from `ackclock list variants` or `ackclock list controls` (also SENDER/CONTROL, such as linux/vegas).
For a suite of queues it is a name from `ackclock list queues`. For your own code it is module:Class,
or FILE.so:NAME for a control of a shared library. Runs are stored and reused.
"""


def _variants(**_: object) -> list[str]:
    """Names of variants, controls and queues, for a shell."""
    from ackclock.cli.lists import LISTS

    return [name for what in ("variants", "controls", "queues") for name, _ in LISTS[what]()]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    from ackclock.batch.evaluate import suites

    known = suites()
    parser.epilog = _EXAMPLES
    what = parser.add_argument(
        "what", nargs="+", metavar="VARIANT", help="what to evaluate; several are shown side by side"
    )
    what.completer = _variants  # type: ignore[attr-defined]
    suite = parser.add_argument(
        "--suite", required=True, metavar="SUITE", help=f"{', '.join(known)}, or a suite file of your own"
    )
    suite.completer = lambda **_: list(known)  # type: ignore[attr-defined]
    parser.add_argument("--quick", action="store_true", help="short runs, few replications: takes some minutes")
    parser.add_argument("--dry-run", action="store_true", help="print the number of runs and an estimate of the time")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="only this criterion, plot or condition; may be repeated",
    )
    parser.add_argument(
        "--baseline",
        action="append",
        metavar="VARIANT",
        help="compare with this (default: the suite's standards); may be repeated",
    )
    parser.add_argument(
        "--replications",
        type=int,
        metavar="N",
        help="runs of each condition, at least 2 (default: the suite's); stored ones are reused",
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="seed of the variant's runs (default: 1, as the baselines; 2 if it is a baseline itself)",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the page here (default: VARIANT-SUITE.html)")
    add_store(parser)
    add_jobs(parser)
    add_limits_of_many(parser, lambda options: f"{', '.join(options.what)}, {options.suite}")


def run(options: argparse.Namespace) -> int:
    """Evaluate, write the page, print a line a criterion; the exit status: 1 if a run failed."""
    from ackclock.batch.store import StoreError
    from ackclock.scenario import ScenarioError

    try:
        return _run(options)
    except (ScenarioError, StoreError, OSError) as error:
        print_error(error)
        return 1


def _run(options: argparse.Namespace) -> int:
    from ackclock.batch.evaluate import evaluate_all, failures_of

    check_jobs(options)
    if options.dry_run:
        return _announce(options)
    with progress_of(f"{', '.join(options.what)}, {options.suite}") as progress:
        found = evaluate_all(
            options.what,
            options.suite,
            baseline=options.baseline,
            quick=options.quick,
            only=options.only,
            replications=options.replications,
            seed=options.seed,
            store=options.store,
            jobs=options.jobs,
            progress=progress,
        )
    for one in found:
        if len(found) > 1:
            show(f"{one.subject.name}:")
        show(text(one))
    from ackclock.analysis.report.evaluation import write_report

    name = "-".join([*(one.subject.name for one in found), found[0].suite.id]).replace("/", "-").replace(":", "-")
    # The path of a library may begin with a dot, which would hide the file.
    name = name.lstrip(".-")
    show(write_report(found, options.out or Path(f"{name}.html")))
    return tell_failures(failures_of(found), len({arm for one in found for arm in one.arms}) * found[0].replications)


def _announce(options: argparse.Namespace) -> int:
    from ackclock.batch.evaluate import begin, estimate_s, stored_runs
    from ackclock.cli.progress import count, duration

    total_s = 0.0
    for what in options.what:
        found = begin(
            what,
            options.suite,
            baseline=options.baseline,
            quick=options.quick,
            only=options.only,
            replications=options.replications,
            seed=options.seed,
        )
        places = {arm.condition for arm in found.arms}
        told = f"{count(len(found.suite.criterion), 'criterion', 'criteria')}, {count(len(found.suite.plot), 'plot')}"
        beside = " and ".join(one.name for one in found.others)
        who = f"{found.subject.name} beside {beside}" if beside else found.subject.name
        show(f"{told} in {count(len(places), 'condition')}: {who}")
        there = stored_runs(found, options.store)
        runs = f"{count(len(found.arms), 'scenario')} x {found.replications} replications = {count(found.runs, 'run')}"
        print(f"{runs}, {there} in the store")
        total_s += estimate_s(found, jobs=options.jobs) * (found.runs - there) / found.runs
    print(f"about {duration(total_s)} for the rest, estimated from some short runs")
    return 0


def text(found: Evaluation) -> str:
    """A line a criterion: section, title, verdict, where it is not met, and whether less or more is better."""
    rows = [(row.criterion.where, row.criterion.title, row.word, _says(row)) for row in found.rows]
    if not rows:
        return "plots only"
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join("  ".join([*map(str.ljust, row[:3], widths), row[3]]).rstrip() for row in rows)


def _says(row: Row) -> str:
    return row.says if row.criterion.unevaluated else f"{row.says}; {row.criterion.says_better}"
