"""The tables of many runs, in few files.

    sweeps/format.json              which form this is
    sweeps/SHA256SUMS               the digests of format.json and of the large files
    sweeps/flows/0.parquet ... f    a table of all runs, in files by the first digit of `point`
    sweeps/runs/0.parquet ... f     a row for each run: what it was
    sweeps/new/*/flows.arrow ...    what came lately, not yet in these; with a SHA256SUMS of its own. When several such
                                    folders are joined, the files become Parquet, a tenth as large

A run is known by `point`, the digest of all that it follows from but its seed, and `seed`; both stand in each row. What
comes is written to a folder in `new`, which takes its name when it is whole; `merge` takes it into the large files.
All are in the order of point and seed. So the large files' bytes follow from which runs there are, and from nothing
else: not from who ran them, in which order, or how often that was interrupted. And no table need be in memory: what is
merged, or looked for, is read a few rows at a time from each file.

The digest of each file is checked before the file is read or merged. A merge writes the new digests to SHA256SUMS.new
before it replaces a file, and renames that to SHA256SUMS at its end. So whenever it is killed, each file has the digest
that one of the two gives, and the next merge writes down which.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby, islice
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ackclock._internal import file_locks
from ackclock._internal.atomic_file import atomic_write, remove_left, remove_left_of, temporary_path
from ackclock._internal.checksums import NEXT, SUMS, ChecksumError, Checksums, sha256, write_sums
from ackclock._native import MergedRuns, Table, __version__
from ackclock.batch.store.folder import StoreError

#: The form of these files; stores of other forms are refused. Form 2 had the flow names of one replication for all,
#: and no digests.
FORM = 3

#: The file that says so.
FORMAT = "format.json"

LETTERS = "0123456789abcdef"

#: The table that has a row for each run. It is written last, so what it lists is there.
INDEX = "runs"

#: Whoever merges or reads has a lock on it.
LOCK = ".lock"

#: Folders in `new` that are made into one, and files of a table that are read side by side.
TOGETHER = 8


#: Files by table, as `MergedRuns` takes them.
Tables = Mapping[str, list[list[str]]]


class IndexRow(NamedTuple):
    """What the index says of a run."""

    seed: int
    #: the version and digest of what ran it
    engine: str
    #: what was run, as JSON, without the seed
    description: str


class Segments:
    """The tables of many runs in a folder, `sweeps` of a store. Several processes may share it.

    `StoreError` for a folder in another form than this version's, or with a damaged file, which is named; `OSError`
    where it cannot be written.
    """

    def __init__(self, store: str | os.PathLike[str]) -> None:
        self.root = Path(store) / "sweeps"
        self._buffer: dict[str, list[Table]] = {}
        self._check()

    def _check(self) -> None:
        file = self.root / FORMAT
        if not any(path.exists() for path in (file, self.root / SUMS, self._new)):
            return  # nothing was ever kept
        with self._damage():
            if (self.root / SUMS).exists():
                Checksums(self.root).verified(FORMAT)
        try:
            told = json.loads(file.read_text(encoding="utf-8"))
            form, version = told["form"], told["ackclock"]
        except (FileNotFoundError, ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{file}: not what a store writes ({error})") from None
        if form != FORM:
            raise StoreError(
                f"{self.root}: written by ackclock {version}, in form {form}; ackclock {__version__} reads and writes"
                f" form {FORM}. Remove it, or give another store, and run again; or use that version"
            )
        if not (self.root / SUMS).exists():
            raise StoreError(f"{self.root / SUMS}: missing; remove {self.root} and run again")

    @property
    def _new(self) -> Path:
        return self.root / "new"

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
        if not self._new.is_dir():
            self._begin()
        self._keep(((name, MergedRuns.of_tables(tables)) for name, tables in self._buffer.items()), 0)
        self._buffer = {}
        self._join_some()

    def merge(self) -> None:
        """Take all that is new, whoever wrote it, into the large files."""
        new = self._new
        if not new.is_dir():
            return
        with self._lock(), self._damage():
            remove_left(new.glob(".*.part"))
            for left in (*self.root.glob(".*.part"), *self.root.glob("[!.n]*/.*.part")):
                left.unlink(missing_ok=True)  # of a merge that was killed: nobody else merges now
            while len(segments := sorted(_segments(new), key=_age)) > TOGETHER:
                self._join(segments[:TOGETHER])
            sums = Checksums(self.root)
            digests = sums.settled()
            tables = _tables(segments)
            for name in sorted(tables, key=lambda name: (name == INDEX, name)):
                folder, runs = self.root / name, MergedRuns(tables[name])
                folder.mkdir(exist_ok=True)
                while runs.point is not None:
                    letter = runs.point[0]
                    file = f"{name}/{letter}.parquet"
                    if file in digests or (self.root / file).exists():
                        runs.put_first(str(sums.verified(file)))
                    with atomic_write(self.root / file) as part:
                        runs.write_parquet(part, letter)
                        digests[file] = sha256(part)
                        write_sums(self.root, digests, name=NEXT)
                _to_disk(folder)
            self._settle(digests)
            _remove(segments)

    def _begin(self) -> None:
        """Make an empty store, in one step."""
        if not (self.root / FORMAT).exists():
            self.root.parent.mkdir(parents=True, exist_ok=True)
            remove_left_of(self.root)
            part = Path(temporary_path(self.root))
            (part / "new").mkdir(parents=True)
            (part / FORMAT).write_text(json.dumps({"form": FORM, "ackclock": __version__}) + "\n", encoding="utf-8")
            write_sums(part)
            try:
                part.rename(self.root)
            except OSError:
                if not (self.root / FORMAT).exists():  # otherwise another process was first
                    raise
            finally:
                shutil.rmtree(part, ignore_errors=True)
        self._new.mkdir(exist_ok=True)

    def _settle(self, digests: Mapping[str, str]) -> None:
        """Make these the digests of the large files, which are on the disk."""
        if (self.root / NEXT).exists():
            write_sums(self.root, digests, name=NEXT)
            (self.root / NEXT).rename(self.root / SUMS)
            _to_disk(self.root)

    def _join_some(self) -> None:
        """Make one of those folders in `new` that were joined equally often, where these are many."""
        with self._lock(), self._damage():
            segments = sorted(_segments(self._new), key=_age)
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
        new = self._new
        place = new / f"{time.time_ns()}-{secrets.token_hex(4)}-{joined}"
        part = Path(temporary_path(place))
        part.mkdir()
        try:
            for name, runs in tables:
                if joined:
                    runs.write_parquet(str(part / f"{name}.parquet"), "")
                else:
                    runs.write_arrow(str(part / f"{name}.arrow"))
            write_sums(part)
            _to_disk(part)
            part.rename(place)
            _to_disk(new)
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def is_empty(self) -> bool:
        """Whether nothing was ever kept."""
        return not self.root.is_dir()

    def runs(self, points: Collection[str]) -> Iterator[tuple[str, int, dict[str, Table]]]:
        """The runs of these `points` (keys of the index): point, seed, and tables by name, `runs` among them."""
        if not self.root.is_dir():
            return
        with self._lock(shared=True), self._damage():
            new = [segment for segment in _segments(self._new) if not _points(segment).isdisjoint(points)]
            files = self._all(new, {point[0] for point in points})
            tables = {name: MergedRuns(some, [*points]) for name, some in files.items()}
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

    def index(self) -> Iterator[IndexRow]:
        """What there is of every run."""
        with self._lock(shared=True), self._damage():
            if files := self._all(_segments(self._new), tables=(INDEX,)).get(INDEX):
                for _, seed, told in MergedRuns(files):
                    yield IndexRow(seed, told.column("engine")[0], told.column("description")[0])

    def _all(
        self, new: list[Path], letters: Collection[str] = LETTERS, tables: Collection[str] | None = None
    ) -> Tables:
        """All tables, or these: the large files of these letters, which follow each other, and the files of these
        folders in `new`.
        """
        large: dict[str, list[str]] = {}
        if not (self.root / SUMS).exists():
            return {}  # never written to: otherwise `_check` has refused it
        sums = Checksums(self.root)
        for file in sorted({*sums.names(), *self._files()}):
            table, _, name = file.partition("/")
            if name[:1] in letters and (tables is None or table in tables) and sums.verified(file).exists():
                large.setdefault(table, []).append(str(self.root / file))
        return _tables(new, {name: [files] for name, files in large.items()})

    def _files(self) -> list[str]:
        """The names of the large files that are there."""
        return [f"{file.parent.name}/{file.name}" for file in self.root.glob("[!.]*/?.parquet")]

    @contextlib.contextmanager
    def _damage(self) -> Iterator[None]:
        """`StoreError` where a file, which is named, is damaged, missing or none that a store writes."""
        try:
            yield
        except ChecksumError as error:
            raise StoreError(f"{error}; `ackclock check {self.root.parent} --repair` has its runs run again") from None
        except ValueError as error:
            raise StoreError(f"{self.root}: not what a store writes: {error}") from None

    def _lock(self, *, shared: bool = False) -> contextlib.AbstractContextManager[None]:
        return lock(self.root, shared=shared)


@contextlib.contextmanager
def lock(root: Path, *, shared: bool = False) -> Iterator[None]:
    """Nobody merges while another merges or reads. A store without a lock has never been written to."""
    try:
        file = os.open(root / LOCK, os.O_RDONLY if shared else os.O_RDWR | os.O_CREAT, 0o666)
    except FileNotFoundError:
        yield
        return
    try:
        file_locks.lock(file, shared=shared)
        yield
    finally:
        os.close(file)


def repair(root: Path, damaged: Collection[str]) -> None:
    """Remove what these damaged files of a folder `sweeps` have runs of, so that those are run again.

    Their point's first digit goes from all tables, for a run is there with all of its tables or not at all.
    """
    with lock(root):
        if {FORMAT, SUMS, NEXT} & set(damaged):
            shutil.rmtree(root)
            return
        _remove(sorted({root / "new" / name.split("/")[1] for name in damaged if name.startswith("new/")}))
        letters = {Path(name).name[0] for name in damaged if not name.startswith("new/")}
        if letters:
            sums = Checksums(root)
            whole = [name for name in sums.names() if Path(name).name[0] not in letters and sums.problem(name) == ""]
            write_sums(root, {name: sha256(root / name) for name in whole if (root / name).exists()})
            (root / NEXT).unlink(missing_ok=True)
            for letter in letters:
                for file in root.glob(f"[!.]*/{letter}.parquet"):
                    file.unlink()


def _segments(new: Path) -> list[Path]:
    """What is new and whole, oldest first."""
    if not new.is_dir():
        return []
    return sorted(segment for segment in new.iterdir() if not segment.name.startswith("."))


def _age(segment: Path) -> tuple[int, str]:
    """How often the runs of a folder in `new` were joined, and its name, which begins with the time."""
    return int(segment.name.partition("-")[2].partition("-")[2] or 0), segment.name


@lru_cache(maxsize=1024)
def _points(segment: Path) -> frozenset[str]:
    """The points of the runs of a folder in `new`. What is in such a folder does not change."""
    return frozenset(point for point, _, _ in MergedRuns(_tables([segment])[INDEX]))


def _tables(segments: list[Path], before: Tables = MappingProxyType({})) -> Tables:
    """The tables of some folders in `new`, whose digests are checked, and of each what is `before` them."""
    files = {name: [*some] for name, some in before.items()}
    for segment in segments:
        try:
            sums = Checksums(segment)
        except FileNotFoundError:
            raise ChecksumError(f"{segment / SUMS}: missing") from None
        for name in sorted({*sums.names(), *(file.name for file in segment.glob("[!.]*.*"))}):
            file = sums.verified(name)
            files.setdefault(file.stem, []).append([str(file)])
    return files


def _remove(segments: list[Path]) -> None:
    """Remove folders in `new`, none of which is there by half meanwhile."""
    for segment in segments:
        gone = Path(temporary_path(segment))
        segment.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def _to_disk(folder: Path) -> None:
    """A folder's names are on the disk when this returns."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
