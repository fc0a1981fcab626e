"""The queue discipline that users' own are made from."""

from __future__ import annotations

from collections import deque

from ackclock._native import Packet
from ackclock.plugins.code import PluginCode


class QueueDiscipline(PluginCode):
    """Which packet waits, which goes next, which is thrown away. As it stands it is drop-tail; a class made from it
    overrides what it does otherwise.

    There is an object for each direction of a link, made without arguments before the run. A packet that comes waits
    until `dequeue` returns it or its `drop()` throws it away, whether it has just come or has waited; `mark()` marks it
    if its transport understands marks, and says whether. At most `limit` packets may wait, and as long as one does,
    `dequeue` must return one: the run ends with an error otherwise.

    A class attribute that is a number or a flag is a parameter with its default: a scenario's `parameters` may give
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
        """The run begins, or the link went down and lost what waited: nothing waits."""
        self.waiting = deque()

    def enqueue(self, packet: Packet, now_s: float) -> None:
        """A packet comes. As in ns-2 the base class lets `limit` - 1 wait while another one is being sent."""
        if len(self.waiting) + 1 >= self.limit:
            packet.drop()
        else:
            self.waiting.append(packet)

    def dequeue(self, now_s: float) -> Packet | None:
        """The link can send: the packet that goes next. `None` if none waits: the link falls idle."""
        return self.waiting.popleft() if self.waiting else None

    def timer(self, now_s: float) -> None:
        """Called each `interval_s`, if that is more than 0."""
