"""`DM`: dense mode. Packets are flooded; who does not want them prunes the tree for a while, or grafts it again."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.core.timers import Timer
from ackclock.ns2.library.multicast.protocol import MulticastProtocol

#: flow id of messages
_FLOW_IDS = {"prune": "30"}
_OTHER_FLOW_ID = "31"


@ns2_class("Timer/Iface")
class InterfaceTimer(Timer):
    """Waits for a protocol, on account of a source, a group and a link."""

    @method("init")
    def begin_wait(self, protocol: str, source: str, group: str, head: str, simulator: str) -> None:
        """`new Timer/Iface protocol source group head simulator`."""
        self.next_after(InterfaceTimer, "init", simulator)
        self.vars.begin({"proto_": protocol, "src_": source, "grp_": group, "oif_": head})

    @method()
    def schedule(self) -> None:
        """Wait for the class's `timeout`."""
        self.call("sched", self.interp.call(self.class_name, "set", "timeout"))


@ns2_class("Timer/Iface/Prune")
class PruneTimer(InterfaceTimer):
    """After it a pruned link gets packets again."""

    @method()
    def timeout(self) -> None:
        """The time is over."""
        head, source, group = (self.vars[name] for name in ("oif_", "src_", "grp_"))
        self.interp.call(self.vars["proto_"], "timeoutPrune", head, source, group)


