"""How packets find their way: routes computed from the links' costs, once or at every change."""

from __future__ import annotations

from ackclock.ns2.bindings import catalogue
from ackclock.ns2.bindings.tcl_object import NotYet, NsError, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


#: what a protocol does when the run begins, given the nodes it was asked for
STARTERS: dict[str, Callable[[RouteLogic, list[str]], None]] = {}


def _compute(logic: RouteLogic, nodes: list[str]) -> None:
    logic.simulator.call("compute-routes")


def _nothing(logic: RouteLogic, nodes: list[str]) -> None:
    pass


#: what follows the routes when links have failed or recovered
ON_CHANGE: list[Callable[[RouteLogic], None]] = []

#: protocols that have a part at each node, which a LAN cannot have
_OF_NODES = ("DV", "LS")

STARTERS.update(Static=_compute, Session=_compute, Manual=_nothing)


@ns2_class("RouteLogic")
class RouteLogic(EngineObject):
    """Computes and installs routes."""

    def create(self, *args: str) -> None:
        #: routing messages that are on their way, by number
        self.messages: dict[int, dict[int, float]] = {}

    @method()
    def register(self, protocol: str, *nodes: str) -> None:
        """A protocol is wanted, at some nodes or at all."""
        name = f"rtprotos_({protocol})"
        known = self.interp.split(self.vars.get(name, ""))
        if not self._is_own(protocol) and protocol not in STARTERS:
            if catalogue.lookup(f"Agent/rtProto/{protocol}") is None:
                raise NsError(f'invalid command name "Agent/rtProto/{protocol}": unknown rtproto {protocol}')
            raise NotYet(f"ns-2 has rtproto {protocol}; ackclock does not have it yet")
        self.vars[name] = (*known, *nodes)
        if protocol == "Manual" and not nodes:
            self.interp.node_module = "Manual"
            self.interp.call("Node", "set", "module_list_", "Base Manual")

    def _is_own(self, protocol: str) -> bool:
        """Whether the script brings the protocol along."""
        cls = f"Agent/rtProto/{protocol}"
        if protocol in STARTERS and self.interp.call("info", "exists", f"::otcl::super({cls})") == "0":
            return False  # nobody has named it, and its file need not be loaded
        if self.interp.call("::otcl::is_class", cls) != "1":
            return False
        return "init-all" in self.interp.split(self.interp.call(cls, "info", "procs"))

    @method()
    def configure(self) -> None:
        """The simulation starts."""
        protocols = self.vars.names("rtprotos_")
        for protocol in protocols or ["Static"]:
            if self.interp.levels is not None and STARTERS.get(protocol) is not _compute:
                raise NotYet(f"rtproto {protocol} with hierarchical addresses; ackclock has Static and Session there")
            nodes = self.interp.split(self.vars.get(f"rtprotos_({protocol})", ""))
            if protocol in _OF_NODES and not nodes and self.simulator.lan_nodes:
                raise NsError(
                    f"rtproto {protocol} with a LAN: error when calling class LanNode: init-routing, as in ns-2"
                )
            if protocol in _OF_NODES and len(nodes) > 1 and not self._is_own(protocol):
                wrong = 'wrong # args: should be "set varName ?newValue?"'
                raise NsError(f"{wrong}: rtproto {protocol} takes one node or none, as in ns-2")
            if self._is_own(protocol):
                self.interp.call(f"Agent/rtProto/{protocol}", "init-all", *nodes)
            else:
                STARTERS[protocol](self, nodes)

    @method()
    def notify(self) -> None:
        """Links have failed or recovered: Session computes all routes again."""
        for protocol in self.vars.names("rtprotos_"):
            if self._is_own(protocol):
                self.interp.call(f"Agent/rtProto/{protocol}", "compute-all")
            elif protocol == "Static":
                raise NsError("`rtproto Static` cannot follow links that fail or recover; Session and DV can")
            elif protocol == "Session":
                self.simulator.call("compute-routes")
        for follow in ON_CHANGE:
            follow(self)
        if "multiSim_" in self.simulator.vars:
            self._notify_nodes()
        elif self.simulator.lan_nodes:
            raise NsError("a link fails beside a LAN: error when calling class LanNode: notify-mcast, as in ns-2")

    def _notify_nodes(self) -> None:
        """Nodes that know groups follow, unless their routes have protocols that tell them."""
        nodes = [node for _, node in sorted(self.simulator.nodes.items())]
        if not any(node.call("rtObject?") for node in nodes):
            for node in self.interp.split(self.simulator.call("all-nodes-list")):
                self.interp.call(node, "notify-mcast", "0")

    @method()
    def compute(self) -> None:
        """Compute and install all routes over the links that are up."""
        if self.interp.levels is not None:
            self.interp.levels.compute(self.simulator)
            return
        simulator = self.simulator
        asked = self.interp.lazy_objects.set_costs(simulator.vars.elements("link_"))
        for first, last, cost in simulator.costs_of(asked).values():
            if cost is None:
                self.engine.remove_route_cost(first, last)
            else:
                self.engine.set_route_cost(first, last, cost)
        self.engine.install_routes()
        nodes = len(simulator.nodes)
        if nodes > 1 and not simulator.vars.elements("link_"):
            # ns-2 looks up the route of each pair of nodes.
            from ackclock.ns2.otcl.stdio import stdio

            stdio(self.interp).write("routes not yet computed\n" * (nodes * (nodes - 1)))

    @method()
    def lookup(self, source: str, target: str) -> int:
        """The next node on the way from one node to another, -1 where there is no way."""
        first, last = (self._number(text) for text in (source, target))
        if first == last:
            return last
        node = self.simulator.nodes.get(first)
        own = node.call("rtObject?") if node is not None else ""
        if own:
            return int(self.interp.call(own, "lookup", self.simulator.nodes[last].handle))
        levels = self.interp.levels
        hops = self.engine.next_hops(first) if levels is None else levels.hops[first] if levels.hops else []
        hop = hops[last] if 0 <= last < len(hops) else None
        return -1 if hop is None else hop

    def _number(self, text: str) -> int:
        peer = self.interp.find_peer(text)
        number = getattr(peer, "number", None) if peer is not None else whole(text, "a node's number")
        if not isinstance(number, int):
            raise NsError(f'"{text}" is not a node')
        return number
