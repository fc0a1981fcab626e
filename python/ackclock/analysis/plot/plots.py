"""`results.plot`, `trace.plot` and comparisons of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ackclock.analysis.plot.figure import Column, PlotFigure, arrange
from ackclock.analysis.plot.options import Options, PlotError, View, near
from ackclock.analysis.plot.panel import Course, Curve, Panel
from ackclock.analysis.plot.source import Source
from ackclock.analysis.plot.spread import spread
from ackclock.analysis.plot.table import PLOTS
from ackclock.analysis.plot.theme import RUN_DASHES, line

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Plots:
    """The plots of a run, or of a trace file if its packets are enough.

    Each method returns a matplotlib `Figure`, which notebooks display and `.save("x.svg")` writes as PNG, SVG or PDF.
    All take the same keywords, the `options`:

    - `flows`: a list of names or numbers.
    - `links`: a list of names such as "router1->router2".
    - `start_s`, `end_s`: the part of the run that is shown, seconds.
    - `interval_s`: means over intervals of this many seconds (the axis label names what a value is taken over).
    - `spread`: median, middle half and range of a panel's curves instead of each curve; by default of more than
      fifteen, unless `flows` or `links` names them.
    - `size`: "screen", "column" or "page" of a paper, "slide". `title`: whether panels have titles; by default not in a
      column or on a page. `font`: a font's name, or "serif". `style`: a style of matplotlib's, or a file with one.

    A flow has one colour and dash in all plots. Calling the object stacks several plots on one time axis:
    `results.plot("cwnd", "queue")`.

    Raises `PlotError` for a flow, a link or a table that the run does not have.
    """

    def __init__(self, source: Source) -> None:
        self._source = source

    def __call__(self, *what: str, **options: Unpack[Options]) -> PlotFigure:
        """Several plots stacked on one time axis."""
        return draw([self._source], what, **options)

    def cwnd(self, **options: Unpack[Options]) -> PlotFigure:
        """Congestion window of each TCP flow, packets."""
        return self("cwnd", **options)

    def throughput(self, **options: Unpack[Options]) -> PlotFigure:
        """Throughput of each flow, Mb/s, means over intervals; with `links`, that of links."""
        return self("throughput", **options)

    def queue(self, **options: Unpack[Options]) -> PlotFigure:
        """Queue length in packets of the links with the longest queues, or of `links`."""
        return self("queue", **options)

    def rtt(self, **options: Unpack[Options]) -> PlotFigure:
        """RTT samples of each TCP flow, ms."""
        return self("rtt", **options)

    def delay(self, **options: Unpack[Options]) -> PlotFigure:
        """One-way delay of each packet of each flow, ms, datagrams too. The run must have kept its packets."""
        return self("delay", **options)

    def loss(self, **options: Unpack[Options]) -> PlotFigure:
        """Packets lost by each link over intervals; with `flows`, those of flows."""
        return self("loss", **options)

    def sequence(self, **options: Unpack[Options]) -> PlotFigure:
        """Time-sequence graph of each flow: sent, acknowledged, retransmitted, lost. The run must have kept its
        packets.
        """
        return self("sequence", **options)

    def fairness(self, **options: Unpack[Options]) -> PlotFigure:
        """Jain's index over intervals, and each flow's share of the throughput, %."""
        return self("fairness", **options)

    def topology(self, **options: Unpack[Options]) -> PlotFigure:
        """The network drawn, links labelled with rate, delay and queue."""
        return self("topology", **options)

    def __repr__(self) -> str:
        return f"<plots: {', '.join(PLOTS)}>"


def draw(
    sources: Sequence[Source],
    what: Sequence[str],
    *,
    labels: Sequence[str] | None = None,
    overlay: bool = False,
    **options: Unpack[Options],
) -> PlotFigure:
    """The named plots of one or several runs; arguments as for `compare`."""
    if not sources or not what:
        raise PlotError("expected at least one run and one plot")
    view = View.of(options)
    if labels is None:
        labels = [source.label for source in sources]
        if len(sources) > 1:
            labels = [label if label and labels.count(label) == 1 else f"run {n}" for n, label in enumerate(labels, 1)]
    elif len(labels) != len(sources):
        raise PlotError(f"expected {len(sources)} labels, one for each run, not {len(labels)}")
    columns = [
        Column(label, [panel for name in what for panel in _panels(name, source, view)])
        for label, source in zip(labels, sources, strict=True)
    ]
    end_s = max(source.end_s for source in sources)
    if view.start_s >= end_s:
        raise PlotError(f"nothing lies after start_s = {view.start_s:g}: the run ends at {end_s:g} s")
    courses = [panel for column in columns for panel in column.panels if isinstance(panel, Course)]
    if courses and not any(len(curve.x) for panel in courses for curve in panel.curves):
        raise PlotError(f"nothing to plot: {courses[0].title} has no values in {columns[0].label or 'this run'}")
    columns = [Column(label, [spread(panel, view, end_s) for panel in panels]) for label, panels in columns]
    if overlay and len(columns) > 1:
        columns = [_overlaid(columns)]
    return arrange(columns, view, end_s)


def compare(
    runs: Sequence[Any],
    what: str | Sequence[str],
    *,
    labels: Sequence[str] | None = None,
    overlay: bool = False,
    **options: Unpack[Options],
) -> PlotFigure:
    """Several runs in one figure, side by side on equal axes, or in one pair of axes (`overlay`).

    - `runs`: results or traces.
    - `what`: the name of a plot, or several.
    - `labels`: names of the runs; by default the names of their scenarios.
    - `options`: the keywords of `Plots`.

    In an overlay, runs differ by dash and flows by colour. With one curve per run, runs differ by both. Raises
    `PlotError`.
    """
    names = [what] if isinstance(what, str) else list(what)
    return draw([run.plot._source for run in runs], names, labels=labels, overlay=overlay, **options)


def _panels(name: str, source: Source, view: View) -> list[Panel]:
    if name not in PLOTS:
        raise PlotError(f"unknown plot {name}; expected one of {', '.join(PLOTS)}{near(name, PLOTS)}")
    panels: list[Panel] = import_module(f"ackclock.analysis.plot.{name}").panels(source, view)
    return panels


def _overlaid(columns: Sequence[Column]) -> Column:
    """The same panels of all runs in one each."""
    merged: list[Panel] = []
    for same in zip(*(column.panels for column in columns), strict=True):
        courses = [panel for panel in same if isinstance(panel, Course)]
        if len(courses) < len(same) or any(curve.shape == "marks" for panel in courses for curve in panel.curves):
            raise PlotError(
                f"{same[0].title}: this is not laid over another; leave overlay out to have them side by side"
            )
        # A curve for each run: of its only flow, or the median of all.
        alone = all(sum(curve.shape != "band" for curve in panel.curves) == 1 for panel in courses)
        curves = [
            _of_run(curve, number, column.label, alone, any(one.shape == "band" for one in panel.curves))
            for number, (column, panel) in enumerate(zip(columns, courses, strict=True))
            for curve in panel.curves
        ]
        guides = {guide: None for panel in courses for guide in panel.guides}
        merged.append(replace(courses[0], curves=curves, guides=list(guides)))
    return Column("", merged)


def _of_run(curve: Curve, number: int, label: str, alone: bool, has_bands: bool) -> Curve:
    if curve.shape == "band":
        # A run's bands have the colour of its median.
        return replace(curve, name="", look={**curve.look, "color": line(number)["color"]})
    if alone:
        whose = f"{label}: {curve.name.replace('median', 'median, middle half, range')}" if has_bands else label
        return replace(curve, name=whose, look=line(number))
    dash = RUN_DASHES[number % len(RUN_DASHES)]
    return replace(
        curve, name=f"{label}: {curve.name}" if curve.name else label, look={**curve.look, "linestyle": dash}
    )
