"""Mistakes in scenarios, as `ackclock run` tells them; and runs that are killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

import ackclock as ac

GOOD = """\
duration = "2 s"

[topology]
kind = "graph"
nodes = ["a", "b", "c"]

[[topology.links]]
ends = ["a", "b"]
rate = "1 Mb/s"
delay = "10 ms"
queue = { limit = "20 packets" }

[[flows]]
source = "a"
destination = "b"
tcp = "sack"
"""

ACKCLOCK = [sys.executable, "-m", "ackclock"]


def command(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    line = [*ACKCLOCK, *map(str, words)]
    return subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


@dataclass(frozen=True)
class Mistake:
    """What is written instead of what, and what the message must have."""

    id: str
    good: str
    bad: str
    line: int
    #: The key and the value that are at fault, as the message shows them.
    found: str
    #: What was expected.
    expected: str
    #: The nearest known name, where there is one.
    nearest: str = ""


MISTAKES = [
    Mistake("misspelt key", "delay =", "dealy =", 10, "dealy", "unknown key; expected one of rate, delay", "delay"),
    Mistake("unknown variant", '"sack"', '"sak"', 16, 'flows.0.tcp = "sak"', "expected a TCP variant", "sack"),
    Mistake("missing unit", '"1 Mb/s"', '"1"', 9, 'rate = "1"', "the unit is missing"),
    Mistake(
        "loop of delay 0",
        '"10 ms"',
        '"0 ms"',
        13,
        "flows.0: the path from a to b and back has zero delay",
        "expected more than 0 s",
    ),
    Mistake(
        "unconnected nodes",
        'destination = "b"',
        'destination = "c"',
        13,
        "flows.0: no route from a to c",
        "expected links",
    ),
    Mistake("limit 0", '"20 packets"', '"0 packets"', 11, 'limit = "0 packets"', "more than 0"),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.id)
def test_a_mistake_is_one_line(mistake: Mistake, tmp_path: Path) -> None:
    assert GOOD.count(mistake.good) == 1
    (tmp_path / "net.toml").write_text(GOOD.replace(mistake.good, mistake.bad))
    done = command("run", "net.toml", "--out", "results", "--trace", "out.tr", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"ackclock: net.toml:{mistake.line}: ") and done.stderr.count("\n") == 1, done.stderr
    for said in (mistake.found, mistake.expected, mistake.nearest and f"nearest known: {mistake.nearest}"):
        assert said in done.stderr, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["net.toml"], "something was written"


def test_without_the_mistake_it_runs(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(GOOD)
    done = command("run", "net.toml", "--out", "results", "--trace", "out.tr", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in tmp_path.iterdir()} == {"net.toml", "results", "out.tr"}


def killed_when(seen: str, words: list[str], cwd: Path) -> None:
    """Start a command and kill it (SIGKILL) as soon as a file or folder of this pattern is there."""
    with subprocess.Popen([*ACKCLOCK, *words], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 60
        while not any(cwd.glob(seen)):
            assert process.poll() is None, "it was over before it could be killed"
            assert time.monotonic() < until, f"no {seen}"
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=20)
    assert process.returncode == -signal.SIGKILL


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is of POSIX systems")
@pytest.mark.parametrize(
    ("seen", "duration"),
    [(".out.tr.*.part", "1000000 s"), (".results.*.part/flows.parquet", "150 s")],
    ids=["while it simulates", "while it saves"],
)
def test_a_killed_run_leaves_nothing_that_looks_whole(seen: str, duration: str, tmp_path: Path) -> None:
    kept = "\n[record]\npackets = true\nchanges = true\n" if duration == "150 s" else ""
    fast = GOOD.replace('"1 Mb/s"', '"20 Mb/s"').replace("2 s", duration) + 'window = "200 packets"\n' + kept
    (tmp_path / "net.toml").write_text(fast)
    killed_when(seen, ["run", "net.toml", "--out", "results", "--trace", "out.tr"], tmp_path)
    assert not (tmp_path / "results").exists()
    left = [path.name for path in tmp_path.iterdir()]
    if duration != "150 s":
        assert not (tmp_path / "out.tr").exists()
        assert any(re.fullmatch(r"\.out\.tr\..+\.\d+\.[0-9a-f]{8}\.part", name) for name in left), left
    for name in left:
        if (tmp_path / name).is_dir():
            with pytest.raises(ac.ResultsError, match=r"not a complete folder of results: run\.json is missing"):
                ac.open(tmp_path / name)
    (tmp_path / "net.toml").write_text(GOOD)
    words = ("run", "net.toml", "--out", "results", "--trace", "out.tr")
    assert command(*words, cwd=tmp_path).returncode == 0, "the name is free"
    assert len(ac.open(tmp_path / "results").flows) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"net.toml", "results", "out.tr"}, "what was left is removed"


def test_older_results_are_not_overwritten_unasked(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(GOOD)
    assert command("run", "net.toml", "--out", "results", cwd=tmp_path).returncode == 0
    before = (tmp_path / "results" / "run.json").read_bytes()
    for option in ("--out", "--csv"):
        done = command("run", "net.toml", option, "results", "--seed", "9", cwd=tmp_path)
        assert done.returncode == 1
        assert "the folder holds results" in done.stderr and "--replace" in done.stderr
        assert (tmp_path / "results" / "run.json").read_bytes() == before
    assert command("run", "net.toml", "--out", "results", "--seed", "9", "--replace", cwd=tmp_path).returncode == 0
    assert ac.open(tmp_path / "results").scenario.seed == 9


def test_tables_as_csv(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(GOOD)
    assert command("run", "net.toml", "--out", "results", "--csv", "csv", cwd=tmp_path).returncode == 0
    results = ac.open(tmp_path / "results")
    assert {path.name for path in (tmp_path / "csv").iterdir()} == {
        "run.json",
        "SHA256SUMS",
        *(f"{name}.csv" for name in results.tables),
    }
    for name, table in results.tables.items():
        head, *rows = (tmp_path / "csv" / f"{name}.csv").read_text().splitlines()
        assert head.split(",") == table.column_names()
        read = [[float(cell) if cell else None for cell in row.split(",")] for row in rows]
        assert read == [list(row.values()) for row in results.rows(name)]
    with pytest.raises(ac.ResultsError, match="CSV"):
        ac.open(tmp_path / "csv")
