"""`ackclock scoreboard`: all congestion controls, in the conditions of RFC 9743, through eight queue disciplines."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ackclock._internal.escape import escaped, tell
from ackclock.cli.limit_options import OF_MANY, add_limits
from ackclock.cli.print_error import print_error, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ackclock.batch.scoreboard import Changes, Scoreboard

_EXAMPLES = """\
examples:
  ackclock scoreboard --quick --dry-run
  ackclock scoreboard --quick --only cubic --only bbr --only fq_codel
  ackclock scoreboard mine:Control --quick               # a row more, for a control of your own
  ackclock scoreboard --quick --out new --since old      # what changed since another version

The result is a folder of static files: open its index.html. The same command goes on where it was ended.
"""

#: Failed runs that are printed before they are only counted.
NAMED = 10


def _names(**_: object) -> list[str]:
    """Names to which the matrix can be restricted, for a shell."""
    from ackclock.batch.scoreboard import load_matrix

    matrix = load_matrix()
    parts = [one.id for some in (matrix.criterion, matrix.condition, matrix.queue) for one in some]
    return [*(row.partition("/")[2] for row in matrix.rows), *parts]


def _controls(**_: object) -> list[str]:
    """Names of controls, for a shell."""
    from ackclock.cli.lists import LISTS

    return [name for what in ("variants", "controls") for name, _ in LISTS[what]()]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.epilog = _EXAMPLES
    added = parser.add_argument(
        "controls",
        nargs="*",
        metavar="CONTROL",
        help="a row besides those of today's TCP: a name as for `ackclock evaluate`, or module:Class",
    )
    added.completer = _controls  # type: ignore[attr-defined]
    parser.add_argument("--quick", action="store_true", help="short runs, fewer replications")
    parser.add_argument("--dry-run", action="store_true", help="print the number of runs and an estimate of the time")
    only = parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="only this control, criterion, condition or queue; may be repeated",
    )
    only.completer = _names  # type: ignore[attr-defined]
    parser.add_argument(
        "--matrix",
        type=Path,
        metavar="FILE",
        help="a matrix of your own: controls, conditions, queues and criteria (default: ackclock's)",
    )
    parser.add_argument(
        "--since",
        type=Path,
        metavar="DIR",
        help="an older scoreboard: show which verdicts and intervals changed",
    )
    parser.add_argument(
        "--replications",
        type=int,
        metavar="N",
        help="runs of each place, at least 2 (default: the matrix's); stored ones are reused",
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="seed of the controls' runs (default: 1, as of the standards; a standard itself has another)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("out/scoreboard"),
        metavar="DIR",
        help="folder of the result; replaces an older scoreboard (default: out/scoreboard)",
    )
    parser.add_argument(
        "--store",
        type=Path,
        default=Path("out/store"),
        metavar="DIR",
        help="where runs are stored (default: out/store)",
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="parallel runs (default: one per core)")
    parser.add_argument("--dask", metavar="ADDRESS", help="run on the workers of this Dask scheduler (tcp://HOST:8786)")
    about = "limits of the whole command (completed runs are kept)"
    add_limits(parser, lambda options: " ".join(["scoreboard", *options.controls]), OF_MANY, about)


def run(options: argparse.Namespace) -> int:
    """Run the matrix, write the folder, print a line a control; the exit status: 1 if a run failed."""
    from ackclock.batch.store import StoreError
    from ackclock.batch.sweep import ClusterError
    from ackclock.scenario import ScenarioError

    try:
        return _run(options)
    except BrokenPipeError:
        raise
    except (ScenarioError, StoreError, ClusterError, OSError) as error:
        print_error(error)
        return 1


def _run(options: argparse.Namespace) -> int:
    from ackclock.batch.scoreboard import prepare, scoreboard, write_folder
    from ackclock.batch.scoreboard.folder import check_target
    from ackclock.cli.progress import SweepProgress
    from ackclock.scenario import ScenarioError

    if options.jobs is not None and options.jobs < 1:
        raise ScenarioError("expected a number of parallel runs, at least 1", key="--jobs", value=options.jobs)
    if options.jobs is not None and options.dask is not None:
        expected = "--jobs cannot be used with --dask: the cluster sets the number of parallel runs"
        raise ScenarioError(expected, key="--dask")
    given: dict[str, Any] = {"file": options.matrix} if options.matrix else {}
    given |= {"only": options.only, "quick": options.quick, "replications": options.replications, "seed": options.seed}
    prepared = prepare(options.controls, **given)
    # What is wrong with these is said before hours of runs.
    check_target(options.out.resolve(), options.store)
    older = _older(prepared, options)
    if options.dry_run:
        return _announce(prepared, options)
    progress = SweepProgress("scoreboard") if sys.stderr.isatty() else None
    try:
        found = scoreboard(
            options.controls,
            **given,
            store=options.store,
            jobs=options.jobs,
            cluster=options.dask,
            progress=progress,
        )
    except KeyboardInterrupt:
        if progress is not None:
            progress.clear()
        _tell_ended(prepared, options)
        raise
    finally:
        if progress is not None:
            progress.clear()
    changed = _changes(found, older)
    from ackclock.analysis.report.scoreboard import text

    folder = write_folder(found, options.out, text(found, changed))
    _tell(found, changed)
    show(folder / "index.html")
    return _tell_failures(found)


def _older(prepared: Scoreboard, options: argparse.Namespace) -> tuple[dict[str, Any], list[Any]] | None:
    """The older scoreboard, read before anything runs."""
    from ackclock.batch.scoreboard import read_cells
    from ackclock.batch.scoreboard.folder import check_comparable

    if options.since is None:
        return None
    told, cells = read_cells(options.since)
    check_comparable(prepared, told, options.since)
    return told, cells


def _changes(found: Scoreboard, older: tuple[dict[str, Any], list[Any]] | None) -> Changes | None:
    from ackclock.batch.scoreboard import changes

    if older is None:
        return None
    told, cells = older
    version, _, digest = str(told["engine"]).rpartition(" ")
    return changes(found.cells, cells, f"{version} ({digest[:8]})")


def _announce(prepared: Scoreboard, options: argparse.Namespace) -> int:
    from ackclock.batch.scoreboard import estimate_s
    from ackclock.cli.progress import count, duration

    suite, replications = prepared.suite, prepared.first.replications
    told = [
        count(len(prepared.names), "control"),
        count(len(suite.condition), "place"),
        count(len(suite.criterion), "criterion", "criteria"),
    ]
    print(f"{', '.join(told)}: {count(_cells(prepared), 'judged cell')}")
    there = prepared.stored(options.store)
    runs = f"{count(len(prepared.arms), 'scenario')} x {replications} replications = {count(prepared.runs, 'run')}"
    print(f"{runs}, {there} in the store")
    left = (prepared.runs - there) / prepared.runs
    whole_s = estimate_s(prepared, jobs=options.jobs) * left
    print(f"about {duration(whole_s)} for the rest, estimated from some short runs")
    return 0


def _cells(prepared: Scoreboard) -> int:
    """How many cells there are to be."""
    from ackclock.batch.evaluate.build import competes

    number = 0
    for one in prepared.evaluations:
        for criterion in one.suite.criterion:
            for name in criterion.traffics:
                beside = len(one.baselines) if competes(one.suite.named_traffic(name)) else 1
                number += len(criterion.conditions) * beside
    return number


def _tell_ended(prepared: Scoreboard, options: argparse.Namespace) -> None:
    """Say what is kept of a scoreboard that is ended before its time."""
    there = prepared.stored(options.store)
    tell(f"{there} of {prepared.runs} runs are in {options.store}; the same command goes on from there")


def _tell(found: Scoreboard, changed: Changes | None) -> None:
    from collections import Counter

    from ackclock.cli.tables import show_table

    words = ("met", "undetermined", "not met", "not evaluated")
    rows = []
    for name in found.names:
        counts = Counter(cell.verdict for cell in found.cells if cell.control == name)
        rows.append([name, *(str(counts[word]) for word in words)])
    show_table(["control", *words], rows)
    if changed is not None:
        print(
            f"since {changed.before}: {len(changed.verdicts)} other verdicts, {len(changed.moved)} intervals moved,"
            f" {changed.differ} other numbers, {changed.same} the same, {changed.new} new, {changed.gone} gone"
        )


def _tell_failures(found: Scoreboard) -> int:
    failures = list(dict.fromkeys(failed for one in found.evaluations for failed in one.failures))
    for failed in failures[:NAMED]:
        print(escaped(f"failed: {failed}", lines=True), file=sys.stderr)
    if failures:
        tell(f"{len(failures)} of {found.runs} runs failed")
    return 1 if failures else 0
