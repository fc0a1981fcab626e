"""Addresses in three levels (domain, cluster, node), and the routes of networks that have them.

Source: ns-2's manual, chapter on hierarchical routing, and what ns-2.35 answers and prints. It takes other numbers of
levels, and crashes when routes are computed; here they are refused.
"""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NotYet, NsError, TclObject, ns2_class
from ackclock.ns2.library.core.classifiers import Classifier
from ackclock.ns2.library.core.engine import whole
from ackclock.ns2.library.core.nodes import Node, RoutingModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.library.core.simulator import Simulator
    from ackclock.ns2.otcl.interp import Interpreter

#: bits of an address
_ADDRESS = 31
#: bits of each level unless a script says otherwise
_DEFAULT = (9, 11, 11)
#: of a network whose nodes have their numbers for addresses
_FLAT = ((2**30 - 1, 0),)


class Levels:
    """How addresses are laid out, and which node has which."""

    def __init__(self, interp: Interpreter, *words: str) -> None:
        """`words`: the number of levels and the bits of each, or none."""
        self.interp = interp
        bits = [whole(word, "bits of a level of addresses") for word in words[1:]] or list(_DEFAULT)
        if words and (len(bits) != 3 or words[0] != "3"):
            raise NotYet("addresses of other than three levels: ns-2 takes them, and crashes when it computes routes")
        if sum(bits) > _ADDRESS or min(bits) < 1:
            raise NsError(f"levels of {', '.join(map(str, bits))} bits: an address has {_ADDRESS}, and each level some")
        #: mask and shift of each level, the topmost first
        self.fields = [(2**width - 1, _ADDRESS - sum(bits[: level + 1])) for level, width in enumerate(bits)]
        self._node_of: dict[int, int] = {}
        self._address_of: dict[int, int] = {}
        self._places: dict[int, list[int]] = {}
        #: by node, the next node on the way to every other
        self.hops: list[list[int | None]] = []

    def numbers(self, address: str) -> list[int]:
        """An address, level by level."""
        words = address.split(".")
        if len(words) != len(self.fields):
            raise NsError(f'the address "{address}" has {len(words)} levels, not {len(self.fields)}, such as 0.1.2')
        numbers = [whole(word, "an address") for word in words]
        for number, (mask, _) in zip(numbers, self.fields, strict=True):
            if not 0 <= number <= mask:
                raise NsError(f"str2addr:Address {number} outside range of address field length {mask + 1}")
        return numbers

    def packed(self, address: str) -> int:
        """An address as one number."""
        return sum(number << shift for number, (_, shift) in zip(self.numbers(address), self.fields, strict=True))

    def text(self, packed: int) -> str:
        """An address given as one number, as text."""
        return ".".join(str(packed >> shift & mask) for mask, shift in self.fields)

    def add(self, native: _native.Node, address: str) -> None:
        """A node has this address."""
        node = native.number
        if not address:
            raise NsError(f"node {node} needs an address, such as 0.1.2: addresses are hierarchical")
        packed = self.packed(address)
        if packed in self._node_of:
            raise NsError(f"node {node} has the address {address}, which node {self._node_of[packed]} has")
        self._node_of[packed], self._address_of[node] = node, packed
        self._places[node] = self.numbers(address)
        native.set_address(packed, self.text(packed))

    def shown(self, name: str, value: float) -> float:
        """What a script sees of an agent's parameter: addresses for nodes."""
        return self._address_of.get(int(value), value) if name in ("node", "peer_node") else value

    def meant(self, name: str, value: float) -> float:
        """What a script's value of an agent's parameter is in the engine."""
        return self._node_of.get(int(value), value) if name in ("node", "peer_node") else value

    def node_with(self, packed: int) -> int:
        """The node with an address given as one number; a number that is no node's where there is none."""
        return self._node_of.get(packed, -2 - abs(packed))

    def counts(self) -> tuple[int, list[int], list[int]]:
        """How many domains there are, clusters in each, nodes in each cluster, as the script has declared them."""
        declared = self.interp.of_class("AddrParams")
        for name in ("cluster_num_", "nodes_num_"):
            if name not in declared:
                raise NsError(f"AddrParams set {name} comes before routes are computed: addresses are hierarchical")
        clusters, nodes = (
            [whole(word, name) for word in self.interp.split(declared[name])] for name in ("cluster_num_", "nodes_num_")
        )
        return whole(declared["domain_num_"], "domain_num_"), clusters, nodes

    def _check(self) -> None:
        domains, clusters, nodes = self.counts()
        for node, (domain, cluster, last) in self._places.items():
            wide = domain < min(domains, len(clusters)) and cluster < clusters[domain]
            place = sum(clusters[:domain]) + cluster
            if not wide or place >= len(nodes) or last >= nodes[place]:
                raise NsError(
                    f"node {node} has the address {domain}.{cluster}.{last}, for which AddrParams' domain_num_, "
                    "cluster_num_ and nodes_num_ leave no room; ns-2 crashes here"
                )

    def compute(self, simulator: Simulator) -> None:
        """Compute and install all routes over the links that are up."""
        self._check()
        links = [(first, last, cost) for first, last, cost in simulator.costs() if cost is not None]
        places = [self._places[node] for node in sorted(self._places)]
        self.hops = simulator.engine.hierarchical_next_hops(places, links)
        simulator.engine.install_next_hops(self.hops)


