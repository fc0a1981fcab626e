"""Looks for networks in which a property fails: first evenly over the space, then by evolution from the worst ones.

The first points are Sobol's sequence. Then CMA-ES (Hansen, "The CMA evolution strategy: a tutorial", 2016) starts from
the worst of them and goes where the figure gets worse. When it stays where it is, the next start follows. A failure is
reduced to what it needs. Later candidates lack a feature of each failure found, so it is found once.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ackclock.batch.attack.evaluate import Evaluator, Outcome
from ackclock.batch.attack.minimise import minimised
from ackclock.batch.attack.properties import Property, find_property
from ackclock.batch.attack.space import Candidate, Space, made
from ackclock.batch.attack.witness import Witness
from ackclock.batch.evaluate.subject import find_subject
from ackclock.scenario.errors import ScenarioError

#: Called with the candidates that were looked at, how many there will be at most, the worst figure, and the witnesses.
Progress = Callable[[int, int, "float | None", int], None]

#: The share of the candidates that is spread over the space.
SPREAD = 0.25
#: Width of the first generation in the unit cube, and generations without progress before a new start.
SIGMA, PATIENCE = 0.25, 12


def attack(
    control: str,
    asked: str | Property = "utilisation",
    *,
    below: float | None = None,
    above: float | None = None,
    features: Sequence[str] | None = None,
    peer: str = "cubic",
    others: Sequence[str] = ("reno", "cubic"),
    unlike: Sequence[str] = (),
    cause: Sequence[str] = (),
    replications: int = 1,
    evaluations: int = 2000,
    witnesses: int = 3,
    duration_s: float = 20.0,
    seed: int = 1,
    folder: Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> list[Witness]:
    """Search networks in which `control` fails a property; the witnesses, in the order in which they were found.

    - `control`, `peer`, `others`: as for `ackclock evaluate`: a name, or `module:Class`. `others` run in each witness
      as well.
    - `unlike`: controls that keep the property in each witness, so that the network alone is not the cause.
    - `cause`: features that each witness has, and without which the control keeps the property there.
    - `asked`: a `Property`, its name, or an expression over metrics; `below` or `above` replace the bound.
    - `features`: names of `FEATURES` that networks may have; by default those of the property.
    - `replications`: seeds, `seed` and those after it, with each of which each witness fails.
    - `evaluations`: candidates in all, reductions not counted; `witnesses`: with this number, the search ends.
    - `duration_s`: of each run, simulated seconds. `seed`: of the search and of the runs.
    - `folder`: keeps what was run and what was found; the same call goes on from there.

    The same arguments give the same witnesses. Raises `ScenarioError` for unknown names and empty bounds,
    `AttackError` for a folder of another search, and `OSError` for one that cannot be written. After
    `KeyboardInterrupt` the folder has all that was found.
    """
    for key, number in (("evaluations", evaluations), ("witnesses", witnesses), ("replications", replications)):
        if number < 1:
            raise ScenarioError("expected at least 1", key=key, value=number)
    if isinstance(asked, str):
        chosen = find_property(asked, below=below, above=above, features=None if features is None else tuple(features))
    else:
        chosen = asked
    space = Space(chosen.features, duration_s, (*chosen.needed, *cause))
    beside = Path.cwd()  # where modules of the user's are
    subject = find_subject(control, beside=beside)
    standards = {
        name: find_subject(name, beside=beside).settings
        for name in dict.fromkeys([*unlike, *others])
        if name != control
    }
    evaluator = Evaluator(
        chosen, subject.settings, find_subject(peer, beside=beside).settings, seed=seed, folder=folder, jobs=jobs
    )
    try:
        search = _Search(space, chosen, evaluator, subject.name, standards, unlike, cause, evaluations, seed, progress)
        search.replications = replications
        found: list[Witness] = []
        for witness in search.witnesses(witnesses):
            found.append(witness)
            if folder is not None:
                witness.save(folder / f"witness-{len(found)}.toml")
        return found
    finally:
        evaluator.close()


class _Search:
    def __init__(
        self,
        space: Space,
        asked: Property,
        evaluator: Evaluator,
        subject: str,
        standards: Mapping[str, Mapping[str, Any]],
        unlike: Sequence[str],
        cause: Sequence[str],
        evaluations: int,
        seed: int,
        progress: Progress | None,
    ) -> None:
        self.space, self.asked, self.evaluator = space, asked, evaluator
        self.subject, self.standards = subject, standards
        self.unlike = [settings for name, settings in standards.items() if name in unlike]
        self.cause = frozenset(cause)
        self.replications = 1
        self.left, self.evaluations = evaluations, evaluations
        self.progress = progress
        self.random = np.random.default_rng(np.random.SeedSequence([seed, 0xACC]))
        self.excluded: list[frozenset[str]] = []
        self.worst: float | None = None
        self.found = 0
        #: points that were looked at with how far they are from failing
        self.seen: list[tuple[float, NDArray[np.float64]]] = []

    def witnesses(self, wanted: int) -> list[Witness]:
        """the witnesses, up to `wanted`, or until all candidates were looked at."""
        found: list[Witness] = []
        failing = self._spread()
        while len(found) < wanted:
            if failing is None:
                failing = self._evolve()
            if failing is None:
                break
            witness = self._reduced(failing)
            found.append(witness)
            self.found = len(found)
            if witness.features <= self.space.needed:
                break  # no feature can be left out to find another
            self.excluded.append(witness.features)
            self.seen = []
            failing = self._spread()
        return found

    def _look(self, points: Sequence[NDArray[np.float64]]) -> tuple[list[float], Candidate | None]:
        """How far each point is from failing, and the first candidate that fails."""
        points = points[: self.left]
        candidates = [self.space.candidate(point.tolist(), self.excluded) for point in points]
        outcomes = self.evaluator.figures(candidates)
        self.left -= len(points)
        distances = self._distances(candidates, outcomes)
        failing = next((c for c, distance in zip(candidates, distances, strict=True) if distance < 0), None)
        for distance, point, outcome in zip(distances, points, outcomes, strict=True):
            self.seen.append((distance, point))
            if outcome.figure is not None and (self.worst is None or distance < self.asked.distance(self.worst)):
                self.worst = outcome.figure
        if self.progress is not None:
            self.progress(self.evaluations - self.left, self.evaluations, self.worst, self.found)
        return distances, failing

    def _distances(self, candidates: Sequence[Candidate], outcomes: Sequence[Outcome]) -> list[float]:
        """How far candidates are from being witnesses: negative where the subject fails with each seed, no `unlike` one
        does, and the subject does not without the `cause`.
        """
        distances = [-math.inf if o.crash is not None else self.asked.distance(o.figure) for o in outcomes]
        failing = [index for index, distance in enumerate(distances) if -math.inf < distance < 0]
        for further in range(1, self.replications):
            asked = [candidates[index] for index in failing]
            for index, outcome in zip(failing, self.evaluator.figures(asked, further=further), strict=True):
                if outcome.crash is None:
                    distances[index] = max(distances[index], self.asked.distance(outcome.figure))
            failing = [index for index in failing if distances[index] < 0]
        for settings in self.unlike:
            asked = [candidates[index] for index in failing]
            for index, outcome in zip(failing, self.evaluator.figures(asked, settings), strict=True):
                # Where the other control fails as well, it has as far to go as it is beyond the bound.
                distances[index] = max(distances[index], -self.asked.distance(outcome.figure))
        if self.cause:
            spared = [self._without_cause(candidates[index]) for index in failing]
            for index, outcome in zip(failing, self.evaluator.figures(spared), strict=True):
                distances[index] = max(distances[index], -self.asked.distance(outcome.figure))
        return distances

    def _without_cause(self, candidate: Candidate) -> Candidate:
        return made({*candidate.features} - self.cause, dict(candidate.values), candidate.duration_s)

    def _spread(self) -> Candidate | None:
        """Looks evenly over the space, in parts, until something fails."""
        from scipy.stats import qmc  # type: ignore[import-untyped]  # half a second to load

        sobol = qmc.Sobol(self.space.dimensions, seed=self.random)
        for _ in range(max(int(SPREAD * self.evaluations) // 64, 1)):
            if self.left <= 0:
                return None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # a part of the sequence is balanced enough here
                points = sobol.random(64)
            _, failing = self._look(list(points))
            if failing is not None:
                return failing
        return None

    def _evolve(self) -> Candidate | None:
        """Evolution strategies from the worst points so far, each far from those before, until something fails."""
        import cma  # type: ignore[import-untyped]  # a quarter of a second to load

        starts = sorted(self.seen, key=lambda each: each[0])
        used: list[NDArray[np.float64]] = []
        for distance, start in starts:
            if self.left <= 0 or math.isinf(distance):
                return None
            if any(np.linalg.norm(start - other) < SIGMA for other in used):
                continue
            used.append(start)
            options = {
                "bounds": [0, 1],
                "seed": int(self.random.integers(1, 2**31)),
                "verbose": -9,
                "tolflatfitness": PATIENCE,
            }
            strategy = cma.CMAEvolutionStrategy(start, SIGMA, options)
            best, since = math.inf, 0
            while self.left > 0 and since < PATIENCE and not strategy.stop():
                points = strategy.ask()
                distances, failing = self._look(points)
                if failing is not None:
                    return failing
                if len(distances) < len(points):
                    return None
                finite = [min(each, 1e3) for each in distances]
                strategy.tell(points, finite)
                since = 0 if min(finite) < best - 1e-3 else since + 1
                best = min(best, *finite)
        return None

    def _reduced(self, failing: Candidate) -> Witness:
        crashed = self.evaluator.figure(failing).crash is not None

        def fails(candidate: Candidate) -> bool:
            outcome = self.evaluator.figure(candidate)
            return self._distances([candidate], [outcome])[0] < 0 and (outcome.crash is not None) == crashed

        small = minimised(failing, fails, frozenset(self.space.needed))
        outcome = self.evaluator.figure(small)
        others = {name: self.evaluator.figure(small, settings).figure for name, settings in self.standards.items()}
        table = self.evaluator.table(small)
        table.pop("record", None)
        return Witness(self.subject, self.asked, small, outcome.figure, outcome.crash, others, table)
