"""Trace files that outgrow memory or take long: `ackclock trace` stops with the reason."""

from __future__ import annotations

import gzip
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.serial

LINE = b"+ 1.0 0 1 tcp 1000 ------- 1 0.0 1.0 5 7\n"


@pytest.fixture(scope="module")
def bomb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty million packets that come to a queue and never leave it: 820 MB in a file of 0.8 MB."""
    file = tmp_path_factory.mktemp("bomb") / "bomb.tr.gz"
    with gzip.open(file, "wb") as out:
        for _ in range(200):
            out.write(LINE * 100_000)
    return file


@pytest.mark.parametrize("words", [("stats",), ("series", "--what", "queue")])
def test_a_gzip_bomb_is_stopped(words: tuple[str, ...], bomb: Path) -> None:
    verb, *others = words
    line = [sys.executable, "-m", "ackclock", "trace", verb, bomb.name, *others, "--max-memory", "150M"]
    done = subprocess.Popen(line, cwd=bomb.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, said = done.communicate(timeout=100)
    assert (done.returncode, out) == (1, "")
    assert said.startswith("ackclock: bomb.tr.gz: stopped: it took ") and "more than 150 MB" in said


def test_a_line_without_an_end_takes_no_memory(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "line.tr.gz", "wb") as out:
        for _ in range(100):
            out.write(bytes(10_000_000))
    done = subprocess.run(
        [sys.executable, "-m", "ackclock", "trace", "stats", "line.tr.gz"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (1 << 28, 1 << 28)),
    )
    assert done.returncode == 1
    assert done.stderr.startswith("ackclock: line.tr.gz: line 1: longer than 262144 bytes")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")
@pytest.mark.parametrize("verb", [["stats"], ["convert", "out.parquet"], ["stats", "--partial"]])
def test_ctrl_c_ends_the_reading(verb: list[str], bomb: Path) -> None:
    line = [sys.executable, "-m", "ackclock", "trace", verb[0], bomb.name, *verb[1:]]
    done = subprocess.Popen(line, cwd=bomb.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    assert done.poll() is None
    began = time.monotonic()
    done.send_signal(signal.SIGINT)
    assert done.communicate(timeout=60) == ("", "ackclock: interrupted\n") and done.returncode == 130
    assert time.monotonic() - began < 3
    assert [path.name for path in bomb.parent.iterdir()] == ["bomb.tr.gz"]
