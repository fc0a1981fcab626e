"""A run in a process of its own, with limits on time, memory and what it writes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ackclock.server.errors import Refusal
from ackclock.server.files import open_regular
from ackclock.server.workers import Limits, Workers, kill

#: How often a run is looked at, s.
EVERY_S = 0.1
#: How long a request waits for whether its scenario can be simulated, s.
PATIENCE_S = 10.0
#: The end of what a run says on its standard error that is passed on, bytes.
MOST_SAID = 4000
#: An error of `ackclock.server.worker` has at most 4000 characters, and JSON at most 12 bytes for one.
MOST_TOLD = 64 << 10
#: What Python, Tcl, Rust and `ackclock ns2 --max-memory` say when there is no more memory.
NO_MEMORY = (
    "MemoryError",
    "out of memory",
    "unable to alloc",
    "unable to realloc",
    "memory allocation of",
    "of memory, more than",
    "needed more memory than",
)
#: What is said of a file that may not grow; Python and Tcl write it with other letters.
NO_ROOM = ("file too large", "more into a file than it may")
#: What is said of the limits on the processor's time and the clock's.
NO_TIME, NO_PATIENCE = "more processor time than", "s of real time"
LESS = "simulate or trace less, or run it with ackclock itself"
#: The system ends a process by one of these signals for processor time, by `TOO_MUCH` for the size of a file, by `LATE`
#: for the clock. Names, since not every system has them all.
TIME_OUT, TOO_MUCH, LATE = ("SIGXCPU", "SIGKILL"), "SIGXFSZ", "SIGALRM"


class Run:
    """A run that waits for its turn, is under way, or over."""

    def __init__(
        self,
        id: str,
        kind: str,
        folder: Path,
        limits: Limits,
        workers: Workers,
        arguments: Sequence[str] = (),
        name: str = "",
    ) -> None:
        self.id, self.kind, self.folder, self.limits, self.name = id, kind, folder, limits, name
        self.simulated_s = 0.0
        self.fraction: float | None = None
        #: None while it is under way, "" when it ended well
        self.failed: str | None = None
        #: whether nothing more will happen to it
        self.is_over = False
        #: the recording's id, when it is over
        self.recording: str | None = None
        #: why it could not be started
        self.refused: Refusal | None = None
        self._workers, self._arguments = workers, arguments
        self._cancelled = False
        self._began = 0.0
        # Read by these descriptors: a script may replace what lies in its folder, by a link to a file of ours, say.
        self._printed, self._said = Output(folder / "stdout"), Output(folder / "stderr")
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self, waits: Callable[[], bool] | None = None, starts: Callable[[], None] = lambda: None) -> None:
        """Start its process, when there is room for one; `waits` as for `Workers.start`. `starts` is called before
        `has_started` is true. `Refusal` if it cannot.
        """

        def started(process: subprocess.Popen[bytes]) -> None:
            starts()
            self._began, self._process = time.monotonic(), process

        descriptors = {"printed": self._printed.descriptor, "said": self._said.descriptor}
        process = self._workers.start(
            self.kind, self.folder, self.limits, self._arguments, **descriptors, waits=waits, started=started
        )
        if self._cancelled:
            kill(process)

    def check(self) -> None:
        """Wait a moment for whether a scenario can be simulated. `Refusal` if not."""
        if self.kind != "scenario":
            return
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until and self.is_running:
            if self._printed.tail():
                break
            time.sleep(0.02)
        if (refusal := self._refusal()) is not None:
            raise refusal

    def _refusal(self) -> Refusal | None:
        """What its process says is wrong with its scenario."""
        if self.kind == "scenario":
            for told in self._told(MOST_TOLD):
                if "error" in told:
                    return Refusal(422, str(told["error"]), told.get("key"))
        return None

    def watch(self) -> None:
        """Follow it to its end."""
        process = self._process
        while process is not None and process.poll() is None:
            self._look()
            if time.monotonic() - self._began > self.limits.clock_s:
                self._end(late(self.limits))
            elif self.written() > self.limits.output_bytes:
                self._end(f"it wrote more than {self.limits.output_bytes >> 20} MiB, and was ended")
            try:
                process.wait(EVERY_S)
            except subprocess.TimeoutExpired:
                continue
        self._look()

    def why(self) -> str:
        """Why it ended, as a sentence; "" for a good end."""
        if self._cancelled:
            return "cancelled"
        status = None if self._process is None else self._process.returncode
        if self.failed or status == 0:
            return self.failed or ""
        if self._workers.is_closed:
            return "the server ended"
        self.refused = self.refused or self._refusal()
        if self.refused is not None:
            return self.refused.sentence
        if status is None:
            return "it was not started"
        return reason(status, self.said(), self.limits)

    @property
    def has_started(self) -> bool:
        """Whether it has had a process."""
        return self._process is not None

    @property
    def is_running(self) -> bool:
        """Whether its process is there."""
        return self._process is not None and self._process.poll() is None

    @property
    def is_cancelled(self) -> bool:
        """Whether it was ended before its time."""
        return self._cancelled

    def cancel(self) -> None:
        """End it, or start it no more."""
        process = self._process
        if process is None or process.poll() is None:
            self._cancelled = True
        if process is not None:
            kill(process)

    def said(self) -> str:
        """The end of its standard error."""
        return self._said.tail()

    def printed(self) -> str:
        """The end of a script's standard output."""
        return self._printed.tail() if self.kind != "scenario" else ""

    def output(self) -> bytes:
        """All of its standard output."""
        return self._printed.content()

    def written(self) -> int:
        """Bytes of its files."""
        return sum(size(Path(root) / name) for root, _, names in os.walk(self.folder) for name in names)

    def _look(self) -> None:
        """How far it has come: a scenario says so, a script's trace does."""
        if self.kind == "scenario":
            for told in self._told(MOST_SAID)[::-1]:
                try:
                    self.simulated_s, self.fraction = float(told["simulated_s"]), float(told["fraction"])
                    return
                except (ValueError, KeyError, TypeError):
                    continue
            return
        for path in self.folder.iterdir():
            if path.name.endswith(".tr"):
                for line in _tail_of(path).splitlines()[:-1][::-1]:
                    try:
                        self.simulated_s = max(self.simulated_s, float(line.split()[1]))
                        break
                    except (ValueError, IndexError):
                        continue

    def _told(self, most: int) -> list[dict[str, Any]]:
        """The last lines of JSON that a scenario's process has printed, in this many bytes."""
        found = []
        for line in self._printed.tail(most).splitlines():
            try:
                told = json.loads(line)
            except ValueError:
                continue  # it is being written, or begins further up
            if isinstance(told, dict):
                found.append(told)
        return found

    def _end(self, why: str) -> None:
        self.failed = why
        if self._process is not None:
            kill(self._process)


