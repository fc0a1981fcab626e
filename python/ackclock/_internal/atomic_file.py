"""Files and folders that are there whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[str]:
    """A name beside `path` to write to; the file gets its own when the block ends, and is removed when that fails.

    What a killed process leaves has the other name, `temporary_path`; the next call for the same file removes it. A
    device or a pipe is written to as it is. Raises `OSError` when the file cannot be written, with its own name.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        yield target
        return
    remove_left_of(target)
    part = temporary_path(target)
    try:
        yield part
        os.replace(part, target)
    except BaseException as error:
        with suppress(OSError):
            os.remove(part)
        # A failed write names no file, a failed open the other name.
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, part):
            error.filename = os.fspath(path)
            del error.filename2  # None would be shown
        raise


def temporary_path(path: str | os.PathLike[str]) -> str:
    """The name under which something is written before it takes its own: `.NAME.HOST.PID.RANDOM.part`."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.{_host()}.{os.getpid()}.{os.urandom(4).hex()}.part")


def remove_left_of(path: str | os.PathLike[str]) -> None:
    """Remove what killed processes of this machine left of a file or folder. What cannot be removed stays."""
    folder, name = os.path.split(path)
    with suppress(OSError), os.scandir(folder or ".") as there:
        remove_left([entry.path for entry in there if entry.name.startswith(f".{name}.")])


def remove_left(parts: Iterable[str | os.PathLike[str]]) -> None:
    """Remove those of these names, of `temporary_path`, whose processes were of this machine and are gone."""
    if os.name != "posix":
        return  # elsewhere signal 0 is not a question but ends the process
    for part in parts:
        if f".{_host()}." not in os.path.basename(part):
            continue
        words = os.path.basename(part).split(".")
        if words[-1] != "part" or not words[-3].isdecimal():
            continue
        try:
            os.kill(int(words[-3]), 0)
        except ProcessLookupError:
            _remove(part)
        except (PermissionError, OverflowError):
            pass  # alive, and another user's; or no process's number


def _host() -> str:
    return os.uname().nodename if os.name == "posix" else os.environ.get("COMPUTERNAME", "")


def _remove(part: str | os.PathLike[str]) -> None:
    if os.path.isdir(part) and not os.path.islink(part):
        from shutil import rmtree

        rmtree(part, ignore_errors=True)
    else:
        with suppress(OSError):
            os.remove(part)
