"""Tables of groups for bidirectional trees: a packet names the router that is to forward it upstream.

Source: what ns-2.35's `Classifier/Multicast/BST` does with each packet.
"""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.nodes import Node
from ackclock.ns2.library.multicast.bidirectional import BidirectionalTree
from ackclock.ns2.library.multicast.classifiers import MulticastClassifier, Replicator
from ackclock.ns2.library.multicast.dense_mode import is_lan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.library.core.simulator import Simulator

#: label of every interface
_ANY = -2


@ns2_class("Classifier/Multicast/BST")
class UpstreamClassifier(MulticastClassifier):
    """A table that finds the replicator of each packet itself."""

    asks_always = True

    def create(self, *args: str) -> None:
        super().create(*args)
        #: group -> number of the next router on the way to its rendezvous point
        self._routers: dict[int, int] = {}

    def choose(self, source: int, group: int, interface: int, upstream: int) -> tuple[_native.Replicator, int] | None:
        """The replicator and the packet's upstream router (-1: none); None if the packet is discarded."""
        here = int(self.interp.call(self.vars["node_"], "id"))
        replicator = self._find(source, group, interface, True)
        if replicator is None:
            return None
        if source != here and upstream not in (-1, here):
            if self.call("check-rpf-link", here, group) != str(interface):
                return None
            upstream = -1
        if source == here:
            if group not in self._routers:
                raise NsError("Error: Mcast info does not exist")
            upstream = here
        if upstream != -1:
            router = self._routers.get(group, here)
            upstream = -1 if router == here else router
        elif self.call("match-BST-iif", interface, group) == "0":
            return None
        return replicator, upstream

    def _find(self, source: int, group: int, interface: int, is_first: bool) -> _native.Replicator | None:
        """The replicator of a packet; None if it has none."""
        for key in (source, None):
            slot = self.table.slot(key, group, interface)
            if slot is not None:
                return self._replicator(slot)
        code = "cache-miss"
        for key in (source, None):
            slot = self.table.slot(key, group, _ANY)
            if slot is not None:
                if self.table.interface(key, group) == _ANY:
                    return self._replicator(slot)
                code = "wrong-iif"
                break
        again = self.call("new-group", source, group, interface, code) not in ("0", "")
        if again and code == "cache-miss":
            words = self.interp.split(self.call("upstream-link", group))
            self._routers[group] = int(words[1])
        return self._find(source, group, interface, False) if again and is_first else None

    def _replicator(self, slot: int) -> _native.Replicator | None:
        peer = self.interp.find_peer(self.slots.get(slot, ""))
        return peer.native if isinstance(peer, Replicator) else None


@ns2_class("Classifier/Multicast/Replicator/BST")
class TreeClassifier(UpstreamClassifier):
    """That of nodes with `BST`."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.vars["nrep_"] = "0"

    def _protocol(self) -> BidirectionalTree | None:
        """The protocol at the node."""
        node = self.interp.peer_of(self.vars["node_"], Node, "node")
        for agent in self.interp.split(node.vars["agents_"]):
            protocol = self.interp.find_peer(self.interp.peer(agent).vars.get("proto_", ""))
            if isinstance(protocol, BidirectionalTree) and protocol.class_name == "BST":
                return protocol
        return None

    @method("match-BST-iif")
    def match_interface(self, interface: str, group: str) -> int:
        """Whether packets from the rendezvous point come over an interface; -1 without such a group."""
        protocol = self._protocol()
        if protocol is None or protocol.call("is-group-bidir?", group) != "1":
            return -1
        if protocol.node.handle == protocol.root(group):
            return 1
        return int(protocol.label_to_root(group) == interface)

    @method("upstream-link")
    def upstream_link(self, group: str) -> tuple[str, ...]:
        """The link to the next node on the way to the rendezvous point, and the number of the next router."""
        protocol = self._protocol()
        if protocol is None or protocol.call("is-group-bidir?", group) != "1":
            return ()
        root = protocol.root(group)
        near = protocol.node.call("rpf-nbr", root)
        link = protocol.call("find-oif", near, group) or "self"
        if is_lan(protocol, near):
            near = self.interp.call(near, "rpf-nbr", root)
        return link, self.interp.call(near, "id")

    @method("check-rpf-link")
    def check_link(self, node: str, group: str) -> str:
        """The label of the interface towards the rendezvous point."""
        protocol = self._protocol()
        return "-1" if protocol is None else protocol.label_to_root(group)


def replace_tables(simulator: Simulator) -> None:
    """Give every node such a table."""
    for handle in simulator.vars.elements("Node_"):
        if simulator.interp.call(handle, "is-lan?") in ("0", ""):
            table = simulator.interp.make("Classifier/Multicast/Replicator/BST")
            node = simulator.interp.peer_of(handle, Node, "node")
            node.vars["multiclassifier_"] = table.handle
            assert isinstance(table, TreeClassifier)
            table.serve(node)
