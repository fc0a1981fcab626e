"""What a sweep gives: figures over replications, and what failed."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock.stats.interval import Interval, student
from ackclock.sweeps.grid import Grid, Point

#: What a table of text shows of figures that are in bits a second, seconds or shares.
UNITS = {"_bps": (1e6, " Mb/s"), "_s": (1e-3, " ms"), "_ratio": (0.01, " %"), "utilisation": (0.01, " %")}


@dataclass(frozen=True)
class Cell:
    """A point and the figures of its runs, by replication. A replication that failed or was not run is not there."""

    point: Point
    runs: dict[int, Mapping[str, float]]

    def values(self, figure: str) -> list[float]:
        """One figure of all runs that have it, in the order of the replications."""
        return [run[figure] for _, run in sorted(self.runs.items()) if figure in run]

    def interval(self, figure: str, level: float = 0.95) -> Interval | None:
        """The figure's mean with its interval; None for fewer than two replications."""
        values = self.values(figure)
        return student(values, level) if len(values) > 1 else None


@dataclass(frozen=True)
class Failure:
    """A run that failed: where it was in the grid, its seed, and why."""

    point: Point
    replication: int
    seed: int
    error: str

    def __str__(self) -> str:
        return f"{self.point}, replication {self.replication}, seed {self.seed}: {self.error}"


@dataclass
class Sweep:
    """All points of a grid with what was measured there. `print` shows it as a table."""

    grid: Grid
    cells: list[Cell]
    failures: list[Failure]

    @property
    def done(self) -> int:
        """How many runs there are figures of."""
        return sum(len(cell.runs) for cell in self.cells)

    @property
    def total(self) -> int:
        """How many runs the grid has."""
        return len(self.cells) * self.grid.replications

    def figures(self) -> list[str]:
        """The names of all figures, in the order in which runs give them."""
        names: dict[str, None] = {}
        for cell in self.cells:
            for run in cell.runs.values():
                names.update(dict.fromkeys(run))
        return list(names)

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """A row for each point and figure: the settings, `figure`, `n`, `mean`, `half_width`, `low`, `high`.

        The last three are None for fewer than two replications; a figure that a point has none of has no row.
        """
        found: list[dict[str, Any]] = []
        for cell in self.cells:
            for figure in self.figures():
                values = cell.values(figure)
                if not values:
                    continue
                row: dict[str, Any] = {**cell.point.settings, "figure": figure, "n": len(values)}
                interval = cell.interval(figure, level)
                row["mean"] = sum(values) / len(values) if interval is None else interval.mean
                row["half_width"] = None if interval is None else interval.half_width
                row["low"] = None if interval is None else interval.low
                row["high"] = None if interval is None else interval.high
                found.append(row)
        return found

    def csv(self) -> str:
        """`rows` as CSV."""
        rows = self.rows()
        out = io.StringIO()
        if rows:
            writer = csv.DictWriter(out, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return out.getvalue()

    def text(self, figures: Sequence[str] | None = None) -> str:
        """A line a point, a column a figure: mean ± half-width. Without `figures`, those of no single flow."""
        names = list(figures) if figures is not None else [name for name in self.figures() if "." not in name]
        keys = list(dict.fromkeys(key for cell in self.cells for key in cell.point.settings))
        head = [*keys, "n", *(f"{name}{unit_of(name)[1].replace(' ', ', ', 1)}" for name in names)]
        lines = [head]
        for cell in self.cells:
            shown = [str(cell.point.settings.get(key, "")) for key in keys]
            lines.append([*shown, str(len(cell.runs)), *(_cell(cell, name) for name in names)])
        rows = columns(lines, len(keys))
        if self.grid.replications == 1:
            rows.append("one replication: no intervals")
        else:
            rows.append("mean ± half of the 95 % interval (Student) over n replications")
        return "\n".join(rows)

    def __str__(self) -> str:
        return self.text()


def columns(lines: Sequence[Sequence[str]], left: int) -> list[str]:
    """Lines of words as columns of text, the first `left` of them flush left."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    rows = []
    for line in lines:
        words = [word.ljust(width) for word, width in zip(line[:left], widths, strict=False)]
        words += [word.rjust(width) for word, width in zip(line[left:], widths[left:], strict=True)]
        rows.append("  ".join(words).rstrip())
    return rows


def unit_of(name: str) -> tuple[float, str]:
    """What a table of text divides a figure by, and the unit that this gives: `UNITS`, by the end of its name."""
    stem = name.partition(".")[0]
    return next((unit for end, unit in UNITS.items() if stem.endswith(end)), (1.0, ""))


def _cell(cell: Cell, figure: str) -> str:
    values, scale = cell.values(figure), unit_of(figure)[0]
    if not values:
        return "-"
    interval = cell.interval(figure)
    if interval is None:
        return f"{values[0] / scale:.4g}"
    return f"{interval.mean / scale:.4g} ± {interval.half_width / scale:.2g}"
