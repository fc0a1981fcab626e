"""Nodes and what stands in them: classifiers and routing modules."""

from __future__ import annotations

# `collections.abc` is this one, and takes `collections` along, which every script would wait for.
from _collections_abc import Mapping

from ackclock.ns2.bindings.lazy_objects import Kind, Plan
from ackclock.ns2.bindings.tcl_object import NsError, TclObject, method, ns2_class
from ackclock.ns2.library.core.classifiers import Classifier
from ackclock.ns2.library.core.engine import EngineObject, whole
from ackclock.ns2.library.monitors.nam import DrawnNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, ClassVar

    from ackclock import _native
    from ackclock.ns2.library.core.simulator import Simulator
    from ackclock.ns2.library.links.links import SimpleLink
    from ackclock.ns2.otcl.interp import Interpreter

    #: what does the work of a part of a link
    PartWorker = (
        _native.TracePlace | _native.Monitor | _native.Link | _native.ErrorModule | _native.Node | _native.Agent | None
    )


@ns2_class("Connector")
class Connector(EngineObject):
    """A part of a link. While nobody takes the link apart, the engine has it in one piece (links/parts.py)."""

    lazy_parts: ClassVar = {"links.parts.Connected": "target drop-target"}
    #: the engine's part, once it has one
    part: _native.Part | None = None
    #: the link in which it stands, as far as that is known
    stands_in: SimpleLink | None = None
    #: what comes behind it, and where the packets go that it drops, once somebody has said so
    target_handle = drop_handle = ""

    def describe_part(self) -> tuple[str, PartWorker]:
        """What the engine is to make of it: the kind of part, and what does the work."""
        return "connector", None

    @method("isDynamic")
    def is_dynamic(self) -> None:
        """Links that can fail ask every part to be ready."""

    @method()
    def reset(self) -> None:
        """A link has failed; most parts have nothing to forget."""


@ns2_class("TTLChecker")
class TtlChecker(Connector):
    """Counts a packet's hops down."""

    def describe_part(self) -> tuple[str, PartWorker]:
        return "hop_limit", None


@ns2_class("RtModule")
class RoutingModule(EngineObject):
    """Part of a node that knows about routes."""

    @method("module-name")
    def module_name(self) -> str:
        """The last word of the class."""
        return type(self).ns2_name.rpartition("/")[2]

    def furnish(self, node: Node, address: str) -> None:
        """Give a new node its tables, and its address if it is told one; for modules in the base module's place."""
        raise NotImplementedError


@ns2_class("RtModule/Base")
class BaseRoutingModule(RoutingModule):
    """The module that every node has."""


#: the base module, its table, and the table of ports
_PARTS = ("RtModule/Base",), ("Classifier/Hash/Dest", "32")
_PORTS = ("Classifier/Port",)

#: modules that a node has in addition to the base one
_BESIDE_BASE = {"Source"}


