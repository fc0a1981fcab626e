"""What a command prints: messages on standard error, tables on standard output. Nothing in them is hidden."""

from __future__ import annotations

import os
from pathlib import Path

from ackclock._internal.escape import escaped, escaped_json, tell
from ackclock.cli.streams import OUTPUT, is_utf8


def print_error(error: Exception) -> None:
    """Say it in a line: a file that could not be used comes first, behind one that is not there the nearest that is.

    A failure of standard output goes on to who ends the program: no message is due where the reader has gone
    (`BrokenPipeError`), and for every other one the rest of the output must be discarded.
    """
    if isinstance(error, BrokenPipeError) or (isinstance(error, OSError) and error.filename == OUTPUT):
        raise error
    tell(_told(error), is_error=True)


def show(text: object) -> None:
    """Print a text on standard output, with what is hidden in it escaped."""
    print(escaped(text, lines=True))


def show_json(value: object) -> None:
    """Print a value as JSON on one line; what is hidden in it, or cannot be written here, as JSON escapes."""
    import json

    print(escaped_json(json.dumps(value, ensure_ascii=not is_utf8())))


def _told(error: Exception) -> str:
    # Those that we raise ourselves have a whole sentence and no name.
    if not isinstance(error, OSError) or error.filename is None or error.strerror is None:
        return str(error)
    name = os.fsdecode(error.filename) if isinstance(error.filename, bytes) else str(error.filename)
    told = f"{escaped(name)}: {error.strerror}"
    if isinstance(error, FileNotFoundError):
        from ackclock.scenario.errors import nearest

        path = Path(name)
        if not path.parent.is_dir():
            return f"{told} (there is no folder {escaped(path.parent)})"
        # By their stems: what all names of a kind end with makes none of them likely.
        near = nearest(path.stem, sorted(other.stem for other in path.parent.glob(f"*{path.suffix}")))
        if near is not None:
            return f"{told}; nearest there: {escaped(path.with_name(near + path.suffix))}"
    return told
