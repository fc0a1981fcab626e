"""What a sweep runs: a scenario or a script, the values of some of its keys, and how often each."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from ackclock._native import hash_seed
from ackclock.batch.sweep.metrics import MEASURED, MSER5, Columns
from ackclock.batch.sweep.script import Script
from ackclock.batch.sweep.sequential_stopping import Until
from ackclock.batch.sweep.values import is_values, values_of
from ackclock.scenario import Scenario, ScenarioError
from ackclock.scenario.errors import RenamedError, nearest
from ackclock.scenario.formats.read import line_of, put, toml
from ackclock.scenario.model.constants import SEEDS
from ackclock.scenario.resolve.network import resolve
from ackclock.scenario.resolve.plugins import own_control, own_queue, with_libraries
from ackclock.scenario.units import time_s

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KEYS = (
    "scenario", "script", "args", "metrics", "keep", "measure", "replications", "seed", "until", "vary", "warm_up",
    "zip",
)  # fmt: skip

#: What may be kept of a run: `Results` says when there is which.
TABLES = (
    "flows", "links", "flow_series", "link_series", "window_changes", "rtt_changes", "queue_changes", "model_changes",
    "own_changes", "packets", "calls", "frames", "videos", "segments",
)  # fmt: skip


@dataclass(frozen=True)
class Axis:
    """Keys that are set together, and their values in sequence. `where` is the axis's place in a grid file."""

    where: str
    keys: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]

    def settings(self) -> Iterator[dict[str, Any]]:
        """What each place on the axis sets."""
        return (dict(zip(self.keys, one, strict=True)) for one in self.values)


@dataclass(frozen=True)
class Point:
    """One point of the grid."""

    #: the values of the varied keys, by their paths
    settings: Mapping[str, Any]

    def __str__(self) -> str:
        return ", ".join(f"{key} = {value}" for key, value in self.settings.items()) or "as it is"


