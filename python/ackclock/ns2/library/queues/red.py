"""RED, and what queues have in common that compute when to drop or mark before they are full."""

from __future__ import annotations

from ackclock._native import format_g
from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import engine_name
from ackclock.ns2.library.queues.queues import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native


class ActiveQueue(Queue):
    """What queues have in common that compute from their link when to drop or mark."""

    _channel: _native.Channel | None = None
    #: parts of the names of variables that are traced, in the order in which they are looked for
    traced_parts: tuple[str, ...] = ("curq", "ave", "prob", "cur_max_p")
    #: bound variables that have such a part and are not traced
    untraced: tuple[str, ...] = ()
    #: whether the script or its link has told it which link it is on
    knows_link = False

    def create(self, *args: str) -> None:
        super().create(*args)
        self._watched: list[str] = []

    def join(self, link: _native.Link) -> None:
        super().join(link)
        for variable in self._watched:
            self._watch(variable)

    @method("link")
    def set_link(self, link: str) -> None:
        """The queue is on its link: what is to be computed from the link is, with the settings of this moment."""
        self.knows_link = True
        self._command(f"link {self.name_in_whole}".strip())

    @method()
    def attach(self, channel: str) -> None:
        """Watched variables go to this channel from now on."""
        self._channel = self.interp.channels.attach(channel)
        for variable in self._watched:
            self._watch(variable)

    @method()
    def trace(self, variable: str, tracer: str | None = None) -> None:
        """Watch a variable, such as curq_, ave_, prob1_: a tracer writes it, or the queue."""
        from ackclock.ns2.library.monitors import variable_traces

        is_own = variable in self.lives
        if is_own and not self._is_traced(variable):
            raise variable_traces.cannot_trace(self, variable)
        if tracer is not None:
            if not is_own:
                variable_traces.trace_script_variable(self, variable, tracer)
                return
            self._watched = [watched for watched in self._watched if watched != variable]
            place = variable_traces.trace_by_object(self, variable, tracer)
            place = self.engine.add_variable_place("", "") if place is None else place
            if self.link is not None:
                self.link.queue.watch_at(self.place + engine_name(variable), place)
        elif not is_own:
            variable_traces.trace_script_variable(self, variable, None)
            self._write_value(variable, 0)
        else:
            if variable not in self._watched:
                self._watched.append(variable)
            self.is_traced = True
            self._watch(variable)
            self._write_value(variable, self.read_bound(variable))

    def variable_was_set(self, name: str, value: float) -> None:
        if name in self._watched:
            self._write_value(name, value)

    def _is_traced(self, variable: str) -> bool:
        return any(part in variable for part in self.traced_parts) and variable not in self.untraced

    def _write_value(self, variable: str, value: float) -> None:
        """The line for a variable: by any part of its name that ns-2 looks for."""
        part = next((part for part in self.traced_parts if part in variable), None)
        if part is not None and self._channel is not None:
            now = format_g(self.engine.now(), 6)
            shown = f"Q {now} {int(value)}" if part == "curq" else f"{part[0]} {now} {format_g(value, 6)}"
            self._channel.write(f"{shown}\n".encode())

    def _watch(self, variable: str) -> None:
        if self._channel is not None and self.link is not None:
            self.link.queue.watch(self.place + engine_name(variable), self._channel)


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
                self.interp.warn(f"{self.class_name} {self.handle}: {name} {value:g} is not a probability")
        self.next_after(Red, "reset")

    @method("attach-traces")
    def attach_traces(self, source: str, target: str, file: str, op: str = "") -> None:
        """A trace of early drops, ns-2's or nam's."""
        kind = "Drop" if op == "nam" else self.call("trace-type")
        self.call("edrop-trace", self.simulator.call("create-trace", kind, file, source, target, op))
