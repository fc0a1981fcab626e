"""Agents: what all have in common, and the TCP senders and receivers."""

from __future__ import annotations

from ackclock._native import Params, format_g
from ackclock.ns2.bindings.lazy_objects import Kind, Plan
from ackclock.ns2.bindings.tcl_object import NotYet, NsError, method, ns2_class, variant
from ackclock.ns2.library.core.engine import EngineObject, engine_name, has_variables_of, whole
from ackclock.ns2.library.core.nodes import Node
from ackclock.ns2.otcl.objects import plain_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

    from ackclock import _native
    from ackclock.ns2.library.core.engine import FirstValues
    from ackclock.ns2.library.core.nodes import PartWorker

#: round-trip times that the engine reports in seconds, unless their names say ticks
_IN_TICKS = ("rtt", "srtt", "rttvar")

#: ns-2 class -> the engine's agent.
KINDS = {
    "Agent": "null",
    "Agent/Null": "null",
    "Agent/UDP": "udp",
    "Agent/LossMonitor": "loss_monitor",
    "Agent/Ping": "ping",
    "Agent/TCP": "tahoe",
    "Agent/TCP/Reno": "reno",
    "Agent/TCP/Newreno": "new_reno",
    "Agent/TCP/Sack1": "sack",
    "Agent/TCP/Fack": "fack",
    "Agent/TCP/SackRH": "sack_rh",
    "Agent/TCP/Reno/RBP": "reno_rbp",
    "Agent/TCP/Vegas/RBP": "vegas_rbp",
    "Agent/TCP/Vegas": "vegas",
    "Agent/TCP/RFC793edu": "rfc793edu",
    "Agent/TCP/Linux": "linux",
    "Agent/TCPSink": "sink",
    "Agent/TCPSink/DelAck": "sink_del_ack",
    "Agent/TCPSink/Sack1": "sink_sack",
    "Agent/TCPSink/Sack1/DelAck": "sink_sack_del_ack",
}


def _set_old_peer(agent: Agent, *value: str) -> str:
    """`$agent set dst_ address`: ns-2 warns, takes the address of a group, and ends at any other."""
    interp = agent.interp
    interp.call("puts", f"Warning dst_ is no longer being supported in NS. {interp.word(('dst_', *value))}")
    interp.call("puts", "Use dst_addr_ and dst_port_ instead")
    address = value[0] if value else ""
    if interp.call("expr", f"{{{address}}} >= {interp.call('Simulator', 'set', 'McastBaseAddr_')}") != "0":
        agent.call("set", "dst_addr_", address)
        agent.call("set", "dst_port_", "0")
        return ""
    agent.call("set", "dst_addr_", interp.call("expr", f"({address} >> 8)"))
    agent.call("set", "dst_port_", interp.call("expr", f"({address} % 256)"))
    return interp.call("exit")


