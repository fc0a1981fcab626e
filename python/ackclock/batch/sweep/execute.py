"""Runs all points of a grid, on all cores or on a cluster's, each once."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any

from ackclock._internal.gc_tuning import SeldomCollection
from ackclock._internal.scratch import remove_left
from ackclock.batch.store import Segments, StoreError
from ackclock.batch.sweep.cluster import client_of, run_on_cluster
from ackclock.batch.sweep.grid import Grid, grid_of, load_grid
from ackclock.batch.sweep.metrics import metrics, settled
from ackclock.batch.sweep.outcome import Sweep
from ackclock.batch.sweep.plan import Plan
from ackclock.batch.sweep.script import Script
from ackclock.batch.sweep.sequential_stopping import Until
from ackclock.batch.sweep.work import Done, Job, Measure, work
from ackclock.execution.parallel_runs import parallel_runs
from ackclock.execution.simulate import run as simulate
from ackclock.scenario import Scenario, ScenarioError

#: Called with the numbers of runs that are done, that failed, and that there are.
Progress = Callable[[int, int, int], None]

#: What runs are handed out in: a few, which take about so long, s. Less is more often asked for; of more, more is lost
#: with a worker.
CHUNK_S = 0.25

#: What is done is kept so often, s, and when there are so many rows of it, some 5 MB.
KEEP_S = 5.0
KEEP_ROWS = 16_000


def sweep(
    what: str | os.PathLike[str] | Grid | Scenario,
    *,
    vary: Mapping[str, Any] | None = None,
    zips: Sequence[Mapping[str, Any]] = (),
    replications: int | None = None,
    seed: int | None = None,
    store: str | os.PathLike[str] = "out/store",
    jobs: int | None = None,
    cluster: Any = None,
    measure: Measure | None = None,
    until: Until | Mapping[str, Any] | None = None,
    warm_up: str | None = None,
    progress: Progress | None = None,
    merge: bool = True,
) -> Sweep:
    """Run a grid and return its metrics, over replications with intervals.

    - `what`: a grid file, a `Grid`, or a scenario.
    - `vary`: values by key (`{"flows.0.tcp": ["reno", "sack"]}`); `zips`: keys whose values change together. These two,
      `replications`, `seed`, `until` and `warm_up` are as in `Grid`.
    - `store`: the folder of stored runs. Runs that are there are not repeated, so a killed sweep resumes where it
      stopped.
    - `jobs`: runs at a time, on threads of this process; one per core by default.
    - `cluster`: run on its workers instead: a Dask scheduler's address, what `distributed.Client` takes, such as
      dask-jobqueue's `SLURMCluster`, or a client.
    - `measure`: a function that returns a run's metrics from its tables, where it ran; by default `metrics`, or
      `settled` with a `warm_up`.
    - `progress`: called now and then with the numbers of runs that are done, that failed, and that there are.
    - `merge`: for many sweeps in sequence, use `merge=False` and call `merge(store)` once at the end; the stored files
      are the same.

    A run that fails is in `Sweep.failures`; the others continue. Raises `ScenarioError` for a wrong grid or number of
    jobs, `StoreError` for a store of another format, `ClusterError` for a cluster that cannot take part, and `OSError`
    if the store cannot be written.
    """
    given = {"replications": replications, "seed": seed, "until": until, "warm_up": warm_up}
    grid = _grid(what, vary, zips, {name: value for name, value in given.items() if value is not None})
    measure = measure or _measure(grid)
    threads = parallel_runs(jobs)
    remove_left()  # folders of scripts, of sweeps that were killed
    place = Segments(store)
    if merge:
        place.merge()  # what a sweep that was killed has left
    plan = Plan(grid)
    plan.look(place, measure)
    with contextlib.ExitStack() as using:
        using.enter_context(SeldomCollection())
        if cluster is not None:
            executor: Executor = partial(run_on_cluster, using.enter_context(client_of(cluster)), measure)
        else:
            pool = ThreadPoolExecutor(threads)
            using.callback(pool.shutdown, cancel_futures=True)
            executor = partial(_threads, pool, threads, measure)
        _run_all(plan, place, executor, progress)
    if merge:
        place.merge()
    return plan.outcome()


def merge(store: str | os.PathLike[str]) -> None:
    """Move all runs that sweeps with `merge=False` have added into the large files of the folder `store`."""
    Segments(store).merge()


def stored(
    what: str | os.PathLike[str] | Grid,
    *,
    store: str | os.PathLike[str] = "out/store",
    measure: Measure | None = None,
) -> Sweep:
    """The results that a store already has for a grid, without running anything.

    `what` is a grid file or a `Grid`, `store` the folder, `measure` as for `sweep`. Raises as `sweep` does.
    """
    plan = Plan(_grid(what, None, (), {}))
    plan.look(Segments(store), measure or _measure(plan.grid))
    return plan.outcome()


def estimate_s(grid: Grid, *, jobs: int | None = None, probes: int = 5, patience_s: float = 0.3) -> float | None:
    """Estimated time for a whole `grid` in seconds, from running `probes` of its points for `patience_s` seconds each.

    `jobs` is as for `sweep`. None for scripts.
    """
    if isinstance(grid.base, Script):
        return None
    few = min(probes, len(grid))
    chosen = [grid.point(index * (len(grid) - 1) // max(few - 1, 1)) for index in range(few)]
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
        except (ValueError, RuntimeError):
            continue  # it is named when the sweep comes to it
    runs = len(grid) * grid.replications
    return whole / len(chosen) * runs / min(jobs or runs, os.cpu_count() or 1)


def _measure(grid: Grid) -> Measure:
    """What is measured unless the caller says."""
    return partial(settled, warm_up=grid.warm_up) if grid.warm_up else partial(metrics, columns=grid.measure)


class _Enough(Exception):
    """A probe has run for long enough."""


def _grid(
    what: str | os.PathLike[str] | Grid | Scenario,
    vary: Mapping[str, Any] | None,
    zips: Sequence[Mapping[str, Any]],
    given: dict[str, Any],
) -> Grid:
    if isinstance(what, Scenario):
        return grid_of(what, vary, zips, **given)
    if vary or zips or given:
        raise TypeError("vary, zips, replications, seed, until and warm_up go with a scenario; a grid has its own")
    return what if isinstance(what, Grid) else load_grid(what)


#: Runs chunks of jobs executor, a few at a time, and gives what comes of them as it comes.
Executor = Callable[[Grid, Iterator[list[Job]]], Iterator[tuple[float, Done]]]


def _run_all(plan: Plan, place: Segments, executor: Executor, progress: Progress | None) -> None:
    """Run what is missing, and keep it."""
    chunks, kept_at = _Chunks(plan), time.monotonic()
    try:
        for took_s, done in executor(plan.grid, chunks):
            chunks.took(took_s, len(done.ended))
            plan.take(done)
            place.add(done.tables)
            if progress is not None:
                progress(*plan.progress())
            if time.monotonic() - kept_at > KEEP_S or place.rows > KEEP_ROWS:
                place.flush()
                kept_at = time.monotonic()
    finally:
        # Interrupted or not: what is done is not done again.
        place.flush()


class _Chunks(Iterator[list[Job]]):
    """The jobs that are left, some at a time: as many runs as take a moment."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._runs = 1

    def took(self, seconds: float, runs: int) -> None:
        """So long took a chunk of this many."""
        wanted = CHUNK_S * runs / max(seconds, 1e-3)
        self._runs = round(min(max(wanted, 1), 2 * self._runs, 256))

    def __next__(self) -> list[Job]:
        jobs = self._plan.jobs(self._runs)
        if not jobs:
            raise StopIteration
        return jobs


def _threads(
    pool: ThreadPoolExecutor, threads: int, measure: Measure, grid: Grid, chunks: Iterable[list[Job]]
) -> Iterator[tuple[float, Done]]:
    """Runs chunks on threads of this process. Only a few wait, however many there are."""

    def timed(jobs: list[Job]) -> tuple[float, Done]:
        began = time.monotonic()
        done = work(grid, jobs, measure)
        return time.monotonic() - began, done

    waiting: set[Future[tuple[float, Done]]] = set()
    while True:
        for jobs in chunks:
            waiting.add(pool.submit(timed, jobs))
            if len(waiting) >= 2 * threads:
                break
        if not waiting:
            return
        ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for future in ended:
            yield future.result()


__all__ = ["Measure", "Progress", "ScenarioError", "StoreError", "estimate_s", "merge", "stored", "sweep"]
