"""Runs all points of a grid, on all cores, each once."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from ackclock.process import Ns2Error
from ackclock.results import Results, ResultsError
from ackclock.scenario import Scenario, ScenarioError
from ackclock.simulate import SimulationError
from ackclock.simulate import run as simulate
from ackclock.store import Kept, Store
from ackclock.sweeps.figures import figures
from ackclock.sweeps.grid import Grid, Point, grid_of, load_grid, seed_of
from ackclock.sweeps.outcome import Cell, Failure, Sweep
from ackclock.sweeps.script import Script

#: A run that fails so is listed, and the others go on. An `OSError`, a full disk for one, ends the sweep.
FAILURES = (ScenarioError, SimulationError, Ns2Error, ResultsError)

#: What is measured of a scenario's run: figures by name.
Measure = Callable[[Results], Mapping[str, float]]

#: Called with the numbers of runs that are done, that failed, and that there are.
Progress = Callable[[int, int, int], None]


def sweep(
    what: str | os.PathLike[str] | Grid | Scenario,
    *,
    vary: Mapping[str, Any] | None = None,
    zips: Sequence[Mapping[str, Any]] = (),
    replications: int | None = None,
    seed: int | None = None,
    store: str | os.PathLike[str] = "out/store",
    jobs: int | None = None,
    measure: Measure = figures,
    progress: Progress | None = None,
) -> Sweep:
    """Run a grid and return its figures, over replications with intervals.

    `what` is a grid file, a `Grid`, or a scenario with `vary`, the values of its keys (`{"flows.0.tcp": ["reno",
    "sack"]}`), and `zips`, keys whose values go together. Runs are kept in the folder `store`: those that are there are
    not run again, so a sweep that was killed goes on where it stopped. `jobs` run at a time, on threads of this
    process; two a core unless given, since a short run waits for the disk as long as it computes. `measure` takes a
    run's figures from its tables.

    A run that fails is in `Sweep.failures`; the others go on. Raises `ScenarioError` for a grid that is wrong,
    `OSError` when the store cannot be written.
    """
    grid = _grid(what, vary, zips, replications, seed)
    place = Store(store)
    outcome = _empty(grid)
    total, done, failed = len(grid) * grid.replications, 0, 0
    jobs = jobs or 2 * (os.cpu_count() or 1)
    pool = ThreadPoolExecutor(max_workers=jobs)
    try:
        for cell, replication, result in _as_they_come(pool, grid, outcome.cells, place, measure, jobs):
            if isinstance(result, Failure):
                outcome.failures.append(result)
                failed += 1
            else:
                cell.runs[replication] = result
                done += 1
            if progress is not None:
                progress(done, failed, total)
    finally:
        pool.shutdown(cancel_futures=True)
    outcome.failures.sort(key=lambda failure: (str(failure.point), failure.replication))
    return outcome


def stored(
    what: str | os.PathLike[str] | Grid,
    *,
    store: str | os.PathLike[str] = "out/store",
    measure: Measure = figures,
) -> Sweep:
    """What of a grid the store has already, without running anything."""
    grid = _grid(what, None, (), None, None)
    place = Store(store)
    outcome = _empty(grid)
    for cell in outcome.cells:
        for replication in range(grid.replications):
            kept = _kept(grid, cell.point, replication, place)
            if kept is not None:
                cell.runs[replication] = _measured(grid, kept, measure)
    return outcome


def estimate_s(grid: Grid, *, jobs: int | None = None, probes: int = 5, patience_s: float = 0.3) -> float | None:
    """How long the whole grid may take, s, by running a few of its points for a moment each. None for scripts."""
    if isinstance(grid.base, Script):
        return None
    points = list(grid.points())
    few = min(probes, len(points))
    chosen = [points[index * (len(points) - 1) // max(few - 1, 1)] for index in range(few)]
    whole = 0.0
    for point in chosen:
        began, reached = time.monotonic(), [0.0, 1.0]

        def look(now_s: float, duration_s: float, began: float = began, reached: list[float] = reached) -> None:
            reached[:] = now_s, duration_s
            if time.monotonic() - began > patience_s:
                raise _Enough

        try:
            simulate(grid.scenario(point, 0), progress=look)
            whole += time.monotonic() - began
        except _Enough:
            whole += (time.monotonic() - began) * reached[1] / reached[0]
        except FAILURES:
            continue
    cores = min(jobs or len(points) * grid.replications, os.cpu_count() or 1)
    return whole / len(chosen) * len(points) * grid.replications / cores


class _Enough(Exception):
    """A probe has run for long enough."""


def _grid(
    what: str | os.PathLike[str] | Grid | Scenario,
    vary: Mapping[str, Any] | None,
    zips: Sequence[Mapping[str, Any]],
    replications: int | None,
    seed: int | None,
) -> Grid:
    if isinstance(what, Scenario):
        return grid_of(
            what, vary, zips, replications=1 if replications is None else replications, seed=1 if seed is None else seed
        )
    if vary or zips or replications is not None or seed is not None:
        raise TypeError("vary, zips, replications and seed go with a scenario; a grid has its own")
    return what if isinstance(what, Grid) else load_grid(what)


def _empty(grid: Grid) -> Sweep:
    return Sweep(grid, [Cell(point, {}) for point in grid.points()], [])


def _as_they_come(
    pool: ThreadPoolExecutor, grid: Grid, cells: list[Cell], store: Store, measure: Measure, jobs: int
) -> Iterator[tuple[Cell, int, Mapping[str, float] | Failure]]:
    """Each run's figures or failure. Only a few runs wait in the pool, however many there are."""
    left = ((cell, replication) for cell in cells for replication in range(grid.replications))
    waiting: dict[Future[Mapping[str, float] | Failure], tuple[Cell, int]] = {}
    while True:
        for cell, replication in left:
            waiting[pool.submit(_run, grid, cell.point, replication, store, measure)] = cell, replication
            if len(waiting) >= 2 * jobs:
                break
        if not waiting:
            return
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            cell, replication = waiting.pop(future)
            yield cell, replication, future.result()


def _run(grid: Grid, point: Point, replication: int, store: Store, measure: Measure) -> Mapping[str, float] | Failure:
    seed = seed_of(grid.seed, replication)
    try:
        if isinstance(grid.base, Script):
            kept = store.run_ns2(grid.base.path, *grid.base.words(point.settings, seed), keep=[])
        else:
            kept = store.run_scenario(grid.scenario(point, replication), keep=grid.keep)
        return _measured(grid, kept, measure)
    except FAILURES as error:
        return Failure(point, replication, seed, f"{type(error).__name__}: {error}")


def _kept(grid: Grid, point: Point, replication: int, store: Store) -> Kept | None:
    seed = seed_of(grid.seed, replication)
    if isinstance(grid.base, Script):
        return store.kept_ns2(Path(grid.base.path), *grid.base.words(point.settings, seed), keep=[])
    return store.kept_scenario(grid.scenario(point, replication), keep=grid.keep)


def _measured(grid: Grid, kept: Kept, measure: Measure) -> Mapping[str, float]:
    if isinstance(grid.base, Script):
        return grid.base.read(kept.stdout)
    return measure(kept.results)
