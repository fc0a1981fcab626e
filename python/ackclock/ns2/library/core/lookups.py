"""What scripts ask a network for: nodes by address, links and queues on a way, routes; and how it is addressed."""

from __future__ import annotations

from ackclock.ns2.bindings import catalogue
from ackclock.ns2.bindings.tcl_object import NotYet, NsError, method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.ns2.library.core.nodes import Node
    from ackclock.ns2.library.core.simulator import Simulator
    from ackclock.ns2.library.links.links import Link

#: handles that ns-2 takes when it lays out addresses
_ADDRESS_HANDLES = 3

#: options of `node-config` that say nothing about a wired node
_WIRED_OPTIONS = {
    "addressType", "agentTrace", "routerTrace", "macTrace", "phyTrace", "eotTrace", "movementTrace", "topoInstance",
    "mobileIP", "QS",
}  # fmt: skip

#: what a node without wires is built of; of a wired node, made without `adhocRouting`, ns-2 only keeps what was said
_WIRELESS_PARTS = (
    "llType", "macType", "ifqType", "ifqLen", "antType", "propType", "propInstance", "phyType", "channel", "txPower",
    "channelType", "energyModel", "initialEnergy", "rxPower", "idlePower", "sleepPower", "sleepTime",
    "transitionPower", "transitionTime",
)  # fmt: skip

#: where ns-2 keeps an option under another name than its own
_KEPT_AS = {"ifqLen": "ifqlen_"}


def _says(option: str) -> Callable[[Simulator, str], str]:
    """The method of Simulator that keeps an option of the nodes to come."""

    @method(option)
    def say(self: Simulator, value: str) -> str:
        self.vars[_KEPT_AS.get(option, f"{option}_")] = value
        return value

    return say


class Wireless:
    """What a Simulator is told of nodes without wires, one method for each part."""


for _option in _WIRELESS_PARTS:
    setattr(Wireless, _option, _says(_option))


