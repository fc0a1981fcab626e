"""Links that fail and recover: when (`rtmodel`), what becomes of their packets, who is told."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

from ackclock.ns2.interp import ScriptError
from ackclock.ns2.library.engine import EngineObject, real
from ackclock.ns2.library.nodes import Connector, Node
from ackclock.ns2.peers import NsError, method, ns2_class

if TYPE_CHECKING:
    from ackclock.ns2.library.links import Link, SimpleLink
    from ackclock.ns2.library.simulator import Simulator


@ns2_class("DynamicLink")
class DynamicLink(Connector):
    """The gate at the head of a link that can fail."""

    link: int | None = None

    def read_bound(self, name: str) -> float:
        return self.bound.get(name, 1 if name == "status_" else 0)

    def write_bound(self, name: str, value: float) -> None:
        self.bound[name] = value
        if name == "status_" and self.link is not None:
            self.engine.set_link_up(self.link, value != 0)

    @method("status?")
    def status(self) -> str:
        """up or down."""
        return "up" if self.read_bound("status_") else "down"


class FailingLink:
    """What every link can do about failing."""

    @method()
    def up(self: Link) -> None:  # type: ignore[misc]
        """The link recovers."""
        if "dynamics_" in self.vars:
            self.interp.call(self.vars["dynamics_"], "set", "status_", "1")
            _tell(self, "up")

    @method()
    def down(self: Link) -> None:  # type: ignore[misc]
        """The link fails: what waits and what is on the wire is lost."""
        if "dynamics_" not in self.vars:
            print(f"Link {self.handle} was not declared dynamic, and cannot be taken down.  ignored", file=sys.stderr)
            return
        self.interp.call(self.vars["dynamics_"], "set", "status_", "0")
        self.call("all-connectors", "reset")
        _tell(self, "down")

    @method("up?")
    def get_up(self: Link) -> str:  # type: ignore[misc]
        """Whether the link is up."""
        return self.interp.call(self.vars["dynamics_"], "status?") if "dynamics_" in self.vars else "up"

    @method("all-connectors")
    def all_connectors(self: Link, operation: str) -> None:  # type: ignore[misc]
        """Call a method of all parts that have it, in the order of Tcl's tables."""
        for variable in self.interp.split(self.call("info", "vars")):
            for word in self.interp.split(self.vars.get(variable, "")):
                peer = self.interp.find_peer(word)
                if peer is not None and not isinstance(peer, Node) and peer.has(operation):
                    peer.call(operation)


def _tell(link: Link, state: str) -> None:
    """Write the change where the link's dynamics are traced."""
    ends = f"{link.source.number} {link.target.number}"
    for handle in link.interp.split(link.vars.get("dynT_", "")):
        trace = link.interp.peer(handle)
        trace.call("format", f"link-{state}", "$src_", "$dst_")
        now = link.simulator.call("now")
        trace.call("ntrace", f"l -t {now} -s {link.source.number} -d {link.target.number} -S {state.upper()}")
        trace.call("ntrace", f"v -t {now} link-{state} {now} {ends}")


class FailingSimpleLink:
    """How a simple link is made ready to fail."""

    @method()
    def dynamic(self: SimpleLink) -> None:  # type: ignore[misc]
        """Put a gate at the head, once."""
        if "dynamics_" in self.vars:
            return
        gate = self.interp.make("DynamicLink")
        assert isinstance(gate, DynamicLink)
        gate.link = self.number
        self.vars["dynamics_"] = gate.handle
        self.engine.tap(self.number, "head", "gate", 0)
        self.call("transit-drop-trace")
        self.call("all-connectors", "isDynamic")

    @method("trace-dynamics")
    def trace_dynamics(self: SimpleLink, simulator: str, file: str, op: str = "") -> None:  # type: ignore[misc]
        """Trace the link's going down and coming up."""
        handle = self.interp.call(simulator, "create-trace", "Generic", file, self.src(), self.dst(), op)
        self.vars["dynT_"] = f"{self.vars.get('dynT_', '')} {handle}".strip()
        self.call("transit-drop-trace")
        self.call("linkfail-drop-trace")

    @method("transit-drop-trace")
    def transit_drop_trace(self: SimpleLink) -> None:  # type: ignore[misc]
        """Packets lost on the wire go the way of lost packets, which they do here anyway."""

    @method("linkfail-drop-trace")
    def linkfail_drop_trace(self: SimpleLink) -> None:  # type: ignore[misc]
        """Packets that come while the link is down go the way of lost packets. Without a gate nothing happens."""
        if "dynamics_" in self.vars:
            self.engine.set_reports_refused(self.number, True)


