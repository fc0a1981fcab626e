"""Sweeps on a Dask cluster: a real scheduler and real worker processes on this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import ackclock as ac
from commands import ackclock
from small_matrix import MATRIX, SUITE
from test_sweeps import GRID, NET, content

HERE = Path(ac.__file__).parent


class Cluster:
    """A scheduler and workers, a process each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        told = folder / "scheduler.json"
        words = ("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(told))
        self.processes = [self.start(*words)]
        until = time.monotonic() + 60
        while not told.is_file() or not told.read_text():
            assert time.monotonic() < until and self.processes[0].poll() is None, "no scheduler"
            time.sleep(0.05)
        self.address: str = json.loads(told.read_text())["address"]

    def start(self, *words: str, path: Path | None = None) -> subprocess.Popen[bytes]:
        command = "import sys; from dask.__main__ import main; sys.argv[0] = 'dask'; main()"
        environment = {**os.environ, **({"PYTHONPATH": str(path)} if path else {})}
        line = [sys.executable, "-c", command, *words]
        with (self.folder / "cluster.log").open("ab") as log:
            return subprocess.Popen(line, cwd=self.folder, env=environment, stdout=log, stderr=log)

    def worker(self, path: Path | None = None) -> subprocess.Popen[bytes]:
        words = ("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0")
        self.processes.append(self.start(*words, path=path))
        return self.processes[-1]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    yield made
    for process in made.processes:
        process.kill()
        process.wait()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net.toml").write_text(NET)
    (tmp_path / "grid.toml").write_text(GRID.replace("replications = 4", "replications = 50"))
    return tmp_path


def command(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return ackclock("sweep", *words, cwd=cwd)


def test_three_workers_of_which_one_is_killed_give_the_same_bytes(cluster: Cluster, folder: Path) -> None:
    from distributed import Client

    here = ac.sweep(folder / "grid.toml", store=folder / "here")
    victim, *_ = [cluster.worker() for _ in range(3)]
    killed_at: list[int] = []

    def kill(done: int, failed: int, total: int) -> None:
        if not killed_at and done >= 5:
            victim.kill()
            killed_at.append(done)

    with Client(cluster.address) as client:  # type: ignore[no-untyped-call]
        client.wait_for_workers(3, timeout=120)
        there = ac.sweep(folder / "grid.toml", store=folder / "there", cluster=client, progress=kill)
        victim.wait()
        assert len(client.scheduler_info(n_workers=-1)["workers"]) == 2
    assert 0 < killed_at[0] < 450
    assert there.failures == [] and there.rows() == here.rows() and str(there) == str(here)
    assert content(folder / "there") == content(folder / "here")
    # The command: nothing is left to do, so the table is there without a worker.
    told = command("grid.toml", "--store", "there", "--dask", cluster.address, cwd=folder)
    assert told.returncode == 0 and told.stdout == f"{here}\n", told.stderr


def test_scripts_and_failures_on_workers(cluster: Cluster, folder: Path) -> None:
    (folder / "lab.tcl").write_text('if {[lindex $argv 0] == 3} { error "no three" }\nputs "x [lindex $argv 0]"\n')
    lab = 'script = "lab.tcl"\nargs = ["{n}"]\n[metrics]\nx = \'x (\\S+)\'\n[vary]\nn = [1, 2, 3]\n'
    (folder / "lab.toml").write_text(lab)
    cluster.worker()
    done = command("lab.toml", "--dask", cluster.address, cwd=folder)
    assert done.returncode == 1 and "failed: n = 3" in done.stderr and "no three" in done.stderr
    assert "1 of 3 runs failed" in done.stderr and done.stdout.splitlines()[1].split() == ["1", "1", "1"]


def test_a_worker_of_another_version_is_refused_in_words(cluster: Cluster, folder: Path) -> None:
    other = folder / "other" / "ackclock"
    shutil.copytree(HERE, other, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for library in HERE.glob("_native*.so"):
        (other / library.name).symlink_to(library)
    with (other / "execution" / "results.py").open("a") as file:
        file.write("\n# another version\n")
    cluster.worker(path=folder / "other")
    done = command("grid.toml", "--dask", cluster.address, cwd=folder)
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
    assert (
        done.stderr.startswith("ackclock: the worker at tcp://127.0.0.1:")
        and "expected the same as here" in done.stderr
    )


def test_no_scheduler_is_said_in_a_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ackclock.batch.sweep import ClusterError, cluster

    monkeypatch.setattr(cluster, "PATIENCE_S", 0.5)
    with pytest.raises(ClusterError, match=r"no Dask scheduler at tcp://127\.0\.0\.1:9: OSError: Timed out"):
        ac.sweep(folder / "grid.toml", store=folder / "store", cluster="tcp://127.0.0.1:9")
    with pytest.raises(ClusterError, match="no Dask scheduler at nonsense"):
        ac.sweep(folder / "grid.toml", store=folder / "store", cluster="nonsense://")
    done = command("grid.toml", "--dask", "tcp://127.0.0.1:9", "--jobs", "2", cwd=folder)
    assert done.returncode == 1 and "--jobs cannot be used with --dask" in done.stderr


def test_without_dask_the_error_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ackclock.batch.sweep import ClusterError

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'ackclock\[dask\]'"):
        ac.sweep(folder / "grid.toml", store=folder / "store", cluster="tcp://127.0.0.1:9")


def test_a_scoreboard_on_workers_has_the_same_cells(cluster: Cluster, tmp_path: Path) -> None:
    from ackclock.batch.scoreboard import scoreboard

    (tmp_path / "small.toml").write_text(SUITE)
    (tmp_path / "matrix.toml").write_text(MATRIX)
    only = ("cubic", "plain", "utilisation")
    here = scoreboard(file=tmp_path / "matrix.toml", only=only, quick=True, store=tmp_path / "here")
    cluster.worker()
    there = scoreboard(
        file=tmp_path / "matrix.toml", only=only, quick=True, store=tmp_path / "there", cluster=cluster.address
    )
    assert there.cells == here.cells and len(here.cells) == 2
    assert content(tmp_path / "there") == content(tmp_path / "here")
