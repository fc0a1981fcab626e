"""PackMimeHTTP: web traffic of a link, made of the connections that its model asks for."""

from __future__ import annotations

import math
from collections import deque

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject, real, whole
from ackclock.ns2.library.core.nodes import Node
from ackclock.ns2.library.core.randomness import RandomVariable
from ackclock.ns2.library.tcp.full_tcp import FullTcp
from ackclock.ns2.library.web.pack_mime_ends import WebClient, WebEnd, WebServer
from ackclock.ns2.library.web.pack_mime_variables import KINDS, VARIABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from ackclock import _native

#: a response up to this many bytes says that a cached file is still good
_CACHED_BYTES = 275
#: the most nodes on a side
_MOST_NODES = 10


@ns2_class("PackMimeHTTP")
class PackMimeHttp(EngineObject):
    """Web traffic between clients and servers: new connections at random intervals, TCP agents used again."""

    def create(self, *args: str) -> None:
        self.is_http_1_1 = False
        self._clients: list[Node] = []
        self._servers: list[Node] = []
        self._turn = 0
        self._tcp = "Reno"
        self._rate = 0.0
        self._run = self._warmup_s = self._pairs = 0
        self._scales_requests = self._scales_responses = True
        self._is_running = False
        self._active = 0
        self._total = -1
        self._variables: dict[str, _native.RandomVariable] = {}
        self._files: dict[str, IO[str]] = {}
        self._free_agents: deque[FullTcp] = deque()
        self._free_clients: deque[WebClient] = deque()
        self._free_servers: deque[WebServer] = deque()
        self._by_agent: dict[str, WebClient] = {}
        self.interp.at_flush.append(self._flush)

    def _flush(self) -> None:
        for file in self._files.values():
            file.flush()

    # --- what the script says ---

    @method("set-client", "client")
    def set_client(self, node: str) -> None:
        """A node with clients."""
        self._add_node(self._clients, node)

    @method("set-server", "server")
    def set_server(self, node: str) -> None:
        """A node with servers: the partner of the client's node at the same place."""
        self._add_node(self._servers, node)

    def _add_node(self, side: list[Node], node: str) -> None:
        peer = self.interp.peer(node)
        if not isinstance(peer, Node):
            raise NsError(f'"{node}" is not a node')
        if len(side) >= _MOST_NODES:
            raise NsError(f"PackMimeHTTP has room for {_MOST_NODES} nodes on a side")
        side.append(peer)

    @method("set-rate", "rate")
    def set_rate(self, rate: str) -> None:
        """New connections per second."""
        self._rate = real(rate, "a rate")

    @method("set-http-1.1", "set-1.1")
    def set_http_1_1(self) -> None:
        """Some connections serve many requests."""
        self.is_http_1_1 = True

    @method("no-pm-persistent-reqsz")
    def vary_requests(self) -> None:
        """Requests of a connection differ in size."""
        self._scales_requests = False

    @method("no-pm-persistent-rspsz")
    def vary_responses(self) -> None:
        """Responses of a connection do not follow the model of one connection."""
        self._scales_responses = False

    @method("set-TCP")
    def set_tcp(self, kind: str) -> None:
        """The variant of TCP."""
        self._tcp = kind

    @method("set-run")
    def set_run(self, run: str) -> None:
        """Which substream the model's own generators use."""
        self._run = whole(run, "a run")

    @method("set-warmup")
    def set_warmup(self, seconds: str) -> None:
        """Requests before this instant are not written down."""
        self._warmup_s = whole(seconds, "a warm-up time")

    @method("set-ID", "set-debug")
    def set_number(self, number: str) -> None:
        """Nothing depends on it."""

    @method("set-outfile")
    def set_outfile(self, name: str) -> None:
        """Where each pair of a request and its response is written down."""
        self._open("out", name)

    @method("set-filesz-outfile")
    def set_filesz_outfile(self, name: str) -> None:
        """Where servers write down what they answer."""
        self._open("filesz", name)

    @method("set-samples-outfile")
    def set_samples_outfile(self, name: str) -> None:
        """Where clients write down what they ask for."""
        self._open("samples", name)

    def _open(self, which: str, name: str) -> None:
        self._files[which] = open(self.interp.file(name), "w", encoding="utf-8")  # noqa: SIM115  (open for the whole run)

    @method("get-pairs")
    def get_pairs(self) -> int:
        """Pairs of a request and its response so far."""
        return self._pairs

    @method("active-connections")
    def active_connections(self) -> None:
        """Write down how many connections there are."""
        self._tell(self._active)

    @method("total-connections")
    def total_connections(self) -> None:
        """Tell how many connections there were."""
        self.interp.call("puts", "-nonewline", "stderr", f"{self._total} ")

    def _tell(self, number: int) -> None:
        file = self._files.get("out")
        if file is None:
            self.interp.call("puts", "-nonewline", "stderr", f"{number} ")
        else:
            file.write(f"{number} ")

    # --- what scripts may override ---

    @method("now")
    def now_text(self) -> str:
        """The present instant in six decimals."""
        return f"{self.engine.now():.6f}"

    @method("alloc-tcp")
    def alloc_tcp(self, kind: str) -> str:
        """A new TCP agent."""
        return self.interp.new("Agent/TCP/FullTcp" if kind == "Reno" else f"Agent/TCP/FullTcp/{kind}")

    @method("alloc-client-app")
    def alloc_client_app(self) -> str:
        """A new client."""
        return self.interp.new("Application/PackMimeHTTP/Client")

    @method("alloc-server-app")
    def alloc_server_app(self) -> str:
        """A new server."""
        return self.interp.new("Application/PackMimeHTTP/Server")

    @method("setup-tcp")
    def setup_tcp(self, tcp: str, fid: str) -> None:
        """Prepare an agent for a connection."""
        self.interp.call(tcp, "set", "fid_", fid)
        self.interp.call(tcp, "proc", "done", "", f"{self.handle} done {tcp}")

    @method()
    def done(self, tcp: str) -> None:
        """An agent's connection is over."""
        self.call("recycle", tcp)

    # --- the model ---

    def _set_variable(self, name: str, handle: str) -> None:
        peer = self.interp.peer_of(handle, RandomVariable, "random variable")
        self._variables[name] = peer.native

    def _own_variable(self, name: str) -> None:
        """A variable that the script did not set: the model's, with a generator of its own."""
        kind = KINDS[VARIABLES[name]][0]
        stream = self.engine.add_stream()
        for _ in range(self._run):
            stream.next_substream()
        variable = self._variables[name] = self.engine.add_random_variable(kind)
        variable.set_stream(stream)
        if name in ("flow_arrive", "req_size", "rsp_size"):
            variable.set_param("rate", self._rate)
        if name == "rsp_size":
            variable.set_param("type", 1)
        variable.restart()

    def draw(self, name: str) -> float:
        """The next value of a variable of the model."""
        return self._variables[name].draw()

    def plan(self) -> list[tuple[float, int, int]]:
        """The requests of a connection with many: the gap before each, its size and its response's."""
        pages = math.ceil(self.draw("num_pages"))
        objects = [self._objects(pages) for _ in range(pages)]
        request, response = int(self.draw("req_size")), int(self.draw("rsp_size"))
        plan: list[tuple[float, int, int]] = []
        for page, count in enumerate(objects):
            for number in range(count):
                gap = 0.0
                if number:
                    gap = self.draw("time_btwn_objs")
                elif page:
                    gap = self.draw("time_btwn_pages")
                bytes_asked, bytes_sent = request, response
                if plan and not self._scales_requests:
                    bytes_asked = int(self.draw("req_size"))
                if plan and not self._scales_responses:
                    bytes_sent = int(self.draw("rsp_size"))
                plan.append((gap, bytes_asked, bytes_sent))
        if self._scales_responses:
            if response > _CACHED_BYTES:
                rest = [(gap, asked, int(self.draw("persist_rsp_size"))) for gap, asked, _ in plan[1:]]
                plan[1:] = rest
            self._variables["persist_rsp_size"].restart()
        return plan

    def _objects(self, pages: int) -> int:
        if pages > 1 and int(self.draw("prob_single_obj")):
            return 1
        return max(2, math.ceil(self.draw("objs_per_page")))

    # --- connections ---

    @method()
    def start(self) -> None:
        """Begin to open connections."""
        if len(self._clients) != len(self._servers):
            raise NsError(f"PackMimeHTTP has {len(self._clients)} clients and {len(self._servers)} servers")
        if not self._clients:
            raise NsError("PackMimeHTTP has no nodes: set-client and set-server come first")
        self._is_running = True
        for name in VARIABLES:
            if name not in self._variables:
                self._own_variable(name)
        self.interp.event_queue.call_in(0.0, self._tick)

    @method()
    def stop(self) -> None:
        """Open no more connections."""
        self._is_running = False

    def _tick(self) -> None:
        if self._is_running:
            self._connect()
            self.interp.event_queue.call_in(self.draw("flow_arrive"), self._tick)
        elif self._active:
            self.interp.event_queue.call_in(1.0, self._tick)

    def _agent(self) -> FullTcp:
        if self._free_agents:
            return self._free_agents.popleft()
        peer = self.interp.peer(self.call("alloc-tcp", self._tcp))
        if not isinstance(peer, FullTcp):
            raise NsError(f"PackMimeHTTP needs two-way TCP agents; {peer.handle} is a {peer.class_name}")
        return peer

    def _connect(self) -> None:
        self._active += 1
        self._total += 1
        here, there = self._agent(), self._agent()
        self._turn = (self._turn + 1) % len(self._clients)
        self._servers[self._turn].call("attach", there.handle)
        self._clients[self._turn].call("attach", here.handle)
        for agent in (there, here):
            self.call("setup-tcp", agent.handle, self._total)
        self.interp.set_variable("::ns", self.simulator.handle)
        self.simulator.call("connect", here.handle, there.handle)
        there.call("listen")
        client = self._free_clients.popleft() if self._free_clients else self._new_client()
        server = self._free_servers.popleft() if self._free_servers else self._new_server()
        client.feed(self, here)
        server.feed(self, there)
        client.server = server
        self._by_agent[here.handle] = client
        client.begin()
        server.running = True

    def _new_client(self) -> WebClient:
        return self.interp.peer_of(self.call("alloc-client-app"), WebClient, "PackMime client")

    def _new_server(self) -> WebServer:
        return self.interp.peer_of(self.call("alloc-server-app"), WebServer, "PackMime server")

    @method()
    def recycle(self, tcp: str) -> None:
        """A client's connection is over: both ends can be used again."""
        client = self._by_agent.pop(tcp, None)
        if client is None:
            return
        server = client.server
        for agent in (client.agent_peer, server.agent_peer):
            assert agent is not None
            agent.native.reset()
            self._free_agents.append(agent)
        client.rest()
        server.rest()
        self._free_clients.append(client)
        self._free_servers.append(server)
        self._active -= 1

    # --- what is written down ---

    def note_sizes(self, which: str, end: WebEnd, place: tuple[str, str]) -> None:
        """Write down a request and its response at one of the ends."""
        file = self._files.get(which)
        if file is not None:
            node, port = place
            file.write(f"{self.engine.now():<11.6f} {end.request:<10d} {end.response:<10d} {node}.{port:<6s}\n")

    def note_pair(self, client: WebClient, asked_at: float, place: tuple[str, str]) -> None:
        """Write down a request and its response when it is complete."""
        file = self._files.get("out")
        if file is not None and asked_at >= self._warmup_s:
            now = self.engine.now()
            (node, port), took_ms = place, (now - asked_at) * 1000.0
            sizes = f"{client.request:<10d} {client.response:<10d}"
            file.write(f"{now:<11.6f} {sizes} {took_ms:<10.3f} {node}.{port:<6s} {self._active:<7d}\n")
        self._pairs += 1


def _setter(name: str) -> None:
    @method(f"set-{name}")
    def run(self: PackMimeHttp, variable: str) -> None:
        self._set_variable(name, variable)

    run.__doc__ = f"The variable {name} of the model."
    setattr(PackMimeHttp, f"set_{name}", run)


for _name in VARIABLES:
    if _name != "persist_rsp_size":
        _setter(_name)
