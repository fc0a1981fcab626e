"""Run a study: its simulations side by side, those that the store has not, then its claims against what they gave."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ackclock._internal.checksums import SUMS, sha256, write_sums
from ackclock.batch.store import Kept, Store, StoreError, digest_of
from ackclock.batch.study.claim import Claim, Verdict
from ackclock.batch.study.family import Run
from ackclock.batch.study.load import Study, StudyError, function
from ackclock.batch.study.measured import Measured, Replications, Settings, Undetermined, Value
from ackclock.batch.study.progress import Bar
from ackclock.batch.study.rule import EXACT, Judged, as_referred, judge
from ackclock.execution.parallel_runs import parallel_runs
from ackclock.execution.process import ACKCLOCK, Ns2Error
from ackclock.execution.results import ResultsError
from ackclock.execution.simulate import SimulationError
from ackclock.scenario import Scenario, ScenarioError, load

#: In the folder that a study is run into: what the browser's page shows of it, figures, the page about it alone.
OUTCOME = "outcome.json"
FIGURES = "figures"
REPORT = "report.html"


class Runs(Mapping[str, Kept]):
    """The runs of a study by their `id`. Those of a higher level than was requested are missing."""

    def __init__(self, study: Study, kept: Mapping[str, Kept]) -> None:
        self.study = study
        self._kept = {run.id: kept[run.id] for run in study.runs if run.id in kept}
        self._by_id = {run.id: run for run in study.runs}

    def __getitem__(self, id: str) -> Kept:
        return self._kept[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def run(self, id: str) -> Run:
        """The description of a run: its arguments, its seed, the values of its lists."""
        return self._by_id[id]

    def replications(self, id: str) -> list[Kept]:
        """The runs that differ from this one only in their seeds, without it."""
        return [kept for name, kept in self._kept.items() if self._by_id[name].group == id and name != id]

    def with_replications(self, id: str) -> list[Kept]:
        """A run and its replications, the base run first."""
        return [self[id], *self.replications(id)]

    def over(self, id: str, measure: Callable[[Kept], Value]) -> Replications:
        """The same measurement of a run and of its replications; `measure` takes a run's `Kept` and returns a value."""
        return Replications([measure(kept) for kept in self.replications(id)], measure(self[id]))


@dataclass(frozen=True)
class Figure:
    """A plot in a file."""

    #: the SVG file
    path: Path
    #: the sentence under it
    caption: str
    #: ids of the runs that it shows
    runs: Sequence[str] = field(default_factory=tuple)


@dataclass(frozen=True)
class Comparison:
    """A table that a study adds to the paper's own: the same numbers from several sources."""

    #: the sentence above it
    caption: str
    #: heading of the first column, then of each column of numbers
    columns: Sequence[str]
    #: rows by group: the group's name, and for each row its heading and its cells
    groups: Sequence[tuple[str, Sequence[tuple[str, Sequence[str]]]]]


@dataclass(frozen=True)
class Checked:
    """A claim with its measurement and its verdict."""

    #: the claim
    claim: Claim
    #: what `measure` returned for it
    measured: Measured
    #: the verdict and its reason
    judged: Judged
    #: Whether value and verdict are those that the claim's reference gives; None where it has none.
    as_referred: bool | None

    @property
    def verdict(self) -> Verdict:
        """The verdict without its reason."""
        return self.judged.verdict

    @property
    def value(self) -> Value | None:
        """The measurement of the base run; None where there is none, or one for each setting."""
        found = self.measured.base if isinstance(self.measured, Replications) else self.measured
        return None if isinstance(found, (Settings, Undetermined)) else found


@dataclass(frozen=True)
class Trace:
    """A file of a run, compared with the sha256 of the real simulator's file."""

    #: the run's id
    run: str
    #: the file
    path: Path
    #: the sha256 of the real simulator's file
    expected: str
    #: the sha256 of this file
    found: str

    @property
    def same(self) -> bool:
        """Whether it is the same, byte for byte."""
        return self.expected == self.found


@dataclass(frozen=True)
class Outcome:
    """The results of running a study."""

    #: the study
    study: Study
    #: the level at which it was run
    level: str
    #: What ran the scripts.
    program: tuple[str, ...]
    #: its runs
    runs: Runs
    #: its claims with their verdicts
    checked: tuple[Checked, ...]
    #: files compared with the real simulator's
    traces: tuple[Trace, ...]
    #: its plots
    figures: tuple[Figure, ...]
    #: tables that the study adds to the paper's
    comparisons: tuple[Comparison, ...]

    @property
    def holds(self) -> bool:
        """Whether every value, verdict and trace is what the reference, where there is one, gives."""
        return all(c.as_referred is not False for c in self.checked) and all(t.same for t in self.traces)

    @property
    def left_out(self) -> tuple[Claim, ...]:
        """The claims that are skipped at the level of this run."""
        weighed = {checked.claim.id for checked in self.checked}
        return tuple(claim for claim in self.study.claims if claim.id not in weighed)

    def count(self, verdict: Verdict) -> int:
        """The number of the paper's claims with this `verdict`."""
        return sum(checked.verdict is verdict for checked in self.checked if checked.claim.origin == "paper")

    @property
    def exact(self) -> dict[str, tuple[int, int]]:
        """Of the printed figures of each table, by its id: how many came out to their last digit, and of how many.

        Those outside tables are under "".
        """
        found: dict[str, tuple[int, int]] = {}
        for checked in self.checked:
            if checked.claim.rule in EXACT and checked.claim.origin == "paper":
                name = checked.claim.cell[0] if checked.claim.cell else ""
                right, all_of_them = found.get(name, (0, 0))
                found[name] = right + (checked.verdict is Verdict.REPRODUCED), all_of_them + 1
        return found


