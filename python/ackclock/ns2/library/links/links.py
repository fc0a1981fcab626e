"""Links: a queue, a transmitter, a wire, and the places where a script may look in."""

from __future__ import annotations

from ackclock._native import SimulationError
from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject
from ackclock.ns2.library.core.nodes import Connector, Node
from ackclock.ns2.library.monitors.nam import DrawnLink, DrawnSimpleLink
from ackclock.ns2.library.queues.queues import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from ackclock import _native
    from ackclock.ns2.library.core.nodes import PartWorker


@ns2_class("DelayLink")
class DelayLink(Connector):
    """A link's transmitter and wire: `[$link link]`."""

    link: _native.Link | None = None
    begins_alike = True
    _can_fail = False

    def describe_part(self) -> tuple[str, PartWorker]:
        assert self.link is not None
        return "wire", self.link

    def join(self, link: _native.Link) -> None:
        """The link of the engine that this one is part of; it has the bandwidth and the delay by now."""
        self.link = link
        self.bound.pop("bandwidth_", None)
        self.bound.pop("delay_", None)
        self.write_bound("avoidReordering_", self.bound.pop("avoidReordering_", 0))

    def engine_get(self, name: str) -> float:
        if self.link is None or name not in _WIRE:
            raise KeyError(name)
        return self.link.param(_WIRE[name])

    def engine_set(self, name: str, value: float) -> None:
        if name not in _WIRE:
            raise KeyError(name)
        if name == "bandwidth" and value <= 0:
            raise NsError(f"a link's bandwidth is {value:g} b/s; it must be positive")
        if name == "delay" and value < 0:
            raise NsError(f"a link's delay is {value:g} s; it must not be negative")
        assert self.link is not None
        self.link.set_param(_WIRE[name], value)

    def write_bound(self, name: str, value: float) -> None:
        if self.link is None:
            self.bound[name] = value
        else:
            self.bound.pop(name, None)
            super().write_bound(name, value)

    @method("isDynamic")
    def is_dynamic(self) -> None:
        """The link can fail."""
        self._can_fail = True
        if self.link is not None:
            self.link.set_param("can_fail", True)

    @method()
    def reset(self) -> None:
        """The link fails: what is on the wire is lost."""
        if self._can_fail and self.link is not None:
            self.link.cut_wire()


_WIRE = {"bandwidth": "rate_bps", "delay": "delay_s", "avoid_reordering": "keeps_order"}


@ns2_class("Link")
class Link(DrawnLink, EngineObject):
    """What every link has: two ends, and how nam draws it."""

    lazy_parts: ClassVar = {
        "core.lookups.LinkQueries": "get-color change-color",
        "links.dynamics.FailingLink": "up down all-connectors",
    }
    native: _native.Link
    source: Node
    target: Node
    #: what was put on it, by place, in the order in which a packet passes
    on_way: dict[str, list[str]]

    #: whether packets take the path of its parts, as they do in a class whose `init` does not call the library's
    is_apart = True

    @method("init")
    def begin_alone(self, src: str, dst: str) -> None:
        """`new Link`, or the `next` of a script's own `init`: a link without parts, which the script is to add."""
        self.source, self.target = (self.interp.peer_of(end, Node, "node") for end in (src, dst))
        first = {
            "id_": str(self.interp.count("Link", "nl_").next()),
            "fromNode_": src,
            "toNode_": dst,
            "color_": "black",
            "oldColor_": "black",
            "trace_": "",
        }
        self.vars.begin(first)

    def __getattr__(self, name: str) -> Any:
        """What a link that a script has made by hand gets when it is first asked for."""
        if name == "native":
            head = self.interp.peer_of(self.vars["head_"], Connector, "connector")
            if head.part is None:
                raise NsError(f"{self.class_name} {self.handle}: its head has no target")
            self.native = self.engine.add_link(self.source.native, self.target.native, 1e6, 0.0, "drop_tail")
            nothing = self.engine.add_part("discard")
            self.native.take_apart(head.part, nothing, nothing)
            return self.native
        if name in ("source", "target"):
            end = self.vars["fromNode_" if name == "source" else "toNode_"]
            setattr(self, name, self.interp.peer_of(end, Node, "node"))
            return vars(self)[name]
        if name == "queue_peer":
            return self.interp.peer_of(self.vars["queue_"], Queue, "queue")
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def become_known(self) -> None:
        """Make the engine's link, if the script has made this one by hand: the engine routes over known links."""
        _ = self.native

    @method()
    def head(self) -> str:
        """Where packets enter the link."""
        return self.vars["head_"]

    @method()
    def queue(self) -> str:
        """The queue."""
        return self.vars["queue_"]

    @method()
    def link(self) -> str:
        """The transmitter and the wire."""
        return self.vars["link_"]

    @method()
    def src(self) -> str:
        """The node the link leaves."""
        return self.vars["fromNode_"]

    @method()
    def dst(self) -> str:
        """The node the link enters."""
        return self.vars["toNode_"]

    @method()
    def id(self) -> str:
        """The link's number."""
        return self.vars["id_"]

    @method()
    def setid(self, number: str) -> str:
        """Another number."""
        self.vars["id_"] = number
        return number

    @method("up?")
    def get_up(self) -> str:
        """Whether the link is up."""
        return self.interp.call(self.vars["dynamics_"], "status?") if "dynamics_" in self.vars else "up"

    @method()
    def cost(self, cost: str) -> str:
        """What the link counts for in the choice of routes."""
        self.vars["cost_"] = cost
        return cost

    @method("set-ipaddr")
    def set_ip_address(self, address: str, mask: str) -> None:
        """An address of emulation, which ns-2 takes and forgets."""

    @method("cost?")
    def get_cost(self) -> str:
        """What the link counts for in the choice of routes, 1 unless set."""
        if "cost_" not in self.vars:
            self.vars["cost_"] = "1"
        return self.vars["cost_"]


