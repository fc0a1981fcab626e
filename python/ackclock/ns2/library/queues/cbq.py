"""Class-based queueing: `CBQLink`, `CBQClass` and the queues `CBQ` and `CBQ/WRR`."""

from __future__ import annotations

from ackclock._native import format_g
from ackclock.ns2.bindings.tcl_object import NotYet, NsError, method, ns2_class
from ackclock.ns2.library.core.classifiers import HashClassifier
from ackclock.ns2.library.core.engine import EngineObject, real, whole
from ackclock.ns2.library.links.links import SimpleLink
from ackclock.ns2.library.queues.queues import DISCIPLINES, Queue
from ackclock.ns2.library.queues.red import ActiveQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.otcl.interp import Interpreter

DISCIPLINES.update({"Queue/CBQ": "cbq", "Queue/CBQ/WRR": "cbq_wrr"})

#: what ns-2 takes for each way of sharing: the words, or a digit that they begin with
_ALGORITHMS = {"0": "ancestor-only", "1": "top-level", "2": "formal"}
#: bound variables of a class's queue that say how it stands in its class, where the engine has it stand so
_STANDING = ("blocked_", "unblock_on_resume_")
#: the disciplines that the queue of a class may have
_IN_CLASSES = ("drop_tail", "red")


@ns2_class("Queue/CBQ")
class Cbq(Queue):
    """The queue of a link that classes share, classes of one priority in turn."""

    def create(self, *args: str) -> None:
        super().create(*args)
        #: classes that wait for their parents to be inserted
        self.orphans: list[CbqClass] = []

    def order(self, *words: object) -> str:
        """Tell the engine's queue something."""
        if self.link is None:
            raise NsError(f"{self.class_name} {self.handle} is the queue of no link yet")
        return self.link.queue.command(" ".join(str(word) for word in words))

    def bind(self, fid: str, bound: object) -> None:
        """Packets of a flow are of a class."""
        if not isinstance(bound, CbqClass) or bound.number is None:
            raise NotYet("in ackclock the classifier of a CBQ link has CBQClasses only, each inserted before")
        self.order("bind", whole(fid, "a flow id"), bound.number)

    def unbind(self, fid: str = "") -> None:
        """Packets of a flow are of no class any more; without a flow id, of all flows."""
        self.order("unbind", *([whole(fid, "a flow id")] if fid else []))

    @method()
    def algorithm(self, name: str) -> None:
        """Who may lend: ancestor-only, top-level or formal."""
        found = _ALGORITHMS.get(name[:1], name)
        if found not in _ALGORITHMS.values():
            raise NsError(f"{self.class_name} {self.handle}: unknown algorithm {name}; ns-2 has ancestor-only, "
                          "top-level and formal")  # fmt: skip
        self.order("algorithm", found)


@ns2_class("Queue/CBQ/WRR")
class CbqWrr(Cbq):
    """The same, classes of one priority by weight."""