def reason(status: int, said: str, limits: Limits) -> str:
    """Why a process ended, by its status other than 0 and what it wrote on its standard error."""
    # A process that watches another one passes on how that ended as shells do, as 128 and the signal, or in words.
    number = -status if status < 0 else status - 128
    ended_by = next((known.name for known in signal.Signals if known == number), None)
    last = (said.strip().splitlines() or [""])[-1]
    if ended_by in TIME_OUT or NO_TIME in last:
        return f"it took more than {limits.time_s} s of processor time, and was ended: {LESS}"
    if ended_by == LATE or last.endswith(NO_PATIENCE):
        return late(limits)
    if ended_by == TOO_MUCH or any(words in said.lower() for words in NO_ROOM):
        return f"it wrote more than {limits.output_bytes >> 20} MiB, and was ended: {LESS}"
    if any(words in said for words in NO_MEMORY):
        return f"it needed more than {limits.memory_bytes >> 20} MiB of memory: {LESS}"
    return last.removeprefix("ackclock: ") or f"it ended with status {status} and said nothing"


def late(limits: Limits) -> str:
    """That it took too long in real time."""
    return f"it took more than {limits.clock_s} s, and was ended: {LESS}"


class Output:
    """What a process writes: a new file, which is open as long as this object is there."""

    def __init__(self, path: Path) -> None:
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        weakref.finalize(self, os.close, self.descriptor)

    def content(self) -> bytes:
        """All of it."""
        return os.pread(self.descriptor, os.fstat(self.descriptor).st_size, 0)

    def tail(self, most: int = MOST_SAID) -> str:
        """Its last bytes, as far as they are text."""
        return _tail(self.descriptor, most)


def size(path: Path) -> int:
    """Bytes of a file, or of all files of a folder; 0 for what has gone."""
    try:
        if path.is_dir():
            return sum(entry.stat(follow_symlinks=False).st_size for entry in os.scandir(path) if entry.is_file())
        return path.lstat().st_size
    except OSError:
        return 0


def _tail(descriptor: int, most: int = MOST_SAID) -> str:
    start = max(0, os.fstat(descriptor).st_size - most)
    return os.pread(descriptor, most, start).decode("utf-8", "replace")


def _tail_of(path: Path) -> str:
    try:
        descriptor = open_regular(path)
    except OSError:
        return ""
    try:
        return _tail(descriptor)
    finally:
        os.close(descriptor)
