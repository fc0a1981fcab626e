"""What protocols of multicast routing have in common, and what chooses among those of a node.

Source: ns-2's manual, chapter on multicast routing, and what ns-2.35 does.
"""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject, whole
from ackclock.ns2.library.core.nodes import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.otcl.interp import Interpreter

#: groups that every node of a LAN is in have all these bits
_WELL_KNOWN = "0x7fffffff"

#: procs of the class `mrtObject`: names of well-known groups
_PROCS = """
    mrtObject set mask-wkgroups %s
    mrtObject set wkgroups(Allocd) [expr %s]
    mrtObject proc registerWellKnownGroups {name} {
        set group [mrtObject set wkgroups(Allocd)]
        mrtObject set wkgroups(Allocd) [expr {$group + 1}]
        mrtObject set wkgroups($name) $group
    }
    mrtObject proc getWellKnownGroup {name} {
        mrtObject set wkgroups($name)
    }
    mrtObject set wkgroups(ALL_ROUTERS) [expr %s]
    mrtObject set wkgroups(ALL_PIM_ROUTERS) [expr %s]
"""


@ns2_class("mrtObject")
class Arbiter(EngineObject):
    """Chooses a node's protocol by the interface over which a packet comes."""

    @classmethod
    def declared(cls, interp: Interpreter) -> None:
        interp.tk.eval(_PROCS % ((_WELL_KNOWN,) * 4))

    @method("init")
    def begin(self, node: str) -> None:
        """`new mrtObject node`."""
        self.next_after(Arbiter, "init")
        self.vars["node_"] = node

    @method()
    def addproto(self, protocol: str, interfaces: str = "") -> None:
        """A protocol is in charge of these interfaces; of all there are, and of the node's own packets, by default."""
        labels = self.interp.split(interfaces)
        if not labels:
            labels = [*self.interp.split(self.interp.call(self.vars["node_"], "get-all-iifs")), "-1"]
        for label in labels:
            self.vars[f"protocols_({label})"] = protocol

    @method("getType")
    def get_type(self, kind: str) -> str:
        """The node's protocol of a type; empty where there is none."""
        for protocol in self.vars.elements("protocols_"):
            if self.interp.call(protocol, "getType") == kind:
                return protocol
        return ""

    @method("all-mprotos")
    def all_protocols(self, method: str, *args: str) -> None:
        """Call a method of each of the node's protocols."""
        for protocol in dict.fromkeys(self.vars.elements("protocols_")):
            self.interp.call(protocol, method, *args)

    @method()
    def start(self) -> None:
        """The run begins."""
        self.call("all-mprotos", "start")

    @method()
    def stop(self) -> None:
        """The protocols stop."""
        self.call("all-mprotos", "stop")

    @method()
    def notify(self, changes: str) -> None:
        """Routes have changed."""
        self.call("all-mprotos", "notify", changes)

    @method("dump-routes")
    def dump_routes(self, *words: str) -> None:
        """Write the node's trees. ns-2 passes all words on as one."""
        self.call("all-mprotos", "dump-routes", " ".join(words))

    @method("join-group")
    def join_group(self, group: str, source: str) -> None:
        """An agent becomes a member."""
        self.call("all-mprotos", "join-group", group, *([source] if source else []))

    @method("leave-group")
    def leave_group(self, group: str, source: str) -> None:
        """An agent is a member no more."""
        self.call("all-mprotos", "leave-group", group, *([source] if source else []))

    def _protocol_of(self, interface: str) -> str:
        found = self.vars.get(f"protocols_({interface})")
        if found is None:
            raise NsError(f'can\'t read "protocols_({interface})": no such element in array')
        return found

    @method()
    def upcall(self, code: str, source: str, group: str, interface: str) -> str:
        """A packet needs a decision: that of the protocol in charge, or of none for well-known groups."""
        mask = int(self.interp.call("expr", self.interp.call("mrtObject", "set", "mask-wkgroups")))
        if whole(group, "a group") & mask == mask:
            self.interp.call(self.vars["node_"], "add-mfc", source, group, "-1", "")
            return "1"
        return self.interp.call(self._protocol_of(interface), "upcall", code, source, group, interface)

    @method()
    def drop(self, replicator: str, source: str, group: str, interface: str = "-1") -> str:
        """A packet has come that nobody is to get."""
        return self.interp.call(self._protocol_of(interface), "drop", replicator, source, group, interface)


