"""`ackclock evaluate`: a variant or a queue discipline by an evaluation suite, as one page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ackclock.cli.complain import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.evaluate import Evaluation

_EXAMPLES = """\
examples:
  ackclock evaluate vegas --suite rfc9743 --quick
  ackclock evaluate mine:Control --suite rfc9743 --against cubic --only harm_goodput --only deep
  ackclock evaluate codel --suite rfc7928 --out codel.html

VARIANT is a name of `ackclock list variants` or `ackclock list controls` (also sender/control, linux/vegas), for a
suite of queues one of `ackclock list queues`; or module:Class, one's own. Runs are kept and not done again.
"""

#: Failed runs that are printed before they are only counted.
NAMED = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    from ackclock.evaluate import suites

    known = suites()
    parser.epilog = _EXAMPLES
    parser.add_argument("what", metavar="VARIANT", help="what is evaluated")
    parser.add_argument("--suite", required=True, metavar="SUITE", help=f"{', '.join(known)}, or a file of one's own")
    parser.add_argument("--quick", action="store_true", help="short runs, few replications: a first look in a minute")
    parser.add_argument("--dry-run", action="store_true", help="say how many runs there are and how long they may take")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a criterion or condition; again")
    parser.add_argument("--against", metavar="VARIANT", help="the baseline (default: the document's own)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the page goes (default: VARIANT-SUITE.html)")
    parser.add_argument("--store", type=Path, default=Path("out/store"), metavar="DIR", help="where runs are kept")
    parser.add_argument("--jobs", type=int, metavar="N", help="runs at a time (default: one a core)")


def run(options: argparse.Namespace) -> int:
    """Evaluate, write the page, print a line a criterion; the exit status: 1 if a run failed."""
    from ackclock.scenario import ScenarioError
    from ackclock.store import StoreError

    try:
        return _run(options)
    except (ScenarioError, StoreError, OSError) as error:
        complain(error)
        return 1


def _run(options: argparse.Namespace) -> int:
    from ackclock.cli.sweep import Progress
    from ackclock.evaluate import evaluate
    from ackclock.scenario import ScenarioError

    if options.jobs is not None and options.jobs < 1:
        raise ScenarioError("expected the number of runs at a time, at least 1", key="--jobs", value=options.jobs)
    if options.dry_run:
        return _announce(options)
    progress = Progress(f"{options.what}, {options.suite}") if sys.stderr.isatty() else None
    try:
        found = evaluate(
            options.what,
            options.suite,
            against=options.against,
            quick=options.quick,
            only=options.only,
            store=options.store,
            jobs=options.jobs,
            progress=progress,
        )
    finally:
        if progress is not None:
            progress.clear()
    print(text(found))
    from ackclock.report.evaluation import write_report

    name = f"{found.subject.name}-{found.suite.id}.html".replace("/", "-").replace(":", "-")
    print(write_report(found, options.out or Path(name)))
    for failed in found.failures[:NAMED]:
        print(f"failed: {failed}", file=sys.stderr)
    if found.failures:
        print(f"ackclock: {len(found.failures)} of {found.runs} runs failed", file=sys.stderr)
    return 1 if found.failures else 0


def _announce(options: argparse.Namespace) -> int:
    from ackclock.cli.sweep import count, duration
    from ackclock.evaluate import begin, estimate_s, stored_runs

    found = begin(options.what, options.suite, against=options.against, quick=options.quick, only=options.only)
    places = {arm.condition for arm in found.arms}
    told = f"{count(len(found.suite.criterion), 'criterion', 'criteria')} in {count(len(places), 'condition')}"
    print(f"{told}: {found.subject.name} beside {found.baseline.name}")
    there = stored_runs(found, options.store)
    runs = f"{count(len(found.arms), 'scenario')} x {found.replications} replications = {count(found.runs, 'run')}"
    print(f"{runs}, {there} in the store")
    whole_s = estimate_s(found, jobs=options.jobs)
    print(f"about {duration(whole_s * (found.runs - there) / found.runs)} for the rest, by a moment of some of them")
    return 0


def text(found: Evaluation) -> str:
    """A line a criterion: section, title, verdict, and where it is not met."""
    rows = [(row.criterion.where, row.criterion.title, row.word, row.says) for row in found.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join("  ".join([*map(str.ljust, row[:3], widths), row[3]]).rstrip() for row in rows)
