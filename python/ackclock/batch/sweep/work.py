"""Some runs of a sweep, wherever they are done: on a thread of this process, or by a worker elsewhere."""

from __future__ import annotations

import hashlib
import json
import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from ackclock._internal.scratch import Scratch
from ackclock._native import Table, join_runs
from ackclock.batch.store import INDEX, engine_digest
from ackclock.batch.sweep.grid import Grid, Point, seed_of
from ackclock.batch.sweep.script import Script
from ackclock.execution.process import run_ns2
from ackclock.execution.results import Results
from ackclock.execution.simulate import CompiledScenario, StartedRun
from ackclock.scenario import Scenario
from ackclock.scenario.resolve.plugins import own_code

#: What is measured of a scenario's run: metrics by name.
Measure = Callable[[Results], Mapping[str, float]]

#: A run's metrics, or why there are none.
Found = dict[str, float] | str

#: The table of what a script printed.
PRINTED = "printed"


@dataclass(frozen=True)
class Described:
    """What is run at a point, whatever the seed."""

    #: sha256 of the engine and the description, 32 digits: the store's `point`
    digest: str
    #: JSON, without the seed
    text: str
    #: None for a script
    scenario: Scenario | None


@dataclass(frozen=True)
class Job:
    """Some replications of the point with this number."""

    index: int
    described: Described
    replications: tuple[int, ...]


@dataclass(frozen=True)
class Done:
    """What comes of some jobs: tables of all their runs by name, and point, replication and metrics of each run."""

    tables: dict[str, Table]
    ended: list[tuple[int, int, Found]]


def described(grid: Grid, point: Point) -> Described:
    """What is run at a point of a grid. `ScenarioError` where its settings do not fit together."""
    base, scenario = grid.base, None
    told: dict[str, object]
    if isinstance(base, Script):
        told = {"script": base.path.name, "sources": base.sources, "args": base.args, "settings": point.settings}
    else:
        scenario = grid.scenario(point, 0)
        table = scenario.table()
        del table["seed"]
        code = own_code(scenario)
        told = {"scenario": table, **({"own_code": code} if code else {}), "keep": grid.keep}
    text = json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return Described(hashlib.sha256(f"{engine_digest()}\n{text}".encode()).hexdigest()[:32], text, scenario)


def work(grid: Grid, jobs: Sequence[Job], measure: Measure) -> Done:
    """Run jobs. What is wrong with a run is in the result; an `OSError`, of a full disk for one, is raised."""
    parts: dict[str, list[tuple[str, int, Table]]] = {}
    ended: list[tuple[int, int, Found]] = []
    runs = _scripts(grid, jobs) if isinstance(grid.base, Script) else _simulations(grid, jobs, measure)
    for job, replication, tables, found in runs:
        for name, table in tables.items():
            parts.setdefault(name, []).append((job.described.digest, seed_of(grid.seed, replication), table))
        ended.append((job.index, replication, found))
    return Done({name: join_runs(of_runs) for name, of_runs in parts.items()}, ended)


#: Names of a run's nodes, flows and links.
Names = tuple[list[str], list[str], list[str]]

#: A run that has ended: its job and replication, its tables, none where it failed, and its metrics.
Ended = tuple[Job, int, Mapping[str, Table], Found]


def _simulations(grid: Grid, jobs: Sequence[Job], measure: Measure) -> Iterator[Ended]:
    """All are begun, then all go, then all are looked at.

    A simulation leaves nothing else in the processor's caches: what is done for many, one after the other, takes half
    the time of what is done for each in between.
    """
    begun = deque(run for job in jobs for run in _begin(grid, job))
    finished: list[tuple[Job, int, Results | str]] = []
    while begun:
        job, replication, run = begun.popleft()  # an engine is done with when it has ended
        finished.append((job, replication, run if isinstance(run, str) else _tried(run.finish)))
    told: tuple[Job, Names, Table] | None = None
    for job, replication, results in finished:
        if isinstance(results, str):
            yield job, replication, {}, results
            continue
        # What is measured is what is kept: the store gives the same metrics.
        # Calls and videos are flows: their few rows go with those of flows.
        kept = (*grid.keep, *(("calls", "videos") if "flows" in grid.keep else ()))
        results.tables = {name: table for name, table in results.tables.items() if name in kept}
        # With `arrivals`, each replication has flows of its own.
        names = results.nodes, results.names["flows"], results.names["links"]
        if told is None or told[0] is not job or told[1] != names:
            told = job, names, _index(job, *names)
        yield job, replication, {**results.tables, INDEX: told[2]}, measured(results, measure)


