"""Holds a command to its limits from outside: a second process looks on, and ends it where it does not end itself.

A command looks at its own limits and stops in good order (`ackclock.execution.limits`). That fails where nothing in
it can look: while C code runs for minutes, while all memory goes at once, after a crash. So a command with limits
runs in a child process. Its parent, which does nothing else, ends it `GRACE_S` seconds after a limit, says why in one
line, and marks the files that it was writing. Linux only: elsewhere the command runs without a parent.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import sys
import time

from ackclock import _native
from ackclock._internal.escape import tell
from ackclock.execution.limits import Limits, memory_bytes

#: Seconds between a limit, or a signal, and the hard end.
GRACE_S = 2.0
#: Seconds between two looks.
EVERY_S = 0.05
#: Times its limit that a process may have of memory before it is ended at once, and that the system gives it at most.
MEMORY_FACTOR = 1.5
#: Seconds that a command has to react to a signal which also came from the terminal, before it is passed on.
PASS_ON_S = 0.3
#: Files of a command that are marked, at most.
MAX_FILES = 64

#: Signals that end a command.
_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))

#: What a crash means, by the signal.
_CRASHES = {
    "SIGSEGV": "it crashed (SIGSEGV): most often brackets or lists are nested too deep for the stack",
    "SIGBUS": "it crashed (SIGBUS): most often a file that it reads was cut short, or a disk is full",
    "SIGXCPU": "it took more processor time than the system allows",
    "SIGXFSZ": "it wrote more into a file than it may",
    "SIGKILL": "the system ended it (SIGKILL): most often the machine has no memory left",
}


def supervise(limits: Limits, name: str, *, marks_files: bool = False) -> int | None:
    """Split this process. None in the child, which is to run the command; in the parent, the exit status at its end.

    `name` stands in messages: the script or the scenario. With `marks_files` the files that the command has open get a
    last line `# incomplete: ...` when it is ended here or crashes. Call it before the process has other threads.
    """
    if not hasattr(signal, "sigtimedwait") or not os.path.isdir("/proc/self/fd"):
        return None
    _native.adopt_orphans()
    watched = {signal.SIGCHLD, *_ENDING}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _native.die_with_parent()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        cap_memory(limits)
        return None
    supervisor = _Supervisor(child, limits, name, marks_files)
    try:
        return supervisor.wait(watched)
    finally:
        supervisor.close()


def cap_memory(limits: Limits) -> None:
    """The system refuses this process more memory than `MEMORY_FACTOR` times its limit; it leaves no core file."""
    import resource

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limits.has_memory_limit:
            assert limits.memory_bytes is not None
            cap = int(MEMORY_FACTOR * limits.memory_bytes) + _data_bytes()
            _, hard = resource.getrlimit(resource.RLIMIT_DATA)
            _native.abort_silently_without_memory()
            resource.setrlimit(resource.RLIMIT_DATA, (cap if hard == resource.RLIM_INFINITY else min(cap, hard), hard))


def _data_bytes() -> int:
    """What this process has of the memory that RLIMIT_DATA counts."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")


