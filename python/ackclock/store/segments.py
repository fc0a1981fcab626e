"""The tables of many runs, in few files.

    sweeps/format.json              which form this is
    sweeps/flows/0.parquet ... f    a table of all runs, in files by the first digit of `point`
    sweeps/runs/0.parquet ... f     a row for each run: what it was
    sweeps/new/*/flows.arrow ...    what came lately, not yet in these

A run is known by `point`, the digest of all that it follows from but its seed, and `seed`; both stand in each row. What
comes is written to a folder in `new`, which takes its name when it is whole; `merge` takes it into the large files.
All are in the order of point and seed. So the large files' bytes follow from which runs there are, and from nothing
else: not from who ran them, in which order, or how often that was interrupted. And no table need be in memory: what is
merged, or looked for, is read a few rows at a time from each file.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby, islice
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ackclock._native import MergedRuns, Table, __version__
from ackclock.store.folder import StoreError, part_beside, remove_left
from ackclock.whole import whole_file

#: The form of these files. Another number is another form.
FORM = 2

LETTERS = "0123456789abcdef"

#: The table that has a row for each run. It is written last, so what it lists is there.
INDEX = "runs"

#: Folders in `new` that are made into one, and files of a table that are read side by side.
TOGETHER = 8


#: Files by table, as `MergedRuns` takes them.
Tables = Mapping[str, list[list[str]]]


class Told(NamedTuple):
    """What the index says of a run."""

    seed: int
    #: the version and digest of what ran it
    engine: str
    #: what was run, as JSON, without the seed
    description: str


class Segments:
    """The tables of many runs in a folder, `sweeps` of a store. Several processes may share it.

    `StoreError` for a folder in another form than this version's, or damaged; `OSError` where it cannot be written.
    """

    def __init__(self, store: str | os.PathLike[str]) -> None:
        self.root = Path(store) / "sweeps"
        self._buffer: dict[str, list[Table]] = {}
        self._check()

    def _check(self) -> None:
        file = self.root / "format.json"
        try:
            told = json.loads(file.read_text(encoding="utf-8"))
            form, version = told["form"], told["ackclock"]
        except FileNotFoundError:
            return
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{file}: not what a store writes ({error})") from None
        if form != FORM:
            raise StoreError(
                f"{self.root}: written by ackclock {version}, in form {form}; ackclock {__version__} reads and writes"
                f" form {FORM}. Give another store, or use that version"
            )

    def add(self, tables: Mapping[str, Table]) -> None:
        """Tables of runs by name, as `join_runs` makes them, `runs` among them; kept when `flush` is called."""
        for name, table in tables.items():
            self._buffer.setdefault(name, []).append(table)

    @property
    def rows(self) -> int:
        """How many rows wait to be kept."""
        return sum(len(table) for tables in self._buffer.values() for table in tables)

    def flush(self) -> None:
        """Keep what was added: it is on the disk, whole, when this returns."""
        if not self._buffer:
            return
        new = self.root / "new"
        if not new.is_dir():
            self.root.mkdir(parents=True, exist_ok=True)
            with self._lock(fcntl.LOCK_EX), whole_file(self.root / "format.json") as file:
                Path(file).write_text(json.dumps({"form": FORM, "ackclock": __version__}) + "\n", encoding="utf-8")
            new.mkdir(exist_ok=True)
        self._keep(((name, MergedRuns.of_tables(tables)) for name, tables in self._buffer.items()), 0)
        self._buffer = {}
        self._join_some()

    def merge(self) -> None:
        """Take all that is new, whoever wrote it, into the large files."""
        new = self.root / "new"
        if not new.is_dir():
            return
        with self._lock(fcntl.LOCK_EX), self._damage():
            remove_left(new.glob(".*.part"))
            for left in (*self.root.glob(".*.part"), *self.root.glob("[!.n]*/.*.part")):
                left.unlink(missing_ok=True)  # of a merge that was killed: nobody else merges now
            while len(segments := sorted(_segments(new), key=_age)) > TOGETHER:
                self._join(segments[:TOGETHER])
            tables = _tables(segments)
            for name in sorted(tables, key=lambda name: (name == INDEX, name)):
                folder, runs = self.root / name, MergedRuns(tables[name])
                folder.mkdir(exist_ok=True)
                while runs.point is not None:
                    letter = runs.point[0]
                    file = folder / f"{letter}.parquet"
                    if file.is_file():
                        runs.put_first(str(file))
                    with whole_file(file) as part:
                        runs.write_parquet(part, letter)
                _to_disk(folder)
            _remove(segments)

    def _join_some(self) -> None:
        """Make one of those folders in `new` that were joined equally often, where these are many."""
        with self._lock(fcntl.LOCK_EX), self._damage():
            segments = sorted(_segments(self.root / "new"), key=_age)
            for _, alike in groupby(segments, key=lambda segment: _age(segment)[0]):
                some = list(islice(alike, TOGETHER))
                if len(some) == TOGETHER:
                    self._join(some)

    def _join(self, segments: list[Path]) -> None:
        """Make one of some folders in `new`. What a kill in between leaves there twice counts once."""
        tables = _tables(segments)
        self._keep(((name, MergedRuns(files)) for name, files in tables.items()), _age(segments[-1])[0] + 1)
        _remove(segments)

    def _keep(self, tables: Iterable[tuple[str, MergedRuns]], joined: int) -> None:
        """Write these tables, which were joined so often, to a folder in `new`."""
        new = self.root / "new"
        place = new / f"{time.time_ns()}-{secrets.token_hex(4)}-{joined}"
        part = part_beside(place)
        part.mkdir()
        try:
            for name, runs in tables:
                runs.write_arrow(str(part / f"{name}.arrow"))
            _to_disk(part)
            part.rename(place)
            _to_disk(new)
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def is_empty(self) -> bool:
        """Whether nothing was ever kept."""
        return not self.root.is_dir()

    def runs(self, points: Collection[str]) -> Iterator[tuple[str, int, dict[str, Table]]]:
        """The runs of these points: point, seed, and tables by name, `runs` among them."""
        if not self.root.is_dir():
            return
        with self._lock(fcntl.LOCK_SH), self._damage():
            tables = {name: MergedRuns(files) for name, files in self._all({point[0] for point in points}).items()}
            index = tables.pop(INDEX, iter(()))
            waiting = {name: next(runs, None) for name, runs in tables.items()}
            for point, seed, told in index:
                found = {INDEX: told}
                for name, run in waiting.items():
                    while run is not None and run[:2] < (point, seed):
                        run = next(tables[name], None)
                    if run is not None and run[:2] == (point, seed):
                        found[name] = run[2]
                    waiting[name] = run
                if point in points:
                    yield point, seed, found

    def index(self) -> Iterator[Told]:
        """What there is of every run."""
        with self._lock(fcntl.LOCK_SH), self._damage():
            if files := self._all().get(INDEX):
                for _, seed, told in MergedRuns(files):
                    yield Told(seed, told.column("engine")[0], told.column("description")[0])

    def _all(self, letters: Collection[str] = LETTERS) -> Tables:
        """All tables: the large files of these letters, which follow each other, and whatever is new."""
        large: dict[str, list[str]] = {}
        for letter in sorted(letters):
            for file in self.root.glob(f"*/{letter}.parquet"):
                large.setdefault(file.parent.name, []).append(str(file))
        return _tables(_segments(self.root / "new"), {name: [files] for name, files in large.items()})

    @contextlib.contextmanager
    def _damage(self) -> Iterator[None]:
        """`StoreError` where a file, which is named, is none that a store writes."""
        try:
            yield
        except ValueError as error:
            raise StoreError(f"{self.root}: damaged ({error}); without that file its runs are run again") from None

    @contextlib.contextmanager
    def _lock(self, how: int) -> Iterator[None]:
        """Nobody merges while another merges or reads. A store without a lock has never been written to."""
        try:
            file = os.open(self.root / ".lock", os.O_RDWR | os.O_CREAT if how == fcntl.LOCK_EX else os.O_RDONLY, 0o666)
        except FileNotFoundError:
            yield
            return
        try:
            fcntl.flock(file, how)
            yield
        finally:
            os.close(file)


def _segments(new: Path) -> list[Path]:
    """What is new and whole, oldest first."""
    if not new.is_dir():
        return []
    return sorted(segment for segment in new.iterdir() if not segment.name.startswith("."))


def _age(segment: Path) -> tuple[int, str]:
    """How often the runs of a folder in `new` were joined, and its name, which begins with the time."""
    return int(segment.name.partition("-")[2].partition("-")[2] or 0), segment.name


def _tables(segments: list[Path], before: Tables = MappingProxyType({})) -> Tables:
    """The tables of some folders in `new`, and of each what is `before` them."""
    files = {name: [*some] for name, some in before.items()}
    for segment in segments:
        for file in segment.glob("*.arrow"):
            files.setdefault(file.stem, []).append([str(file)])
    return files


def _remove(segments: list[Path]) -> None:
    """Remove folders in `new`, none of which is there by half meanwhile."""
    for segment in segments:
        gone = part_beside(segment)
        segment.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def _to_disk(folder: Path) -> None:
    """A folder's names are on the disk when this returns."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
