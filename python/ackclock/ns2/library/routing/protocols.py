"""Routing protocols that run inside the simulation: what every node keeps, and distance vectors.

The tables are Python's and are keyed by the nodes' numbers; the engine carries the messages' numbers.
"""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject, real, whole
from ackclock.ns2.library.core.nodes import Node
from ackclock.ns2.library.links.links import Link
from ackclock.ns2.library.routing.routes import STARTERS, RouteLogic
from ackclock.ns2.library.tcp.agents import KINDS, Agent

KINDS["Agent/rtProto/Direct"] = "null"
KINDS["Agent/rtProto/DV"] = "rt_proto_dv"


def _number(text: str) -> float:
    value = real(text, "a routing metric")
    return int(value) if value == int(value) else value


@ns2_class("Agent/rtProto")
class RoutingAgent(Agent):
    """A protocol at one node: its best ways, and what they cost."""

    node: Node

    def create(self, *args: str) -> None:
        node = self.interp.find_peer(args[0]) if args else None
        if not isinstance(node, Node):
            raise NsError(f'wrong # args: should be "new {self.class_name} node"')
        super().create()
        self.node = node
        #: neighbour's number -> the link to it
        self.links: dict[int, Link] = {}
        for near in self.interp.split(node.vars["neighbor_"]):
            link = self.interp.find_peer(self.simulator.call("link", node.handle, near))
            if isinstance(link, Link):
                self.links[link.target.number] = link
        self.next_hops: dict[int, list[Link]] = {}
        self.metrics: dict[int, float] = {}
        self.preferences: dict[int, float] = {}
        self.changes = 0
        self.start()

    def class_value(self, name: str) -> float:
        """A variable of the protocol's class."""
        return _number(self.interp.call(type(self).ns2_name, "set", name))

    def start(self) -> None:
        """Nothing is known yet."""

    @method("intf-changed")
    def intf_changed(self) -> None:
        """A link of this node has failed or recovered."""

    @method("send-updates")
    def send_updates(self, changes: str) -> None:
        """Tell the neighbours."""

    @method("compute-routes")
    def compute_routes(self) -> None:
        """Find the best ways."""


@ns2_class("Agent/rtProto/Direct")
class DirectRoutes(RoutingAgent):
    """The ways to neighbours."""

    def start(self) -> None:
        preference = self.class_value("preference_")
        for number in self.simulator.nodes:
            self.preferences[number] = preference if number in self.links else 255
            self.next_hops[number] = []
            self.metrics[number] = -1

    @method("compute-routes")
    def compute_routes(self) -> None:
        """Which links are up."""
        self.changes = 0
        for near, link in self.links.items():
            is_up = link.call("up?") == "up"
            if is_up == bool(self.next_hops[near]):
                continue
            self.next_hops[near] = [link] if is_up else []
            self.metrics[near] = _number(link.call("cost?")) if is_up else -1
            self.changes += 1


@ns2_class("rtPeer")
class RoutingPeer(EngineObject):
    """What a neighbour has told."""

    @method()
    def init(self, address: str, port: str, kind: str) -> None:
        """`new rtPeer address port class`."""
        self.vars["addr_"], self.vars["port_"] = address, port
        self.address, self.port = whole(address, "an address"), whole(port, "a port")
        infinity = _number(self.interp.call(kind, "set", "INFINITY"))
        preference = _number(self.interp.call(kind, "set", "preference_"))
        self.metrics = dict.fromkeys(self.simulator.nodes, infinity)
        self.preferences = dict.fromkeys(self.simulator.nodes, preference)

    @method("addr?")
    def get_address(self) -> int:
        """The neighbour's address."""
        return self.address

    @method("port?")
    def get_port(self) -> int:
        """The neighbour's port."""
        return self.port


