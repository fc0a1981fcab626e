"""`CtrMcast`: sparse mode whose trees one place computes for all nodes, over a rendezvous point or from each source."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.multicast.protocol import MulticastProtocol


def protocol_at(peer: MulticastProtocol, node: str) -> str:
    """The protocol's object at a node."""
    return peer.interp.call(peer.interp.call(node, "getArbiter"), "getType", "CtrMcast")


@ns2_class("CtrMcast")
class Centralized(MulticastProtocol):
    """The protocol at a node: it tells the place that computes."""

    @method("init")
    def begin_centralized(self, simulator: str, node: str) -> None:
        """`new CtrMcast simulator node`."""
        self.next_after(Centralized, "init", simulator, node)
        self.vars["agent_"] = self.interp.call(simulator, "set", "MrtHandle_")
        self.vars["defaultTree_"] = "RPT"
        self.vars["decapagent_"] = self.interp.new("Agent/Decapsulator")
        self.interp.call(simulator, "attach-agent", node, self.vars["decapagent_"])
        for name, value in (("c_rp_", "1"), ("c_bsr_", "1"), ("priority_", "0")):
            self.vars[name] = value

    def ask(self, method: str, *args: object) -> str:
        """Call a method of the place that computes."""
        return self.interp.call(self.vars["agent_"], method, *args)

    @method("join-group")
    def join_group(self, group: str) -> None:
        """An agent becomes a member: the trees of the group grow to the node."""
        self.next_after(Centralized, "join-group", group)
        if not self.ask("treetype?", group):
            self.ask("treetype", group, self.vars["defaultTree_"])
            self.ask("add-new-group", group)
        self.ask("add-new-member", group, self.vars["node_"])
        for source in self.interp.split(self.ask("sources?", group)):
            self.ask("compute-branch", source, group, self.vars["node_"])

    @method("leave-group")
    def leave_group(self, group: str) -> None:
        """It is a member no more: they shrink."""
        self.next_after(Centralized, "leave-group", group)
        self.ask("remove-member", group, self.vars["node_"])
        for source in self.interp.split(self.ask("sources?", group)):
            self.ask("prune-branch", source, group, self.vars["node_"])

    @method("handle-cache-miss")
    def handle_cache_miss(self, source: str, group: str, interface: str) -> str:
        """A packet of an unknown source or group. From an agent of the node it goes to the rendezvous point."""
        if not self.ask("treetype?", group):
            self.ask("treetype", group, self.vars["defaultTree_"])
        here = self.vars["node_"]
        if self.interp.call(here, "id") == source:
            point = self.call("get_rp", group)
            if self.ask("treetype?", group) == "RPT" and source != self.interp.call(point, "id"):
                capsule = self.interp.new("Agent/Encapsulator")
                self.interp.call(self.vars["ns_"], "attach-agent", here, capsule)
                receiver = self.interp.call(protocol_at(self, point), "set", "decapagent_")
                self.interp.call(self.vars["ns_"], "connect", capsule, receiver)
                self.interp.call(here, "add-mfc-reg", source, group, "-1", capsule)
            if self.ask("new-source?", group, here) not in ("0", ""):
                self.ask("compute-tree", here, group)
        return "1"

    @method()
    def drop(self, replicator: str, source: str, group: str, interface: str) -> None:
        """Nobody is to get the packet."""

    @method("handle-wrong-iif")
    def handle_wrong_interface(self, source: str, group: str, interface: str) -> str:
        """A packet came over another link than it should."""
        self.interp.warn(f"{self.handle}: handle-wrong-iif for <S: {source}, G: {group}, if: {interface}>?")
        return "0"

    @method()
    def notify(self, changes: str) -> None:
        """Routes have changed: the place that computes hears of it itself."""

    @method("get_rp")
    def get_rendezvous_point(self, group: str) -> str:
        """The rendezvous point of a group: of those in reach the one with the largest number."""
        if "rpset_" not in self.vars:
            self.interp.call(self.ask("set", "ctrrpcomp"), "compute-rpset")
        chosen, largest = "-1", -1
        for point in self.interp.split(self.vars["rpset_"]):
            value = int(self.call("hash", point, group))
            if value > largest:
                chosen, largest = point, value
        return chosen

    @method()
    def hash(self, point: str, group: str) -> str:
        """What makes a rendezvous point that of a group: its number."""
        return self.interp.call(point, "id")

    @method("set-rpset")
    def set_points(self, *points: str) -> str:
        """Those in reach. ns-2 evaluates the words once more, so several are one list, and none asks for the list."""
        if points:
            self.vars["rpset_"] = tuple(self.interp.split(" ".join(points)))
        return self.vars["rpset_"]

    @method("get_bsr")
    def get_bsr(self) -> None:
        """There is no bootstrap router."""
        self.interp.warn(f"{self.handle}: CtrMcast doesn't require a BSR")

    @method("set_c_bsr")
    def set_bsr(self, priority: str) -> None:
        """The node may be a bootstrap router."""
        self.vars["c_bsr_"] = "1"
        self.vars["priority_"] = priority

    @method("set_c_rp")
    def set_point(self) -> None:
        """The node may be a rendezvous point."""
        self.vars["c_rp_"] = "1"

    @method("unset_c_rp")
    def unset_point(self) -> None:
        """The node may not be one."""
        self.vars["c_rp_"] = "0"