@ns2_class("SimpleLink")
class SimpleLink(DrawnSimpleLink, Link):
    """A simplex link with one queue."""

    lazy_parts: ClassVar = {
        "monitors.monitors.MonitoredLink": "attach-monitors attach-taggers init-monitor start-tracing"
        " queue-sample-timeout sample-queue-size",
        "links.dynamics.FailingSimpleLink": "dynamic trace-dynamics transit-drop-trace ttl-drop-trace"
        " linkfail-drop-trace",
        "links.delayers.DelayingLink": "insert-delayer",
        "monitors.told_traces.ToldLink": "trace-callback",
    }

    #: whether packets that come while it is down go where its losses go
    reports_refused = False
    #: its parts as it was made: queue, what losses go to, head, wire, and what counts hops
    first_parts: tuple[str, ...] = ()

    @method()
    def init(self, src: str, dst: str, bandwidth: str, delay: str, queue: str, kind: str = "DelayLink") -> None:
        """`new SimpleLink`: ns-2 has this class in OTcl alone."""
        source, target = (self.interp.peer_of(end, Node, "node") for end in (src, dst))
        queue_peer = self.interp.peer_of(queue, Queue, "queue")
        drop_head, head = self.interp.new("Connector"), self.interp.make("Connector")
        head.vars["link_"] = self.handle
        wire = self.interp.make(kind)
        ttl = self.interp.new("TTLChecker")
        number = self.interp.count("Link", "nl_").next()
        self.take_parts(number, source, target, queue, drop_head, head.handle, wire.handle, ttl)
        rate_bps = wire.convert_bound("bandwidth_", bandwidth)
        delay_s = wire.convert_bound("delay_", delay)
        try:
            self.native = self.engine.add_link(source.native, target.native, rate_bps, delay_s, queue_peer.discipline)
        except SimulationError as error:
            raise NsError(f"link from node {source.number} to node {target.number}: {error}") from None
        wire.join(self.native)
        head.stands_in = wire.stands_in = queue_peer.stands_in = self
        queue_peer.join(self.native)
        if "multiSim_" in self.simulator.vars and self.simulator.call("multicast?") != "0":
            self.call("enable-mcast", src, dst)
        if "qs_agent_" in source.vars:
            from ackclock.ns2.library.tcp.quick_start_routers import put_router

            put_router(self)

    @method("if-label?")
    def get_label(self) -> str:
        """The label of the interface where packets arrive, in a network with groups."""
        return self.interp.call(self.vars["iif_"], "label")

    @method("enable-mcast")
    def enable_mcast(self, src: str, dst: str) -> None:
        """Packets that arrive are marked, for nodes that know groups."""
        from ackclock.ns2.library.lan.network_interface import NetworkInterface

        door = self.interp.make("NetworkInterface")
        assert isinstance(door, NetworkInterface)
        self.vars["iif_"] = door.handle
        door.mark(self.native)
        self.interp.call(src, "add-oif", self.call("head"), self.handle)
        self.interp.call(dst, "add-iif", door.call("label"), self.handle)

    def take_parts(self, number: int, source: Node, target: Node, *parts: str) -> None:
        """The link's number, its ends, and its parts: queue, what losses go to, head, wire, and what counts hops."""
        queue, drop_head, head, wire, ttl = self.first_parts = parts
        self.on_way, self.is_apart = {}, False
        queue_peer = self.interp.peer_of(queue, Queue, "queue")
        self.source, self.target, self.queue_peer = source, target, queue_peer
        first = {
            "id_": str(number),
            "fromNode_": source.handle,
            "toNode_": target.handle,
            "color_": "black",
            "oldColor_": "black",
            "trace_": "",
            "drophead_": drop_head,
            "head_": head,
            "queue_": queue,
            "link_": wire,
            "ttl_": ttl,
        }
        self.vars.begin(first)

    @method()
    def bw(self) -> str:
        """The bandwidth, b/s."""
        return self.interp.call(self.vars["link_"], "set", "bandwidth_")

    @method()
    def delay(self) -> str:
        """The propagation delay, s."""
        return self.interp.call(self.vars["link_"], "set", "delay_")

    @method()
    def qsize(self) -> str:
        """The queue's limit."""
        return self.interp.call(self.vars["queue_"], "set", "limit_")

    @method()
    def trace(self, simulator: str, file: str, op: str = "") -> None:
        """Trace arrivals at the queue, departures, losses and arrivals at the far end."""
        from ackclock.ns2.library.monitors.traces import Trace

        self.vars["trace_"] = file
        for variable, kind, _ in _TRACES:
            self.vars[variable] = self.interp.call(simulator, "create-trace", kind, file, self.src(), self.dst(), op)
        self.lose_to_drop_head(self.queue_peer)
        for variable, _, place in _TRACES:
            trace = self.interp.peer_of(self.vars[variable], Trace, "trace")
            self.put(place, trace, "trace", trace.place)
        if "dynamics_" in self.vars:
            self.call("trace-dynamics", simulator, file, op)

    @method()
    def errormodule(self, module: str = "") -> str:
        """Put an error model or module in front of the queue; or ask for it."""
        return self._insert_errors("errmodule_", "head", module)

    @method("insert-linkloss")
    def insert_linkloss(self, module: str = "") -> str:
        """Put an error model or module behind the wire, or where the chosen release had it; or ask for it."""
        if module and "link_errmodule_" in self.vars:
            # ns-2 means to delete the former one, and names the variable.
            raise NsError('invalid command name "link_errmodule_"')
        return self._insert_errors("link_errmodule_", self.interp.link_loss_place, module)

    def _insert_errors(self, variable: str, place: str, handle: str) -> str:
        if not handle:
            return self.vars[variable]
        peer = self.interp.peer(handle)
        module = getattr(peer, "module", None)
        if module is None:
            raise NsError(f"{handle} is a {peer.class_name}, no error model")
        assert isinstance(peer, Connector)
        self.vars[variable] = handle
        self.put(place, peer, "errors", module())
        self.lose_to_drop_head(peer)
        return ""

    def put(self, place: str, peer: Connector, what: str, worker: Any) -> None:
        """Put something on the link: at the front of a place, or between the parts of a link that was taken apart."""
        # Behind the queue, error models of older releases stand behind the trace of departures.
        at_front = what != "errors" or place != "dequeued"
        peer.stands_in = self
        passes_by = place == "wire_end" and self.engine.now() > 0 and "dynamics_" not in self.vars
        if not self.is_apart and (passes_by or (place == "dropped" and self.queue_peer.drop_handle)):
            # Packets on the wire do not pass it, unless the link can fail; and neither do losses of a queue that go to
            # a monitor's snoop.
            self.take_apart()
        if not self.is_apart:
            passed = self.on_way.setdefault(place, [])
            passed.insert(0 if at_front else len(passed), peer.handle)
            if what == "errors":
                self.native.add_error_module(place, worker, at_front=at_front)
            elif what == "trace":
                self.native.add_trace(place, worker)
            elif what == "gate":
                self.native.add_gate()
            else:
                self.native.add_monitor(place, what, worker)
            return
        self._put_behind(self.vars[_IN_FRONT[place]], peer.handle)

    def _put_behind(self, before: str, handle: str) -> None:
        self.interp.call(handle, "target", self.interp.call(before, "target"))
        self.interp.call(before, "target", handle)

    def take_apart(self) -> None:
        """Make parts of it, as somebody does who asks what is behind one."""
        self.interp.call(self.vars["head_"], "target")

    @method("add-to-head")
    def add_to_head(self, connector: str) -> None:
        """Put a connector behind the head."""
        self._put_behind(self.vars["head_"], connector)

    @method("install-error")
    def install_error(self, model: str) -> str:
        """Put an error model behind the wire; what it drops goes nowhere unless the script says where."""
        wire = self.vars["link_"]
        self.interp.call(model, "target", self.interp.call(wire, "target"))
        return self.interp.call(wire, "target", model)

    def lose_to_drop_head(self, peer: Connector) -> None:
        """What a part drops goes where the link's losses go. A link in one piece does that."""
        peer.drop_handle = ""
        if self.is_apart:
            self.interp.call(peer.handle, "drop-target", self.vars["drophead_"])

    @method("nam-trace")
    def nam_trace(self, simulator: str, file: str) -> None:
        """The same for nam: by the traces that are there, or by new ones."""
        if "enqT_" not in self.vars:
            self.call("trace", simulator, file, "nam")
            return
        for variable in ("enqT_", "deqT_", "drpT_", "rcvT_"):
            if variable in self.vars:
                self.interp.call(self.vars[variable], "namattach", file)
        for trace in self.interp.split(self.vars.get("dynT_", "")):
            self.interp.call(trace, "namattach", file)


#: behind which part something is put at a place of a link that was taken apart, by the variable of the part
_IN_FRONT = {
    "head": "head_",
    "dequeued": "queue_",
    "wire_end": "link_",
    "received": "ttl_",
    "dropped": "drophead_",
}

#: variable of the link, class of trace, place on the engine's link
_TRACES = (
    ("enqT_", "Enque", "head"),
    ("deqT_", "Deque", "dequeued"),
    ("drpT_", "Drop", "dropped"),
    ("rcvT_", "Recv", "received"),
)
