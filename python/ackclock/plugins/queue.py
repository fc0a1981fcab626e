"""The queue discipline that users' own are made from."""

from __future__ import annotations

from collections import deque

from ackclock._native import Packet
from ackclock.plugins.code import PluginCode


class QueueDiscipline(PluginCode):
    """Which packet is queued, sent or dropped. The base class is drop-tail; a subclass overrides what differs.

    Each direction of a link has an object, made without arguments before the run. A packet is queued until `dequeue`
    returns it or its `drop()` drops it, on arrival or later. Its `mark()` marks it if its transport supports ECN, and
    returns whether it did. Two rules hold, or the run ends with an error: the queue has at most `limit` packets, and
    `dequeue` returns one as long as there is one. `now_s` is the simulated time, in seconds.

    A class attribute that is a number or a flag is a parameter with its default. A scenario's `parameters` may set
    another, with a unit if that helps (`"5 ms"` is 0.005). With `Record(changes=True)` each change of an attribute that
    `traced` names is a row of the table `own_changes`.

    An exception ends the run: `SimulationError` with the link's name and the simulated time, and the exception as its
    cause.
    """

    #: most packets that may wait; the scenario's `limit` sets it
    limit: int = 50
    #: seconds between calls of `timer`, 0 for none
    interval_s: float = 0.0

    #: the link's present rate, bit/s
    rate_bps: float
    #: the link's delay when the run begins, s
    delay_s: float
    #: packets in order of arrival, for who uses it
    waiting: deque[Packet]

    def start(self) -> None:
        """The run begins, or the link went down and lost its queue: the queue is empty."""
        self.waiting = deque()

    def enqueue(self, packet: Packet, now_s: float) -> None:
        """A `packet` arrives. As in ns-2 the base class queues at most `limit` - 1 packets while another one is being
        sent.
        """
        if len(self.waiting) + 1 >= self.limit:
            packet.drop()
        else:
            self.waiting.append(packet)

    def dequeue(self, now_s: float) -> Packet | None:
        """The link can send: return the next packet, or `None` if the queue is empty and the link falls idle."""
        return self.waiting.popleft() if self.waiting else None

    def timer(self, now_s: float) -> None:
        """Called every `interval_s`, if that is more than 0."""
