"""The judged cells as rows of numbers and words."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ackclock.batch.evaluate.arms import Arm
from ackclock.batch.evaluate.judge import Cell
from ackclock.batch.evaluate.run import Evaluation
from ackclock.scenario import Scenario
from ackclock.scenario.formats import as_toml


@dataclass(frozen=True)
class ScoreCell:
    """One judged cell. Numbers are in bits, seconds and shares, as the criterion compares them.

    `mean`, `low` and `high` are of what is judged (a ratio, a difference, an excess harm), with its 95 % interval;
    `low` and `high` are None where all runs are alike. `lower_bound` and `upper_bound` are what the criterion allows,
    None on a side without a bound. `subject` and `baseline` are the means of the metric itself.
    """

    #: the row
    control: str
    #: ids in the suite and in the matrix
    criterion: str
    condition: str
    queue: str
    traffic: str
    #: the standard that competes; "" if there is none
    standard: str
    #: the verdict in words
    verdict: str
    #: the number of replications that were compared
    n: int
    mean: float | None
    low: float | None
    high: float | None
    lower_bound: float | None
    upper_bound: float | None
    #: one-sided, and after Holm's correction over the matrix
    p: float | None
    p_holm: float | None
    #: the standard by which it is judged: the most lenient
    compared_with: str
    subject: float | None
    baseline: float | None
    #: why there is no verdict, or which runs failed
    note: str
    #: its scenario file, in the folder of the scoreboard
    scenario: str

    @property
    def key(self) -> tuple[str, ...]:
        """What makes it the same cell in another version."""
        return self.control, self.criterion, self.condition, self.queue, self.standard


def cells_of(evaluations: Sequence[Evaluation]) -> list[ScoreCell]:
    """The cells of all rows, criterion by criterion."""
    return [
        _of(cell, found, path) for found, path in zip(evaluations, folders(evaluations), strict=True)
        for row in found.rows for cell in row.cells
    ]  # fmt: skip


def folders(evaluations: Sequence[Evaluation]) -> list[str]:
    """A folder's name for each row: in ASCII, and distinct where capitals do not count, too."""
    found: list[str] = []
    for one in evaluations:
        name = re.sub(r"[^\w.-]", "_", one.subject.name, flags=re.ASCII)
        while name.lower() in [other.lower() for other in found]:
            name += "_"
        found.append(name)
    return found


def scenarios(evaluations: Sequence[Evaluation]) -> Iterator[tuple[str, str]]:
    """The scenario files of all cells, each once: path and text. It repeats the first of the cell's replications."""
    seen: set[str] = set()
    for found, folder in zip(evaluations, folders(evaluations), strict=True):
        for row in found.rows:
            for cell in row.cells:
                path = _path(cell, folder)
                if cell.lacks or path in seen:
                    continue
                seen.add(path)
                yield path, _scenario_text(cell, found)


def own_modules(evaluations: Sequence[Evaluation]) -> Iterator[tuple[str, bytes]]:
    """The modules of user-defined controls, each to lie beside their scenarios: path and content.

    None for a package or what has no source file: that has to be importable where the scenarios are run.
    """
    for found, folder in zip(evaluations, folders(evaluations), strict=True):
        module = found.subject.name.partition(":")[0]
        if found.subject.source_sha256 is None or found.subject.is_kernel or found.subject.is_library:
            continue
        if module not in sys.modules or "." in module:
            continue
        file = Path(sys.modules[module].__file__ or "")
        if file.name == f"{module}.py":
            yield f"scenarios/{folder}/{file.name}", file.read_bytes()


def _scenario_text(cell: Cell, found: Evaluation) -> str:
    standard = next((one for one in found.baselines if one.name == cell.standard), found.baseline)
    grid = found.how.grid(Arm(cell.condition.id, cell.traffic.id, found.subject, standard, found.seed))
    beside = f" beside {cell.standard}" if cell.standard else ""
    said = f"{found.subject.name}: {cell.traffic.title}{beside}; {cell.condition.title}"
    head = f"# {said}. The first of {found.replications} runs."
    scenario: Scenario = grid.scenario(grid.point(0), 0)
    return f"{head}\n\n{as_toml.text(scenario)}"


def _path(cell: Cell, folder: str) -> str:
    beside = f"-{cell.standard.replace('/', '_')}" if cell.standard else ""
    return f"scenarios/{folder}/{cell.condition.id}-{cell.traffic.id}{beside}.toml"


def _of(cell: Cell, found: Evaluation, folder: str) -> ScoreCell:
    values, interval = cell.compared, cell.interval
    lower, upper = cell.criterion.bounds()
    return ScoreCell(
        control=found.subject.name,
        criterion=cell.criterion.id,
        condition=cell.condition.family,
        queue=str(cell.condition.values["queue"]),
        traffic=cell.traffic.id,
        standard=cell.standard,
        verdict=cell.word,
        n=len(values),
        mean=_mean(values),
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        lower_bound=None if math.isinf(lower) else lower,
        upper_bound=None if math.isinf(upper) else upper,
        p=cell.p_value,
        p_holm=cell.p_holm,
        compared_with=cell.by,
        subject=_mean(list(cell.subject.values())),
        baseline=_mean(list(cell.baseline.values())) if cell.criterion.comparison else None,
        note=cell.lacks or cell.failed,
        scenario="" if cell.lacks else _path(cell, folder),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
