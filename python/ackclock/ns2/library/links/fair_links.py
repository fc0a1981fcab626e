"""Links with fair queueing: `FQLink`, which ns-2 makes for the queue FQ."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.links.links import SimpleLink
from ackclock.ns2.library.monitors.traces import Trace
from ackclock.ns2.library.queues.fair_queues import Fq


@ns2_class("FQLink")
class FairLink(SimpleLink):
    """A link whose flows have queues of their own, which drop to the link's trace of losses."""

    @method()
    def init(self, src: str, dst: str, bandwidth: str, delay: str, queue: str, kind: str = "DelayLink") -> None:
        """`new FQLink`: a SimpleLink, a classifier of flows, and the queue told what a byte takes."""
        self.next_after(FairLink, "init", src, dst, bandwidth, delay, queue, kind)
        self.interp.skip_handles(1)
        self.vars["nactive_"] = "0"
        if not isinstance(self.queue_peer, Fq):
            raise NsError(f"{queue} is a {self.queue_peer.class_name}; an FQLink has a Queue/FQ")
        self.native.queue.command("link")

    @method()
    def trace(self, simulator: str, file: str, op: str = "") -> None:
        """The same as of every link; flows' losses go to the trace of losses, past what else hears of losses."""
        self.next_after(FairLink, "trace", simulator, file, op)
        drops = self.interp.peer_of(self.vars["drpT_"], Trace, "trace")
        self.native.add_trace("dropped_early", drops.place)
        assert isinstance(self.queue_peer, Fq)
        self.queue_peer.has_drop_trace = True

    @method("up?")
    def get_up(self) -> str:
        """up: ns-2 does not ask whether this link has failed."""
        return "up"
