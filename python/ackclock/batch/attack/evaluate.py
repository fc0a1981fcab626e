"""Runs candidates, each once, on all cores, and keeps their figures in a file, so that a search can be resumed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from ackclock._native import SimulationError
from ackclock.batch.attack.properties import WITH_SERIES, Property
from ackclock.batch.attack.space import Candidate, Table, scenario_table
from ackclock.batch.store.runs import engine_digest
from ackclock.execution.parallel_runs import parallel_runs
from ackclock.execution.simulate import run
from ackclock.scenario import Scenario, ScenarioError
from ackclock.scenario.resolve.plugins import own_code

#: Version of the file's form.
FORM = 1
FILE = "evaluations.jsonl"


class AttackError(Exception):
    """A folder that cannot be used: of another version, of another search, or damaged."""


@dataclass(frozen=True)
class Outcome:
    """What came of a candidate: its figure, None where it says nothing; or why its run failed."""

    figure: float | None = None
    crash: str | None = None


class Evaluator:
    """Figures of candidates for one subject and one property.

    `folder` keeps them; without it they are kept in memory. The figures do not depend on the number of threads.
    `AttackError` for a folder of another form or of another search, `OSError` where it cannot be written.
    """

    def __init__(
        self,
        asked: Property,
        subject: Mapping[str, Any],
        peer: Mapping[str, Any],
        *,
        seed: int,
        folder: Path | None = None,
        jobs: int | None = None,
    ) -> None:
        self.asked, self.subject, self.peer, self.seed = asked, subject, peer, seed
        #: candidates that were run or read, and the time simulated
        self.count = 0
        self._known: dict[str, Outcome] = {}
        self._pool = ThreadPoolExecutor(parallel_runs(jobs))
        self._file: TextIO | None = None
        if folder is not None:
            self._file = self._open(folder)

    def close(self) -> None:
        """Wait for no run any more; what is done is kept."""
        self._pool.shutdown(cancel_futures=True)
        if self._file is not None:
            self._file.close()

    def table(self, candidate: Candidate, subject: Mapping[str, Any] | None = None, further: int = 0) -> Table:
        """The scenario of a candidate as a table, with the subject or another control in its place.

        `further` is added to its seed.
        """
        flows = self.asked.flows(self.subject if subject is None else subject, self.peer)
        made = scenario_table(candidate, flows, self.seed + further)
        if self.asked.name in WITH_SERIES:
            del made["record"]
        return made

    def figure(self, candidate: Candidate, subject: Mapping[str, Any] | None = None) -> Outcome:
        """The outcome of one candidate, run here if it is not known."""
        return self.figures([candidate], subject)[0]

    def figures(
        self, candidates: Sequence[Candidate], subject: Mapping[str, Any] | None = None, further: int = 0
    ) -> list[Outcome]:
        """The outcomes of some candidates, in their order; `further` as for `table`."""
        tables = [self.table(each, subject, further) for each in candidates]
        keys = [self._key(table) for table in tables]
        fresh = {key: (table, each) for key, table, each in zip(keys, tables, candidates, strict=True)}
        fresh = {key: what for key, what in fresh.items() if key not in self._known}
        for key, outcome in (
            zip(fresh, self._pool.map(self._run, *zip(*fresh.values(), strict=True)), strict=True) if fresh else ()
        ):
            self._known[key] = outcome
            self._keep(key, outcome)
        self.count += len(candidates)
        return [self._known[key] for key in keys]

    def _run(self, table: Table, candidate: Candidate) -> Outcome:
        try:
            results = run(Scenario.of(table))
        except ScenarioError as error:
            if own_code_failed(error):
                return Outcome(crash=str(error))
            raise
        except (SimulationError, RuntimeError) as error:
            return Outcome(crash=str(error).splitlines()[0])
        return Outcome(self.asked.figure(results, candidate))

    def _key(self, table: Table) -> str:
        text = json.dumps(table, sort_keys=True)
        return hashlib.sha256(f"{self.asked.name}\n{text}".encode()).hexdigest()[:32]

    def _open(self, folder: Path) -> TextIO:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / FILE
        code = own_code(Scenario.of(self.table(_any())))
        head = {"form": FORM, "engine": engine_digest(), "subject": dict(self.subject), "own_code": code}
        head |= {"peer": dict(self.peer), "property": self.asked.name, "seed": self.seed}
        first = json.dumps(head, sort_keys=True)
        if path.exists():
            lines = path.read_text(encoding="utf-8").splitlines()
            if lines and lines[0] != first:
                raise AttackError(
                    f"{path}: of another search or another version of ackclock; remove it, or choose another folder"
                )
            self._read(path, lines[1:])
            if lines:
                whole = [line for line in lines if line.endswith("}")]
                path.write_text("\n".join(whole) + "\n", encoding="utf-8")
                return path.open("a", encoding="utf-8")
        file = path.open("w", encoding="utf-8")
        file.write(first + "\n")
        file.flush()
        return file

    def _read(self, path: Path, lines: Iterable[str]) -> None:
        for number, line in enumerate(lines, 2):
            if not line.endswith("}"):
                continue  # the last line of a search that was killed
            try:
                told = json.loads(line)
                self._known[told["key"]] = Outcome(told.get("figure"), told.get("crash"))
            except (ValueError, KeyError, TypeError):
                raise AttackError(f"{path}:{number}: damaged; remove the file to search again") from None

    def _keep(self, key: str, outcome: Outcome) -> None:
        if self._file is not None:
            told = {"key": key, "figure": outcome.figure}
            if outcome.crash is not None:
                told["crash"] = outcome.crash
            self._file.write(json.dumps(told) + "\n")
            self._file.flush()


def own_code_failed(error: ScenarioError) -> bool:
    """Whether an error comes from a class of the user's, not from the description."""
    return error.__cause__ is not None


def _any() -> Candidate:
    from ackclock.batch.attack.space import FEATURES, made

    values = {f"path.{each.name}": each.usual for each in FEATURES["path"].quantities}
    values |= {f"outage.{each.name}": each.usual for each in FEATURES["outage"].quantities}
    return made({"path"}, values, 1.0)
