"""What a sweep gives: metrics over replications, and what failed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ackclock._internal.data_frames import to_pandas, to_polars
from ackclock._internal.html import table
from ackclock._internal.shown_units import unit_of
from ackclock.analysis.stats.interval import Interval, student
from ackclock.analysis.stats.samples import identical
from ackclock.batch.sweep.grid import Grid, Point
from ackclock.batch.sweep.own_limits import own_limits
from ackclock.batch.sweep.sequential_stopping import Until

if TYPE_CHECKING:
    from ackclock.analysis.plot.figure import PlotFigure


class Metrics:
    """The metrics by point and replication: eight bytes a value, however many runs there are."""

    def __init__(self, points: int, replications: int) -> None:
        #: metric to its values, shape (points, replications); nan where a run has it not, or was not run
        self.columns: dict[str, NDArray[np.float64]] = {}
        #: shape (points, replications): which runs have metrics
        self.there = np.zeros((points, replications), dtype=bool)
        #: in which order runs name their metrics, and the first run that does so
        self._orders: dict[tuple[str, ...], tuple[int, int]] = {}

    def names(self) -> list[str]:
        """All metrics, in the order in which runs name them: those of the first run come first."""
        orders = sorted(self._orders, key=self._orders.__getitem__)
        return list(dict.fromkeys(name for order in orders for name in order))

    def put(self, point: int, replication: int, found: Mapping[str, float]) -> None:
        """Add the metrics of one run."""
        if replication >= self.there.shape[1]:
            self._widen(2 * replication + 1)
        self.there[point, replication] = True
        order, run = tuple(found), (point, replication)
        self._orders[order] = min(run, self._orders.get(order, run))
        for name, value in found.items():
            if name not in self.columns:
                self.columns[name] = np.full(self.there.shape, np.nan)
            self.columns[name][point, replication] = value

    def has(self, point: int, replication: int) -> bool:
        """Whether a run has metrics."""
        return replication < self.there.shape[1] and bool(self.there[point, replication])

    def values(self, point: int, metric: str) -> list[float]:
        """One metric of all runs of a point that have it, in the order of the replications."""
        if metric not in self.columns:
            return []
        row = self.columns[metric][point]
        found: list[float] = row[~np.isnan(row)].tolist()
        return found

    def cut(self, replications: NDArray[np.int_]) -> None:
        """Leave out replications beyond the given number of each point."""
        beyond = np.arange(self.there.shape[1]) >= replications[:, None]
        self.there[beyond] = False
        for column in self.columns.values():
            column[beyond] = np.nan

    def _widen(self, replications: int) -> None:
        points, now = self.there.shape
        self.there = np.hstack([self.there, np.zeros((points, replications - now), dtype=bool)])
        more = np.full((points, replications - now), np.nan)
        self.columns = {name: np.hstack([column, more]) for name, column in self.columns.items()}


@dataclass(frozen=True)
class Cell:
    """A point and the metrics of its runs, by replication. A replication that failed or was not run is missing."""

    #: its settings
    point: Point
    #: its number in the grid
    index: int
    #: the metrics of the sweep
    metrics: Metrics
    #: the rule that ended its replications
    until: Until | None = None

    @property
    def n(self) -> int:
        """The number of runs."""
        return int(self.metrics.there[self.index].sum())

    @property
    def runs(self) -> dict[int, dict[str, float]]:
        """Metrics by replication."""
        there = np.flatnonzero(self.metrics.there[self.index]).tolist()
        rows = {name: column[self.index] for name, column in self.metrics.columns.items()}
        return {run: {name: float(row[run]) for name, row in rows.items() if not np.isnan(row[run])} for run in there}

    def values(self, metric: str) -> list[float]:
        """The metric `metric` of all runs that have it, in the order of the replications."""
        return self.metrics.values(self.index, metric)

    def interval(self, metric: str, level: float = 0.95) -> Interval | None:
        """The mean of the metric `metric` with its interval at this confidence `level`; None for fewer than two
        replications, and if all are identical.
        """
        values = self.values(metric)
        if len(values) < 2 or identical(values):
            return None
        if self.until is not None and metric == self.until.metric:
            return self.until.interval(values, level)
        return student(values, level)


@dataclass(frozen=True)
class Failure:
    """A run that failed."""

    #: its point in the grid
    point: Point
    #: its replication, from 0
    replication: int
    #: its seed
    seed: int
    #: the error message
    error: str

    def __str__(self) -> str:
        return f"{self.point}, replication {self.replication}, seed {self.seed}: {self.error}"


@dataclass(repr=False)
class Sweep:
    """All points of a grid with their metrics. `print` shows it as a table.

    `len` is the number of points, `sweep[0]` the first one, and a loop goes over all: each is a `Cell`.
    """

    #: what was run
    grid: Grid
    #: the metrics, by point and replication
    measured: Metrics
    #: the runs that failed
    failures: list[Failure]
    #: the number of runs of the grid
    total: int
    #: how many of these the store has from another version of ackclock, which do not count
    of_others: int = 0

    @property
    def cells(self) -> list[Cell]:
        """All points, in the grid's order."""
        return list(self._cells())

    @property
    def done(self) -> int:
        """The number of runs that have metrics."""
        return int(self.measured.there.sum())

    def metrics(self) -> list[str]:
        """The names of all metrics, in the order in which a run gives them."""
        return self.measured.names()

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """A row for each point and metric: the settings, `metric`, `n`, `mean`, `half_width`, `low`, `high`.

        `level` is the confidence level. The last three are None for fewer than two replications and for identical ones.
        A metric that a point does not have has no row.
        """
        return list(self._rows(level))

    def to_polars(self, level: float = 0.95) -> Any:
        """`rows` as a polars `DataFrame`; `level` is the confidence level. `ImportError` where polars is not
        installed.
        """
        return to_polars(self.rows(level))

    def to_pandas(self, level: float = 0.95) -> Any:
        """`rows` as a pandas `DataFrame`; `level` is the confidence level. `ImportError` where pandas is not
        installed.
        """
        return to_pandas(self.rows(level))

    def plot(
        self,
        x: str | None = None,
        y: str | Sequence[str] = (),
        *,
        hue: str | None = None,
        col: str | None = None,
        kind: str = "intervals",
        where: Mapping[str, Any] | None = None,
        log: str | None = None,
        size: str = "screen",
        title: bool | None = None,
        font: str | None = None,
        style: str | None = None,
    ) -> PlotFigure:
        """A matplotlib figure of metrics over varied keys; `.save("x.pdf")` writes it.

        - `x`: the key on the x axis; by default the first whose values are numbers.
        - `y`: a metric, or several, a row each; by default the first one.
        - `hue`, `col`: keys told apart by colour, and by columns of panels; by default the next varied keys.
        - `kind`: "intervals" (means with 95 % intervals), "ecdf", "box", or "heat" (means, `hue` on the y axis).
        - `where`: values that other keys are held at.
        - `log`: "x", "y", "xy" or "none"; by default x where its values are multiplied from one to the next.
        - `size`, `title`, `font`, `style`: as of other plots (`ackclock.plot.Plots`).

        Raises `PlotError` for unknown names, and for a varied key that is neither shown nor held.
        """
        from ackclock.analysis.plot.form import Form
        from ackclock.analysis.plot.sweeps import What, draw

        metrics = (y,) if isinstance(y, str) else tuple(y)
        held = {key: str(value) for key, value in (where or {}).items()}
        return draw(self, What(x, metrics, hue, col, kind, held, log), Form(size, title, font, style))

    def latex(self, metrics: Sequence[str] | None = None) -> str:
        """The table of `text` for LaTeX, with the rules of booktabs. `metrics`: the columns, as in `text`."""
        lines, left = self.lines(metrics)
        right = len(lines[0]) - left
        words = [" & ".join(map(_in_latex, line)) + r" \\" for line in lines]
        body = [rf"\begin{{tabular}}{{{'l' * left}{'r' * right}}}", r"\toprule", words[0], r"\midrule", *words[1:]]
        notes = [f"% {note}" for note in self.footnotes(lines, left)]
        return "\n".join([*notes, *body, r"\bottomrule", r"\end{tabular}"]) + "\n"

    def csv(self) -> str:
        """`rows` as CSV."""
        out = io.StringIO()
        writer: csv.DictWriter[str] | None = None
        for row in self._rows():
            if writer is None:
                writer = csv.DictWriter(out, row, lineterminator="\n")
                writer.writeheader()
            writer.writerow(row)
        return out.getvalue()

    def _cells(self) -> Iterator[Cell]:
        return (Cell(point, index, self.measured, self.grid.until) for index, point in enumerate(self.grid.points()))

    def _rows(self, level: float = 0.95) -> Iterator[dict[str, Any]]:
        """`rows`, one at a time."""
        metrics = self.metrics()
        for cell in self._cells():
            for metric in metrics:
                values = cell.values(metric)
                if not values:
                    continue
                row: dict[str, Any] = {**cell.point.settings, "metric": metric, "n": len(values)}
                interval = cell.interval(metric, level)
                row["mean"] = sum(values) / len(values) if interval is None else interval.mean
                row["half_width"] = None if interval is None else interval.half_width
                row["low"] = None if interval is None else interval.low
                row["high"] = None if interval is None else interval.high
                yield row

    def text(self, metrics: Sequence[str] | None = None) -> str:
        """One line per point, one column per metric: mean ± half-width.

        Without `metrics`, those of no single flow and those that the grid's `measure` names, without their statistics.
        """
        lines, left = self.lines(metrics)
        return "\n".join([*columns(lines, left), *self.footnotes(lines, left)])

    def lines(self, metrics: Sequence[str] | None = None) -> tuple[list[list[str]], int]:
        """What `text` shows of these `metrics`, as rows of cells, the heading first, and how many columns are keys."""
        names = list(metrics) if metrics is not None else [name for name in self.metrics() if self._is_shown(name)]
        keys = [key for axis in self.grid.axes for key in axis.keys]
        head = [*keys, "n", *(f"{name}{unit_of(name)[1].replace(' ', ', ', 1)}" for name in names)]
        lines = [head]
        for cell in self.cells:
            shown = [str(cell.point.settings.get(key, "")) for key in keys]
            lines.append([*shown, str(cell.n), *(_cell(cell, name) for name in names)])
        return lines, len(keys)

    def footnotes(self, lines: Sequence[Sequence[str]], left: int) -> list[str]:
        """What stands below the table of `lines`, whose first `left` columns are keys."""
        rows = []
        if self.grid.replications == 1:
            rows.append("one replication: no intervals")
        else:
            bare = any("±" not in word and word != "-" for line in lines[1:] for word in line[left + 1 :])
            note = "; without ±: one value, or all are identical, which is one run" if bare else ""
            rows.append(f"mean ± half of the 95 % interval (Student) over n replications{note}")
        if (until := self.grid.until) is not None:
            wide = sum(not until.reached(cell.values(until.metric)) for cell in self.cells)
            goal = f"replicated until {until.metric} is within {until.half_width:.3g} of its mean"
            rows.append(
                goal + (f"; {wide} of {len(self.cells)} points are not, at {until.at_most} at most" if wide else "")
            )
        if differ := own_limits(self.grid):
            rows.append(differ)
        if split := self._split(lines, left):
            rows.append(
                f"{split} has a column for each name, as flows without a `name` are called after their variant: "
                "name them, and one column compares the variants"
            )
        return rows

    def _split(self, lines: Sequence[Sequence[str]], left: int) -> str:
        """A column of flows that no metric shown has at all points, because variants name the flows; or empty."""
        keys = {key.rpartition(".")[2] for axis in self.grid.axes for key in axis.keys}
        if not keys & {"tcp", "control"}:
            return ""
        places: dict[str, list[int]] = {}
        for place, word in enumerate(lines[0][left + 1 :], left + 1):
            column, dot, of = word.partition(",")[0].partition(".")
            if dot and not of.isdecimal():
                places.setdefault(column, []).append(place)
        for column, own in places.items():
            there = [[line[place] != "-" for place in own] for line in lines[1:]]
            if all(any(row) and not all(row) for row in there):
                return column
        return ""

    def __len__(self) -> int:
        return len(self.grid)

    def __getitem__(self, index: int) -> Cell:
        if not -len(self) <= index < len(self):
            raise IndexError(f"point {index}: the sweep has {len(self)} points")
        index %= len(self)
        return Cell(self.grid.point(index), index, self.measured, self.grid.until)

    def __iter__(self) -> Iterator[Cell]:
        return self._cells()

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<Sweep of {len(self)} points, {self.done} of {self.total} runs done{failed}>"

    def _repr_html_(self) -> str:
        lines, left = self.lines()
        return table(lines[0], lines[1:], left, self.footnotes(lines, left))

    def _is_shown(self, name: str) -> bool:
        column, *of = name.split(".")
        asked = self.grid.measure is not None and column in self.grid.measure.flows
        return not of or (asked and len(of) == 1 and not of[0].isdecimal())

    def __str__(self) -> str:
        return self.text()


