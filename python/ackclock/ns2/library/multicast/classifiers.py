"""Tables of groups, and replicators: the script's side of what the engine decides for each packet."""

from __future__ import annotations

from ackclock import _native
from ackclock.ns2.bindings.tcl_object import NotYet, NsError, TclObject, method, ns2_class
from ackclock.ns2.library.core.classifiers import Classifier
from ackclock.ns2.library.core.engine import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.library.core.nodes import Node

#: what stands for all sources of a group
ALL_SOURCES = "x"
#: labels that are words
_LABELS = {"?": -1, "*": -2}


def group_number(text: str) -> int:
    """The number of a group or a source, which a script may have written in another base."""
    try:
        return int(text, 0)
    except ValueError:
        return whole(text, "an address")


def _label(text: str) -> int:
    return _LABELS[text] if text in _LABELS else _number_or_zero(text)


def _number_or_zero(text: str) -> int:
    """What C's `atoi` makes of a word."""
    return whole(text, "a label") if text.lstrip("+-")[:1].isdigit() else 0


@ns2_class("Classifier/Multicast")
class MulticastClassifier(Classifier):
    """A node's table of groups."""

    #: whether the script's side finds the replicator of each packet
    asks_always = False
    _table: _native.GroupTable | None = None

    def serve(self, node: Node) -> None:
        """This is the table of a node."""
        self.vars["node_"] = node.handle
        self._table = node.native.add_group_table(self.asks_always)
        self.interp.groups.tables[node.number] = self

    def _source(self, text: str) -> int | None:
        """The engine's number of a source; None for all. With addresses in levels it is written as one of them."""
        if text == ALL_SOURCES:
            return None
        number, levels = group_number(text), self.interp.levels
        return number if levels is None else levels.node_with(number)

    @property
    def table(self) -> _native.GroupTable:
        """The engine's table."""
        if self._table is None:
            raise NotYet(f"{self.class_name} {self.handle} without a node: ackclock has tables of groups at nodes only")
        return self._table

    @method()
    def install(self, slot: str, target: str) -> None:
        """Put a replicator into a slot."""
        peer = self.interp.peer(target)
        if not isinstance(peer, Replicator):
            raise NotYet(f"{peer.class_name} {target} in a table of groups: ackclock has replicators there")
        place = whole(slot, "a slot")
        self.slots[place] = target
        self.vars[f"slots_({slot})"] = target
        self.table.install(place, peer.native)

    @method()
    def clear(self, slot: str) -> None:
        """Empty a slot."""
        place = whole(slot, "a slot")
        if self.slots.pop(place, None) is not None:
            self.table.install(place, None)

    @method("set-hash")
    def set_hash(self, source: str, group: str, slot: str, interface: str) -> None:
        """Packets of a source for a group that come over an interface go to a slot."""
        place = whole(slot, "a slot")
        self.table.add(self._source(source), group_number(group), place, _label(interface))

    @method("change-iface")
    def change_iface(self, source: str, group: str, old: str, new: str) -> None:
        """They are to come over another interface."""
        labels = _number_or_zero(old), _number_or_zero(new)
        self.table.change_interface(self._source(source), group_number(group), *labels)

    @method("lookup-iface")
    def lookup_iface(self, source: str, group: str) -> str:
        """Over which interface they are to come; empty for an unknown group."""
        found = self.table.interface(self._source(source), group_number(group))
        return "" if found is None else str(found)

    @method()
    def lookup(self, source: str, group: str, interface: str) -> str:
        """The replicator of packets that come over an interface; empty where there is none."""
        slot = self.table.slot(self._source(source), group_number(group), _number_or_zero(interface))
        return "" if slot is None else self.slots.get(slot, "")

    @method("clearAll")
    def clear_all(self) -> None:
        """Forget all groups."""
        self.table.clear()

    @method("new-group")
    def new_group(self, source: str, group: str, interface: str, code: str) -> str:
        """A packet needs a decision of the protocol: whether to look it up again."""
        return self.interp.call(self.vars["node_"], "new-group", source, group, interface, code)

    @method("add-rep")
    def add_rep(self, replicator: str, source: str, group: str, interface: str) -> int:
        """A replicator for a source and a group, in the next slot."""
        slot = int(self.vars["nrep_"])
        self.call("set-hash", source, group, slot, interface)
        self.call("install", slot, replicator)
        self.vars["nrep_"] = slot + 1
        return slot + 1