def _begin(grid: Grid, job: Job) -> Iterator[tuple[Job, int, StartedRun | str]]:
    """The runs of a job, ready to go, or why not."""
    assert job.described.scenario is not None
    compiled = _tried(partial(CompiledScenario, job.described.scenario))
    for replication in job.replications:
        seed = seed_of(grid.seed, replication)
        yield job, replication, compiled if isinstance(compiled, str) else _tried(partial(compiled.begin, seed))


def _scripts(grid: Grid, jobs: Sequence[Job]) -> Iterator[Ended]:
    assert isinstance(grid.base, Script)
    for job in jobs:
        for replication in job.replications:
            seed = seed_of(grid.seed, replication)
            printed = _tried(partial(_printed, grid.base, grid.point(job.index), seed))
            if isinstance(printed, str):
                yield job, replication, {}, printed
                continue
            tables = {PRINTED: printed, INDEX: _index(job, [], [], [])}
            yield job, replication, tables, read(grid.base, tables)


def _index(job: Job, *names: list[str]) -> Table:
    """The row of a run in the store's table of runs: what was run, and the names of its nodes, flows and links."""
    told = [engine_digest(), job.described.text, *(json.dumps(one, ensure_ascii=False) for one in names)]
    return Table.of_words([(name, [word]) for name, word in zip(COLUMNS, told, strict=True)])


T = TypeVar("T")


def _tried(do: Callable[[], T]) -> T | str:
    """What this gives, or, where it goes wrong with this run alone, why."""
    try:
        return do()
    except BaseException as error:
        if isinstance(error, OSError) or not (isinstance(error, Exception) or _is_panic(error)):
            raise
        return said(error)


#: What the store's table of runs says of each besides point and seed; the last three are lists of names, as JSON.
COLUMNS = ("engine", "description", "nodes", "flows", "links")


def results_of(scenario: Scenario, seed: int, tables: Mapping[str, Table]) -> Results:
    """A run of a scenario as the store has it."""
    nodes, flows, links = (json.loads(tables[INDEX].column(name)[0]) for name in COLUMNS[2:])
    kept = {name: table for name, table in tables.items() if name != INDEX}
    return Results(scenario.with_seed(seed), nodes, {"flows": flows, "links": links}, kept, own_code(scenario))


def measured(results: Results, measure: Measure) -> Found:
    """A run's metrics; where they cannot be taken, why."""
    try:
        found = {str(name): float(value) for name, value in measure(results).items()}
    except Exception as error:
        return f"measure: {said(error)}"
    wrong = next((name for name, value in found.items() if not math.isfinite(value)), None)
    return found if wrong is None else f"measure: {wrong} = {found[wrong]}: expected a finite number, or no such metric"


def read(script: Script, tables: Mapping[str, Table]) -> Found:
    """The metrics in what a script printed; where they are not there, why."""
    try:
        return script.read(tables[PRINTED].column("stdout")[0])
    except ValueError as error:
        return said(error)


def _printed(script: Script, point: Point, seed: int) -> Table:
    """Run a script in a folder of its own, which goes; what it printed."""
    with Scratch() as scratch:
        folder = scratch / "run"
        folder.mkdir()
        result = run_ns2(script.path, *script.words(point.settings, seed), cwd=folder)
    # A table has text; what is none comes back as far as it can be read.
    words = {"stdout": result.stdout, "stderr": result.stderr}
    plain = {name: text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for name, text in words.items()}
    return Table.of_words([(name, [text]) for name, text in plain.items()])


def failed(jobs: Sequence[Job], error: str) -> Done:
    """What comes of jobs of which nothing came: every run has failed."""
    return Done({}, [(job.index, replication, error) for job in jobs for replication in job.replications])


def said(error: BaseException) -> str:
    """An error in a line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _is_panic(error: BaseException) -> bool:
    """Whether the engine itself has failed: this run is lost, the others need not be."""
    return type(error).__name__ == "PanicException"
