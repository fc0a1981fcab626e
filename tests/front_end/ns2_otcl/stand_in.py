"""Run one script with a few library classes that have variables and no engine."""

from __future__ import annotations

import os
import sys

from ackclock.ns2 import main
from ackclock.ns2.bindings.tcl_object import TclObject, method, ns2_class
from ackclock.ns2.otcl.channels import Channels
from ackclock.ns2.otcl.interp import Interpreter


class Buffers:
    """The engine's side of shared files: bytes are kept until they are flushed."""

    def __init__(self) -> None:
        self._open: list[tuple[int, bytearray]] = []

    def open_channel(self, fd: int, block: int | None = None, begun: int = 0) -> int:
        self._open.append((fd, bytearray()))
        return len(self._open) - 1

    def channel_write(self, channel: int, data: bytes) -> None:
        self._open[channel][1].extend(data)

    def channel_flush(self, channel: int, in_blocks: bool = False) -> None:
        fd, data = self._open[channel]
        os.write(fd, data)
        data.clear()

    def channel_close(self, channel: int) -> None:
        self.channel_flush(channel)
        os.close(self._open[channel][0])


@ns2_class("Simulator")
class Simulator(TclObject):
    channel: int

    @method("trace-all")
    def trace_all(self, channel: str) -> None:
        self.channel = self.interp.channels.attach(channel)

    @method("engine-writes")
    def engine_writes(self, line: str) -> None:
        self.interp.channels.sink.channel_write(self.channel, line.encode() + b"\n")

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
    interp.channels = Channels(interp, Buffers())
    interp.skip_handles(2)  # the random number generators that ns-2 makes first
    return interp


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], interpreter))
