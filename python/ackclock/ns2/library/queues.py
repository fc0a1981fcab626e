"""Queues: made before their link is, so what the script sets is kept until then."""

from __future__ import annotations

from ackclock.ns2.library.engine import EngineObject
from ackclock.ns2.library.nodes import Connector
from ackclock.ns2.peers import NotYet, method, ns2_class

#: ns-2 class -> the engine's discipline.
DISCIPLINES = {"Queue/DropTail": "drop_tail", "Queue/RED": "red"}


@ns2_class("Queue")
class Queue(Connector):
    """A queue discipline on a link."""

    link: int | None = None

    @property
    def discipline(self) -> str:
        """The engine's name of the discipline."""
        try:
            return DISCIPLINES[type(self).ns2_name]
        except KeyError:
            raise NotYet(f"ns-2 has {type(self).ns2_name}; ackclock does not have it yet") from None

    def create(self, *args: str) -> None:
        pass

    def join(self, link: int) -> None:
        """The link exists now: hand over what was set before."""
        self.link = link
        waiting, self.bound = self.bound, {}
        for name, value in waiting.items():
            self.write_bound(name, value)

    def engine_get(self, name: str) -> float:
        if self.link is None:
            raise KeyError(name)
        return self.engine.queue_param(self.link, name)

    def engine_set(self, name: str, value: float) -> None:
        assert self.link is not None
        self.engine.set_queue_param(self.link, name, value)

    def write_bound(self, name: str, value: float) -> None:
        if self.link is None:
            self.bound[name] = value
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
        """The link is traced for nam: nothing of the queue's own to add."""

    def _command(self, name: str) -> None:
        if self.link is not None:
            text = self.engine.queue_command(self.link, name)
            if text:
                self.interp.call("puts", "-nonewline", text)

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


@ns2_class("Queue/RED")
class Red(Queue):
    """Random early detection."""

    _early: EngineObject | None = None
    _channel: int | None = None

    @method("link")
    def set_link(self, link: str) -> None:
        """The link whose bandwidth idle times are measured by: the queue's own, which the engine knows."""

    @method()
    def attach(self, channel: str) -> None:
        """Watched variables go to this channel."""
        self._channel = self.interp.channels.attach(channel)

    @method()
    def trace(self, variable: str) -> None:
        """Watch a variable: curq_, ave_, prob1_, cur_max_p_."""
        if self._channel is not None and self.link is not None:
            self.engine.watch_queue(self.link, variable.removesuffix("_"), self._channel)

    @method("trace-type")
    def trace_type(self) -> str:
        """Which trace early drops go to."""
        return "EDrop"

    @method("edrop-trace")
    def edrop_trace(self, trace: str | None = None) -> str | None:
        """The trace of early drops; told or asked (0: none)."""
        if trace is None:
            return self._early.handle if self._early is not None else "0"
        self.early_drop_target(trace)
        return None

    @method("early-drop-target")
    def early_drop_target(self, target: str) -> None:
        """Early drops pass here instead of the link's ordinary way of lost packets."""
        peer = self.interp.peer(target)
        assert isinstance(peer, EngineObject)
        self._early = peer
        if self.link is not None:
            tap_early = getattr(peer, "tap_early_drops", None)
            if tap_early is not None:
                tap_early(self.link)

    @method("attach-traces")
    def attach_traces(self, source: str, target: str, file: str, op: str = "") -> None:
        kind = "Drop" if op == "nam" else self.call("trace-type")
        trace = self.simulator.call("create-trace", kind, file, source, target, op)
        self.call("edrop-trace", trace)
