"""Runs of scenarios and of ns-2 scripts, each done once."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from ackclock import _native
from ackclock.batch.store import folder
from ackclock.execution.process import ACKCLOCK, Ns2Result, run_ns2
from ackclock.execution.results import Results, open_results
from ackclock.execution.simulate import run
from ackclock.scenario import Scenario
from ackclock.scenario.resolve.plugins import own_code

#: Where a script ran, and the tables of a scenario are, in a folder of the store.
FILES = "files"
SAID = "said.json"
REDUCED = "reduced.json"

#: Figures that were taken from a run while all of its files were there: plain values that JSON can hold.
Reduced = Mapping[str, Any]


@dataclass(frozen=True)
class Kept:
    """A stored run."""

    #: The folder in the store.
    folder: Path
    #: What a script printed and wrote, or a scenario's tables.
    result: Ns2Result | Results
    #: What `reduce` gave; empty without one.
    reduced: Reduced

    @property
    def stdout(self) -> str:
        """What a script printed. `TypeError` for a scenario."""
        return self.script.stdout

    @property
    def files(self) -> dict[str, Path]:
        """Files that a script wrote and that are kept, by name. `TypeError` for a scenario."""
        return self.script.files

    @property
    def script(self) -> Ns2Result:
        """What a script left. `TypeError` for a scenario."""
        if not isinstance(self.result, Ns2Result):
            raise TypeError("this run is of a scenario: it has results, not what a script printed and wrote")
        return self.result

    @property
    def results(self) -> Results:
        """The tables of a scenario. `TypeError` for a script."""
        if not isinstance(self.result, Results):
            raise TypeError("this run is of an ns-2 script: it has files, not tables")
        return self.result


class Store(folder.Store):
    """A store of runs. `keep` names what is stored of a run, `reduce` extracts values from it before the rest is
    deleted.
    """

    def run(self, scenario: Scenario, *, seed: int | str | None = None) -> Results:
        """The results of `ackclock.run` for a `scenario` and `seed`, from the store if they are there. Raises what
        `run` raises.
        """
        if seed is not None:
            scenario = replace(scenario, seed=seed)
        return self.run_scenario(scenario).results

    def run_scenario(
        self,
        scenario: Scenario,
        *,
        keep: Sequence[str] | None = None,
        reduce: Callable[[Results], Reduced] | None = None,
        reduced_by: str = "",
    ) -> Kept:
        """Run a `scenario` and store its tables: all, or those that `keep` names.

        `reduce` gets the results and returns values that are stored too. `reduced_by` identifies `reduce`, for example
        a digest of its source: it is a part of the key. So is the source of the user's own classes in the scenario;
        `ValueError` for one whose source is not known.
        """

        made_now: list[Results] = []

        def fill(place: Path) -> None:
            results = run(scenario)
            if reduce is not None:
                _write(place / REDUCED, reduce(results))
            kept = {name: table for name, table in results.tables.items() if keep is None or name in keep}
            made_now.append(Results(results.scenario, results.nodes, results.names, kept, results.own_code))
            made_now[0].save(place / FILES)

        made = self.make(_scenario_key(scenario, keep, reduced_by), fill)
        return _tables(made, scenario, made_now[0] if made_now else None)

    def kept_scenario(
        self, scenario: Scenario, *, keep: Sequence[str] | None = None, reduced_by: str = ""
    ) -> Kept | None:
        """The stored run of `run_scenario` with these arguments; None if it was not run. Arguments as for
        `run_scenario`.
        """
        found = self.find(_scenario_key(scenario, keep, reduced_by))
        return None if found is None else _tables(found, scenario)

    def run_ns2(
        self,
        script: str | Path,
        *args: str | int | float,
        program: Sequence[str] = ACKCLOCK,
        keep: Sequence[str] | None = None,
        reduce: Callable[[Ns2Result], Reduced] | None = None,
        reduced_by: str = "",
    ) -> Kept:
        """Run an ns-2 `script` with `args` and store its output and files: all, or those that `keep` names.

        - `program`: the command of another simulator.
        - `keep`: patterns such as `*.dat`; with one that ends in `.gz` the file is stored compressed.
        - `reduce`, `reduced_by`: as for `run_scenario`.

        A script may read other Tcl files of its folder, so all of these are a part of the key. Raises what
        `ackclock.run_ns2` raises; a script that fails is not stored.
        """
        path, command = _script(script), tuple(program)

        def fill(place: Path) -> None:
            here = place / FILES
            here.mkdir()
            result = run_ns2(path, *args, cwd=here, program=command)
            if reduce is not None:
                _write(place / REDUCED, reduce(result))
            _sift(here, keep)
            _write(place / SAID, {"stdout": result.stdout, "stderr": result.stderr})

        made = self.make(_script_key(path, args, command, keep, reduced_by), fill)
        return _printed(made, (*command, str(path), *map(str, args)))

    def kept_ns2(
        self,
        script: str | Path,
        *args: str | int | float,
        program: Sequence[str] = ACKCLOCK,
        keep: Sequence[str] | None = None,
        reduced_by: str = "",
    ) -> Kept | None:
        """The stored run of `run_ns2` with these arguments; None if it was not run. Arguments as for `run_ns2`."""
        path, command = _script(script), tuple(program)
        found = self.find(_script_key(path, args, command, keep, reduced_by))
        return None if found is None else _printed(found, (*command, str(path), *map(str, args)))


def _scenario_key(scenario: Scenario, keep: Sequence[str] | None, reduced_by: str) -> dict[str, Any]:
    code = own_code(scenario)
    unknown = [str(one["class"]) for one in code if one["source_sha256"] is None]
    if unknown:
        raise ValueError(f"{unknown[0]} has no source file, so a stored run could not be identified")
    return {
        "kind": "scenario",
        "scenario": scenario.table(),
        **({"own_code": code} if code else {}),
        "engine": engine_digest(),
        **_way_of_keeping(keep, reduced_by),
    }


def _tables(made: Path, scenario: Scenario, results: Results | None = None) -> Kept:
    """A scenario's folder; its tables are read unless they are at hand."""
    if results is None:
        results = open_results(made / FILES)
        results.scenario = scenario  # the caller's own, which may be run again, and not what the disk says
    return Kept(made, results, _read(made / REDUCED))


