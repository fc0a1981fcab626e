"""Files that the script and the engine write to together.

A Tcl channel named fileN is file descriptor N. The engine writes a trace to a duplicate of it, from its own buffer.
When a channel is first given to the engine, a transform is pushed onto the script's side of it, so that what the
script writes there goes through the same buffer and every line falls where ns-2 would have put it. Channels that
the engine never sees are Tcl's own, at Tcl's own speed.
"""

from __future__ import annotations

import os
import sys

from ackclock.ns2.bindings.tcl_object import NsError

if sys.platform != "win32":
    import fcntl  # here: once a script is confined, no module can be read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from ackclock.ns2.otcl.interp import Interpreter

    class Sink(Protocol):
        """The part of the engine that writes to files."""

        def open_channel(self, fd: int, block: int | None = None, begun: int = 0) -> int:
            """Take this descriptor over and write to it; the channel's number."""

        def channel_write(self, channel: int, data: bytes) -> None:
            """Append to the channel."""

        def channel_flush(self, channel: int, in_blocks: bool = False) -> None:
            """Hand what is buffered to the system, or only what Tcl would have handed over by now."""

        def channel_close(self, channel: int) -> None:
            """Flush, and write no more."""


_STANDARD = {"stdout": 1, "stderr": 2}


#: scripts rarely have so many files
_HIGH_FD = 512


def duplicate(fd: int) -> int:
    """A second descriptor of a file, with a high number: the script's files are to have ns-2's numbers."""
    if sys.platform == "win32":
        return os.dup(fd)
    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _HIGH_FD)
    except OSError:
        return os.dup(fd)


class Channels:
    """The channels of one script that the engine writes to."""

    def __init__(self, interp: Interpreter, sink: Sink) -> None:
        self.interp = interp
        self.sink = sink
        self._numbers: dict[str, int] = {}
        interp.command("::otcl::transform", self._transform)
        interp.command("::otcl::flush_engine", self.flush)
        interp.at_flush.append(self.flush_all)
        interp.before_program.append(self.settle)

    def attach(self, name: str) -> int:
        """The engine's number of a Tcl channel; the script goes on writing to it as before."""
        number = self._numbers.get(name)
        if number is not None:
            return number
        tail = name.removeprefix("file")
        fd = _STANDARD.get(name, int(tail) if tail.isdigit() and tail != name else -1)
        if fd < 0 or not self._is_open(name, fd):
            raise NsError(f'can not find channel named "{name}"')
        if not self._numbers:
            self.interp.eval("::otcl::watch_flush")
        begun = int(self.interp.call("::otcl::settle_channel", name))
        number = self.sink.open_channel(duplicate(fd), begun=begun)
        self._numbers[name] = number
        self.interp.call("::otcl::transform_channel", name)
        return number

    def _is_open(self, name: str, fd: int) -> bool:
        """Whether the script has this channel open, with this descriptor."""
        safe_filter = self.interp.safe_filter
        if safe_filter is not None and name not in _STANDARD:
            # Tcl's own answer may be the script's by now (`proc file args {return file9}`).
            return safe_filter.has_opened(name, fd)
        return name in self.interp.split(self.interp.call("::tcl::chan::names"))

    def flush(self, name: str) -> None:
        """What the engine has buffered for this channel goes to its file."""
        number = self._numbers.get(name)
        if number is not None:
            self.sink.channel_flush(number)

    def flush_all(self) -> None:
        """The same for all channels."""
        for number in list(self._numbers.values()):
            self.sink.channel_flush(number)

    def end_with(self, line: str) -> None:
        """The last line of every file that the engine writes to; one on a disk that is full does without."""
        for name, number in self._numbers.items():
            if name not in _STANDARD:
                try:
                    self.sink.channel_write(number, line.encode())
                except OSError:
                    continue

    def settle(self) -> None:
        """Another program is about to read the files: what ns-2 has written by now is there, and no more."""
        for name, number in list(self._numbers.items()):
            self.sink.channel_flush(number, in_blocks=name not in _STANDARD)

    def _transform(self, name: str, step: str, _handle: str, *args: str) -> object:
        if step == "initialize":
            return ("initialize", "finalize", "write", "clear")
        if step == "write":
            self.sink.channel_write(self._numbers[name], args[0].encode("latin-1"))
        elif step == "finalize":
            number = self._numbers.pop(name, None)
            if number is not None:
                self.sink.channel_close(number)
        return ""
