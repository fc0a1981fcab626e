"""Queues other than the usual ones: fair ones, and those that compute from their link when to drop or mark."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NotYet, method, ns2_class
from ackclock.ns2.library.core.engine import engine_name, whole
from ackclock.ns2.library.queues.queues import Queue
from ackclock.ns2.library.queues.red import ActiveQueue, EarlyDropQueue, Red
from ackclock.ns2.otcl.values import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native


@ns2_class("Queue/FQ")
class Fq(Queue):
    """Fair queueing: a queue for each flow, of the kind that FQLink's `queueManagement_` names."""

    #: whether the link has a trace of losses, which flows' queues in ns-2 hand them to
    has_drop_trace = False

    @method()
    def reset(self) -> None:
        """The simulation starts."""
        if self.link is not None:
            self._describe_flows(self.link)
            self.link.queue.set_param("lacks_drop_trace", not self.has_drop_trace)
        self.next_after(Fq, "reset")

    def _describe_flows(self, link: _native.Link) -> None:
        kind = self.interp.call("FQLink", "set", "queueManagement_")
        if kind not in ("DropTail", "RED"):
            raise NotYet(f"ns-2 has FQ over queues of kind {kind}; ackclock has it over DropTail and RED")
        link.queue.set_param("red_flows", kind == "RED")
        self.interp.know(f"Queue/{kind}")
        types = self.interp.types_of(f"Queue/{kind}")
        for name, text in self.interp.nearest_values(f"Queue/{kind}", types).items():
            try:
                value = TYPES[types[name]][0](text)
            except ValueError:
                value = 0  # as ns-2 takes a text that is no number
            try:
                link.queue.set_param(f"flow_{engine_name(name)}", value)
            except KeyError:
                continue


@ns2_class("Queue/DRR")
class Drr(Queue):
    """Deficit round robin."""

    @method()
    def mask(self, on: str) -> None:
        """Whether flows are told apart by their source's node alone."""
        self.call("set", "mask_", whole(on, "a mask"))

    @method()
    def quantum(self, count: str) -> None:
        """What every bucket may send in a round, bytes."""
        self.call("set", "quantum_", whole(count, "a quantum"))

    @method()
    def blimit(self, count: str) -> None:
        """The most that may wait, bytes."""
        self.call("set", "blimit_", whole(count, "a limit"))

    @method()
    def buckets(self, count: str) -> None:
        """Into how many queues flows are put."""
        self.call("set", "buckets_", whole(count, "a number of buckets"))


@ns2_class("Queue/Management", "Queue", limit_="int")
class Management(Queue):
    """The queue that study 000 proposes."""


@ns2_class("Queue/RED/RIO")
class Rio(Red):
    """Random early detection with in and out packets."""

    traced_parts = ("curq", "ave", "prob")
    untraced = ("in_ave_", "out_ave_", "in_prob1_", "out_prob1_")

    @method()
    def trace(self, variable: str, tracer: str | None = None) -> None:
        """Watch a variable; RED's cur_max_p_ is there, and nobody writes it."""
        if variable != "cur_max_p_":
            super().trace(variable, tracer)

    def _tap_early(self, handle: str) -> None:
        # Early drops reach their target, but no trace on the way.
        if handle == self._early_target:
            super()._tap_early(handle)


class ClockedQueue(ActiveQueue):
    """What queues have in common that compute at intervals, from their creation on."""

    def join(self, link: _native.Link) -> None:
        super().join(link)
        link.queue.reset()


@ns2_class("Queue/PI")
class Pi(ClockedQueue, EarlyDropQueue):
    """The proportional-integral controller."""

    traced_parts = ("curq", "prob")


@ns2_class("Queue/REM")
class Rem(ClockedQueue):
    """Random exponential marking."""

    traced_parts = ("curq", "ave", "prob")


@ns2_class("Queue/SFQ")
class Sfq(Queue):
    """Stochastic fair queueing."""

    @method()
    def limit(self, count: str) -> None:
        """How many packets there is room for."""
        self.call("set", "maxqueue_", whole(count, "a limit"))

    @method()
    def buckets(self, count: str) -> None:
        """Over how many queues flows are spread."""
        self.call("set", "buckets_", whole(count, "a number of buckets"))


@ns2_class("Queue/Vq")
class Vq(ActiveQueue):
    """The adaptive virtual queue."""

    traced_parts = ("curq",)


@ns2_class("Queue/GK")
class Gk(ActiveQueue):
    """Gibbens' and Kelly's marking."""

    traced_parts = ("curq",)
