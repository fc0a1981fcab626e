"""A sweep as one self-contained HTML page: its grid, a table of all points, and plots over the varied keys."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from ackclock.analysis.plot.files import rendered
from ackclock.analysis.plot.options import PlotError
from ackclock.analysis.report import page
from ackclock.batch.sweep import Script, Sweep

#: More metrics than this are in the table only.
MOST_PLOTS = 8

#: With more varied keys, plots are of the first three, the others held at their first value.
SHOWN_KEYS = 3


def write_report(sweep: Sweep, label: str, path: Path, grid: Path | None = None, metrics: Sequence[str] = ()) -> Path:
    """Write a page about a sweep called `label`; its absolute path. `grid` is its file, `metrics` those that are shown;
    by default those of no single flow.

    It appears whole or not at all. Raises `ValueError` where nothing of it was run, `OSError` when it cannot be
    written.
    """
    if not sweep.done:
        raise ValueError(f"{label}: nothing to report: no run of this sweep is done; `ackclock sweep` runs it")
    shown = list(metrics) or [name for name in sweep.metrics() if "." not in name]
    lines, left = sweep.lines(shown)
    columns = [page.Column(name, number=place >= left, name=place < left) for place, name in enumerate(lines[0])]
    notes = sweep.footnotes(lines, left)
    values = {
        "title": label,
        "settings": _settings(sweep),
        "points": page.Table("; ".join(notes), columns, lines[1:]),
        "figures": [
            figure for number, name in enumerate(shown[:MOST_PLOTS]) for figure in _figure(sweep, name, number, grid)
        ],
        "failures": [str(failure) for failure in sweep.failures],
    }
    return page.write(page.render("sweep.html", values), path)


def _settings(sweep: Sweep) -> page.Table:
    grid = sweep.grid
    base = grid.base.path.name if isinstance(grid.base, Script) else str(grid.base.get("name") or "a scenario")
    rows = [
        ["of", base],
        ["points", str(len(sweep))],
        ["replications", str(grid.replications)],
        ["runs done", f"{sweep.done} of {sweep.total}"],
        ["runs failed", str(len(sweep.failures))],
        ["seed", str(grid.seed)],
        *([["warm-up left out", grid.warm_up]] if grid.warm_up else []),
    ]
    for axis in grid.axes:
        for place, key in enumerate(axis.keys):
            rows.append([key, ", ".join(str(values[place]) for values in axis.values)])
    return page.Table("The sweep", [page.Column("setting"), page.Column("value")], rows)


def _figure(sweep: Sweep, metric: str, number: int, grid: Path | None) -> list[tuple[page.Markup, str, str]]:
    """A plot, its caption and the command that draws it; none where no key varies."""
    axes = [axis for axis in sweep.grid.axes if len(axis.values) > 1]
    if not axes:
        return []
    held = {axis.keys[0]: str(axis.values[0][0]) for axis in axes[SHOWN_KEYS:]}
    try:
        picture = sweep.plot(y=metric, where=held, title=False)
    except PlotError:
        return []
    caption = f"{metric}: mean and 95 % interval" + "".join(f", {key} = {value}" for key, value in held.items())
    words = ["ackclock", "plot", str(grid), "--y", metric, "--out", f"{metric}.svg"]
    for key, value in held.items():
        words += ["--where", f"{key}={value}"]
    command = shlex.join(words) if grid is not None else f'sweep.plot(y="{metric}")'
    return [(page.svg(rendered(picture, "svg").decode(), caption, f"sweep{number}"), caption, command)]
