"""XCP: its routers' queues, its senders and receivers."""

from __future__ import annotations

from ackclock._native import format_g
from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import real, whole
from ackclock.ns2.library.queues.queues import DISCIPLINES, DropTail, Queue
from ackclock.ns2.library.tcp import agents
from ackclock.ns2.library.tcp.agents import Agent, Tcp, TcpSink
from ackclock.ns2.library.tcp.full_tcp import FullTcp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native

DISCIPLINES["Queue/XCP"] = "xcp"
agents.KINDS.update(
    {
        "Agent/TCP/Reno/XCP": "xcp",
        "Agent/TCP/FullTcp/Newreno/XCP": "full_xcp",
        "Agent/TCPSink/XCPSink": "sink_xcp",
    }
)

#: what puts a queue into its place, the array element that scripts find it in, its class; its place in the engine
_PARTS = (
    ("set-xcpQ", "vq_(0)", "Queue/DropTail/XCPQ", "xcp."),
    ("set-tcpQ", "vq_(1)", "Queue/RED", "tcp."),
    ("set-otherQ", "vq_(2)", "Queue/RED", "other."),
)


@ns2_class("Queue/DropTail/XCPQ")
class XcpPart(DropTail):
    """The queue of XCP's packets in an XCP router's."""


@ns2_class("Queue/XCP")
class XcpQueue(Queue):
    """An XCP router's queue: one for XCP's packets, one for TCP's, one for the rest."""

    _channel: _native.Channel | None = None

    def create(self, *args: str) -> None:
        super().create(*args)
        self._router = self.simulator.xcp_routers
        self.simulator.xcp_routers += 1
        self._is_shared = self.interp.call("Queue/XCP", "set", "tcp_xcp_on_") != "0"
        self._parts: dict[str, Queue] = {}
        self._told: dict[str, float] = {}
        self._orders: list[str] = []

    @method()
    def init(self, *args: str) -> None:
        """`new`."""
        self.next_after(XcpQueue, "init", *args)
        self.call("create-vqueues")

    @method("create-vqueues")
    def create_parts(self) -> None:
        """Make the three queues."""
        for order, variable, kind, _place in _PARTS:
            self.vars[variable] = self.interp.new(kind)
            self.call(order, self.vars[variable])

    def _put(self, place: str, handle: str) -> None:
        peer = self.interp.find_peer(handle)
        if not isinstance(peer, Queue):
            raise NsError(f"Wrong virtual queue {handle}")
        self._parts[place] = peer
        peer.place = place

    @method("set-xcpQ")
    def set_xcp_part(self, handle: str) -> None:
        """The queue of XCP's packets."""
        self._put("xcp.", handle)

    @method("set-tcpQ")
    def set_tcp_part(self, handle: str) -> None:
        """The queue of TCP's packets."""
        self._put("tcp.", handle)

    @method("set-otherQ")
    def set_other_part(self, handle: str) -> None:
        """The queue of all other packets."""
        self._put("other.", handle)

    def join(self, link: _native.Link) -> None:
        super().join(link)
        self._tell("router", self._router)
        self._tell("tcp_xcp_on", self._is_shared)
        for name, value in self._told.items():
            link.queue.set_param(name, value)
        for part in self._parts.values():
            part.join(link)
        for order in ("start", *self._orders):
            link.queue.command(order)
        self._watch()

    def write_bound(self, name: str, value: float) -> None:
        # Its own limit limits nothing: those of the parts do.
        if name == "limit_":
            self.bound[name] = value
        else:
            super().write_bound(name, value)

    def _tell(self, name: str, value: float) -> None:
        self._told[name] = value
        if self.link is not None:
            self.link.queue.set_param(name, value)

    def _order(self, order: str) -> None:
        if self.link is None:
            self._orders.append(order)
        else:
            self.link.queue.command(order)

    def _watch(self) -> None:
        if self.link is not None and self._channel is not None:
            self.link.queue.watch("remarks", self._channel)

    @method("link")
    def set_link(self, link: str) -> None:
        """The queue is on its link: the parts that are RED compute what is to be computed from it."""
        for place in ("tcp.", "other."):
            self.interp.call(self._parts[place].handle, "link", link)

    @method()
    def reset(self) -> None:
        """The simulation starts, for each part."""
        for part in self._parts.values():
            self.interp.call(part.handle, "reset")

    @method("queue-limit")
    def take_limit(self, limit: str) -> None:
        """The limit of each part, packets."""
        for part in self._parts.values():
            self.interp.call(part.handle, "set", "limit_", limit)

    @method("set-link-capacity")
    def set_link_capacity(self, capacity_bps: str) -> None:
        """The link's capacity, bit/s, which XCP shares out."""
        capacity = real(capacity_bps, "a link's capacity")
        if capacity < 0:
            raise NsError(f"a link's capacity is {capacity_bps} b/s; it must not be negative")
        if capacity > 0:
            self._tell("capacity_bps", capacity)

    @method()
    def attach(self, channel: str) -> None:
        """What the router computes goes to this channel."""
        self._channel = self.interp.channels.attach(channel)
        self._watch()

    @method("queue-sample-everyrtt")
    def sample_every_rtt(self, seconds: str) -> None:
        """The use of the link is told so often, s."""
        self._order(f"report {real(seconds, 'a round-trip time')!r}")

    @method("num-mice")
    def number_of_mice(self, count: str) -> None:
        """Flows below this number are counted as short ones."""
        self._tell("num_mice", whole(count, "a number of flows"))

    @method("queue-read-drops")
    def read_drops(self) -> str:
        """How many of XCP's packets were dropped."""
        return format_g(float(self.link.queue.command("drops")), 6) if self.link is not None else "0"


class ToldOf:
    """What XCP's senders tell."""

    @method("attach")
    def attach_channel(self: Tcp, channel: str) -> None:  # type: ignore[misc]
        """Watched variables go to this channel, and what XCP asks and hears."""
        Agent.attach_channel(self, channel)
        assert self._channel is not None
        self.native.watch_output(self._channel)

    @method("trace", "tracevar")
    def trace(self: Tcp, variable: str, tracer: str | None = None) -> None:  # type: ignore[misc]
        """Watch a variable. `throughput_` is none: it is told wherever the agent is attached to a channel."""
        if variable != "throughput_":
            Agent.trace(self, variable, tracer)


@ns2_class("Agent/TCP/Reno/XCP")
class XcpReno(ToldOf, Tcp):
    """A one-way XCP sender."""


@ns2_class("Agent/TCP/FullTcp/Newreno/XCP")
class XcpFull(ToldOf, FullTcp):
    """One end of a two-way XCP connection."""


@ns2_class("Agent/TCPSink/XCPSink")
class XcpSink(TcpSink):
    """A receiver that returns what routers said."""
