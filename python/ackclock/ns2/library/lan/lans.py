"""Shared media: LANs, the interfaces of their nodes, and how routes see them."""

from __future__ import annotations

from itertools import zip_longest

from ackclock.ns2.bindings.tcl_object import NotYet, NsError, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject
from ackclock.ns2.library.core.nodes import Node
from ackclock.ns2.library.lan.network_interface import NetworkInterface
from ackclock.ns2.library.monitors.nam import tell
from ackclock.ns2.library.monitors.traces import Trace
from ackclock.ns2.library.queues.queues import Queue
from ackclock.ns2.library.queues.red import Red

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.library.core.simulator import Simulator


class _Part(EngineObject):
    """A part of an interface. What the script sets is kept, and told to the engine once the interface is there."""

    port: _native.Link | None = None

    def read_bound(self, name: str) -> float:
        return self.bound.get(name, 0)

    def write_bound(self, name: str, value: float) -> None:
        self.bound[name] = value
        if self.port is not None:
            self.tell_engine(name, value)

    def tell_engine(self, name: str, value: float) -> None:
        """The engine learns of a variable that has an effect there."""

    def join(self, port: _native.Link) -> None:
        """The engine's port that this is a part of."""
        self.port = port
        for name, value in self.bound.items():
            self.tell_engine(name, value)


@ns2_class("LL")
class LinkLayer(_Part):
    """What a packet waits for before the queue, and once more on its way up."""

    def tell_engine(self, name: str, value: float) -> None:
        if name == "delay_" and self.port is not None:
            self.port.set_param("delay_s", value)


@ns2_class("Mac")
class Mac(_Part):
    """How an interface uses the medium: as if it were alone."""

    access = "plain"

    def tell_engine(self, name: str, value: float) -> None:
        engine_name = {"bandwidth_": "rate_bps", "delay_": "delay_s", "trace_": "traces_collisions"}.get(name)
        if engine_name is not None and self.port is not None:
            self.port.set_port_param(engine_name, value)

    @method()
    def id(self) -> int:
        """A number of its own."""
        return -1 if self.port is None else self.port.number


@ns2_class("Mac/802_3")
class EthernetMac(Mac):
    """The same with collisions: Ethernet."""

    access = "ethernet"


@ns2_class("Phy")
class Phy(_Part):
    """What an interface sends with."""


@ns2_class("Phy/WiredPhy")
class WiredPhy(Phy):
    """A wire's end."""

    def tell_engine(self, name: str, value: float) -> None:
        if name == "bandwidth_" and self.port is not None:
            if value <= 0:
                raise NsError(f"a LAN's bandwidth is {value:g} b/s; it must be positive")
            self.port.set_param("rate_bps", value)


@ns2_class("Channel")
class Channel(EngineObject):
    """The medium."""

    lan: _native.Lan | None = None

    def read_bound(self, name: str) -> float:
        return self.bound.get(name, 0)

    def write_bound(self, name: str, value: float) -> None:
        self.bound[name] = value
        if name == "delay_" and self.lan is not None:
            self.lan.set_delay(value)


@ns2_class("VARPTable")
class AddressTable(EngineObject):
    """Which interface a node has. The engine knows."""


@ns2_class("LanRouter")
class LanRouter(EngineObject):
    """Which node of a LAN is next on the way to a destination. The engine knows."""

    def create(self, *args: str) -> None:
        self.simulator.call("get-routelogic")


#: variable of an interface, class of trace, place on the engine's port, whether packets go up
_TRACES = (
    ("hopT_", "Hop", "entry", False),
    ("rcvT_", "Recv", "received", True),
    ("enqT_", "Enque", "head", False),
    ("deqT_", "Deque", "dequeued", False),
    ("drpT_", "Drop", "dropped", False),
)
#: parts of an interface: variable, and the option that names its class
_PARTS = (
    ("ll_", "llType_"),
    ("ifq_", "ifqType_"),
    ("mac_", "macType_"),
    ("iface_", ""),
    ("phy_", "phyType_"),
    ("entry_", "Connector"),
    ("drophead_", "Connector"),
)


