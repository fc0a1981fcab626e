"""The tables of many runs, in few files.

    sweeps/format.json              which form this is
    sweeps/flows/0.parquet ... f    a table of all runs, in files by the first digit of `point`
    sweeps/runs/0.parquet ... f     a row for each run: what it was
    sweeps/new/*/flows.parquet ...  what came lately, not yet in these

A run is known by `point`, the digest of all that it follows from but its seed, and `seed`; both stand in each row. What
comes is written to a folder in `new`, which takes its name when it is whole; `merge` takes it into the large files,
which are in the order of point and seed. So their bytes follow from which runs there are, and from nothing else: not
from who ran them, in which order, or how often that was interrupted.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ackclock._native import Table, __version__, merge_runs, split_runs
from ackclock.store.folder import StoreError, part_beside, remove_left
from ackclock.whole import whole_file

#: The form of these files. Another number is another form.
FORM = 1

LETTERS = "0123456789abcdef"

#: The table that has a row for each run. It is written last, so what it lists is there.
INDEX = "runs"

#: Bytes of a table's rows in `new` that are read at a time. Rows of runs that are much alike are packed well: in memory
#: they take up to fifty times as much.
AT_ONCE = 1 << 15

#: Files in `new` that are in memory at a time, with all their rows.
FILES = 4

#: Bytes of a file that are no rows, but say what the columns are.
BARE = 12_000


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
        place = new / f"{time.time_ns()}-{secrets.token_hex(4)}"
        part = part_beside(place)
        part.mkdir()
        try:
            for table, pieces in self._buffer.items():
                merge_runs(pieces).write_parquet(str(part / f"{table}.parquet"))
            _to_disk(part)
            part.rename(place)
            _to_disk(new)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        self._buffer = {}

    def merge(self) -> None:
        """Take all that is new, whoever wrote it, into the large files."""
        new = self.root / "new"
        if not new.is_dir():
            return
        with self._lock(fcntl.LOCK_EX):
            remove_left(new.glob(".*.part"))
            for left in (*self.root.glob(".*.part"), *self.root.glob("[!.n]*/.*.part")):
                left.unlink(missing_ok=True)  # of a merge that was killed: nobody else merges now
            segments = _segments(new)
            if not segments:
                return
            names = {file.stem for segment in segments for file in segment.glob("*.parquet")}
            for name in sorted(names, key=lambda name: (name == INDEX, name)):
                folder = self.root / name
                folder.mkdir(exist_ok=True)
                for letter, table in self._by_letter(name, segments, only_new=True):
                    if table is not None:
                        with whole_file(folder / f"{letter}.parquet") as part:
                            table.write_parquet(part)
                    del table  # before the next is read
                _to_disk(folder)
            for segment in segments:
                gone = part_beside(segment)
                segment.rename(gone)
                shutil.rmtree(gone, ignore_errors=True)

    def is_empty(self) -> bool:
        """Whether nothing was ever kept."""
        return not self.root.is_dir()

    def runs(self, points: Collection[str]) -> Iterator[tuple[str, int, dict[str, Table]]]:
        """The runs of these points: point, seed, and tables by name, `runs` among them."""
        if not self.root.is_dir():
            return
        with self._lock(fcntl.LOCK_SH):
            names, letters = self._names(), sorted({point[0] for point in points})
            new = _segments(self.root / "new")
            for tables in zip(*(self._by_letter(name, new, letters) for name in names), strict=True):
                held: dict[tuple[str, int], dict[str, Table]] = {}
                for name, (_, table) in zip(names, tables, strict=True):
                    for point, seed, rows in split_runs(table) if table is not None else ():
                        if point in points:
                            held.setdefault((point, seed), {})[name] = rows
                yield from ((*run, of_run) for run, of_run in held.items() if INDEX in of_run)

    def index(self) -> Iterator[Told]:
        """What there is of every run."""
        with self._lock(fcntl.LOCK_SH):
            for _, table in self._by_letter(INDEX, _segments(self.root / "new")):
                if table is not None:
                    yield from map(Told, *(table.column(column) for column in Told._fields))

    def _names(self) -> list[str]:
        """The tables that there are."""
        return sorted(
            {
                *(file.parent.name for file in self.root.glob("*/?.parquet")),
                *(file.stem for file in self.root.glob("new/[!.]*/*.parquet")),
            }
        )

    def _by_letter(
        self, name: str, segments: list[Path], of: Sequence[str] = LETTERS, *, only_new: bool = False
    ) -> Iterator[tuple[str, Table | None]]:
        """Each of these letters, with what there is of a table, what is new included; None where that is nothing.

        With `only_new`, None also where nothing new comes.
        """
        files = [file for segment in segments if (file := segment / f"{name}.parquet").is_file()]
        size = sum(max(file.stat().st_size - BARE, 0) for file in files)
        step = max(1, len(LETTERS) // (1 + size // AT_ONCE))
        for first in range(0, len(of), step):
            letters = of[first : first + step]
            fresh = _read(files, "".join(letters))
            for letter in letters:
                yield letter, self._joined(name, letter, fresh, only_new)
            del fresh

    def _joined(self, name: str, letter: str, fresh: list[Table], only_new: bool) -> Table | None:
        """What `_by_letter` gives for a letter. Nothing else of it is in memory when this returns."""
        file = self.root / name / f"{letter}.parquet"
        new = [table for table in (merge_runs(fresh, letter),) if len(table)] if fresh else []
        if not new and (only_new or not file.is_file()):
            return None
        return merge_runs([*([_parquet(file)] if file.is_file() else []), *new])

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


def _read(files: list[Path], letters: str) -> list[Table]:
    """What in files of a table in `new` begins with one of the letters, oldest first, in a few tables."""
    found: list[Table] = []
    for file in files:
        # A part of a table keeps the whole of it in memory; one table of several parts does not.
        found.append(merge_runs([_parquet(file)], letters))
        if len(found) > FILES:
            found = [merge_runs(found)]
    return found


def _parquet(file: Path) -> Table:
    """The table in a file, in one piece."""
    try:
        return merge_runs([Table.read_parquet(str(file))])
    except ValueError as error:
        raise StoreError(f"{file}: damaged ({error}); remove it, and its runs are run again") from None


def _to_disk(folder: Path) -> None:
    """A folder's names are on the disk when this returns."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
