"""The usual queues: made before their link is, so what the script sets is kept until then."""

from __future__ import annotations

from ackclock._native import Params
from ackclock.ns2.library.engine import OF_USE, engine_name
from ackclock.ns2.library.nodes import Connector
from ackclock.ns2.peers import NotYet, NsError, method, ns2_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.library.engine import FirstValues

#: ns-2 class -> the engine's discipline.
DISCIPLINES = {
    "Queue/DropTail": "drop_tail",
    "Queue/RED": "red",
    "Queue/RED/RIO": "rio",
    "Queue/PI": "pi",
    "Queue/REM": "rem",
    "Queue/Vq": "virtual_queue",
    "Queue/GK": "gibbens_kelly",
    "Queue/FQ": "fq",
    "Queue/SFQ": "sfq",
    "Queue/DRR": "drr",
    "Queue/Management": "management",
}


@ns2_class("Queue")
class Queue(Connector):
    """A queue discipline on a link."""

    link: int | None = None
    #: what goes before the engine's names of its variables: the class it is in, if it is in one
    place = ""
    #: whether the use of its link is being measured
    is_measured = False
    begins_alike = True

    @property
    def discipline(self) -> str:
        """The engine's name of the discipline."""
        try:
            return DISCIPLINES[type(self).ns2_name]
        except KeyError:
            raise NotYet(f"ns-2 has {type(self).ns2_name}; ackclock does not have it yet") from None

    def create(self, *args: str) -> None:
        pass

    def take_limit(self, limit: str) -> None:
        """`queue-limit` has set `limit_`, packets; queues that are made of several hand it on."""

    def join(self, link: int) -> None:
        """The link exists now: hand over what was set before."""
        self.link = link
        waiting, self.bound = self.bound, {}
        place = f"{self.class_name} on a link"
        known = self.interp.worked_out.get(place)
        if known is not None and known[0] == waiting and not self.place and not self.is_measured:
            self.bound = known[1].copy()
            self.tell_first(known[2])
            return
        for name, value in waiting.items():
            self.write_bound(name, value)
        told = [(engine_name(name), value) for name, value in waiting.items() if name not in self.bound]
        if not self.place:
            self.interp.worked_out[place] = waiting, self.bound.copy(), self.made_ready(told)

    def made_ready(self, params: list[tuple[str, float]]) -> FirstValues:
        return Params(params) if params and type(self).engine_set is Queue.engine_set and not self.place else params

    def tell_first(self, params: FirstValues) -> None:
        if isinstance(params, Params):
            assert self.link is not None
            self.engine.set_queue_params(self.link, params)
        else:
            super().tell_first(params)

    def engine_get(self, name: str) -> float:
        if self.link is None:
            raise KeyError(name)
        return self.engine.queue_param(self.link, self.place + name)

    def engine_set(self, name: str, value: float) -> None:
        assert self.link is not None
        self.engine.set_queue_param(self.link, self.place + name, value)

    def write_bound(self, name: str, value: float) -> None:
        if self.link is None:
            self.bound[name] = value
        elif self.is_measured and name in OF_USE and value != self.read_bound(name):
            raise NotYet(f"{self.class_name} {self.handle}: ackclock takes {name} before its link is made only")
        else:
            super().write_bound(name, value)

    @method()
    def reset(self) -> None:
        """The simulation starts."""
        if self.link is not None:
            self.engine.reset_queue(self.link)

    @method("attach-traces")
    def attach_traces(self, source: str, target: str, file: str, op: str = "") -> None:
        """The link is traced: nothing of the queue's own to add."""

    @method("attach-nam-traces")
    def attach_nam_traces(self, source: str, target: str, file: str) -> None:
        """The link is traced for nam."""
        self.call("attach-traces", source, target, file, "nam")

    def _command(self, name: str) -> None:
        if self.link is not None:
            told = self.engine.queue_command(self.link, name)
            if told:
                from ackclock.ns2.stdio import stdio

                stdio(self.interp).write(told)

    @method()
    def printstats(self) -> None:
        """Print the true average length."""
        self._command("printstats")

    @method("shrink-queue")
    def shrink_queue(self) -> None:
        """Drop what is over the limit, after the script lowered it."""
        self._command("shrink-queue")


