"""What of a grid is done, and what is to be done next."""

from __future__ import annotations

from collections import deque

import numpy as np

from ackclock.batch.store import Segments, engine_digest
from ackclock.batch.sweep.grid import Grid, seed_of
from ackclock.batch.sweep.outcome import Failure, Metrics, Sweep
from ackclock.batch.sweep.script import Script
from ackclock.batch.sweep.work import Done, Found, Job, Measure, described, measured, read, results_of, said
from ackclock.scenario import Scenario, ScenarioError
from ackclock.scenario.errors import nearest


class Plan:
    """A grid's runs: those that have metrics, those that failed, and those that nobody has begun."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        #: runs that have metrics
        self.done = 0
        self._found = Metrics(len(grid), grid.replications)
        self._failures: dict[tuple[int, int], Failure] = {}
        self._of_others = 0
        # By point: how many replications there are to be, from which on none was handed out, how many are being run.
        self._wanted = np.full(len(grid), grid.replications)
        self._begun = np.zeros(len(grid), dtype=int)
        self._running = np.zeros(len(grid), dtype=int)
        #: points of which there may be more to hand out
        self._left = deque(range(len(grid)))

    def look(self, store: Segments, measure: Measure) -> None:
        """Take from the store what it has."""
        if store.is_empty():
            return
        points: dict[str, list[int]] = {}
        texts: set[int] = set()
        for index in range(len(self.grid)):
            try:
                known = described(self.grid, self.grid.point(index))
            except ScenarioError:
                continue  # it fails when its turn comes
            points.setdefault(known.digest, []).append(index)
            texts.add(hash(known.text))
        replications = {seed_of(self.grid.seed, number): number for number in range(self.grid.most)}
        scenario: Scenario | None = None
        last = ""
        for point, seed, tables in store.runs(points):
            if seed not in replications:
                continue
            if isinstance(self.grid.base, Script):
                found = read(self.grid.base, tables)
            else:
                if point != last:
                    last, scenario = point, self.grid.scenario(self.grid.point(points[point][0]), 0)
                assert scenario is not None
                found = measured(results_of(scenario, seed, tables), measure)
            for index in points[point]:
                self._end(index, replications[seed], found)
        if self.done < self.total:
            others = (told for told in store.index() if told.engine != engine_digest())
            self._of_others = sum(told.seed in replications and hash(told.description) in texts for told in others)

    def jobs(self, runs: int) -> list[Job]:
        """What to run next, about this many runs; none where nothing is left for now."""
        jobs: list[Job] = []
        while runs > 0 and self._left:
            index = self._left[0]
            wanted = int(self._wanted[index])
            missing = [
                number for number in range(int(self._begun[index]), wanted) if not self._has_ended(index, number)
            ]
            # A point's scenario is computed for each job, so a point with short runs is not split into two jobs.
            taken = tuple(missing if len(missing) <= 2 * runs else missing[:runs])
            self._begun[index] = taken[-1] + 1 if len(taken) < len(missing) else wanted
            if self._begun[index] == wanted:
                self._left.popleft()
            if not missing:
                self._grow(index)
                continue
            try:
                jobs.append(Job(index, described(self.grid, self.grid.point(index)), taken))
            except ScenarioError as error:
                for number in taken:
                    self._end(index, number, said(error))
                continue
            self._running[index] += len(taken)
            runs -= len(taken)
        return jobs

    def take(self, done: Done) -> None:
        """What has come of some jobs."""
        for index, replication, found in done.ended:
            self._end(index, replication, found)
            self._running[index] -= 1
            if not self._running[index] and self._begun[index] == self._wanted[index]:
                self._grow(index)

    @property
    def total(self) -> int:
        """How many runs there are to be, as far as is known."""
        return int(self._wanted.sum())

    def progress(self) -> tuple[int, int, int]:
        """How many runs are done, have failed, and there are."""
        return self.done, len(self._failures), self.total

    def outcome(self) -> Sweep:
        """What there is of the grid."""
        self._found.cut(self._wanted)
        failures = [self._failures[run] for run in sorted(self._failures)]
        return Sweep(self.grid, self._found, failures, self.total, self._of_others)

    def _has_ended(self, index: int, replication: int) -> bool:
        return self._found.has(index, replication) or (index, replication) in self._failures

    def _end(self, index: int, replication: int, found: Found) -> None:
        """A run has its metrics, or has failed."""
        if isinstance(found, str):
            seed = seed_of(self.grid.seed, replication)
            self._failures[index, replication] = Failure(self.grid.point(index), replication, seed, found)
            return
        self._found.put(index, replication, found)
        self.done += int(replication < self._wanted[index])

    def _grow(self, index: int) -> None:
        """More replications of a point whose interval is not yet narrow."""
        until, now = self.grid.until, int(self._wanted[index])
        if until is None:
            return
        values = self._found.values(index, until.metric)[:now]
        if not values and self._found.has(index, 0):
            known = self._found.names()
            expected = f"expected a metric that runs give: {', '.join(known)}"
            near = nearest(until.metric, known)
            raise ScenarioError(expected, key="until.metric", value=until.metric, nearest=near)
        if len(values) < now:
            return  # one has failed, and so would others
        wanted = until.wanted(values)
        if wanted > now:
            self.done += sum(self._found.has(index, number) for number in range(now, wanted))
            self._wanted[index] = wanted
            self._left.append(index)
