"""What a node knows of groups: its interfaces, its members, and the replicators of its table.

Source: ns-2's manual, chapter on multicast routing, and what ns-2.35 does.
"""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.nodes import RoutingModule
from ackclock.ns2.library.multicast.classifiers import MulticastClassifier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.library.core.engine import EngineObject
    from ackclock.ns2.library.core.nodes import Node


@ns2_class("RtModule/Mcast")
class MulticastModule(RoutingModule):
    """The module of nodes that know groups: packets for groups do not reach the table of other packets."""

    def furnish(self, node: Node, address: str) -> None:
        if self.interp.levels is not None:
            self.engine.set_group_levels(self.interp.levels.fields)
        table = node.vars["classifier_"]
        self.vars["classifier_"] = table
        switch = node.table("Classifier/Addr")
        groups = self.interp.make("Classifier/Multicast/Replicator")
        assert isinstance(groups, MulticastClassifier)
        groups.serve(node)
        node.vars.begin(
            {
                "switch_": switch,
                "multiclassifier_": groups.handle,
                "mrtObject_": self.interp.new("mrtObject", node.handle),
                "classifier_": switch,
                f"hook_assoc_({switch})": table,
            }
        )


class MulticastNode:
    """A node of a network with groups."""

    @method("enable-mcast")
    def enable_mcast(self: Node, *args: str) -> None:  # type: ignore[misc]
        """This node knows groups from now on."""
        self.add_module("Mcast")

    @method("start-mcast")
    def start_mcast(self: Node) -> None:  # type: ignore[misc]
        """The run begins."""
        self.interp.call(self.vars["mrtObject_"], "start")

    @method("stop-mcast")
    def stop_mcast(self: Node) -> None:  # type: ignore[misc]
        """The node's protocols stop, and it forgets all groups."""
        self.call("clear-caches")
        self.interp.call(self.vars["mrtObject_"], "stop")

    @method("clear-caches")
    def clear_caches(self: Node) -> None:  # type: ignore[misc]
        """Forget all groups. With members ns-2 stops here: it means to delete them, and names the variable."""
        groups = self.vars["multiclassifier_"]
        self.interp.call(groups, "clearAll")
        self.interp.call(groups, "set", "nrep_", "0")
        for variable in ("Agents_", "replicator_"):
            if self.vars.names(variable):
                raise NsError(f'invalid command name "{variable}"')

    @method("getArbiter")
    def get_arbiter(self: Node) -> str:  # type: ignore[misc]
        """What chooses the protocol of a packet; empty where the node does not know groups."""
        return self.vars.get("mrtObject_", "")

    @method("notify-mcast")
    def notify_mcast(self: Node, changes: str) -> None:  # type: ignore[misc]
        """Routes have changed."""
        if "mrtObject_" in self.vars:
            self.interp.call(self.vars["mrtObject_"], "notify", changes)

    @method("dump-routes")
    def dump_routes(self: Node, *words: str) -> None:  # type: ignore[misc]
        """Write the node's trees: channel, and perhaps a group and a source."""
        if "mrtObject_" in self.vars:
            self.interp.call(self.vars["mrtObject_"], "dump-routes", *words)

    # --- members ---

    @method("check-local")
    def check_local(self: Node, group: str) -> int:  # type: ignore[misc]
        """How many agents here are members of a group."""
        return len(self.interp.split(self.vars.get(f"Agents_({group})", "")))

    @method("new-group")
    def new_group(self: Node, source: str, group: str, interface: str, code: str) -> str:  # type: ignore[misc]
        """A packet needs a decision of the protocol (`cache-miss`, `wrong-iif`): whether to look it up again."""
        return self.interp.call(self.vars["mrtObject_"], "upcall", code, source, group, interface)

    @method("join-group")
    def join_group(self: Node, agent: str, group: str, source: str = "") -> None:  # type: ignore[misc]
        """An agent becomes a member."""
        group = self.interp.call("expr", group)
        self.interp.call(self.vars["mrtObject_"], "join-group", group, source)
        self.vars.append(f"Agents_({group})", agent)
        for replicator in self.interp.split(self.call("getReps", source or "*", group)):
            self.interp.call(replicator, "insert", agent)

    @method("leave-group")
    def leave_group(self: Node, agent: str, group: str, source: str = "") -> None:  # type: ignore[misc]
        """An agent is a member no more."""
        group = self.interp.call("expr", group)
        for replicator in self.interp.split(self.call("getReps", source or "*", group)):
            self.interp.call(replicator, "disable", agent)
        members = self.vars.get(f"Agents_({group})")
        if members is None:
            self.interp.warn("cannot leave a group without joining it")
            return
        left = self.interp.split(members)
        if agent in left:
            left.remove(agent)
        self.vars[f"Agents_({group})"] = tuple(left)
        self.interp.call(self.vars["mrtObject_"], "leave-group", group, source)

    # --- replicators ---

    @method("add-mfc")
    def add_mfc(self: Node, source: str, group: str, interface: str, heads: str) -> None:  # type: ignore[misc]
        """Packets of a source for a group are to come over an interface and go to these links, and to members."""
        place = f"replicator_({source}:{group})"
        replicator = self.vars.get(place)
        if replicator is None:
            replicator = self.interp.new("Classifier/Replicator/Demuxer")
            self.interp.call(replicator, "set", "srcID_", source)
            self.interp.call(replicator, "set", "grp_", group)
            self.vars[place] = replicator
            self.interp.call(replicator, "set", "node_", self.handle)
            for members in (f"Agents_({group})", f"Agents_({source}:{group})"):
                for agent in self.interp.split(self.vars.get(members, "")):
                    self.interp.call(replicator, "insert", agent)
            self.interp.call(self.vars["multiclassifier_"], "add-rep", replicator, source, group, interface)
        for head in sorted(self.interp.split(heads)):
            self.interp.call(replicator, "insert", head)

    @method("del-mfc")
    def del_mfc(self: Node, source: str, group: str, heads: str) -> int:  # type: ignore[misc]
        """They go to these links no more; whether there was such a group."""
        replicator = self.vars.get(f"replicator_({source}:{group})")
        if replicator is None:
            return 0
        for head in self.interp.split(heads):
            self.interp.call(replicator, "disable", head)
        return 1

    @method("add-mfc-reg")
    def add_mfc_reg(self: Node, source: str, group: str, interface: str, targets: str) -> int | None:  # type: ignore[misc]
        """Packets of the node's own agents for a group go to what takes them to the group's rendezvous point."""
        place = f"Regreplicator_({group})"
        known = self.vars.get(place)
        replicator = known
        if replicator is None:
            replicator = self.interp.new("Classifier/Replicator/Demuxer")
            self.interp.call(replicator, "set", "node_", self.handle)
            self.interp.call(replicator, "set", "srcID_", source)
            self.vars[place] = replicator
        for target in self.interp.split(targets):
            self.interp.call(replicator, "insert", target)
        if known is not None:
            return 1
        self.interp.call(self.vars["multiclassifier_"], "add-rep", replicator, source, group, interface)
        return None

    @method("getRegreplicator")
    def get_reg_replicator(self: Node, group: str) -> str:  # type: ignore[misc]
        """The replicator of these packets; -1 where there is none."""
        return self.vars.get(f"Regreplicator_({group})", "-1")

    @method("getReps")
    def get_reps(self: Node, source: str, group: str) -> list[str]:  # type: ignore[misc]
        """The replicators of a source (`*`: of all) and a group, sorted as text."""
        return sorted(self.vars[f"replicator_({key})"] for key in _matching(self, source, group))

    @method("getReps-raw")
    def get_reps_raw(self: Node, source: str, group: str) -> list[str]:  # type: ignore[misc]
        """The same with their sources and groups, in the order of Tcl's arrays."""
        found = _matching(self, source, group)
        return [word for key in found for word in (key, self.vars[f"replicator_({key})"])]

    @method("clearReps")
    def clear_reps(self: Node, source: str, group: str) -> None:  # type: ignore[misc]
        """Forget a source and a group."""
        groups = self.interp.peer_of(self.vars["multiclassifier_"], MulticastClassifier, "table of groups")
        for key in _matching(self, source, group):
            replicator = self.vars[f"replicator_({key})"]
            self.interp.call(replicator, "reset")
            self.interp.call("delete", replicator)
            for slot in [slot for slot, kept in groups.slots.items() if kept == replicator]:
                groups.call("clear", slot)
            del self.vars[f"replicator_({key})"]

    # --- interfaces ---

    @method("change-iface")
    def change_iface(self: Node, source: str, group: str, old: str, new: str) -> None:  # type: ignore[misc]
        """Packets of a source for a group are to come over another interface."""
        self.interp.call(self.vars["multiclassifier_"], "change-iface", source, group, old, new)

    @method("lookup-iface")
    def lookup_iface(self: Node, source: str, group: str) -> str:  # type: ignore[misc]
        """Over which interface they are to come; empty for an unknown group."""
        return self.interp.call(self.vars["multiclassifier_"], "lookup-iface", source, group)

    @method("add-oif")
    def add_oif(self: Node, head: str, link: str) -> None:  # type: ignore[misc]
        """A link leaves here."""
        self.vars[f"outLink_({head})"] = link

    @method("add-iif")
    def add_iif(self: Node, label: str, link: str) -> None:  # type: ignore[misc]
        """A link arrives here."""
        self.vars[f"inLink_({label})"] = link

    @method("get-all-oifs")
    def get_all_oifs(self: Node) -> list[str]:  # type: ignore[misc]
        """The heads of the links that leave here, sorted as text."""
        return sorted(self.vars.names("outLink_"))

    @method("get-all-iifs")
    def get_all_iifs(self: Node) -> list[str]:  # type: ignore[misc]
        """The labels of the links that arrive here, in the order of Tcl's arrays."""
        return self.vars.names("inLink_")

    @method("iif2link")
    def iif2link(self: Node, label: str) -> str:  # type: ignore[misc]
        """The link that arrives at an interface."""
        return self.vars[f"inLink_({label})"]

    @method("iif2oif")
    def iif2oif(self: Node, label: str) -> str:  # type: ignore[misc]
        """The head of the link back to where an interface's link comes from."""
        near = self.interp.call(self.call("iif2link", label), "src")
        return self.call("link2oif", self.simulator.call("link", self.handle, near))

    @method("link2iif")
    def link2iif(self: Node, link: str) -> str:  # type: ignore[misc]
        """The label of the interface where a link arrives."""
        return self.interp.call(self.interp.call(link, "set", "iif_"), "label")

    @method("link2oif")
    def link2oif(self: Node, link: str) -> str:  # type: ignore[misc]
        """The head of a link."""
        return self.interp.call(link, "head")

    @method("oif2link")
    def oif2link(self: Node, head: str) -> str:  # type: ignore[misc]
        """The link that a head belongs to."""
        return self.interp.call(head, "set", "link_")

    @method("rpf-nbr")
    def rpf_nbr(self: Node, target: str) -> str:  # type: ignore[misc]
        """The next node on the way to a node, given by its handle or its number."""
        return next_node(self, self.number, target)

    @method("from-node-iface")
    def from_node_iface(self: Node, node: str) -> str:  # type: ignore[misc]
        """The label of the interface over which packets of a node arrive; `?` for none."""
        if f"Node_({node})" in self.simulator.vars:
            node = self.simulator.call("get-node-by-id", node)
        link = self.simulator.call("link", self.call("rpf-nbr", node), self.handle)
        return self.interp.call(link, "if-label?") if link else "?"


def next_node(peer: EngineObject, here: int, target: str) -> str:
    """The next node on the way from one node to another."""
    simulator = peer.simulator
    node = peer.interp.find_peer(target)
    number = target if node is None else node.call("id")
    return simulator.call("get-node-by-id", peer.interp.call(simulator.call("get-routelogic"), "lookup", here, number))


def _matching(node: Node, source: str, group: str) -> list[str]:
    """The node's sources and groups that these words stand for, in the order of Tcl's arrays."""

    def is_meant(key: str) -> bool:
        here, _, there = key.partition(":")
        return source in ("*", here) and group in ("*", there)

    return [key for key in node.vars.names("replicator_") if is_meant(key)]
