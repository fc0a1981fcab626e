"""Standard output and standard error of a command: what they cannot show is escaped, and a failure names them."""

from __future__ import annotations

import codecs
import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What a failed write to standard output names.
OUTPUT = "standard output"


def open_closed() -> None:
    """Put something in the place of standard streams that were closed (`>&-`).

    Otherwise the next file that is opened would be standard output, and receive what is printed. A write fails with
    EBADF, as it does in other programs.
    """
    while (descriptor := os.open(os.devnull, os.O_RDONLY)) <= 2:
        pass
    os.close(descriptor)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def prepare() -> None:
    """Let any text be written to both, in any locale: what the encoding does not have is escaped."""
    codecs.register_error("ackclock.escape", _escape)
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="ackclock.escape")
    if isinstance(sys.stdout, io.TextIOWrapper):
        raw = _Output(sys.stdout.fileno(), "w", closefd=False)
        sys.stdout = _text(raw, sys.stdout)


def flush() -> None:
    """Write out what was printed. `OSError` that names standard output, also for a failure that nobody has reported."""
    sys.stdout.flush()
    raw = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer) if isinstance(sys.stdout, io.TextIOWrapper) else None
    if isinstance(raw, _Output) and raw.failure is not None:
        raise raw.failure


def discard_output() -> None:
    """Let what is still to be written go nowhere: the reader of the output has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def is_utf8() -> bool:
    """Whether standard output takes every character."""
    return codecs.lookup(sys.stdout.encoding or "ascii").name == "utf-8"


def _text(raw: _Output, like: io.TextIOWrapper) -> io.TextIOWrapper:
    """A stream to `raw` with another's encoding and buffering (`python -u` has no buffer)."""
    return io.TextIOWrapper(
        raw if like.write_through else io.BufferedWriter(raw),
        encoding=like.encoding,
        errors="ackclock.escape",
        line_buffering=like.line_buffering,
        write_through=like.write_through,
    )


class _Output(io.FileIO):
    """Standard output. Its first failure is an `OSError` that names it; what comes after that goes nowhere."""

    failure: OSError | None = None

    def write(self, data: Any) -> int:
        if self.failure is not None:
            return len(data)
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            raise
        except OSError as error:
            error.filename = OUTPUT
            self.failure = error
            raise


def _escape(error: UnicodeError) -> tuple[str, int]:
    """A codec's error handler (`codecs.register_error`)."""
    from ackclock._internal.escape import escape

    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(escape, error.object[error.start : error.end])), error.end