@ns2_class("Classifier/Multicast/Replicator")
class ReplicatingClassifier(MulticastClassifier):
    """That of most nodes."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.vars["nrep_"] = "0"


@ns2_class("Classifier/Replicator")
class Replicator(Classifier):
    """Passes a copy of each packet to what is in each of its slots."""

    native: _native.Replicator

    def create(self, *args: str) -> None:
        super().create(*args)
        self.native = self.engine.add_replicator()
        self.interp.groups.replicators[self.native.number] = self

    def write_bound(self, name: str, value: float) -> None:
        self.bound[name] = value
        if name == "ignore_":
            self.native.set_silent(value != 0)

    @method()
    def install(self, slot: str, target: str) -> None:
        """Put a link's head or an agent into a slot."""
        place = whole(slot, "a slot")
        self.slots[place] = target
        self.vars[f"slots_({slot})"] = target
        _put(self.native, place, self.interp.peer(target))

    @method()
    def clear(self, slot: str) -> None:
        """Empty a slot."""
        place = whole(slot, "a slot")
        if self.slots.pop(place, None) is not None:
            self.native.clear(place)


def _put(replicator: _native.Replicator, slot: int, peer: TclObject) -> None:
    """Put a link that begins at an object, or an agent, into a slot of one of the engine's replicators."""
    from ackclock.ns2.library.core.nodes import Connector
    from ackclock.ns2.library.multicast.control import Encapsulator
    from ackclock.ns2.library.tcp.agents import Agent

    if isinstance(peer, Agent):
        replicator.set_agent(slot, peer.native, isinstance(peer, Encapsulator))
        return
    if isinstance(peer, Connector):
        link = peer.interp.find_peer(peer.vars.get("link_", ""))
        native = getattr(link, "port", getattr(link, "native", None))
        if isinstance(native, _native.Link):
            replicator.set_link(slot, native)
            return
    raise NotYet(f"{peer.class_name} {peer.handle} behind a replicator: ackclock has links and agents there")


@ns2_class("Classifier/Replicator/Demuxer")
class Demuxer(Replicator):
    """The replicator of a group: what is behind it may be switched off and on."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.vars["nactive_"] = "0"

    @method("is-active")
    def is_active(self) -> bool:
        """Whether anybody is to get the packets."""
        return int(self.vars["nactive_"]) > 0

    @method()
    def insert(self, target: str) -> None:
        """A link's head or an agent is to get the packets."""
        if f"active_({target})" not in self.vars:
            self.vars[f"active_({target})"] = "-1"
        if int(self.vars[f"active_({target})"]) < 0:
            self.call("enable", target)

    @method()
    def enable(self, target: str) -> None:
        """One that was there before is to get the packets again."""
        if int(self.vars[f"active_({target})"]) < 0:
            self.vars[f"active_({target})"] = self.call("installNext", target)
            self.vars["nactive_"] = int(self.vars["nactive_"]) + 1
            self.call("set", "ignore_", "0")

    @method()
    def disable(self, target: str) -> None:
        """It is to get them no more."""
        slot = self.vars.get(f"active_({target})")
        if slot is not None and int(slot) >= 0:
            self.call("clear", slot)
            self.vars[f"active_({target})"] = "-1"
            self.vars["nactive_"] = int(self.vars["nactive_"]) - 1

    @method("dump-oifs")
    def dump_oifs(self) -> list[str]:
        """What is to get the packets, sorted as text."""
        if not int(self.vars["nactive_"]):
            return []
        slots = [int(self.vars[f"active_({target})"]) for target in self.vars.names("active_")]
        return sorted(self.call("slot", slot) for slot in slots if slot >= 0)

    @method()
    def exists(self, target: str) -> bool:
        """Whether it was ever to get them."""
        return f"active_({target})" in self.vars

    @method("is-active-target")
    def is_active_target(self, target: str) -> bool:
        """Whether it is to get them now."""
        return int(self.vars.get(f"active_({target})", "-1")) >= 0

    @method()
    def drop(self, source: str, group: str, interface: str = "-1") -> str:
        """A packet has come that nobody is to get."""
        arbiter = self.interp.call(self.vars["node_"], "getArbiter")
        return self.interp.call(arbiter, "drop", self.handle, source, group, interface)

    @method()
    def reset(self) -> None:
        """Nobody is to get the packets."""
        targets = self.vars.names("active_")
        if not targets:
            raise NsError('can\'t unset "active_": no such variable')
        for target in targets:
            self.call("clear", self.vars[f"active_({target})"])
        self.vars["nactive_"] = "0"
        del self.vars["active_"]
