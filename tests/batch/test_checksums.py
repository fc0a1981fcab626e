"""The digests of stored files: coreutils agree with them, damage is named wherever it is, kills leave none."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

import ackclock as ac
from ackclock._internal import checksums
from ackclock._internal.atomic_file import atomic_write, temporary_path
from ackclock._internal.checksums import SUMS, ChecksumError, Checksums, write_sums
from ackclock.batch.check import check
from ackclock.batch.store import Segments, Store, StoreError
from ackclock.batch.sweep import stored
from commands import ackclock as cli

NET = """\
duration = "1 s"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck = { rate = "2 Mb/s", delay = "10 ms", loss = { rate = 0.01 } }
[[flows]]
pair = 1
tcp = "reno"
[record]
sample = "0 s"
"""

GRID = """\
scenario = "net.toml"
replications = 3
[vary]
flows.0.tcp = ["reno", "sack", "vegas"]
"""


def content(folder: Path) -> dict[str, str]:
    """Every file that is not under way, and the digest that hashlib gives."""
    names = [file.relative_to(folder) for file in folder.rglob("*") if file.is_file()]
    kept = [name for name in names if not any(part.startswith(".") for part in name.parts)]
    return {str(name): hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in kept}


def flip(file: Path, place: int = -1, bit: int = 0) -> None:
    """Flip one bit."""
    data = bytearray(file.read_bytes())
    data[place if place >= 0 else len(data) // 2] ^= 1 << bit
    file.write_bytes(data)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net.toml").write_text(NET)
    (tmp_path / "grid.toml").write_text(GRID)
    return tmp_path


#: Names that a script may give its files.
ODD = ["plain", "two words", "back\\slash", "end\nof line", "\r", " front", "*star", "ü", os.fsdecode(b"\xff")]


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="sha256sum (GNU coreutils) is not installed")
def test_sha256sum_reads_and_writes_the_same(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for number, name in enumerate([*ODD, "below/it"]):
        (tmp_path / name).write_text("x" * number)
    write_sums(tmp_path)
    done = subprocess.run(["sha256sum", "--strict", "--check", SUMS], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0 and done.stdout.count(b": OK\n") == len(ODD) + 1, done.stderr
    names = sorted([*ODD, "below/it"])
    theirs = subprocess.run(["sha256sum", "--", *names], cwd=tmp_path, capture_output=True, check=True)
    assert (tmp_path / SUMS).read_bytes() == theirs.stdout
    sums = Checksums(tmp_path)
    assert sums.names() == names and all(sums.verified(name).exists() for name in names)


@pytest.mark.parametrize(
    "line",
    [
        b"", b"\n", b"0" * 64 + b"  a", b"0" * 63 + b"  a\n", b"A" * 64 + b"  a\n", b"0" * 64 + b" a\n",
        b"0" * 64 + b"  \n", (b"0" * 64 + b"  a\n") * 2, b"0" * 64 + b"  /etc/passwd\n", b"0" * 64 + b"  ../a\n",
        b"0" * 64 + b"  a\0b\n",
    ],
)  # fmt: skip
def test_sums_in_another_form_are_damaged(tmp_path: Path, line: bytes) -> None:
    (tmp_path / SUMS).write_bytes(line)
    with pytest.raises(ChecksumError, match=f"{SUMS}:?[0-9]*: damaged"):
        Checksums(tmp_path)


def test_a_pipe_in_a_files_place_is_damaged_and_nobody_waits(tmp_path: Path) -> None:
    (tmp_path / "table").write_text("x")
    write_sums(tmp_path)
    (tmp_path / "table").unlink()
    os.mkfifo(tmp_path / "table")
    with pytest.raises(ChecksumError, match="table: damaged: not a regular file"):
        Checksums(tmp_path).verified("table")


def test_a_file_is_hashed_once_until_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[int] = []
    real = hashlib.sha256

    def counted() -> object:
        hashed.append(1)
        return real()

    monkeypatch.setattr(hashlib, "sha256", counted)
    file = tmp_path / "table"
    file.write_bytes(b"x" * 3_000_000)
    first = checksums.sha256(file)
    assert checksums.sha256(file) == first and len(hashed) == 2, "a file that has just changed may change again"
    monkeypatch.setattr(checksums, "SETTLED_NS", -1)
    assert checksums.sha256(file) == checksums.sha256(file) == first and len(hashed) == 3
    flip(file)
    assert checksums.sha256(file) != first and len(hashed) == 4


def test_every_bit_of_a_manifest_counts(tmp_path: Path) -> None:
    for name in ("flows/0.parquet", "flows/1.parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    write_sums(tmp_path)
    whole, names = (tmp_path / SUMS).read_bytes(), Checksums(tmp_path).names()
    for place in range(len(whole)):
        for bit in range(8):
            data = bytearray(whole)
            data[place] ^= 1 << bit
            (tmp_path / SUMS).write_bytes(data)
            with pytest.raises(ChecksumError):
                sums = Checksums(tmp_path)
                for name in names:
                    sums.verified(name)


def test_check_of_a_saved_run(folder: Path) -> None:
    assert cli("run", "net.toml", "--out", "kept", cwd=folder).returncode == 0
    size = sum(file.stat().st_size for file in (folder / "kept").iterdir() if file.name != SUMS)
    done = cli("check", "kept", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (
        0, f"kept: 3 files, {size:,} bytes: unchanged\n", "",
    )  # fmt: skip
    (folder / "kept" / "notes.txt").write_text("mine")
    done = cli("check", "kept", cwd=folder)
    assert done.returncode == 0 and done.stdout.startswith("kept/notes.txt: unexpected: not listed in SHA256SUMS\n")
    flip(folder / "kept" / "links.parquet")
    (folder / "kept" / "flows.parquet").unlink()
    done = cli("check", "kept", "--repair", cwd=folder)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "kept/flows.parquet: missing; SHA256SUMS lists it",
        "kept/links.parquet: damaged: its sha256 is not the one in SHA256SUMS",
        "kept/notes.txt: unexpected: not listed in SHA256SUMS",
    ]
    assert "kept: 2 files are damaged or missing" in done.stderr and "kept: not in a store" in done.stderr
    assert (folder / "kept" / "links.parquet").exists(), "what is in no store is never removed"


def test_repair_removes_nothing_that_is_in_no_store(folder: Path) -> None:
    # Names and files that stores have, too: a saved run called `sweeps`, somebody's own `key.json` and `format.json`.
    assert cli("run", "net.toml", "--out", "sweeps", cwd=folder).returncode == 0
    flip(folder / "sweeps" / SUMS)
    for name in ("mine/key.json", "mine/format.json", "mine/run.json", "sweeps/key.json"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("{}")
    before = content(folder)
    done = cli("check", ".", "--repair", cwd=folder)
    assert done.returncode == 1 and "sweeps: not in a store" in done.stderr and "mine" not in done.stdout
    assert content(folder) == before


def test_check_of_what_is_nothing_or_unfinished(folder: Path) -> None:
    empty = cli("check", ".", cwd=folder)
    assert (empty.returncode, empty.stderr) == (1, "ackclock: .: no saved run, store or study found\n")
    missing = cli("check", "nowhere", cwd=folder)
    assert (missing.returncode, missing.stderr) == (1, "ackclock: no such folder: nowhere\n")
    assert cli("run", "net.toml", "--out", "kept", cwd=folder).returncode == 0
    (folder / "kept" / SUMS).unlink()
    done = cli("check", ".", cwd=folder)
    assert done.returncode == 1
    assert done.stdout == "kept/SHA256SUMS: missing: an older ackclock wrote this folder, or it is not complete\n"


def damages() -> dict[str, Callable[[Path], Path]]:
    """Ways to damage a folder `sweeps`: each gives the file that must be named."""

    def flipped(pattern: str) -> Callable[[Path], Path]:
        def damage(sweeps: Path) -> Path:
            file = sorted(sweeps.glob(pattern))[0]
            flip(file)
            return file

        return damage

    def removed(sweeps: Path) -> Path:
        file = sorted(sweeps.glob("flows/*.parquet"))[0]
        file.unlink()
        return file

    def exchanged(sweeps: Path) -> Path:
        one, other = sorted(sweeps.glob("flows/*.parquet"))[:2]
        shutil.copyfile(other, one)
        return one

    def unlisted(sweeps: Path) -> Path:
        some = sorted(sweeps.glob("flows/*.parquet"))[0]
        lines = (sweeps / SUMS).read_text().splitlines(keepends=True)
        (sweeps / SUMS).write_text("".join(line for line in lines if f"flows/{some.name}" not in line))
        return some

    return {
        "a table": flipped("flows/*.parquet"),
        "the index": flipped("runs/*.parquet"),
        "what is new": flipped("new/*/flows.arrow"),
        "the digests": flipped(SUMS),
        "the digests of what is new": flipped(f"new/*/{SUMS}"),
        "the form": flipped("format.json"),
        "a table that is gone": removed,
        "another table in its place": exchanged,
        "a table that is not listed": unlisted,
    }


@pytest.fixture
def store(folder: Path) -> Path:
    """A store with large files and, as a sweep that was killed leaves it, runs in `new`."""
    (folder / "grid.toml").write_text(GRID.replace("replications = 3", "replications = 2"))
    ac.sweep(folder / "grid.toml", store=folder / "store")
    (folder / "grid.toml").write_text(GRID)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Segments, "merge", lambda self: None)
        ac.sweep(folder / "grid.toml", store=folder / "store")
    assert list(folder.glob("store/sweeps/new/*/runs.arrow"))
    return folder / "store"


@pytest.mark.parametrize("what", damages())
def test_damage_in_a_store_is_named_found_and_repaired(store: Path, what: str) -> None:
    folder = store.parent
    whole = stored(folder / "grid.toml", store=store)
    assert whole.done == 9 and check(store).damaged == []
    file = damages()[what](store / "sweeps")
    shown = file.relative_to(folder)
    for words in (("show", "grid.toml"), ("grid.toml",), ("grid.toml", "--dry-run")):
        done = cli("sweep", *words, "--store", "store", cwd=folder)
        assert done.returncode == 1 and done.stdout == "", done.stdout
        # Where a digest is damaged, the file that it is of is named, and `SHA256SUMS`.
        named = shown.parent if file.name == SUMS else shown
        assert done.stderr.startswith(f"ackclock: {named}") and done.stderr.count("\n") == 1, done.stderr
        assert SUMS in done.stderr
        assert "`ackclock check store --repair`" in done.stderr
    inside = cli("check", ".", cwd=store / "sweeps")  # whatever the folder is called from where one is
    assert inside.returncode == 1 and len(inside.stdout.splitlines()) >= 1
    checked = cli("check", "store", "--repair", cwd=folder)
    assert checked.returncode == 0 and checked.stdout.startswith(str(named)), checked.stdout + checked.stderr
    assert cli("sweep", "show", "grid.toml", "--store", "store", cwd=folder).returncode == 0
    assert ac.sweep(folder / "grid.toml", store=store).rows() == whole.rows()
    ac.sweep(folder / "grid.toml", store=folder / "never damaged")
    assert content(store) == content(folder / "never damaged") and check(store).damaged == []


def test_what_is_damaged_is_not_merged_under_new_digests(store: Path) -> None:
    (file,) = store.glob("sweeps/new/*/flows.arrow")
    flip(file)
    before = content(store)
    with pytest.raises(StoreError, match=r"flows\.arrow: damaged"):
        Segments(store).merge()
    assert content(store) == before


#: Runs a sweep in a process for each moment at which it may be killed: before the n-th of the calls that change what is
#: on the disk, until one ends by itself. Says how many there were.
MOMENTS = """
import os, shutil, sys
import ackclock as ac
from ackclock.batch.store import segments
from ackclock.batch.sweep import execute, load_grid

