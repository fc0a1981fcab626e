"""Many arms in few sweeps: those that are measured alike are the points of one grid.

A sweep reads the store once. A matrix has thousands of arms, and one sweep for each would read it as often.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any

from ackclock.batch.evaluate.arms import Arm, Failed, Figured, Runs
from ackclock.batch.sweep import Grid, sweep
from ackclock.batch.sweep.execute import Progress
from ackclock.batch.sweep.grid import Axis
from ackclock.scenario import ScenarioError

#: Arms of one sweep. A worker of a cluster receives the sweep's scenarios with every few runs.
TOGETHER = 256


@dataclass
class Done:
    """What comes of arms: the metrics of their runs, and the runs that failed."""

    figured: dict[Arm, Figured] = field(default_factory=dict)
    failures: list[Failed] = field(default_factory=list)


def run_arms(
    how: Runs,
    arms: Sequence[Arm],
    store: Any,
    jobs: int | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> Done:
    """Run these arms, each once. `store`, `jobs`, `cluster` and `progress` are as for a sweep.

    A run that fails is in the result; the others continue.
    """
    found, total = Done(), len(arms) * how.replications
    where = {"store": store, "jobs": jobs, "cluster": cluster}
    for some in _batches(how, arms):
        grid = _grid(how, some) if len(some) > 1 else None
        if grid is not None:
            _run_alike(how, some, grid, found, {**where, "progress": _told(progress, how, found, total)})
            continue
        for arm in some:
            told = _told(progress, how, found, total)
            found.figured[arm], failures = how.run(arm, progress=told, **where)
            found.failures += failures
    return found


def _told(progress: Progress | None, how: Runs, found: Done, total: int) -> Progress | None:
    """The progress of a sweep, told as that of all: `found` is what came of those before it."""
    if progress is None:
        return None
    failed = len(found.failures)
    done = len(found.figured) * how.replications - failed
    return lambda here, failed_here, _: progress(done + here, failed + failed_here, total)


def arms_stored(how: Runs, arms: Sequence[Arm], store: Any) -> int:
    """The number of runs of these arms that a store has. `StoreError` for a store of another format."""
    from ackclock.batch.sweep import stored

    there = 0
    for some in _batches(how, arms):
        grid = _grid(how, some) if len(some) > 1 else None
        if grid is None:
            there += sum(how.stored(arm, store) for arm in some)
        else:
            there += stored(grid, store=store, measure=_nothing).done
    return there


def _nothing(_: object) -> Mapping[str, float]:
    return {}


def _batches(how: Runs, arms: Sequence[Arm]) -> Iterator[list[Arm]]:
    """The arms by how they are measured, a limited number at a time; those that differ from all others alone."""
    alike: dict[object, list[Arm]] = {}
    alone = count()
    for arm in arms:
        alike.setdefault(_likeness(how, arm) or next(alone), []).append(arm)
    for group in alike.values():
        rest = iter(group)
        while some := list(islice(rest, TOGETHER)):
            yield some


def _likeness(how: Runs, arm: Arm) -> str | None:
    """What arms of one sweep have in common; None for an arm that needs a sweep of its own."""
    if how.is_run_twice(arm):
        return None
    try:
        keys = sorted(how.table(arm))
    except ScenarioError:
        return None  # it fails when its turn comes
    kept = how.kept(arm)
    return json.dumps([arm.seed, keys, kept, how.measured(arm)], sort_keys=True, default=str)


def _grid(how: Runs, arms: Sequence[Arm]) -> Grid | None:
    """The arms as points of a grid; None where one cannot be had: then each is tried alone, and named."""
    try:
        tables = [how.table(arm) for arm in arms]
        keys = tuple(tables[0])
        values = tuple(tuple(table[key] for key in keys) for table in tables)
        return Grid(
            base=tables[0],
            axes=(Axis("arms", keys, values),),
            replications=how.replications,
            seed=arms[0].seed,
            keep=how.kept(arms[0]),
        )
    except ScenarioError:
        return None


def _run_alike(how: Runs, arms: Sequence[Arm], grid: Grid, found: Done, options: Mapping[str, Any]) -> None:
    done = sweep(grid, measure=how.measure(arms[0]), merge=False, **options)
    for arm, cell in zip(arms, done.cells, strict=True):
        found.figured[arm] = cell.runs
        failed = {one.replication: one.error for one in done.failures if one.point == cell.point}
        found.failures += [Failed(arm, number, error) for number, error in sorted(failed.items())]
