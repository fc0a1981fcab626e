"""A process's folder for temporary files, and the removal of those that dead processes left.

Each folder holds a file that its process keeps locked (flock). The system releases the lock when the process dies,
however that happens, so a folder whose lock can be taken belongs to nobody.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path

from ackclock._internal import file_locks

#: What the folders' names begin with.
PREFIX = "ackclock-runs-"
LOCK = "lock"
#: An empty folder this old lost its process before the lock was made, s.
EMPTY_S = 60.0


class Scratch:
    """A temporary folder of this process, which goes when it is closed. Only this user can read it."""

    def __init__(self) -> None:
        self.folder, lock = _locked_folder()
        # Also when nobody closes it: at the end of the process, at the latest.
        self._finalizer = weakref.finalize(self, _remove, self.folder, lock)

    def __enter__(self) -> Path:
        return self.folder

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the folder with all that is in it."""
        self._finalizer()


def _remove(folder: Path, lock: int | None) -> None:
    if lock is not None and sys.platform == "win32":
        os.close(lock)  # a folder with an open file cannot be removed there
        lock = None
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        os.close(lock)


def _locked_folder() -> tuple[Path, int | None]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            file_locks.lock(lock, wait=False)
        except BlockingIOError:
            # Another process took it for a dead one's and removes it now.
            os.close(lock)
            continue
        except OSError:
            # This file system has no locks. Without the file nobody takes the folder for a dead process's.
            os.close(lock)
            (folder / LOCK).unlink()
            return folder, None
        if (folder / LOCK).is_file():
            return folder, lock
        os.close(lock)


def remove_left() -> int:
    """Remove the folders of this user's processes that are gone; how many those were."""
    count = 0
    if sys.platform == "win32":
        # Who owns a folder cannot be told there. The system empties its temporary folder itself.
        return count
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX):
                with suppress(OSError):
                    count += _remove_if_left(entry)
    return count


def _remove_if_left(entry: os.DirEntry[str]) -> bool:
    found = entry.stat(follow_symlinks=False)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        return False
    try:
        lock = os.open(os.path.join(entry.path, LOCK), os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        # Its server may be about to make the lock. `rmdir` leaves a folder that is not empty.
        if time.time() - found.st_mtime > EMPTY_S:
            os.rmdir(entry.path)
            return True
        return False
    try:
        if not stat.S_ISREG(os.fstat(lock).st_mode):
            return False
        file_locks.lock(lock, wait=False)
        shutil.rmtree(entry.path, ignore_errors=True)
        return True
    finally:
        os.close(lock)