segments.TOGETHER = 2
execute.KEEP_S = 0.0
ac.sweep("few.toml", store="begun", jobs=1)

def changes(stop):
    count = 0
    def counted(real):
        def call(*words, **more):
            nonlocal count
            count += 1
            if count == stop:
                os._exit(9)
            return real(*words, **more)
        return call
    for name in ("replace", "rename", "fsync", "remove", "unlink", "mkdir", "rmdir"):
        setattr(os, name, counted(getattr(os, name)))

stop, status = 0, 9
while status == 9:
    stop += 1
    shutil.copytree("begun" if len(sys.argv) < 2 else sys.argv[1], f"killed{stop}", dirs_exist_ok=True)
    child = os.fork()
    if child == 0:
        changes(stop)
        ac.sweep("grid.toml", store=f"killed{stop}", jobs=1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
assert status == 0, status
print(stop)
"""


@pytest.mark.parametrize("begun", ["begun", "nothing"])
def test_a_kill_at_any_step_leaves_digests_that_hold(begun: str) -> None:
    # In memory, where there is such a folder: a disk would be waited for hundreds of times.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="ackclock-", dir=memory) as scratch:
        _kill_at_every_step(Path(scratch), begun)


def _kill_at_every_step(folder: Path, begun: str) -> None:
    (folder / "net.toml").write_text(NET)
    (folder / "grid.toml").write_text(GRID)
    (folder / "few.toml").write_text(GRID.replace("replications = 3", "replications = 1"))
    (folder / "nothing").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", MOMENTS, begun], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    moments = int(done.stdout)
    assert moments > 40
    ac.sweep(folder / "grid.toml", store=folder / "whole")
    whole = content(folder / "whole")
    unsettled = 0
    for moment in range(1, moments + 1):
        killed = folder / f"killed{moment}"
        unsettled += (killed / "sweeps" / checksums.NEXT).exists()
        assert check(killed).damaged == [], moment
        there = stored(folder / "grid.toml", store=killed).done
        assert there >= (3 if begun == "begun" else 0), moment
        if moment % 4 == 0:  # each takes as long as a sweep
            assert ac.sweep(folder / "grid.toml", store=killed).done == 9
            assert content(killed) == whole, moment
    assert unsettled > 5, "no kill came while a merge replaced files"


def test_a_folder_of_a_store_is_checked_when_it_is_found(folder: Path) -> None:
    scenario = ac.load(folder / "net.toml")
    (folder / "out.tcl").write_text('set f [open out.txt w]\nputs $f "a figure: 42"\nclose $f\nputs said\n')

    def reduce(result: ac.Ns2Result) -> dict[str, int]:
        return {"figure": 42}

    def kept() -> list[Path]:
        store = Store(folder / "store")
        script = store.run_ns2(folder / "out.tcl", reduce=reduce)
        assert (script.stdout, script.reduced) == ("said\n", {"figure": 42})
        return [script.folder, store.run_scenario(scenario).folder]

    made = kept()
    assert check(folder / "store").damaged == []
    for place in made:
        files = [file for file in sorted(place.rglob("*")) if file.is_file()]
        assert len(files) >= 5
        for file in files:
            before = file.read_bytes()
            flip(file)
            # Where a digest is damaged, the file that it is of is named.
            is_sums = file == place / SUMS
            with pytest.raises(StoreError, match=str(place if is_sums else file)):
                kept()
            (found,) = check(folder / "store").damaged
            assert found.folder == place and (is_sums or found.folder / found.name == file)
            file.write_bytes(before)
    flip(made[0] / "files" / "out.txt")
    assert cli("check", "store", "--repair", cwd=folder).returncode == 0
    assert kept() == made
    (made[1] / SUMS).unlink()
    with pytest.raises(StoreError, match="an older ackclock wrote this; remove the folder to rebuild it"):
        kept()


STUDY = """\
[paper]
title = "A title"
authors = "A. Author"
year = 1999
venue = "nowhere"
question = "Is it said?"

[[run]]
id = "it"
script = "script.tcl"

[[claim]]
id = "words"
quantity = "words"
where = "page 1"
words = "some"
published = "1"
rule = "at_least"
settings = "printed"
deterministic = true
"""
MEASURE = """\
from ackclock.batch.study import Figure

def measure(runs):
    return {"words": float(len(runs["it"].stdout.split()))}

def figures(runs, folder):
    (folder / "it.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    return [Figure(folder / "it.svg", "nothing", ["it"])]
"""


def test_check_of_a_study(tmp_path: Path) -> None:
    study = tmp_path / "studies" / "007_words"
    study.mkdir(parents=True)
    for name, text in {"claims.toml": STUDY, "words.py": MEASURE, "script.tcl": "puts two\nputs words\n"}.items():
        (study / name).write_text(text)
    assert cli("study", "run", "007", "--studies", "studies", cwd=tmp_path).returncode == 0
    assert Checksums(tmp_path / "out" / study.name).names() == ["figures/it.svg", "outcome.json", "report.html"]
    done = cli("check", "out", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("out: 5 files, "), done.stdout
    flip(tmp_path / "out" / study.name / "outcome.json")
    done = cli("check", "out", cwd=tmp_path)
    assert done.returncode == 1 and done.stdout.startswith(f"out/{study.name}/outcome.json: damaged")
    assert cli("study", "run", "007", "--studies", "studies", cwd=tmp_path).returncode == 0
    assert cli("check", "out", cwd=tmp_path).returncode == 0


def test_parts_of_killed_processes_are_removed_and_those_of_others_stay(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    host = os.uname().nodename

    def part(name: str, machine: str, process: int) -> Path:
        return tmp_path / f".{name}.{machine}.{process}.0123abcd.part"

    left = [part("out.tr", host, gone.pid)]
    stay = [part("out.tr", host, os.getpid()), part("out.tr", "elsewhere", gone.pid), part("other.tr", host, gone.pid)]
    stay += [tmp_path / ".out.tr.part", tmp_path / f".out.tr.{host}.x.y.part"]
    for path in (*left, *stay):
        path.touch()
    with atomic_write(tmp_path / "out.tr") as name:
        Path(name).write_text("whole")
        assert Path(name).name.startswith(f".out.tr.{host}.{os.getpid()}.")
    assert {path.name for path in tmp_path.iterdir()} == {"out.tr", *(path.name for path in stay)}
    folder = Path(str(temporary_path(tmp_path / "results")).replace(f".{os.getpid()}.", f".{gone.pid}."))
    folder.mkdir()
    (folder / "flows.parquet").touch()
    ac.run(ac.load(_net(tmp_path))).save(tmp_path / "results")
    assert not folder.exists()


def _net(folder: Path) -> Path:
    (folder / "net.toml").write_text(NET)
    return folder / "net.toml"


def test_replacing_results_in_one_step(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = ac.run(ac.load(folder / "net.toml"))
    results.save(folder / "kept")
    real = Path.rename

    def refused(self: Path, target: str | Path) -> Path:
        if self.name.endswith(".part") and Path(target).name == "kept" and not list(folder.glob("kept")):
            monkeypatch.undo()
            raise OSError(28, "No space left on device", str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "rename", refused)
    before = json.loads((folder / "kept" / "run.json").read_text())
    with pytest.raises(OSError, match="No space"):
        results.save(folder / "kept", replace=True)
    assert ac.open(folder / "kept").description() == before, "the older results are there still"
    assert not list(folder.glob(".*.part"))
