"""Flow monitors: a monitor of a queue that counts for each flow by itself too."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.classifiers import HashClassifier
from ackclock.ns2.library.monitors.monitors import QueueMonitor, SnoopQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.library.core.simulator import Simulator
    from ackclock.ns2.otcl.interp import Interpreter

#: ns-2's numbers of what packets carry
_KINDS = {
    "tcp": 0, "udp": 1, "cbr": 2, "audio": 3, "video": 4, "ack": 5, "message": 13, "rtProtoDV": 16, "sa_req": 20,
    "sa_accept": 21, "sa_conf": 22, "sa_teardown": 23, "sa_reject": 25, "telnet": 26, "ftp": 27, "pareto": 28,
    "exp": 29, "rap_data": 40, "rap_ack": 41, "tcpFriend": 42, "tcpFriendCtl": 43, "ping": 44, "rtProtoLS": 47,
}  # fmt: skip


@ns2_class("QueueMonitor/ED")
class EarlyDropMonitor(QueueMonitor):
    """Counts losses from a queue that was not full by themselves too."""

    @method()
    def reset(self) -> None:
        """Count from 0 again."""
        self.next_after(EarlyDropMonitor, "reset")
        for name in ("epdrops_", "ebdrops_", "mon_epdrops_", "mon_ebdrops_"):
            self.set_bound(name, "0")


@ns2_class("QueueMonitor/ED/Flow")
class FlowCounts(EarlyDropMonitor):
    """Counts one flow."""

    def flow(self) -> tuple[int, int, int, str]:
        """Source, destination, flow id and kind of the last packet."""
        return self.native.flow() or (-1, -1, -1, "tcp")

    def read_bound(self, name: str) -> float:
        if name in _FLOW:
            found = self.native.flow()
            return self.bound.get(name, -1) if found is None else (found[0], found[1], found[2])[_FLOW[name]]
        return super().read_bound(name)

    def write_bound(self, name: str, value: float) -> None:
        if name in _FLOW:
            self.bound[name] = value
        else:
            super().write_bound(name, value)


_FLOW = {"src_": 0, "dst_": 1, "flowid_": 2}
_ENABLE = {
    "enable_in_": "counts_arrivals",
    "enable_out_": "counts_departures",
    "enable_drop_": "counts_drops",
    "enable_edrop_": "counts_early_drops",
}


@ns2_class("QueueMonitor/ED/Flowmon")
class FlowMonitor(EarlyDropMonitor):
    """Counts all packets, and each flow by itself."""

    _classifier: HashClassifier | None = None
    _channel: _native.Channel | None = None

    def read_bound(self, name: str) -> float:
        if name in _ENABLE:
            return self.native.param(_ENABLE[name])
        return super().read_bound(name)

    def write_bound(self, name: str, value: float) -> None:
        if name in _ENABLE:
            self.native.set_param(_ENABLE[name], bool(value))
        else:
            super().write_bound(name, value)

    @method()
    def classifier(self, classifier: str = "") -> str:
        """What tells flows apart; told or asked."""
        if classifier:
            peer = self.interp.peer(classifier)
            if not isinstance(peer, HashClassifier):
                raise NsError(f"{classifier} is a {peer.class_name}; it cannot tell flows apart")
            self._classifier = peer
            self.native.set_flows(peer.flow_table())
            return ""
        return "" if self._classifier is None else self._classifier.handle

    def _flows(self) -> list[FlowCounts]:
        if self._classifier is None:
            raise NsError(f"{self.class_name} {self.handle} has no classifier to tell flows apart")
        found = map(self.interp.find_peer, self._classifier.occupants())
        return [peer for peer in found if isinstance(peer, FlowCounts)]

    @method()
    def flows(self) -> str:
        """All flows, in the order of their slots."""
        return " ".join(peer.handle for peer in self._flows())

    @method()
    def attach(self, channel: str) -> None:
        """`dump` writes to this channel."""
        self._channel = self.interp.channels.attach(channel)

    @method()
    def dump(self) -> None:
        """Write a line for each flow."""
        for flow in self._flows():
            if self._channel is not None:
                self._channel.write(self._line(flow).encode() + b"\n")

    def _line(self, flow: FlowCounts) -> str:
        src, dst, fid, kind = flow.flow()
        names = ("parrivals_", "barrivals_", "epdrops_", "ebdrops_", "pdrops_", "bdrops_")
        part, whole = ([int(counts.read_bound(name)) for name in names] for counts in (flow, self))
        fields = [fid, 0, _KINDS.get(kind, 0), fid, src, dst, *part[:4], *whole, *part[4:], 0, 0, 0]
        return f"{self.engine.now():8.3f} " + " ".join(map(str, fields))


@ns2_class("SnoopQueue/EDrop")
class SnoopEarlyDrop(SnoopQueue):
    """Losses of a queue that was not full."""

    what, place = "early_drops", "dropped_early"

    def tap_early_drops(self, link: _native.Link) -> None:
        """The queue's early drops pass here."""
        monitor = self.interp.find_peer(self.vars.get("monitor_", ""))
        if not isinstance(monitor, QueueMonitor):
            raise NsError(f"{self.class_name} {self.handle} has no monitor yet: `set-monitor` comes first")
        self.tap(link, monitor.native)


