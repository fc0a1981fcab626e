"""Run a case with some program and say how what it left differs from another's."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from cases import Case

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
    """Where two runs part; empty when they left the same. The first line of each, side by side."""
    found = []
    if ours.status != theirs.status:
        found.append(f"status: {ours.status}, ns-2 {theirs.status}; stderr: {ours.stderr}")
    found.append(_first_difference("stdout", ours.stdout, theirs.stdout))
    for name in sorted(ours.files.keys() | theirs.files.keys()):
        if name not in ours.files:
            found.append(f"{name}: not written; ns-2 writes it")
        elif name not in theirs.files:
            found.append(f"{name}: written; ns-2 does not write it")
        else:
            found.append(_first_difference(name, ours.files[name].read_bytes(), theirs.files[name].read_bytes()))
    return "\n".join(filter(None, found))


def sha256(path: Path) -> str:
    """Digest of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _first_difference(name: str, ours: bytes, theirs: bytes) -> str:
    if ours == theirs:
        return ""
    pairs = zip_longest(ours.split(b"\n"), theirs.split(b"\n"))
    for number, (mine, other) in enumerate(pairs, 1):
        if mine != other:
            return f"{name}, line {number}:\n  ours {_text(mine)}\n  ns-2 {_text(other)}"
    raise AssertionError("equal lines of unequal bytes")


def _text(line: bytes | None) -> str:
    return "(ended)" if line is None else line.decode(errors="backslashreplace")
