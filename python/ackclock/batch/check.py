"""Checks stored files by their digests: saved runs, stores of runs, what came of studies, and folders of all these."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ackclock._internal.checksums import NEXT, SUMS, ChecksumError, Checksums, unlisted
from ackclock.batch.store.folder import MARKER
from ackclock.batch.store.segments import FORMAT, lock, repair
from ackclock.batch.study.run import FIGURES, OUTCOME
from ackclock.execution.results import RUN_FILE

#: Files that are written into a folder with digests, or into one that such a folder lists.
MARKS = (RUN_FILE, MARKER, FORMAT, OUTCOME)


class Damage(NamedTuple):
    """A file that is damaged or missing: the folder with its digest, its name below that, and what is wrong."""

    folder: Path
    name: str
    wrong: str


@dataclass
class Checked:
    """What came of a check."""

    #: how many files were hashed, and their size
    files: int = 0
    bytes: int = 0
    damaged: list[Damage] = field(default_factory=list)
    #: files in stored folders that are not listed
    unexpected: list[Path] = field(default_factory=list)


def check(folder: Path) -> Checked:
    """Check every file below a folder that a `SHA256SUMS` lists. `OSError` when it cannot be read.

    The result has no files where nothing below it is stored by ackclock.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"no such folder: {folder}")
    found = Checked()
    listed: set[Path] = set()
    with ExitStack() as locks:
        for here in _stored(folder):
            if listed.intersection(here / name for name in (SUMS, *MARKS)):
                continue  # a folder around it lists its files
            if _is_sweeps(here):
                # Until the end: what is in `new` is looked at later, and a merge would take it away.
                locks.enter_context(lock(here, shared=True))
            listed.update(_check_one(here, found))
    found.unexpected = [path for path in dict.fromkeys(found.unexpected) if path not in listed]
    return found


def repair_damaged(found: Checked) -> list[Path]:
    """Remove damaged runs from stores, so that they are run again. The folders of others, which stay as they are."""
    others = []
    for here in dict.fromkeys(here for here, _, _ in found.damaged):
        names = [name for place, name, _ in found.damaged if place == here]
        if _is_sweeps(here):
            repair(here, names)
        elif _is_segment(here):
            segment = here.absolute()
            repair(segment.parent.parent, [f"new/{segment.name}/{name}" for name in names])
        elif _is_run(here):
            shutil.rmtree(here)
        elif here.exists():
            others.append(here)
    return others


def _stored(folder: Path) -> Iterator[Path]:
    """The folders that have digests, or should have."""
    for name, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        here = Path(name)
        is_results = RUN_FILE in files and any(file.endswith((".parquet", ".csv")) for file in files)
        is_study = OUTCOME in files and FIGURES in folders
        if SUMS in files or is_results or is_study or _is_sweeps(here) or _is_segment(here) or _is_run(here):
            yield here


def _is_sweeps(here: Path) -> bool:
    """Whether this is where a store keeps the runs of sweeps, though files of it may be gone."""
    return here.absolute().name == "sweeps" and ((here / FORMAT).exists() or (here / "new").is_dir())


def _is_segment(here: Path) -> bool:
    """Whether this is what such a folder has in `new`."""
    above = here.absolute().parent
    return above.name == "new" and _is_sweeps(above.parent)


def _is_run(here: Path) -> bool:
    """Whether this is where a store keeps a single run."""
    return re.fullmatch("[0-9a-f]{2}/[0-9a-f]{30}", "/".join(here.absolute().parts[-2:])) is not None


def _check_one(here: Path, found: Checked) -> list[Path]:
    """Check a folder that has digests, or should have; the files that it lists, and those of the format."""
    try:
        sums = Checksums(here)
    except FileNotFoundError:
        wrong = "missing: an older ackclock wrote this folder, or it is not complete"
        found.damaged.append(Damage(here, SUMS, wrong))
        return []
    except ChecksumError as error:
        found.damaged.append(Damage(here, SUMS, str(error).removeprefix(f"{here}{os.sep}").partition(": ")[2]))
        return []
    for name in sums.names():
        if wrong := sums.problem(name):
            found.damaged.append(Damage(here, name, wrong))
        elif (here / name).exists():
            found.files += 1
            found.bytes += (here / name).stat().st_size
    for name in unlisted(here, sums.names()):
        # What a store would read must be listed. All else may lie there.
        is_large = _is_sweeps(here) and len(Path(name).parts) == 2 and Path(name).match("?.parquet")
        if is_large or (_is_segment(here) and name.endswith((".arrow", ".parquet"))):
            found.damaged.append(Damage(here, name, f"not listed in {SUMS}"))
        else:
            found.unexpected.append(here / name)
    return [here / name for name in (*sums.names(), SUMS, NEXT)]
