"""The commands, and the Python API behind them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ackclock

ACKCLOCK = [sys.executable, "-m", "ackclock"]

#: Prints its arguments as Tcl sees them; needs the front end, not the engine.
ECHO = 'puts "$argc $argv"\nset f [open note w]\nputs $f kept\nclose $f\nexit [lindex $argv 0]\n'


def command(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ACKCLOCK, *words], cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def echo(tmp_path: Path) -> Path:
    script = tmp_path / "echo.tcl"
    script.write_text(ECHO)
    return script


def test_version() -> None:
    done = command("--version")
    assert done.stdout == f"ackclock {ackclock.__version__}\n"


def test_studies_are_listed_and_shown() -> None:
    assert command("study", "list").stdout.startswith("004  TCP Flavours")
    assert "0.565032800000007" in command("study", "show", "004").stdout


@pytest.mark.parametrize(
    "words",
    [
        ("study", "run", "999"),
        ("study", "list", "--studies", "/nonexistent"),
        ("study", "run", "004", "--jobs", "0"),
        ("study", "run", "004", "--program", "/nonexistent/ns"),
    ],
)
def test_a_bad_command_is_one_line(words: tuple[str, ...], tmp_path: Path) -> None:
    done = command(*words, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("ackclock: ") and done.stderr.count("\n") == 1, done.stderr


def test_no_command_says_what_there_is() -> None:
    done = command()
    assert done.returncode == 2
    assert "ns2" in done.stderr


def test_ns2_loads_nothing_that_it_does_not_need() -> None:
    code = "import sys, ackclock.ns2; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"matplotlib", "numpy", "argparse", "ackclock.study", "ackclock.plot"}


def test_arguments_pass_verbatim(echo: Path, tmp_path: Path) -> None:
    done = command("ns2", str(echo), "0", "--help", "-x", "two words", "", cwd=tmp_path)
    assert done.stdout == "5 0 --help -x {two words} {}\n"
    assert done.returncode == 0


def test_exit_status_is_the_scripts(echo: Path, tmp_path: Path) -> None:
    assert command("ns2", str(echo), "3", cwd=tmp_path).returncode == 3


def test_run_ns2(echo: Path, tmp_path: Path) -> None:
    (tmp_path / "old").write_text("not of this run")
    result = ackclock.run_ns2(echo, 0, "a b", cwd=tmp_path)
    assert result.status == 0
    assert result.stdout == "2 0 {a b}\n"
    assert result.files == {"note": tmp_path / "note"}


def test_run_ns2_raises_what_the_script_said(echo: Path, tmp_path: Path) -> None:
    with pytest.raises(ackclock.Ns2Error, match="status 4"):
        ackclock.run_ns2(echo, 4, cwd=tmp_path)
    assert ackclock.run_ns2(echo, 4, cwd=tmp_path, check=False).status == 4


def test_run_ns2_names_what_is_missing(echo: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nonesuch\.tcl"):
        ackclock.run_ns2("nonesuch.tcl")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        ackclock.run_ns2(echo, cwd=tmp_path / "nowhere")