@ns2_class("Agent")
class Agent(EngineObject):
    """One end of a conversation."""

    native: _native.Agent
    obsolete: ClassVar = {"dst_": _set_old_peer}
    #: whether an application feeds it, and gets what comes
    is_fed = False
    #: what nam calls the agent
    _nam_name = "(null)"

    def create(self, *args: str) -> None:
        kind = KINDS.get(type(self).ns2_name)
        if kind is None:
            raise NsError(f"an {type(self).ns2_name} alone does nothing; make one of its subclasses")
        self.stand_for(self.engine.add_agent(kind))

    def stand_for(self, native: _native.Agent) -> None:
        """This agent of the engine's."""
        self.native = native
        self.interp.listeners[native.number] = self.told
        self._channel: _native.Channel | None = None
        self._waiting: list[str] = []
        self._nam_places: list[_native.NamPlace] = []

    def describe_part(self) -> tuple[str, PartWorker]:
        """The agent as a part of a link."""
        return "agent", self.native

    def engine_get(self, name: str) -> float:
        value = self.native.param(name)
        levels = self.interp.levels
        return value if levels is None else levels.shown(name, value)

    def engine_set(self, name: str, value: float) -> None:
        levels = self.interp.levels
        self.native.set_param(name, value if levels is None else levels.meant(name, value))

    def init_bound(self, defaults: dict[str, str]) -> None:
        if "class_" in defaults:
            # Two names of one number; ns-2 gives it the first value of this one last.
            defaults = {**defaults, "fid_": defaults["class_"]}
        super().init_bound(defaults)

    def write_first(self, values: dict[str, float]) -> None:
        if type(self).engine_set is not Agent.engine_set or self.interp.levels is not None:
            super().write_first(values)
            return
        names = list(values)
        params = Params([(engine_name(name), value) for name, value in values.items()])
        for place in self.native.offer_params(params):
            self.keep_bound(names[place], values[names[place]])

    def made_ready(self, params: list[tuple[str, float]]) -> FirstValues:
        return Params(params) if params and type(self).engine_set is Agent.engine_set else params

    def tell_first(self, params: FirstValues) -> None:
        if isinstance(params, Params):
            self.native.set_params(params)
        else:
            super().tell_first(params)

    def register_lazy(self) -> bool:
        cls, name = type(self), self.class_name
        if name not in self.interp.defaults_cache:
            return False
        kept, told = self.interp.defaults_cache[name]
        if _is_plain(cls) and self.interp.levels is None and (isinstance(told, Params) or not told):
            types = self.interp.types_of(cls.ns2_name)
            variables = [(word, engine_name(word), types[word]) for word in types if word not in kept]
            kind = PlainAgents(self.interp, (Plan(name, cls, None, kept),))
            is_sender = issubclass(cls, Tcp)
            self.interp.lazy_objects.learn_agents(name, kind, KINDS[cls.ns2_name], told or None, is_sender, variables)
        return True

    def attach_to(self, node: Node, port: int | None) -> None:
        """The node takes the agent in."""
        self.native.attach(node.native, port)

    def detach_from(self, node: Node) -> None:
        """The node lets the agent go."""
        self.native.detach(node.native)

    def is_sctp(self) -> bool:
        """Whether it may have several addresses: ns-2 looks at the name of its class."""
        return self.class_name.split("/")[1:2] == ["SCTP"]

    def feed(self) -> None:
        """An application is attached."""
        self.is_fed = True

    def told(self, what: str) -> None:
        """The engine's agent told something that `listen` asked for."""
        if what == "done":
            self.call("done")

    @method()
    def reset(self) -> None:
        """The simulation starts."""
        self.native.reset()

    @method()
    def nodeid(self) -> str:
        """Number of the agent's node."""
        return self.interp.call(self.vars["node_"], "id")

    @method()
    def port(self) -> str:
        """The agent's port."""
        return self.get_bound("agent_port_")

    @method("dst-port")
    def dst_port(self) -> str:
        """The peer's port."""
        return self.get_bound("dst_port_")

    @method("dst-addr")
    def dst_addr(self) -> str:
        """The peer's node."""
        return self.get_bound("dst_addr_")

    def _count(self, text: str, what: str) -> int:
        """How much to send; a word without a number counts as 0."""
        if text.lstrip().lstrip("+-")[:1].isdigit():
            return whole(text, what)
        self.interp.warn(f'{what} is a whole number; "{text}" counts as 0, as in ns-2')
        return 0

    @method()
    def send(self, count: str, text: str = "") -> None:
        """Send this many bytes, -1 for without end."""
        self.native.send_bytes(self._count(count, "the number of bytes to send"))
        self.interp.settle_groups()

    @method()
    def sendmsg(self, count: str, flags: str) -> None:
        """Send this many bytes, with the source's own words."""
        self.native.send_bytes(self._count(count, "the number of bytes to send"), flags)
        self.interp.settle_groups()

    @method()
    def target(self, target: str) -> None:
        """Packets go through an agent that chooses their routes."""
        peer = self.interp.peer(target)
        take = getattr(peer, "take", None)
        if take is None:
            raise NotYet(
                f"{self.class_name} {self.handle} before {peer.class_name} {target}: an agent sends to its node"
            )
        take(self)

    @method()
    def close(self) -> None:
        """The conversation ends."""
        self.native.close()

    @method()
    def listen(self) -> None:
        """Wait for the peer: one-way agents always do."""

    @method("attach-source")
    def attach_source(self, kind: str) -> str:
        """A source of the old style that feeds this agent."""
        source = self.interp.new(f"Source/{kind}")
        self.interp.call(source, "attach", self.handle)
        self.call("set", "type_", kind)
        return source

    @method("attach-app")
    def attach_app(self, kind: str) -> str:
        """An application that feeds this agent."""
        app = self.interp.new(f"Application/{kind}")
        self.interp.call(app, "attach-agent", self.handle)
        self.call("set", "type_", kind)
        return app

    @method("attach")
    def attach_channel(self, channel: str) -> None:
        """Watched variables go to this channel from now on."""
        self._channel = self.interp.channels.attach(channel)
        self.native.move_variables(self._channel)
        for variable in self._waiting:
            self._watch(variable, self._channel, False)
        self._waiting.clear()

    @method("attach-tbf")
    def attach_tbf(self, bucket: str) -> None:
        """Packets pass this token bucket on their way to the node."""
        peer = self.interp.peer(bucket)
        native = getattr(peer, "bucket", None)
        if native is None:
            raise NsError(f"{bucket} is a {peer.class_name}, no token bucket")
        self.native.pass_bucket(native)

    @method("attach-trace")
    def attach_trace(self, channel: str) -> None:
        """The same, as scripts for nam write it."""
        self.vars["namTrace_"] = channel
        self.call("attach", channel)

    @method("trace", "tracevar")
    def trace(self, variable: str, tracer: str | None = None) -> None:
        """Watch a variable: a tracer writes it, or the agent. Without a channel nobody hears of it."""
        from ackclock.ns2.library.monitors import variable_traces

        if variable not in self.lives:
            if not variable_traces.trace_script_variable(self, variable, tracer) and self._channel is not None:
                self._write_zero(variable)
        elif tracer is not None:
            place = variable_traces.trace_by_object(self, variable, tracer)
            name = engine_name(variable)
            try:
                # Without a place: one that writes nothing.
                place = self.engine.add_variable_place("", "") if place is None else place
                self.native.watch_at(f"{name}_ticks" if name in _IN_TICKS else name, place)
            except KeyError:
                raise variable_traces.cannot_trace(self, variable) from None
            self._waiting = [waiting for waiting in self._waiting if waiting != variable]
        elif self._channel is not None:
            self._watch(variable, self._channel, True)
        else:
            self._waiting.append(variable)

    def _write_zero(self, name: str) -> None:
        """What an agent writes of a variable that is none of its own: no value, in nam's manner."""
        self._to_nam(f"f -t {{}} {self._ends_for_nam()} -n {name} -a {self._nam_name} -v  -T v")

    def reports_to_nam(self) -> bool:
        """Whether watched variables are written in nam's manner."""
        return False

    @method("add-agent-trace")
    def add_agent_trace(self, name: str) -> None:
        """nam calls the agent so from now on."""
        self._name_for_nam(name)
        self._to_nam(f"a -t {{}} {self._ends_for_nam()} -n {name}")

    @method("delete-agent-trace")
    def delete_agent_trace(self) -> None:
        """nam has no name for the agent any more."""
        self._name_for_nam("(null)")

    @method("show-monitor")
    def show_monitor(self) -> None:
        """nam shows the agent's variables."""
        self._to_nam(f"v -t {{}} -e monitor_agent {int(self.engine_get('node'))} {self._nam_name}")

    @method("dump-namtracedvars")
    def dump_nam_variables(self) -> None:
        """ns-2 tells nothing here either."""

    def _ends_for_nam(self) -> str:
        return f"-s {int(self.engine_get('node'))} -d {int(self.engine_get('peer_node'))}"

    def _name_for_nam(self, name: str) -> None:
        self._nam_name = name
        for place in self._nam_places:
            place.name_agent(name)

    def _to_nam(self, line: str) -> None:
        if self._channel is not None:
            now = format_g(self.engine.now(), 15)
            self._channel.write(line.format(now).encode() + b"\n")

    def _watch(self, variable: str, channel: _native.Channel, at_once: bool) -> None:
        try:
            if self.reports_to_nam():
                place = self.native.watch_for_nam(engine_name(variable), variable, channel)
                self._nam_places.append(place)
                return
            self.native.watch(engine_name(variable), variable, channel, at_once)
        except KeyError:
            from ackclock.ns2.library.monitors.variable_traces import cannot_trace

            raise cannot_trace(self, variable) from None


