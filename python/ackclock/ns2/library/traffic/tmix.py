"""`Tmix`: connections that were measured on a link are made again, unit by unit, from a file of connection vectors."""

from __future__ import annotations

import sys
from collections import deque

from ackclock.ns2.bindings.tcl_object import NotYet, NsError, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject, real, whole
from ackclock.ns2.library.core.nodes import Node
from ackclock.ns2.library.tcp.agents import Agent, Tcp, TcpSink
from ackclock.ns2.library.tcp.full_tcp import FullTcp
from ackclock.ns2.library.traffic.connection_vectors import ConnectionVector, Reader, Side
from ackclock.ns2.library.traffic.tmix_ends import HEADER_BYTES, Socket, TmixEnd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

#: the most nodes on a side
_MOST_NODES = 10
#: an agent rests so long before it is used again, s
_REST_S = 1.0


@ns2_class("Tmix")
class Tmix(EngineObject):
    """Connections between initiators and acceptors, as a file says."""

    def create(self, *args: str) -> None:
        self._initiators: list[Node] = []
        self._acceptors: list[Node] = []
        self._turn = 0
        self._tcp, self._sink = "Reno", "default"
        self._is_one_way = False
        self._mss, self._closes_after_us = 1460, 1_000_000
        self._scale = 1.0
        self._prefill_until_s = self._prefill_for_s = 0.0
        #: nothing is sent after this instant, s; 0 for no such instant
        self.end_s = 0.0
        self._is_running = False
        self._active = self._total = 0
        self._cv_file: IO[str] | None = None
        self._out: IO[str] | None = None
        self._vectors: Iterator[ConnectionVector] = iter(())
        self._following: ConnectionVector | None = None
        self._free_sockets: deque[Socket] = deque()
        self._free_ends: deque[TmixEnd] = deque()
        self._by_agent: dict[str, TmixEnd] = {}

    # --- what the script says ---

    def _add_node(self, side: list[Node], node: str) -> None:
        peer = self.interp.peer(node)
        if not isinstance(peer, Node):
            raise NsError(f'"{node}" is not a node')
        if len(side) >= _MOST_NODES:
            raise NsError(f"Tmix has room for {_MOST_NODES} nodes on a side")
        side.append(peer)

    @method("set-init")
    def add_initiator(self, node: str) -> None:
        """A node whose connections begin there."""
        self._add_node(self._initiators, node)

    @method("set-acc", "acc")
    def add_acceptor(self, node: str) -> None:
        """A node that is connected to: the partner of the initiator at the same place."""
        self._add_node(self._acceptors, node)

    @method("set-cvfile")
    def set_cv_file(self, name: str) -> None:
        """The file of connection vectors."""
        self._cv_file = open(self.interp.file(name), encoding="utf-8")  # noqa: SIM115  (read for the whole run)

    @method("set-outfile")
    def set_outfile(self, name: str) -> None:
        """Where counts of connections are written down."""
        self._out = open(self.interp.file(name), "a", encoding="utf-8")  # noqa: SIM115  (open for the whole run)

    @method("set-ID", "set-debug", "set-run", "set-warmup", "set-step-size")
    def set_number(self, number: str) -> None:
        """Nothing depends on it."""

    @method("set-TCP")
    def set_tcp(self, kind: str) -> None:
        """The variant of TCP."""
        self._tcp = kind

    @method("set-sink")
    def set_sink(self, kind: str) -> None:
        """The receivers of one-way TCP."""
        self._sink = kind

    @method("set-agent-type")
    def set_agent_type(self, kind: str) -> None:
        """`full` or `one-way`."""
        self._is_one_way = {"full": False, "one-way": True}.get(kind, self._is_one_way)

    @method("check-oneway-closed")
    def check_closed(self) -> None:
        """ns-2's way to wait for the last ACK of one-way TCP."""
        raise NotYet("ns-2's Tmix has check-oneway-closed; ackclock does not have it yet")

    @method("set-pkt-size")
    def set_packet_size(self, size: str) -> None:
        """Bytes of a segment where the file says nothing of it."""
        self._mss = whole(size, "a packet's size")

    @method("set-fin-time")
    def set_fin_time(self, pause_us: str) -> None:
        """A connection without an end is closed so long after its last unit, µs."""
        self._closes_after_us = whole(pause_us, "a time in microseconds")

    @method("set-scale")
    def set_scale(self, factor: str) -> None:
        """The connections' starts are multiplied by this."""
        self._scale = real(factor, "a scale")

    @method("set-end")
    def set_end(self, seconds: str) -> None:
        """Nothing is sent after this instant, s."""
        self.end_s = real(seconds, "an end")

    @method("set-prefill-t")
    def set_prefill_end(self, seconds: str) -> None:
        """Connections that start until then start faster, s."""
        self._prefill_until_s = real(seconds, "a time")
        if self._prefill_until_s < 0:
            raise NsError(f"set-prefill-t takes a time that is not negative, not {seconds}")

    @method("set-prefill-si")
    def set_prefill_interval(self, seconds: str) -> None:
        """They start within so long before, s."""
        self._prefill_for_s = real(seconds, "a time")

    @method("active-connections")
    def active_connections(self) -> None:
        """Write down how many connections there are."""
        self._tell(self._active)

    @method("total-connections")
    def total_connections(self) -> None:
        """Write down how many connections there were."""
        self._tell(self._total)

    def _tell(self, number: int) -> None:
        if self._out is None:
            self.interp.call("puts", "-nonewline", "stderr", f"{number} ")
        else:
            self._out.write(f"{number} ")
            self._out.flush()

    # --- what scripts may override ---

    @method("now")
    def now_text(self) -> str:
        """The present instant in six decimals."""
        return f"{self.engine.now():.6f}"

    @method("alloc-agent")
    def alloc_agent(self, kind: str) -> str:
        """A new sender of one-way TCP."""
        return self.interp.new("Agent/TCP" if kind == "Tahoe" else f"Agent/TCP/{kind}")

    @method("alloc-sink")
    def alloc_sink(self, kind: str) -> str:
        """A new receiver of one-way TCP."""
        return self.interp.new("Agent/TCPSink" if kind == "default" else f"Agent/TCPSink/{kind}")

    @method("alloc-tcp")
    def alloc_tcp(self, kind: str) -> str:
        """A new agent of two-way TCP."""
        return self.interp.new("Agent/TCP/FullTcp" if kind == "Reno" else f"Agent/TCP/FullTcp/{kind}")

    @method("alloc-app")
    def alloc_app(self) -> str:
        """A new end of a connection."""
        return self.interp.new("Application/Tmix")

    @method("configure-sink")
    def configure_sink(self, sink: str) -> None:
        """Prepare a receiver for a connection."""
        self.interp.call(sink, "set", "packetSize_", str(HEADER_BYTES))

    @method("configure-source")
    def configure_source(self, agent: str, fid: str, window: str, mss: str) -> None:
        """Prepare a sender for a connection."""
        for name, value in (("fid_", fid), ("window_", window), ("packetSize_", mss)):
            self.interp.call(agent, "set", name, value)

    @method("setup-tcp")
    def setup_tcp(self, tcp: str, fid: str, window: str, mss: str) -> None:
        """Prepare an agent of two-way TCP for a connection."""
        for name, value in (("fid_", fid), ("window_", window), ("segsize_", mss)):
            self.interp.call(tcp, "set", name, value)
        self.interp.call(tcp, "proc", "done", "", f"{self.handle} done {tcp}")

    @method()
    def done(self, tcp: str) -> None:
        """An agent's connection is over."""
        self.call("recycle", tcp)

    # --- connections ---

    @method()
    def start(self) -> None:
        """Begin to open connections."""
        if self._cv_file is None:
            raise NsError("Tmix has no connection vectors: set-cvfile comes first")
        if len(self._initiators) != len(self._acceptors) or not self._initiators:
            raise NsError(f"Tmix has {len(self._initiators)} initiators and {len(self._acceptors)} acceptors")
        reader = Reader(self._cv_file.name, self._mss, not self._is_one_way, self._closes_after_us)
        self._vectors = reader.read(self._cv_file)
        self._following = next(self._vectors, None)
        if self._following is None:
            raise NsError(f"{self._cv_file.name} has no connection vector")
        self._is_running = True
        self.interp.event_queue.call_in(self._start_s(self._following), self._tick)

    def _start_s(self, vector: ConnectionVector) -> float:
        start_s = vector.start_s * self._scale
        if start_s < self._prefill_until_s:
            faster = self._prefill_for_s / self._prefill_until_s
            return vector.start_s * self._scale * faster + (self._prefill_until_s - self._prefill_for_s)
        return start_s

    @method()
    def stop(self) -> None:
        """Open no more connections."""
        self._is_running = False

    def _tick(self) -> None:
        vector = self._following
        if not self._is_running or vector is None:
            if self._active:
                self.interp.event_queue.call_in(1.0, self._tick)
            return
        self._connect(vector)
        self._following = following = next(self._vectors, None)
        if following is None:
            self._is_running = False
            return
        start_s = following.start_s * self._scale
        if start_s >= self._prefill_until_s and 0 < self.end_s < start_s:
            self._is_running = False
            return
        wait_s = self._start_s(following) - self.engine.now()
        if wait_s < 0:
            print(f"Tmix ({self.handle}) resched time reset from {wait_s:f} to 0", file=sys.stderr)
        self.interp.event_queue.call_in(max(0.0, wait_s), self._tick)

    def _socket(self) -> Socket:
        if self._free_sockets and self.engine.now() - self._free_sockets[0].rests_since_s > _REST_S:
            return self._free_sockets.popleft()
        if not self._is_one_way:
            agent = self.interp.peer(self.call("alloc-tcp", self._tcp))
            if not isinstance(agent, FullTcp):
                raise NsError(f"Tmix needs two-way TCP agents; {agent.handle} is a {agent.class_name}")
            return Socket(agent, None)
        agent = self.interp.peer(self.call("alloc-agent", self._tcp))
        sink = self.interp.peer(self.call("alloc-sink", self._sink))
        if not isinstance(agent, Tcp) or not isinstance(sink, TcpSink):
            raise NsError(f"Tmix needs a sender and a receiver; it got {agent.class_name} and {sink.class_name}")
        return Socket(agent, sink)

    def _attach(self, node: Node, socket: Socket) -> None:
        node.call("attach", socket.agent.handle)
        if socket.sink is not None:
            node.call("attach", socket.sink.handle)

    def _prepare(self, socket: Socket, side: Side) -> None:
        words = socket.agent.handle, self._total, side.window, side.mss
        if socket.sink is None:
            self.call("setup-tcp", *words)
        else:
            self.call("configure-source", *words)
            self.call("configure-sink", socket.sink.handle)

    def _end(self) -> TmixEnd:
        if self._free_ends:
            return self._free_ends.popleft()
        return self.interp.peer_of(self.call("alloc-app"), TmixEnd, "Tmix application")

    def _connect(self, vector: ConnectionVector) -> None:
        here, there = self._socket(), self._socket()
        self._total += 1
        self._turn = (self._turn + 1) % len(self._initiators)
        self._attach(self._initiators[self._turn], here)
        self._attach(self._acceptors[self._turn], there)
        self._prepare(here, vector.initiator)
        self._prepare(there, vector.acceptor)
        self.interp.set_variable("::ns", self.simulator.handle)
        for one, other in ((here, there), (there, here)) if self._is_one_way else ((here, there),):
            peer: Agent = other.receiver
            self.simulator.call("connect", one.agent.handle, peer.handle)
        initiator, acceptor = self._end(), self._end()
        for end, socket, side in ((initiator, here, vector.initiator), (acceptor, there, vector.acceptor)):
            self._by_agent[socket.agent.handle] = end
            end.join(self, socket, side)
        initiator.peer, acceptor.peer = acceptor, initiator
        self._active += 1
        initiator.begin()
        acceptor.begin()

    @method()
    def recycle(self, tcp: str) -> None:
        """An agent's connection is over."""
        end = self._by_agent.get(tcp)
        if end is not None:
            self.end_is_done(end)

    def end_is_done(self, end: TmixEnd) -> None:
        """One end is done; with the other one both can be used again."""
        if not end.running:
            return
        end.running = False
        peer = end.peer
        if peer.running:
            return
        self._active -= 1
        for socket in (end.socket, peer.socket):
            if socket.sink is not None:
                socket.sink.reader = None
            socket.agent.native.reset()
            socket.rests_since_s = self.engine.now()
            self._free_sockets.append(socket)
        for done in (end, peer):
            del self._by_agent[done.socket.agent.handle]
            self._free_ends.append(done)
            done.rest()
