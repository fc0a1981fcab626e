"""Find studies and read their `claims.toml`.

Studies live in the source tree, beside the package and not in it: they are evidence to read and
change, not library code. They are looked for where the caller says, else in the checkout that the
package was imported from, else in `studies` of the current directory.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ackclock.batch.study.claim import LEVELS, Claim, Paper, Table, Unweighed
from ackclock.batch.study.family import Entry, Run, expand
from ackclock.batch.study.places import Item, Place, by_place
from ackclock.scenario.errors import ScenarioError, choose
from ackclock.scenario.formats.read import line_of
from ackclock.scenario.model.typed import Described, convert

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class StudyError(Exception):
    """A study cannot be found, read or run. The message is for the user."""


@dataclass(frozen=True, kw_only=True)
class Claims(Described):
    """The whole of `claims.toml`. `traces` has the sha256 of files as the real simulator wrote them, by `run/file`."""

    paper: Paper
    run: list[Entry] = field(default_factory=list)
    claim: list[Claim] = field(default_factory=list)
    unweighed: list[Unweighed] = field(default_factory=list)
    traces: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Study:
    """A paper's claims and the runs that they are checked against."""

    #: Its number.
    id: str
    #: Its folder.
    folder: Path
    #: What it is about.
    paper: Paper
    #: All runs, of all levels.
    runs: tuple[Run, ...]
    #: The paper's tables.
    tables: tuple[Table, ...]
    #: The cells of the tables, then the other claims.
    claims: tuple[Claim, ...]
    #: (run id, file) to the sha256 of the file as the real simulator wrote it.
    traces: dict[tuple[str, str], str]
    #: Statements of the paper without a claim, with the reasons.
    unweighed: tuple[Unweighed, ...] = ()
    #: The paper's places in its order, each with the tables, claims and unweighed entries that stand there.
    places: tuple[Place, ...] = ()

    @property
    def code(self) -> Path:
        """The Python file that measures and draws: the folder's name without its number."""
        return self.folder / f"{self.folder.name.partition('_')[2]}.py"

    @property
    def reducer(self) -> Path:
        """The Python file, if it exists, whose `reduce` extracts values from each run before its files are deleted."""
        return self.folder / "reduce.py"

    def at(self, level: str) -> list[Run]:
        """The runs of a `level`: `quick`, `normal` or `full`."""
        return [run for run in self.runs if _reached(run.level, level)]

    def claims_at(self, level: str) -> list[Claim]:
        """The claims that can be measured from the runs of a `level`."""
        return [claim for claim in self.claims if _reached(claim.level, level)]


def _reached(first: str, level: str) -> bool:
    return LEVELS.index(first) <= LEVELS.index(level)


def find_studies(root: Path | None = None) -> list[Path]:
    """Folders of all studies below `root`, by number. Raises `StudyError` if there are none."""
    checkout = Path(__file__).resolve().parents[4] / "studies"
    places = [root] if root is not None else [checkout, Path("studies")]
    for place in places:
        folders = sorted(file.parent for file in place.glob("*/claims.toml"))
        if folders:
            return folders
    searched = " or ".join(str(place) for place in places)
    raise StudyError(
        f"no studies in {searched}: they come with ackclock's source tree, "
        "not with the installed package; name the folder with --studies"
    )


def find_study(id: str, root: Path | None = None) -> Path:
    """Folder of one study below `root`, by its `id`: its number or its whole name. Raises `StudyError` if there is
    none.
    """
    folders = find_studies(root)
    for folder in folders:
        if id in (folder.name, folder.name.partition("_")[0]):
            return folder
    known = ", ".join(folder.name.partition("_")[0] for folder in folders)
    raise StudyError(f"no study {id}; there is {known}")


def load_paper(folder: Path) -> Paper:
    """Read what the study in `folder` is about, for lists: it may have thousands of runs. Raises `StudyError`."""
    file = folder / "claims.toml"
    text, table = _read(file, until="\n[[")
    if "paper" not in table:
        text, table = _read(file)
    try:
        paper: Paper = convert(table.get("paper", {}), Paper)
    except ScenarioError as error:
        error = error.under("paper")
        raise StudyError(str(error.at(file, line_of(text, error.key)))) from None
    return paper