@ns2_class("McastProtocol")
class MulticastProtocol(EngineObject):
    """A protocol at a node."""

    @property
    def node(self) -> Node:
        """The node."""
        return self.interp.peer_of(self.vars["node_"], Node, "node")

    @method("init")
    def begin(self, simulator: str, node: str) -> None:
        """`new Protocol simulator node`."""
        self.next_after(MulticastProtocol, "init")
        number = self.interp.call(node, "id")
        first = {"ns_": simulator, "node_": node, "status_": "down", "type_": self.class_name, "id_": number}
        for name, value in first.items():
            self.vars[name] = value
        trace_if_all_are(self, node)

    @method("getType")
    def get_type(self) -> str:
        """The protocol's class."""
        return self.vars["type_"]

    @method()
    def start(self) -> None:
        """The run begins."""
        self.vars["status_"] = "up"

    @method()
    def stop(self) -> None:
        """It does nothing more."""
        self.vars["status_"] = "down"

    @method("getStatus")
    def get_status(self) -> str:
        """up or down."""
        return self.vars["status_"]

    @method()
    def upcall(self, code: str, *args: str) -> str:
        """A packet needs a decision: whether it is to be looked up again."""
        return self.call(f"handle-{code}", *args)

    @method("handle-wrong-iif", "handle-cache-miss")
    def handle_nothing(self, source: str, group: str, interface: str) -> str:
        """It is not to be looked up again."""
        return "0"

    @method()
    def annotate(self, *words: str) -> None:
        """Write a remark where everything is traced."""
        remark = f"{self.interp.call(self.vars['ns_'], 'now')} {self.interp.call(self.vars['node_'], 'id')}"
        text = f"{remark} {self.interp.word(words)}"
        for trace in self.interp.split(self.vars.get("dynT_", "")):
            self.interp.call(trace, "annotate", text)

    @method("join-group")
    def join_group(self, group: str) -> None:
        """An agent of the node becomes a member."""
        self.call("annotate", "join-group", group)

    @method("leave-group")
    def leave_group(self, group: str) -> None:
        """It is a member no more."""
        self.call("annotate", "leave-group", group)

    @method()
    def trace(self, file: str, source: str, op: str = "") -> None:
        """Remarks go to this channel."""
        trace_to(self, file, source, op)

    @method()
    def notify(self, changes: str) -> None:
        """Routes have changed: replicators follow."""
        from ackclock.ns2.library.multicast.follow_routes import follow_routes

        follow_routes(self)

    @method("dump-routes")
    def dump_routes(self, channel: str, group: str = "", source: str = "") -> None:
        """Write the node's trees, perhaps of one group, or of one source too."""
        from ackclock.ns2.library.multicast.follow_routes import dump_routes

        dump_routes(self, channel, group, source)


def trace_if_all_are(peer: EngineObject, source: str) -> None:
    """Where everything is traced, remarks of this object are, too."""
    for variable, op in (("traceAllFile_", ""), ("namtraceAllFile_", "nam")):
        file = peer.simulator.vars.get(variable)
        if file is not None:
            peer.call("trace", file, source, op)


def trace_to(peer: EngineObject, file: str, source: str, op: str) -> None:
    """Remarks of an object go to a channel, by a trace that it has, or by a new one of its own."""
    if op == "nam" and "dynT_" in peer.vars:
        for trace in peer.interp.split(peer.vars["dynT_"]):
            peer.interp.call(trace, "namattach", file)
    else:
        handle = peer.simulator.call("create-trace", "Generic", file, source, source, op)
        peer.vars.append("dynT_", handle)
