"""Opening files that others may have put there: only regular files, and never by waiting for a FIFO."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: Open descriptors under names, on Linux and macOS.
_DESCRIPTORS = Path("/dev/fd")


def shown(path: str | os.PathLike[str]) -> str:
    """A file name as text. Bytes that are not UTF-8 become U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


def is_regular(path: str | os.PathLike[str]) -> bool:
    """Whether this is a regular file, or a symbolic link to one. Nothing is opened."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def open_regular(path: str | os.PathLike[str]) -> int:
    """A descriptor of a regular file, to read. The path must not end in a symbolic link.

    Raises `OSError` for anything else: FIFOs, sockets, devices, folders. The first look avoids opening a device, which
    can have effects of its own. The second look is at what was really opened.
    """
    if not stat.S_ISREG(os.stat(path, follow_symlinks=False).st_mode):
        raise _not_regular(path)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _not_regular(path)
    return descriptor


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[str]:
    """A name under which a regular file can be opened meanwhile, whatever happens to `path`.

    It is ASCII, so the extension module can open files whose own names are not UTF-8. Raises as `open_regular` does.
    """
    descriptor = open_regular(path)
    try:
        yield f"{_DESCRIPTORS}/{descriptor}" if _DESCRIPTORS.is_dir() else os.fspath(path)
    finally:
        os.close(descriptor)


def read_regular(path: str | os.PathLike[str], most_bytes: int) -> bytes:
    """What is in a regular file. Raises as `open_regular` does, and `OSError` for a file of more than `most_bytes`."""
    with os.fdopen(open_regular(path), "rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), os.fspath(path))
    return content


def _not_regular(path: str | os.PathLike[str]) -> OSError:
    return OSError(errno.EINVAL, "not a regular file", os.fspath(path))