def load_study(folder: Path) -> Study:
    """Read the claims of the study in `folder`. Raises `StudyError` with file, line and key of an error, and what was
    expected.
    """
    file = folder / "claims.toml"
    text, table = _read(file)
    try:
        tables = _tables(table.pop("table", []))
        study = _study(folder, Claims.of(table), tables)
    except ScenarioError as error:
        raise StudyError(str(error.at(file, line_of(text, error.key)))) from None
    return study


def _read(file: Path, until: str | None = None) -> tuple[str, dict[str, Any]]:
    """A file's text, or what comes before `until`, and what it says."""
    try:
        text = file.read_text(encoding="utf-8")
        if until is not None:
            text = text.partition(until)[0]
        return text, tomllib.loads(text)
    except UnicodeDecodeError:
        raise StudyError(f"{file}: not a text file in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"at line (\d+)", str(error))
        raise StudyError(f"{file}:{at[1] if at else '?'}: not TOML: {error}") from None


def _tables(found: Any) -> list[Table]:
    """Apart from the rest: a description's `table` is what gives it as plain values."""
    try:
        tables: list[Table] = convert(found, list[Table])
    except ScenarioError as error:
        raise error.under("table") from None
    return tables


def _study(folder: Path, data: Claims, tables: list[Table]) -> Study:
    number = folder.name.partition("_")[0]
    runs = tuple(run for entry in data.run for run in expand(number, folder, entry))
    _unlike([(run.id, f"run.{data.run.index(run.entry)}.id") for run in runs])
    for place, entry in enumerate(data.run):
        for key, name in (("script", entry.script), ("scenario", entry.scenario)):
            if name is not None and not (folder / name).is_file():
                raise ScenarioError("no such file in the study's folder", key=f"run.{place}.{key}", value=name)
    claims: list[tuple[Claim, str]] = []
    for place, table in enumerate(tables):
        claims += [(claim, f"table.{place}") for claim in table.claims()]
    claims += [(claim, f"claim.{place}") for place, claim in enumerate(data.claim)]
    _unlike([(claim.id, f"{key}.id") for claim, key in claims])
    known = {run.id for run in runs} | {run.group for run in runs}
    for claim, key in claims:
        for place, id in enumerate(claim.runs):
            choose(id, known, "a run's id", f"{key}.runs.{place}")
    traces = {}
    for place_of, sha256 in data.traces.items():
        id, _, name = place_of.rpartition("/")
        choose(id, known, "a run's id and a file, such as SACK1/out.tr", f"traces.{place_of}")
        traces[id, name] = sha256
    every = tuple(claim for claim, _ in claims)
    # Statements of our own stand nowhere in the paper.
    items: list[tuple[str, Item]] = [(f"table.{n}", table) for n, table in enumerate(tables) if table.origin == "paper"]
    items += [(f"claim.{n}", claim) for n, claim in enumerate(data.claim) if claim.origin == "paper"]
    items += [(f"unweighed.{n}", entry) for n, entry in enumerate(data.unweighed)]
    places = tuple(by_place(data.paper.places, items))
    return Study(number, folder, data.paper, runs, tuple(tables), every, traces, tuple(data.unweighed), places)


def _unlike(found: list[tuple[str, str]]) -> None:
    seen: set[str] = set()
    for id, key in found:
        if id in seen:
            raise ScenarioError("there is another of this id", key=key, value=id)
        seen.add(id)


@cache
def load_code(path: Path) -> ModuleType:
    """A Python file of a study, imported. Raises `StudyError` where there is none."""
    name = f"ackclock_study_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise StudyError(f"{path} is missing; it measures and draws")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their own module up while it is being imported.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def function(path: Path, name: str) -> Callable[..., Any]:
    """A function of a study's Python file. Raises `StudyError` where it is missing."""
    found = getattr(load_code(path), name, None)
    if not callable(found):
        raise StudyError(f"{path}: no function {name}")
    made: Callable[..., Any] = found
    return made


def all_studies(ids: list[str], root: Path | None = None) -> Iterator[Study]:
    """The studies below `root` with these `ids`; every one for `all`. Raises `StudyError`."""
    folders = find_studies(root) if ids == ["all"] else [find_study(id, root) for id in ids]
    for folder in folders:
        yield load_study(folder)