@ns2_class("Queue/DropTail")
class DropTail(Queue):
    """First in, first out."""


class ActiveQueue(Queue):
    """What queues have in common that compute from their link when to drop or mark."""

    _channel: int | None = None

    def create(self, *args: str) -> None:
        super().create(*args)
        self._watched: list[str] = []

    def join(self, link: int) -> None:
        super().join(link)
        for variable in self._watched:
            self._watch(variable)

    @method("link")
    def set_link(self, link: str) -> None:
        """The queue is on its link: what is to be computed from the link is, with the settings of this moment."""
        self._command("link")

    @method()
    def attach(self, channel: str) -> None:
        """Watched variables go to this channel."""
        self._channel = self.interp.channels.attach(channel)
        for variable in self._watched:
            self._watch(variable)

    @method()
    def trace(self, variable: str, tracer: str = "") -> None:
        """Watch a variable, such as curq_, ave_, prob1_."""
        self._watched.append(variable)
        self._watch(variable)

    def _watch(self, variable: str) -> None:
        if self._channel is None or self.link is None:
            return
        try:
            self.engine.watch_queue(self.link, engine_name(variable), self._channel)
        except KeyError:
            raise NsError(f"{self.class_name} {self.handle}: {variable} cannot be traced") from None


class EarlyDropQueue(ActiveQueue):
    """What queues have in common whose early drops may go another way than other losses."""

    #: where early drops go instead of the ordinary way; the traces are passed only then, the last one first
    _early_target = ""

    def create(self, *args: str) -> None:
        super().create(*args)
        self._early_traces: list[str] = []

    @method("trace-type")
    def trace_type(self) -> str:
        """Which trace early drops go to."""
        return "Drop"

    @method("edrop-trace")
    def edrop_trace(self, trace: str | None = None) -> str | None:
        """The trace of early drops, while they have a target of their own; told or asked (0: none)."""
        if trace is None:
            return self._early_traces[-1] if self._early_traces else "0"
        self._early_traces.append(trace)
        if self._early_target:
            self._tap_early(trace)
        return None

    @method("early-drop-target")
    def early_drop_target(self, target: str = "") -> str:
        """Early drops go here, not the link's ordinary way of lost packets; told or asked."""
        if target:
            self._early_target = target
            for handle in (target, *self._early_traces):
                self._tap_early(handle)
        return self._early_target

    def _tap_early(self, handle: str) -> None:
        peer = self.interp.peer(handle)
        tap = getattr(peer, "tap_early_drops", None)
        if tap is None or self.link is None:
            raise NsError(f"{handle} is a {peer.class_name}; early drops cannot go there")
        tap(self.link)


@ns2_class("Queue/RED")
class Red(EarlyDropQueue):
    """Random early detection."""

    @method()
    def reset(self) -> None:
        """The simulation starts; thresholds that make no sense are taken as ns-2 takes them, with a word on it."""
        if self.read_bound("linterm_") == 0:
            raise NsError(f"{self.class_name} {self.handle}: linterm_ must not be 0; ns-2 divides by it")
        low, high = self.read_bound("thresh_"), self.read_bound("maxthresh_")
        if low > high > 0:
            self.interp.warn(f"{self.class_name} {self.handle}: thresh_ {low:g} is above maxthresh_ {high:g}")
        for name in ("mark_p_", "bottom_", "top_"):
            value = self.read_bound(name)
            if not 0 <= value <= 1:
                self.interp.warn(f"{self.class_name} {self.handle}: {name} {value:g} is no probability")
        self.next_after(Red, "reset")

    @method("attach-traces")
    def attach_traces(self, source: str, target: str, file: str, op: str = "") -> None:
        """A trace of early drops, ns-2's or nam's."""
        kind = "Drop" if op == "nam" else self.call("trace-type")
        self.call("edrop-trace", self.simulator.call("create-trace", kind, file, source, target, op))
