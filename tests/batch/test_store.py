"""The store of runs: whole folders or none, whoever is killed, and no run twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ackclock as ac
from ackclock._internal.checksums import write_sums
from ackclock.batch.store import Store, StoreError

SCRIPT = """
set f [open out.txt w]
puts $f "[lindex $argv 0] squared is [expr [lindex $argv 0] * [lindex $argv 0]]"
close $f
set g [open big.dat w]
puts $g [string repeat x 5000]
close $g
puts said
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "square.tcl"
    path.write_text(SCRIPT)
    return path


def scenario(rate: str = "1 Mb/s") -> ac.Scenario:
    return ac.Scenario(
        topology=ac.Dumbbell(bottleneck=ac.Link(rate=rate, delay="10 ms"), pairs=1),
        flows=[ac.Flow(pair=1, tcp="reno")],
        duration="2 s",
    )


def test_a_script_runs_once(script: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    first = store.run_ns2(script, 7)
    assert first.files["out.txt"].read_text() == "7 squared is 49\n"
    written = first.files["out.txt"].stat().st_mtime_ns
    again = Store(tmp_path / "store").run_ns2(script, 7)
    assert again.files["out.txt"].stat().st_mtime_ns == written
    assert again.stdout == "said\n" and again.folder == first.folder


def test_another_argument_or_script_is_another_run(script: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    folders = {store.run_ns2(script, 7).folder, store.run_ns2(script, 8).folder}
    script.write_text(SCRIPT + "# more\n")
    folders.add(store.run_ns2(script, 7).folder)
    (script.parent / "read_by_it.tcl").write_text("set x 1\n")
    folders.add(store.run_ns2(script, 7).folder)
    assert len(folders) == 4


def test_keep_and_reduce(script: Path, tmp_path: Path) -> None:
    def reduce(result: ac.Ns2Result) -> dict[str, int]:
        return {"letters": len(result.files["big.dat"].read_text().strip())}

    kept = Store(tmp_path / "store").run_ns2(script, 3, keep=["*.dat.gz"], reduce=reduce, reduced_by="v1")
    assert sorted(kept.files) == ["big.dat.gz"]
    assert kept.files["big.dat.gz"].stat().st_size < 200
    assert kept.reduced == {"letters": 5000}
    again = Store(tmp_path / "store").run_ns2(script, 3, keep=["*.dat.gz"], reduce=reduce, reduced_by="v2")
    assert again.folder != kept.folder, "figures that another reducer took are not these"


def test_a_script_that_fails_is_not_kept(tmp_path: Path) -> None:
    script = tmp_path / "fails.tcl"
    script.write_text("puts halfway\nexit 3\n")
    store = Store(tmp_path / "store")
    with pytest.raises(ac.Ns2Error, match="status 3"):
        store.run_ns2(script)
    assert [path for path in store.root.rglob("*") if path.is_file()] == []


def test_a_scenario_is_opened_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    results = store.run(scenario(), seed=5)
    again = store.run(scenario(), seed=5)
    assert again.rows("flows") == results.rows("flows") == ac.run(scenario(), seed=5).rows("flows")
    assert store.run_scenario(scenario("2 Mb/s")).folder != store.run_scenario(scenario()).folder
    only = store.run_scenario(scenario(), keep=["flows"])
    assert set(only.results.tables) == {"flows"}


def test_threads_share_a_store(script: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    with ThreadPoolExecutor(4) as pool:
        folders = set(pool.map(lambda _: store.run_ns2(script, 7).folder, range(4)))
    assert len(folders) == 1
    assert not list(store.root.glob("*/.*.part"))


def test_a_killed_run_never_looks_whole(tmp_path: Path) -> None:
    script = tmp_path / "slow.tcl"
    script.write_text('set f [open out.txt w]\nputs $f half\nflush $f\nafter 60000\nputs $f "the rest"\n')
    code = f"from ackclock.batch.store import Store; Store({str(tmp_path / 'store')!r}).run_ns2({str(script)!r})"
    running = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    try:
        until = time.monotonic() + 30
        while not list((tmp_path / "store").rglob("out.txt")):
            assert time.monotonic() < until and running.poll() is None
            time.sleep(0.02)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    left = list((tmp_path / "store").glob("*/.*.part"))
    assert len(left) == 1, "the process was killed in the middle"

    store = Store(tmp_path / "store")
    script.write_text('set f [open out.txt w]\nputs $f "the whole"\n')
    assert store.run_ns2(script).files["out.txt"].read_text() == "the whole\n"
    assert not list((tmp_path / "store").glob("*/.*.part")), "what the killed process left is swept away"


def test_of_two_processes_one_gives_the_folder(tmp_path: Path) -> None:
    first, second = Store(tmp_path / "store"), Store(tmp_path / "store")

    def quick(place: Path) -> None:
        (place / "by").write_text("second")

    def slow(place: Path) -> None:
        (place / "by").write_text("first")
        second.make({"n": 1}, quick)

    made = first.make({"n": 1}, slow)
    assert (made / "by").read_text() == "second"
    assert not list(first.root.glob("*/.*.part"))


def test_a_damaged_folder_is_named(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    made = store.make({"n": 1}, lambda place: None)
    for text, told in (('{"n": 2}', "another run"), ("{", r"key\.json: not what a store writes")):
        (made / "key.json").write_text(text)
        with pytest.raises(StoreError, match=r"key\.json: damaged: its sha256 is not the one in SHA256SUMS; remove "):
            store.find({"n": 1})
        write_sums(made)
        with pytest.raises(StoreError, match=told):
            store.find({"n": 1})