def send_losses(interp: Interpreter, queue: str, snoop: str) -> None:
    """Send a queue's losses to the snoop that has just been put in front of the others."""
    link = interp.peer_of(snoop, SnoopQueue, "SnoopQueue").stands_in
    if link is not None and not link.is_apart and queue == link.queue_peer.handle:
        # A link in one piece has this snoop first anyway.
        link.queue_peer.drop_handle = snoop
    else:
        interp.call(queue, "drop-target", snoop)


class FlowMonitored:
    """What a script says of flow monitors."""

    @method("makeflowmon")
    def make_flow_monitor(self: Simulator, kind: str, slots: str = "31") -> str:  # type: ignore[misc]
        """A flow monitor; flows are told apart by Fid, Dest, SrcDest or SrcDestFid."""
        monitor = self.interp.new("QueueMonitor/ED/Flowmon")
        classifier = self.interp.new(f"Classifier/Hash/{kind}", slots)
        self.interp.call(monitor, "classifier", classifier)
        return monitor

    @method("attach-fmon")
    def attach_flow_monitor(self: Simulator, link: str, monitor: str, early: str = "0") -> None:  # type: ignore[misc]
        """A flow monitor looks at a link's queue; at early drops by themselves too if asked to."""
        snoops = [self.interp.new(f"SnoopQueue/{name}") for name in ("In", "Out", "Drop")]
        self.interp.call(link, "attach-monitors", *snoops, monitor)
        queue = self.interp.call(link, "queue")
        if early != "0":
            snoop = self.interp.new("SnoopQueue/EDrop")
            self.interp.call(snoop, "set-monitor", monitor)
            self.interp.call(queue, "early-drop-target", snoop)
            self.interp.peer_of(snoop, SnoopQueue, "SnoopQueue").target_handle = self.vars["nullAgent_"]
        send_losses(self.interp, queue, snoops[2])

    @method("maketbtagger")
    def make_bucket_tagger(self: Simulator, kind: str, slots: str = "29") -> str:  # type: ignore[misc]
        """What tags packets, those of each flow by a token bucket; flows are told apart by Fid, Dest or SrcDest."""
        tagger = self.interp.new("QueueMonitor/ED/Tagger")
        classifier = self.interp.new(f"Classifier/Hash/{kind}", slots)
        peer = self.interp.peer(classifier)
        assert isinstance(peer, HashClassifier)
        peer.flow_class = "QueueMonitor/ED/Flow/TB"
        self.interp.call(tagger, "classifier", classifier)
        return tagger

    @method("attach-tagger")
    def attach_tagger(self: Simulator, link: str, tagger: str) -> None:  # type: ignore[misc]
        """Packets are tagged before they come to a link's queue."""
        self.interp.call(link, "attach-taggers", self.interp.new("SnoopQueue/Tagger"), tagger)