@ns2_class("AddrParams")
class AddressParameters(TclObject):
    """How many domains, clusters and nodes there are: variables of the class, which has no objects."""

    @classmethod
    def declared(cls, interp: Interpreter) -> None:
        _answer(interp)
        interp.tk.eval(_PROCS)


@ns2_class("RtModule/Hier")
class HierarchicalModule(RoutingModule):
    """The module of nodes with addresses in levels."""

    def furnish(self, node: Node, address: str) -> None:
        levels = self.interp.levels
        assert levels is not None
        levels.add(node.native, address)
        node.vars["classifier_"] = self.vars["classifier_"] = node.table("Classifier/Hier")
        for mask, shift in levels.fields:
            self.interp.peer(node.table("Classifier/Addr")).bound |= {"mask_": mask, "shift_": shift}


@ns2_class("Classifier/Hier")
class HierarchicalClassifier(Classifier):
    """A table for each level."""


@ns2_class("Classifier/Addr")
class AddressClassifier(Classifier):
    """One level's table."""


#: what `AddrParams` answers, by commands of `_answer`
_PROCS = """
    AddrParams proc hlevel {} {::otcl::hlevel}
    AddrParams proc NodeMask {level} {::otcl::address_mask $level}
    AddrParams proc NodeShift {level} {::otcl::address_shift $level}
    AddrParams proc nodebits {} {expr {[::otcl::hlevel] == 1 ? 30 : 31}}
    AddrParams proc PortMask {} {return 0}
    AddrParams proc PortShift {} {return 0}
    AddrParams proc McastMask {} {return 1}
    AddrParams proc McastShift {} {return 30}
    AddrParams proc addr2id {address} {::otcl::packed_address $address}
    AddrParams proc id2addr {number} {::otcl::address_text $number}
    AddrParams proc split-addrstr {address} {split $address .}
    AddrParams proc elements-in-level? {address level} {::otcl::elements_in_level $address $level}
"""


def _answer(interp: Interpreter) -> None:

    def fields() -> list[tuple[int, int]] | tuple[tuple[int, int], ...]:
        return _FLAT if interp.levels is None else interp.levels.fields

    def field(level: str) -> tuple[int, int]:
        number = whole(level, "a level")
        if not 1 <= number <= len(fields()):
            raise NsError(f"no level {level}: addresses have {len(fields())}")
        return fields()[number - 1]

    def elements(address: str, level: str) -> int | str:
        levels = interp.levels or Levels(interp)
        numbers = [whole(word, "an address") for word in address.split(".")]
        domains, clusters, nodes = levels.counts()
        if level == "0":
            return domains
        if level == "1":
            return clusters[numbers[0]]
        if level == "2" and len(numbers) > 1:
            return nodes[sum(clusters[: numbers[0]]) + numbers[1]]
        return ""

    def packed(address: str) -> int:
        return whole(address, "an address") if interp.levels is None else interp.levels.packed(address)

    def text(address: str) -> str:
        return address if interp.levels is None else interp.levels.text(whole(address, "an address")).replace(".", " ")

    interp.command("::otcl::hlevel", lambda: len(fields()))
    interp.command("::otcl::address_mask", lambda level: field(level)[0])
    interp.command("::otcl::address_shift", lambda level: field(level)[1])
    interp.command("::otcl::elements_in_level", elements)
    interp.command("::otcl::packed_address", packed)
    interp.command("::otcl::address_text", text)
