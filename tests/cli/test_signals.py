"""Signals to commands that run many simulations: nothing is left that the next start does not clean up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.serial

#: How often each is tried: SIGNALS=20 for the figures of docs/robustness.md.
TIMES = int(os.environ.get("SIGNALS", "1"))

SCENARIO = """
duration = "1e7 s"
[record]
sample = "0 s"
[topology]
kind = "dumbbell"
pairs = 4
bottleneck = { rate = "100 Mb/s", delay = "10 ms" }
[[flows]]
pair = 1
tcp = "sack"
"""
GRID = """
replications = 50
seed = 1
[vary]
"flows.0.tcp" = ["sack", "reno"]
[scenario]
duration = "200 s"
[scenario.topology]
kind = "dumbbell"
pairs = 1
bottleneck = { rate = "10 Mb/s", delay = "10 ms" }
[[scenario.flows]]
pair = 1
tcp = "sack"
"""
SCRIPTS = """
script = "endless.tcl"
replications = 4
seed = 1
args = ["{seed}"]
metrics = { x = 'x (\\d+)' }
"""
COMMANDS = {
    "run": ["run", "net.toml", "--out", "results", "--trace", "out.tr"],
    "run within limits": ["run", "net.toml", "--out", "results", "--max-wall", "60"],
    "sweep": ["sweep", "grid.toml", "--store", "store"],
    "sweep of scripts": ["sweep", "scripts.toml", "--store", "store"],
    "script": ["ns2", "endless.tcl"],
    "script within limits": ["ns2", "--max-wall", "60", "endless.tcl"],
    "safe script": ["ns2", "--safe", "endless.tcl"],
}
#: The next start of the same, which removes what SIGKILL has left.
NEXT = {
    "run": [*COMMANDS["run"], "--set", "duration=1 s"],
    "run within limits": [*COMMANDS["run within limits"], "--set", "duration=1 s"],
    "sweep": COMMANDS["sweep"],
    "sweep of scripts": ["sweep", "few.toml", "--store", "store"],
}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)


def processes_in(folder: Path) -> list[int]:
    """Processes that work in a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if Path(os.readlink(entry / "cwd")).is_relative_to(folder):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="processes are found by /proc")
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_left(tmp_path: Path, command: str, number: signal.Signals) -> None:
    for time_ in range(TIMES):
        folder = tmp_path / str(time_)
        folder.mkdir()
        for name, text in {"net.toml": SCENARIO, "grid.toml": GRID, "scripts.toml": SCRIPTS}.items():
            (folder / name).write_text(text)
        (folder / "few.toml").write_text(SCRIPTS.replace("endless", "short").replace("= 4", "= 1"))
        (folder / "short.tcl").write_text("puts {x 1}")
        (folder / "endless.tcl").write_text("set f [open out.tr w]; puts $f begun; flush $f; while 1 {incr x}")
        line = [sys.executable, "-m", "ackclock", *COMMANDS[command]]
        temporary = folder / "temporary"
        temporary.mkdir()
        environment = {**os.environ, "TMPDIR": str(temporary)}
        with subprocess.Popen(
            line, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            time.sleep(0.8 + 0.1 * (time_ % 10))
            process.send_signal(number)
            _, said = process.communicate(timeout=30)
        ended = {128 + number, -number}
        assert process.returncode in ended, (process.returncode, said)
        assert "Traceback" not in said, said
        until = time.monotonic() + 5
        while processes_in(folder) and time.monotonic() < until:
            time.sleep(0.05)
        assert processes_in(folder) == []
        assert not (folder / "results").exists()
        if number == signal.SIGKILL and command in NEXT:
            again = [sys.executable, "-m", "ackclock", *NEXT[command]]
            subprocess.run(again, cwd=folder, env=environment, stdout=subprocess.DEVNULL, timeout=120, check=True)
        if number != signal.SIGKILL or command in NEXT:
            assert [path.name for path in folder.rglob("*.part")] == []
            assert list(temporary.iterdir()) == []