def _options(peer: EngineObject, names: tuple[str, ...], words: tuple[str, ...]) -> None:
    """What `-name value` says, and the class's values for the rest; other words are passed over, as in ns-2.

    Many a published script gives types by their place, which `make-lan` takes and `newLan` does not.
    """
    for name in names:
        peer.vars[f"{name}_"] = peer.interp.call(type(peer).ns2_name, "set", f"{name}_")
    passed_over = []
    for flag, value in zip_longest(words[::2], words[1::2], fillvalue=""):
        name = flag.removeprefix("-")
        if value and flag[:1] == "-" and "A" <= flag[1:2] <= "z" and peer.has(name):
            peer.vars[f"{name}_"] = value
        elif value or not flag.startswith("-"):
            passed_over += [flag, value]
    if passed_over:
        peer.interp.warn(
            f"{peer.class_name} {peer.handle} passes over {' '.join(passed_over).strip()}: "
            f"its options are {', '.join('-' + name for name in names)}, each with a value"
        )


class _Options:
    """What both a LAN and an interface of it can be told."""

    @method("ifqType", "ifqLen", "llType", "macType", "phyType", "mactrace", "chanType", "bw", "delay", "address")
    def option(self, value: str) -> None:
        """Given at once, as `-ifqType Queue/DropTail`."""


@ns2_class("LanIface")
class LanInterface(_Options, EngineObject):
    """A node's interface to a LAN."""

    node: Node
    port: _native.Link

    @method()
    def init(self, node: str, lan: str, *words: str) -> None:
        """`new LanIface node lan ?-option value ...?`."""
        self.node, self.lan = self.interp.peer_of(node, Node, "node"), self.interp.peer_of(lan, LanNode, "LAN")
        self.vars["node_"], self.vars["lan_"] = node, lan
        self.vars["ifqLen_"] = ""
        _options(self, ("ifqType", "llType", "macType", "mactrace", "phyType"), words)
        for variable, option in _PARTS:
            kind = {"": "NetworkInterface", "Connector": "Connector"}.get(option) or self.vars[option]
            self.vars[variable] = self.interp.new(kind)
            if variable == "ifq_" and self.vars["ifqLen_"]:
                self.interp.call(self.vars["ifq_"], "set", "limit_", self.vars["ifqLen_"])
            if variable == "mac_" and self.vars["macType_"] == "Mac/802_3":
                self.interp.call(self.vars["mac_"], "set", "trace_", self.vars["mactrace_"])
        self._join()

    def _join(self) -> None:
        layer, queue, mac, phy = (self.interp.peer(self.vars[name]) for name in ("ll_", "ifq_", "mac_", "phy_"))
        wanted = ((layer, LinkLayer), (queue, Queue), (mac, Mac), (phy, Phy))
        for part, kind in wanted:
            if not isinstance(part, kind):
                raise NotYet(f"{part.class_name} on a LAN: ackclock does not have it yet")
        assert isinstance(queue, Queue) and isinstance(mac, Mac)
        if isinstance(queue, Red):
            raise NsError("RED on a LAN: it needs a link's bandwidth, which an interface has not; ns-2 crashes here")
        rate_bps, delay_s = phy.read_bound("bandwidth_"), layer.read_bound("delay_")
        self.port = self.lan.medium.add_port(self.node.native, rate_bps, delay_s, queue.discipline, mac.access)
        queue.join(self.port)
        for part in (layer, mac, phy):
            assert isinstance(part, _Part)
            part.join(self.port)

    @method()
    def entry(self) -> str:
        """Where packets enter the LAN."""
        return self.vars["entry_"]

    def _ends(self, goes_up: bool) -> tuple[str, str]:
        node, lan = self.node.handle, str(self.lan.number)
        return (lan, node) if goes_up else (node, lan)

    @method()
    def trace(self, simulator: str, file: str, op: str = "") -> None:
        """Trace what enters the LAN, the queue and the medium, what is lost, and what leaves it."""
        collisions = ""
        for variable, kind, place, goes_up in _TRACES:
            self._trace(variable, kind, place, simulator, file, self._ends(goes_up), op)
        if self.vars["mactrace_"] == "true":
            collisions = "macdrpT_"
            self._trace(collisions, "Collision", "collided", simulator, file, self._ends(False), op)
            self.interp.new("Connector")

    def _trace(
        self, variable: str, kind: str, place: str, simulator: str, file: str, ends: tuple[str, str], op: str
    ) -> None:
        handle = self.interp.call(simulator, "create-trace", kind, file, *ends, op)
        self.vars[variable] = handle
        trace = self.interp.peer_of(handle, Trace, "trace")
        self.port.add_trace(place, trace.place)

    @method("nam-trace")
    def nam_trace(self, simulator: str, file: str) -> None:
        """The same for nam: by the traces that are there, or by new ones."""
        if "hopT_" in self.vars:
            self.interp.call(self.vars["hopT_"], "namattach", file)
        else:
            self.call("trace", simulator, file, "nam")
        for variable in ("rcvT_", "enqT_", "deqT_", "drpT_"):
            self.interp.call(self.vars[variable], "namattach", file)