class MessagingAgent(RoutingAgent):
    """A protocol whose agents send messages to their neighbours'."""

    def start(self) -> None:
        #: neighbour's number -> what it has told, by the order of the neighbours' handles
        self.peers: dict[int, RoutingPeer] = {}
        self.native.listen()

    def drawn(self, low: str, high: str) -> str:
        """A uniform random number of the generator that routing has for itself."""
        return self.interp.call(self.interp.get_variable("::rtglibRNG") or "", "uniform", low, high)

    def node_routes(self) -> NodeRoutes:
        """What the node keeps of all its protocols."""
        return self.interp.peer_of(self.node.call("rtObject?"), NodeRoutes, "rtObject")

    @method("add-peer")
    def add_peer(self, near: str, address: str, port: str) -> None:
        """A neighbour has this protocol too."""
        peer = self.interp.make("rtPeer", address, port, type(self).ns2_name)
        node = self.interp.peer_of(near, Node, "node")
        assert isinstance(peer, RoutingPeer)
        self.peers[node.number] = peer
        self.vars[f"peers_({near})"] = peer.handle
        nodes = self.simulator.nodes
        self.peers = {number: self.peers[number] for number in sorted(self.peers, key=lambda n: _by_handle(nodes[n]))}


@ns2_class("Agent/rtProto/DV")
class DistanceVector(MessagingAgent):
    """Neighbours tell each other how far everything is."""

    def start(self) -> None:
        super().start()
        self._recovered: list[int] = []
        self._states = {near: link.call("up?") for near, link in self.links.items()}
        preference, unreachable = self.class_value("preference_"), self.class_value("UNREACHABLE")
        #: destination -> the neighbours that its next hops lead to
        self._via: dict[int, list[RoutingPeer]] = {}
        for number in self.simulator.nodes:
            self.preferences[number] = preference
            self.next_hops[number] = []
            self._via[number] = []
            self.metrics[number] = unreachable
        self._several = self.node.vars["multiPath_"] not in ("0", "")
        self.simulator.call("at", self.drawn("0.0", "0.5"), f"{self.handle} send-periodic-update")

    def told(self, what: str) -> None:
        if what == "received":
            sender, message = self.native.command("take", []).split()
            self.call("recv-update", sender, message)

    @method("send-periodic-update")
    def send_periodic_update(self) -> None:
        """Tell all neighbours, and again after about the class's interval."""
        self.call("send-updates", "1")
        now = self.simulator.call("now")
        interval = self.interp.call(type(self).ns2_name, "set", "advertInterval")
        drawn = self.drawn("0.9", "1.1")
        again = self.interp.call("expr", f"{now} + ({interval} * {drawn})")
        self.simulator.call("at", again, f"{self.handle} send-periodic-update")

    @method("send-updates")
    def send_updates(self, changes: str) -> None:
        """Tell all neighbours if anything has changed, else those whose links have recovered."""
        listeners = list(self.peers) if changes not in ("0", "") else self._recovered
        self._recovered = []
        for near in listeners:
            if self.links[near].call("up?") == "up":
                self._send_to(near)

    def _send_to(self, near: int) -> None:
        """How far all is from here; what lies behind that neighbour is told to be infinitely far."""
        infinity = self.class_value("INFINITY")
        table = self.node_routes()
        link = self.links[near]
        told: dict[int, float] = {}
        for number in sorted(self.simulator.nodes):
            metric = table.metrics[number]
            told[number] = infinity if metric < 0 or link in table.next_hops[number] else metric
        name = type(self).ns2_name
        message = whole(self.interp.call(name, "set", "mid_"), "the number of a message")
        self.interp.call(name, "set", "mid_", message + 1)
        _logic(self).messages[message] = told
        peer = self.peers[near]
        words = [str(word) for word in (peer.address, peer.port, message, len(told))]
        self.native.command("send", words)

    @method("recv-update")
    def recv_update(self, sender: str, message: str) -> None:
        """A neighbour has told how far all is from it."""
        infinity = self.class_value("INFINITY")
        told = _logic(self).messages.pop(int(message))
        address = int(sender)
        found = next((near for near, peer in self.peers.items() if peer.address == address), None)
        if found is None:
            raise NsError(f"node {self.node.number}: a routing message from node {sender}, which is not a neighbour")
        peer, cost = self.peers[found], self.links[found].call("cost?")
        changed = 0
        for number, metric in told.items():
            # As in ns-2, `expr` adds what is no plain number; it fails at a word.
            total = metric + int(cost) if cost.isdigit() else _number(self.interp.call("expr", f"{metric:g} + {cost}"))
            further = min(total, infinity)
            if further != peer.metrics[number]:
                peer.metrics[number] = further
                changed += 1
        if changed:
            self.call("compute-routes")
            self.changes += changed
            self.node_routes().call("compute-routes")
        elif "mrtObject_" in self.node.vars:
            # Something at the neighbour has changed, and trees depend on neighbours' routes, too.
            self.node.call("notify-mcast", "-1")

    @method("intf-changed")
    def intf_changed(self) -> None:
        """All is infinitely far behind a link that failed."""
        infinity = self.class_value("INFINITY")
        self._recovered = []
        for near, peer in self.peers.items():
            state = self.links[near].call("up?")
            if state == self._states[near]:
                continue
            self._states[near] = state
            if state == "up":
                self._recovered.append(near)
            else:
                peer.metrics = dict.fromkeys(peer.metrics, infinity)

    @method("compute-routes")
    def compute_routes(self) -> None:
        """The best ways by what the neighbours have told."""
        infinity, worst = self.class_value("INFINITY"), NodeRoutes.worst(self)
        self.changes = 0
        for number in sorted(self.simulator.nodes):
            self._compute_route(number, infinity, worst)

    def _compute_route(self, number: int, infinity: float, worst: float) -> None:
        if self._via[number]:
            self.metrics[number] = self._via[number][0].metrics[number]
            self.preferences[number] = self._via[number][0].preferences[number]
        preference, metric = worst, infinity
        ways: dict[str, RoutingPeer] = {}
        for near, peer in self.peers.items():
            its_metric, its_preference = peer.metrics[number], peer.preferences[number]
            if not 0 <= its_metric < infinity or its_preference > preference or its_metric > metric:
                continue
            if its_preference < preference or its_metric < metric:
                preference, metric = its_preference, its_metric
                ways = {}
            ways[self.links[near].handle] = peer
        if preference == worst and metric == infinity:
            return
        known = self.metrics[number]
        if preference > self.preferences[number] or (known >= 0 and metric > known):
            return
        self.changes += 1
        is_better = preference < self.preferences[number] or metric < known
        self.preferences[number], self.metrics[number] = preference, metric
        kept = [] if is_better else [link for link in self.next_hops[number] if link.handle in ways]
        via = [ways.pop(link.handle) for link in kept]
        if is_better or self._several or not kept:
            for handle in self.interp.split(self.interp.call("::otcl::hashed", tuple(ways))):
                link = self.interp.peer(handle)
                assert isinstance(link, Link)
                kept.append(link)
                via.append(ways[handle])
                if not self._several:
                    break
        self.next_hops[number], self._via[number] = kept, via


