"""`ackclock plot`: plots of runs, of trace files, of files of numbers, and of sweeps."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.analysis.plot.table import PLOTS, SIZES, SWEEPS
from ackclock.cli.print_error import print_error, show

if TYPE_CHECKING:
    from ackclock.analysis.plot.figure import PlotFigure
    from ackclock.batch.sweep import Sweep
    from ackclock.execution.results import Results
    from ackclock.trace import Trace

_EXAMPLES = """\
examples:
  ackclock run scenario.toml --out results && ackclock plot results --what cwnd,queue --out window.svg
  ackclock plot results --what sequence --flow sack-1 --start 5 --end 7 --out sequence.png
  ackclock plot reno sack vegas --what throughput --size column --out compared.pdf
  ackclock plot out.tr --what throughput,loss --flow 1
  ackclock plot cwnd.dat --y-label "window (packets)" --out window.png
  ackclock plot grid.toml --x bottleneck.rate --y goodput_bps,delay_mean_s --hue flows.0.tcp --out sweep.pdf
"""

#: options of sweeps alone, of runs alone, and of files of numbers alone, by the attribute that has them
_SWEEP_ONLY = {
    "x": "--x",
    "y": "--y",
    "hue": "--hue",
    "col": "--col",
    "kind": "--kind",
    "where": "--where",
    "log": "--log",
}
_RUN_ONLY = {"overlay": "--overlay", "flow": "--flow", "link": "--link"}
_TIME_ONLY = {"start": "--start", "end": "--end", "interval": "--interval", "spread": "--spread"}
_FILE_ONLY = {"x_label": "--x-label", "y_label": "--y-label"}


def add_arguments(plot: argparse.ArgumentParser) -> None:
    """What the command takes."""
    plot.epilog = f"plots:\n{_listed()}\n\nkinds of plots of sweeps:\n{_kinds()}\n\n{_EXAMPLES}"
    plot.add_argument(
        "runs",
        type=Path,
        nargs="+",
        metavar="RUN",
        help="a folder of `ackclock run --out`, a .tr or .nam file, a file of columns or of traced variables, or the"
        " GRID.toml of a sweep",
    )
    add_label(plot)
    what = plot.add_argument(
        "--what",
        metavar="NAME,...",
        help="plots, one above the other, see below (default: throughput,queue); of a file: its variables",
    )
    what.completer = _completed_names  # type: ignore[attr-defined]
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
    plot.add_argument(
        "--spread",
        action=argparse.BooleanOptionalAction,
        help="median, middle half and range of the curves, not each (default: of more than fifteen, unless named)",
    )
    form = plot.add_argument_group("form")
    form.add_argument(
        "--size", choices=list(SIZES), default="screen", help="; ".join(f"{n}: {a}" for n, a in SIZES.items())
    )
    form.add_argument(
        "--title",
        action=argparse.BooleanOptionalAction,
        help="titles above panels (default: not in a column or on a page, where a caption stands below)",
    )
    form.add_argument("--font", metavar="NAME", help='a font that is installed, or "serif"')
    form.add_argument("--style", metavar="STYLE", help="a style of matplotlib's, or a file with one (.mplstyle)")
    numbers = plot.add_argument_group("files of numbers")
    numbers.add_argument("--x-label", metavar="TEXT", help="title of the x axis (default: time (s))")
    numbers.add_argument("--y-label", metavar="TEXT", help="title of the y axis")
    sweeps = plot.add_argument_group("sweeps (a key may be given by its end: rate for topology.bottleneck.rate)")
    sweeps.add_argument("--x", metavar="KEY", help="the key on the x axis (default: the first with numbers)")
    sweeps.add_argument(
        "--y", metavar="METRIC,...", help="metrics, a row each; a column of flows too: delay_p95_s.call"
    )
    sweeps.add_argument("--hue", metavar="KEY", help="the key that colours tell apart")
    sweeps.add_argument("--col", metavar="KEY", help="the key that columns of panels tell apart")
    sweeps.add_argument("--kind", choices=list(SWEEPS), help="see below (default: intervals)")
    sweeps.add_argument("--where", action="append", metavar="KEY=VALUE", help="hold a key at a value; may be repeated")
    sweeps.add_argument("--log", choices=["x", "y", "xy", "none"], help="logarithmic axes")
    sweeps.add_argument(
        "--store", type=Path, default=Path("out/store"), metavar="DIR", help="where its runs are (default: out/store)"
    )


def _listed() -> str:
    width = max(map(len, PLOTS))
    return "\n".join(
        f"  {name:<{width}}  {kind.about}{'' if kind.of_traces else ' (of runs only)'}" for name, kind in PLOTS.items()
    )


def _kinds() -> str:
    width = max(map(len, SWEEPS))
    return "\n".join(f"  {name:<{width}}  {about}" for name, about in SWEEPS.items())


def _completed_names(prefix: str, **_: object) -> list[str]:
    """Names of plots after the last comma, for a shell."""
    before, comma, _last = prefix.rpartition(",")
    return [f"{before}{comma}{name}" for name in PLOTS]


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
    from ackclock.analysis.plot.files import check_name
    from ackclock.analysis.plot.options import PlotError
    from ackclock.batch.store import StoreError
    from ackclock.execution.results import ResultsError
    from ackclock.scenario import ScenarioError
    from ackclock.trace import TraceError

    try:
        check_name(options.out)
        show(_figure(options).save(options.out))
    except (PlotError, ResultsError, ScenarioError, StoreError, TraceError, OSError) as error:
        print_error(error)
        return 1
    return 0


def _figure(options: argparse.Namespace) -> PlotFigure:
    from ackclock.analysis.plot.number_files import draw, is_columns
    from ackclock.analysis.plot.options import PlotError

    if any(path.suffix.lower() == ".toml" for path in options.runs):
        if len(options.runs) > 1:
            raise PlotError("a sweep is plotted by itself: give one GRID.toml, and no runs beside it")
        _refuse(options, "a sweep", {"what": "--what", **_TIME_ONLY, **_RUN_ONLY, **_FILE_ONLY})
        return _of_sweep(options)
    numbers = [path.is_file() and is_columns(path) for path in options.runs]
    _refuse(options, "a run or a trace" if not all(numbers) else "a file of numbers", _SWEEP_ONLY)
    if all(numbers):
        _refuse(options, "a file of numbers", _RUN_ONLY)
        return draw(
            options.runs,
            labels=options.label,
            variables=options.what.split(",") if options.what else None,
            x_label=options.x_label or "time (s)",
            y_label=options.y_label or "",
            **_view(options),
        )
    if any(numbers):
        raise PlotError(f"{options.runs[numbers.index(True)]}: a file of numbers; it cannot be drawn beside runs")
    _refuse(options, "a run or a trace", _FILE_ONLY)
    return _of_runs(options)


def _refuse(options: argparse.Namespace, what: str, names: dict[str, str]) -> None:
    """`PlotError` for options that do not apply to what is plotted."""
    from ackclock.analysis.plot.options import PlotError

    for attribute, option in names.items():
        if getattr(options, attribute) not in (None, False):
            raise PlotError(f"{option} does not apply to {what} ({options.runs[0]})")


def _of_runs(options: argparse.Namespace) -> PlotFigure:
    from ackclock.analysis.plot.options import PlotError, near
    from ackclock.analysis.plot.plots import compare

    names = [name.strip() for name in (options.what or "throughput,queue").split(",")]
    for name in names:
        if name not in PLOTS:
            raise PlotError(f"--what {name}: expected {', '.join(PLOTS)}{near(name, PLOTS)}")
    runs = [open_run(path) for path in options.runs]
    view = {**_view(options), "flows": options.flow, "links": options.link}
    return compare(runs, names, labels=labels_of(options), overlay=options.overlay, **view)


def _of_sweep(options: argparse.Namespace) -> PlotFigure:
    from ackclock.analysis.plot.options import PlotError

    where = {}
    for word in options.where or []:
        key, equals, value = word.partition("=")
        if not equals:
            raise PlotError(f"--where {word}: expected KEY=VALUE, such as flows.0.tcp=reno")
        where[key.strip()] = value.strip()
    metrics = [name.strip() for name in options.y.split(",")] if options.y else []
    form = {name: getattr(options, name) for name in ("size", "title", "font", "style")}
    axes = {name: getattr(options, name) for name in ("x", "hue", "col", "log")}
    kind = options.kind or "intervals"
    sweep = sweep_with(options.runs[0], options.store, metrics)
    return sweep.plot(y=metrics, kind=kind, where=where, **axes, **form)


def sweep_with(grid_file: Path, store: Path, metrics: list[str]) -> Sweep:
    """What a store has of a grid, with metrics that are columns of the table `flows`. As `stored` raises."""
    from ackclock.batch.sweep import load_grid, stored

    return stored(load_grid(grid_file).with_metrics(metrics), store=store)


def _view(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "start_s": options.start,
        "end_s": options.end,
        "interval_s": options.interval,
        "spread": options.spread,
        "size": options.size,
        "title": options.title,
        "font": options.font,
        "style": options.style,
    }
