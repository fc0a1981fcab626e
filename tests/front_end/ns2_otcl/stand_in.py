"""Run one script with a few library classes that have variables and no engine."""

from __future__ import annotations

import os
import sys

from ackclock._native import Channel
from ackclock.ns2 import main
from ackclock.ns2.bindings.tcl_object import TclObject, method, ns2_class
from ackclock.ns2.otcl.channels import Channels
from ackclock.ns2.otcl.interp import Interpreter


class Buffer:
    """The engine's side of a shared file: bytes are kept until they are flushed."""

    def __init__(self, fd: int) -> None:
        self._fd, self._data = fd, bytearray()

    def write(self, data: bytes) -> None:
        self._data.extend(data)

    def flush(self, in_blocks: bool = False) -> None:
        os.write(self._fd, self._data)
        self._data.clear()

    def close(self) -> None:
        self.flush()
        os.close(self._fd)


class Buffers:
    """Opens shared files."""

    def open_channel(self, fd: int, block: int | None = None, begun: int = 0) -> Buffer:
        return Buffer(fd)


@ns2_class("Simulator")
class Simulator(TclObject):
    channel: Channel

    @method("trace-all")
    def trace_all(self, channel: str) -> None:
        self.channel = self.interp.channels.attach(channel)

    @method("engine-writes")
    def engine_writes(self, line: str) -> None:
        self.channel.write(line.encode() + b"\n")

    @method("event")
    def event(self, time: str, script: str) -> None:
        self.interp.at_event(lambda: float(time), script)

    @method("broken")
    def broken(self) -> None:
        raise KeyError("no such thing")


@ns2_class("Agent")
class Agent(TclObject):
    pass


@ns2_class("Agent/TCP")
class Tcp(Agent):
    pass


@ns2_class("Agent/TCP/Reno")
class Reno(Tcp):
    pass


@ns2_class("DelayLink")
class DelayLink(TclObject):
    pass


def interpreter() -> Interpreter:
    interp = Interpreter()
    interp.channels = Channels(interp, Buffers())  # type: ignore[arg-type]
    interp.skip_handles(2)  # the random number generators that ns-2 makes first
    return interp


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], interpreter))
