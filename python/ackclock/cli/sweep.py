"""`ackclock sweep`: a scenario or a script over a grid of values, replicated."""

from __future__ import annotations

import argparse
import sys
from itertools import islice
from pathlib import Path

from ackclock._internal.escape import escaped, tell
from ackclock.cli.limit_options import OF_MANY, add_limits
from ackclock.cli.print_error import print_error, show, show_json
from ackclock.cli.progress import SweepProgress, count, duration
from ackclock.cli.tables import show_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.batch.sweep import Grid, Sweep

#: Points that `--dry-run` names, and failures that are printed, before it only counts them.
NAMED = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.usage = (
        "ackclock sweep [-h] [--dry-run] [--store DIR] [--jobs N] [--dask ADDRESS] [--metrics NAME,...]"
        " [--baseline KEY=VALUE] [--csv FILE] [--json] [--max-wall S] [--max-memory BYTES] [--max-output BYTES]"
        " [show] GRID.toml"
    )
    parser.add_argument(
        "words",
        nargs="+",
        metavar="[show] GRID.toml",
        help="the grid file; `show` prints the results so far without running",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the points and an estimate of the time")
    parser.add_argument(
        "--store",
        type=Path,
        default=Path("out/store"),
        metavar="DIR",
        help="where runs are stored (default: out/store)",
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="parallel runs (default: one per core)")
    parser.add_argument("--dask", metavar="ADDRESS", help="run on the workers of this Dask scheduler (tcp://HOST:8786)")
    parser.add_argument(
        "--metrics",
        metavar="NAME,...",
        help="metrics in the table; columns of flows too, as delay_p95_s.NAME (default: all of no single flow)",
    )
    parser.add_argument(
        "--baseline", metavar="KEY=VALUE", help="compare all other points with this one, paired by replication"
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write all points and metrics as CSV")
    parser.add_argument("--json", action="store_true", help="print the metrics as JSON")
    about = "limits of the whole command (completed runs are kept)"
    add_limits(parser, lambda options: options.words[-1], OF_MANY, about)


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
    if options.jobs is not None and options.jobs < 1:
        raise ScenarioError("expected a number of parallel runs, at least 1", key="--jobs", value=options.jobs)
    if options.jobs is not None and options.dask is not None:
        raise ScenarioError(
            "--jobs cannot be used with --dask: the cluster sets the number of parallel runs", key="--dask"
        )
    grid = load_grid(options.words[-1]).with_metrics(_metrics(options) or [])
    if options.dry_run:
        return _announce(grid, options)
    if show:
        outcome = stored(grid, store=options.store)
    else:
        progress = SweepProgress(options.words[-1]) if sys.stderr.isatty() else None
        try:
            outcome = sweep(grid, store=options.store, jobs=options.jobs, cluster=options.dask, progress=progress)
        finally:
            if progress is not None:
                progress.clear()
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
    from ackclock.scenario import ScenarioError
    from ackclock.scenario.errors import nearest

    wanted = _metrics(options)
    known = outcome.metrics()
    for name in wanted or []:
        if known and name not in known:
            expected = f"expected metrics: {', '.join(known)}"
            raise ScenarioError(expected, key="--metrics", value=name, nearest=nearest(name, known))
    if options.csv is not None:
        with atomic_write(options.csv) as part:
            Path(part).write_text(outcome.csv(), encoding="utf-8")
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
    for failure in outcome.failures[:NAMED]:
        print(escaped(f"failed: {failure}", lines=True), file=sys.stderr)
    if outcome.failures:
        tell(f"{len(outcome.failures)} of {count(outcome.total, 'run')} failed")
    return 1 if outcome.failures else 0
