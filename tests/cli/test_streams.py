"""Standard output that is closed, full, of another encoding, or has no reader: a message at most, never a traceback."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shells and /dev/full are of POSIX systems")

ACKCLOCK = shlex.join([sys.executable, "-m", "ackclock"])
COMMANDS = ["list", "run scenario.toml", "run scenario.toml --json", "trace stats out.tr", "--help", "completion bash"]


def shell(line: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line.replace("ackclock", ACKCLOCK, 1)],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    assert shell("ackclock init", folder).returncode == 0
    assert shell("ackclock run scenario.toml --trace out.tr", folder).returncode == 0
    return folder


@pytest.mark.parametrize("buffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("to", "reason"),
    [(">&-", "Bad file descriptor"), ("> /dev/full", "No space left on device")],
    ids=["closed", "full"],
)
def test_output_that_cannot_be_written(command: str, to: str, reason: str, buffered: str, place: Path) -> None:
    if "full" in to and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    done = shell(f"ackclock {command} {to}", place, PYTHONUNBUFFERED=buffered)
    assert (done.returncode, done.stderr) == (1, f"ackclock: standard output: {reason}\n")


def test_a_file_does_not_become_the_output_that_is_closed(place: Path) -> None:
    done = shell("ackclock run scenario.toml --trace closed.tr >&-", place)
    assert done.returncode == 1
    assert (place / "closed.tr").read_bytes() == (place / "out.tr").read_bytes()


def test_a_message_is_not_printed_as_output(place: Path) -> None:
    done = shell("ackclock run nosuch.toml 2>&-", place)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


def test_input_that_is_closed(place: Path) -> None:
    assert shell("ackclock list variants <&-", place).stdout.startswith("  tahoe ")


def test_an_encoding_that_lacks_characters(place: Path) -> None:
    whole = shell("ackclock list", place, PYTHONIOENCODING="utf-8:strict")
    done = shell("ackclock list", place, LC_ALL="C", PYTHONIOENCODING="ascii:strict")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Høiland" in whole.stdout and r"H\xf8iland" in done.stdout


def test_json_is_json_in_any_encoding(place: Path) -> None:
    name = "ø\u202e\x85x"
    line = f"ackclock run scenario.toml --json --set name={shlex.quote(name)}"
    for encoding in ("ascii", "latin-1", "utf-8"):
        done = shell(line, place, PYTHONIOENCODING=f"{encoding}:strict")
        assert json.loads(done.stdout)["scenario"]["name"] == name
        assert "\u202e" not in done.stdout
