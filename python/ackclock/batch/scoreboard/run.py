"""All controls by the derived suite: each run once, each cell judged, Holm's correction over the whole matrix."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ackclock.batch.evaluate import Evaluation, begin, run_all
from ackclock.batch.evaluate import estimate_s as estimate_of_evaluation_s
from ackclock.batch.evaluate.arms import Arm
from ackclock.batch.evaluate.suite import Suite
from ackclock.batch.evaluate.together import arms_stored
from ackclock.batch.scoreboard.cells import ScoreCell, cells_of
from ackclock.batch.scoreboard.matrix import FILE, Matrix, load_matrix
from ackclock.batch.sweep.execute import Progress

#: Seed of the controls' runs, as of the standards'; a standard itself has another one then.
SEED = 1


@dataclass
class Scoreboard:
    """What there is to run, and after `scoreboard` its results. `evaluations` has one for each row."""

    #: the part of the matrix
    matrix: Matrix
    #: the suite that it makes
    suite: Suite
    #: one for each control, in the order of the rows
    evaluations: list[Evaluation]
    #: names to which the matrix is restricted
    only: Sequence[str] = ()
    #: seed of the controls' runs
    seed: int = SEED
    #: the matrix's file, if it is one of the user's
    file: str = ""
    #: names of rows besides the matrix's, as they were given
    added: Sequence[str] = ()

    @property
    def first(self) -> Evaluation:
        """The first row: `quick` and `replications` are those of all."""
        return self.evaluations[0]

    @property
    def names(self) -> list[str]:
        """The rows' names."""
        return [one.subject.name for one in self.evaluations]

    @property
    def places(self) -> dict[str, str]:
        """The conditions' titles by their ids in the matrix."""
        return {one.family: str(one.values["place"]) for one in self.suite.condition}

    @cached_property
    def arms(self) -> list[Arm]:
        """What is run, once per replication."""
        return list(dict.fromkeys(arm for one in self.evaluations for arm in one.arms))

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(self.arms) * self.first.replications

    @cached_property
    def cells(self) -> list[ScoreCell]:
        """All judged cells; none before it was run."""
        return cells_of(self.evaluations)

    def run(
        self,
        *,
        store: str | os.PathLike[str] = "out/store",
        jobs: int | None = None,
        cluster: Any = None,
        progress: Progress | None = None,
    ) -> None:
        """Run and judge what `prepare` has prepared. Arguments and errors as for `scoreboard`."""
        run_all(self.evaluations, store=store, jobs=jobs, cluster=cluster, progress=progress)

    def stored(self, store: str | os.PathLike[str]) -> int:
        """The number of its runs that the folder `store` has. `StoreError` for a store of another format."""
        return arms_stored(self.first.how, self.arms, store)


def prepare(
    added: Sequence[str] = (),
    *,
    only: Sequence[str] = (),
    quick: bool = False,
    replications: int | None = None,
    seed: int | None = None,
    beside: Path | None = None,
    file: str | os.PathLike[str] = FILE,
) -> Scoreboard:
    """The scoreboard without results. Arguments and errors as for `scoreboard`."""
    matrix, rows = load_matrix(file).chosen(only, added)
    suite = matrix.derived()
    # Seed 1 is that of the standards' runs: `begin` chooses another one for a standard itself then.
    options = {"seed": None if seed == SEED else seed, "quick": quick, "replications": replications, "beside": beside}
    found: list[Evaluation] = []
    for name in rows:
        one = begin(name, suite, **options)  # type: ignore[arg-type]
        if all(one.subject.settings != other.subject.settings for other in found):  # else it is a row already
            found.append(one)
    name = "" if Path(file) == FILE else os.fspath(file)
    return Scoreboard(matrix, suite, found, tuple(only), SEED if seed is None else seed, name, tuple(added))


def scoreboard(
    added: Sequence[str] = (),
    *,
    only: Sequence[str] = (),
    quick: bool = False,
    replications: int | None = None,
    seed: int | None = None,
    store: str | os.PathLike[str] = "out/store",
    jobs: int | None = None,
    cluster: Any = None,
    beside: Path | None = None,
    file: str | os.PathLike[str] = FILE,
    progress: Progress | None = None,
) -> Scoreboard:
    """Run and judge all controls of the matrix, and those that are `added`.

    - `added`: rows besides the matrix's, by names as `find_subject` takes them: `module:Class` for a user-defined one.
    - `only`: names of controls, criteria, conditions and queues to which the matrix is restricted.
    - `quick`: short runs and fewer replications, for a first look.
    - `replications`: replaces the matrix's number, at least 2.
    - `seed`: seed of the controls' runs. By default they have the same random numbers as the standards', and a standard
      itself has others: it is not compared with the very same runs.
    - `store`, `jobs`, `cluster`, `progress`: as for a sweep; a stopped scoreboard resumes.
    - `beside`: the folder in which user-defined modules are looked for first; by default the working directory.
    - `file`: a user-defined matrix.

    A run that fails is in `Evaluation.failures` and makes its cell undetermined. Raises `ScenarioError` for unknown
    names, an error in the file and a control that never sends, `StoreError` for a store of another format,
    `ClusterError` for a cluster that cannot take part, and `OSError` if the store cannot be written.
    """
    options = {"only": only, "quick": quick, "replications": replications, "seed": seed, "beside": beside}
    found = prepare(added, file=file, **options)  # type: ignore[arg-type]
    found.run(store=store, jobs=jobs, cluster=cluster, progress=progress)
    return found


def estimate_s(found: Scoreboard, *, jobs: int | None = None) -> float:
    """Estimated time in seconds for all runs of `found`, from one quick run of each condition and traffic."""
    return estimate_of_evaluation_s(replace(found.first, arms=found.arms), jobs=jobs)
