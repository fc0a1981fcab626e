"""`ackclock sweep`: a scenario or a script over a grid of values, replicated."""

from __future__ import annotations

import argparse
import sys
from itertools import islice
from pathlib import Path

from ackclock._internal.escape import tell
from ackclock.cli.batch_options import (
    NAMED,
    add_dask,
    add_jobs,
    add_limits_of_many,
    add_store,
    check_jobs,
    progress_of,
    tell_failures,
)
from ackclock.cli.print_error import print_error, show, show_json
from ackclock.cli.progress import count, duration
from ackclock.cli.tables import show_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.batch.sweep import Grid, Sweep


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.usage = (
        "ackclock sweep [-h] [--dry-run] [--store DIR] [--jobs N] [--dask ADDRESS] [--metrics NAME,...]"
        " [--baseline KEY=VALUE] [--csv FILE] [--latex FILE] [--json] [--max-wall S] [--max-memory BYTES]"
        " [--max-output BYTES] [show] GRID.toml"
    )
    parser.add_argument(
        "words",
        nargs="+",
        metavar="[show] GRID.toml",
        help="the grid file; `show` prints the results so far without running",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the points and an estimate of the time")
    add_store(parser)
    add_jobs(parser)
    add_dask(parser)
    parser.add_argument(
        "--metrics",
        metavar="NAME,...",
        help="metrics in the table; columns of flows too, as delay_p95_s.NAME (default: all of no single flow)",
    )
    parser.add_argument(
        "--baseline", metavar="KEY=VALUE", help="compare all other points with this one, paired by replication"
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write all points and metrics as CSV")
    parser.add_argument(
        "--latex", type=Path, metavar="FILE", help="write the table for LaTeX (\\usepackage{booktabs}, \\input{FILE})"
    )
    parser.add_argument("--json", action="store_true", help="print the metrics as JSON")
    add_limits_of_many(parser, lambda options: options.words[-1])


def run(options: argparse.Namespace) -> int:
    """Run, show or announce the sweep; the exit status: 1 if a run failed."""
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
    from ackclock.batch.sweep import load_grid, stored, sweep
    from ackclock.scenario import ScenarioError

    show = len(options.words) == 2 and options.words[0] == "show"
    if len(options.words) > 1 and not show:
        raise ScenarioError(
            "expected one grid file, or `show` and a grid file", key="sweep", value=" ".join(options.words)
        )
    if options.words == ["show"] and not Path("show").exists():
        raise ScenarioError("expected a grid file after `show`", key="sweep", value="show")
    check_jobs(options)
    grid = load_grid(options.words[-1]).with_metrics(_metrics(options) or [])
    if options.dry_run:
        return _announce(grid, options)
    if show:
        outcome = stored(grid, store=options.store)
    else:
        try:
            with progress_of(options.words[-1]) as progress:
                outcome = sweep(grid, store=options.store, jobs=options.jobs, cluster=options.dask, progress=progress)
        except KeyboardInterrupt:
            there = stored(grid, store=options.store).done if options.store.is_dir() else 0
            runs = len(grid) * grid.replications
            tell(f"{there} of {count(runs, 'run')} are in {options.store}; the same command goes on from there")
            raise
    return _tell(outcome, options)


def _metrics(options: argparse.Namespace) -> list[str] | None:
    return [name.strip() for name in options.metrics.split(",")] if options.metrics else None


def _announce(grid: Grid, options: argparse.Namespace) -> int:
    from ackclock.batch.sweep import estimate_s, stored

    there = stored(grid, store=options.store).done
    for point in islice(grid.points(), NAMED):
        show(point)
    if len(grid) > NAMED:
        print(f"... and {len(grid) - NAMED} more")
    runs = len(grid) * grid.replications
    print(f"{count(len(grid), 'point')} x {count(grid.replications, 'replication')} = {count(runs, 'run')}", end="")
    print(f", {there} in the store")
    whole_s = estimate_s(grid, jobs=options.jobs)
    if whole_s is not None:
        print(f"about {duration(whole_s * (runs - there) / runs)} for the rest, estimated from a few short runs")
    return 0


def _tell(outcome: Sweep, options: argparse.Namespace) -> int:
    from ackclock._internal.atomic_file import atomic_write
    from ackclock.batch.sweep.metrics import MEASURED
    from ackclock.scenario import ScenarioError
    from ackclock.scenario.errors import nearest

    wanted = _metrics(options)
    known = outcome.metrics()
    for name in wanted or []:
        if known and name not in known:
            if name in MEASURED:
                expected = f"a column of flows; expected it with a flow's or a group's name: {name}.NAME"
                raise ScenarioError(expected, key="--metrics", value=name)
            expected = f"expected metrics: {', '.join(known)}; or a column of flows and a name: delay_p95_s.NAME"
            raise ScenarioError(expected, key="--metrics", value=name, nearest=nearest(name, known))
    if options.csv is not None:
        with atomic_write(options.csv) as part:
            Path(part).write_text(outcome.csv(), encoding="utf-8")
    if options.latex is not None:
        with atomic_write(options.latex) as part:
            Path(part).write_text(outcome.latex(wanted), encoding="utf-8")
    if options.baseline is not None:
        from ackclock.batch.sweep.compare import text

        key, equals, value = options.baseline.partition("=")
        if not equals:
            expected = "expected KEY=VALUE, such as flows.0.tcp=reno"
            raise ScenarioError(expected, key="--baseline", value=options.baseline)
        show(text(outcome, key.strip(), value.strip(), wanted))
    elif options.json:
        show_json(outcome.rows())
    else:
        lines, left = outcome.lines(wanted)
        show_table(lines[0], lines[1:], left=left)
        for note in outcome.footnotes(lines, left):
            show(note)
    missing = outcome.total - outcome.done - len(outcome.failures)
    if missing and outcome.of_others:
        print(
            f"{count(outcome.of_others, 'run')} in {options.store}, made by another version of ackclock:"
            " not used and not removed",
            file=sys.stderr,
        )
    if missing:
        print(f"{missing} of {count(outcome.total, 'run')} not run yet", file=sys.stderr)
    return tell_failures(outcome.failures, outcome.total)
