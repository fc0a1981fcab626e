"""Runs that would not end, outgrow memory, the disk or their files: stopped with the reason, as their files say."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ackclock as ac
from ackclock._native import LimitError

pytestmark = pytest.mark.serial

#: Packets on a link, and a trace of them, for a second.
TRACED = """
set ns [new Simulator]
set f [open out.tr w]
$ns trace-all $f
set a [$ns node]; set b [$ns node]
$ns duplex-link $a $b 1Mb 10ms DropTail
set udp [new Agent/UDP]; set null [new Agent/Null]
$ns attach-agent $a $udp; $ns attach-agent $b $null; $ns connect $udp $null
set cbr [new Application/Traffic/CBR]; $cbr attach-agent $udp
$ns at 0.0 "$cbr start"
"""
#: At 0.5 s time stands still.
LOOP = TRACED + "proc again {} { global ns; $ns at [$ns now] again }\n$ns at 0.5 again\n"


def ns2(folder: Path, script: str, *options: str, expect: int = 1) -> str:
    """What a script says on standard error when it ends with this status."""
    (folder / "x.tcl").write_text(script)
    line = [sys.executable, "-m", "ackclock", "ns2", *options, "x.tcl"]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == expect, (done.stdout, done.stderr)
    return done.stdout + done.stderr


def last_line(file: Path) -> str:
    return file.read_text().splitlines()[-1]


def test_a_script_in_an_endless_loop(tmp_path: Path) -> None:
    said = ns2(tmp_path, "while 1 {incr x}", "--max-wall", "1.5")
    assert "x.tcl: stopped at 0 s: it took more than 1.5 s of real time" in said


def test_a_simulation_without_end(tmp_path: Path) -> None:
    said = ns2(tmp_path, TRACED + "$ns run", "--max-wall=2")
    assert "it took more than 2 s of real time; to see it again: ackclock ns2 x.tcl" in said
    assert last_line(tmp_path / "out.tr").startswith("# incomplete: the run was stopped at ")


@pytest.mark.parametrize("run", ["$ns run", 'catch {$ns run} said; puts "went on: $said"'])
def test_a_loop_without_delay(tmp_path: Path, run: str) -> None:
    said = ns2(tmp_path, LOOP + run, "--max-events-at-one-time", "100000")
    assert "time does not advance: more than 100000 events at 0.5 s" in said and "went on" not in said
    told = "# incomplete: the run was stopped at 0.5 s: time does not advance: more than 100000 events at 0.5 s"
    assert last_line(tmp_path / "out.tr").startswith(told)


def test_what_outgrows_memory(tmp_path: Path) -> None:
    said = ns2(tmp_path, "while 1 {append x [string repeat a 100000]; after 1}", "--max-memory", "150M")
    assert "MB of memory, more than 150 MB" in said


def test_a_file_that_grows_too_large(tmp_path: Path) -> None:
    said = ns2(tmp_path, TRACED + "$ns run", "--max-output=100k")
    assert "File too large" in said
    assert (tmp_path / "out.tr").stat().st_size <= 100_000


def test_limits_that_are_none(tmp_path: Path) -> None:
    for option, value in [("--max-wall", "soon"), ("--max-memory", "-1"), ("--max-events-at-one-time", "0")]:
        assert f"{option} {value}: expected a number of more than 0" in ns2(
            tmp_path, "puts hi", option, value, expect=2
        )


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 200 kB; the test is skipped where none can be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)]
    if os.name != "posix" or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system can be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_disk_that_is_full(small_disk: Path) -> None:
    assert "No space left on device" in ns2(small_disk, TRACED + "$ns run")


def test_a_full_disk_and_a_scenario(small_disk: Path) -> None:
    (small_disk / "x.toml").write_text(SCENARIO.format(rate="10 Mb/s", delay="10 ms"))
    line = [sys.executable, "-m", "ackclock", "run", "x.toml", "--trace", "out.tr"]
    done = subprocess.run(line, cwd=small_disk, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 1 and "No space left on device" in done.stderr
    assert [path.name for path in small_disk.iterdir()] == ["x.toml"]


SCENARIO = """
duration = "100 s"

[topology]
kind = "graph"
nodes = ["a", "b"]

[[topology.links]]
ends = ["a", "b"]
rate = "{rate}"
delay = "{delay}"

[[flows]]
source = "a"
destination = "b"
tcp = "sack"
start = "1 s"
"""

#: A packet that takes 1e-17 s: at 1 s the clock cannot show it.
STILL = SCENARIO.format(rate="1e21 b/s", delay="1e-17 s")


def test_a_scenario_in_which_time_stands_still(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(STILL)
    with pytest.raises(LimitError, match="time does not advance: more than 200000 events at 1 s"):
        ac.run(ac.load(tmp_path / "x.toml"), trace=tmp_path / "out.tr", events_at_one_time=200_000)
    assert not (tmp_path / "out.tr").exists()


def test_a_scenario_that_takes_too_long(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(STILL)
    line = [
        sys.executable,
        "-m",
        "ackclock",
        "run",
        "x.toml",
        "--max-wall",
        "2",
        "--out",
        "results",
        "--trace",
        "out.tr",
    ]
    line += ["--max-events-at-one-time", "1e15"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stderr) == (1, "ackclock: x.toml: stopped: it took more than 2 s of real time\n")
    assert [path.name for path in tmp_path.iterdir()] == ["x.toml"]
