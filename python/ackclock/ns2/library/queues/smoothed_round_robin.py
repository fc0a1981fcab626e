"""`Queue/SRR`: flows with reserved rates take turns that are spread evenly."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.core.engine import whole
from ackclock.ns2.library.queues.queues import DISCIPLINES, Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native

DISCIPLINES["Queue/SRR"] = "srr"


@ns2_class("Queue/SRR")
class SmoothedRoundRobin(Queue):
    """Flows have queues, and queues have rates."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self._orders: list[str] = []

    def join(self, link: _native.Link) -> None:
        super().join(link)
        for order in self._orders:
            link.queue.command(order)

    def _order(self, *words: object) -> None:
        order = " ".join(map(str, words))
        if self.link is None:
            self._orders.append(order)
        else:
            self.link.queue.command(order)

    @method("setqueue")
    def set_queue(self, flow: str, queue: str) -> None:
        """The queue of a flow id."""
        self._order("setqueue", whole(flow, "a flow id"), whole(queue, "a queue"))

    @method("setrate")
    def set_rate(self, queue: str, rate_bps: str) -> None:
        """A queue's rate, bit/s."""
        self._order("setrate", whole(queue, "a queue"), whole(rate_bps, "a rate"))

    @method()
    def blimit(self, count: str) -> None:
        """The most that may wait, bytes: without effect."""
        self.call("set", "blimit_", whole(count, "a limit"))

    @method()
    def maxqueuenumber(self, count: str) -> None:
        """The largest number of a queue."""
        self.call("set", "maxqueuenumber_", whole(count, "a number of queues"))

    @method()
    def mtu(self, count: str) -> None:
        """Bytes of a turn."""
        self.call("set", "mtu_", whole(count, "a number of bytes"))

    @method()
    def granularity(self, rate_bps: str) -> None:
        """The rate that makes a weight of 1, bit/s."""
        self.call("set", "granularity_", whole(rate_bps, "a rate"))
