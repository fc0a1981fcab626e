"""`ackclock report`: a run, or several beside each other, as one page."""

from __future__ import annotations

import argparse
from pathlib import Path

from ackclock.cli.print_error import print_error, show

_EXAMPLES = """\
examples:
  ackclock run scenario.toml --out results && ackclock report results
  ackclock report reno sack vegas --out compared.html
  ackclock sweep grid.toml && ackclock report grid.toml

The page is one file that needs no network.
"""


def add_arguments(report: argparse.ArgumentParser) -> None:
    """What the command takes."""
    from ackclock.cli.plot import add_label

    report.epilog = _EXAMPLES
    report.add_argument(
        "runs",
        type=Path,
        nargs="+",
        metavar="RUN",
        help="a folder of `ackclock run --out`, or the GRID.toml of a sweep",
    )
    add_label(report)
    report.add_argument(
        "--out",
        type=Path,
        default=Path("report.html"),
        metavar="FILE",
        help="write the report here (default: %(default)s)",
    )
    report.add_argument(
        "--store",
        type=Path,
        default=Path("out/store"),
        metavar="DIR",
        help="where a sweep's runs are (default: out/store)",
    )
    report.add_argument(
        "--metrics", metavar="NAME,...", help="of a sweep: metrics (default: all that are not of a flow)"
    )


def run(options: argparse.Namespace) -> int:
    """Write it; the exit status."""
    from ackclock.batch.store import StoreError
    from ackclock.cli.plot import labels_of
    from ackclock.execution.results import ResultsError, open_results
    from ackclock.scenario import ScenarioError

    try:
        if options.out.suffix.lower() not in (".html", ".htm"):
            raise ResultsError(f"{options.out}: a report is an HTML page; expected a name that ends in .html")
        if any(path.suffix.lower() == ".toml" for path in options.runs):
            show(_of_sweep(options))
            return 0
        runs = []
        for path in options.runs:
            if path.is_file():
                raise ResultsError(f"{path}: expected a folder that `ackclock run --out` wrote, not a file")
            runs.append(open_results(path))
        labels = labels_of(options) or [runs[0].scenario.name or options.runs[0].resolve().name]
        if len(labels) != len(runs):
            raise ResultsError(f"expected {len(runs)} labels, one for each run, not {len(labels)}")
        from ackclock.analysis.report.described import Reported
        from ackclock.analysis.report.run import write_report

        found = zip(labels, runs, options.runs, strict=True)
        show(write_report([Reported(*one) for one in found], options.out))
    except (ResultsError, ScenarioError, StoreError, OSError) as error:
        print_error(error)
        return 1
    return 0


def _of_sweep(options: argparse.Namespace) -> Path:
    from ackclock.cli.plot import sweep_with
    from ackclock.execution.results import ResultsError

    if len(options.runs) > 1:
        raise ResultsError("a sweep has a report of its own: give one GRID.toml, and no runs beside it")
    from ackclock.analysis.report.sweep import write_report

    [grid] = options.runs
    metrics = [name.strip() for name in options.metrics.split(",")] if options.metrics else []
    sweep = sweep_with(grid, options.store, metrics)
    if not sweep.done:
        raise ResultsError(f"{grid}: nothing to report: no run of this sweep is done; `ackclock sweep {grid}` runs it")
    unknown = next((name for name in metrics if name not in sweep.metrics()), None)
    if unknown is not None:
        raise ResultsError(f"unknown metric {unknown}; expected some of {', '.join(sweep.metrics())}")
    label = options.label[0] if options.label else grid.stem
    return write_report(sweep, label, options.out, grid, metrics)
