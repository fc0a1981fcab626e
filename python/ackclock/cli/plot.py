"""`ackclock plot`: plots of runs and of trace files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.analysis.plot.table import PLOTS
from ackclock.cli.print_error import print_error, show

if TYPE_CHECKING:
    from ackclock.execution.results import Results
    from ackclock.trace import Trace

_EXAMPLES = """\
examples:
  ackclock run scenario.toml --out results && ackclock plot results --what cwnd,queue --out window.svg
  ackclock plot results --what sequence --flow sack-1 --start 5 --end 7 --out sequence.png
  ackclock plot reno sack vegas --what throughput --out compared.pdf
  ackclock plot out.tr --what throughput,loss --flow 1
"""


def add_arguments(plot: argparse.ArgumentParser) -> None:
    """What the command takes."""
    plot.epilog = f"plots:\n{_listed()}\n\n{_EXAMPLES}"
    add_runs(plot)
    plot.add_argument(
        "--what",
        default="throughput,queue",
        metavar="NAME,...",
        help="plots, one above the other, see below (default: %(default)s)",
    )
    plot.add_argument(
        "--out", type=Path, default=Path("plot.svg"), metavar="FILE", help=".png, .svg or .pdf (default: %(default)s)"
    )
    plot.add_argument("--overlay", action="store_true", help="several runs in the same axes")
    plot.add_argument(
        "--flow", action="append", metavar="NAME", help="only this flow, by name or number; may be repeated"
    )
    plot.add_argument("--link", action="append", metavar="A->B", help="only this link, in quotes; may be repeated")
    plot.add_argument("--start", type=float, metavar="S", help="start time, seconds")
    plot.add_argument("--end", type=float, metavar="S", help="end time, seconds")
    plot.add_argument("--interval", type=float, metavar="S", help="average over intervals of this length, seconds")


def _listed() -> str:
    width = max(map(len, PLOTS))
    return "\n".join(
        f"  {name:<{width}}  {kind.about}{'' if kind.of_traces else ' (of runs only)'}" for name, kind in PLOTS.items()
    )


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Add what is drawn: runs and their labels."""
    parser.add_argument(
        "runs", type=Path, nargs="+", metavar="RUN", help="a folder of `ackclock run --out`, or a .tr or .nam file"
    )
    add_label(parser)


def add_label(parser: argparse.ArgumentParser) -> None:
    """Add what runs are called."""
    parser.add_argument(
        "--label", action="append", metavar="TEXT", help="label of a run, once for each run, in their order"
    )


def open_run(path: Path) -> Results | Trace:
    """The results in a folder, or the trace in a file."""
    from ackclock.execution.results import open_results
    from ackclock.trace import read

    return read(path) if path.is_file() else open_results(path)


def labels_of(options: argparse.Namespace) -> list[str] | None:
    """The labels given, else the names of the paths where there are several runs."""
    if options.label is not None or len(options.runs) == 1:
        given: list[str] | None = options.label
        return given
    names = [path.resolve().name for path in options.runs]
    return names if len(set(names)) == len(names) else [str(path) for path in options.runs]


def run(options: argparse.Namespace) -> int:
    """Draw; the exit status."""
    from ackclock.analysis.plot.options import PlotError, near
    from ackclock.execution.results import ResultsError
    from ackclock.trace import TraceError

    try:
        names = [name.strip() for name in options.what.split(",")]
        for name in names:
            if name not in PLOTS:
                raise PlotError(f"--what {name}: expected {', '.join(PLOTS)}{near(name, PLOTS)}")
        runs = [open_run(path) for path in options.runs]
        from ackclock.analysis.plot.plots import compare

        figure = compare(runs, names, labels=labels_of(options), overlay=options.overlay, **_view(options))
        show(figure.save(options.out))
    except (PlotError, ResultsError, TraceError, OSError) as error:
        print_error(error)
        return 1
    return 0


def _view(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "flows": options.flow,
        "links": options.link,
        "start_s": options.start,
        "end_s": options.end,
        "interval_s": options.interval,
    }
