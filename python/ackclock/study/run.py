"""Run a study: its simulations side by side, then its claims against what they gave."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from ackclock.process import ACKCLOCK, Ns2Error, Ns2Result, run_ns2
from ackclock.study.claim import Claim, Value, Verdict
from ackclock.study.load import Run, Study, StudyError
from ackclock.study.progress import Bar


@dataclass(frozen=True)
class Figure:
    """A picture in a file, and the sentence under it."""

    path: Path
    caption: str


@dataclass(frozen=True)
class Checked:
    """A claim, what was measured, and the verdict."""

    claim: Claim
    measured: Value
    verdict: Verdict

    @property
    def as_in_ns2(self) -> bool:
        """Whether the verdict is the one that the real ns-2 gives."""
        return (self.verdict is Verdict.REPRODUCED) == self.claim.holds_in_ns2


@dataclass(frozen=True)
class Trace:
    """A file of a run, held against the sha256 of ns-2's."""

    run: Run
    path: Path
    expected: str
    found: str

    @property
    def same(self) -> bool:
        """Whether it is ns-2's, byte for byte."""
        return self.expected == self.found


@dataclass(frozen=True)
class Outcome:
    """Everything that came of running a study."""

    study: Study
    #: What ran the scripts.
    program: tuple[str, ...]
    checked: tuple[Checked, ...]
    traces: tuple[Trace, ...]
    figures: tuple[Figure, ...]

    @property
    def holds(self) -> bool:
        """Whether every verdict and every trace is as the real ns-2 gives it."""
        return all(c.as_in_ns2 for c in self.checked) and all(t.same for t in self.traces)


def run_study(
    study: Study,
    out: Path,
    *,
    jobs: int | None = None,
    program: Sequence[str] | None = None,
) -> Outcome:
    """Run all of a study's simulations, at most `jobs` at a time, and check its claims.

    Everything is written below `out`: `runs/ID/` is each run's directory, emptied first, and
    `figures/` the pictures. `program` names another program than ackclock to run the scripts.
    Raises `StudyError` when a run fails or a claim has no measurement.
    """
    command = ACKCLOCK if program is None else tuple(program)
    results = _run_all(study, out / "runs", jobs or os.cpu_count() or 1, command)
    traces = tuple(
        Trace(run, path, expected, _sha256(path))
        for run in study.runs
        for name, expected in run.sha256.items()
        for path in [results[run.id].directory / name]
    )
    code = _load_code(study)
    measured: dict[str, Value] = code.measure(results)
    checked = tuple(_check(claim, measured) for claim in study.claims)
    folder = out / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    figures: list[Figure] = code.figures(results, folder)
    return Outcome(study, command, checked, traces, tuple(figures))


def _run_all(study: Study, out: Path, jobs: int, program: tuple[str, ...]) -> dict[str, Ns2Result]:
    results: dict[str, Ns2Result] = {}
    # Loaded here because naming the studies should not wait for it.
    from concurrent.futures import ThreadPoolExecutor, as_completed

    # A thread only waits for a process of its own, so the runs use as many cores as there are.
    pool = ThreadPoolExecutor(max_workers=jobs)
    try:
        with Bar(f"study {study.id}", len(study.runs)) as bar:
            waiting = {pool.submit(_run_one, run, out / run.id, program): run for run in study.runs}
            for future in as_completed(waiting):
                run = waiting[future]
                try:
                    results[run.id] = future.result()
                except (Ns2Error, OSError) as error:
                    raise StudyError(f"run {run.label} of study {study.id}: {error}") from error
                bar.advance(run.label)
    finally:
        pool.shutdown(cancel_futures=True)
    return results


def _run_one(run: Run, directory: Path, program: tuple[str, ...]) -> Ns2Result:
    # A file that an earlier run left there must not pass for one of this run.
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    return run_ns2(run.script, *run.args, cwd=directory, program=program)


def _check(claim: Claim, measured: dict[str, Value]) -> Checked:
    if claim.id not in measured:
        raise StudyError(f"nothing was measured for claim {claim.id}")
    value = measured[claim.id]
    return Checked(claim, value, claim.verdict(value))


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except FileNotFoundError:
        return "(not written)"
    return digest.hexdigest()


def _load_code(study: Study) -> ModuleType:
    spec = importlib.util.spec_from_file_location(study.code.stem, study.code)
    if spec is None or spec.loader is None or not study.code.is_file():
        raise StudyError(f"study {study.id} has no {study.code}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
