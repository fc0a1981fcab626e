"""Find studies and read their `claims.toml`.

Studies live in the source tree, beside the package and not in it: they are evidence to read and
change, not library code. They are looked for where the caller says, else in the checkout that the
package was imported from, else in `studies` of the current directory.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackclock.study.claim import Claim, Rule

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class StudyError(Exception):
    """A study cannot be found, read or run. The message is for the user."""


@dataclass(frozen=True)
class Paper:
    """What is reproduced."""

    title: str
    authors: str
    year: int
    venue: str
    #: What the paper asks, in a sentence or two.
    question: str


@dataclass(frozen=True)
class Run:
    """One simulation of a study."""

    id: str
    label: str
    #: Path of the ns-2 script.
    script: Path
    args: tuple[str, ...]
    #: File that the run writes to its sha256 as the real ns-2 wrote it.
    sha256: dict[str, str]


@dataclass(frozen=True)
class Study:
    """A paper's claims and the runs that are held against them."""

    id: str
    folder: Path
    paper: Paper
    runs: tuple[Run, ...]
    claims: tuple[Claim, ...]

    @property
    def code(self) -> Path:
        """The Python file that measures and draws: the folder's name without its number."""
        return self.folder / f"{self.folder.name.partition('_')[2]}.py"


def find_studies(root: Path | None = None) -> list[Path]:
    """Folders of all studies, by number. Raises `StudyError` where there are none."""
    checkout = Path(__file__).resolve().parents[3] / "studies"
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
    """Folder of one study, by its number or its whole name."""
    folders = find_studies(root)
    for folder in folders:
        if id in (folder.name, folder.name.partition("_")[0]):
            return folder
    known = ", ".join(folder.name.partition("_")[0] for folder in folders)
    raise StudyError(f"no study {id}; there is {known}")


def load_study(folder: Path) -> Study:
    """Read a study's claims. Raises `StudyError` naming the file and what is wrong in it."""
    file = folder / "claims.toml"
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        paper = Paper(**data["paper"])
        runs = tuple(_run(folder, entry) for entry in data["run"])
        claims = tuple(_claim(entry) for entry in data["claim"])
    except KeyError as error:
        raise StudyError(f"{file}: {error} is missing") from error
    except (TypeError, ValueError) as error:
        raise StudyError(f"{file}: {error}") from error
    return Study(folder.name.partition("_")[0], folder, paper, runs, claims)


def _run(folder: Path, entry: dict[str, Any]) -> Run:
    return Run(
        id=entry["id"],
        label=entry["label"],
        script=folder / entry["script"],
        args=tuple(entry["args"]),
        sha256=dict(entry["sha256"]),
    )


def _claim(entry: dict[str, Any]) -> Claim:
    claim = Claim(**{**entry, "rule": Rule(entry["rule"])})
    float(claim.published)  # a published value that is no number would pass for a difference
    return claim
