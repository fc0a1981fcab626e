"""What a script says of groups to its Simulator."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.core.simulator import Simulator


@ns2_class("MultiSim")
class MulticastSimulator(Simulator):
    """A Simulator whose nodes know groups, as old scripts have it."""

    @method("init")
    def begin(self, *args: str) -> None:
        """`new MultiSim`."""
        self.next_after(MulticastSimulator, "init", *args)
        self.call("multicast", "on")


class MulticastNetwork:
    """A network with groups."""

    @method()
    def multicast(self: Simulator, *args: str) -> None:  # type: ignore[misc]
        """Nodes made from now on know groups, whatever the words say."""
        self.vars["multiSim_"] = "1"
        self.interp.call("Node", "enable-module", "Mcast")

    @method("run-mcast")
    def run_multicast(self: Simulator) -> None:  # type: ignore[misc]
        """The run begins: all nodes' protocols start."""
        for node in self.vars.elements("Node_"):
            self.interp.call(node, "start-mcast")

    @method("clear-mcast")
    def clear_multicast(self: Simulator) -> None:  # type: ignore[misc]
        """All nodes' protocols stop."""
        for node in self.vars.elements("Node_"):
            self.interp.call(node, "stop-mcast")

    @method()
    def mrtproto(self: Simulator, protocol: str, nodes: str = "") -> str:  # type: ignore[misc]
        """A protocol of multicast routing at some nodes, or at all; what computes for it in one place, if anything."""
        self.vars["MrtHandle_"] = ""
        if protocol == "CtrMcast":
            place = self.interp.new("CtrMcastComp", self.handle)
            self.vars["MrtHandle_"] = place
            self.interp.call(place, "set", "ctrrpcomp", self.interp.new("CtrRPComp", self.handle))
        if protocol == "BST":
            from ackclock.ns2.library.multicast.bidirectional_tables import replace_tables

            replace_tables(self)
        for node in self.interp.split(nodes) or self.vars.elements("Node_"):
            self.call("mrtproto-iifs", protocol, node, "")
        self.call("at", "0.0", f"{self.handle} run-mcast")
        return self.vars["MrtHandle_"]

    @method("mrtproto-iifs")
    def mrtproto_iifs(self: Simulator, protocol: str, node: str, interfaces: str) -> None:  # type: ignore[misc]
        """The same at some interfaces of a node, given by their labels."""
        agent = self.interp.new(protocol, self.handle, node)
        arbiter = self.interp.call(node, "getArbiter")
        if arbiter:
            self.interp.call(arbiter, "addproto", agent, interfaces)