def _end(peer: EngineObject, handle: str) -> Node | LanNode:
    """A node, or the LAN, by its handle."""
    found = peer.interp.peer(handle)
    if not isinstance(found, (Node, LanNode)):
        raise NsError(f'unknown node "{handle}"')
    return found


@ns2_class("Vlink")
class VirtualLink(EngineObject):
    """What routes see between a node and a LAN."""

    #: the engine's port, of a link to a LAN of a network with groups
    port: _native.Link | None = None

    @method()
    def init(self, simulator: str, lan: str, src: str, dst: str, bandwidth: str, delay: str) -> None:
        """`new Vlink ns lan src dst bandwidth delay`."""
        self.source, self.target = _end(self, src), _end(self, dst)
        names = ("ns_", "lan_", "src_", "dst_", "bw_", "delay_")
        for name, value in zip(names, (simulator, lan, src, dst, bandwidth, delay), strict=True):
            self.vars[name] = value

    @method("up?")
    def get_up(self) -> str:
        """A LAN does not fail."""
        return "up"

    @method()
    def queue(self, queue: str = "") -> str:
        """The interface's queue; told or asked."""
        if queue:
            self.vars["queue_"] = queue
        return self.vars["queue_"]

    @method()
    def src(self) -> str:
        """The node it leaves, or the LAN."""
        return self.vars["src_"]

    @method()
    def dst(self) -> str:
        """The node it enters, or the LAN."""
        return self.vars["dst_"]

    @method()
    def head(self) -> str:
        """Where packets enter; nowhere on the way from the LAN."""
        if not isinstance(self.target, LanNode):
            return ""
        return self.target.interfaces[self.vars["src_"]].entry()

    @method()
    def cost(self, cost: str) -> None:
        """What it counts for in the choice of routes."""
        self.vars["cost_"] = cost

    @method("cost?")
    def get_cost(self) -> str:
        """What it counts for in the choice of routes."""
        return self.vars.get("cost_", "1")

    @method("if-label?")
    def get_label(self) -> str:
        """The label of its interface."""
        return self.interp.call(self.vars["iif_"], "label")

    @method("dump-nam-queueconfig")
    def dump_nam_queueconfig(self) -> None:
        """nam draws no queue here."""