@ns2_class("Agent/Null")
class Null(Agent):
    """Throws away what it gets."""

    def describe_part(self) -> tuple[str, PartWorker]:
        return "discard", None


# The bound variables named here are of a patch that published scripts are written for; full_tcp.py has them.
@ns2_class("Agent/TCP", dctcp_="bool=false", dctcp_alpha_="double=0", dctcp_g_="double=0.0625")
class Tcp(Agent):
    """A TCP sender: Tahoe."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.simulator.call("create-eventtrace", "Event", self.handle)
        # Its script may give it a `done` of its own at any time.
        self.native.listen("done")

    def init_bound(self, defaults: dict[str, str]) -> None:
        self.begins_alike = defaults.get("print_request_", "0") in ("0", "false")
        super().init_bound(defaults)
        # ns-2 makes the sender with the class's defaults: its first window, its first timeout.
        self.native.command("initialize", [])

    def write_bound(self, name: str, value: float) -> None:
        super().write_bound(name, value)
        if name == "print_request_" and value:
            from ackclock.ns2.otcl.stdio import stdio

            self.native.watch_output(stdio(self.interp).channel)

    def reports_to_nam(self) -> bool:
        return bool(self.engine_get("nam_tracevar"))

    @method("trace", "tracevar")
    def trace(self, variable: str, tracer: str | None = None) -> None:
        """Watch a variable; ns-2 traces one setting, too, which the script alone changes."""
        if variable != "singledup_" or tracer is not None:
            super().trace(variable, tracer)
            return
        self.is_traced = True
        self.variable_was_set(variable, self.read_bound(variable))

    def variable_was_set(self, name: str, value: float) -> None:
        if name == "singledup_" and self._channel is not None:
            self._write(name, int(value))

    def _write(self, name: str, value: int) -> None:
        """The line for a variable's value."""
        words = " ".join(f"{int(self.engine_get(end)):<2}" for end in ("node", "port", "peer_node", "peer_port"))
        assert self._channel is not None
        self._channel.write(f"{self.engine.now():<8.5f} {words} {name} {value}\n".encode())

    def _write_zero(self, name: str) -> None:
        if self.reports_to_nam():
            super()._write_zero(name)
        else:
            self._write(name, 0)

    @method()
    def done(self) -> None:
        """All was acknowledged: scripts put their own here."""

    @method()
    def advance(self, packet: str) -> None:
        """There is data up to this packet."""
        upto = self._count(packet, "the packet to send up to")
        self.native.command("advance", [str(upto)])

    @method()
    def advanceby(self, packets: str) -> None:
        """There are this many packets more to send."""
        self.native.advance(self._count(packets, "the number of packets to send"))

    @method()
    def eventtrace(self, trace: str) -> None:
        """Report in words to this trace."""
        peer = self.interp.peer(trace)
        from ackclock.ns2.library.monitors.traces import EventTrace

        if not isinstance(peer, EventTrace):
            raise NsError(f"{trace} is not an event trace")
        self.native.watch_events(*peer.channels_of())

    @method()
    def persist(self, other: str) -> None:
        """Take over the window and round-trip state of another sender."""
        peer = self.interp.peer_of(other, Tcp, "TCP sender")
        for name in ("cwnd", "awnd", "ssthresh", "rtt", "srtt", "rttvar", "backoff"):
            self.engine_set(name, peer.engine_get(name))


