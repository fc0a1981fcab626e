"""An evaluation: every run that a suite's criteria and plots need, each once, and what the rules say."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ackclock.batch import sweep
from ackclock.batch.evaluate.arms import Arm, Failed, Figured, Runs
from ackclock.batch.evaluate.build import SUBJECT, competes, is_there, marking
from ackclock.batch.evaluate.judge import Cell, Row, corrected
from ackclock.batch.evaluate.measure import PASSED_NOTHING, SENT_NOTHING
from ackclock.batch.evaluate.plot import Plot
from ackclock.batch.evaluate.standards import STANDARDS, standard_of, standards_of
from ackclock.batch.evaluate.subject import Subject, find_subject
from ackclock.batch.evaluate.suite import Condition, Criterion, Suite, load_suite
from ackclock.batch.evaluate.together import arms_stored, run_arms
from ackclock.batch.sweep import estimate_s as estimate_of_grid_s
from ackclock.batch.sweep.execute import Progress
from ackclock.scenario import Scenario, ScenarioError

#: Seeds of a subject's sweeps where these would else be the very runs of its baseline.
OWN_SEED = 2


@dataclass
class Evaluation:
    """The result of evaluating one subject. `rows` are the criteria in the suite's order."""

    #: the suite
    suite: Suite
    #: what was evaluated
    subject: Subject
    #: the standards, or the baseline that was given
    baselines: list[Subject]
    #: whether runs are short and few
    quick: bool
    #: runs with different random numbers per cell
    replications: int
    #: criteria, plots and conditions that were requested; all if empty
    only: Sequence[str] = ()
    #: seed of the subject's sweeps; those of baselines have 1
    seed: int = 1
    rows: list[Row] = field(default_factory=list)
    #: the runs that failed
    failures: list[Failed] = field(default_factory=list)
    #: what is run, once per replication
    arms: list[Arm] = field(default_factory=list)
    #: metrics of all arms that were run
    figured: Mapping[Arm, Figured] = field(default_factory=dict)
    #: where user-defined modules are looked for
    beside: Path | None = None
    #: the suite's name or file, as it was given
    suite_given: str = ""

    @property
    def baseline(self) -> Subject:
        """The first of the baselines."""
        return self.baselines[0]

    @property
    def others(self) -> list[Subject]:
        """The baselines; none in a suite that compares with nothing, where the subject stands in for one."""
        return [one for one in self.baselines if one is not self.subject]

    @property
    def given_baselines(self) -> list[str]:
        """Names of the baselines if these are not the suite's own."""
        own = _baselines(self.suite, self.subject, None, self.beside)
        return [] if own == self.baselines else [one.name for one in self.baselines]

    @property
    def usual_replications(self) -> bool:
        """Whether the number of replications is the suite's."""
        return self.replications == _usual_replications(self.suite, self.quick)

    @property
    def usual_seed(self) -> bool:
        """Whether the seed is the one that it has if none is given."""
        return self.seed == _usual_seed(self.subject, self.baselines)

    @property
    def how(self) -> Runs:
        """How its arms are run."""
        return Runs(self.suite, self.quick, self.replications)

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(self.arms) * self.replications

    @property
    def cells_to_be(self) -> int:
        """The number of cells that its criteria have, before it is run, too."""
        return sum(1 for criterion in self.suite.criterion for _ in _places(criterion, self))

    def count(self, word: str) -> int:
        """The number of criteria whose verdict is `word`."""
        return sum(row.word == word for row in self.rows)

    def scenario(
        self, condition: str, traffic: str, *, baseline: bool = False, standard: Subject | None = None
    ) -> Scenario:
        """The scenario of a `condition` and a `traffic`, by their ids, with the subject or, with `baseline`, the first
        baseline in its place.

        `standard` competes with it if the traffic has one; by default the first baseline. The scenario's seed is each
        replication's own.
        """
        who = self.baseline if baseline else self.subject
        return Scenario.of(self.how.table(Arm(condition, traffic, who, standard or self.baseline)))

    def drawn(self, plot: Plot) -> list[tuple[str, Arm]]:
        """The arms of a `plot`, each with the name of its line or row."""
        return _drawn(self, plot)


