"""The ends of Tmix's connections: each sends its units after pauses, and knows what to wait for."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import ns2_class
from ackclock.ns2.library.tcp.agents import Tcp, TcpSink
from ackclock.ns2.library.tcp.full_tcp import FullTcp
from ackclock.ns2.library.traffic.applications import Application
from ackclock.ns2.library.traffic.connection_vectors import Side, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.library.traffic.tmix import Tmix

#: bytes of what stands for a SYN, and of a header, where TCP is one-way
HEADER_BYTES = 40
#: what is sent where two-way TCP has only to close
_LAST_BYTES = 2


class Socket:
    """An end's agents: one of two-way TCP, or a sender and a receiver."""

    def __init__(self, agent: Tcp, sink: TcpSink | None) -> None:
        self.agent = agent
        self.sink = sink
        self.rests_since_s = 0.0

    @property
    def receiver(self) -> FullTcp | TcpSink:
        """The agent that receives."""
        found = self.agent if self.sink is None else self.sink
        assert isinstance(found, (FullTcp, TcpSink))
        return found


@ns2_class("Application/Tmix")
class TmixEnd(Application):
    """One end of a connection. It is used again for later ones."""

    traffic: Tmix
    socket: Socket
    peer: TmixEnd

    def create(self, *args: str) -> None:
        super().create(*args)
        self.running = False
        self._timer: int | None = None
        self.rest()

    def rest(self) -> None:
        """The connection is over."""
        self._stop_timer()
        self._side = Side(mss=1)
        self._next = self._got = self._expected = 0
        self.running = self.has_sent_all = self.waits_to_send = False

    def join(self, traffic: Tmix, socket: Socket, side: Side) -> None:
        """Play this side of a connection."""
        self.traffic, self.socket, self._side = traffic, socket, side
        receiver = socket.receiver
        self._heard = self._bytes_so_far()
        receiver.reader = self.read
        receiver.native.listen("received")

    def begin(self) -> None:
        """Wait, and send first if that is this end's part."""
        self.running = True
        if isinstance(self.socket.agent, FullTcp):
            self.socket.agent.call("listen")
        unit = self._unit()
        if unit is not None and unit.after_receive_us == 0:
            self._set_timer(0.0)

    def _unit(self) -> Unit | None:
        units = self._side.units
        if self._next >= len(units):
            self.has_sent_all = True
            return None
        return units[self._next]

    def _set_timer(self, delay_s: float) -> None:
        self._stop_timer()
        self._timer = self.interp.event_queue.call_in(delay_s, self._time_out)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self.interp.event_queue.take_back(self._timer)
            self._timer = None

    def _send(self, size: int, flags: str = "") -> None:
        self.socket.agent.native.send_bytes(size, flags)

    def _is_past_end(self, pause_s: float) -> bool:
        end_s = self.traffic.end_s
        return end_s > 0 and pause_s + self.engine.now() > end_s

    def _leave_rest(self) -> None:
        self._next = len(self._side.units)
        self.has_sent_all = True

    def _time_out(self) -> None:
        """Send the next unit."""
        self._timer = None
        unit = self._unit()
        if unit is None:
            return
        self.waits_to_send = False
        if unit.size == 0:
            self.has_sent_all = True
            if self.socket.sink is not None:
                self.traffic.end_is_done(self)
            elif self.peer.has_sent_all:
                self._send(_LAST_BYTES, "MSG_EOF")
            return
        self.peer.expect(unit.size)
        self._next += 1
        following = self._unit()
        pause_s = 0.0 if following is None else following.after_send_us / 1e6
        if following is not None and self._is_past_end(pause_s):
            self._leave_rest()
            following = None
        if following is not None:
            self._send(unit.size)
            if pause_s != 0:
                self.waits_to_send = True
                self._set_timer(pause_s)
        elif not self.peer.has_sent_all:
            self._send(unit.size)
        elif self.socket.sink is None:
            self._send(unit.size, "MSG_EOF")

    def expect(self, size: int) -> None:
        """The peer sends this many bytes. One-way TCP sends them in whole packets."""
        if self.socket.sink is not None:
            size = ((size - 1) // self._side.mss + 1) * self._side.mss
        self._expected += size

    def _bytes_so_far(self) -> int:
        name = "bytes_received" if self.socket.sink is None else "bytes"
        return int(self.socket.receiver.native.param(name))

    def read(self) -> None:
        """Bytes have come."""
        so_far = self._bytes_so_far()
        count, self._heard = so_far - self._heard, so_far
        is_one_way = self.socket.sink is not None
        if is_one_way:
            if count == HEADER_BYTES:
                return
            count -= HEADER_BYTES
        self._got += count
        if self._got < self._expected:
            return
        self._got = 0 if is_one_way else self._got - self._expected
        self._expected = 0
        if is_one_way and self.has_sent_all and self.peer.has_sent_all:
            self.traffic.end_is_done(self)
            return
        unit = self._unit()
        if unit is None:
            return
        pause_s = unit.after_receive_us / 1e6
        if self._is_past_end(pause_s):
            self._leave_rest()
            if is_one_way:
                self.traffic.end_is_done(self)
                return
        if pause_s != 0 and not self.peer.waits_to_send:
            self._set_timer(pause_s)