def _script(script: str | Path) -> Path:
    path = Path(script).resolve()
    if not path.is_file():
        raise FileNotFoundError(f"no such ns-2 script: {script}")
    return path


def _script_key(
    path: Path, args: Sequence[str | int | float], command: tuple[str, ...], keep: Sequence[str] | None, reduced_by: str
) -> dict[str, Any]:
    ours = command[: len(ACKCLOCK)] == ACKCLOCK
    return {
        "kind": "script",
        "script": path.name,
        "sources": {file.name: folder.digest_of(file) for file in {path, *path.parent.glob("*.tcl")}},
        "args": [str(arg) for arg in args],
        "program": list(command[len(ACKCLOCK) :]) if ours else list(command),
        "engine": engine_digest() if ours else _program_digest(command[0]),
        **_way_of_keeping(keep, reduced_by),
    }


def _printed(made: Path, words: tuple[str, ...]) -> Kept:
    here = made / FILES
    said = _read(made / SAID)
    files = {file.name: file for file in sorted(here.iterdir()) if file.is_file()}
    result = Ns2Result(words, 0, said["stdout"], said["stderr"], here, files)
    return Kept(made, result, _read(made / REDUCED))


@cache
def engine_digest() -> str:
    """The version, and a sha256 of the extension module and of all Python and Tcl between a description and it.

    Reads some 20 MB, once in a process.
    """
    package = Path(__file__).resolve().parents[2]
    files = [package / "execution" / "simulate.py", package / "execution" / "results.py"]
    for folder_name in ("ns2", "scenario"):
        files += [
            file for file in (package / folder_name).rglob("*") if file.suffix in (".py", ".tcl", ".toml", ".tsv")
        ]
    digest = hashlib.sha256(folder.digest_of(str(_native.__file__)).encode())
    for file in sorted(files):
        digest.update(f"{file.relative_to(package)} {folder.digest_of(file)}\n".encode())
    return f"ackclock {_native.__version__} {digest.hexdigest()[:32]}"


@cache
def _program_digest(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise FileNotFoundError(f"no such program: {program}")
    return f"{program} {folder.digest_of(found)[:32]}"


def _way_of_keeping(keep: Sequence[str] | None, reduced_by: str) -> dict[str, Any]:
    return {"keep": None if keep is None else list(keep), "reduced_by": reduced_by}


def _sift(here: Path, keep: Sequence[str] | None) -> None:
    """Leave in a folder what `keep` names."""
    if keep is None:
        return
    for path in sorted(here.iterdir()):
        if path.is_dir():
            shutil.rmtree(path)
        elif any(path.match(pattern) for pattern in keep):
            continue
        else:
            if any(path.match(pattern.removesuffix(".gz")) for pattern in keep if pattern.endswith(".gz")):
                _pack(path)
            path.unlink()


def _pack(path: Path) -> None:
    # The highest level takes ten times as long, for a tenth less.
    with path.open("rb") as plain, gzip.open(path.with_name(f"{path.name}.gz"), "wb", compresslevel=4) as packed:
        shutil.copyfileobj(plain, packed)


def _write(file: Path, values: Reduced) -> None:
    file.write_text(json.dumps(values, ensure_ascii=False, allow_nan=False), encoding="utf-8")


def _read(file: Path) -> dict[str, Any]:
    if not file.is_file():
        return {}
    values: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return values