def _by_handle(node: Node) -> tuple[int, str]:
    """The order of `lsort -dictionary` among handles."""
    return len(node.handle), node.handle


def _logic(agent: DistanceVector) -> RouteLogic:
    logic = agent.interp.peer(agent.simulator.call("get-routelogic"))
    assert isinstance(logic, RouteLogic)
    return logic


@ns2_class("rtObject")
class NodeRoutes(EngineObject):
    """What a node keeps of all its protocols: the best way to every node."""

    node: Node

    @method()
    def init(self, where: str) -> None:
        """`new rtObject node`."""
        node = self.node = self.interp.peer_of(where, Node, "node")
        self.vars["node_"] = node.handle
        #: name of a protocol -> its agent at this node
        self.protocols: dict[str, RoutingAgent] = {}
        self.next_hops: dict[int, list[Link]] = {}
        self.metrics: dict[int, float] = {}
        self.preferences: dict[int, float] = {}
        self.via: dict[int, RoutingAgent | None] = {}
        node.call("init-routing", self.handle)
        null_agent = self.simulator.vars["nullAgent_"]
        for number in sorted(self.simulator.nodes):
            is_here = number == node.number
            self.next_hops[number] = []
            self.preferences[number] = 0 if is_here else self.worst(self)
            self.metrics[number] = 0 if is_here else self.unreachable(self)
            self.via[number] = None
            if not is_here:
                node.call("add-route", number, null_agent)
        self.call("add-proto", "Direct", node.handle)
        self.protocols["Direct"].call("compute-routes")

    @staticmethod
    def worst(asker: EngineObject) -> float:
        """The preference of a way that does not exist."""
        return _number(asker.interp.call("rtObject", "set", "maxpref_"))

    @staticmethod
    def unreachable(asker: EngineObject) -> float:
        """The metric of a way that does not exist."""
        return _number(asker.interp.call("rtObject", "set", "unreach_"))

    @method("add-proto")
    def add_protocol(self, name: str, node: str) -> str:
        """A protocol runs at this node."""
        agent = self.interp.make(f"Agent/rtProto/{name}", node)
        assert isinstance(agent, RoutingAgent)
        self.protocols[name] = agent
        self.vars[f"rtProtos_({name})"] = agent.handle
        self.simulator.call("attach-agent", node, agent.handle)
        return agent.handle

    def _in_order(self) -> list[RoutingAgent]:
        return [self.protocols[name] for name in self.vars.names("rtProtos_")]

    @method("intf-changed")
    def intf_changed(self) -> None:
        """A link of this node has failed or recovered."""
        for agent in self._in_order():
            agent.call("intf-changed")
            agent.call("compute-routes")
        self.call("compute-routes")

    @method("compute-routes")
    def compute_routes(self) -> None:
        """Choose among the protocols' ways, install what has changed, and tell the neighbours."""
        agents = self._in_order()
        if not any(agent.changes for agent in agents):
            return
        for agent in agents:
            agent.changes = 0
        changes = 0
        for number in sorted(self.simulator.nodes):
            if number != self.node.number:
                changes += self._choose(number, agents)
        for agent in agents:
            agent.call("send-updates", changes)
        if "mrtObject_" in self.node.vars:
            self.node.call("notify-mcast", changes)

    def _choose(self, number: int, agents: list[RoutingAgent]) -> int:
        """Choose the way to one node; how much has changed."""
        hops: list[Link] = []
        preference, metric = self.worst(self), self.unreachable(self)
        via: RoutingAgent | None = None
        for agent in agents:
            if not agent.next_hops[number]:
                continue
            its_preference, its_metric = agent.preferences[number], agent.metrics[number]
            is_better = its_preference < preference or (its_preference == preference and its_metric < metric)
            if is_better or metric < 0:
                hops, preference, metric, via = agent.next_hops[number], its_preference, its_metric, agent
        if not hops:
            if self.next_hops[number]:
                self._install(number, hops, preference, metric, via)
                return 1
            return 0
        if via is self.via[number]:
            changes = 0
            if hops != self.next_hops[number]:
                self._install(number, hops, self.preferences[number], self.metrics[number], via)
                changes += 1
            if metric != self.metrics[number]:
                self.metrics[number] = metric
                changes += 1
            self.preferences[number] = preference
            return changes
        former = self.via[number]
        if former is not None:
            self.next_hops[number] = former.next_hops[number]
            self.preferences[number] = former.preferences[number]
            self.metrics[number] = former.metrics[number]
        if self.preferences[number] == preference and self.metrics[number] == metric:
            return 0
        self._install(number, hops, preference, metric, via)
        return 1

    def _install(
        self, number: int, hops: list[Link], preference: float, metric: float, via: RoutingAgent | None
    ) -> None:
        old = tuple(link.handle for link in self.next_hops[number])
        self.node.call("delete-routes", number, old, self.simulator.vars["nullAgent_"])
        self.next_hops[number], self.preferences[number], self.metrics[number] = list(hops), preference, metric
        self.via[number] = via
        if hops:
            self.node.call("add-routes", number, tuple(link.handle for link in hops))

    def _node(self, handle: str) -> int:
        return self.interp.peer_of(handle, Node, "node").number

    @method()
    def lookup(self, node: str) -> int:
        """The next node on the way to a node, -1 where there is no way."""
        hops = self.next_hops.get(self._node(node))
        return hops[0].target.number if hops else -1

    @method("rtProto?")
    def get_protocol(self, name: str) -> str:
        """A protocol's agent, empty if it does not run here."""
        return self.protocols[name].handle if name in self.protocols else ""

    @method("nextHop?")
    def get_next_hop(self, node: str) -> tuple[str, ...]:
        """The links to a node."""
        return tuple(link.handle for link in self.next_hops[self._node(node)])

    @method("metric?")
    def get_metric(self, node: str) -> float:
        """How far a node is."""
        return self.metrics[self._node(node)]

    @method("rtpref?")
    def get_preference(self, node: str) -> float:
        """The preference of the protocol whose way is used."""
        return self.preferences[self._node(node)]

    @method("dump-routes")
    def dump_routes(self, channel: str) -> None:
        """Write the table."""
        here = f"{self.node.handle}({self.node.number})"
        lines = [f"Node:\t{here}\tat t = {self.engine.now():4.2f}", "  Dest\t\t nextHop\tPref\tMetric\tProto"]
        for number, node in sorted(self.simulator.nodes.items()):
            via = self.via[number]
            head = f"{node.handle:<5}({number})\t"
            if self.next_hops[number] and via is not None:
                name = via.class_name.rpartition("/")[2]
                for link in self.next_hops[number]:
                    tail = f"{self.preferences[number]:3d}\t{self.metrics[number]:4d}\t {name}"
                    lines.append(f"{head}{link.handle:<5}({link.target.number})\t{tail}")
            elif number == self.node.number:
                lines.append(f"{head}{node.handle:<5}({number})\t000\t   0\t Local")
            else:
                lines.append(f"{head}     (-)\t255\t  32\t Unknown")
        for line in lines:
            self.interp.call("puts", channel, line)


