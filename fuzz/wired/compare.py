"""A script on the installed ns-2 and here, and what came of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

#: the results, in the order in which a script is put to the first that fits
SAME, REFUSED, CRASHES, UNDEFINED, DIFFERS = "same", "refused", "ns-2 crashes", "undefined in ns-2", "differs"

#: processor time that a run may take, s, and what it may write, bytes
TIME_S, WRITTEN_BYTES = 20, 64 << 20
#: what a memory allocator fills freed and fresh memory with, so that reading it gives other results
_PERTURBED = {"MALLOC_PERTURB_": "165"}


#: how the account of an error begins: of one in an event, and of a packet that a classifier has no slot for
_ACCOUNT = re.compile(rb"^(?:ns: |warning: classifier _o\d+ unknown flow|classifier _o\d+$)", re.MULTILINE)


@dataclass(frozen=True)
class Left:
    """What a run left: exit status (negative: a signal's number), what it printed, and its files."""

    status: int
    stdout: bytes
    stderr: str
    files: dict[str, bytes]

    def is_like(self, other: Left) -> bool:
        """Whether both left the same. Where both end in an error, the account of it is not compared, and one may have
        written out more of what it had in memory."""
        if self.status != other.status or self.status == 0:
            return self == other._replace_stderr(self.stderr)
        if self.files.keys() != other.files.keys():
            return False
        pairs = [(self.said(), other.said()), *((self.files[name], other.files[name]) for name in self.files)]
        return all(mine.startswith(theirs) or theirs.startswith(mine) for mine, theirs in pairs)

    def said(self) -> bytes:
        """Standard output up to the account of an error."""
        if self.status == 0:
            return self.stdout
        return _ACCOUNT.split(self.stdout, maxsplit=1)[0]

    def _replace_stderr(self, stderr: str) -> Left:
        return Left(self.status, self.stdout, stderr, self.files)


@dataclass(frozen=True)
class Outcome:
    """What came of a script, and by what cause or where."""

    result: str
    why: str = ""


def run(program: list[str], text: str, folder: Path, extra: dict[str, str] | None = None) -> Left:
    """Run a script in a folder of its own."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder.parent / f"{folder.name}.tcl"
    path.write_text(text, encoding="utf-8")
    limits = f'ulimit -t {TIME_S} -f {WRITTEN_BYTES >> 10} -c 0; exec "$@"'
    try:
        done = subprocess.run(
            ["bash", "-c", limits, "bash", *program, str(path)],
            cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=10 * TIME_S, check=False,
            env=os.environ | (extra or {}),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Left(-99, b"", "took too long", {})
    files = {entry.name: entry.read_bytes() for entry in sorted(folder.iterdir())}
    return Left(done.returncode, done.stdout, done.stderr.decode(errors="replace"), files)


def ackclock() -> list[str]:
    """The command that runs a script here."""
    return [str(Path(sys.executable).with_name("ackclock")), "ns2"]


def compare(text: str, folder: Path) -> Outcome:
    """What comes of a script, with both programs' files in two folders."""
    theirs = run(["ns"], text, folder / "ns")
    ours = run(ackclock(), text, folder / "ackclock")
    refused = re.search(
        r"ackclock: (?:.*\.tcl:\d+: )?(.*(?:does not have it yet|does not take|ackclock has|ackclock keeps).*)",
        ours.stderr,
    )
    if theirs.status < 0:
        return Outcome(CRASHES, f"signal {-theirs.status}; here: status {ours.status}")
    if ours.is_like(theirs):
        return Outcome(SAME)
    if ours.status and refused:
        return Outcome(REFUSED, re.sub(r"_o\d+|\d+", "N", refused.group(1)))
    if "ns-2 reads memory" in ours.stderr:
        return Outcome(UNDEFINED, "memory that is not its own, as is said here")
    again = run(["ns"], text, folder / "again", _PERTURBED)
    if not again.is_like(theirs):
        return Outcome(UNDEFINED, _where(again, theirs))
    return Outcome(DIFFERS, _where(ours, theirs))


def _where(ours: Left, theirs: Left) -> str:
    """The first difference, in one line."""
    if ours.status != theirs.status:
        return f"status {ours.status}, ns-2 {theirs.status}: {_last(ours.stderr)} / {_last(theirs.stderr)}"
    if ours.files.keys() != theirs.files.keys():
        return f"files {sorted(ours.files.keys() ^ theirs.files.keys())}"
    outputs = {"stdout": (ours.said(), theirs.said())}
    outputs |= {name: (ours.files[name], theirs.files[name]) for name in ours.files}
    for name, (mine, other) in outputs.items():
        if mine == other:
            continue
        lines = mine.splitlines(), other.splitlines()
        for number in range(max(map(len, lines))):
            pair = [words[number] if number < len(words) else b"(ended)" for words in lines]
            if pair[0] != pair[1]:
                shown = [line[:110].decode(errors="replace") for line in pair]
                return f"{name}:{number + 1}: {shown[0]} / {shown[1]}"
    return "other line ends"


def _last(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return (lines[-1] if lines else "")[:160]
