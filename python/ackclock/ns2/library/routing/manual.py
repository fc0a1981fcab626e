"""Routes that a script sets by hand: `$ns rtproto Manual` before the nodes are made.

Source: ns-2's manual, chapter on unicast routing, and what ns-2.35 does with `add-route-to-adj-node`.
"""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.nodes import Node, RoutingModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native


@ns2_class("RtModule/Manual")
class ManualModule(RoutingModule):
    """The module of nodes whose routes are set by hand."""

    _node: Node | None = None

    @property
    def node(self) -> Node:
        """The node that it is a part of."""
        if self._node is None:
            raise NsError(f"{self.handle} is at no node: a node gets it when it is made, after `$ns rtproto Manual`")
        return self._node

    def furnish(self, node: Node, address: str) -> None:
        self._node = node
        node.vars["classifier_"] = node.table("Classifier/Hash/Dest", 32)

    @method("add-route-to-adj-node")
    def add_route_to_adjacent_node(self, *words: str) -> None:
        """`?-default? node`: packets for a node that a link leads to take that link; all others, too."""
        if len(words) != 1 + (words[:1] == ("-default",)):
            raise NsError(f'wrong # args: should be "{self.handle} add-route-to-adj-node ?-default? node"')
        near = self.simulator.node_at(words[-1])
        link = self.simulator.link_between(self.node.handle, near.handle)
        self._set(None if len(words) == 2 else near.number, link.native)

    @method("add-route")
    def add_route(self, destination: str, target: str) -> None:
        """Packets for a node, or for all that have no other route (`default`), go to the head of a link."""
        if destination != "default":
            self.node.call("add-route", destination, target)
            return
        link = self.interp.find_peer(self.interp.peer(target).vars.get("link_", ""))
        native = getattr(link, "native", None)
        if native is None:
            raise NsError(f"{target} is not a link's head; a default route needs one")
        self._set(None, native)

    def _set(self, destination: int | None, link: _native.Link) -> None:
        if destination is None:
            self.node.native.set_default_route(link)
        else:
            self.node.native.set_route(destination, link)
