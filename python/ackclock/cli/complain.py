"""What went wrong, said on standard error."""

from __future__ import annotations

import sys
from pathlib import Path


def complain(error: Exception) -> None:
    """Say it in a line: a file that could not be used comes first, behind one that is not there the nearest that is.

    That nobody reads the output any more is nothing to complain of: `BrokenPipeError` goes on to who ends the program.
    """
    if isinstance(error, BrokenPipeError):
        raise error
    print(f"ackclock: {_told(error)}", file=sys.stderr)


def _told(error: Exception) -> str:
    # Those that we raise ourselves have a whole sentence and no name.
    if not isinstance(error, OSError) or error.filename is None or error.strerror is None:
        return str(error)
    name = str(error.filename)
    told = f"{name}: {error.strerror}"
    if isinstance(error, FileNotFoundError):
        from ackclock.scenario.errors import nearest

        path = Path(name)
        if not path.parent.is_dir():
            return f"{told} (there is no folder {path.parent})"
        # By their stems: what all names of a kind end with makes none of them likely.
        near = nearest(path.stem, sorted(other.stem for other in path.parent.glob(f"*{path.suffix}")))
        if near is not None:
            return f"{told}; nearest there: {path.with_name(near + path.suffix)}"
    return told
