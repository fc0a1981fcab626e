"""Flips bits of stored files, reads everything in them: `python -m fuzz.flips COUNT`; the last line is a `Row`.

Each flip is of one random bit in a random file of a copy: of a saved run, of a sweep's store, of a study's store, or of
what came of a study. What must hold: whatever reads the copy raises an error that names the file, or gives exactly what
the undamaged one gives; and `ackclock check` finds the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import ackclock as ac
from ackclock._internal.checksums import NEXT, SUMS
from ackclock.batch.check import check
from ackclock.batch.store import Segments, Store, StoreError
from ackclock.batch.sweep import Grid, load_grid, stored
from ackclock.server.errors import Refusal
from ackclock.server.saved import RunRecording
from fuzz.kills import ACKCLOCK, GRID, MEASURE, NET, SCRIPT, STUDY
from fuzz.row import Row

#: The errors with which a damaged file is refused.
REFUSALS = (ac.ResultsError, StoreError, Refusal)


class Stored(ABC):
    """Something that is stored in a folder, and how it is read."""

    name: str

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.whole = folder / "whole"
        self.prepare(folder)
        self.files = [file for file in sorted(self.whole.rglob("*")) if file.is_file() and file.stat().st_size]
        self.answers = list(self.read(self.whole))
        assert check(self.whole).damaged == [], self.name

    @abstractmethod
    def prepare(self, folder: Path) -> None:
        """Make `self.whole`."""

    @abstractmethod
    def read(self, place: Path) -> Iterator[object]:
        """All that can be read there."""

    def flip(self, place: Path, chance: random.Random) -> str:
        """Copy it to a place and flip a bit of a file; what is wrong with what comes of that, "" for nothing."""
        shutil.copytree(self.whole, place)
        file = place / chance.choice(self.files).relative_to(self.whole)
        data = bytearray(file.read_bytes())
        bit = chance.randrange(8 * len(data))
        data[bit // 8] ^= 1 << bit % 8
        file.write_bytes(data)
        where = f"{file.relative_to(place)}, bit {bit}"
        # A damaged digest is found by the file that it is of.
        names = (SUMS, NEXT) if file.name in (SUMS, NEXT) else (str(file.relative_to(place)),)
        try:
            if list(self.read(place)) != self.answers:
                return f"{where}: another answer, and no error"
        except REFUSALS as error:
            if not any(name in str(error) for name in names):
                return f"{where}: the error does not name the file: {error}"
        found = check(place).damaged
        if names[0] == SUMS and (self.whole / "sweeps" / NEXT).exists():
            return ""  # a digest of a file that was replaced already means nothing
        if not any(f"{one.folder / one.name}: {one.wrong}".count(name) for one in found for name in names):
            return f"{where}: check does not find it: {found}"
        return ""


class Run(Stored):
    """A saved run."""

    name = "a saved run"

    def prepare(self, folder: Path) -> None:
        """Run a scenario."""
        (folder / "net.toml").write_text(NET.format(duration="1 s"))
        ac.run(ac.load(folder / "net.toml")).save(self.whole)

    def read(self, place: Path) -> Iterator[object]:
        """Its description, its tables, and what the page shows of it."""
        results = ac.open(place)
        yield results.description(), results.own_code, results.version
        yield from (tables_of(results))
        recording = RunRecording("it", "run", place)
        try:
            yield json.dumps([recording.head()["flows"], recording.series("queue", None, None, 50)])
        finally:
            recording.close()


class Csv(Run):
    """A saved run as CSV, which ackclock writes and does not read."""

    name = "a saved run as CSV"

    def prepare(self, folder: Path) -> None:
        """Run a scenario."""
        (folder / "net.toml").write_text(NET.format(duration="0.5 s"))
        ac.run(ac.load(folder / "net.toml")).save(self.whole, form="csv")

    def read(self, place: Path) -> Iterator[object]:
        """Nothing: only `check` reads it."""
        yield from ()


class Sweep(Stored):
    """A sweep's store, with runs that are not yet in the large files, as there are while it runs."""

    name = "a sweep's store"
    grid: Grid

    def prepare(self, folder: Path) -> None:
        """Run a grid, and a larger one that does not merge."""
        (folder / "net.toml").write_text(NET.format(duration="0.5 s"))
        self._sweep(folder, 2)
        with patch.object(Segments, "merge"):
            self._sweep(folder, 4)
        assert list(self.whole.glob("sweeps/new/*/runs.arrow"))

    def _sweep(self, folder: Path, replications: int) -> None:
        (folder / "grid.toml").write_text(GRID.replace("replications = 20", f"replications = {replications}"))
        self.grid = load_grid(folder / "grid.toml")
        ac.sweep(self.grid, store=self.whole, jobs=1)

    def read(self, place: Path) -> Iterator[object]:
        """Its figures, its index and all tables of all runs."""
        yield stored(self.grid, store=place).csv()
        segments = Segments(place)
        index = list(segments.index())
        yield index
        points = {hashlib.sha256(f"{told.engine}\n{told.description}".encode()).hexdigest()[:32] for told in index}
        for point, seed, tables in segments.runs(points):
            yield point, seed, {name: columns_of(table) for name, table in tables.items()}


