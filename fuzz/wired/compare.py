"""A script on the installed ns-2 and here, and what came of it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

#: the results, in the order in which a script is put to the first that fits
SAME, REFUSED, CRASHES, UNDEFINED, DIFFERS = "same", "refused", "ns-2 crashes", "undefined in ns-2", "differs"

#: how a process ends: by itself (its exit status says with what), by a defect of the program, not in the time it has
EXIT, CRASH, HANG = "exit", "crash", "hang"

#: processor time that a run may take, s, and what it may write, bytes
TIME_S, WRITTEN_BYTES = 20, 64 << 20
#: what a memory allocator fills freed and fresh memory with, so that reading it gives other results
_PERTURBED = {"MALLOC_PERTURB_": "165"}

#: how the account of an error begins: of one in an event, and of a packet that a classifier has no slot for
_ACCOUNT = re.compile(rb"^(?:ns: |warning: classifier _o\d+ unknown flow|classifier _o\d+$)", re.MULTILINE)
#: what ackclock says where it is at fault itself
_OWN_FAULT = re.compile(r"internal error: |^Traceback |panicked at ", re.MULTILINE)
#: the status of a run that was stopped after too long by the clock
_STOPPED = -99
#: those that limits of processor time, of the clock and of what is written end
_TIMED_OUT = (_STOPPED, -signal.SIGXCPU, -signal.SIGKILL, -signal.SIGXFSZ)


@dataclass(frozen=True)
class Left:
    """What a run left: exit status (negative: a signal's number), what it printed, and its files."""

    status: int
    stdout: bytes
    stderr: str
    files: dict[str, bytes]

    @property
    def end(self) -> str:
        """How the process ended."""
        if self.status in _TIMED_OUT:
            return HANG
        return CRASH if self.status < 0 or _OWN_FAULT.search(self.stderr) else EXIT

    def is_like(self, other: Left) -> bool:
        """Whether both left the same. Where both end in an error, the account of it is not compared, and one may have
        written out more of what it had in memory. A run that crashes is like no other."""
        if self.end != EXIT or other.end != EXIT:
            return False
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


#: what ackclock says where it does not have what a script uses
_REFUSAL = re.compile(
    r"ackclock: (?:.*\.tcl:\d+: )?(.*(?:does not have it yet|does not take|ackclock has|ackclock keeps).*)"
)
#: the same where a script catches it and prints it
_CAUGHT = re.compile(r"^(.*ackclock (?:does not have it yet|does not take|has |keeps ).*)$", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """What came of a script, by what cause or where, and how ackclock's process ended."""

    result: str
    why: str = ""
    end: str = EXIT


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
        return Left(_STOPPED, b"", "took too long", {})
    files = {entry.name: entry.read_bytes() for entry in sorted(folder.iterdir())}
    return Left(done.returncode, done.stdout, done.stderr.decode(errors="replace"), files)


def ackclock() -> list[str]:
    """The command that runs a script here."""
    return [str(Path(sys.executable).with_name("ackclock")), "ns2"]


def compare(text: str, folder: Path) -> Outcome:
    """What comes of a script, with both programs' files in two folders."""
    theirs = run(["ns"], text, folder / "ns")
    ours = run(ackclock(), text, folder / "ackclock")
    return judge(ours, theirs, lambda: run(["ns"], text, folder / "again", _PERTURBED))


def judge(ours: Left, theirs: Left, perturbed: Callable[[], Left]) -> Outcome:
    """What came of the two runs; `perturbed` runs ns-2 again with memory that has other contents."""
    # Where ns-2 goes on without end, so may ackclock; nothing else excuses it.
    if ours.end == CRASH or (ours.end == HANG and theirs.end != HANG):
        return Outcome(DIFFERS, _where(ours, theirs), ours.end)
    if theirs.end != EXIT:
        return Outcome(CRASHES, f"signal {-theirs.status}; here: status {ours.status}", ours.end)
    if ours.is_like(theirs):
        return Outcome(SAME)
    refused = _REFUSAL.search(ours.stderr) if ours.status else None
    refused = refused or _CAUGHT.search(ours.stdout.decode(errors="replace"))
    if refused:
        return Outcome(REFUSED, re.sub(r"_o\d+|\d+", "N", refused.group(1)))
    if "ns-2 reads memory" in ours.stderr:
        return Outcome(UNDEFINED, "memory that is not its own, as is said here")
    again = perturbed()
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
