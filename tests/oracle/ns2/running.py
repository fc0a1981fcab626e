"""Run a case with some program and say how what it left differs from another's, or from the record."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from cases import Case

#: How many lines of each output the record has, and how much of a line.
FIRST_LINES, WIDTH = 20, 200
#: How many lines are shown before the first that differs.
CONTEXT = 3
#: Longer than any case takes on a slow machine; a run that hangs must not hang the tests.
TIMEOUT_S = 120


@dataclass(frozen=True)
class Left:
    """What a run left behind: its status, what it printed, and the directory of its files."""

    status: int
    stdout: bytes
    stderr: str
    directory: Path

    @property
    def files(self) -> dict[str, Path]:
        return {path.name: path for path in sorted(self.directory.iterdir())}

    def record(self) -> dict[str, object]:
        """What is kept of it where ns-2 is not installed."""
        return {
            "status": self.status,
            "stdout": hashlib.sha256(self.stdout).hexdigest(),
            "files": {name: sha256(path) for name, path in self.files.items()},
        }

    def first_lines(self) -> dict[str, list[str]]:
        """The first lines of what it printed and of each file, by name."""
        outputs = {"stdout": self.stdout} | {name: path.read_bytes() for name, path in self.files.items()}
        return {name: _first_lines(data) for name, data in outputs.items()}


def run_case(case: Case, program: Sequence[str], directory: Path) -> Left:
    """Run a case in an empty directory."""
    directory.mkdir(parents=True)
    done = subprocess.run(
        [*program, str(case.path), *case.args],
        cwd=directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    return Left(done.returncode, done.stdout, done.stderr.decode(errors="replace"), directory)


def differences(ours: Left, theirs: Left) -> str:
    """Where two runs part, with the lines before; empty when they left the same."""
    found = []
    if ours.status != theirs.status:
        found.append(f"status: {ours.status}, ns-2 {theirs.status}; stderr: {ours.stderr}")
    found.append(_difference("stdout", ours.stdout, theirs.stdout))
    for name in sorted(ours.files.keys() | theirs.files.keys()):
        if name not in ours.files:
            found.append(f"{name}: not written; ns-2 writes it")
        elif name not in theirs.files:
            found.append(f"{name}: written; ns-2 does not write it")
        else:
            found.append(_difference(name, ours.files[name].read_bytes(), theirs.files[name].read_bytes()))
    return "\n".join(filter(None, found))


def differences_from_record(ours: Left, record: dict[str, Any], first: dict[str, list[str]]) -> str:
    """Where a run parts from ns-2's record and its first lines; empty when it left the same."""
    found = []
    mine = ours.record()
    if mine["status"] != record["status"]:
        found.append(f"status: {ours.status}, ns-2 {record['status']}; stderr: {ours.stderr}")
    digests = {"stdout": hashlib.sha256(ours.stdout).hexdigest()} | {n: sha256(path) for n, path in ours.files.items()}
    recorded = {"stdout": record["stdout"], **record["files"]}
    lines = ours.first_lines()
    for name in sorted(digests.keys() | recorded.keys()):
        if name not in digests:
            found.append(f"{name}: not written; ns-2 writes it")
        elif name not in recorded:
            found.append(f"{name}: written; ns-2 does not write it")
        elif digests[name] != recorded[name]:
            where = _first_difference(name, lines[name], first[name])
            found.append(where or f"{name}: the first {len(first[name])} lines are ns-2's, a later one is not")
    return "\n".join(found)


def sha256(path: Path) -> str:
    """Digest of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _difference(name: str, ours: bytes, theirs: bytes) -> str:
    if ours == theirs:
        return ""
    return _first_difference(name, _lines(ours), _lines(theirs)) or f"{name}: other bytes, which are shown alike"


def _first_difference(name: str, ours: Sequence[str], theirs: Sequence[str]) -> str:
    for number, (mine, other) in enumerate(zip_longest(ours, theirs)):
        if mine != other:
            before = "".join(f"       {line}\n" for line in ours[max(number - CONTEXT, 0) : number])
            mine, other = ("(ended)" if line is None else line for line in (mine, other))
            return f"{name}, line {number + 1}:\n{before}  ours {mine}\n  ns-2 {other}"
    return ""


def _lines(data: bytes) -> list[str]:
    return [line.decode(errors="backslashreplace") for line in data.split(b"\n")]


def _first_lines(data: bytes) -> list[str]:
    first = data.split(b"\n", FIRST_LINES)[:FIRST_LINES]
    return [line.decode(errors="backslashreplace")[:WIDTH] for line in first]
