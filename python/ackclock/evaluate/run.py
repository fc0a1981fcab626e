"""An evaluation: every run that a suite's criteria need, each once, and what the rules say."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ackclock.evaluate.build import is_there, marking, scenario_table
from ackclock.evaluate.judge import Cell, Row
from ackclock.evaluate.measure import MEASURES, figures
from ackclock.evaluate.subject import Subject, find_subject
from ackclock.evaluate.suite import Condition, Criterion, Suite, load_suite
from ackclock.scenario import Scenario, ScenarioError
from ackclock.sweeps import grid_of, sweep
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
    #: how many runs there were
    runs: int = 0

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
    chosen = suite if isinstance(suite, Suite) else load_suite(suite)
    chosen = chosen.only(only) if only else chosen
    find = functools.partial(
        find_subject, evaluates=chosen.evaluates, sender=chosen.sender, beside=beside or Path.cwd()
    )
    count = replications or (chosen.replications.quick if quick else chosen.replications.full)
    if count < 2:
        raise ScenarioError("expected at least 2: one run has no interval", key="replications", value=count)
    found = Evaluation(chosen, find(what), find(against or chosen.baseline), quick, count, tuple(only))
    arms = _arms(found)
    found.runs = len(arms) * count
    figured: dict[Arm, Mapping[int, Mapping[str, float]]] = {}
    for number, arm in enumerate(arms):
        failed = len(found.failures)
        told = functools.partial(_tell, progress, number * count - failed, failed, found.runs) if progress else None
        figured[arm] = _run(arm, found, store, jobs, told)
    found.rows = [Row(one, list(_cells(one, found, figured))) for one in chosen.criterion]
    return found


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


def _table(found: Evaluation, arm: Arm) -> dict[str, object]:
    suite = found.suite
    condition, traffic = suite.named_condition(arm.condition), suite.named_traffic(arm.traffic)
    return scenario_table(suite, condition, traffic, arm.subject, found.baseline, quick=found.quick)


def _run(
    arm: Arm, found: Evaluation, store: str | os.PathLike[str], jobs: int | None, progress: Progress | None
) -> Mapping[int, Mapping[str, float]]:
    """The figures of an arm's runs, by replication and by criterion. What fails is put down."""
    suite = found.suite
    wanted = {
        one.id: one.measure
        for one in suite.criterion
        if arm.traffic in one.traffics and arm.condition in one.conditions
    }
    condition, traffic = suite.named_condition(arm.condition), suite.named_traffic(arm.traffic)
    # A warm-up of its own is that of whole runs.
    warm_up, bottleneck = condition.warm_up, condition.bottleneck
    if found.quick or not warm_up:
        warm_up = traffic.warm_up
    keep = KEPT + (FOLLOWED if any(MEASURES[one["of"]].follows_flows for one in wanted.values()) else ())
    measure = functools.partial(figures, wanted=wanted, warm_up=warm_up, bottleneck=bottleneck)
    try:
        grid = grid_of(_table(found, arm), replications=found.replications, keep=keep)
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
