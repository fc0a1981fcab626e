"""`BST`: bidirectional shared trees. Members join towards a group's rendezvous point; packets go up and down the tree.

A script names the rendezvous point of each group beforehand: `BST set RP_($group) $node`.
"""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.multicast.dense_mode import control_of, is_lan, receivers
from ackclock.ns2.library.multicast.protocol import MulticastProtocol

#: flow id of messages
_FLOW_IDS = {"prune": "2"}
_OTHER_FLOW_ID = "3"


@ns2_class("BST")
class BidirectionalTree(MulticastProtocol):
    """The protocol at a node."""

    @method("init")
    def begin_tree(self, simulator: str, node: str) -> None:
        """`new BST simulator node`."""
        control = self.interp.new("Agent/Mcast/Control", self.handle)
        self.vars["mctrl_"] = control
        self.interp.call(node, "attach", control)
        self.next_after(BidirectionalTree, "init", simulator, node)

    def root(self, group: str) -> str:
        """The rendezvous point of a group."""
        return self.interp.of_class("BST")[f"RP_({group})"]

    def label_to_root(self, group: str) -> str:
        """The label of the interface towards the rendezvous point; `?` at that point."""
        return self.node.call("from-node-iface", self.root(group))

    def _head_to_root(self, group: str) -> str:
        label = self.label_to_root(group)
        return "" if label == "?" else self.node.call("iif2oif", label)

    def _heads(self, group: str) -> list[str]:
        return self.interp.split(self.vars[f"oiflist_({group})"])

    def _is_leaf(self, group: str) -> bool:
        """Whether nobody below the node, and no agent of it, needs the group."""
        is_up_only = self.vars[f"oiflist_({group})"] == self._head_to_root(group)
        return is_up_only and self.node.call("check-local", group) == "0"

    @method()
    def start(self) -> None:
        """The run begins, and routes are known."""
        for written in self.interp.of_class("BST").names("RP_"):
            group = self.interp.call("expr", written)
            if group != written:
                raise NsError('can\'t read "RP_(grpx)": no such element in array')
            self.vars[f"oiflist_({group})"] = self._head_to_root(group)
            for near in self.interp.split(self.node.vars["neighbor_"]):
                if self.interp.peer(near).class_name == "LanNode":
                    self.interp.call(near, "designate-ump-router", group, self.root(group))

    @method("join-group")
    def join_group(self, group: str, source: str = "x") -> None:
        """An agent becomes a member."""
        node = self.node
        near = node.call("rpf-nbr", self.root(group))
        node.call("add-mark", "m1", "blue", node.call("get-shape"))
        if is_lan(self, near):
            lan = self.interp.peer(near)
            name = f"receivers_({group})"
            if name in lan.vars:
                lan.vars[name] = int(lan.vars[name]) + 1
            else:
                self.call("send-ctrl", "graft", self.root(group), group)
                lan.vars[name] = "1"
        self.next_after(BidirectionalTree, "join-group", group)
        if node.call("check-local", group) == "0" or not node.call("getReps", "x", group):
            self.call("send-ctrl", "graft", self.root(group), group)

    @method("leave-group")
    def leave_group(self, group: str, source: str = "x") -> None:
        """It is a member no more."""
        self.next_after(BidirectionalTree, "leave-group", group)
        node = self.node
        near = node.call("rpf-nbr", self.root(group))
        if is_lan(self, near):
            lan = self.interp.peer(near)
            if receivers(self, near, group) > 0:
                left = receivers(self, near, group) - 1
                lan.vars[f"receivers_({group})"] = left
                if left == 0:
                    node.call("delete-mark", "m1")
                    self.call("send-ctrl", "prune", self.root(group), group)
        elif self._is_leaf(group):
            self.call("send-ctrl", "prune", self.root(group), group)
            node.call("delete-mark", "m1")
        else:
            node.call("delete-mark", "m1")
            node.call("add-mark", "m2", "red", "circle")

    @method("handle-wrong-iif")
    def handle_wrong_interface(self, source: str, group: str, interface: str) -> str:
        """A packet came over another link than the last one: the tree is used in another direction."""
        node = self.node
        replicator = node.call("getReps", "x", group)
        node.call("add-mfc", "x", group, interface, self.vars[f"oiflist_({group})"])
        old = node.call("lookup-iface", "x", group)
        if int(interface) >= 0:
            upward = self.label_to_root(group)
            if interface == upward:
                self.interp.call(replicator, "disable", node.call("iif2oif", upward))
            else:
                self.interp.call(replicator, "disable", node.call("iif2oif", interface))
                if node.handle != self.root(group):
                    self.interp.call(replicator, "insert", node.call("iif2oif", upward))
        node.call("change-iface", "x", group, old, interface)
        return "1"

    @method("handle-cache-miss")
    def handle_cache_miss(self, source: str, group: str, interface: str) -> str:
        """The first packet of a group. Of a LAN's routers only the next one to the rendezvous point takes it."""
        node = self.node
        if node.call("getReps", "x", group):
            raise NsError('wrong # args: should be "error message ?errorInfo? ?errorCode?"')
        if interface != "-1":
            near = self.interp.peer(node.call("rpf-nbr", self.root(group)))
            for neighbor in self.interp.split(node.vars["neighbor_"]):
                if is_lan(self, neighbor) and near.class_name != "LanNode":
                    router = self.interp.peer(neighbor).vars[f"up_({group})"]
                    if node.handle != router and self.call("link2lan?", neighbor, interface) != "0":
                        return "0"
        node.call("add-mfc", "x", group, interface, self.vars[f"oiflist_({group})"])
        if int(interface) > 0:
            self.interp.call(node.call("getReps", "x", group), "disable", node.call("iif2oif", interface))
        return "1"

    @method()
    def drop(self, replicator: str, source: str, group: str, interface: str) -> None:
        """Nobody is to get the packet."""

    @method("recv-prune")
    def receive_prune(self, sender: str, source: str, group: str, interface: str) -> None:
        """The next node on a link leaves the tree."""
        node = self.node
        replicator = node.call("getReps", "x", group)
        if not replicator:
            return
        head = node.call("iif2oif", interface)
        heads = self._heads(group)
        if head not in heads:
            return
        heads.remove(head)
        self.vars[f"oiflist_({group})"] = tuple(heads)
        self.interp.call(replicator, "disable", head)
        if self._is_leaf(group):
            node.call("delete-mark", "m2")
            self.call("send-ctrl", "prune", self.root(group), group)

    @method("recv-graft")
    def receive_graft(self, sender: str, root: str, group: str, interface: str) -> None:
        """The next node on a link joins the tree."""
        node = self.node
        head = node.call("iif2oif", interface)
        if self._is_leaf(group):
            node.call("add-mark", "m2", "red", "circle")
            self.call("send-ctrl", "graft", self.root(group), group)
        if head not in self._heads(group):
            self.vars.append(f"oiflist_({group})", head)
            if node.call("lookup-iface", "x", group) != interface:
                replicator = node.call("getReps", "x", group)
                if replicator:
                    self.interp.call(replicator, "insert", head)

    @method("send-ctrl")
    def send_control(self, kind: str, root: str, group: str) -> None:
        """Tell the next node on the way to the rendezvous point."""
        if self.node.handle == root:
            return
        near = self.node.call("rpf-nbr", root)
        if is_lan(self, near):
            if receivers(self, near, group) > 0:
                return
            near = self.interp.call(near, "rpf-nbr", root)
        control = self.vars["mctrl_"]
        self.simulator.call("simplex-connect", control, control_of(self, near))
        self.interp.call(control, "set", "fid_", _FLOW_IDS.get(kind, _OTHER_FLOW_ID))
        self.interp.call(control, "send", kind, self.node.number, root, group)

    @method("next-hop-router")
    def next_router(self, node: str, group: str) -> str:
        """The next router on the way from a node to the rendezvous point, past a LAN."""
        near = self.interp.call(node, "rpf-nbr", self.root(group))
        return self.interp.call(near, "rpf-nbr", self.root(group)) if is_lan(self, near) else near

    @method("is-group-bidir?")
    def has_group(self, group: str) -> int:
        """Whether the group has a rendezvous point."""
        return int(group in self.interp.of_class("BST").names("RP_"))

    @method("match-oif")
    def match_head(self, group: str, link: str) -> str:
        """A link, if it is of the tree; empty if not."""
        links = [self.interp.call(head, "set", "link_") for head in self._heads(group)]
        return link if link in links else ""

    @method("find-oif")
    def find_head(self, target: str, group: str) -> str:
        """The link to a neighbour, if it is of the tree; empty if not."""
        if self.node.handle == target:
            return ""
        number = self.interp.call(target, "id")
        return self.call("match-oif", group, self.simulator.vars[f"link_({self.node.number}:{number})"])

    @method("link2lan?")
    def leads_to_lan(self, lan: str, interface: str) -> int:
        """Whether an interface is the one to a LAN."""
        back = self.interp.call(self.node.call("iif2oif", interface), "set", "link_")
        outward = self.simulator.call("link", self.node.handle, lan)
        return int(self.interp.call(back, "set", "iif_") == self.interp.call(outward, "set", "iif_"))
