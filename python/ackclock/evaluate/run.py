"""An evaluation: every run that a suite's criteria need, each once, and what the rules say."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ackclock.evaluate.build import is_there, marking, scenario_table
from ackclock.evaluate.judge import Cell, Row
from ackclock.evaluate.measure import MEASURES, figures
from ackclock.evaluate.subject import Subject, find_subject
from ackclock.evaluate.suite import Condition, Criterion, Suite, load_suite
from ackclock.scenario import Scenario, ScenarioError
from ackclock.scenario.units import time_s
from ackclock.sweeps import Grid, grid_of, stored, sweep
from ackclock.sweeps import estimate_s as estimate_of_grid_s
from ackclock.sweeps.execute import Progress

#: Tables that the store keeps of a run, and what it keeps besides where flows are followed over time.
KEPT, FOLLOWED = ("flows", "links", "link_series"), ("flow_series",)


@dataclass(frozen=True)
class Arm:
    """Runs that differ in their random numbers alone: a condition, a traffic, and who is in the subject's place."""

    condition: str
    traffic: str
    subject: Subject

    def __hash__(self) -> int:
        return hash((self.condition, self.traffic, self.subject.name))


@dataclass(frozen=True)
class Failed:
    """Runs that failed: where, which of them (None: none could be described), and why."""

    arm: Arm
    replication: int | None
    error: str

    def __str__(self) -> str:
        run = "" if self.replication is None else f", replication {self.replication}"
        return f"{self.arm.subject.name} in {self.arm.condition}, {self.arm.traffic}{run}: {self.error}"


@dataclass
class Evaluation:
    """What an evaluation found. `rows` are the criteria in the suite's order."""

    suite: Suite
    subject: Subject
    baseline: Subject
    quick: bool
    replications: int
    #: criteria and conditions that were asked for; all if empty
    only: Sequence[str] = ()
    rows: list[Row] = field(default_factory=list)
    failures: list[Failed] = field(default_factory=list)
    #: what is run, each so often as there are replications
    arms: list[Arm] = field(default_factory=list)

    @property
    def runs(self) -> int:
        """How many runs there are to be."""
        return len(self.arms) * self.replications

    def count(self, word: str) -> int:
        """How many criteria came to this word."""
        return sum(row.word == word for row in self.rows)

    def scenario(self, condition: str, traffic: str, *, baseline: bool = False) -> Scenario:
        """What is run there, with the subject or with the baseline in its place; its seed is each replication's own."""
        who = self.baseline if baseline else self.subject
        return Scenario.of(_table(self, Arm(condition, traffic, who)))


