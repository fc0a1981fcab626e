"""Runs that differ in their random numbers alone, and what is measured of them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock.batch.evaluate.build import groups_under_test, merge, scenario_table
from ackclock.batch.evaluate.measure import MEASURES, SEVERAL, metrics
from ackclock.batch.evaluate.measure_model import entry_s
from ackclock.batch.evaluate.subject import Subject
from ackclock.batch.evaluate.suite import Suite
from ackclock.batch.evaluate.view import View, counters, counters_by_flow, group_of
from ackclock.batch.sweep import Grid, grid_of, seed_of, stored, sweep
from ackclock.batch.sweep.execute import Measure, Progress
from ackclock.execution.results import Results
from ackclock.scenario import ScenarioError
from ackclock.scenario.units import time_s

#: Tables that the store keeps of a run, and what it keeps besides where flows, or controls' models, are
#: followed over time.
KEPT, FOLLOWED, MODELS = ("flows", "links", "link_series"), ("flow_series",), ("model_changes",)

#: Figures of an arm's runs, by replication and by name.
Figured = Mapping[int, Mapping[str, float]]


@dataclass(frozen=True)
class Arm:
    """A condition, a traffic, and who is in the subject's place (None: nobody), beside which standard.

    Its replications have the seeds of a sweep of this `seed`.
    """

    condition: str
    traffic: str
    subject: Subject | None
    standard: Subject
    seed: int = 1

    def __hash__(self) -> int:
        return hash((self.condition, self.traffic, self.subject and self.subject.name, self.standard.name, self.seed))

    def __str__(self) -> str:
        who = self.standard.name if self.subject is None else self.subject.name
        return f"{who} in {self.condition}, {self.traffic}"


@dataclass(frozen=True)
class Failed:
    """Runs that failed: where, which of them (None: none could be described), and why."""

    arm: Arm
    replication: int | None
    error: str

    def __str__(self) -> str:
        run = "" if self.replication is None else f", replication {self.replication}"
        return f"{self.arm}{run}: {self.error}"


@dataclass(frozen=True)
class Runs:
    """How the arms of a suite are run: short or whole, how often."""

    suite: Suite
    quick: bool
    replications: int

    def table(self, arm: Arm, at_s: float | None = None) -> dict[str, Any]:
        """The scenario of an arm; of one with a trigger, up to the trigger, and with its instant `at_s` the whole.

        `ScenarioError` for what cannot be had here.
        """
        condition, traffic = self.suite.named_condition(arm.condition), self.suite.named_traffic(arm.traffic)
        return scenario_table(self.suite, condition, traffic, arm.subject, arm.standard, quick=self.quick, at_s=at_s)

    def warm_up(self, arm: Arm) -> str:
        """The warm-up of an arm: a time, or a share of the duration. A condition's own is that of whole runs."""
        condition, traffic = self.suite.named_condition(arm.condition), self.suite.named_traffic(arm.traffic)
        return traffic.warm_up if self.quick or not condition.warm_up else condition.warm_up

    def wanted(self, arm: Arm) -> dict[str, dict[str, Any]]:
        """What is measured of an arm, by criterion or plot."""
        here = [
            one
            for one in self.suite.criterion
            if arm.traffic in one.traffics and arm.condition in one.places(self.quick)
        ]
        found = {one.id: one.measure for one in here}
        for plot in self.suite.plot:
            if arm.traffic == plot.traffic and arm.condition in plot.shown(self.quick):
                found[plot.key] = plot.measure
        if arm.subject is None:
            found = {name: given for name, given in found.items() if not _is_of(given, self._groups(arm))}
        return found

    def _groups(self, arm: Arm) -> list[str]:
        return groups_under_test(self.suite.named_traffic(arm.traffic))

    def grid(self, arm: Arm) -> Grid:
        """The sweep of an arm. `ScenarioError` for what cannot be had here."""
        return grid_of(self.table(arm), replications=self.replications, seed=arm.seed, keep=self.kept(arm))

    def kept(self, arm: Arm) -> tuple[str, ...]:
        """The tables that the store keeps of an arm's runs."""
        wanted = self.wanted(arm).values()
        follows, has_models = any(map(_follows, wanted)), any(map(_follows_models, wanted))
        return KEPT + (FOLLOWED if follows else ()) + (MODELS if has_models else ())

    def stored(self, arm: Arm, store: Any) -> int:
        """How many of an arm's runs a store has."""
        return stored(self.grid(arm), store=store, measure=lambda results: {}).done

    def is_run_twice(self, arm: Arm) -> bool:
        """Whether what is measured needs other runs first: up to a trigger, or to the end of the warm-up."""
        has_trigger = self.suite.named_traffic(arm.traffic).trigger is not None
        return has_trigger or any(map(_counts, self.wanted(arm).values()))

    def measured(self, arm: Arm) -> dict[str, Any]:
        """How an arm's runs are measured: the arguments of `metrics`, without what was counted `before`."""
        senders = None if self.suite.evaluates == "queue" else [] if arm.subject is None else self._groups(arm)
        bottleneck = self.suite.named_condition(arm.condition).bottleneck
        wanted = self.wanted(arm)
        return {"wanted": wanted, "warm_up": self.warm_up(arm), "bottleneck": bottleneck, "senders": senders}

    def measure(self, arm: Arm, before: Mapping[int, Mapping[str, Mapping[str, float]]] | None = None) -> Measure:
        """What measures a run of an arm; `before` is what flows had counted when the warm-up ended, by seed."""
        return functools.partial(metrics, **self.measured(arm), before=before or {})

    def run(
        self, arm: Arm, store: Any, jobs: int | None, progress: Progress | None, cluster: Any = None
    ) -> tuple[Figured, list[Failed]]:
        """The metrics of an arm's runs by replication, and what failed. Arguments as for a sweep."""
        where = {"store": store, "jobs": jobs, "cluster": cluster}
        if self.suite.named_traffic(arm.traffic).trigger is not None:
            return self._run_triggered(arm, where, progress)
        try:
            grid = self.grid(arm)
            before = self._before(arm, self.wanted(arm), where)
        except ScenarioError as error:
            return {}, [Failed(arm, None, str(error))]
        done = sweep(grid, measure=self.measure(arm, before), progress=progress, merge=False, **where)
        return done.cells[0].runs, [Failed(arm, one.replication, one.error) for one in done.failures]

    def _run_triggered(
        self, arm: Arm, where: Mapping[str, Any], progress: Progress | None
    ) -> tuple[Figured, list[Failed]]:
        """The same of an arm with a trigger: each replication has a scenario of its own."""
        trigger = self.suite.named_traffic(arm.traffic).trigger
        assert trigger is not None
        find = functools.partial(entry, state=trigger.state, number=trigger.number)
        measure = functools.partial(
            metrics,
            wanted=self.wanted(arm),
            warm_up="0 s",
            bottleneck=self.suite.named_condition(arm.condition).bottleneck,
            senders=self._groups(arm),
        )
        figured: dict[int, Mapping[str, float]] = {}
        failures: list[Failed] = []
        for number in range(self.replications):
            seed = seed_of(arm.seed, number)
            try:
                grid = grid_of(self.table(arm), seed=seed, keep=MODELS + KEPT)
                found = sweep(grid, measure=find, merge=False, **where)
                at_s = found.cells[0].runs.get(0, {}).get("at_s")
                done = found
                if at_s is not None:
                    grid = grid_of(self.table(arm, at_s), seed=seed, keep=self.kept(arm))
                    done = sweep(grid, measure=measure, merge=False, **where)
                    if 0 in done.cells[0].runs:
                        figured[number] = done.cells[0].runs[0]
                failures += [Failed(arm, number, one.error) for one in done.failures]
            except ScenarioError as error:
                failures.append(Failed(arm, number, str(error)))
            if progress:
                progress(number + 1, len(failures), self.replications)
        return figured, failures

    def _before(
        self, arm: Arm, wanted: Mapping[str, Mapping[str, Any]], where: Mapping[str, Any]
    ) -> dict[int, dict[str, dict[str, float]]]:
        """What flows had counted when the warm-up ended, by seed: runs of the same seeds that end there.

        A run's past does not depend on its end, so they are the beginnings of the whole ones.
        """
        groups = {group_of(given["flows"]) for given in wanted.values() if _counts(given)}
        table = self.table(arm)
        until_s = _instant_s(self.warm_up(arm), time_s(table["duration"]))
        if not groups or not until_s > 0:
            return {}
        merge(table, {"duration": f"{until_s!r} s", "record": {"sample": "0 s"}})
        table["changes"] = [one for one in table.get("changes", []) if time_s(one["at"]) < until_s]
        grid = grid_of(table, replications=self.replications, seed=arm.seed, keep=("flows",))
        measure = functools.partial(counters, groups=sorted(groups))
        done = sweep(grid, measure=measure, merge=False, **where)
        return {seed_of(arm.seed, number): counters_by_flow(run) for number, run in done.cells[0].runs.items()}


def _instant_s(text: str, duration_s: float) -> float:
    return float(text.removesuffix("%")) / 100 * duration_s if text.endswith("%") else time_s(text)


def _follows(given: Mapping[str, Any]) -> bool:
    of = given["of"]
    return of == "course" or (of not in SEVERAL and MEASURES[of].follows_flows)


def entry(results: Results, state: str, number: int) -> dict[str, float]:
    """When the control enters a state for the nth time, as `at_s`; nothing if it does not."""
    at_s = entry_s(View(results, 0.0, ""), state, number)
    return {} if at_s is None else {"at_s": at_s}


def _follows_models(given: Mapping[str, Any]) -> bool:
    return given["of"] not in SEVERAL and MEASURES[given["of"]].follows_models


def _counts(given: Mapping[str, Any]) -> bool:
    return given["of"] not in SEVERAL and MEASURES[given["of"]].counts


def _is_of(given: Mapping[str, Any], groups: Sequence[str]) -> bool:
    """Whether a measure is of flows of these groups."""
    return any(given.get(key) in groups for key in ("flows", "to", "beside"))
