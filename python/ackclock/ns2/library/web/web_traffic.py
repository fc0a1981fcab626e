"""`PagePool/WebTraf`: sessions of web pages whose objects are fetched by TCP, a request and a response for each.

Source: A. Feldmann, A. C. Gilbert, P. Huang and W. Willinger, "Dynamics of IP traffic: a study of the role of
variability and the impact of control", SIGCOMM 1999, as ns-2.35 has it.
"""

from __future__ import annotations

import math
from itertools import count
from weakref import WeakKeyDictionary

from ackclock.ns2.bindings.tcl_object import NotYet, NsError, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject, real, whole
from ackclock.ns2.library.core.nodes import Node
from ackclock.ns2.library.core.randomness import RandomVariable
from ackclock.ns2.library.web.web_servers import Job, WebServer
from ackclock.ns2.otcl.stdio import stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.ns2.otcl.interp import Interpreter

#: a packet's bytes, where two-way TCP counts them
_PACKET_BYTES = 1000
#: numbers of pages and of objects of a script, over all its pools
_NUMBERS: WeakKeyDictionary[Interpreter, tuple[Iterator[int], Iterator[int]]] = WeakKeyDictionary()


class Page:
    """A page: its objects are asked for one after the other, at random intervals."""

    def __init__(self, number: int, session: Session, objects: int, server: WebServer) -> None:
        self.number = number
        self.session = session
        self.objects = objects
        self.server = server
        self.asked = self.done = 0

    def ask(self) -> None:
        """Ask for the next object."""
        if self.asked >= self.objects:
            return
        session = self.session
        session.pool.launch(self, session.draw_size("object_size"))
        session.pool.tell(f"Session {session.number} launched page {self.number} obj {self.asked}")
        self.asked += 1
        if self.asked < self.objects:
            session.pool.interp.event_queue.call_in(session.draw("between_objects"), self.ask)

    def object_done(self) -> None:
        """An object has come, or never will."""
        self.done += 1
        if self.done >= self.objects:
            if self.done != self.asked:
                raise NsError(f"done objects {self.done} != all objects {self.asked}")
            self.session.page_done(self)


class Session:
    """Somebody who reads pages, one after the other."""

    def __init__(self, pool: WebTraffic, number: int, client: Node, pages: int, variables: dict[str, RandomVariable]):
        self.pool = pool
        self.number = number
        self.client = client
        self.variables = variables
        #: a page begins so long after the last one has ended; else after it has begun
        self.waits_for_end = True
        self._pages = pages
        self._begun = self._done = 0

    def draw(self, name: str) -> float:
        """The next value of one of the session's variables."""
        return self.variables[name].native.draw()

    def draw_size(self, name: str) -> int:
        """The same as a number of packets or objects."""
        return math.ceil(self.draw(name))

    def begin_page(self) -> None:
        """Go to a server for the next page."""
        server = self.pool.pick_server()
        page = self.pool.new_page(self, self.draw_size("page_size"), server)
        self.pool.tell(f"Session {self.number} starting page {page.number}, curpage {self._begun}")
        page.ask()
        self._begun += 1
        if not self.waits_for_end and self._begun < self._pages:
            self._begin_after()

    def _begin_after(self) -> None:
        self.pool.interp.event_queue.call_in(self.draw("between_pages"), self.begin_page)

    def page_done(self, page: Page) -> None:
        """All of a page has come."""
        self.pool.tell(f"Session {self.number} done page {page.number}")
        self.pool.forget_page(page)
        self._done += 1
        if self._done >= self._pages:
            if self._done != self._begun:
                raise NsError(f"done pages {self._done} != all pages {self._begun}")
            self.pool.forget_session(self)
        elif self.waits_for_end:
            self._begin_after()


