"""What ns-2's C++ code prints.

It goes through C's standard output, which Tcl's `puts` does not: C writes whole blocks when its buffer is full and the
rest at the end, where Tcl writes each line at once. So a script sees its own lines first.
"""

from __future__ import annotations

import os

from ackclock.ns2.otcl.channels import duplicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock._native import Channel
    from ackclock.ns2.otcl.interp import Interpreter

#: Standard output.
_FD = 1


class Stdio:
    """C's standard output, of one script."""

    def __init__(self, interp: Interpreter) -> None:
        self._interp = interp
        self._channel: Channel | None = None

    @property
    def channel(self) -> Channel:
        """The engine's channel."""
        if self._channel is None:
            # A terminal gets each line at once, anything else what glibc takes for a good block.
            block = 1 if os.isatty(_FD) else os.fstat(_FD).st_blksize
            self._channel = self._interp.engine.open_channel(duplicate(_FD), block)
            self._interp.at_exit.append(self.close)
        return self._channel

    def print(self, line: str) -> None:
        """Print a line."""
        self.write(f"{line}\n")

    def write(self, text: str) -> None:
        """Print text."""
        if text:
            self.channel.write(text.encode("utf-8", "surrogateescape"))

    def close(self) -> None:
        """The program ends."""
        if self._channel is not None:
            self._channel.close()


def stdio(interp: Interpreter) -> Stdio:
    """The C standard output of a script, made when it is first used."""
    if interp.stdio is None:
        interp.stdio = Stdio(interp)
    return interp.stdio