class NetworkQueries:
    """What a Simulator answers."""

    @method("all-links-list")
    def all_links_list(self: Simulator) -> tuple[str, ...]:  # type: ignore[misc]
        """All links, in the order of Tcl's tables."""
        return tuple(self.vars[f"link_({ends})"] for ends in self.vars.names("link_"))

    @method("get-node-id-by-addr")
    def get_node_id_by_addr(self: Simulator, address: str) -> int:  # type: ignore[misc]
        """The number of the node with an address."""
        handles = self.nodes.handles | self.lan_nodes
        for number in sorted(handles):
            if self.interp.call(handles[number], "node-addr") == address:
                return number
        raise NsError("get-node-id-by-addr:Cannot find node with given address")

    @method("get-node-by-addr")
    def get_node_by_addr(self: Simulator, address: str) -> str:  # type: ignore[misc]
        """The node with an address."""
        return self.call("get-node-by-id", self.call("get-node-id-by-addr", address))

    @method("get-link-head")
    def get_link_head(self: Simulator, source: str, target: str) -> str:  # type: ignore[misc]
        """The head of the link from one number to another."""
        return self.interp.call(self.vars[f"link_({source}:{target})"], "head")

    @method("get-link")
    def get_link(self: Simulator, source: str, target: str) -> str:  # type: ignore[misc]
        """The transmitter and wire of the first link on the way from one address to another."""
        return _first_link(self, source, target, "link")

    @method("get-queue")
    def get_queue(self: Simulator, source: str, target: str) -> str:  # type: ignore[misc]
        """The queue of the first link on the way from one address to another."""
        return _first_link(self, source, target, "queue")

    @method("delay_parse")
    def delay_parse(self: Simulator, text: str) -> str:  # type: ignore[misc]
        """Seconds."""
        return self.interp.call("time_parse", text)

    @method("bw_parse")
    def bw_parse(self: Simulator, text: str) -> str:  # type: ignore[misc]
        """Bits per second."""
        return self.interp.call("bw_parse", text)

    @method()
    def dumpq(self: Simulator) -> None:  # type: ignore[misc]
        """Only for debugging ns-2 itself."""
        self.interp.call(self.vars["scheduler_"], "dumpq")

    @method("compute-flat-routes")
    def compute_flat_routes(self: Simulator) -> None:  # type: ignore[misc]
        """Compute and install all routes."""
        self.interp.call(self.call("get-routelogic"), "compute")

    @method("dump-routelogic-nh")
    def dump_routelogic_nh(self: Simulator) -> str:  # type: ignore[misc]
        """Print the next hops between all nodes."""
        heading = "Dumping Routing Table: Next Hop Information\n"
        return _print_table(self, heading, "--", lambda source, target, hop: "" if hop < 0 else f"{hop}\t")

    @method("dump-routelogic-distance")
    def dump_routelogic_distance(self: Simulator) -> str:  # type: ignore[misc]
        """Print how far all nodes are from each other."""

        def distance(source: int, target: int, hop: int) -> str:
            if hop < 0:
                return "0\t"
            total = "0"
            while source != target:
                hop = _lookup(self, source, target)
                link = self.interp.call(self.vars[f"link_({source}:{hop})"], "cost?")
                total = self.interp.call("expr", f"{total} + {link}")
                source = hop
            return f"{total}\t"

        return _print_table(self, "", "0", distance)

    # --- addresses ---

    @method("get-nodetype")
    def get_nodetype(self: Simulator) -> str:  # type: ignore[misc]
        """What kind of nodes are made: wired ones have no name."""
        return ""

    @method("set-address-format")
    def set_address_format(self: Simulator, kind: str, *levels: str) -> None:  # type: ignore[misc]
        """How addresses are laid out: nodes have their numbers for addresses, or addresses in three levels."""
        if kind == "def":
            self.interp.levels = None
            if self.interp.node_module == "Hier":
                self.interp.node_module = "Base"
            self.interp.skip_handles(_ADDRESS_HANDLES)
            self.interp.call("Simulator", "set", "AddressFormat_", "DEF")
        elif kind == "expanded":
            self.interp.call("puts", "set-address-format expanded is obsoleted by 31-bit addressing.")
        elif kind == "hierarchical":
            if self.nodes:
                raise NsError(
                    "set-address-format hierarchical comes before nodes: there are some, with other addresses"
                )
            from ackclock.ns2.library.routing.hierarchy import Levels

            self.interp.skip_handles(_ADDRESS_HANDLES)
            self.interp.levels = Levels(self.interp, *levels)
            self.interp.node_module = "Hier"
            self.interp.call("Simulator", "set", "AddressFormat_", "HIER")
            self.interp.call("Node", "set", "module_list_", "Base Hier")
        else:
            raise NsError(f"ns-address.tcl:set-address-format: Unknown address format {kind}")

    @method("src_rting")
    def source_routing(self: Simulator, value: str = "1") -> None:  # type: ignore[misc]
        """Whether agents of the nodes made from now on can choose their packets' routes."""
        self.interp.node_module = "Base" if value in ("0", "") else "Source"

    @method("src_rting?")
    def get_source_routing(self: Simulator) -> int:  # type: ignore[misc]
        """Whether they can."""
        return int(self.interp.node_module == "Source")

    @method("put-in-list")
    def put_in_list(self: Simulator, agent: str) -> str:  # type: ignore[misc]
        """Remember an agent; all of them."""
        self.vars.append("lagent", agent)
        return self.vars["lagent"]

    @method("create-highspeed-connection")
    def create_highspeed_connection(  # type: ignore[misc]
        self: Simulator, source_kind: str, source: str, sink_kind: str, sink: str, fid: str
    ) -> str:
        """The same as create-connection, with room for many packets at the receiver."""
        first, last = self.make_pair(source_kind, source, sink_kind, sink, fid)
        self.interp.call(last, "resize_buffers")
        self.call("connect", first, last)
        return first

    @method("detach-lossmodel")
    def detach_lossmodel(self: Simulator, model: str, source: str, target: str) -> str:  # type: ignore[misc]
        """Take an error model from the head of a link."""
        head = self.interp.call(self.call("link", source, target), "head")
        return self.interp.call(head, "target", self.interp.call(model, "target"))

    @method("node-config")
    def node_config(self: Simulator, *options: str) -> None:  # type: ignore[misc]
        """What the nodes made from now on are like."""
        for name, value in zip(options[::2], options[1::2], strict=False):
            option = name.removeprefix("-")
            if not catalogue.has_method("Simulator", option):
                continue  # such as -Routing, which ns-2 passes over, too
            if option not in (*_WIRED_OPTIONS, *_WIRELESS_PARTS) and value not in ("", "OFF"):
                raise NotYet(f"ns-2 has node-config {name}, for nodes without wires; ackclock has wired nodes only")
            self.vars[_KEPT_AS.get(option, f"{option}_")] = value
        if "channel_" in self.vars and "channelType_" in self.vars:
            raise NsError("Can't specify both channel and channelType, error!")
        if self.vars.get("addressType_", ""):
            self.call("set-address-format", self.vars["addressType_"])