def start_everywhere(logic: RouteLogic, nodes: list[str], name: str) -> list[RoutingAgent]:
    """A protocol of this name runs at these nodes, or at all, and knows its neighbours; its agents."""
    simulator = logic.simulator
    logic.interp.call("Agent", "set-maxttl", f"Agent/rtProto/{name}", "INFINITY")
    chosen = nodes or logic.interp.split(simulator.call("all-nodes-list"))
    tables = [logic.interp.make("rtObject", node) for node in chosen if not logic.interp.call(node, "rtObject?")]
    for table in tables:
        table.call("compute-routes")
    agents = {node: logic.interp.call(logic.interp.call(node, "rtObject?"), "add-proto", name, node) for node in chosen}
    for node in chosen:
        for near in logic.interp.split(logic.interp.call(node, "neighbors")):
            table = logic.interp.find_peer(logic.interp.call(near, "rtObject?"))
            agent = logic.interp.find_peer(table.call("rtProto?", name)) if table is not None else None
            if agent is not None:
                address, port = agent.get_bound("agent_addr_"), agent.get_bound("agent_port_")
                logic.interp.call(agents[node], "add-peer", near, address, port)
    started = [logic.interp.peer(agent) for agent in agents.values()]
    return [agent for agent in started if isinstance(agent, RoutingAgent)]


def _start(logic: RouteLogic, nodes: list[str]) -> None:
    start_everywhere(logic, nodes, "DV")


STARTERS["DV"] = _start