@ns2_class("rtQueue")
class FailureQueue(EngineObject):
    """The instants at which links fail or recover; whoever is concerned is told once all has happened."""

    @method()
    def init(self, simulator: str) -> None:
        """`new rtQueue $ns`."""
        self.vars["ns_"] = simulator
        self._due: dict[str, list[tuple[str, ...]]] = {}

    def _insert(self, at: str, event: tuple[str, ...]) -> None:
        if at not in self._due:
            self.interp.call(self.vars["ns_"], "at", at, f"{self.handle} runq {at}")
        self._due.setdefault(at, []).append(event)

    @method()
    def insq(self, at: str, obj: str, name: str, *args: str) -> str:
        """Call a method of an object at an instant to come; the instant."""
        if self.engine.now() >= real(at, "the time of a link's failure"):
            print("insq: Cannot set event in the past", file=sys.stderr)
            return ""
        self._insert(at, (obj, name, *args))
        return at

    @method("insq-i")
    def insq_i(self, interval: str, obj: str, name: str, *args: str) -> str:
        """The same, so many seconds from now."""
        at = self.interp.call("expr", f"{interval} + {self.interp.call(self.vars['ns_'], 'now')}")
        self._insert(at, (obj, name, *args))
        return at

    @method()
    def delq(self, at: str, obj: str) -> None:
        """Forget what an object was to do at an instant."""
        if at in self._due:
            self._due[at] = [event for event in self._due[at] if event[0] != obj]

    @method()
    def runq(self, at: str) -> None:
        """The instant has come."""
        events = self._due[at]
        for obj, name, *args in events:
            self.interp.call(obj, name, *args)
        for event in events:
            self.interp.call(event[0], "notify")
        self._due.pop(at, None)