@ns2_class("DM")
class DenseMode(MulticastProtocol):
    """Dense mode at a node: as PIM-DM, or as DVMRP where the class variable CacheMissMode says so."""

    @method("init")
    def begin_dense(self, simulator: str, node: str) -> None:
        """`new DM simulator node`."""
        control = self.interp.new("Agent/Mcast/Control", self.handle)
        self.vars["mctrl_"] = control
        self.interp.call(node, "attach", control)
        timeout = self.interp.call(self.class_name, "set", "PruneTimeout")
        self.interp.call("Timer/Iface/Prune", "set", "timeout", timeout)
        self.next_after(DenseMode, "init", simulator, node)

    def _upstream_lans(self, replicators: list[str]) -> list[str]:
        """The LANs over which packets of these replicators come."""
        near = [self.node.call("rpf-nbr", self.interp.call(each, "set", "srcID_")) for each in replicators]
        return [node for node in dict.fromkeys(near) if is_lan(self, node)]

    @method("join-group")
    def join_group(self, group: str) -> None:
        """An agent becomes a member: graft the trees that do not reach the node."""
        self.next_after(DenseMode, "join-group", group)
        grafted = []
        for replicator in self.interp.split(self.node.call("getReps", "*", group)):
            if self.interp.call(replicator, "is-active") in ("0", ""):
                self.call("send-ctrl", "graft", self.interp.call(replicator, "set", "srcID_"), group)
                grafted.append(replicator)
        for lan in self._upstream_lans(grafted):
            count_receivers(self, lan, group, 1)

    @method("leave-group")
    def leave_group(self, group: str) -> None:
        """It is a member no more."""
        self.next_after(DenseMode, "leave-group", group)
        for lan in self._upstream_lans(self.interp.split(self.node.call("getReps", "*", group))):
            if receivers(self, lan, group) > 0:
                count_receivers(self, lan, group, -1)

    @method("handle-wrong-iif")
    def handle_wrong_interface(self, source: str, group: str, interface: str) -> str:
        """A packet came over another link than it should: that one is to be pruned."""
        self.call("send-ctrl", "prune", source, group, self._sender_over(interface))
        return "0"

    def _sender_over(self, interface: str) -> str:
        """The number of the node that an interface's link comes from."""
        return self.interp.call(self.interp.call(self.node.call("iif2link", interface), "src"), "id")

    @method("handle-cache-miss")
    def handle_cache_miss(self, source: str, group: str, interface: str) -> str:
        """A packet of an unknown source or group: flood it."""
        mode = self.interp.call("DM", "set", "CacheMissMode")
        self.call(f"handle-cache-miss-{mode}", source, group, interface)
        return "1"

    @method("handle-cache-miss-pimdm")
    def handle_as_pim(self, source: str, group: str, interface: str) -> str:
        """To all links but the one that it came over, and but LANs where another router forwards it."""
        node, simulator = self.node, self.simulator
        back = ""
        if int(interface) >= 0:
            arrived = node.call("iif2link", interface)
            if arrived != simulator.call("link", node.call("rpf-nbr", source), node.handle):
                self.call("send-ctrl", "prune", source, group, self._sender_over(interface))
                return "0"
            back = node.call("iif2oif", interface)
        heads = []
        for head in self.interp.split(node.call("get-all-oifs")):
            if head == back:
                continue
            target = self.interp.call(node.call("oif2link", head), "dst")
            if is_lan(self, target) and self.interp.call(target, "rpf-nbr", source) != node.handle:
                continue
            heads.append(head)
        return node.call("add-mfc", source, group, interface, self.interp.word(tuple(heads)))

    @method("handle-cache-miss-dvmrp")
    def handle_as_dvmrp(self, source: str, group: str, interface: str) -> str:
        """To the neighbours that this node is next for on their way to the source."""
        node = self.node
        near = self.interp.split(node.call("neighbors"))
        children = [each for each in near if self.interp.call(each, "rpf-nbr", source) == node.handle]
        heads = [node.call("link2oif", self.simulator.call("link", node.handle, child)) for child in children]
        return node.call("add-mfc", source, group, interface, self.interp.word(tuple(heads)))

    @method()
    def drop(self, replicator: str, source: str, group: str, interface: str) -> None:
        """A packet has come that nobody is to get: prune the tree."""
        if int(interface) < 0:
            self.interp.call(replicator, "set", "ignore_", "1")
            return
        sender = self.interp.call(self.node.call("iif2link", interface), "src")
        toward = [] if is_lan(self, sender) else [self.interp.call(sender, "id")]
        self.call("send-ctrl", "prune", source, group, *toward)

    @method("recv-prune")
    def receive_prune(self, sender: str, source: str, group: str, interface: str) -> None:
        """The next node on a link does not want the packets."""
        node = self.node
        replicator = node.call("getReps", source, group)
        if not replicator:
            return
        head = node.call("iif2oif", interface)
        if self.interp.call(replicator, "is-active-target", head) not in ("0", ""):
            self.interp.call(replicator, "disable", head)
            if self.interp.call(replicator, "is-active") in ("0", "") and source != str(node.number):
                self.call("send-ctrl", "prune", source, group)
        name = f"PruneTimer_({source}:{group}:{head})"
        if name not in self.vars:
            words = self.handle, source, group, head, self.vars["ns_"]
            self.vars[name] = self.interp.new("Timer/Iface/Prune", *words)
        self.interp.call(self.vars[name], "schedule")

    @method("recv-graft")
    def receive_graft(self, sender: str, source: str, group: str, interface: str) -> None:
        """The next node on a link wants them again."""
        node = self.node
        replicator = node.call("getReps", source, group)
        is_source = source == str(node.number)
        if not replicator:
            label = "?" if is_source else node.call("rpf_nbr", source)
            node.call("add-mfc", source, group, label, "")
            replicator = node.call("getReps", source, group)
        if self.interp.call(replicator, "is-active") in ("0", "") and not is_source:
            self.call("send-ctrl", "graft", source, group)
        head = node.call("iif2oif", interface)
        self.interp.call(replicator, "enable", head)
        self._forget_timer(source, group, head)

    def _forget_timer(self, source: str, group: str, head: str) -> None:
        name = f"PruneTimer_({source}:{group}:{head})"
        if name in self.vars:
            self.interp.call("delete", self.vars[name])
            del self.vars[name]

    @method("send-ctrl")
    def send_control(self, kind: str, source: str, group: str, toward: str = "") -> None:
        """Tell the next node on the way to the source, or to another node."""
        simulator = self.simulator
        if toward and is_lan(self, simulator.call("get-node-by-id", toward)):
            return
        target = toward or source
        near = self.node.call("rpf-nbr", target)
        if is_lan(self, near):
            if receivers(self, near, group) > 0:
                return
            near = self.interp.call(near, "rpf-nbr", target)
        control = self.vars["mctrl_"]
        simulator.call("simplex-connect", control, control_of(self, near))
        self.interp.call(control, "set", "class_", _FLOW_IDS.get(kind, _OTHER_FLOW_ID))
        self.interp.call(control, "send", kind, self.node.number, source, group)

    @method("timeoutPrune")
    def end_prune(self, head: str, source: str, group: str) -> None:
        """A prune is over."""
        self.interp.call(self.node.call("getReps", source, group), "insert", head)
        self._forget_timer(source, group, head)


def is_lan(peer: MulticastProtocol, node: str) -> bool:
    """Whether a node is a LAN."""
    return peer.interp.call(node, "is-lan?") not in ("0", "")


def control_of(protocol: MulticastProtocol, node: str) -> str:
    """The control agent of the same protocol at another node."""
    interp = protocol.interp
    return interp.call(interp.call(interp.call(node, "getArbiter"), "getType", protocol.class_name), "set", "mctrl_")


def receivers(protocol: MulticastProtocol, lan: str, group: str) -> int:
    """How many nodes of a LAN have members of a group."""
    return int(protocol.interp.peer(lan).vars.get(f"receivers_({group})", "0"))


def count_receivers(protocol: MulticastProtocol, lan: str, group: str, more: int) -> None:
    """There are more or fewer of them."""
    protocol.interp.peer(lan).vars[f"receivers_({group})"] = receivers(protocol, lan, group) + more
