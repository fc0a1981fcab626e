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

    from ackclock._native import Channel
    from ackclock.ns2.otcl.interp import Interpreter

    class Sink(Protocol):
        """The part of the engine that opens files."""

        def open_channel(self, fd: int, block: int | None = None, begun: int = 0) -> Channel:
            """Take this descriptor over; a channel that writes to it."""


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
        self._open: dict[str, Channel] = {}
        interp.command("::otcl::transform", self._transform)
        interp.command("::otcl::flush_engine", self.flush)
        interp.at_flush.append(self.flush_all)
        interp.before_program.append(self.settle)

    def attach(self, name: str) -> Channel:
        """The engine's side of a Tcl channel; the script goes on writing to it as before."""
        channel = self._open.get(name)
        if channel is not None:
            return channel
        tail = name.removeprefix("file")
        fd = _STANDARD.get(name, int(tail) if tail.isdigit() and tail != name else -1)
        if fd < 0 or not self._is_open(name, fd):
            raise NsError(f'can not find channel named "{name}"')
        if not self._open:
            self.interp.eval("::otcl::watch_flush")
        begun = int(self.interp.call("::otcl::settle_channel", name))
        channel = self.sink.open_channel(duplicate(fd), begun=begun)
        self._open[name] = channel
        self.interp.call("::otcl::transform_channel", name)
        return channel

    def _is_open(self, name: str, fd: int) -> bool:
        """Whether the script has this channel open, with this descriptor."""
        safe_filter = self.interp.safe_filter
        if safe_filter is not None and name not in _STANDARD:
            # Tcl's own answer may be the script's by now (`proc file args {return file9}`).
            return safe_filter.has_opened(name, fd)
        return name in self.interp.split(self.interp.call("::tcl::chan::names"))

    def flush(self, name: str) -> None:
        """What the engine has buffered for this channel goes to its file."""
        channel = self._open.get(name)
        if channel is not None:
            channel.flush()

    def flush_all(self) -> None:
        """The same for all channels."""
        for channel in list(self._open.values()):
            channel.flush()

    def end_with(self, line: str) -> None:
        """The last line of every file that the engine writes to; one on a disk that is full does without."""
        for name, channel in self._open.items():
            if name not in _STANDARD:
                try:
                    channel.write(line.encode())
                except OSError:
                    continue

    def settle(self) -> None:
        """Another program is about to read the files: what ns-2 has written by now is there, and no more."""
        for name, channel in list(self._open.items()):
            channel.flush(in_blocks=name not in _STANDARD)

    def _transform(self, name: str, step: str, _handle: str, *args: str) -> object:
        if step == "initialize":
            return ("initialize", "finalize", "write", "clear")
        if step == "write":
            self._open[name].write(args[0].encode("latin-1"))
        elif step == "finalize":
            channel = self._open.pop(name, None)
            if channel is not None:
                channel.close()
        return ""
