"""What a system without Unix's own modules and calls can do: Windows, as far as Linux can tell.

A process of its own hides what Windows lacks. Whether the extension compiles there, the hosted CI checks.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

#: Hides Unix from a process. The libraries are loaded first: they are not what is tested here.
HIDE = """
import asyncio, ctypes, multiprocessing, os, platform, signal, shutil, socket, subprocess, sys, tempfile, types
import argcomplete, jinja2, matplotlib.backends.backend_agg, matplotlib.figure, numpy, scipy.stats, uvicorn
import starlette.applications
from ackclock import _native

GONE = {"fcntl", "resource", "termios", "pwd", "grp", "pty", "tty", "syslog", "posix", "readline", "curses"}

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name in GONE:
            raise ModuleNotFoundError(f"No module named {name!r} (hidden)", name=name)

for name in GONE:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Hidden())
for name in ("SIGHUP", "SIGQUIT", "SIGKILL", "SIGALRM", "SIGXCPU", "SIGXFSZ", "SIGPIPE", "SIGUSR1", "SIGUSR2",
             "SIGCHLD", "SIGBUS", "SIGVTALRM", "SIGPROF", "pthread_sigmask", "sigtimedwait", "setitimer"):
    if hasattr(signal, name):
        delattr(signal, name)
for name in ("fork", "getuid", "geteuid", "killpg", "setsid", "waitpid", "sysconf", "mkfifo", "O_NOFOLLOW",
             "O_CLOEXEC", "O_NONBLOCK", "fchmod", "sched_getaffinity", "O_DIRECTORY", "statvfs", "dir_fd"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SignalWatcher",):
    delattr(_native, name)
locks = types.ModuleType("msvcrt")
locks.LK_NBLCK = 2
locks.locking = lambda file, mode, count: None
sys.modules["msvcrt"] = locks
sys.platform = "win32"
"""

SCENARIO = """
duration = "2 s"
seed = 1
topology = { kind = "dumbbell", bottleneck = { rate = "10 Mb/s", delay = "5 ms" } }

[[flows]]
pair = 1
tcp = "cubic"
"""


def without_unix(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", HIDE + code], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return without_unix(f"from ackclock.cli import main\nsys.exit(main({list(words)!r}))", folder)


@pytest.mark.parametrize(
    "words",
    [
        ("run", "net.toml", "--out", "results"),
        ("sweep", "grid.toml"),
        ("list",),
        ("study", "list"),
        ("init", "other.toml"),
        ("ns2", "lab.tcl"),
    ],
    ids=lambda words: words[0],
)
def test_command_works(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(SCENARIO, encoding="utf-8")
    grid = 'scenario = "net.toml"\nreplications = 2\n[vary]\n"flows.0.tcp" = ["reno", "cubic"]\n'
    (tmp_path / "grid.toml").write_text(grid, encoding="utf-8")
    lab = "set ns [new Simulator]\nset f [open lab.tr w]\n$ns trace-all $f\nputs hello\n$ns run\n"
    (tmp_path / "lab.tcl").write_text(lab, encoding="utf-8")
    done = command(tmp_path, *words)
    assert done.returncode == 0, done.stdout + done.stderr


def test_results_are_plotted_and_checked(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(SCENARIO, encoding="utf-8")
    for words in (("run", "net.toml", "--out", "results"), ("plot", "results", "--out", "x.svg"), ("check", "results")):
        done = command(tmp_path, *words)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("words", [("serve",), ("emulate", "net.toml")], ids=lambda words: words[0])
def test_command_that_needs_unix_says_so(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(SCENARIO, encoding="utf-8")
    done = command(tmp_path, *words)
    assert done.returncode == 1
    assert (
        done.stderr
        == f"ackclock: {words[0]}: needs Linux{'' if words[0] == 'emulate' else ' or macOS'}, and this is win32\n"
    )
