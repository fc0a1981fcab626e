"""The processes that the server starts: one budget for all of them, and what each of them gets."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ackclock.server.errors import Refusal

#: So many processes run at a time, whatever they are for.
MOST_AT_ONCE = 4
#: So many requests that are no runs of the page wait for their turn, and each so long, s. More are refused.
MOST_WAITING = 8
PATIENCE_S = 3.0
#: Between two looks at whether it is one's turn, s.
EVERY_S = 0.05


@dataclass(frozen=True)
class Limits:
    """What a process may take."""

    #: Processor time, s.
    time_s: int = 60
    memory_bytes: int = 2 << 30
    #: All files together, and each.
    output_bytes: int = 1 << 30

    @property
    def clock_s(self) -> int:
        """How long it may take in real time, s: other programs use the processor, too."""
        return 30 + 4 * self.time_s


class Workers:
    """The processes of a server. They end when it ends."""

    def __init__(self, most: int = MOST_AT_ONCE) -> None:
        self.most = most
        self._processes: list[subprocess.Popen[bytes]] = []
        self._waiting = 0
        #: whether the server is ending
        self.is_closed = False
        self._lock = threading.Lock()
        # Linux kills a child when the *thread* that started it ends (PR_SET_PDEATHSIG in prctl(2)). Threads that answer
        # requests come and go, so one thread starts them all and stays.
        self._starter = ThreadPoolExecutor(1, "starts processes")

    def start(
        self,
        kind: str,
        folder: Path,
        limits: Limits,
        arguments: Sequence[str],
        *,
        printed: int,
        said: int,
        waits: Callable[[], bool] | None = None,
        started: Callable[[subprocess.Popen[bytes]], None] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start `ackclock.server.worker` in a folder. `printed` and `said` are descriptors for what it writes.

        Where `most` processes run already it waits: with `waits` as long as that says so, else for a moment. `started`
        is called with the process before anybody can see in `is_full` that it counts. Raises
        `Refusal` when none of them ends meanwhile (429), when too many wait already (503), and when the system cannot
        start another (503).
        """
        given = json.dumps({**asdict(limits), "clock_s": limits.clock_s, "parent": os.getpid()})
        line = [sys.executable, "-I", "-m", "ackclock.server.worker", kind, given, *arguments]
        until = time.monotonic() + PATIENCE_S
        counted = int(waits is None)
        with self._lock:
            if counted and self._waiting >= MOST_WAITING:
                raise Refusal(503, f"{MOST_WAITING} requests wait for a run to end: try again later")
            self._waiting += counted
        try:
            while True:
                with self._lock:
                    if self.is_closed:
                        raise Refusal(503, "the server is ending")
                    self._processes = [one for one in self._processes if one.poll() is None]
                    if len(self._processes) < self.most:
                        process = self._starter.submit(_started, line, folder, printed, said).result()
                        self._processes.append(process)
                        if started is not None:
                            started(process)
                        return process
                if not waits() if waits else time.monotonic() > until:
                    raise Refusal(429, f"{self.most} runs are under way: wait for one, or cancel it")
                time.sleep(EVERY_S)
        finally:
            with self._lock:
                self._waiting -= counted

    @property
    def is_full(self) -> bool:
        """Whether as many processes run as may."""
        with self._lock:
            return sum(one.poll() is None for one in self._processes) >= self.most

    def close(self) -> None:
        """End all, and start none any more."""
        with self._lock:
            self.is_closed = True
            for process in self._processes:
                kill(process)
            self._processes = []


def _started(line: Sequence[str], folder: Path, printed: int, said: int) -> subprocess.Popen[bytes]:
    # Neither secrets of the environment nor places that modules and libraries could come from: a script may write into
    # its folder, and what is there must not be loaded.
    environment = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOME": os.fspath(folder)}
    try:
        return subprocess.Popen(
            line,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=said,
            close_fds=True,
            start_new_session=True,
        )
    except OSError as error:
        raise Refusal(503, f"no process could be started: {error.strerror or error}") from None


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process, and those that it started."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
