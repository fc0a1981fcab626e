"""SCTP: `Agent/SCTP` and its variants, and what a multi-homed node has."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class, variant
from ackclock.ns2.library.core.classifiers import Classifier
from ackclock.ns2.library.core.engine import engine_name, real, whole
from ackclock.ns2.library.core.nodes import Node
from ackclock.ns2.library.tcp import agents
from ackclock.ns2.library.tcp.agents import Agent
from ackclock.ns2.otcl.stdio import stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.library.core.simulator import Simulator

_VARIANTS = {
    "CMT": "sctp_cmt",
    "HbAfterRto": "sctp_hb_after_rto",
    "MultipleFastRtx": "sctp_multiple_fast_rtx",
    "MfrHbAfterRto": "sctp_mfr_hb_after_rto",
    "Timestamp": "sctp_timestamp",
    "MfrTimestamp": "sctp_mfr_timestamp",
}

agents.KINDS["Agent/SCTP"] = "sctp"
agents.KINDS.update({f"Agent/SCTP/{name}": kind for name, kind in _VARIANTS.items()})


@ns2_class("Agent/SCTP")
class Sctp(Agent):
    """One end of an association."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.native.watch_output(stdio(self.interp).channel)

    def _watch(self, variable: str, channel: _native.Channel, at_once: bool) -> None:
        self.native.watch(f"{engine_name(variable)}_lines", variable, channel, at_once)

    @method("attach")
    def attach_channel(self, channel: str) -> None:
        """Lines of variables go to this channel from now on."""
        super().attach_channel(channel)
        assert self._channel is not None
        self.native.watch("print_lines", "", self._channel, False)

    @method()
    def advance(self, packet: str) -> None:
        """SCTP counts no packets: nothing."""

    @method("print")
    def print_variable(self, variable: str) -> None:
        """Write the lines for a variable now."""
        if self._channel is not None:
            self.native.watch("print_lines", variable, self._channel, False)
            self.native.command("print", [engine_name(variable)])

    def _node_of_table(self, table: str) -> int:
        peer = self.interp.find_peer(table)
        if peer is None:
            raise NsError(f"no such object {table}")
        if not isinstance(peer, Classifier) or peer.node is None:
            raise NsError(f"{table} is a {peer.class_name}, no entry of a node")
        return peer.node

    def _node(self, handle: str) -> Node:
        peer = self.interp.find_peer(handle)
        if peer is None:
            raise NsError(f"no such object {handle}")
        return self.interp.peer_of(handle, Node, "node")

    @method("set-multihome-core")
    def set_core(self, table: str) -> None:
        """The table of routes that chooses the interface."""
        self.native.command("core", [str(self._node_of_table(table))])

    @method("add-multihome-interface")
    def add_interface(self, address: str, port: str, entry: str, link: str) -> None:
        """An address of the agent's own, the entry of its node, and the link from the core node to it."""
        if self.interp.find_peer(link) is None:
            raise NsError(f"no such object {link}")
        here = str(whole(address, "an address")), str(whole(port, "a port"))
        self.native.command("add-interface", [*here, str(self._node_of_table(entry))])

    @method("add-multihome-destination")
    def add_destination(self, address: str, port: str) -> None:
        """An address of the peer's."""
        self.native.command("add-destination", [str(whole(address, "an address")), str(whole(port, "a port"))])

    def _choose(self, what: str, command: list[str], words: str, handle: str) -> None:
        """A command of the engine about the address of a node; `words` are the script's."""
        name, *more = command
        if self.native.command(name, [str(self._node(handle).number), *more]) == "0":
            self.interp.warn(f"[SctpAgent::command] ERROR:{handle} is not a valid {what}")
            raise NsError(f"error when calling class {self.class_name}: {words}")

    @method("set-primary-destination")
    def set_primary(self, node: str) -> None:
        """New data goes to this address of the peer's."""
        self._choose("destination", ["set-primary"], f"set-primary-destination {node}", node)

    @method("force-source")
    def force_source(self, node: str) -> None:
        """Packets leave from this address of the agent's own."""
        self._choose("source", ["force-source"], f"force-source {node}", node)

    @method("set-destination-lossrate")
    def set_loss_rate(self, node: str, rate: str) -> None:
        """The loss rate of a destination, by which CMT may choose."""
        command = ["set-loss-rate", str(real(rate, "a loss rate"))]
        self._choose("destination", command, f"set-destination-lossrate {node} {rate}", node)


for _name in _VARIANTS:
    variant(f"Agent/SCTP/{_name}", Sctp)


class MultihomedNetwork:
    """What a script says of nodes with several addresses."""

    @method("multihome-add-interface")
    def add_interface(self: Simulator, core: str, interface: str) -> None:  # type: ignore[misc]
        """A node is an interface of a core node. The link between them carries nothing; routes choose by it."""
        ends = self.node_at(core), self.node_at(interface)
        key = f"link_({ends[0].number}:{ends[1].number})"
        if key in self.vars:
            self.call("remove-nam-linkconfig", ends[0].number, ends[1].number)
        self.call("simplex-link", core, interface, "1Mb", "100ms", "DropTail")
        head = self.interp.call(self.vars[key], "set", "head_")
        ends[0].vars.append("multihome_interfaces_", self.interp.word((interface, head)))

    @method("multihome-attach-agent")
    def attach_multihomed(self: Simulator, core: str, agent: str) -> None:  # type: ignore[misc]
        """Put an agent at all interfaces of a core node."""
        interp = self.interp
        interp.call(agent, "set-multihome-core", interp.call(core, "entry"))
        for interface in interp.split(interp.call(core, "set", "multihome_interfaces_")):
            node, link = interp.split(interface)
            interp.call(node, "attach", agent)
            address, port = (interp.call(agent, "set", name) for name in ("agent_addr_", "agent_port_"))
            interp.call(agent, "add-multihome-interface", address, port, interp.call(node, "entry"), link)
            bind(self, agent)

    @method("multihome-connect")
    def connect_multihomed(self: Simulator, src: str, dst: str) -> None:  # type: ignore[misc]
        """Tell each of two agents all addresses of the other one."""
        for here, there in ((src, dst), (dst, src)):
            bindings = self.interp.split(self.interp.call(here, "set", "multihome_bindings_"))
            ends = [self.interp.split(binding) for binding in bindings] or [
                [self.interp.call(here, "set", name) for name in ("agent_addr_", "agent_port_")]
            ]
            for address, port in ends:
                self.interp.call(there, "add-multihome-destination", address, port)


def bind(simulator: Simulator, agent: str) -> None:
    """Remember where an agent was attached last, for those that will be connected to it."""
    interp = simulator.interp
    address, port = (interp.call(agent, "set", name) for name in ("agent_addr_", "agent_port_"))
    interp.peer(agent).vars.append("multihome_bindings_", interp.word((address, port)))