@ns2_class("LanNode")
class LanNode(_Options, EngineObject):
    """A LAN: what stands for it in routes."""

    native: _native.Node
    number: int
    medium: _native.Lan

    @method()
    def init(self, simulator: str, *words: str) -> None:
        """`new LanNode $ns ?-option value ...?`."""
        names = ("ifqType", "ifqLen", "llType", "macType", "chanType", "phyType", "address", "mactrace")
        _options(self, names, words)
        self.next_after(LanNode, "init")
        self.native = self.engine.add_node()
        self.number = self.native.number
        self.interp.call("Node", "set", "nn_", self.number + 1)
        self.interfaces: dict[str, LanInterface] = {}
        for name, value in {"ns_": simulator, "nodelist_": "", "cost_": 1, "id_": self.number}.items():
            self.vars[name] = value
        if self.interp.levels is None:
            self.vars["address_"] = self.number
        else:
            self.interp.levels.add(self.native, self.vars["address_"])
        self.simulator.vars[f"Node_({self.number})"] = self.handle
        self.simulator.lan_nodes[self.number] = self.handle
        self.vars["defRouter_"] = self.interp.new("LanRouter", simulator, self.handle)
        if self.interp.call(simulator, "multicast?") != "0":
            self.interp.new("Classifier/Hash/Dest", 32)
        channel = self.interp.make(self.vars["chanType_"])
        if type(channel) is not Channel:
            raise NotYet(f"{channel.class_name} of a LAN: ackclock does not have it yet")
        self.vars["channel_"] = channel.handle
        self.vars["varp_"] = self.interp.new("VARPTable")
        self.medium = channel.lan = self.engine.add_lan(self.native, channel.read_bound("delay_"))

    @method("addNode")
    def add_node(self, nodes: str, bandwidth: str, delay: str, *kinds: str) -> None:
        """Nodes join: link layer, queue, access method, physical layer, trace of collisions, length of the queue."""
        names = ("llType", "ifqType", "macType", "phyType", "mactrace", "ifqLen")
        given = dict(zip(names, kinds, strict=False))
        options = [word for name in names for word in (f"-{name}", given.get(name) or self.vars[f"{name}_"])]
        simulator = self.simulator
        for handle in self.interp.split(nodes):
            interface = self.interp.make("LanIface", handle, self.handle, *options)
            assert isinstance(interface, LanInterface)
            for ask, tell_of in (("get-ns-traceall", "trace"), ("get-nam-traceall", "nam-trace")):
                file = simulator.call(ask)
                if file:
                    interface.call(tell_of, simulator.handle, file)
            self.interp.call(interface.vars["ll_"], "set", "delay_", delay)
            self.interp.call(interface.vars["phy_"], "set", "bandwidth_", bandwidth)
            self.interfaces[handle] = interface
            self.vars[f"lanIface_({handle})"] = interface.handle
            self.interp.call(handle, "add-neighbor", self.handle)
            links = [
                self._connect(ends, bandwidth, interface) for ends in ((handle, self.handle), (self.handle, handle))
            ]
            if "multiSim_" in simulator.vars and simulator.call("multicast?") != "0":
                self._join_groups(handle, links, interface)
        self.vars["nodelist_"] = (*self.interp.split(self.vars["nodelist_"]), *self.interp.split(nodes))
        self.call("cost", self.vars["cost_"])

    def _join_groups(self, node: str, links: list[VirtualLink], interface: LanInterface) -> None:
        """A node that knows groups learns of its links to the LAN and from it."""
        door = self.interp.peer_of(interface.vars["iface_"], NetworkInterface, "interface")
        outward, inward = links
        self.interp.call(node, "add-oif", outward.call("head"), outward.handle)
        self.interp.call(node, "add-iif", door.call("label"), inward.handle)
        for link in links:
            link.vars["iif_"] = door.handle
        outward.port = interface.port
        door.mark(interface.port)

    def _connect(self, ends: tuple[str, str], bandwidth: str, interface: LanInterface) -> VirtualLink:
        link = self.interp.make("Vlink", self.simulator.handle, self.handle, *ends, bandwidth, 0)
        first, last = (self.interp.call(end, "id") for end in ends)
        self.simulator.vars[f"link_({first}:{last})"] = link.handle
        link.call("queue", interface.vars["ifq_"])
        head = link.call("head")
        if head:
            self.interp.call(head, "set", "link_", link.handle)
        assert isinstance(link, VirtualLink)
        return link

    @method()
    def cost(self, cost: str) -> None:
        """What crossing the LAN counts for in the choice of routes."""
        self.vars["cost_"] = cost
        half = self.interp.call("expr", f"{cost} / 2.0")
        for handle in self.interp.split(self.vars["nodelist_"]):
            number = self.interp.call(handle, "id")
            for ends in (f"{self.number}:{number}", f"{number}:{self.number}"):
                self.interp.call(self.simulator.vars[f"link_({ends})"], "cost", half)

    @method("cost?")
    def get_cost(self) -> str:
        """What crossing the LAN counts for in the choice of routes."""
        return self.vars["cost_"]

    @method()
    def id(self) -> int:
        """Its number among the nodes."""
        return self.number

    @method("node-addr")
    def node_addr(self) -> str:
        """Its address: its number, or one in levels."""
        return self.vars["address_"]

    @method("is-lan?")
    def is_lan(self) -> int:
        """Yes."""
        return 1

    @method("rpf-nbr")
    def rpf_nbr(self, target: str) -> str:
        """The next node on the way to a node, given by its handle or its number."""
        from ackclock.ns2.library.multicast.nodes import next_node

        return next_node(self, self.number, target)

    @method("designate-ump-router")
    def designate_router(self, group: str, root: str) -> None:
        """The router that forwards packets of a group towards the root of its tree is the next one on the way."""
        self.vars[f"up_({group})"] = self.call("rpf-nbr", root)

    @method("rtObject?", "reset", "add-route", "sp-add-route", "attach", "intf-changed", "start-mcast", "getArbiter")
    def nothing(self, *args: str) -> None:
        """What is asked of nodes, and means nothing here."""

    @method("dump-namconfig")
    def dump_namconfig(self) -> None:
        """The LAN as nam's file introduces it: nodes above and below in turn."""
        bandwidth, delay = self.vars["bw_"], self.vars["delay_"]
        tell(self, f"X -t * -n {self.number} -r {bandwidth} -D {delay} -o left")
        for place, handle in enumerate(self.interp.split(self.vars["nodelist_"])):
            side = "down" if place % 2 else "up"
            tell(self, f"L -t * -s {self.number} -d {self.interp.call(handle, 'id')} -o {side}")