def evaluate(
    what: str,
    suite: str | os.PathLike[str] | Suite,
    *,
    against: str | None = None,
    quick: bool = False,
    only: Sequence[str] = (),
    replications: int | None = None,
    store: str | os.PathLike[str] = "out/store",
    jobs: int | None = None,
    beside: Path | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate a variant or a queue discipline by a suite: its name, a file, or a `Suite`.

    `what` and `against` are names as `find_subject` takes them; without `against`, the document's baseline. `quick` has
    short runs and few replications, for a first look; `replications` counts instead of the suite's. `only` names
    criteria or conditions. Runs are kept in `store`, as a sweep's are, so an evaluation that was stopped goes on.
    `beside` is the folder in which modules of one's own are looked for first, the working directory unless given.
    `progress` is called with the numbers of runs that are done, that failed, and that there are.

    A run that fails is in `Evaluation.failures` and in its criterion's row; the others go on. Raises `ScenarioError`
    for names that there are not and for a suite that is wrong, `OSError` when the store cannot be written.
    """
    found = begin(what, suite, against=against, quick=quick, only=only, replications=replications, beside=beside)
    figured: dict[Arm, Mapping[int, Mapping[str, float]]] = {}
    for number, arm in enumerate(found.arms):
        failed, before = len(found.failures), number * found.replications
        told = functools.partial(_tell, progress, before - failed, failed, found.runs) if progress else None
        figured[arm] = _run(arm, found, store, jobs, told)
    found.rows = [Row(one, list(_cells(one, found, figured))) for one in found.suite.criterion]
    return found


def begin(
    what: str,
    suite: str | os.PathLike[str] | Suite,
    *,
    against: str | None = None,
    quick: bool = False,
    only: Sequence[str] = (),
    replications: int | None = None,
    beside: Path | None = None,
) -> Evaluation:
    """What `evaluate` would run, without a row yet. Raises what `evaluate` raises of names and suites."""
    chosen = suite if isinstance(suite, Suite) else load_suite(suite)
    chosen = chosen.only(only) if only else chosen
    find = functools.partial(
        find_subject, evaluates=chosen.evaluates, sender=chosen.sender, beside=beside or Path.cwd()
    )
    count = replications or (chosen.replications.quick if quick else chosen.replications.full)
    if count < 2:
        raise ScenarioError("expected at least 2: one run has no interval", key="replications", value=count)
    found = Evaluation(chosen, find(what), find(against or chosen.baseline), quick, count, tuple(only))
    found.arms = _arms(found)
    return found


def stored_runs(found: Evaluation, store: str | os.PathLike[str] = "out/store") -> int:
    """How many of its runs a store has. `StoreError` for a store of another form."""
    return sum(stored(_grid(arm, found), store=store, measure=lambda results: {}).done for arm in found.arms)


def estimate_s(found: Evaluation, *, jobs: int | None = None, patience_s: float = 0.1) -> float:
    """How long all its runs may take, s, by running one of each family of conditions, as a quick one, for a moment."""
    quick = replace(found, quick=True)
    alike: dict[tuple[str, str], list[Arm]] = {}
    for arm in found.arms:
        family = found.suite.named_condition(arm.condition).family or arm.condition
        alike.setdefault((family, arm.traffic), []).append(arm)
    whole_s = 0.0
    for arms in alike.values():
        arm = arms[len(arms) // 2]  # families go from the little to the large
        moment_s = estimate_of_grid_s(_grid(arm, quick), jobs=jobs, probes=1, patience_s=patience_s) or 0.0
        longer = time_s(_table(found, arm)["duration"]) / time_s(_table(quick, arm)["duration"])
        whole_s += moment_s * longer * len(arms)
    return whole_s


def lacks(condition: Condition, what: Subject) -> str:
    """Why a condition cannot be had here, with this subject; nothing if it can."""
    if condition.marks and is_there(what.name) and not marking(what.name):
        return f"{what.name} does not mark"
    if condition.needs and not is_there(condition.needs):
        return f"there is no queue discipline {condition.needs} here"
    return condition.unevaluated


def _arms(found: Evaluation) -> list[Arm]:
    """Every arm that a criterion needs, once."""
    needed: dict[Arm, None] = {}
    for criterion in found.suite.criterion:
        for traffic, name in itertools.product(criterion.traffics, criterion.conditions):
            if not criterion.unevaluated and not lacks(found.suite.named_condition(name), found.subject):
                needed[Arm(name, traffic, found.subject)] = None
                needed[Arm(name, traffic, found.baseline)] = None
    return list(needed)


def _table(found: Evaluation, arm: Arm) -> dict[str, Any]:
    suite = found.suite
    condition, traffic = suite.named_condition(arm.condition), suite.named_traffic(arm.traffic)
    return scenario_table(suite, condition, traffic, arm.subject, found.baseline, quick=found.quick)


def _kept(arm: Arm, found: Evaluation) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
    """What is measured of an arm, by criterion, and the tables that this takes."""
    wanted = {
        one.id: one.measure
        for one in found.suite.criterion
        if arm.traffic in one.traffics and arm.condition in one.conditions
    }
    return wanted, KEPT + (FOLLOWED if any(MEASURES[one["of"]].follows_flows for one in wanted.values()) else ())


def _grid(arm: Arm, found: Evaluation) -> Grid:
    """The sweep of an arm. `ScenarioError` for what cannot be had here."""
    return grid_of(_table(found, arm), replications=found.replications, keep=_kept(arm, found)[1])


def _run(
    arm: Arm, found: Evaluation, store: str | os.PathLike[str], jobs: int | None, progress: Progress | None
) -> Mapping[int, Mapping[str, float]]:
    """The figures of an arm's runs, by replication and by criterion. What fails is put down."""
    suite = found.suite
    condition, traffic = suite.named_condition(arm.condition), suite.named_traffic(arm.traffic)
    # A warm-up of its own is that of whole runs.
    warm_up, bottleneck = condition.warm_up, condition.bottleneck
    if found.quick or not warm_up:
        warm_up = traffic.warm_up
    measure = functools.partial(figures, wanted=_kept(arm, found)[0], warm_up=warm_up, bottleneck=bottleneck)
    try:
        grid = _grid(arm, found)
    except ScenarioError as error:
        found.failures.append(Failed(arm, None, str(error)))
        return {}
    done = sweep(grid, store=store, jobs=jobs, measure=measure, progress=progress)
    found.failures += [Failed(arm, failure.replication, failure.error) for failure in done.failures]
    return done.cells[0].runs


def _tell(progress: Progress, done: int, failed: int, total: int, done_here: int, failed_here: int, _: int) -> None:
    """The progress of all, from that of one arm's sweep."""
    progress(done + done_here, failed + failed_here, total)


def _cells(
    criterion: Criterion, found: Evaluation, figured: Mapping[Arm, Mapping[int, Mapping[str, float]]]
) -> Iterator[Cell]:
    """A criterion's cells: its traffics in its conditions."""
    for traffic, condition in itertools.product(criterion.traffics, criterion.conditions):
        if not criterion.unevaluated:
            yield _cell(criterion, traffic, condition, found, figured)


def _cell(
    criterion: Criterion,
    traffic: str,
    name: str,
    found: Evaluation,
    figured: Mapping[Arm, Mapping[int, Mapping[str, float]]],
) -> Cell:
    place = found.suite.named_condition(name), found.suite.named_traffic(traffic)
    if reason := lacks(place[0], found.subject):
        return Cell(criterion, *place, lacks=reason)
    values: list[dict[int, float]] = []
    failures: list[Failed] = []
    for who in (found.subject, found.baseline):
        arm = Arm(name, traffic, who)
        values.append({number: run[criterion.id] for number, run in figured[arm].items() if criterion.id in run})
        failures += [failure for failure in found.failures if failure.arm == arm]
    return Cell(criterion, *place, values[0], values[1], failed=_of(failures))


def _of(failures: Sequence[Failed]) -> str:
    """What failed, in a line."""
    if not failures:
        return ""
    runs = "a run" if len(failures) == 1 else f"{len(failures)} runs"
    return f"{runs} failed: {failures[0].arm.subject.name}: {failures[0].error}"