@ns2_class("Node")
class Node(DrawnNode, EngineObject):
    """A node."""

    lazy_parts: ClassVar = {
        "core.lookups.NodeQueries": "is-neighbor tn list-modules get-module get-shape get-color change-color",
        "multicast.nodes.MulticastNode": "enable-mcast start-mcast stop-mcast clear-caches getArbiter notify-mcast"
        " dump-routes check-local new-group join-group leave-group add-mfc del-mfc add-mfc-reg getRegreplicator getReps"
        " getReps-raw clearReps change-iface lookup-iface add-oif add-iif get-all-oifs get-all-iifs iif2link iif2oif"
        " link2iif link2oif oif2link rpf-nbr from-node-iface",
        "routing.node_routes.RoutedNode": "add-route delete-route init-routing rtObject? intf-changed add-routes"
        " delete-routes",
        "tcp.quick_start_routers.QuickStartNode": "qs-agent",
    }
    native: _native.Node
    #: its number, by which scripts and traces name it
    number: int

    def create(self, *args: str) -> None:
        self.stand_for(self.engine.add_node(), self.interp.class_value("Node", "multiPath_"), *args)
        self.interp.count("Node", "nn_").set(self.number + 1)
        if self.interp.node_module == "Base":
            self._stand_alone()
        else:
            self._stand_with(self.interp.node_module, args[0] if args else "")
        for name in self.interp.further_modules:
            self.add_module(name, args[0] if args else "")
        if self.simulator.vars.get("QS_") == "ON":
            from ackclock.ns2.library.tcp.quick_start_routers import join

            join(self)

    def stand_for(self, native: _native.Node, multi_path: str, *address: str) -> None:
        """This node of the engine's."""
        self.native = native
        number = self.number = native.number
        self.agents: list[str] = []
        #: ports whose agents were detached
        self.left_ports: set[int] = set()
        first = {
            "id_": str(number),
            "address_": address[0] if address else str(number),
            "ns_": self.simulator.handle,
            "agents_": "",
            "neighbor_": "",
            "dmux_": "",
            "nodetype_": "",
            "multiPath_": multi_path,
            "rtsize_": "0",
        }
        self.vars.begin(first)

    def _stand_alone(self) -> None:
        self.take_parts(*self.interp.parts(self, *_PARTS))

    def take_parts(self, module: str, table: str) -> None:
        """The base module and its table."""
        self.vars["classifier_"] = table
        self.vars["reg_module_(Base)"] = module

    def _stand_with(self, name: str, address: str) -> None:
        if name in _BESIDE_BASE:
            self._stand_alone()
        else:
            # ns-2 makes the base module and its table, and throws them away.
            self.interp.skip_handles(2)
        self.add_module(name, address)

    def add_module(self, name: str, address: str = "") -> None:
        """One routing module more."""
        module = self.interp.make(f"RtModule/{name}")
        assert isinstance(module, RoutingModule)
        module.furnish(self, address)
        self.vars[f"reg_module_({name})"] = module.handle

    def finish(self, peer: TclObject, place: int) -> None:
        """A part of the node was made: tables know whose they are."""
        if isinstance(peer, Classifier):
            peer.node = self.number

    def table(self, kind: str, *args: int) -> str:
        """A new table of this node's."""
        table = self.interp.new(kind, *args)
        peer = self.interp.peer(table)
        assert isinstance(peer, Classifier)
        peer.node = self.number
        return table

    @method()
    def id(self) -> int:
        """The node's number."""
        return self.number

    @method("node-addr")
    def node_addr(self) -> str:
        """The node's address: its number, or one in levels."""
        return self.vars["address_"]

    @method("node-type")
    def node_type(self) -> str:
        """Always the plain kind."""
        return self.vars["nodetype_"]

    @method()
    def nodeid(self, number: str) -> None:
        """The number is the engine's; nothing to tell it."""

    @method()
    def entry(self) -> str:
        """Where packets enter the node."""
        return self.vars["classifier_"]

    @method()
    def demux(self) -> str:
        """The table of ports."""
        return self.vars["dmux_"]

    @method("is-lan?")
    def is_lan(self) -> str:
        """Whether this is a shared medium: no."""
        return "0"

    @method()
    def neighbors(self) -> list[str]:
        """Nodes that links from here lead to, sorted as text."""
        return sorted(self.interp.split(self.vars["neighbor_"]))

    @method("add-neighbor")
    def add_neighbor(self, node: str, pushback: str = "0") -> None:
        """A link from here leads to that node."""
        self.vars.append("neighbor_", node)

    @method()
    def attach(self, agent: str, port: str = "") -> None:
        """Put an agent at a port, the lowest free one by default."""
        peer = self.interp.peer(agent)
        attach_to = getattr(peer, "attach_to", None)
        if attach_to is None:
            raise NsError(f"{agent} is a {peer.class_name}, no agent: it cannot be attached to a node")
        if not self.vars["dmux_"]:
            self.take_ports(self.interp.parts(self, _PORTS)[0])
        self.take_agent(agent)
        peer.vars["node_"] = self.handle
        attach_to(self, None if port == "" else whole(port, "a port"))

    def take_ports(self, table: str) -> None:
        """The table of ports, which the first agent brings along."""
        self.vars["dmux_"] = table
        self.vars["rtsize_"] = "1"

    def take_agent(self, agent: str) -> None:
        """One agent more stands at the node."""
        self.agents.append(agent)
        self.vars.append("agents_", agent)

    @method()
    def detach(self, agent: str, null_agent: str = "") -> None:
        """Take an agent off its port."""
        if agent in self.agents:
            self.agents.remove(agent)
            self.left_ports.add(int(self.interp.call(agent, "set", "agent_port_")))
        self.vars["agents_"] = tuple(self.agents)
        peer = self.interp.peer(agent)
        peer.vars["node_"] = ""
        detach_from = getattr(peer, "detach_from", None)
        if detach_from is not None:
            detach_from(self)
        if not self.vars["dmux_"]:
            raise NsError('invalid command name ""')  # ns-2 calls the node's table of ports, which it does not have yet

    @method()
    def agent(self, port: str) -> str:
        """The agent at a port, empty where there is none."""
        for agent in self.agents:
            if self.interp.call(agent, "set", "agent_port_") == port:
                return agent
        return ""

    @method("alloc-port")
    def alloc_port(self, null_agent: str) -> int:
        """The lowest free port."""
        taken = {self.interp.call(agent, "set", "agent_port_") for agent in self.agents}
        port = 0
        while str(port) in taken:
            port += 1
        return port

    @method()
    def reset(self) -> None:
        """The simulation starts: reset every agent, in order of attachment."""
        self.interp.call_each(self.agents, "reset")


