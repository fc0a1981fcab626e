"""Which network namespaces and programs belong to an emulation, also after it was killed.

`/run/ackclock-emulate` holds a file for each emulation, which lists its namespaces. The emulation keeps a lock on its
file (flock(2)). The kernel releases the lock when the process ends, however it ends. The next emulation finds the file
unlocked, ends the programs and removes the namespaces that are listed there, and no others.

A program of an emulation has the emulation's token in its environment, and so have the processes that it starts.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

#: One file for each emulation that runs, or was killed.
FOLDER = Path("/run/ackclock-emulate")
#: Where `ip netns` keeps namespaces by name (ip-netns(8)).
NAMESPACES = Path("/run/netns")
#: The environment variable that holds the emulation's token.
TOKEN_VARIABLE = "ACKCLOCK_EMULATION"
#: Seconds between SIGTERM and SIGKILL.
GRACE_S = 2.0
_POLL_S = 0.02


class NamespaceError(OSError):
    """A namespace or its device cannot be made here; the message says what is missing."""


def ip(*words: str) -> None:
    """Run iproute2's `ip`. `NamespaceError` with its message if it fails."""
    # In a session of its own: Ctrl-C in the terminal must not end it half-way.
    done = subprocess.run(["ip", *words], capture_output=True, text=True, errors="replace", start_new_session=True)
    if done.returncode != 0:
        raise NamespaceError(f"ip {' '.join(words)}: {done.stderr.strip() or f'exit status {done.returncode}'}")


class Registration:
    """The namespaces and programs of one emulation: `with Registration() as mine: mine.add("ackclock-left1")`.

    At the end the programs are ended and the namespaces removed. At the beginning the same is done for every emulation
    whose process is gone. `NamespaceError` where the folder cannot be made or a namespace cannot be added.
    """

    def __init__(self) -> None:
        #: names the emulation in the environment of its programs
        self.token = secrets.token_hex(16)
        self._path = FOLDER / self.token
        self._file = -1

    def __enter__(self) -> Registration:
        try:
            with _exclusively():
                _remove_abandoned()
                self._file = os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.__exit__(None, None, None)
            raise NamespaceError(error.errno, f"{error.filename or FOLDER}: {error.strerror}") from None
        return self

    def add(self, name: str) -> None:
        """Make a network namespace. `NamespaceError` if it exists or cannot be made."""
        with _exclusively():
            if os.path.lexists(NAMESPACES / name):
                raise NamespaceError(
                    f"the network namespace {name} exists: another emulation uses it, or another program made it"
                    f" (`ip netns delete {name}` removes it)"
                )
            # Listed before it is made: a kill in between leaves a name without a namespace, not the reverse.
            self._list(name, None)
            ip("netns", "add", name)
            self._list(name, _inode(name))

    def _list(self, name: str, inode: int | None) -> None:
        os.write(self._file, f"{json.dumps([name, inode])}\n".encode())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file < 0:
            return
        _remove(self._path)
        os.close(self._file)
        self._file = -1


@contextmanager
def _exclusively() -> Iterator[None]:
    """Only one process at a time looks at the folder or changes it."""
    FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(FOLDER / ".lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _remove_abandoned() -> None:
    """Clean up after emulations that were killed."""
    for path in FOLDER.iterdir():
        if path.name == ".lock":
            continue
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue  # it runs
        else:
            _remove(path)
        finally:
            os.close(file)


def _remove(path: Path) -> None:
    """End the programs of an emulation, remove its namespaces and its file."""
    end_programs(path.name)
    listed: dict[str, int | None] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        with suppress(ValueError):  # a line that was cut short by a kill
            name, inode = json.loads(line)
            listed[name] = inode
    for name, inode in listed.items():
        # Somebody else may have made one of the same name since.
        if inode is None or _inode(name) == inode:
            with suppress(NamespaceError):
                ip("netns", "delete", name)
    path.unlink(missing_ok=True)


def _inode(name: str) -> int | None:
    """What tells a namespace from later ones of the same name (namespaces(7)); None where there is none."""
    try:
        return (NAMESPACES / name).stat().st_ino
    except OSError:
        return None


def end_programs(token: str) -> None:
    """End all processes that have this token in their environment: SIGTERM, and SIGKILL after `GRACE_S`."""
    for number, wait_s in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, GRACE_S)):
        until = time.monotonic() + wait_s
        signalled: set[int] = set()
        while (running := _processes(token)) and time.monotonic() < until:
            for process in running - signalled:
                _signal(process, token, number)
            signalled |= running
            time.sleep(_POLL_S)
        if not running:
            return


def _processes(token: str) -> set[int]:
    numbers = (int(entry) for entry in os.listdir("/proc") if entry.isdecimal())
    return {number for number in numbers if _has_token(number, token)}


def _has_token(process: int, token: str) -> bool:
    try:
        environment = Path(f"/proc/{process}/environ").read_bytes()  # empty for a process that has ended
    except OSError:
        return False
    return f"{TOKEN_VARIABLE}={token}".encode() in environment.split(b"\0")


def _signal(process: int, token: str, number: signal.Signals) -> None:
    """Send a signal, but not to another process that has got the same number by now."""
    with suppress(OSError):
        descriptor = os.pidfd_open(process)
        try:
            if _has_token(process, token):
                signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)
