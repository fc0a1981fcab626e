"""RAP: `Agent/RAP`, sender and receiver in one."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.core.engine import whole
from ackclock.ns2.library.tcp import agents
from ackclock.ns2.library.tcp.agents import Agent

agents.KINDS["Agent/RAP"] = "rap"


@ns2_class("Agent/RAP")
class Rap(Agent):
    """One end of a RAP flow."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.native.listen("done")

    def init_bound(self, defaults: dict[str, str]) -> None:
        super().init_bound(defaults)
        # The estimates begin with what the class says.
        self.native.command("initialize", [])

    @method()
    def start(self) -> None:
        """Send."""
        self.native.command("start", [])

    @method()
    def stop(self) -> None:
        """Send no more."""
        self.native.command("stop", [])

    @method()
    def advanceby(self, packets: str) -> None:
        """Send this many packets, then say `done`."""
        self.native.advance(whole(packets, "the number of packets to send"))

    @method()
    def done(self) -> None:
        """All was acknowledged: scripts put their own here."""
