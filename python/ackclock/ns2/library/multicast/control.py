"""Agents of multicast routing: control messages, and packets inside packets."""

from __future__ import annotations

from ackclock._native import SimulationError
from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.tcp.agents import KINDS, Agent

KINDS["Agent/Mcast/Control"] = "multicast_control"
KINDS["Agent/Encapsulator"] = "encapsulator"
KINDS["Agent/Decapsulator"] = "decapsulator"


@ns2_class("Agent/Mcast")
class MulticastAgent(Agent):
    """What ns-2's name for the control agent implies."""


@ns2_class("Agent/Mcast/Control", packetSize_="int=80")
class ControlAgent(MulticastAgent):
    """Carries the messages of a protocol, whose `recv-prune`, `recv-graft` and so on get them."""

    @method("init")
    def begin(self, protocol: str) -> None:
        """`new Agent/Mcast/Control protocol`."""
        self.next_after(ControlAgent, "init")
        self.vars["proto_"] = protocol
        self.native.listen()

    @method("send")
    def send_message(self, kind: str, sender: str, source: str = "", group: str = "", *args: str) -> None:
        """Send a message: its type, the node that sends it, source and group, and what else the protocol has to say."""
        messages = self.interp.groups.messages
        messages.append((sender, source, group, *args))
        try:
            self.native.command("send", [kind, str(len(messages) - 1)])
        except SimulationError as error:
            raise NsError(str(error)) from None

    def told(self, what: str) -> None:
        if what == "received":
            kind, interface, number = self.native.command("take", []).split()
            self.call("recv", kind, interface, number)

    @method()
    def recv(self, kind: str, interface: str, number: str) -> None:
        """A message has come."""
        self.call("recv2", kind, interface, *self.interp.groups.messages[int(number)])

    @method()
    def recv2(self, kind: str, interface: str, sender: str, source: str, group: str, *args: str) -> None:
        """The same with what it says."""
        self.interp.call(self.vars["proto_"], f"recv-{kind}", sender, source, group, interface, *args)


@ns2_class("Agent/Encapsulator")
class Encapsulator(Agent):
    """Puts packets into others, for its peer."""

    def take(self, agent: Agent) -> None:
        """Packets of this agent are put into others."""
        agent.native.divert_to(self.native)

    @method("decap-target")
    def decap_target(self, target: str = "") -> str:
        """What gets a copy of each packet as it is: nothing."""
        if target:
            raise NsError(f"{self.class_name} {self.handle}: ackclock has no decap-target but an empty one")
        return ""


@ns2_class("Agent/Decapsulator")
class Decapsulator(Agent):
    """Takes packets out of others and sends them on."""
