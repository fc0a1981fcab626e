"""The same run gives the same bytes: twice, in two processes at once, on two threads at once."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cases import SCRIPTS, Case
from running import TIMEOUT_S, run_case, sha256

QUIET = SCRIPTS / "quiet.tcl"

ON_THREADS = """
import sys, threading
import ackclock.ns2

def run(name):
    statuses[name] = ackclock.ns2.main([sys.argv[1], name])

statuses = {}
threads = [threading.Thread(target=run, args=(name,)) for name in ("one.tr", "two.tr")]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.exit(statuses != {"one.tr": 0, "two.tr": 0})
"""


def test_twice(program: list[str], tmp_path: Path) -> None:
    case = Case("two_flows.tcl", ("Agent/TCP/Sack1", "Agent/TCP/Reno"))
    first = run_case(case, program, tmp_path / "first")
    second = run_case(case, program, tmp_path / "second")
    assert first.status == 0, first.stderr
    assert first.record() == second.record()


def test_two_processes_at_once(program: list[str], tmp_path: Path) -> None:
    case = Case("two_flows.tcl", ("Agent/TCP/Sack1", "Agent/TCP/Reno"))
    with ThreadPoolExecutor(2) as pool:
        directories = (tmp_path / "first", tmp_path / "second")
        first, second = pool.map(lambda at: run_case(case, program, at), directories)
    assert first.status == 0, first.stderr
    assert first.record() == second.record()


def test_two_threads_at_once(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    if request.config.getoption("--program"):
        pytest.skip("another program is under test; threads need ackclock in this process")
    alone = subprocess.run(
        [sys.executable, "-m", "ackclock", "ns2", str(QUIET), "alone.tr"],
        cwd=tmp_path,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert alone.returncode == 0, alone.stderr.decode()
    done = subprocess.run(
        [sys.executable, "-c", ON_THREADS, str(QUIET)],
        cwd=tmp_path,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    digests = {sha256(tmp_path / name) for name in ("alone.tr", "one.tr", "two.tr")}
    assert len(digests) == 1