@ns2_class("PagePool/WebTraf")
class WebTraffic(EngineObject):
    """The sessions, the nodes with clients and servers, and TCP agents that are used again."""

    begins_alike = True

    def create(self, *args: str) -> None:
        self._numbers = _NUMBERS.setdefault(self.interp, (count(1), count(1)))
        self._sessions: list[Session | None] = []
        self._clients: list[Node | None] = []
        self._servers: list[WebServer] = []
        self._pages: dict[int, Page] = {}
        self._free: dict[str, list[str]] = {"alloc-tcp": [], "alloc-tcp-sink": []}

    def write_bound(self, name: str, value: float) -> None:
        self.bound[name] = value

    def _of_class(self, name: str) -> str:
        return self.interp.call("PagePool/WebTraf", "set", name)

    def tell(self, line: str) -> None:
        """Print a line if that was asked for."""
        if self.bound["debug_"]:
            stdio(self.interp).print(line)

    # --- what the script says ---

    @method("use-asim")
    def use_asim(self) -> None:
        """ns-2's approximate simulator."""
        raise NotYet("ns-2 has the approximate simulator asim; ackclock does not have it")

    @method("set-num-session")
    def set_session_count(self, number: str) -> None:
        """How many sessions there are to be."""
        self._sessions = [None] * whole(number, "a number of sessions")

    @method("set-num-server")
    def set_server_count(self, number: str) -> None:
        """How many servers there are."""
        event_queue = self.interp.event_queue
        self._servers = [WebServer(event_queue, self._respond) for _ in range(whole(number, "a number of servers"))]

    @method("set-num-client")
    def set_client_count(self, number: str) -> None:
        """How many nodes have clients."""
        self._clients = [None] * whole(number, "a number of clients")

    def _node(self, text: str) -> Node:
        peer = self.interp.peer(text)
        if not isinstance(peer, Node):
            raise NsError(f'"{text}" is not a node')
        return peer

    @method("set-server")
    def set_server(self, index: str, node: str) -> None:
        """Where a server is."""
        number = whole(index, "a server's number")
        if not 0 <= number < len(self._servers):
            raise NsError(f"Wrong server index {number}: set-num-server said {len(self._servers)}")
        self._servers[number].node = self._node(node)

    @method("set-client")
    def set_client(self, index: str, node: str) -> None:
        """Where clients are."""
        number = whole(index, "a client's number")
        if not 0 <= number < len(self._clients):
            raise NsError(f"Wrong client index {number}: set-num-client said {len(self._clients)}")
        self._clients[number] = self._node(node)

    @method("set-interPageOption")
    def set_page_option(self, option: str) -> None:
        """1: a page begins so long after the last one has ended. 0: after it has begun."""
        for session in self._sessions:
            if session is not None:
                session.waits_for_end = whole(option, "interPageOption") != 0

    def _server_at(self, node: int) -> WebServer:
        for server in self._servers:
            if server.node is not None and server.node.number == node:
                return server
        raise NsError(f"{self.class_name} {self.handle}: no server at node {node}")

    def _set_servers(self, name: str, words: tuple[str, ...]) -> None:
        """Of all servers, or of the one at a node."""
        if len(words) not in (1, 2):
            raise NsError(f"a server's {name} is said of all servers, or of one: [node] value")
        servers = self._servers if len(words) == 1 else [self._server_at(whole(words[0], "a node"))]
        for server in servers:
            setattr(server, name, whole(words[-1], name))

    @method("set-server-mode")
    def set_server_mode(self, *words: str) -> None:
        """0: servers answer at once. 1: in order of arrival. 2: the shortest task first."""
        self._set_servers("mode", words)

    @method("set-server-rate")
    def set_server_rate(self, *words: str) -> None:
        """Packets that a server prepares per second."""
        self._set_servers("rate", words)

    @method("set-server-qlimit")
    def set_server_limit(self, *words: str) -> None:
        """The most requests that wait at a server; 0 for no limit."""
        self._set_servers("limit", words)

    @method("create-session")
    def create_session(self, index: str, pages: str, start: str, *variables: str) -> None:
        """A session: this many pages from an instant on, and what it draws from.

        That is the time between pages, the objects of a page, the time between them, and the packets of an object.
        """
        number = whole(index, "a session's number")
        if not 0 <= number < len(self._sessions) or self._sessions[number] is not None:
            raise NsError(f"Invalid session index {number}")
        names = ("between_pages", "page_size", "between_objects", "object_size")
        if len(variables) != len(names):
            raise NsError("create-session takes index, pages, start and four random variables")
        if not self._clients or not self._servers:
            raise NsError("create-session comes after set-num-client and set-num-server")
        client = self._clients[self._draw_below(len(self._clients))]
        if client is None:
            raise NsError("create-session comes after set-client for each client")
        found = {}
        for name, handle in zip(names, variables, strict=True):
            peer = self.interp.peer_of(handle, RandomVariable, "random variable")
            found[name] = peer
        session = Session(self, number, client, int(real(pages, "a number of pages")), found)
        self._sessions[number] = session
        self.interp.event_queue.call_in(real(start, "a session's start"), session.begin_page)

    # --- pages and objects ---

    def _draw_below(self, number: int) -> int:
        return math.floor(number * self.engine.default_stream.unit())

    def pick_server(self) -> WebServer:
        """Any server."""
        return self._servers[self._draw_below(len(self._servers))]

    def new_page(self, session: Session, objects: int, server: WebServer) -> Page:
        """The next page."""
        return Page(next(self._numbers[0]), session, objects, server)

    def forget_page(self, page: Page) -> None:
        """All of a page has come."""
        del self._pages[page.number]

    def forget_session(self, session: Session) -> None:
        """A session is over."""
        self.tell(f"deleted session {session.number}")
        self._sessions[session.number] = None
        if self.bound["recycle_page_"]:
            for name in ("between_pages", "page_size", "between_objects", "object_size"):
                self.interp.call("delete", session.variables[name].handle)

    def launch(self, page: Page, size: int) -> None:
        """Ask for an object of a page."""
        number = next(self._numbers[1])
        sender = self._agent("alloc-tcp")
        receiver = self._agent("alloc-tcp" if self.bound["fulltcp_"] else "alloc-tcp-sink")
        self._pages[page.number] = page
        client, server = page.session.client, page.server.node
        if server is None:
            raise NsError(f"{self.class_name} {self.handle}: a server has no node: set-server comes first")
        self.call("launch-req", number, page.number, client.handle, server.handle, sender, receiver, size)

    def _agent(self, kind: str) -> str:
        free = self._free[kind]
        return free.pop() if free else self.call(kind)

    def _respond(self, server: WebServer, job: Job) -> None:
        assert server.node is not None
        ends = server.node.handle, job.client
        self.call("launch-resp", job.object_number, job.page, *ends, *job.agents, job.size)

    @method("job_arrival")
    def job_arrival(self, number: str, client: str, server: str, tcp: str, sink: str, size: str, page: str) -> str:
        """A request has come to a server; 0 if the server does not take it."""
        words = whole(number, "an object"), whole(page, "a page"), whole(size, "a size")
        job = Job(*words, client, (tcp, sink))
        return f"{float(self._server_at(self._node(server).number).take(job)):f}"

    @method("doneObj")
    def object_done(self, page: str) -> None:
        """An object of a page has come, or never will."""
        found = self._pages.get(whole(page, "a page"))
        if found is None:
            raise NsError(f"{self.class_name} {self.handle}: unknown page {page}")
        found.object_done()

    @method()
    def recycle(self, tcp: str, sink: str) -> None:
        """A sender and a receiver can be used again."""
        if not self.bound["fulltcp_"] and not self.bound["dont_recycle_"]:
            self._free["alloc-tcp"].append(tcp)
            self._free["alloc-tcp-sink"].append(sink)

    # --- what scripts may override ---

    @method("alloc-tcp")
    def alloc_tcp(self) -> str:
        """A new sender."""
        tcp = self.interp.new(f"Agent/TCP/{self._of_class('TCPTYPE_')}")
        mode = self._of_class("FID_ASSIGNING_MODE_")
        if mode == "1":
            self.interp.call(tcp, "set", "fid_", self.vars["maxFid_"])
            self.vars["maxFid_"] = whole(self.vars["maxFid_"], "maxFid_") + 1
        elif mode == "2":
            self.interp.call(tcp, "set", "fid_", self.vars["sameFid_"])
        return tcp

    @method("alloc-tcp-sink")
    def alloc_tcp_sink(self) -> str:
        """A new receiver."""
        return self.interp.new(f"Agent/{self._of_class('TCPSINKTYPE_')}")

    @method("send-message")
    def send_message(self, tcp: str, packets: str) -> None:
        """Send this many packets."""
        if self._of_class("fulltcp_") == "1":
            self.interp.call(tcp, "sendmsg", whole(packets, "a size") * _PACKET_BYTES, "MSG_EOF")
        else:
            self.interp.call(tcp, "advanceby", packets)

    def _join(self, number: str, sender: tuple[str, str], receiver: tuple[str, str]) -> None:
        """Put both agents at their nodes and connect them."""
        simulator, (tcp, sink) = self.simulator, (sender[1], receiver[1])
        simulator.call("attach-agent", *sender)
        simulator.call("attach-agent", *receiver)
        simulator.call("connect", tcp, sink)
        is_full = self._of_class("fulltcp_") == "1"
        if is_full:
            self.interp.call(sink, "listen")
        if self._of_class("FID_ASSIGNING_MODE_") == "0":
            self.interp.call(tcp, "set", "fid_", number)
            if is_full:
                self.interp.call(sink, "set", "fid_", number)

    def _trace(self, which: str, sign: str, *words: str) -> None:
        if self._of_class(f"{which}_trace_") != "0":
            self.interp.call("puts", " ".join((which, sign, *words, self.simulator.call("now"))))

    def _when_done(self, tcp: str, *words: object) -> None:
        self.interp.call(tcp, "proc", "done", "", " ".join(str(word) for word in (self.handle, *words)))

    @method("launch-req")
    def launch_request(self, number: str, page: str, client: str, server: str, tcp: str, sink: str, size: str) -> None:
        """A client asks a server for an object."""
        if self._of_class("FLOW_SIZE_OPS_") == "1" and real(size, "a size") > real(
            self._of_class("FLOW_SIZE_TH_"), "a size"
        ):
            return
        self._join(number, (client, tcp), (server, sink))
        timer = self.vars["timer_"] = self.call("get-conn-timer", tcp, sink, client, server)
        self._when_done(tcp, "done-req", number, page, client, server, tcp, sink, size, timer)
        self._trace("req", "+", number, page, size, self.interp.call(client, "id"), self.interp.call(server, "id"))
        self.call("send-message", tcp, "1")

    @method("get-conn-timer")
    def get_timer(self, tcp: str, sink: str, client: str, server: str) -> str:
        """What ends a request that nobody answers."""
        if self._of_class("enable_conn_timer_") == "0":
            return "0"
        timer = self.interp.new("ConnTimer", self.handle, self._of_class("avg_waiting_time_"))
        self.interp.call(timer, "sched", tcp, sink, client, server)
        return timer

    @method("done-req")
    def request_done(
        self, number: str, page: str, client: str, server: str, tcp: str, sink: str, size: str, timer: str
    ) -> None:
        """A request has come to its server."""
        if self._of_class("enable_conn_timer_") != "0":
            self.interp.call(timer, "cancel")
            self.interp.call("delete", timer)
        self.simulator.call("detach-agent", client, tcp)
        self.simulator.call("detach-agent", server, sink)
        self.interp.call(tcp, "reset")
        self.interp.call(sink, "reset")
        is_taken = real(self.call("job_arrival", number, client, server, tcp, sink, size, page), "a delay") != 0
        ends = self.interp.call(client, "id"), self.interp.call(server, "id")
        self._trace("req", "-" if is_taken else "d", number, page, size, *ends)
        if not is_taken:
            self.call("recycle", tcp, sink)
            self.call("doneObj", page)

    @method("launch-resp")
    def launch_response(self, number: str, page: str, server: str, client: str, tcp: str, sink: str, size: str) -> None:
        """A server sends an object, or its first part."""
        self._join(number, (server, tcp), (client, sink))
        most, packets = self._of_class("FLOW_SIZE_TH_"), whole(size, "a size")
        first = min(packets, whole(most, "FLOW_SIZE_TH_")) if self._of_class("FLOW_SIZE_OPS_") == "2" else packets
        self._send_part((number, page, client, server, tcp, sink, size), first, first, most)

    def _send_part(self, exchange: tuple[str, ...], packets: int, sent: int, most: str) -> None:
        """Send this many packets; with them this many will have been sent."""
        number, page, client, server, tcp, _, size = exchange
        now, fid = self.simulator.call("now"), self.interp.call(tcp, "set", "fid_")
        self._when_done(tcp, "done-resp", *exchange, sent, most, now, fid)
        ends = self.interp.call(server, "id"), self.interp.call(client, "id")
        self._trace("resp", "+", number, page, str(packets), size, *ends)
        self.call("send-message", tcp, packets)

    @method("done-resp")
    def response_done(
        self, number: str, page: str, client: str, server: str, tcp: str, sink: str, size: str, sent: str, most: str,
        begun_at: str = "0", fid: str = "0",
    ) -> None:  # fmt: skip
        """What was sent has come."""
        ends = self.interp.call(server, "id"), self.interp.call(client, "id")
        self._trace("resp", "-", number, page, sent, size, *ends)
        if self._of_class("VERBOSE_") == "1":
            words = " ".join((number, *ends, size, begun_at, self.simulator.call("now"), fid))
            self.interp.call("puts", f"done-resp - {words}")
        self.interp.call(tcp, "reset")
        self.interp.call(sink, "reset")
        self.simulator.call("detach-agent", client, sink)
        self.simulator.call("detach-agent", server, tcp)
        so_far, left = whole(sent, "a size"), whole(size, "a size") - whole(sent, "a size")
        if left > 0:
            self._join(number, (server, tcp), (client, sink))
            part = min(left, whole(most, "FLOW_SIZE_TH_"))
            self._send_part((number, page, client, server, tcp, sink, size), part, so_far + part, most)
        else:
            self.call("recycle", tcp, sink)
            self.call("doneObj", page)