class SharedNetwork:
    """What a script says of LANs."""

    @method("newLan")
    def new_lan(self: Simulator, nodes: str, bandwidth: str, delay: str, *options: str) -> str:  # type: ignore[misc]
        """A LAN of these nodes."""
        lan = self.interp.new("LanNode", self.handle, "-bw", bandwidth, "-delay", delay, *options)
        self.interp.call(lan, "addNode", nodes, bandwidth, delay)
        return lan

    @method("make-lan")
    def make_lan(self: Simulator, *words: str) -> str:  # type: ignore[misc]
        """The same, its parts in turn: `?-trace on? nodes bandwidth delay ?ll ifq mac channel phy length?`."""
        traced = "false"
        if words[:1] == ("-trace",):
            traced = "true" if words[1:2] == ("on",) else "".join(words[1:2])
            words = words[2:]
        if len(words) < 3:
            raise NsError('wrong # args: should be "make-lan nodes bandwidth delay ?ll ifq mac channel phy length?"')
        nodes, bandwidth, delay, *kinds = words
        defaults = ("LL", "", "Mac", "Channel", "Phy/WiredPhy", "")
        given = [word or default for word, default in zip([*kinds, *[""] * 6], defaults, strict=False)]
        layer, queue, mac, channel, phy, length = given
        if mac == "Mac/Csma/Cd":
            for line in ("is out of date", ""):
                said = f"Mac/Csma/Cd {line}" if line else "Please use Mac/802_3 to replace Mac/Csma/Cd"
                self.interp.call("puts", f"Warning: {said}")
            mac = "Mac/802_3"
        lan = self.interp.new(
            "LanNode", self.handle, "-bw", bandwidth, "-delay", delay, "-llType", layer, "-ifqType", queue,
            "-ifqLen", length, "-macType", mac, "-chanType", channel, "-phyType", phy, "-mactrace", traced,
        )  # fmt: skip
        if not queue:
            queue = self.interp.call("LanNode", "set", "ifqType_")
        self.interp.call(lan, "addNode", nodes, bandwidth, delay, layer, queue, mac, phy, traced, length)
        return lan
