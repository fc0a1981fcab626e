"""A run in a process of its own, with limits on time, memory and what it writes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ackclock.server.errors import Refusal

#: How often a run is looked at, s.
EVERY_S = 0.1
#: How long a request waits for whether its scenario can be simulated, s.
PATIENCE_S = 10.0
#: The end of what a run says on its standard error that is passed on, characters.
MOST_SAID = 4000
#: What Python, Tcl and Rust say when there is no more memory.
NO_MEMORY = ("MemoryError", "out of memory", "unable to alloc", "unable to realloc", "memory allocation of")
LESS = "simulate or trace less, or run it with ackclock itself"
#: Processor time's limit is told by this signal, a file's by the other.
TIME_OUT, TOO_MUCH = -signal.SIGXCPU, -signal.SIGXFSZ


@dataclass(frozen=True)
class Limits:
    """What a run may take."""

    #: Processor time, s.
    time_s: int = 60
    memory_bytes: int = 2 << 30
    #: All files together, and each.
    output_bytes: int = 1 << 30

    @property
    def clock_s(self) -> int:
        """How long it may take by the clock, s: other programs want the processor, too."""
        return 30 + 4 * self.time_s


class Run:
    """A run under way, or over."""

    def __init__(
        self, id: str, kind: str, folder: Path, limits: Limits, arguments: Sequence[str] = (), name: str = ""
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
        self._cancelled = False
        self._began = time.monotonic()
        line = [sys.executable, "-m", "ackclock.server.child", kind, json.dumps(asdict(limits)), *arguments]
        with (folder / "stderr").open("wb") as said, (folder / "stdout").open("wb") as printed:
            self._process = subprocess.Popen(
                line, cwd=folder, stdin=subprocess.DEVNULL, stdout=printed, stderr=said, start_new_session=True
            )

    def check(self) -> None:
        """Wait a moment for whether a scenario can be simulated. `Refusal` if not."""
        until = time.monotonic() + PATIENCE_S
        while self.kind == "scenario" and time.monotonic() < until and self._process.poll() is None:
            if (self.folder / "stdout").stat().st_size:
                break
            time.sleep(0.02)
        for line in _tail(self.folder / "stdout").splitlines() if self.kind == "scenario" else ():
            if '"error"' in line:
                told = json.loads(line)
                raise Refusal(422, told["error"], told["key"])

    def watch(self) -> None:
        """Follow it to its end."""
        while self._process.poll() is None:
            self._look()
            if time.monotonic() - self._began > self.limits.clock_s:
                self._end(f"it took more than {self.limits.clock_s} s, and was ended: {LESS}")
            elif self.written() > self.limits.output_bytes:
                self._end(f"it wrote more than {self.limits.output_bytes >> 20} MiB, and was ended")
            time.sleep(EVERY_S)
        self._look()

    def why(self) -> str:
        """What it ended by, in words; "" for a good end."""
        if self._cancelled:
            return "cancelled"
        status = self._process.returncode
        if self.failed or status == 0:
            return self.failed or ""
        if status in (TIME_OUT, -signal.SIGKILL):
            return f"it took more than {self.limits.time_s} s of processor time, and was ended: {LESS}"
        said = self.said()
        if status == TOO_MUCH or "file too large" in said.lower():  # Python and Tcl write it with other letters
            return f"it wrote more than {self.limits.output_bytes >> 20} MiB, and was ended: {LESS}"
        if any(words in said for words in NO_MEMORY):
            return f"it needed more than {self.limits.memory_bytes >> 20} MiB of memory: {LESS}"
        lines = said.strip().splitlines()
        return lines[-1].removeprefix("ackclock: ") if lines else f"it ended with status {status} and said nothing"

    @property
    def is_running(self) -> bool:
        """Whether its process is there."""
        return self._process.poll() is None

    def cancel(self) -> None:
        """End it."""
        if self.is_running:
            self._cancelled = True
            self._kill()

    def said(self) -> str:
        """The end of its standard error."""
        return _tail(self.folder / "stderr")

    def printed(self) -> str:
        """The end of a script's standard output."""
        return _tail(self.folder / "stdout") if self.kind != "scenario" else ""

    def written(self) -> int:
        """Bytes of its files."""
        return sum(size(Path(root) / name) for root, _, names in os.walk(self.folder) for name in names)

    def _look(self) -> None:
        """How far it has come: a scenario says so, a script's trace does."""
        if self.kind == "scenario":
            for line in _tail(self.folder / "stdout").splitlines()[::-1]:
                try:
                    told = json.loads(line)
                    self.simulated_s, self.fraction = float(told["simulated_s"]), float(told["fraction"])
                    return
                except (ValueError, KeyError, TypeError):
                    continue  # a line that is being written
            return
        for path in self.folder.iterdir():
            if path.name.endswith(".tr"):
                for line in _tail(path).splitlines()[:-1][::-1]:
                    try:
                        self.simulated_s = max(self.simulated_s, float(line.split()[1]))
                        break
                    except (ValueError, IndexError):
                        continue

    def _end(self, why: str) -> None:
        self.failed = why
        self._kill()

    def _kill(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def size(path: Path) -> int:
    """Bytes of a file, or of all files of a folder; 0 for what has gone."""
    try:
        if path.is_dir():
            return sum(entry.stat().st_size for entry in os.scandir(path) if entry.is_file())
        return path.stat().st_size
    except OSError:
        return 0


def _tail(path: Path) -> str:
    """The end of a file, as far as it is text."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - MOST_SAID))
            return file.read(MOST_SAID).decode("utf-8", "replace")
    except OSError:
        return ""
