"""The place that computes the trees of `CtrMcast`, and the one that computes its rendezvous points."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject
from ackclock.ns2.library.multicast.protocol import trace_if_all_are, trace_to
from ackclock.ns2.library.routing.routes import ON_CHANGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.ns2.library.routing.routes import RouteLogic


@ns2_class("CtrMcastComp")
class TreeComputation(EngineObject):
    """Knows groups, their members and their sources, and computes a tree for each source."""

    @method("init")
    def begin(self, simulator: str) -> None:
        """`new CtrMcastComp simulator`."""
        self.vars["ns_"] = simulator
        self.call("init-groups")
        trace_if_all_are(self, "")
        self.interp.groups.computations.append(self.handle)

    @method()
    def id(self) -> str:
        """Its number in remarks."""
        return "0"

    @method()
    def trace(self, file: str, source: str, op: str = "") -> None:
        """Remarks go to this channel."""
        trace_to(self, file, self.handle, op)

    def _group(self, group: str) -> str:
        return self.interp.call("expr", group)

    # --- trees ---

    @method("reset-mroutes")
    def reset_trees(self) -> None:
        """Forget all trees."""
        for node in self.interp.split(self.simulator.call("all-nodes-list")):
            for group in self.interp.split(self.call("groups?")):
                if self.interp.peer(node).class_name != "LanNode":
                    self.interp.call(node, "clearReps", "*", group)

    @method("compute-mroutes")
    def compute_trees(self) -> None:
        """Compute all trees again."""
        self.call("reset-mroutes")
        for group in self.interp.split(self.call("groups?")):
            for source in self.interp.split(self.call("sources?", group)):
                self.call("compute-tree", source, group)

    @method("compute-tree")
    def compute_tree(self, source: str, group: str) -> None:
        """Compute the tree of a source."""
        for member in self.interp.split(self.call("members?", group)):
            self.call("compute-branch", source, group, member)

    def _root(self, source: str, group: str, node: str) -> str:
        """Where the tree of a source begins: there, or at the rendezvous point."""
        return source if self.call("treetype?", group) == "SPT" else self.call("get_rp", node, group)

    def _links_to(self, root: str, node: str) -> Iterator[tuple[str, str]]:
        """From a node to the root: each node on the way, and the head of its link to the one before it."""
        before, here = "", node
        while before != root:
            head = ""
            if before and self.interp.call(before, "rpf-nbr", root) == here:
                link = self.simulator.call("link", here, before)
                head = self.interp.call(here, "link2oif", link) if link else ""
            yield here, head
            before, here = here, self.interp.call(here, "rpf-nbr", root)

    @method("compute-branch")
    def compute_branch(self, source: str, group: str, node: str) -> None:
        """The tree of a source grows to a node, from there to where it is already."""
        root = self._root(source, group, node)
        number = self.interp.call(source, "id")
        for here, head in self._links_to(root, node):
            label = "-1" if here == root else self._label_toward(here, root)
            replicator = self.interp.call(here, "getReps", number, group)
            if not replicator:
                self.interp.call(here, "add-mfc", number, group, label, head)
                continue
            was_active = self.interp.call(replicator, "is-active") not in ("0", "")
            if head:
                self.interp.call(replicator, "insert", head)
            if was_active:
                return

    def _label_toward(self, node: str, root: str) -> str:
        link = self.simulator.call("link", self.interp.call(node, "rpf-nbr", root), node)
        return self.interp.call(link, "if-label?")

    @method("prune-branch")
    def prune_branch(self, source: str, group: str, node: str) -> None:
        """The tree of a source shrinks from a node to where others need it."""
        number = self.interp.call(source, "id")
        for here, head in self._links_to(self._root(source, group, node), node):
            replicator = self.interp.call(here, "getReps", number, group)
            if not replicator:
                return
            if head:
                self.interp.call(replicator, "disable", head)
            if self.interp.call(replicator, "is-active") not in ("0", ""):
                return

    @method()
    def notify(self) -> None:
        """Routes have changed."""
        self.interp.call(self.vars["ctrrpcomp"], "compute-rpset")
        self.call("compute-mroutes")

    # --- groups ---

    @method("init-groups")
    def init_groups(self) -> None:
        """No group is known."""
        self.vars["Glist_"] = ""

    def _add_to(self, variable: str, element: str) -> bool:
        """Append an element to a list that does not have it; whether it did not."""
        known = self.interp.split(self.vars.setdefault(variable))
        if element in known:
            return False
        self.vars.append(variable, element)
        return True

    @method("add-new-group")
    def add_new_group(self, group: str) -> None:
        """A group becomes known."""
        self._add_to("Glist_", self._group(group))

    @method("add-new-member")
    def add_new_member(self, group: str, node: str) -> None:
        """A node has a member."""
        group = self._group(group)
        self.call("add-new-group", group)
        self._add_to(f"Mlist_({group})", node)

    @method("new-source?")
    def add_new_source(self, group: str, node: str) -> int:
        """A node has a source; whether that was not known."""
        group = self._group(group)
        self.call("add-new-group", group)
        return int(self._add_to(f"Slist_({group})", node))

    @method("groups?")
    def get_groups(self) -> str:
        """All groups."""
        return self.vars["Glist_"]

    @method("members?")
    def get_members(self, group: str) -> str:
        """The nodes with members of a group."""
        return self.vars.setdefault(f"Mlist_({self._group(group)})")

    @method("sources?")
    def get_sources(self, group: str) -> str:
        """The nodes with sources of a group."""
        return self.vars.setdefault(f"Slist_({self._group(group)})")

    def _remove_from(self, variable: str, element: str, what: str) -> None:
        known = self.interp.split(self.vars[variable])
        if element in known:
            known.remove(element)
            self.vars[variable] = tuple(known)
        else:
            self.interp.call("puts", f"warning: removing {what}")

    @method("remove-member")
    def remove_member(self, group: str, node: str) -> None:
        """A node has no member any more. A group without members is forgotten."""
        group = self._group(group)
        self._remove_from(f"Mlist_({group})", node, "non-member")
        if not self.vars[f"Mlist_({group})"]:
            self._remove_from("Glist_", group, "non-existing group")

    @method("treetype?")
    def get_tree_type(self, group: str) -> str:
        """RPT: over the rendezvous point; SPT: from each source; empty for an unknown group."""
        return self.vars.get(f"treetype_({self._group(group)})", "")

    @method("treetype")
    def set_tree_type(self, group: str, kind: str) -> str:
        """Choose between them."""
        self.vars[f"treetype_({self._group(group)})"] = kind
        return kind

    @method("switch-treetype")
    def switch_tree_type(self, group: str) -> None:
        """The trees of a group begin at its sources from now on."""
        group = self._group(group)
        for trace in self.interp.split(self.vars.get("dynT_", "")):
            self.interp.call(trace, "annotate", f"{group} switch tree type")
        self.vars[f"treetype_({group})"] = "SPT"
        self.call("add-new-group", group)
        self.call("compute-mroutes")

    # --- rendezvous points ---

    def _protocol(self, node: str) -> str:
        return self.interp.call(self.interp.call(node, "getArbiter"), "getType", "CtrMcast")

    @method("set_c_rp")
    def set_points(self, *nodes: str) -> None:
        """These nodes, and no others, may be rendezvous points."""
        for node in self.interp.split(self.simulator.call("all-nodes-list")):
            if self.interp.call(node, "getArbiter"):
                self.interp.call(self._protocol(node), "unset_c_rp")
        for node in nodes:
            self.interp.call(self._protocol(node), "set_c_rp")

    @method("set_c_bsr")
    def set_bootstrap_routers(self, *nodes: str) -> None:
        """These nodes, each with its priority behind a colon, may be bootstrap routers."""
        for words in nodes:
            node, _, priority = words.partition(":")
            self.interp.call(self._protocol(node), "set_c_bsr", priority)

    @method("get_rp")
    def get_point(self, node: str, group: str) -> str:
        """The rendezvous point of a group, as a node sees it."""
        return self.interp.call(self._protocol(node), "get_rp", group)

    @method("get_bsr")
    def get_bootstrap_router(self, node: str) -> str:
        """The bootstrap router, as a node sees it."""
        return self.interp.call(self._protocol(node), "get_bsr")


@ns2_class("CtrRPComp")
class PointComputation(EngineObject):
    """Computes which rendezvous points each part of the network has."""

    @method("init")
    def begin(self, simulator: str) -> None:
        """`new CtrRPComp simulator`."""
        self.vars["ns_"] = simulator

    @method("compute-rpset")
    def compute_points(self) -> None:
        """Tell every node its rendezvous points."""
        interp, routes = self.interp, self.simulator.call("get-routelogic")
        numbers = {node: interp.call(node, "id") for node in interp.split(self.simulator.call("all-nodes-list"))}
        parts: dict[str, list[str]] = {}
        for node, number in numbers.items():
            for first in interp.array_order(parts):
                if int(interp.call(routes, "lookup", number, numbers[first])) >= 0:
                    parts[first].append(node)
                    break
            else:
                parts[node] = [node]
        for first in interp.array_order(parts):
            self._tell([node for node in parts[first] if interp.peer(node).class_name != "LanNode"])

    def _tell(self, nodes: list[str]) -> None:
        interp = self.interp
        protocols = [interp.call(interp.call(node, "getArbiter"), "getType", "CtrMcast") for node in nodes]
        has_router = any(interp.call(each, "set", "c_bsr_") not in ("0", "") for each in protocols)
        of_node = zip(nodes, protocols, strict=True)
        points = [node for node, each in of_node if interp.call(each, "set", "c_rp_") not in ("0", "")]
        for each in protocols:
            interp.call(each, "set-rpset", interp.word(tuple(points)) if has_router else "")
            if not has_router:
                interp.call("puts", "no c_bsr")


def _follow_routes(logic: RouteLogic) -> None:
    for handle in logic.interp.groups.computations:
        if logic.interp.find_peer(handle) is not None:
            logic.interp.call(handle, "notify")


ON_CHANGE.append(_follow_routes)