@ns2_class("rtModel")
class FailureModel(EngineObject):
    """When the links between some nodes fail and recover."""

    @method()
    def init(self, simulator: str) -> None:
        """`new rtModel/Kind $ns`."""
        self.vars["ns_"] = simulator
        for name in ("startTime_", "finishTime_"):
            self.vars[name] = self.interp.call("rtModel", "set", name)

    @method("set-elements")
    def set_elements(self, first: str, *second: str) -> None:
        """The two nodes whose links fail, or one whose links all do."""
        near = self.interp.peer(first)
        if not isinstance(near, Node):
            raise NsError(f'there is no node "{first}"')
        self.vars[f"nodes_({near.number})"] = first
        for handle in second or self.interp.split(near.vars["neighbor_"]):
            far = self.interp.peer(handle)
            if not isinstance(far, Node):
                raise NsError(f'there is no node "{handle}"')
            self.vars[f"nodes_({far.number})"] = handle
            for start, end in ((near, far), (far, near)):
                ends = f"{start.number}:{end.number}"
                link = self.interp.call(self.vars["ns_"], "link", start.handle, end.handle)
                if not link:
                    raise NsError(f"there is no link from node {start.number} to node {end.number}")
                self.vars[f"links_({ends})"] = link

    @method("set-parms")
    def set_parms(self, *parms: str) -> None:
        """{start up down finish}, {start up down} or {up down}, s; "-" keeps the class's."""
        names = ("startTime_", "upInterval_", "downInterval_", "finishTime_")
        for name in names:
            try:
                self.vars[name] = self.interp.call(self.class_name, "set", name)
            except ScriptError:
                self.vars[name] = self.interp.call("rtModel", "set", name)
        given = {4: names, 3: names[:3], 2: names[1:3]}.get(len(parms), ())
        for name, value in zip(given, parms, strict=False):
            if value not in ("-", ""):
                self.vars[name] = value

    def _links(self) -> list[str]:
        return [self.vars[f"links_({ends})"] for ends in self.vars.names("links_")]

    @method()
    def configure(self) -> None:
        """The simulation starts: the links get their gates."""
        if self.interp.call("rtModel", "set", "rtq_") == "":
            self.interp.call("rtModel", "set", "rtq_", self.simulator.vars["rtq_"])
        for link in self._links():
            self.interp.call(link, "dynamic")
        self.call("set-first-event")

    @method("set-first-event")
    def set_first_event(self) -> None:
        """The first failure."""
        self.call("set-event", self.expr(f"{self.vars['startTime_']} + {self.vars['upInterval_']}"), "down")

    def expr(self, text: str) -> str:
        """Tcl's own arithmetic, whose digits the events' times are made of."""
        return self.interp.call("expr", text)

    def drawn(self, interval: str) -> str:
        """A random interval with this mean."""
        generator = self.interp.get_variable("::rtglibRNG") or ""
        return self.expr(f"{self.interp.call(generator, 'exponential', '1.0')} * {self.vars[interval]}")

    @method("set-event")
    def set_event(self, interval: str, operation: str) -> None:
        """Fail or recover so many seconds from now."""
        now = self.interp.call(self.vars["ns_"], "now")
        self.call("set-event-exact", self.expr(f"{now} + {interval}"), operation)

    @method("set-event-exact")
    def set_event_exact(self, at: str, operation: str) -> None:
        """Fail or recover at an instant. After the last instant nothing fails, and what is down recovers then."""
        finish = self.vars["finishTime_"]
        if finish != "-" and real(at, "a time") > real(finish, "the finish time"):
            if operation != "up":
                return
            at = finish
        self.interp.call(self.interp.call("rtModel", "set", "rtq_"), "insq", at, self.handle, operation)

    @method()
    def up(self) -> None:
        """The links recover."""
        for link in self._links():
            self.interp.call(link, "up")

    @method()
    def down(self) -> None:
        """The links fail."""
        for link in self._links():
            self.interp.call(link, "down")

    @method()
    def notify(self) -> None:
        """The nodes, then the routes, learn of it."""
        for number in self.vars.names("nodes_"):
            self.interp.call(self.vars[f"nodes_({number})"], "intf-changed")
        self.interp.call(self.simulator.call("get-routelogic"), "notify")

    @method()
    def trace(self, simulator: str, file: str, op: str = "") -> None:
        """Write changes to a channel."""
        for link in self._links():
            self.interp.call(link, "trace-dynamics", simulator, file, op)


@ns2_class("rtModel/Exponential")
class ExponentialFailures(FailureModel):
    """Intervals of exponential lengths."""

    @method("set-first-event")
    def set_first_event(self) -> None:
        """The first failure."""
        drawn = self.drawn("upInterval_")
        self.call("set-event", self.expr(f"{self.vars['startTime_']} + {drawn}"), "down")

    @method()
    def up(self) -> None:
        """The links recover until the next failure."""
        self.next_after(ExponentialFailures, "up")
        self.call("set-event", self.drawn("upInterval_"), "down")

    @method()
    def down(self) -> None:
        """The links fail until they recover."""
        self.next_after(ExponentialFailures, "down")
        self.call("set-event", self.drawn("downInterval_"), "up")


@ns2_class("rtModel/Deterministic")
class DeterministicFailures(FailureModel):
    """Intervals of equal lengths."""

    @method()
    def up(self) -> None:
        """The links recover until the next failure."""
        self.next_after(DeterministicFailures, "up")
        self.call("set-event", self.vars["upInterval_"], "down")

    @method()
    def down(self) -> None:
        """The links fail until they recover."""
        self.next_after(DeterministicFailures, "down")
        self.call("set-event", self.vars["downInterval_"], "up")


