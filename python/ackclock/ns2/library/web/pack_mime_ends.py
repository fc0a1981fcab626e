"""Clients and servers of PackMimeHTTP's connections."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import ns2_class
from ackclock.ns2.library.tcp.full_tcp import FullTcp
from ackclock.ns2.library.traffic.applications import Application

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.library.web.pack_mime import PackMimeHttp


class WebEnd(Application):
    """What the two ends of a connection share. Both are used again for later connections."""

    traffic: PackMimeHttp
    agent_peer: FullTcp | None = None
    running = False
    request = response = requests = total = 0

    def feed(self, traffic: PackMimeHttp, agent: FullTcp) -> None:
        """Belong to this connection."""
        self.traffic, self.agent_peer, self.fed = traffic, agent, agent
        self._heard = self._bytes_so_far()
        agent.reader = self.read
        agent.native.listen("received")

    def _bytes_so_far(self) -> int:
        assert self.agent_peer is not None
        return int(self.agent_peer.native.param("bytes_received"))

    def read(self) -> None:
        """Bytes have come."""
        so_far = self._bytes_so_far()
        count, self._heard = so_far - self._heard, so_far
        self.received(count)

    def received(self, count: int) -> None:
        """This many bytes have come."""

    def send_message(self, count: int, flags: str = "") -> None:
        """Send this many bytes."""
        assert self.agent_peer is not None
        self.agent_peer.native.send_bytes(count, flags)

    def rest(self) -> None:
        """The connection is over."""
        if self.agent_peer is not None and self.agent_peer.reader == self.read:
            self.agent_peer.reader = None
        self.agent_peer = self.fed = None
        self.request = self.response = self.requests = self.total = 0


@ns2_class("Application/PackMimeHTTP")
class WebApplication(WebEnd):
    """An end of a connection."""


@ns2_class("Application/PackMimeHTTP/Server")
class WebServer(WebApplication):
    """Answers a request when its delay is over."""

    is_last = False

    def received(self, count: int) -> None:
        if not self.running:
            return
        self.total += count
        if self.total == self.request:
            self.interp.event_queue.call_in(self.traffic.draw("server_delay"), self.answer)
            self.total = 0

    def answer(self) -> None:
        """Send the response; with the last one, close."""
        if not self.running:
            return
        assert self.agent_peer is not None
        place = (self.agent_peer.get_bound("agent_addr_"), self.agent_peer.get_bound("agent_port_"))
        self.traffic.note_sizes("filesz", self, place)
        if self.requests == 1 or self.is_last:
            self.send_message(self.response, "MSG_EOF")
            self.running = False
        else:
            self.send_message(self.response)

    def rest(self) -> None:
        super().rest()
        self.is_last = False


@ns2_class("Application/PackMimeHTTP/Client")
class WebClient(WebApplication):
    """Sends requests and waits for what they bring."""

    server: WebServer
    is_persistent = False

    def begin(self) -> None:
        """Send the first request as soon as what is going on now is done."""
        self.running = True
        self._plan: list[tuple[float, int, int]] = []
        self._next = 0
        self.interp.event_queue.call_in(0.0, self.ask)

    def ask(self) -> None:
        """Send a request."""
        if not self.running:
            return
        traffic, server = self.traffic, self.server
        if traffic.is_http_1_1 and self.requests == 0:
            self.is_persistent = traffic.draw("prob_persistent") != 0
        if self.is_persistent:
            if self.requests == 0:
                self._plan = traffic.plan()
                self.requests = len(self._plan)
            _, request, response = self._plan[self._next]
            self._next += 1
        else:
            self.requests = 1
            request = int(traffic.draw("req_size"))
            response = int(traffic.draw("rsp_size"))
        self.request, self.response = request or 1, response or 1
        server.requests, server.request, server.response = self.requests, self.request, self.response
        server.is_last |= self.requests == 1 or self._next == self.requests
        self._asked_at = self.engine.now()
        assert self.agent_peer is not None
        traffic.note_sizes("samples", self, self._there())
        self.send_message(self.request)

    def _there(self) -> tuple[str, str]:
        assert self.agent_peer is not None
        return self.agent_peer.get_bound("dst_addr_"), self.agent_peer.get_bound("dst_port_")

    def received(self, count: int) -> None:
        self.total += count
        if self.total != self.response:
            return
        if self.requests == 1 or self._next == self.requests:
            self.running = False
        else:
            self.interp.event_queue.call_in(self._plan[self._next][0], self.ask)
        self.traffic.note_pair(self, self._asked_at, self._there())
        self.total = 0
