"""Tables, colours and progress on a terminal; elsewhere plain text."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from test_cli import ACKCLOCK, command

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are of POSIX systems", allow_module_level=True)

import fcntl
import pty
import termios


def on_terminal(*words: str, columns: int, cwd: Path, **environment: str) -> str:
    """What a command writes on a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    line = subprocess.Popen(
        [*ACKCLOCK, *words], cwd=cwd, stdout=theirs, stderr=theirs, env={**kept, "TERM": "xterm", **environment}
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux says so at the end
            break
        if not part:
            break
        seen += part
    line.wait(60)
    os.close(ours)
    return seen.decode().replace("\r\n", "\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    assert command("init", cwd=tmp_path).returncode == 0
    return tmp_path


SHORT = ("run", "scenario.toml", "--set", "duration=6 s", "--set", "flows.2.start=1 s", "--set", "flows.2.stop=5 s")


def test_tables_fit_the_terminal_and_are_whole_elsewhere(folder: Path) -> None:
    plain = command(*SHORT, cwd=folder).stdout
    assert "\x1b" not in plain and "delay ms  p50 ms  p95 ms  p99 ms" in plain
    for columns in (60, 80, 200):
        lines = on_terminal(*SHORT, columns=columns, cwd=folder, NO_COLOR="1").splitlines()
        assert max(len(line) for line in lines if not line.startswith("(")) <= columns
    narrow = on_terminal(*SHORT, columns=80, cwd=folder, NO_COLOR="1")
    assert "(the terminal is too narrow for timeouts" in narrow and "p95 ms" in narrow
    assert on_terminal(*SHORT, columns=200, cwd=folder, NO_COLOR="1") == plain


def test_colour_is_for_terminals_that_want_it(folder: Path) -> None:
    assert on_terminal(*SHORT, columns=200, cwd=folder).startswith("\x1b[1mflow")
    wrong = ("run", "none.toml")
    assert on_terminal(*wrong, columns=80, cwd=folder).startswith("\x1b[1;31mackclock:\x1b[0m none.toml: ")
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in on_terminal(*wrong, columns=80, cwd=folder, **environment)
        assert "\x1b" not in on_terminal(*SHORT, columns=200, cwd=folder, **environment)


def test_a_sweep_shows_one_bar_and_takes_it_away(folder: Path) -> None:
    (folder / "grid.toml").write_text(
        'scenario = "scenario.toml"\nreplications = 3\n[vary]\nflows.0.tcp = ["reno", "sack"]\nduration = ["20 s"]\n'
    )
    seen = on_terminal("sweep", "grid.toml", columns=100, cwd=folder)
    assert "of 6 runs" in seen and "grid.toml" in seen
    assert command("sweep", "grid.toml", cwd=folder).stderr == ""


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("ackclock plot x --what cw", "cwnd"),
        ("ackclock plot x --what cwnd,que", "cwnd,queue"),
        ("ackclock plot x --size co", "column"),
        ("ackclock evaluate bb", "bbr3"),
        ("ackclock evaluate bbr3 --suite rfc", "rfc9743"),
        ("ackclock help pl", "plot"),
    ],
)
def test_values_are_completed(line: str, wanted: str, tmp_path: Path) -> None:
    # What the shells' functions do: argcomplete answers on descriptor 8.
    out = tmp_path / "answers"
    environment = {
        **os.environ, "_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(out), "_ARGCOMPLETE_COMP_WORDBREAKS": "",
    }  # fmt: skip
    subprocess.run([*ACKCLOCK], env=environment, check=False, timeout=60, capture_output=True)
    assert wanted in [word.strip() for word in out.read_text().split("\n")]