@ns2_class("rtModel/Trace")
class TracedFailures(FailureModel):
    """What a trace of another run tells: lines such as `v 0.8123 link-up 3 5`."""

    _file: TextIO | None = None
    _next: tuple[str, ...] = ()

    @method("set-parms")
    def set_parms(self, *parms: str) -> None:
        """The file."""
        try:
            self._file = open(parms[0], encoding="utf-8")  # noqa: SIM115  (read as the simulation goes on)
        except OSError:
            print(f"cannot open {parms[0]}", file=sys.stderr)
            return
        self._next = self._read()
        if not self._next:
            print(f"no relevant events in {parms[0]}", file=sys.stderr)

    def _read(self) -> tuple[str, ...]:
        for line in self._file or ():
            words = tuple(line.rstrip("\n").split(" "))
            if len(words) > 4 and f"links_({words[3]}:{words[4]})" in self.vars:
                return words
        return ()

    def _set_events(self) -> None:
        if not self._next:
            return
        at = self._next[1]
        while self._next and real(self._next[1], "a time") == real(at, "a time"):
            operation = self._next[2].removeprefix("link-")
            if f"evq_({at})" not in self.vars:
                self.call("set-event-exact", at, operation)
                self.vars[f"evq_({at})"] = "1"
            self._next = self._read()

    @method("set-first-event")
    def set_first_event(self) -> None:
        """The first of the file."""
        self._set_events()

    @method()
    def up(self) -> None:
        """The links recover."""
        self.next_after(TracedFailures, "up")
        self._set_events()

    @method()
    def down(self) -> None:
        """The links fail."""
        self.next_after(TracedFailures, "down")
        self._set_events()

    def destroyed(self) -> None:
        if self._file is not None:
            self._file.close()


@ns2_class("rtModel/Manual")
class ManualFailure(FailureModel):
    """One failure or recovery."""

    @method("set-parms")
    def set_parms(self, *parms: str) -> None:
        """`up` or `down`, and when."""
        self.vars["op_"], self.vars["at_"] = parms

    @method("set-first-event")
    def set_first_event(self) -> None:
        """The only one."""
        self.call("set-event-exact", self.vars["at_"], self.vars["op_"])

    @method()
    def notify(self) -> None:
        """The nodes and the routes learn of it; then the model is done."""
        self.next_after(ManualFailure, "notify")
        self.interp.call("delete", self.handle)


class FailingNetwork:
    """What a script says of failures."""

    @method()
    def rtmodel(self: Simulator, kind: str, parms: str, *nodes: str) -> str:  # type: ignore[misc]
        """A model of when the links between two nodes, or of one node, fail."""
        if self.interp.call("rtModel", "info", "subclass", f"rtModel/{kind}") in ("", "0"):
            return ""
        model = self.interp.new(f"rtModel/{kind}", self.handle)
        self.interp.call(model, "set-elements", *nodes)
        self.interp.call(model, "set-parms", *self.interp.split(parms))
        for file, op in ((self.call("get-ns-traceall"), ""), (self.call("get-nam-traceall"), "nam")):
            if file:
                self.interp.call(model, "trace", self.handle, file, *([op] if op else []))
        self.vars["rtModel_"] = f"{self.vars.get('rtModel_', '')} {model}".strip()
        return model

    @method("rtmodel-at")
    def rtmodel_at(self: Simulator, at: str, operation: str, *nodes: str) -> str:  # type: ignore[misc]
        """One failure (`down`) or recovery (`up`)."""
        return self.call("rtmodel", "Manual", (operation, at), *nodes)

    @method("rtmodel-delete")
    def rtmodel_delete(self: Simulator, model: str) -> None:  # type: ignore[misc]
        """Forget a model before the run."""
        models = self.interp.split(self.vars.get("rtModel_", ""))
        if model in models:
            self.interp.call("delete", model)
            models.remove(model)
            self.vars["rtModel_"] = tuple(models)

    @method("rtmodel-configure")
    def rtmodel_configure(self: Simulator) -> None:  # type: ignore[misc]
        """The run begins: models set their first events."""
        if "rtModel_" in self.vars:
            self.vars["rtq_"] = self.interp.new("rtQueue", self.handle)
            for model in self.interp.split(self.vars["rtModel_"]):
                self.interp.call(model, "configure")