@ns2_class("CBQClass")
class CbqClass(EngineObject):
    """A class of packets and its share of a link."""

    #: the class's number at its queue, once it is inserted
    number: int | None = None
    cbq: Cbq | None = None

    def create(self, *args: str) -> None:
        self.share = 0.0
        self.most_idle_s = -1.0
        self.parent_class: CbqClass | None = None
        self.queue: Queue | None = None
        self.vars["automaxidle_gain_"] = self.interp.call(self.class_name, "set", "automaxidle_gain_")

    def write_bound(self, name: str, value: float) -> None:
        self.bound[name] = value
        if self.cbq is None or self.number is None:
            return
        if name == "okborrow_":
            self.cbq.order("borrows", self.number, float(value))
        elif name == "extradelay_":
            self.cbq.order("extra-delay", self.number, repr(float(value)))
        elif name != "debug_":
            raise NotYet(f"CBQClass {self.handle}: ackclock takes {name} before the class is inserted only")

    @method()
    def setparams(
        self, parent: str, okborrow: str, allot: str, maxidle: str, priority: str, level: str, extradelay: str
    ) -> str:
        """All at once."""
        self.call("allot", allot)
        self.call("parent", parent)
        names = ("okborrow_", "maxidle_", "priority_", "level_", "extradelay_")
        for name, value in zip(names, (okborrow, maxidle, priority, level, extradelay), strict=True):
            self.call("set", name, value)
        return self.handle

    @method()
    def allot(self, share: str = "") -> str:
        """The share of the link; told or asked."""
        if not share:
            return format_g(self.share, 6)
        if self.share != 0:
            raise NsError(f" class {self.handle} already has allotment of {self.share:f}!")
        self.share = _share(share)
        return ""

    @method()
    def newallot(self, share: str) -> None:
        """Another share."""
        if self.cbq is None or self.number is None:
            raise NsError(f"CBQClass {self.handle}: newallot is for a class that was inserted")
        self.share = _share(share)
        self.cbq.order("share", self.number, repr(self.share))

    @method()
    def parent(self, parent: str) -> None:
        """Who lends to the class; `none` for nobody."""
        self.parent_class = None if parent == "none" else _class(self.interp, parent)
        if self.cbq is not None:
            raise NotYet(f"CBQClass {self.handle}: ackclock takes a parent before the class is inserted only")

    @method()
    def maxidle(self, seconds: str) -> None:
        """The most idle time that counts, s."""
        self.most_idle_s = real(seconds, "maxidle")
        if self.most_idle_s < 0:
            raise NsError(f"invalid maxidle value {seconds} (must be non-negative)")

    @method()
    def automaxidle(self, rate_bps: str, packet_bytes: str) -> str:
        """The most idle time that fits share and priority."""
        gain, share, rate = real(self.vars["automaxidle_gain_"], "a gain"), self.call("allot"), real(rate_bps, "a rate")
        if gain == 0 or float(share) == 0 or rate == 0:
            self.vars["maxidle_"] = "0.0"
            return ""
        power: float = gain ** (8 * int(self.bound["priority_"]))
        first = ((1 / float(share)) - 1) * (1 - power) / power
        seconds = (real(packet_bytes, "a size") * 8.0) / rate * max(first, 1 - gain)
        self.vars["maxidle_"] = format_g(seconds, 17)
        return self.vars["maxidle_"]

    @method()
    def qdisc(self, queue: str = "") -> str:
        """The class's queue; told or asked."""
        if queue:
            peer = self.interp.peer_of(queue, Queue, "queue")
            if peer.discipline not in _IN_CLASSES:
                raise NotYet(f"ns-2 has {peer.class_name} in CBQ's classes; ackclock has DropTail and RED in them only")
            self.queue = peer
            return ""
        return "" if self.queue is None else self.queue.handle

    @method("install-queue")
    def install_queue(self, queue: str) -> None:
        """The class's queue, which waits to be asked."""
        self.interp.call(queue, "set", "blocked_", "true")
        self.interp.call(queue, "set", "unblock_on_resume_", "false")
        self.call("qdisc", queue)

    @method("cbq")
    def get_cbq(self) -> str:
        """The queue of the link, once the class is inserted."""
        return "" if self.cbq is None else self.cbq.handle

    def insert_at(self, cbq: Cbq) -> None:
        """The class is one of this queue's from now on."""
        parent = -1 if self.parent_class is None or self.parent_class.number is None else self.parent_class.number
        words = [self.bound["priority_"], self.bound["level_"], self.share, self.most_idle_s]
        words += [self.bound["extradelay_"], float(self.bound["okborrow_"]), parent]
        kind = "none" if self.queue is None else self.queue.discipline
        self.number = int(cbq.order("insert", *(repr(float(word)) for word in words), kind))
        self.cbq = cbq
        if self.parent_class is not None and parent < 0:
            cbq.orphans.append(self)
        for orphan in [orphan for orphan in cbq.orphans if orphan.parent_class is self]:
            cbq.order("parent", orphan.number, self.number)
            cbq.orphans.remove(orphan)
        if self.queue is not None and cbq.link is not None:
            queue = self.queue
            for name in _STANDING:
                queue.bound.pop(name, None)
            queue.place = f"class{self.number}."
            queue.join(cbq.link)
            if isinstance(queue, ActiveQueue) and queue.knows_link:
                queue.call("link", "")


def _share(text: str) -> float:
    share = real(text, "a share of a link")
    if share < 0:
        raise NsError(f"a class's share of a link is {text}; it must not be negative")
    return share


def _class(interp: Interpreter, handle: str) -> CbqClass:
    return interp.peer_of(handle, CbqClass, "CBQClass")


@ns2_class("CBQLink")
class CbqLink(SimpleLink):
    """A link whose queue is shared by classes, told apart by flow ids."""

    @method("init")
    def begin(
        self, src: str, dst: str, bandwidth: str, delay: str, queue: str, classifier: str, kind: str = "DelayLink"
    ) -> None:
        """`new CBQLink`."""
        self.next_after(CbqLink, "init", src, dst, bandwidth, delay, queue, kind)
        self.vars["classifier_"] = classifier
        self._classifier = self.interp.peer_of(classifier, HashClassifier, "classifier")
        self._classifier.shares = self._cbq()
        algorithm = self.interp.call("Queue/CBQ", "set", "algorithm_")
        self.interp.call(queue, "set", "algorithm_", algorithm)
        self.interp.call(queue, "algorithm", algorithm)

    def _cbq(self) -> Cbq:
        assert isinstance(self.queue_peer, Cbq)
        return self.queue_peer

    @method()
    def classifier(self) -> str:
        """What tells flows apart."""
        return self.vars["classifier_"]

    @method()
    def insert(self, handle: str, monitor: str = "") -> None:
        """A class is one of the link's from now on."""
        if monitor:
            raise NotYet("ns-2 has monitors of the script's own in CBQ's classes; ackclock does not have them yet")
        inserted = _class(self.interp, handle)
        # A QueueMonitor, and with a queue its three SnoopQueues.
        self.interp.skip_handles(1 if inserted.queue is None else 4)
        if inserted.vars["maxidle_"] == "auto":
            bandwidth = self.interp.call(self.vars["link_"], "set", "bandwidth_")
            inserted.call("automaxidle", bandwidth, self._cbq().call("set", "maxpkt_"))
        inserted.call("maxidle", inserted.vars["maxidle_"])
        inserted.insert_at(self._cbq())

    @method()
    def bind(self, handle: str, first: str, last: str = "") -> None:
        """Packets of these flow ids are of the class."""
        bound = _class(self.interp, handle)
        if bound.number is None:
            raise NotYet(f"CBQClass {handle}: in ackclock a class is inserted before flows are bound to it")
        for fid in range(whole(first, "a flow id"), whole(last or first, "a flow id") + 1):
            self._classifier.install_flow(handle, "0", "0", str(fid))