@dataclass(frozen=True, kw_only=True)
class Grid:
    """All points, and how each is run.

    `base` is a scenario's table, or a script. Every combination of the `axes`' values is a point. Replication r of
    every point has the same seed, `seed_of(seed, r)`, whatever else is in the grid. So variants are compared under the
    same random numbers, and a grid that grows keeps its runs. `replications` is their number per point; with `until`, a
    point gets more until its interval is narrow. `keep` names the tables of a run that the store keeps. `warm_up`, a
    time or `mser5`, is left out of the metrics. `measure` adds columns of the table `flows` to them.
    """

    base: Mapping[str, Any] | Script
    axes: tuple[Axis, ...] = ()
    replications: int = 1
    seed: int = 1
    keep: tuple[str, ...] = ("flows", "links")
    until: Until | None = None
    warm_up: str | None = None
    #: columns of the table `flows` that are metrics, too
    measure: Columns | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.replications, int) or self.replications < 1:
            raise ScenarioError("expected a whole number, at least 1", key="replications", value=self.replications)
        if not isinstance(self.seed, int) or isinstance(self.seed, bool) or not 0 <= self.seed < SEEDS:
            raise ScenarioError(f"expected a whole number from 0 to {SEEDS - 1}", key="seed", value=self.seed)
        if self.until is not None and self.replications < 2:
            expected = "expected at least 2: one replication has no interval"
            raise ScenarioError(expected, key="replications", value=self.replications)
        unknown = next((name for name in self.keep if name not in TABLES), None)
        if unknown is not None:
            expected = f"expected tables of a run: {', '.join(TABLES)}"
            raise ScenarioError(expected, key="keep", value=unknown, nearest=nearest(unknown, TABLES))
        if self.warm_up is not None:
            self._check_warm_up(self.warm_up)
        if self.measure is not None:
            self._check_measure()
        names = [key for axis in self.axes for key in axis.keys]
        twice = next((key for key in names if names.count(key) > 1), None)
        if twice is not None:
            raise ScenarioError("this key is varied twice", key=f"vary.{twice}")
        if "seed" in names:
            raise ScenarioError(
                "expected no seeds here: `replications` and `seed` give each run its own", key="vary.seed"
            )
        for axis in self.axes:
            for settings in axis.settings():
                # Alone first: a wrong key or value is named before anything runs.
                self.check(settings, axis.where)

    def _check_warm_up(self, warm_up: str) -> None:
        if isinstance(self.base, Script):
            raise ScenarioError("expected none: a script says itself what it measures", key="warm_up", value=warm_up)
        if warm_up != MSER5:
            try:
                time_s(warm_up)
            except ScenarioError as error:
                raise ScenarioError(f"{error.expected}, or {MSER5}", key="warm_up", value=warm_up) from None
        if not time_s(self._checked["record"].sample) > 0:
            expected = "expected samples, for what comes after it to be seen; record.sample is 0 s"
            raise ScenarioError(expected, key="warm_up", value=warm_up)

    def _check_measure(self) -> None:
        if isinstance(self.base, Script):
            raise ScenarioError("expected none: a script's metrics are in [metrics]", key="measure")
        if self.warm_up is not None:
            raise ScenarioError("expected none with warm_up: these columns are of the whole run", key="measure")
        if "flows" not in self.keep:
            raise ScenarioError('expected "flows" among the tables that are kept', key="keep", value=list(self.keep))

    def __len__(self) -> int:
        """How many points there are."""
        count = 1
        for axis in self.axes:
            count *= len(axis.values)
        return count

    def with_metrics(self, metrics: Sequence[str]) -> Grid:
        """The same with those of these `metrics` that are columns of the table `flows`, of a group or a flow:
        `delay_p95_s.call`. What is stored has them all, so nothing is run again for them.
        """
        columns = [name.partition(".")[0] for name in metrics if "." in name]
        known = self.measure.flows if self.measure else ()
        # Goodputs by number are usual metrics.
        new = [name for name in dict.fromkeys(columns) if name in MEASURED and name not in known]
        numbered = all(name.partition(".")[2].isdecimal() for name in metrics if name.partition(".")[0] in new)
        if not new or numbered or isinstance(self.base, Script) or self.warm_up is not None:
            return self
        return replace(self, measure=Columns((*known, *new), "both"))

    @property
    def most(self) -> int:
        """The maximum number of replications of a point."""
        return max(self.replications, self.until.at_most) if self.until else self.replications

    def points(self) -> Iterator[Point]:
        """All points; the last axis changes fastest."""
        return map(self.point, range(len(self)))

    def point(self, index: int) -> Point:
        """The point number `index`, from 0; points of a large grid are created on demand."""
        settings: list[tuple[str, Any]] = []
        for axis in reversed(self.axes):
            index, place = divmod(index, len(axis.values))
            settings[:0] = zip(axis.keys, axis.values[place], strict=True)
        return Point(dict(settings))

    def check(self, settings: Mapping[str, Any], where: str) -> None:
        """`ScenarioError`, with its key in the grid (`where`), if these `settings` do not fit the base."""
        try:
            if isinstance(self.base, Script):
                self.base.check(settings)
            else:
                resolve(self.scenario(Point(settings), 0))
        except ScenarioError as error:
            # A part that does not exist is named by what stands in the grid.
            known = next((key for key in settings if key.startswith(f"{error.key}.")), None)
            if known is not None:
                error = ScenarioError(error.expected, key=known, value=error.value, nearest=error.nearest)
            raise error.under(where) from None

    def scenario(self, point: Point, replication: int) -> Scenario:
        """The scenario of a `point` and `replication` (from 0). `ScenarioError` if the settings do not fit together, as
        far as can be seen yet.
        """
        assert not isinstance(self.base, Script)
        changed = {key.split(".")[0] for key in point.settings}
        table = {name: part for name, part in self._checked.items() if name not in changed}
        table |= {name: part for name, part in self.base.items() if name not in table}
        for key, value in point.settings.items():
            put(table, key, value)
        if "flows" in changed and "flows" not in point.settings:
            numbers = {key.split(".")[1] for key in point.settings if key.startswith("flows.")}
            for number, flow in enumerate(self._checked["flows"]):
                if str(number) not in numbers:
                    table["flows"][number] = flow
        table["seed"] = seed_of(self.seed, replication)
        return Scenario.of(table)

    @cached_property
    def _checked(self) -> dict[str, Any]:
        """The parts of the base, checked once: a point need only look at those that it changes."""
        assert not isinstance(self.base, Script)
        base = Scenario.of(self.base)
        return {field.name: getattr(base, field.name) for field in fields(base)}


@lru_cache(4096)
def seed_of(seed: int, replication: int) -> int:
    """The seed of a `replication`, counted from 0, in a sweep with this `seed`: the hash of both, 0 to 2**63 - 1.

    A column of signed 64-bit numbers holds it. Two of 10,000 replications have the same seed with probability 5e-12.
    """
    return hash_seed(seed, f"replication/{replication}") % 2**63


