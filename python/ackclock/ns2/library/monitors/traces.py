"""Trace objects: places on links where packets are written down."""

from __future__ import annotations

import math

from ackclock._native import format_g
from ackclock.ns2.bindings.tcl_object import method, ns2_class, variant
from ackclock.ns2.library.core.nodes import Connector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.library.core.nodes import PartWorker


@ns2_class("Trace")
class Trace(Connector):
    """One place: a letter, two nodes, a channel for ns-2's trace and one for nam's."""

    op = "v"
    place: _native.TracePlace

    def create(self, *args: str) -> None:
        self.op = args[0] if args else type(self).op
        self._channels: dict[str, _native.Channel | None] = {"trace": None, "nam": None}
        self._tagged = False
        self._variables: list[_native.VariablePlace] = []
        self.place = self.engine.add_trace_place(self.op, 0, 0)

    def describe_part(self) -> tuple[str, PartWorker]:
        return "trace", self.place

    def write_bound(self, name: str, value: float) -> None:
        self.bound[name] = value
        if name in ("src_", "dst_"):
            source, target = int(self.bound.get("src_", 0)), int(self.bound.get("dst_", 0))
            self.place.set_nodes(source, target)
        elif name in ("show_tcphdr_", "show_sctphdr_"):
            self._restyle()
        elif name == "callback_" and (value or self.place.number in self.interp.told_traces):
            from ackclock.ns2.library.monitors.told_traces import tell_lines

            tell_lines(self, value != 0)

    def read_bound(self, name: str) -> float:
        return self.bound.get(name, 0)

    def tap_early_drops(self, link: _native.Link) -> None:
        """Trace a queue's early drops."""
        link.add_trace("dropped_early", self.place)

    def _restyle(self) -> None:
        shows_tcp, shows_sctp = (bool(self.bound.get(name, 0)) for name in ("show_tcphdr_", "show_sctphdr_"))
        self.place.set_style(shows_tcp, self._tagged, shows_sctp)

    def _attach(self, which: str, channel: str) -> None:
        self._channels[which] = self.interp.channels.attach(channel)
        self._use_channels()

    def _use_channels(self) -> None:
        self.place.set_channels(self._channels["trace"], self._channels["nam"])
        for place in self._variables:
            place.set_channel(self._channels["trace"])

    def variable_place(self, owner: str, name: str) -> _native.VariablePlace:
        """A new place of the engine's where changes of an object's variable are written."""
        place = self.engine.add_variable_place(owner, name, self._channels["trace"])
        self._variables.append(place)
        return place

    def write_value(self, owner: str, name: str, value: str) -> None:
        """Write the line for a variable's present value."""
        channel = self._channels["trace"]
        if channel is not None:
            now = format_g(math.floor(self.engine.now() * 1e6 + 0.5) / 1e6, 15)
            line = f"{self.op} t{now} a{owner} n{name} v{value}\n"
            channel.write(line.encode())

    @method()
    def attach(self, channel: str) -> None:
        """ns-2's lines go to this channel."""
        self.vars["fp_"] = channel
        self._attach("trace", channel)

    @method()
    def namattach(self, channel: str) -> None:
        """nam's lines go to this channel."""
        self._attach("nam", channel)

    @method()
    def detach(self) -> None:
        """Write nothing more."""
        self._channels = {"trace": None, "nam": None}
        self._use_channels()

    @method()
    def flush(self) -> None:
        """Write out what is buffered."""
        for channel in self._channels.values():
            if channel is not None:
                channel.flush()

    @method()
    def tagged(self, on: str | None = None) -> int | None:
        """Whether ns-2's lines look like nam's; told or asked."""
        if on is None:
            return int(self._tagged)
        self._tagged = on.lower() in ("1", "on", "true", "yes")
        self._restyle()
        return None

    @method()
    def annotate(self, text: str) -> None:
        """Write a remark, into nam's trace as well, if there is a channel for ns-2's."""
        if self._channels["trace"] is not None:
            self.place.annotate(text)

    @method()
    def ntrace(self, line: str) -> None:
        """Write a line of the script's own into nam's trace."""
        channel = self._channels["nam"]
        if channel is not None:
            channel.write(line.encode() + b"\n")

    @method()
    def format(self, *words: str) -> None:
        """Write a line of the script's own into ns-2's trace: the letter, the time, then the words."""
        channel = self._channels["trace"]
        if channel is None:
            return
        names = {"$src_": str(int(self.bound.get("src_", 0))), "$dst_": str(int(self.bound.get("dst_", 0)))}
        shown = " ".join(names.get(word, word) for word in words)
        now = f"{self.engine.now():.17g}"
        channel.write(f"{self.op} {now} {shown}\n".encode())


#: the letter that lines begin with
for _name, _letter in {
    "Hop": "h",
    "Enque": "+",
    "Deque": "-",
    "EDrop": "e",
    "MEDrop": "m",
    "Recv": "r",
    "Drop": "d",
    "Generic": "v",
    "Collision": "c",
    "Var": "f",
}.items():
    variant(f"Trace/{_name}", Trace, op=_letter)


@ns2_class("BaseTrace")
class BaseTrace(Trace):
    """A trace that is no place on a link."""


@ns2_class("BaseTrace/Event")
class EventTrace(BaseTrace):
    """Where agents report in words: fast retransmissions, timeouts."""

    def channels_of(self) -> tuple[_native.Channel | None, _native.Channel | None]:
        """The channels of ns-2's and of nam's lines."""
        return self._channels["trace"], self._channels["nam"]