def run_study(
    study: Study,
    out: Path,
    *,
    store: Store | None = None,
    level: str = "normal",
    jobs: int | None = None,
    program: Sequence[str] | None = None,
) -> Outcome:
    """Run the simulations of a `study`, at most `jobs` at a time, and check its claims.

    - `out`: the folder of results. Plots go to `out/figures`, whose digests `seal` writes.
    - `store`: where runs are read from and added to; `out/store` by default.
    - `level`: "quick", "normal" or "full".
    - `program`: another program than ackclock to run the scripts.

    Raises `StudyError` if a run fails or a claim has no measurement, `ScenarioError` for fewer than one job.
    """
    command = ACKCLOCK if program is None else tuple(program)
    (out / SUMS).unlink(missing_ok=True)  # what it lists is written anew
    keeper = Store(out / "store") if store is None else store
    runs = Runs(study, _run_all(study, study.at(level), keeper, parallel_runs(jobs), command))
    traces = tuple(
        Trace(id, runs[id].script.directory / name, expected, _found(runs[id].script.directory / name))
        for (id, name), expected in study.traces.items()
        if id in runs
    )
    measured: Mapping[str, Measured] = function(study.code, "measure")(runs)
    _known(study, measured)
    checked = tuple(_check(claim, measured) for claim in study.claims_at(level))
    folder = out / FIGURES
    folder.mkdir(parents=True, exist_ok=True)
    drawn: list[Figure | Comparison] = function(study.code, "figures")(runs, folder)
    figures = tuple(one for one in drawn if isinstance(one, Figure))
    comparisons = tuple(one for one in drawn if isinstance(one, Comparison))
    return Outcome(study, level, command, runs, checked, traces, figures, comparisons)


def seal(out: Path) -> None:
    """Write the digests of a study's results into their folder."""
    there = [file for file in (out / OUTCOME, out / REPORT, *(out / FIGURES).rglob("*")) if file.is_file()]
    write_sums(out, {str(file.relative_to(out)): sha256(file) for file in there})


def scenario_of(run: Run) -> Scenario:
    """The scenario that a `run` simulates. Raises `StudyError` for one that cannot be read or built."""
    entry = run.entry
    try:
        if entry.scenario is not None:
            scenario = load(run.folder / entry.scenario, dict(run.settings))
        else:
            assert entry.build is not None
            code = run.folder / f"{run.folder.name.partition('_')[2]}.py"
            scenario = function(code, entry.build)(**run.values)
    except (ScenarioError, OSError) as error:
        raise StudyError(str(error)) from error
    # The base run begins as the description says, or as ns-2's random numbers do.
    return scenario if run.replication == 0 and entry.seed is None else replace(scenario, seed=run.seed)


def _run_all(study: Study, wanted: list[Run], store: Store, jobs: int, program: tuple[str, ...]) -> dict[str, Kept]:
    kept: dict[str, Kept] = {}
    reduce = function(study.reducer, "reduce") if study.reducer.is_file() else None
    reduced_by = digest_of(study.reducer) if reduce is not None else ""

    def one(run: Run) -> Kept:
        of_this = None if reduce is None else lambda result: reduce(run, result)
        way: dict[str, Any] = {"keep": run.keep, "reduce": of_this, "reduced_by": reduced_by}
        if run.script is not None:
            command = run.under(program, ours=program == ACKCLOCK)
            return store.run_ns2(run.script, *run.args, program=command, **way)
        return store.run_scenario(scenario_of(run), **way)

    # Threads wait for processes, or for the engine, which needs no lock: the runs use as many cores as there are.
    pool = ThreadPoolExecutor(max_workers=jobs)
    try:
        with Bar(f"study {study.id}", len(wanted)) as bar:
            waiting = {pool.submit(one, run): run for run in wanted}
            for future in as_completed(waiting):
                run = waiting[future]
                try:
                    kept[run.id] = future.result()
                except (Ns2Error, ScenarioError, SimulationError, ResultsError, StoreError, OSError) as error:
                    raise StudyError(f"run {run.label} of study {study.id}: {error}") from error
                bar.advance(run.label)
    finally:
        pool.shutdown(cancel_futures=True)
    return kept


def _known(study: Study, measured: Mapping[str, Measured]) -> None:
    unknown = sorted(set(measured) - {claim.id for claim in study.claims})
    if unknown:
        raise StudyError(f"{study.code}: measure gives {', '.join(unknown)}, of which claims.toml says nothing")


def _check(claim: Claim, measured: Mapping[str, Measured]) -> Checked:
    if claim.rule != "undetermined" and claim.id not in measured:
        raise StudyError(f"nothing was measured for claim {claim.id}")
    value = measured.get(claim.id, Undetermined(claim.note))
    try:
        judged = judge(claim, value)
        return Checked(claim, value, judged, as_referred(claim, value, judged))
    except ValueError as error:
        raise StudyError(str(error)) from error


def _found(path: Path) -> str:
    """The sha256 of a file, or of what was packed into it."""
    packed = path.with_name(f"{path.name}.gz")
    try:
        return digest_of(packed if packed.is_file() else path)
    except FileNotFoundError:
        return "(not written)"
