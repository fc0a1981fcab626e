"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[str]:
    """A name beside `path` to write to; the file gets its own when the block ends, and is removed when that fails.

    What a killed process leaves has the other name: `.NAME.PID.part`. A device or a pipe is written to as it is. Raises
    `OSError` when the file cannot be written, with its own name.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        yield target
        return
    folder, name = os.path.split(target)
    part = os.path.join(folder, f".{name}.{os.getpid()}.part")
    try:
        yield part
        os.replace(part, target)
    except BaseException as error:
        with suppress(OSError):
            os.remove(part)
        if isinstance(error, OSError) and error.filename == part:
            error.filename = os.fspath(path)
            del error.filename2  # None would be shown
        raise
