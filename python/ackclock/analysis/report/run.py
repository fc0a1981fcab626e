"""Runs as one self-contained HTML page: description and results, in tables and plots."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ackclock.analysis.plot.files import rendered
from ackclock.analysis.plot.options import PlotError
from ackclock.analysis.plot.plots import compare
from ackclock.analysis.report import page
from ackclock.analysis.report.described import Reported, differences, flows_described, links_described, settings
from ackclock.analysis.report.measured import flows_measured, glance, links_measured, tiles
from ackclock.execution.results import Results

#: Pictures of a report besides the network, in this order, each if the runs kept what it takes.
SHOWN = ("throughput", "fairness", "cwnd", "rtt", "queue", "loss", "sequence")

#: With more flows than this no sequence graphs: a panel each.
MOST_SEQUENCES = 4


def write_report(runs: Sequence[Reported], path: Path) -> Path:
    """Write a page about a run, or about several and what tells them apart; its absolute path.

    It appears whole or not at all. Raises `ValueError` for no runs, `OSError` when it cannot be written.
    """
    return page.write(text(runs), path)


def text(runs: Sequence[Reported]) -> str:
    """The page itself."""
    if not runs:
        raise ValueError("a report is about at least one run")
    several = len(runs) > 1
    values = {
        "title": " / ".join(run.label for run in runs) if several else runs[0].label,
        "several": several,
        "tiles": [] if several else tiles(runs[0].results),
        "glance": glance(runs) if several else None,
        "settings": settings(runs),
        "differences": differences(runs) if several else None,
        "networks": _networks(runs),
        "links": _for_each(runs, links_described),
        "flows": _for_each(runs, flows_described),
        "flows_measured": flows_measured(runs),
        "links_measured": links_measured(runs),
        "figures": [figure for name in SHOWN for figure in _figure(name, runs)],
        "descriptions": [(run.label, _json(run.results)) for run in runs],
    }
    return page.render("run.html", values)


def _for_each(runs: Sequence[Reported], make: Any) -> list[page.Table]:
    """A table of each run, those that are alike once."""
    tables = [make(run.results) for run in runs]
    if all(table.rows == tables[0].rows for table in tables):
        return tables[:1]
    return [
        page.Table(f"{table.caption}: {run.label}", table.columns, table.rows)
        for run, table in zip(runs, tables, strict=True)
    ]


def _networks(runs: Sequence[Reported]) -> list[tuple[page.Markup, str, str]]:
    """The networks drawn, those that are alike once."""
    if all(run.results.scenario.topology == runs[0].results.scenario.topology for run in runs):
        runs = runs[:1]
    return [figure for number, run in enumerate(runs) for figure in _figure("topology", [run], number)]


def _figure(name: str, runs: Sequence[Reported], number: int = 0) -> list[tuple[page.Markup, str, str]]:
    """A plot, its caption and the command that draws it; none if the runs lack its data."""
    most = max(len(run.results.names["flows"]) for run in runs)
    if (name == "fairness" and most < 2) or (name == "sequence" and most > MOST_SEQUENCES):
        return []
    try:
        # One run's name is the page's title; that of several tells their columns apart.
        labels = [run.label if len(runs) > 1 else "" for run in runs]
        picture = compare([run.results for run in runs], name, labels=labels)
    except PlotError:
        return []
    caption = picture.get_suptitle() or "; ".join(axes.get_title(loc="left") for axes in picture.axes)
    about = f"{caption}: {', '.join(run.label for run in runs)}"
    return [(page.svg(rendered(picture, "svg").decode(), about, f"{name}{number}"), caption, _command(name, runs))]


def _command(name: str, runs: Sequence[Reported]) -> str:
    if any(run.folder is None for run in runs):
        return f"results.plot.{name}()" if len(runs) == 1 else f'ackclock.plot.compare(runs, "{name}")'
    words = ["ackclock", "plot", *(str(run.folder) for run in runs), "--what", name, "--out", f"{name}.svg"]
    return shlex.join(words)


def _json(results: Results) -> str:
    return json.dumps(results.scenario.table(), indent=1, ensure_ascii=False)
