"""Run one OTcl script with a few library classes that have variables and no engine."""

from __future__ import annotations

import sys
from pathlib import Path

from ackclock.ns2.interp import Interpreter
from ackclock.ns2.peers import TclObject, ns2_class


@ns2_class("Simulator")
class Simulator(TclObject):
    pass


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


def main() -> None:
    interp = Interpreter()
    interp.skip_handles(2)  # the random number generators that ns-2 makes first
    interp.eval(Path(sys.argv[1]).read_text(encoding="utf-8"))
    interp.eval("flush stdout")


if __name__ == "__main__":
    main()
