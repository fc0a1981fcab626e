"""The file behind a Tcl channel. Tcl's messages name the channel: `error writing "file5": no space left on device`."""

from __future__ import annotations

import os


def relative(path: str | bytes) -> str:
    """A path as the script may have given it: the system has it absolute."""
    return os.fsdecode(path).removeprefix(os.path.join(os.getcwd(), ""))


def file_first(message: str) -> str:
    """Python's text of an `OSError`, `[Errno 28] No space left on device: '/tmp/out.tr'`, as `out.tr: No space ...`.

    Other messages as they are.
    """
    if not (message.startswith("[Errno ") and message.endswith("'")):
        return message
    what, _, path = message.partition("] ")[2].partition(": '")
    return f"{relative(path[:-1])}: {what}"


def path_of(channel: str) -> str:
    """The file of an open channel `fileN`; "" where the system does not tell (Linux does).

    Tcl names a channel to a file after its descriptor.
    """
    number = channel.removeprefix("file")
    if number == channel or not number.isdecimal():
        return ""
    try:
        path = os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return ""
    return relative(path) if path.startswith("/") else ""


def file_of(message: str) -> str:
    """The file that one of Tcl's messages is about; "" for others."""
    words = message.split('"', 2)
    is_of_channel = len(words) == 3 and words[0] in ("error writing ", "error flushing ", "error reading ")
    return path_of(words[1]) if is_of_channel else ""