#: what ns-2's receivers print
_COMPLAINTS = {
    "no_bytes": "Error, received TCP packet size <= 0",
    "one_block": "Error: can't use DSACK with less than 2 SACK blocks",
}


@ns2_class("Agent/TCPSink")
class TcpSink(Agent):
    """A TCP receiver."""

    #: who wants to hear that bytes have come, if the engine was asked to tell
    reader: Callable[[], None] | None = None

    def create(self, *args: str) -> None:
        super().create(*args)
        self.native.listen("no_bytes")
        self.native.listen("one_block")

    @method("resize_buffers")
    def resize_buffers(self) -> None:
        """Make room for many packets, as ns-2 did once; there is always room."""
        self.interp.warn(f"{self.class_name} {self.handle}: resize_buffers has no effect, as in ns-2")

    def told(self, what: str) -> None:
        if what in _COMPLAINTS:
            from ackclock.ns2.otcl.stdio import stdio

            stdio(self.interp).print(_COMPLAINTS[what])
        elif what == "received" and self.reader is not None:
            self.reader()
        else:
            super().told(what)


class PlainAgents(Kind):
    """Agents of a class that does no more than most."""

    def finish(self, peer: Any, place: int, *facts: Any) -> None:
        """The script has asked for one of them."""
        native, node, peer.is_fed = facts
        peer.stand_for(native)
        if node:
            peer.vars["node_"] = node

    def answers(self) -> list[str]:
        own: dict[str, Callable[..., Any]] = {"reset": Agent.reset}
        if not self.interp.further_modules:
            own["send"] = Agent.send
        if self.interp.levels is None:
            own["set"] = plain_set
        return self.library_answers(self.plans[0].class_name, own)


def _is_plain(cls: type[Agent]) -> bool:
    """Whether agents of a class are made, kept, attached as any others, or as any other TCP senders."""
    own = "create", "stand_for", "init_bound", "tell_first", "attach_to", "register_lazy"
    for plain in (Agent, Tcp):
        if all(getattr(cls, name) is getattr(plain, name) for name in own) and has_variables_of(cls, plain):
            return True
    return False


for _name in ("Reno", "Newreno", "Sack1", "Fack", "SackRH", "Vegas", "Reno/RBP", "Vegas/RBP", "RFC793edu"):
    variant(f"Agent/TCP/{_name}", Tcp)
for _name in ("DelAck", "Sack1", "Sack1/DelAck"):
    variant(f"Agent/TCPSink/{_name}", TcpSink)
