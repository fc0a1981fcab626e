"""Agents that carry words, token buckets, and the constant-rate agents of the old style."""

from __future__ import annotations

from ackclock._native import SimulationError
from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import whole
from ackclock.ns2.library.core.nodes import Connector
from ackclock.ns2.library.tcp.agents import KINDS, Agent
from ackclock.ns2.library.traffic.datagrams import Udp
from ackclock.ns2.otcl.stdio import stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native

KINDS["Agent/Message"] = "message"
KINDS["Agent/MessagePassing"] = "message_passing"
KINDS["Agent/CBR"] = KINDS["Agent/CBR/UDP"] = "udp"


@ns2_class("Agent/Message")
class Message(Agent):
    """Sends words; the script's `recv` or `handle` hears what comes."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.native.listen()

    @method()
    def send(self, words: str, text: str = "") -> None:
        """Send words, in a packet of `packetSize_`."""
        try:
            self.native.command("send", [words])
        except SimulationError:
            raise NsError(f"error when calling class {self.class_name}: send {words}") from None
        self.interp.settle_groups()

    def told(self, what: str) -> None:
        if what == "received":
            self.interp.event_queue.tell_lines()
            _, _, words = self.native.command("take", []).partition(" ")
            self.call("recv", words)

    @method()
    def recv(self, words: str) -> None:
        """Words have come."""
        self.call("handle", words)


@ns2_class("Agent/MessagePassing")
class MessagePassing(Agent):
    """Sends words to any node; the script's `recv` hears who sent what comes."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.native.listen()

    @method()
    def send(self, count: str, words: str = "") -> None:
        """Send words to the peer, in a packet of this many bytes."""
        self._send(count, words, self.engine_get("peer_node"), self.engine_get("peer_port"))

    @method()
    def sendto(self, count: str, words: str, node: str, port: str) -> None:
        """Send words to a node's port; port 0 stands for the agent's own."""
        self._send(count, words, whole(node, "a node"), whole(port, "a port") or self.engine_get("port"))

    def _send(self, count: str, words: str, node: float, port: float) -> None:
        size = whole(count, "the number of bytes to send")
        if size > self.engine_get("packet_size"):
            stdio(self.interp).print("Error: packet greater than maximum MessagePassingAgent packet size")
            return
        if self.interp.levels is not None:
            node = self.interp.levels.meant("peer_node", node)
        self.native.command("send", [str(int(node)), str(int(port)), str(size), words])
        self.interp.settle_groups()

    def told(self, what: str) -> None:
        if what == "received":
            self.interp.event_queue.tell_lines()
            node, port, size, words = self.native.command("take", []).split(" ", 3)
            self.call("recv", node, port, size, words)

    @method()
    def recv(self, node: str, port: str, size: str, words: str) -> None:
        """Words have come: scripts put their own here."""


@ns2_class("TBF")
class TokenBucket(Connector):
    """A token bucket between an agent and its node."""

    bucket: _native.TokenBucket

    def create(self, *args: str) -> None:
        self.bucket = self.engine.add_bucket()

    def engine_get(self, name: str) -> float:
        return self.bucket.param(name)

    def engine_set(self, name: str, value: float) -> None:
        self.bucket.set_param(name, value)


class FedDatagrams(Udp):
    """An agent that passes on what is said to it to the source that feeds it."""

    @method()
    def start(self) -> None:
        """Start sending."""
        self.interp.call(self.vars["trafgen_"], "start")

    @method()
    def stop(self) -> None:
        """Stop sending."""
        self.interp.call(self.vars["trafgen_"], "stop")

    @method()
    def advance(self, *packets: str) -> None:
        """Passed on to the source."""
        self.interp.call(self.vars["trafgen_"], "advance", *packets)

    @method()
    def advanceby(self, *packets: str) -> None:
        """Passed on to the source."""
        self.interp.call(self.vars["trafgen_"], "advanceby", *packets)


@ns2_class("Agent/CBR/UDP")
class TrafficAgent(FedDatagrams):
    """A datagram agent that any source feeds."""

    @method("attach-traffic")
    def attach_traffic(self, source: str) -> None:
        """The source."""
        self.interp.call(source, "attach-agent", self.handle)
        self.vars["trafgen_"] = source


@ns2_class("Agent/CBR")
class CbrAgent(FedDatagrams):
    """A datagram agent with a source of constant rate in it, both set by the agent's variables."""

    _settings = ("packetSize_", "random_", "maxpkts_", "interval_")

    @method()
    def init(self, *args: str) -> None:
        """`new Agent/CBR`."""
        self.next_after(CbrAgent, "init", *args)
        defaults = {"packetSize_": "210", "random_": "0", "maxpkts_": "268435456", "interval_": "0.00375"}
        for name, value in defaults.items():
            self._keep(name, value)
        source = self.interp.new("Application/Traffic/CBR")
        self.interp.call(source, "attach-agent", self.handle)
        self.vars["trafgen_"] = source
        self._set_rate()
        for name in ("random_", "maxpkts_", "packetSize_"):
            self.interp.call(source, "set", name, defaults[name])
        if self.interp.call("Simulator", "set", "nsv1flag") == "0":
            self.interp.call("puts", "using backward compatible Agent/CBR; use Application/Traffic/CBR instead")

    def _keep(self, name: str, *value: str) -> str:
        return self.next_after(CbrAgent, "set", name, *value)

    def _set_rate(self) -> None:
        rate = self.interp.call("expr", f"{self._keep('packetSize_')} * 8.0/ {self._keep('interval_')}")
        self.interp.call(self.vars["trafgen_"], "set", "rate_", rate)

    @method("set")
    def set_variable(self, name: str, *value: str) -> str:
        """Read or write a variable; the source follows."""
        if name not in self._settings or not value or "trafgen_" not in self.vars:
            return self._keep(name, *value)
        if name == "interval_":
            self._keep(name, self.interp.call("time_parse", value[0]))
            self._set_rate()
            return ""
        self.interp.call(self.vars["trafgen_"], "set", name, value[0])
        self._keep(name, value[0])
        if name == "packetSize_":
            self._set_rate()
        return ""