class Unsettled(Sweep):
    """A sweep's store whose merge was killed before its last step."""

    name = "a sweep's store after a kill"

    def prepare(self, folder: Path) -> None:
        """Merge without that step."""
        super().prepare(folder)
        with patch.object(Segments, "_settle", side_effect=KeyboardInterrupt), suppress(KeyboardInterrupt):
            Segments(self.whole).merge()
        assert (self.whole / "sweeps" / NEXT).exists()


class StudyStore(Stored):
    """The store of a study: runs of scripts and of scenarios."""

    name = "a study's store"

    def prepare(self, folder: Path) -> None:
        """Run one of each."""
        self.script = folder / "script.tcl"
        self.script.write_text(SCRIPT.replace("40.0", "2.0"))
        (folder / "net.toml").write_text(NET.format(duration="0.5 s"))
        self.scenario = ac.load(folder / "net.toml")
        list(self.read(self.whole))

    def read(self, place: Path) -> Iterator[object]:
        """All that a study is given of its runs."""
        store = Store(place)
        for number in (1, 2):
            kept = store.run_ns2(self.script, number, keep=["*.tr.gz"], reduce=size, reduced_by="1")
            yield kept.stdout, kept.reduced, {name: path.read_bytes() for name, path in kept.files.items()}
        results = store.run_scenario(self.scenario).results
        yield results.description()
        yield from tables_of(results)


class Study(Stored):
    """What came of a study: outcome, figures, report, and its store."""

    name = "what came of a study"

    def prepare(self, folder: Path) -> None:
        """Run a study of one short script."""
        study = folder / "studies" / "007_kills"
        study.mkdir(parents=True)
        few = STUDY.replace("[1, 2, 3, 4, 5, 6]", "[1]")
        files = {"claims.toml": few, "kills.py": MEASURE, "script.tcl": SCRIPT.replace("40.0", "2.0")}
        for name, text in files.items():
            (study / name).write_text(text)
        line = [*ACKCLOCK, "study", "run", "007", "--studies", str(folder / "studies"), "--out", str(self.whole)]
        subprocess.run(line, cwd=folder, check=True, capture_output=True)

    def read(self, place: Path) -> Iterator[object]:
        """Nothing: these files are for people and for the page; only `check` reads them by their digests."""
        yield from ()


def size(result: ac.Ns2Result) -> dict[str, Any]:
    """What is taken from a script's run."""
    return {"bytes": result.files["out.tr"].stat().st_size}


def columns_of(table: Any) -> list[tuple[str, str]]:
    """A table's columns, with every digit."""
    return [(name, repr(table.column(name))) for name in table.column_names()]


def tables_of(results: ac.Results) -> Iterator[object]:
    """The tables of a run."""
    for name, table in results.tables.items():
        yield name, columns_of(table)


KINDS = (Run, Csv, Sweep, Unsettled, StudyStore, Study)


def main(count: int) -> int:
    """Flip so many; 1 when one of them went unnoticed."""
    chance, began = random.Random(8), time.monotonic()
    tried = crashes = wrong = 0
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="ackclock-flips-", dir=memory) as scratch:
        kinds = [kind(Path(scratch, kind.__name__)) for kind in KINDS]
        for tried in range(1, count + 1):
            kind, place = kinds[tried % len(kinds)], Path(scratch, f"flipped{tried}")
            try:
                said = kind.flip(place, chance)
                wrong += bool(said)
            except Exception:
                said = traceback.format_exc()
                crashes += 1
            if said:
                print(f"{kind.name}: {said}", file=sys.stderr)
            shutil.rmtree(place)
    what = "bits flipped in saved runs, stores and studies; an error names the file, or all that is read is the same"
    print(Row(what, tried, crashes, 0, wrong, time.monotonic() - began).line())
    return int(wrong + crashes > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
