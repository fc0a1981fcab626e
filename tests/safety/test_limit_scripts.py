"""Scripts that do not stop by themselves, nor when they are asked to: limits and Ctrl-C end them all, with a message.

Each stays in one command of Tcl, in the end of the run, or in C code that grows or crashes, where no look at a clock in
the same thread helps.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytestmark = pytest.mark.serial

SCRIPTS = {
    "a loop": "while 1 {incr x}",
    "a loop that catches": "while 1 {catch {while 1 {incr x}}}",
    "waiting": "vwait forever",
    "sleeping": "after 100000",
    "a large number as text": "puts [string length [expr {7**30000000}]]",
    "a wide format": "puts [string length [format %2000000000s x]]",
    "nested brackets": 'set s [string repeat {[set x } 300000]; eval "set y ${s}1[string repeat \\] 300000]"',
    "a long ternary": 'puts [expr "[string repeat {1?1:} 3000000]1"]',
    "a pipe that nobody writes to": "lassign [chan pipe] in out; read $in",
    "a pipe that nobody reads": "lassign [chan pipe] in out; puts $out [string repeat x 10000000]; flush $out",
    "the end of the run": "proc ::tcl::chan::names args {while 1 {}}",
    "closing": "open own w; proc ::tcl::chan::close args {while 1 {}}",
    "a channel's end": (
        "proc ch {what args} { if {$what eq {initialize}} {return {initialize finalize watch read}}; "
        "if {$what eq {finalize}} {while 1 {}} }; chan create read ch"
    ),
    "a trace's end": "trace add variable ::errorInfo {write unset} {while 1 {}; #}; error boom",
    "a pipe in a message": 'set ::otcl::sourced pipe; error boom "boom\\n    (procedure \\"f\\" line 2)"',
    "memory": "while 1 {append x [string repeat a 100000]}",
    "memory at once": "string length [string map {a bbbbbbbbbbbbbbbbbbbb} [string repeat a 200000000]]",
    "a long list": "llength [lrepeat 500000000 x]",
    "nested lists": "set l {}; for {set i 0} {$i<3000000} {incr i} {set l [list $l]}; puts [string length $l]",
    "interpreters": "set i 0; while 1 {interp create x[incr i]}",
    "recursion": "interp recursionlimit {} 100000000; proc f {} f; f",
    "coroutines": "set i 0; while 1 {coroutine c[incr i] apply {{} {yield; yield}}}",
}
#: What ends by itself in time on a fast machine, so that no limit need stop it.
MAY_END = {"nested brackets", "a long ternary", "nested lists", "recursion", "a pipe in a message"}

#: A look at the whole process: its status, message, seconds, and the most memory that one of its processes took.
LOOK = (
    "import resource, subprocess, sys, time; began = time.monotonic(); "
    "done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE); "
    "print(done.returncode, time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024); "
    "sys.stderr.buffer.write(done.stderr)"
)
LIMIT_S, LIMIT_BYTES = 1.0, 300_000_000
#: Limit and grace time are 3 s; the machine that runs the tests may be busy with others of them.
PATIENCE_S = 12.0


def ended(folder: Path, name: str, *options: str) -> tuple[int, float, int, str]:
    """Status, seconds, bytes and message of a script that runs within limits."""
    here = folder / name.replace(" ", "_")
    here.mkdir()
    os.mkfifo(here / "pipe")
    (here / "x.tcl").write_text(SCRIPTS[name])
    line = [sys.executable, "-m", "ackclock", "ns2", *options, "x.tcl"]
    done = subprocess.run([sys.executable, "-c", LOOK, *line], cwd=here, capture_output=True, text=True, check=True)
    status, seconds, most = done.stdout.split()
    return int(status), float(seconds), int(most), done.stderr


@pytest.mark.parametrize("options", [(), ("--safe",)], ids=["plain", "safe"])
def test_each_ends_by_its_limits(tmp_path: Path, options: tuple[str, ...]) -> None:
    limits = ("--max-wall", str(LIMIT_S), "--max-memory", str(LIMIT_BYTES))
    with ThreadPoolExecutor(3) as pool:
        found = dict(
            zip(SCRIPTS, pool.map(lambda name: ended(tmp_path, name, *options, *limits), SCRIPTS), strict=True)
        )
    for name, (status, seconds, most, said) in found.items():
        assert seconds < LIMIT_S + PATIENCE_S, (name, seconds)
        assert most < 2 * LIMIT_BYTES, (name, most)
        assert status == 1 or (status == 0 and name in MAY_END), (name, status, said)
        assert status == 0 or said.splitlines()[-1].startswith("ackclock: x.tcl:"), (name, said)
        assert name in MAY_END or "stopped" in said or "unable to alloc" in said, (name, said)


@pytest.mark.parametrize("options", [(), ("--safe",), ("--max-wall", "100")], ids=["plain", "safe", "limited"])
def test_ctrl_c_ends_each(tmp_path: Path, options: tuple[str, ...]) -> None:
    def interrupted(name: str) -> tuple[int, float, str]:
        here = tmp_path / name.replace(" ", "_")
        here.mkdir()
        # Tcl computes what it can while it compiles, before the first line of the same text runs.
        (here / "x.tcl").write_text(f"puts begun; flush stdout; set script {{{SCRIPTS[name]}}}; eval $script")
        line = [sys.executable, "-m", "ackclock", "ns2", *options, "x.tcl"]
        with subprocess.Popen(
            line, cwd=here, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stdout is not None
                assert process.stdout.readline() == "begun\n"
                time.sleep(0.5)
                process.send_signal(signal.SIGINT)
                began = time.monotonic()
                _, said = process.communicate(timeout=30)
                return process.returncode, time.monotonic() - began, said
            finally:
                process.kill()

    unbounded = [
        name for name in SCRIPTS if name not in MAY_END and not name.startswith(("memory", "a long", "inter", "corou"))
    ]
    with ThreadPoolExecutor(3) as pool:
        for name, (status, seconds, said) in zip(unbounded, pool.map(interrupted, unbounded), strict=True):
            assert (status, "interrupted" in said) == (130, True), (name, status, said)
            assert seconds < PATIENCE_S, (name, seconds)


def test_what_a_killed_script_wrote_is_marked(tmp_path: Path) -> None:
    (tmp_path / "x.tcl").write_text(
        "set f [open out.tr w]; puts $f {+ 0.1 0 1 tcp}; puts -nonewline $f {+ 0.2 0}; flush $f\n"
        f"set script {{{SCRIPTS['a wide format']}}}; eval $script"
    )
    line = [sys.executable, "-m", "ackclock", "ns2", "--max-wall", "1", "x.tcl"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr == "ackclock: x.tcl: stopped: it took more than 1 s of real time\n"
    assert (tmp_path / "out.tr").read_text().splitlines() == [
        "+ 0.1 0 1 tcp",
        "+ 0.2 0",
        "# incomplete: the run was stopped: it took more than 1 s of real time",
    ]


#: A hundred seconds, a sample each 0.1 microseconds: all between two events.
FINE = """
duration = "100 s"
[record]
sample = "1e-7 s"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck = { rate = "1 Mb/s", delay = "10 ms" }
[[flows]]
pair = 1
tcp = "sack"
start = "50 s"
"""


@pytest.mark.parametrize(
    ("option", "value", "reason"), [("--max-wall", "1", "clock"), ("--max-memory", "300M", "memory")]
)
def test_limits_hold_between_samples(tmp_path: Path, option: str, value: str, reason: str) -> None:
    (tmp_path / "x.toml").write_text(FINE)
    line = [sys.executable, "-m", "ackclock", "run", "x.toml", "--out", "results", option, value]
    done = subprocess.run(
        [sys.executable, "-c", LOOK, *line], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
    )
    status, seconds, most = done.stdout.split()
    assert (
        int(status) == 1
        and float(seconds) < PATIENCE_S
        and int(most) < 2 * LIMIT_BYTES + 1e9 * (option == "--max-wall")
    )
    assert done.stderr.startswith("ackclock: x.toml: stopped: it took ") and reason in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["x.toml"]


CAPPED = """
import sys
from ackclock import load, run
from ackclock.execution import supervise
from ackclock.execution.limits import Limits
supervise.cap_memory(Limits(memory_bytes=50_000_000))
run(load(sys.argv[1]))
"""


def test_refused_memory_ends_a_process_without_a_message(tmp_path: Path) -> None:
    """The supervisor says why; what Rust prints of a refused allocation would stand before its line."""
    (tmp_path / "x.toml").write_text(FINE)
    line = [sys.executable, "-c", CAPPED, "x.toml"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGABRT, "")


def test_ctrl_c_between_samples(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(FINE)
    # Samples are taken to be written.
    line = [sys.executable, "-m", "ackclock", "run", "x.toml", "--out", "kept"]
    with subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, "ackclock: interrupted\n")
    assert not (tmp_path / "kept").exists()


GRID = """
replications = 100000
seed = 1
[vary]
"flows.0.tcp" = ["sack"]
[scenario]
duration = "20 s"
[scenario.topology]
kind = "dumbbell"
pairs = 1
bottleneck = { rate = "10 Mb/s", delay = "10 ms" }
[[scenario.flows]]
pair = 1
tcp = "sack"
"""


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["sweep", "grid.toml"], "grid.toml"),
        (["evaluate", "cubic", "--suite", "tcpeval"], "cubic, tcpeval"),
        (["study", "run", "003", "--full"], "study 003"),
    ],
)
def test_commands_of_many_runs_hold_their_limits(tmp_path: Path, command: list[str], name: str) -> None:
    (tmp_path / "grid.toml").write_text(GRID)
    line = [sys.executable, "-m", "ackclock", *command, "--max-wall", "2"]
    began = time.monotonic()
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert time.monotonic() - began < 2 + PATIENCE_S
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"ackclock: {name}: stopped: it took more than 2 s of real time"