def evaluate(
    what: str,
    suite: str | os.PathLike[str] | Suite,
    *,
    baseline: str | Sequence[str] | None = None,
    quick: bool = False,
    only: Sequence[str] = (),
    replications: int | None = None,
    seed: int | None = None,
    store: str | os.PathLike[str] = "out/store",
    jobs: int | None = None,
    beside: Path | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate a variant or a queue discipline by a suite.

    - `what`: its name, as `find_subject` takes it.
    - `suite`: the name of a suite, a file, or a `Suite`.
    - `baseline`: names of baselines; by default the suite's standards on the subject's own sender.
    - `quick`: short runs and few replications, for a first look.
    - `only`: names of criteria, plots or conditions.
    - `replications`: replaces the suite's number, at least 2.
    - `seed`: seed of the subject's runs. By default they have the same random numbers as the baselines', except for a
      subject that is itself a baseline.
    - `store`: the folder of stored runs, as for a sweep; a stopped evaluation resumes.
    - `jobs`: runs at a time; one per core by default.
    - `beside`: the folder in which user-defined modules are looked for first; by default the working directory.
    - `progress`: called with the numbers of runs that are done, that failed, and that there are.

    A run that fails is in `Evaluation.failures` and in its criterion's row; the others continue. Raises `ScenarioError`
    for unknown names, for an error in a suite and for a subject that never sends, and `OSError` if the store cannot be
    written.
    """
    options = {"baseline": baseline, "quick": quick, "only": only, "replications": replications, "seed": seed}
    return evaluate_all([what], suite, store=store, jobs=jobs, beside=beside, progress=progress, **options)[0]  # type: ignore[arg-type]


def evaluate_all(
    subjects: Sequence[str],
    suite: str | os.PathLike[str] | Suite,
    *,
    baseline: str | Sequence[str] | None = None,
    quick: bool = False,
    only: Sequence[str] = (),
    replications: int | None = None,
    seed: int | None = None,
    store: str | os.PathLike[str] = "out/store",
    jobs: int | None = None,
    cluster: Any = None,
    beside: Path | None = None,
    progress: Progress | None = None,
) -> list[Evaluation]:
    """Evaluate several `subjects` by one suite. Runs that they share are done once. Arguments and errors as for
    `evaluate`; `cluster` as for a sweep.

    Holm's correction is over the cells of all of them.
    """
    found = [
        begin(
            what,
            suite,
            baseline=baseline,
            quick=quick,
            only=only,
            replications=replications,
            seed=seed,
            beside=beside,
        )
        for what in subjects
    ]
    run_all(found, store=store, jobs=jobs, cluster=cluster, progress=progress)
    return found


def run_all(
    found: Sequence[Evaluation],
    *,
    store: str | os.PathLike[str] = "out/store",
    jobs: int | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> None:
    """Run and judge evaluations that `begin` prepared: each then has its rows.

    - `found`: evaluations of one suite. Runs that they share are done once, and Holm's correction is over the cells of
      all of them.
    - `store`, `jobs`, `cluster`, `progress`: as for `evaluate_all`.

    Errors are those of `evaluate_all`, but for what `begin` has checked.
    """
    arms = list(dict.fromkeys(arm for one in found for arm in one.arms))
    try:
        done = run_arms(found[0].how, arms, store, jobs, cluster, progress)
    finally:
        sweep.merge(store)
    for one in found:
        own = set(one.arms)
        one.figured = done.figured
        one.failures = [failure for failure in done.failures if failure.arm in own]
        _check_sends(one)
    rows = [[Row(row, list(_cells(row, one))) for row in one.suite.criterion] for one in found]
    adjusted = iter(corrected([row for each in rows for row in each]))
    for one, each in zip(found, rows, strict=True):
        one.rows = list(itertools.islice(adjusted, len(each)))


def failures_of(found: Iterable[Evaluation]) -> list[Failed]:
    """The failed runs of the evaluations `found`, each once."""
    return list(dict.fromkeys(failed for one in found for failed in one.failures))


def begin(
    what: str,
    suite: str | os.PathLike[str] | Suite,
    *,
    baseline: str | Sequence[str] | None = None,
    quick: bool = False,
    only: Sequence[str] = (),
    replications: int | None = None,
    seed: int | None = None,
    beside: Path | None = None,
) -> Evaluation:
    """Prepare an evaluation without running it; it has no rows yet. Arguments as for `evaluate`.

    Raises `ScenarioError` for unknown names, for an error in a suite, and for fewer than 2 replications.
    """
    chosen = suite if isinstance(suite, Suite) else load_suite(suite)
    chosen = chosen.only(only) if only else chosen
    count = _usual_replications(chosen, quick) if replications is None else replications
    if count < 2:
        raise ScenarioError("expected at least 2: one run has no interval", key="replications", value=count)
    subject = _find(chosen, what, beside)
    baselines = _baselines(chosen, subject, baseline, beside)
    if seed is None:
        seed = _usual_seed(subject, baselines)
    given = suite.id if isinstance(suite, Suite) else os.fspath(suite)
    found = Evaluation(chosen, subject, baselines, quick, count, tuple(only), seed, beside=beside, suite_given=given)
    found.arms = list(dict.fromkeys([*_arms(found), *_plot_arms(found)]))
    return found


def _usual_replications(suite: Suite, quick: bool) -> int:
    return suite.replications.quick if quick else suite.replications.full


def _usual_seed(subject: Subject, baselines: Sequence[Subject]) -> int:
    """The seed of a subject's runs: the baselines', unless it is one of them and would be compared with itself."""
    is_own = any(one.settings == subject.settings for one in baselines if one is not subject)
    return OWN_SEED if is_own else 1


def _find(suite: Suite, name: str, beside: Path | None) -> Subject:
    return find_subject(name, suite.evaluates, sender=suite.sender, beside=beside or Path.cwd())


def _baselines(
    suite: Suite, subject: Subject, baseline: str | Sequence[str] | None, beside: Path | None
) -> list[Subject]:
    """What the subject is compared with."""
    if baseline:
        return [_find(suite, name, beside) for name in ([baseline] if isinstance(baseline, str) else baseline)]
    if suite.baseline == SUBJECT:
        return [subject]
    if suite.baseline:
        return [_find(suite, suite.baseline, beside)]
    return standards_of(subject, suite.standards)


def stored_runs(found: Evaluation, store: str | os.PathLike[str] = "out/store") -> int:
    """The number of runs of `found` that the folder `store` has. `StoreError` for a store of another format."""
    return arms_stored(found.how, found.arms, store)


def estimate_s(found: Evaluation, *, jobs: int | None = None, patience_s: float = 0.05) -> float:
    """Estimated time in seconds for all runs of `found`.

    One run of each condition is begun for `patience_s` seconds; of a family of conditions the least, the middle and
    the largest, since their times may differ a hundredfold.

    `jobs` is as for `evaluate`.
    """
    alike: dict[tuple[str, str], list[Arm]] = {}
    for arm in found.arms:
        family = found.suite.named_condition(arm.condition).family or arm.condition
        alike.setdefault((family, arm.traffic), []).append(arm)
    whole_s = 0.0
    for (family, _), arms in alike.items():
        middle = len(arms) // 2
        chosen = sorted({0, middle, len(arms) - 1}) if family != arms[0].condition else [middle]
        grids = [found.how.grid(arms[n]) for n in chosen]
        took_s = [estimate_of_grid_s(grid, jobs=jobs, probes=1, patience_s=patience_s) or 0.0 for grid in grids]
        whole_s += sum(took_s) / len(took_s) * len(arms)
    return whole_s


def lacks(condition: Condition, what: Subject) -> str:
    """Why a condition is not available for this subject; empty if it is."""
    if condition.marks and is_there(what.name) and not marking(what.name):
        return f"{what.name} does not mark"
    if condition.needs and not is_there(condition.needs):
        return f"this build has no queue discipline {condition.needs}"
    return condition.unevaluated


def _places(criterion: Criterion, found: Evaluation) -> Iterator[tuple[str, str, Subject, bool]]:
    """Traffic, condition and standard of each cell that can be had, and whether the standard competes there."""
    for traffic, name in itertools.product(criterion.traffics, criterion.places(found.quick)):
        if criterion.unevaluated:
            continue
        beside = competes(found.suite.named_traffic(traffic))
        for standard in found.baselines if beside else found.baselines[:1]:
            yield traffic, name, standard, beside


def _of_cell(criterion: Criterion, place: tuple[str, str, Subject, bool], found: Evaluation) -> dict[str, Arm]:
    """The arms of a cell: with the subject (""), with each baseline by its name, and with nobody ("alone")."""
    traffic, name, standard, _ = place
    arms = {"": Arm(name, traffic, found.subject, standard, found.seed)}
    for one in found.baselines:
        if one is found.subject:
            continue  # it is compared with nothing
        # Where no standard competes, whose arm it is makes no difference to the run.
        arms[one.name] = Arm(name, traffic, one, standard)
    if criterion.comparison == "harm":
        arms["alone"] = Arm(name, traffic, None, standard)
    return arms


def _arms(found: Evaluation) -> Iterator[Arm]:
    """Every arm that a criterion needs."""
    for criterion in found.suite.criterion:
        for place in _places(criterion, found):
            if not lacks(found.suite.named_condition(place[1]), found.subject):
                yield from _of_cell(criterion, place, found).values()


def _plot_arms(found: Evaluation) -> Iterator[Arm]:
    for plot in found.suite.plot:
        yield from (arm for _, arm in _drawn(found, plot))


def _drawn(found: Evaluation, plot: Plot) -> list[tuple[str, Arm]]:
    known = {name: standard_of(found.subject, name) for name in (*plot.beside, plot.standard) if name in STANDARDS}
    others = [known[name] if name in known else _find(found.suite, name, found.beside) for name in plot.beside]
    others = [one for one in others if one.settings != found.subject.settings]
    shown = {one.name: one for one in (found.subject, *others)}
    standard = known[plot.standard] if plot.standard else found.baseline
    arms = []
    for condition in plot.shown(found.quick):
        if lacks(found.suite.named_condition(condition), found.subject):
            continue
        for name, who in shown.items():
            seed = found.seed if who is found.subject else 1
            rivals = list(shown.values()) if plot.kind == "matrix" else [standard]
            arms += [(name, Arm(condition, plot.traffic, who, rival, seed)) for rival in rivals]
    return arms


def _check_sends(found: Evaluation) -> None:
    """`ScenarioError` for a subject that sent nothing, or let nothing pass, in any run: it has no metrics."""
    own = [arm for arm in found.arms if arm.subject is found.subject]
    errors = [one.error for one in found.failures if one.arm.subject is found.subject]
    if own and errors and not any(found.figured[arm] for arm in own):
        if all(SENT_NOTHING in error for error in errors):
            expected = "expected one that sends: it sent no more than its first packets in any run; nothing to evaluate"
        elif all(PASSED_NOTHING in error for error in errors):
            expected = "expected one that lets packets pass: none did in any run; nothing to evaluate"
        else:
            return
        raise ScenarioError(expected, key=found.suite.evaluates, value=found.subject.name)


def _cells(criterion: Criterion, found: Evaluation) -> Iterator[Cell]:
    """A criterion's cells: its traffics in its conditions, and beside each standard where one competes."""
    for place in _places(criterion, found):
        traffic, name, standard, beside = place
        where = found.suite.named_condition(name), found.suite.named_traffic(traffic)
        rival = standard.name if beside else ""
        if reason := lacks(where[0], found.subject):
            yield Cell(criterion, *where, standard=rival, lacks=reason)
            continue
        arms = _of_cell(criterion, place, found)
        values = {
            key: {number: run[criterion.id] for number, run in found.figured[arm].items() if criterion.id in run}
            for key, arm in arms.items()
        }
        failed = [one for one in found.failures if one.arm in set(arms.values())]
        subject, solo = values.pop(""), values.pop("alone", {})
        yield Cell(criterion, *where, subject, values, solo, rival, failed=_of(failed))


def _of(failures: Sequence[Failed]) -> str:
    """What failed, in a line."""
    if not failures:
        return ""
    runs = "a run" if len(failures) == 1 else f"{len(failures)} runs"
    who = failures[0].arm.subject or failures[0].arm.standard
    return f"{runs} failed: {who.name}: {failures[0].error}"