def _lookup(simulator: Simulator, source: int, target: int) -> int:
    return int(simulator.interp.call(simulator.call("get-routelogic"), "lookup", source, target))


def _first_link(simulator: Simulator, source: str, target: str, part: str) -> str:
    first = int(simulator.call("get-node-id-by-addr", source))
    hop = _lookup(simulator, first, int(simulator.call("get-node-id-by-addr", target)))
    near, far = simulator.call("get-node-by-addr", source), simulator.call("get-node-by-addr", hop)
    return simulator.interp.call(simulator.call("link", near, far), part)


def _print_table(simulator: Simulator, heading: str, itself: str, cell: Callable[[int, int, int], str]) -> str:
    if "routingTable_" not in simulator.vars:
        simulator.interp.call("puts", "error: routing table is not computed yet!")
        return "0"
    numbers = sorted(simulator.nodes)
    lines = ["\t" + "".join(f"{number}\t" for number in numbers)]
    for source in numbers:
        cells = [
            f"{itself}\t" if source == target else cell(source, target, _lookup(simulator, source, target))
            for target in numbers
        ]
        lines.append(f"{source}\t" + "".join(cells))
    simulator.interp.call("puts", heading + "\n".join(lines))
    return ""


class NodeQueries:
    """What a node answers."""

    @method("is-neighbor")
    def is_neighbor(self: Node, node: str) -> bool:  # type: ignore[misc]
        """Whether a link leads to that node."""
        return node in self.interp.split(self.vars["neighbor_"])

    @method()
    def tn(self: Node) -> str:  # type: ignore[misc]
        """The node in words."""
        return f"{self.handle}(id {self.number})"

    @method("list-modules")
    def list_modules(self: Node) -> tuple[str, ...]:  # type: ignore[misc]
        """The node's routing modules."""
        return tuple(self.vars[f"reg_module_({name})"] for name in self.vars.names("reg_module_"))

    @method("get-module")
    def get_module(self: Node, name: str) -> str:  # type: ignore[misc]
        """A routing module, empty if the node does not have it."""
        return self.vars.get(f"reg_module_({name})", "")

    @method("get-shape")
    def get_shape(self: Node) -> str:  # type: ignore[misc]
        """How nam draws the node."""
        return self.vars.get("attr_(SHAPE)", "")

    @method("get-color")
    def get_color(self: Node) -> str:  # type: ignore[misc]
        """The color nam draws the node with."""
        self.interp.call("puts", "Warning: Node::get-color is obsolete. Please use Node::get-attribute")
        return self.call("get-attribute", "COLOR")

    @method("change-color")
    def change_color(self: Node, color: str) -> None:  # type: ignore[misc]
        """Another color."""
        self.interp.call("puts", "Warning: Node::change-color is obsolete. Use Node::color instead")
        self.call("color", color)


class LinkQueries:
    """What a link answers."""

    @method("get-color")
    def get_color(self: Link) -> str:  # type: ignore[misc]
        """The color nam draws the link with."""
        self.interp.call("puts", "Warning: Node::get-color is obsolete. Please use Node::get-attribute")
        return self.call("get-attribute", "COLOR")

    @method("change-color")
    def change_color(self: Link, color: str) -> str:  # type: ignore[misc]
        """Another color."""
        self.interp.call("puts", "Warning: Link::change-color is obsolete. Please use Link::color.")
        return self.call("color", color)
