"""Classifiers: tables inside nodes, and what tells flows apart for monitors and error modules."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NotYet, NsError, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.library.queues.cbq import Cbq


@ns2_class("Classifier")
class Classifier(EngineObject):
    """A table of slots. Those of nodes are the engine's: empty here, and not to be changed by hand."""

    #: the number of the node whose table this is
    node: int | None = None

    def create(self, *args: str) -> None:
        self.slots: dict[int, str] = {}

    def _refuse_of_node(self) -> None:
        if self.node is not None:
            raise NotYet(
                f"{self.class_name} {self.handle} of node {self.node}: ackclock keeps a node's table itself; "
                "add-route, delete-route and attach change it"
            )

    @method()
    def install(self, slot: str, target: str) -> None:
        """Put something into a slot."""
        self._refuse_of_node()
        self.slots[whole(slot, "a slot")] = target

    @method("installNext")
    def install_next(self, target: str) -> int:
        """Put something behind the last slot in use; the slot."""
        slot = max(self.slots, default=-1) + 1
        self.call("install", slot, target)
        return slot

    @method()
    def clear(self, slot: str) -> None:
        """Empty a slot."""
        self._refuse_of_node()
        self.slots.pop(whole(slot, "a slot"), None)

    @method()
    def slot(self, slot: str) -> str:
        """What is in a slot."""
        found = self.slots.get(whole(slot, "a slot"))
        if found is None:
            raise NsError(f"Classifier: no object at slot {slot}")
        return found

    @method()
    def reset(self) -> None:
        """A link that fails tells its classifier: a table of slots stays as it is."""

    @method("no-slot")
    def no_slot(self, slot: str) -> None:
        """Nothing is in the slot of a packet: scripts put their own here."""


@ns2_class("Classifier/Port")
class PortClassifier(Classifier):
    """A node's ports."""


@ns2_class("Classifier/Hash")
class HashClassifier(Classifier):
    """A table of flows."""

    #: what makes packets one flow
    key = ""
    #: what counts a flow that nobody knew
    flow_class = "QueueMonitor/ED/Flow"
    #: whether the queueing delays of such a flow are sampled
    flows_have_samples = True
    _table: _native.FlowTable | None = None
    #: the queue whose classes are in the slots
    shares: Cbq | None = None

    def create(self, *args: str) -> None:
        super().create(*args)
        self._slot_of: dict[tuple[int, ...], int] = {}
        self._fresh: dict[tuple[int, ...], _native.Monitor] = {}

    def _key(self, src: int, dst: int, fid: int) -> tuple[int, ...]:
        return {"fid": (fid,), "dest": (dst,), "src_dest": (src, dst)}.get(self.key, (src, dst, fid))

    def flow_table(self) -> _native.FlowTable:
        """The engine's table of monitors of flows."""
        if self._table is None:
            self._table = self.engine.add_flow_table(self.key)
            self.interp.flow_tables.append(self)
        return self._table

    def announce(self) -> None:
        """Flows that the engine has met become known to the script, which may count them its own way."""
        if self._table is None:
            return
        for src, dst, fid, monitor in self._table.take_fresh_flows():
            key = self._key(src, dst, fid)
            self._fresh[key] = monitor
            self.call("unknown-flow", src, dst, fid)
            if self._fresh.pop(key, None) is not None:
                self._table.remove(src, dst, fid)

    @method("unknown-flow")
    def unknown_flow(self, src: str, dst: str, fid: str, *bucket: str) -> None:
        """A flow that nobody knew: it gets a monitor."""
        self.install_flow(self._new_flow(), src, dst, fid)

    def _new_flow(self) -> str:
        flow = self.interp.new(self.flow_class)
        if self.flows_have_samples:
            self.interp.call(flow, "set-delay-samples", self.interp.new("Samples"))
        return flow

    def install_flow(self, flow: str, src: str, dst: str, fid: str) -> None:
        """Put what a flow has into a new slot."""
        self.call("set-hash", "auto", src, dst, fid, self.call("installNext", flow))

    @method("set-flowrate")
    def set_flow_rate(self, fid: str, rate: str, depth: str, tokens: str) -> None:
        """The token bucket that tags a flow's packets: its rate, depth and content. For flows told apart by flow id."""
        flow = self.lookup("", "0", "0", fid)
        is_new = not flow
        if is_new:
            flow = self._new_flow()
        for name, value in (("target_rate_", rate), ("bucket_depth_", depth), ("tbucket_", tokens)):
            self.interp.call(flow, "set", name, value)
        if is_new:
            self.install_flow(flow, "0", "0", fid)

    @method("set-hash")
    def set_hash(self, bucket: str, src: str, dst: str, fid: str, slot: str) -> None:
        """The slot of a flow."""
        first, last, flow = (whole(text, "a flow") for text in (src, dst, fid))
        key = self._key(first, last, flow)
        self._slot_of[key] = whole(slot, "a slot")
        occupant = self.interp.find_peer(self.slots.get(self._slot_of[key], ""))
        if self.shares is not None:
            self.shares.bind(fid, occupant)
        adopt = getattr(occupant, "adopt", None)
        if adopt is not None and self._table is not None:
            self._table.assign(first, last, flow, occupant.native)  # type: ignore[union-attr]
            fresh = self._fresh.pop(key, None)
            if fresh is not None:
                adopt(fresh)

    @method()
    def reset(self) -> None:
        """Forget all flows."""
        self._refuse_of_node()
        self.announce()
        if self._table is not None:
            for key in self._slot_of:
                src, dst, fid = {"fid": (0, 0, *key), "dest": (0, *key, 0), "src_dest": (*key, 0)}.get(self.key, key)
                self._table.remove(src, dst, fid)
        self._slot_of.clear()
        if self.shares is not None:
            self.shares.unbind()

    @method("del-hash")
    def del_hash(self, src: str, dst: str, fid: str) -> int:
        """Forget a flow; the slot it had."""
        first, last, flow = (whole(text, "a flow") for text in (src, dst, fid))
        slot = self._slot_of.pop(self._key(first, last, flow), None)
        if slot is None:
            raise NsError(f"{self.class_name} {self.handle}: no flow from {src} to {dst} with flow id {fid}")
        if self._table is not None:
            self._table.remove(first, last, flow)
        if self.shares is not None:
            self.shares.unbind(fid)
        return slot

    @method()
    def lookup(self, bucket: str, src: str, dst: str, fid: str) -> str:
        """What is in the slot of a flow, empty for one that is not known."""
        self.announce()
        key = self._key(*(whole(text, "a flow") for text in (src, dst, fid)))
        return self.slots.get(self._slot_of.get(key, -1), "")

    def occupants(self) -> list[str]:
        """What is in the slots, by their numbers."""
        self.announce()
        return [self.slots[slot] for slot in sorted(self.slots)]


@ns2_class("Classifier/Hash/Dest")
class DestinationClassifier(HashClassifier):
    """By destination: a node's routes."""

    key = "dest"


@ns2_class("Classifier/Hash/Fid")
class FlowClassifier(HashClassifier):
    """By flow id."""

    key = "fid"


@ns2_class("Classifier/Hash/SrcDest")
class EndsClassifier(HashClassifier):
    """By source and destination."""

    key = "src_dest"


@ns2_class("Classifier/Hash/SrcDestFid")
class EndsAndFlowClassifier(HashClassifier):
    """By source, destination and flow id."""

    key = "src_dest_fid"