def grid_of(
    base: Scenario | Mapping[str, Any] | Script,
    vary: Mapping[str, Any] | None = None,
    zips: Sequence[Mapping[str, Any]] = (),
    *,
    replications: int = 1,
    seed: int = 1,
    keep: Sequence[str] = ("flows", "links"),
    until: Until | Mapping[str, Any] | None = None,
    warm_up: str | None = None,
    measure: Columns | Mapping[str, Any] | None = None,
) -> Grid:
    """A grid from Python.

    - `base`: a scenario, its table, or a script.
    - `vary`: values by key, lists or ranges as in a file.
    - `zips`: keys whose values change together.
    - `until`, `measure`: an `Until` and a `Columns`, or their tables.
    - `replications`, `seed`, `keep`, `warm_up`: as in `Grid`.

    `ScenarioError` for keys or values that do not fit.
    """
    axes: list[Axis] = []
    for key, value in (vary or {}).items():
        axes.append(Axis("vary", (key,), tuple((one,) for one in values_of(value, f"vary.{key}"))))
    for number, together in enumerate(zips):
        lists = {key: values_of(value, f"zip.{number}.{key}") for key, value in together.items()}
        lengths = {len(values) for values in lists.values()}
        if len(lengths) > 1:
            counted = ", ".join(f"{key} {len(values)}" for key, values in lists.items())
            raise ScenarioError(f"expected lists of one length, got {counted} values", key=f"zip.{number}")
        if lists:
            axes.append(Axis(f"zip.{number}", tuple(lists), tuple(zip(*lists.values(), strict=True))))
    plain = base.table() if isinstance(base, Scenario) else base
    if until is not None and not isinstance(until, Until):
        try:
            until = Until.of(until)
        except ScenarioError as error:
            raise error.under("until") from None
    if measure is not None and not isinstance(measure, Columns):
        try:
            measure = Columns.of(measure)
        except ScenarioError as error:
            raise error.under("measure") from None
    if warm_up is not None:
        keep = (*keep, *(table for table in ("flow_series", "link_series") if table not in keep))
    return Grid(
        base=plain,
        axes=tuple(axes),
        replications=replications,
        seed=seed,
        keep=tuple(keep),
        until=until,
        warm_up=warm_up,
        measure=measure,
    )


def load_grid(path: str | os.PathLike[str]) -> Grid:
    """Read the grid file `path`. `OSError` if it cannot be read, `ScenarioError` with file and line for an error."""
    file = Path(path)
    text, table = toml(file)
    try:
        return _grid(table, file.parent, file.name)
    except ScenarioError as error:
        if error.file is not None:
            raise
        raise error.at(file, line_of(text, error.key)) from None


def _grid(table: dict[str, Any], folder: Path, name: str) -> Grid:
    if "topology" in table and "flows" in table:
        raise ScenarioError(
            f'this is a scenario, not a grid; a grid has scenario = "{name}" and the values to [vary];'
            f" `ackclock run {name}` runs it alone"
        )
    for key in table:
        if key == "figures":
            raise RenamedError("renamed; the key is now metrics", key=key)
        if key not in KEYS:
            listed = ", ".join(KEYS)
            raise ScenarioError(f"unknown key of a grid; expected one of {listed}", key=key, nearest=nearest(key, KEYS))
    if ("scenario" in table) == ("script" in table):
        raise ScenarioError("expected either a scenario or a script", key="scenario" if "scenario" in table else "")
    vary = with_libraries(dict(_flat(table.get("vary", {}), "")), folder)
    zips = [with_libraries(dict(_flat(together, "")), folder) for together in table.get("zip", [])]
    base: Mapping[str, Any] | Script
    if "script" in table:
        base = Script.of(table, folder)
    elif isinstance(table["scenario"], str):
        # Read as `ackclock run` reads it, so that what is wrong there is named there.
        from ackclock.scenario import load

        load(folder / table["scenario"])
        file = folder / table["scenario"]
        base = with_libraries(tomllib.loads(file.read_text(encoding="utf-8")), file.parent)
    else:
        try:
            base = Scenario.of(with_libraries(table["scenario"], folder)).table()
        except ScenarioError as error:
            raise error.under("scenario") from None
    if not isinstance(base, Script):
        for where, axes in (("vary", vary), *((f"zip.{number}", zipped) for number, zipped in enumerate(zips))):
            for key, values in axes.items():
                _import_own(key, values, folder, f"{where}.{key}")
    given = ("replications", "seed", "keep", "until", "warm_up", "measure")
    options = {key: table[key] for key in given if key in table}
    return grid_of(base, vary, zips, **options)


def _import_own(key: str, value: Any, folder: Path, where: str) -> None:
    """Import the classes of the user's own that a grid's values name, from its folder first. `ScenarioError` where
    there are none.
    """
    if isinstance(value, list):
        for each in value:
            _import_own(key, each, folder, where)
    elif isinstance(value, dict):
        for name, each in value.items():
            _import_own(f"{key}.{name}", each, folder, where)
    elif isinstance(value, str) and key.rpartition(".")[2] in ("control", "kind"):
        (own_control if key.endswith("control") else own_queue)(value, where, folder)


def _flat(table: Mapping[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    """`flows.0.tcp = [...]` and `"flows.0.tcp" = [...]` are the same key."""
    for name, value in table.items():
        key = f"{above}.{name}" if above else name
        if is_values(value):
            yield key, value
        else:
            yield from _flat(value, key)
