"""`ackclock report`: a run, or several beside each other, as one page."""

from __future__ import annotations

import argparse
from pathlib import Path

from ackclock.cli.print_error import print_error, show

_EXAMPLES = """\
examples:
  ackclock run scenario.toml --out results && ackclock report results
  ackclock report reno sack vegas --out compared.html

The page is one file that needs no network.
"""


def add_arguments(report: argparse.ArgumentParser) -> None:
    """What the command takes."""
    from ackclock.cli.plot import add_label

    report.epilog = _EXAMPLES
    report.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="a folder of `ackclock run --out`")
    add_label(report)
    report.add_argument(
        "--out",
        type=Path,
        default=Path("report.html"),
        metavar="FILE",
        help="write the report here (default: %(default)s)",
    )


def run(options: argparse.Namespace) -> int:
    """Write it; the exit status."""
    from ackclock.cli.plot import labels_of
    from ackclock.execution.results import ResultsError, open_results

    try:
        if options.out.suffix.lower() not in (".html", ".htm"):
            raise ResultsError(f"{options.out}: a report is an HTML page; expected a name that ends in .html")
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
    except (ResultsError, OSError) as error:
        print_error(error)
        return 1
    return 0
