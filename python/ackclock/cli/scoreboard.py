"""`ackclock scoreboard`: all congestion controls, in the conditions of RFC 9743, through eight queue disciplines."""

from __future__ import annotations

import argparse
from pathlib import Path

from ackclock._internal.escape import tell
from ackclock.cli.batch_options import (
    add_dask,
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
        help="a row besides those of today's TCP: a name as for `ackclock evaluate`, module:Class or FILE.so:NAME",
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
    add_store(parser)
    add_jobs(parser)
    add_dask(parser)
    add_limits_of_many(parser, lambda options: " ".join(["scoreboard", *options.controls]))


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
    from ackclock.batch.evaluate import failures_of
    from ackclock.batch.scoreboard import prepare, write_folder
    from ackclock.batch.scoreboard.folder import check_target

    check_jobs(options)
    given: dict[str, Any] = {"file": options.matrix} if options.matrix else {}
    given |= {"only": options.only, "quick": options.quick, "replications": options.replications, "seed": options.seed}
    board = prepare(options.controls, **given)
    # What is wrong with these is said before hours of runs.
    check_target(options.out.resolve(), options.store)
    older = _older(board, options)
    if options.dry_run:
        return _announce(board, options)
    try:
        with progress_of("scoreboard") as progress:
            board.run(store=options.store, jobs=options.jobs, cluster=options.dask, progress=progress)
    except KeyboardInterrupt:
        _tell_ended(board, options)
        raise
    changed = _changes(board, older)
    from ackclock.analysis.report.scoreboard import text

    folder = write_folder(board, options.out, text(board, changed))
    _tell(board, changed)
    show(folder / "index.html")
    return tell_failures(failures_of(board.evaluations), board.runs)


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
    cells = sum(one.cells_to_be for one in prepared.evaluations)
    print(f"{', '.join(told)}: {count(cells, 'judged cell')}")
    there = prepared.stored(options.store)
    runs = f"{count(len(prepared.arms), 'scenario')} x {replications} replications = {count(prepared.runs, 'run')}"
    print(f"{runs}, {there} in the store")
    left = (prepared.runs - there) / prepared.runs
    whole_s = estimate_s(prepared, jobs=options.jobs) * left
    print(f"about {duration(whole_s)} for the rest, estimated from some short runs")
    return 0


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
