"""Families of runs: one entry of `claims.toml` for runs that differ in arguments and in seeds."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ackclock.batch.study.claim import LEVELS
from ackclock.scenario.errors import ScenarioError, choose
from ackclock.scenario.model.typed import Described, Parameters

_PLACE = re.compile(r"\{(\w+)\}")

#: Told to scripts that are to leave the random numbers as they begin.
NO_SEED = 0


@dataclass(frozen=True, kw_only=True)
class Seeds(Described):
    """The number of replications of a family at each level, each with another seed.

    `first` counts seeds up from a number. Without it they are derived from the study, the family and the replication's
    number, so that further replications or families do not change them. `keep` names the files of these runs that are
    stored, if fewer than of the base run.
    """

    #: replications with `--quick`
    quick: int = 0
    #: replications at the normal level
    normal: int = 0
    #: replications with `--full`
    full: int = 0
    first: int | None = None
    keep: list[str] | None = None

    def check(self) -> None:
        """`ScenarioError` unless each level contains the one before it."""
        if not 0 <= self.quick <= self.normal <= self.full:
            raise ScenarioError("expected 0 <= quick <= normal <= full: a level contains the one before it", key="full")


@dataclass(frozen=True, kw_only=True)
class Entry(Described):
    """A run, or a family: a run for each combination of the values in `over`, each with replications by `seeds`.

    One of three keys says what is run. `script` is an ns-2 script, `args` its arguments. `scenario` is a TOML file,
    `set` keys by their paths that replace the file's. `build` names a function of the study's Python file that takes
    the values in `over` by their names and returns a `Scenario`. `{name}` in `id`, `label`, `args` and `set` is the
    value in `over`, `{seed}` the seed. `seed` is that of the base run, the one without a replication's number. By
    default scripts get 0, and scenarios use their own.

    `defaults` names the release whose values a script begins with (`ackclock ns2 --defaults`). `prologue` is the script
    of the study's folder that sets them in the real ns-2.

    `keep` names what is stored of the run: patterns of a script's files (`*.tr.gz` compresses them), names of a
    scenario's tables; everything by default. `level` is the lowest level at which it is run.
    """

    id: str
    label: str = ""
    script: str | None = None
    args: list[str] = field(default_factory=list)
    defaults: str | None = None
    prologue: str | None = None
    scenario: str | None = None
    set: Parameters = field(default_factory=dict)
    build: str | None = None
    over: dict[str, list[str | int | float]] = field(default_factory=dict)
    seed: int | None = None
    seeds: Seeds = field(default_factory=Seeds)
    level: str = "quick"
    keep: list[str] | None = None

    def check(self) -> None:
        """`ScenarioError` unless exactly one thing is run and every placeholder has values."""
        given = [name for name in ("script", "scenario", "build") if getattr(self, name) is not None]
        if len(given) != 1:
            said = " and ".join(given) or "none"
            raise ScenarioError(
                f"a run has one of script, scenario, build; here are {said}", key=(given or ["script"])[-1]
            )
        choose(self.level, LEVELS, "a level", "level")
        known = {*self.over, "seed"}
        texts = [("id", self.id), ("label", self.label)]
        texts += [(f"args.{number}", text) for number, text in enumerate(self.args)]
        texts += [(f"set.{key}", value) for key, value in self.set.items() if isinstance(value, str)]
        for key, text in texts:
            for name in _PLACE.findall(text):
                choose(name, known, "the name of a list in over, or seed", key)
        for name in self.over:
            if f"{{{name}}}" not in self.id:
                raise ScenarioError(f"runs that differ in {name} need it in their id", key="id", value=self.id)
        if self.seeds.full and self.script is not None and not any("{seed}" in arg for arg in self.args):
            raise ScenarioError("a script with seeds needs {seed} among its arguments", key="args")


@dataclass(frozen=True)
class Run:
    """One simulation of a study."""

    #: its name, the key of `Runs`
    id: str
    #: its name for people
    label: str
    #: Id without the replication's number: runs of one family and values that differ in their seeds share it.
    group: str
    #: 0 for the base run, then 1, 2, ...
    replication: int
    #: its seed; `NO_SEED` without one
    seed: int
    #: The values of the lists in `over`.
    values: Mapping[str, str | int | float]
    #: the lowest level at which it is run
    level: str
    #: The study's folder.
    folder: Path
    #: its description in `claims.toml`
    entry: Entry

    @property
    def script(self) -> Path | None:
        """The ns-2 script, if that is what is run."""
        return None if self.entry.script is None else self.folder / self.entry.script

    @property
    def args(self) -> tuple[str, ...]:
        """The script's arguments."""
        return tuple(_filled(arg, self.values, self.seed) for arg in self.entry.args)

    @property
    def keep(self) -> list[str] | None:
        """The files or tables that are stored; everything if None."""
        seeds = self.entry.seeds.keep
        return self.entry.keep if self.replication == 0 or seeds is None else seeds

    def under(self, program: Sequence[str], *, ours: bool) -> tuple[str, ...]:
        """The command that runs its script, up to the script's name: `program`, which is `ours` (ackclock) or another
        simulator's.
        """
        if self.entry.defaults is not None and ours:
            return (*program, "--defaults", self.entry.defaults)
        if self.entry.prologue is not None and not ours:
            return (*program, str((self.folder / self.entry.prologue).resolve()))
        return tuple(program)

    @property
    def settings(self) -> Parameters:
        """Keys of the scenario's file by their paths, with the values that replace the file's."""
        return {
            key: _number_or_text(_filled(value, self.values, self.seed)) if isinstance(value, str) else value
            for key, value in self.entry.set.items()
        }


def expand(study: str, folder: Path, entry: Entry) -> Iterator[Run]:
    """All runs of an entry, at every level: each combination's base run, then its replications."""
    for values in itertools.product(*entry.over.values()):
        named = dict(zip(entry.over, values, strict=True))
        group = _filled(entry.id, named, "")
        label = _filled(entry.label or entry.id, named, "")
        base = NO_SEED if entry.seed is None else entry.seed
        yield Run(group, label, group, 0, base, named, entry.level, folder, entry)
        for number in range(1, entry.seeds.full + 1):
            level = next(name for name in LEVELS if number <= getattr(entry.seeds, name))
            level = max(level, entry.level, key=LEVELS.index)
            seed = _seed(study, group, number) if entry.seeds.first is None else entry.seeds.first + number - 1
            yield Run(f"{group}#{number}", f"{label}, seed {seed}", group, number, seed, named, level, folder, entry)


def _seed(study: str, group: str, number: int) -> int:
    """From 1 to 2**31 - 2, as ns-2's generator takes them."""
    digest = hashlib.sha256(f"{study}/{group}#{number}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % (2**31 - 2) + 1


def _filled(text: str, values: Mapping[str, str | int | float], seed: int | str) -> str:
    words = {**{name: str(value) for name, value in values.items()}, "seed": str(seed)}
    return _PLACE.sub(lambda found: words[found[1]], text)


def _number_or_text(text: str) -> int | float | str:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