def columns(lines: Sequence[Sequence[str]], left: int) -> list[str]:
    """Rows of cells as aligned columns of text, the first `left` of them flush left."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    rows = []
    for line in lines:
        words = [word.ljust(width) for word, width in zip(line[:left], widths, strict=False)]
        words += [word.rjust(width) for word, width in zip(line[left:], widths[left:], strict=True)]
        rows.append("  ".join(words).rstrip())
    return rows


#: characters that mean something to LaTeX (Lamport: LaTeX, A Document Preparation System, 2.1) -> what stands for them
_LATEX = {
    **{ord(character): f"\\{character}" for character in "#$%&_{}"},
    ord("\\"): r"\textbackslash{}",
    ord("~"): r"\textasciitilde{}",
    ord("^"): r"\textasciicircum{}",
    ord("±"): r"$\pm$",
    ord("\n"): " ",
}


def _in_latex(word: str) -> str:
    return word.translate(_LATEX)


def _cell(cell: Cell, metric: str) -> str:
    values, scale = cell.values(metric), unit_of(metric)[0]
    if not values:
        return "-"
    interval = cell.interval(metric)
    if interval is None:
        return f"{values[0] / scale:.4g}"
    return f"{interval.mean / scale:.4g} ± {interval.half_width / scale:.2g}"