class _Supervisor:
    """The parent's view of a command."""

    def __init__(self, child: int, limits: Limits, name: str, marks_files: bool) -> None:
        self.child, self.limits, self.name, self.marks_files = child, limits, name, marks_files
        self.began = time.monotonic()
        #: why the command is ended here, and when it has to have ended
        self.reason: str | None = None
        self.deadline = float("inf")
        #: when a signal is passed on
        self.pass_on: tuple[float, int] | None = None
        self.status: int | None = None
        #: the signal that this process got, and by which it seems to end
        self.ended_by: int | None = None
        #: descriptors of files that the command writes, by device and inode
        self.files: dict[tuple[int, int], int] = {}
        #: its standard input, output and error, which are not its own
        self.inherited = {_identity(os.fstat(number)) for number in range(3) if _is_open(number)}

    def wait(self, watched: set[signal.Signals]) -> int:
        """Look on until the command has ended; its exit status, or 1 with a message."""
        while self.status is None:
            told = signal.sigtimedwait(watched, EVERY_S)
            if told is not None and told.si_signo != signal.SIGCHLD:
                self._on_signal(told)
            self._reap()
            if self.status is None:
                self._look()
        self._end_all()
        return self._result()

    def _on_signal(self, told: signal.struct_siginfo) -> None:
        now = time.monotonic()
        if self.ended_by is None:
            self.ended_by = told.si_signo
            self.deadline = min(self.deadline, now + GRACE_S)
            # A terminal signals the command, too; a sender to the whole group may have.
            self.pass_on = (now if told.si_signo != signal.SIGINT else now + PASS_ON_S), told.si_signo
            if told.si_code > 0:
                self.pass_on = None

    def _look(self) -> None:
        """Limits and deadlines."""
        now, limits = time.monotonic(), self.limits
        if self.pass_on is not None and now >= self.pass_on[0]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.child, self.pass_on[1])
            self.pass_on = None
        if limits.wall_s is not None and now - self.began > limits.wall_s and self.reason is None:
            self.reason = f"it took more than {limits.wall_s:g} s of real time"
            self.deadline = min(self.deadline, self.began + limits.wall_s + GRACE_S)
        if limits.memory_bytes is not None:
            taken = sum(memory_bytes(pid) for pid in (self.child, *descendants(self.child)))
            if taken > limits.memory_bytes and self.reason is None:
                self.reason = f"it took {taken / 1e6:.0f} MB of memory, more than {limits.memory_bytes / 1e6:.0f} MB"
                self.deadline = min(self.deadline, now + GRACE_S)
            if taken > MEMORY_FACTOR * limits.memory_bytes:
                self.deadline = now
        if self.marks_files:
            self._look_at_files()
        if now >= self.deadline:
            self._end_all()
            self._reap(wait=True)

    def _look_at_files(self) -> None:
        """Open what the command writes, so that it can be marked when the command is gone."""
        try:
            numbers = os.listdir(f"/proc/{self.child}/fd")
        except OSError:
            return
        for number in numbers:
            link = f"/proc/{self.child}/fd/{number}"
            try:
                found = os.stat(link)
                key = _identity(found)
                if not stat.S_ISREG(found.st_mode) or key in self.files or key in self.inherited:
                    continue
                if len(self.files) < MAX_FILES and os.lstat(link).st_mode & 0o200:  # open for writing
                    self.files[key] = os.open(link, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
            except OSError:
                continue

    def _reap(self, *, wait: bool = False) -> None:
        """Take note of processes that have ended."""
        while True:
            try:
                pid, status = os.waitpid(self.child if wait else -1, 0 if wait else os.WNOHANG)
            except ChildProcessError:
                return
            if pid == self.child:
                self.status = status
            if pid == 0 or wait:
                return

    def _end_all(self) -> None:
        """End the command and every process that it has started."""
        for _ in range(1000):
            rest = descendants(os.getpid())
            if not rest:
                return
            for pid in rest:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._reap()
            time.sleep(0.001)

    def _result(self) -> int:
        assert self.status is not None
        code = os.waitstatus_to_exitcode(self.status)
        if code >= 0:
            return code
        if self.reason is None and self.ended_by is None:
            self.reason = self._crash(-code)
        if self.reason is not None:
            self._mark(self.reason)
            tell(f"{self.name}: stopped: {self.reason}")
            return 1
        tell(f"{self.name}: interrupted")
        self._mark("interrupted")
        assert self.ended_by is not None
        return 128 + self.ended_by

    def _crash(self, number: int) -> str:
        """Why the command ended by a signal that was not sent here."""
        if number == signal.SIGABRT:
            allowed = f"{self.limits.memory_bytes / 1e6:.0f} MB" if self.limits.memory_bytes else "the machine has"
            return f"it needed more memory than {allowed}, and was aborted (SIGABRT)"
        try:
            return _CRASHES[signal.Signals(number).name]
        except (KeyError, ValueError):  # a real-time signal has no name
            return f"it ended by signal {number}"

    def _mark(self, reason: str) -> None:
        """Say at the end of each file that it is incomplete."""
        line = f"# incomplete: the run was stopped: {reason}\n".encode()
        for file in self.files.values():
            with contextlib.suppress(OSError):  # a disk that is full
                size = os.fstat(file).st_size
                if size and os.fstat(file).st_nlink:
                    cut = os.pread(file, 1, size - 1) != b"\n"
                    os.write(file, b"\n" * cut + line)

    def close(self) -> None:
        """Let go of the files."""
        for file in self.files.values():
            os.close(file)


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def descendants(root: int) -> list[int]:
    """The processes below this one, those nearest first."""
    found: list[int] = []
    rest = [root]
    while rest:
        parent = rest.pop(0)
        try:
            threads = os.listdir(f"/proc/{parent}/task")
        except OSError:
            continue
        for thread in threads:
            try:
                with open(f"/proc/{parent}/task/{thread}/children", encoding="ascii") as file:
                    below = [int(word) for word in file.read().split()]
            except (OSError, ValueError):
                continue
            found += below
            rest += below
    return found