class Nodes(Mapping[int, Node]):
    """The nodes of a network by their numbers, each made when it is asked for."""

    def __init__(self, interp: Interpreter) -> None:
        self._interp = interp
        #: number -> handle
        self.handles: dict[int, str] = {}

    def __getitem__(self, number: int) -> Node:
        return self._interp.peer_of(self.handles[number], Node, "node")

    def made(self) -> list[Node]:
        """Those that somebody has asked for."""
        has = self._interp.lazy_objects.has
        return [self[number] for number, handle in self.handles.items() if not has(handle)]

    def __iter__(self) -> Iterator[int]:
        return iter(self.handles)

    def __len__(self) -> int:
        return len(self.handles)


class PlainNodes(Kind):
    """Nodes as most are: with the base module and no other."""

    def __init__(self, simulator: Simulator, plans: tuple[Plan, ...]) -> None:
        super().__init__(simulator.interp, plans)
        self._simulator = simulator
        self._multi_path = self.interp.class_value("Node", "multiPath_")

    def finish(self, peer: Any, place: int, *facts: Any) -> None:
        """The script has named a node or a part of it: tables know whose they are."""
        if isinstance(peer, Classifier):
            # A table of ports is told its node's number, and other parts what the node itself is told.
            peer.node = facts[0] if isinstance(facts[0], int) else facts[0].number
        if place > 0:
            return
        native, (module, table, ports), neighbours, agents, is_introduced = facts
        peer.stand_for(native, self._multi_path)
        peer.take_parts(module, table)
        for neighbour in neighbours:
            peer.add_neighbor(self._simulator.nodes.handles[neighbour])
        if ports:
            peer.take_ports(ports)
        for agent in agents:
            peer.take_agent(agent)
        if is_introduced:
            peer.take_looks()

    def answers(self) -> list[str]:
        own: dict[str, Callable[..., Any]] = {
            "add-neighbor": Node.add_neighbor,
            "attach": Node.attach,
            "id": Node.id,
            "reset": Node.reset,
        }
        found = self.library_answers("Node", own)
        if self.interp.answer_of("Node", "is-lan?") is Node.is_lan:
            found.append("is-lan?")
            if self.interp.answer_of("Node", "dump-namconfig"):
                found.append("dump-namconfig")
        return found


def register_nodes(simulator: Simulator) -> bool:
    """Tell the extension how nodes are made, unless a script or an option of the network has a say in it."""
    interp = simulator.interp
    if (
        interp.node_module != "Base"
        or interp.further_modules
        or "QS_" in simulator.vars
        or interp.class_value("Simulator", "node_factory_") != "Node"
    ):
        return False
    plans = [interp.plan("Node"), *[interp.plan(*words) for words in (*_PARTS, _PORTS)]]
    if None not in plans:
        node, module, table, ports = plans
        node.args = None  # type: ignore[union-attr]
        kind = PlainNodes(simulator, (node, module, table))  # type: ignore[arg-type]
        interp.lazy_objects.learn_nodes(kind, (ports,))
    return None not in plans
