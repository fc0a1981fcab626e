"""Scripts' own protocols over two-way TCP: a message has a command, which runs at the other end when all is there."""

from __future__ import annotations

from collections import deque

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import whole
from ackclock.ns2.library.tcp.agents import Tcp
from ackclock.ns2.library.tcp.full_tcp import FullTcp
from ackclock.ns2.library.tcp.simple_tcp import SimpleTcp
from ackclock.ns2.library.traffic.applications import Application


@ns2_class("Application/TcpApp")
class TcpApp(Application):
    """One end. The peer reads the queue of its messages; TCP carries their lengths."""

    peer: TcpApp | None = None

    def create(self, *args: str) -> None:
        if len(args) != 1:
            raise NsError(f'wrong # args: should be "new {self.class_name} agent"')
        agent = self.interp.peer_of(args[0], Tcp, "TCP agent")
        if not isinstance(agent, (FullTcp, SimpleTcp)):
            raise NsError(f"{args[0]} is not a two-way TCP agent: its class is {agent.class_name}")
        self.fed = agent
        agent.is_fed = True
        #: messages that were sent and have not begun to arrive: bytes and command
        self.sent: deque[tuple[int, str]] = deque()
        #: the message that arrives now, and how much of it has arrived, bytes
        self._message: tuple[int, str] | None = None
        self._arrived = 0
        self._heard = self._bytes_so_far()
        agent.reader = self._read
        agent.native.listen("received")
        if isinstance(agent, FullTcp):
            agent.act_first()

    @method()
    def connect(self, handle: str) -> None:
        """The other end; connects both."""
        peer = self.interp.peer_of(handle, TcpApp, "TcpApp")
        self.peer, peer.peer = peer, self

    @method()
    def dst(self) -> str:
        """The other end."""
        if self.peer is None:
            raise NsError(f"{self.class_name} {self.handle} is connected to no other; ns-2 crashes here")
        return self.peer.handle

    @method()
    def send(self, count: str, command: str = "") -> None:
        """Send a message of `count` bytes; the command runs when the other end has it all."""
        assert self.fed is not None
        if not command:
            raise NsError(f"{self.class_name} {self.handle}: `send BYTES COMMAND`; ns-2 crashes without a command")
        size = whole(count, "the number of bytes to send")
        self.sent.append((size, command))
        self.fed.native.send_bytes(size)
        self.interp.settle_groups()

    def _bytes_so_far(self) -> int:
        assert self.fed is not None
        return int(self.fed.native.param("bytes_received"))

    def _read(self) -> None:
        so_far = self._bytes_so_far()
        count, self._heard = so_far - self._heard, so_far
        if self._message is None:
            self._message = self._next()
        if self._message is None:
            self.interp.warn(f"{self.handle} receives a packet that no message was sent for")
            return
        self._arrived += count
        while self._message is not None and self._arrived >= self._message[0]:
            size, command = self._message
            self.interp.call("uplevel", "#0", command)
            self._arrived -= size
            self._message = self._next() if self._arrived else None
        if self._message is None and self._arrived:
            raise NsError(f"{self.class_name} {self.handle} gets extra data; ns-2 aborts here")

    def _next(self) -> tuple[int, str] | None:
        return self.peer.sent.popleft() if self.peer is not None and self.peer.sent else None
