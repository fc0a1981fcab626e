"""When links fail and recover: the models of `rtmodel`, and the instants they have set."""

from __future__ import annotations

import sys

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject, real
from ackclock.ns2.otcl.interp import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


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
        """The same, this many seconds from now."""
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
    def set_elements(self, *nodes: str) -> None:
        """The two nodes whose links fail, or one whose links all do. As in ns-2, of more only the first counts."""
        first, *others = nodes or ("",)
        near = self.interp.call(first, "id")
        self.vars[f"nodes_({near})"] = first
        for handle in others if len(others) == 1 else self.interp.split(self.interp.call(first, "set", "neighbor_")):
            far = self.interp.call(handle, "id")
            self.vars[f"nodes_({far})"] = handle
            for start, end in (((near, first), (far, handle)), ((far, handle), (near, first))):
                # Between nodes without a link it is empty, which is an error when the simulation starts.
                link = self.interp.call(self.vars["ns_"], "link", start[1], end[1])
                self.vars[f"links_({start[0]}:{end[0]})"] = link

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
        """Fail or recover this many seconds from now."""
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
            self._file = open(self.interp.file(parms[0]), encoding="utf-8")  # noqa: SIM115  (read as the simulation goes on)
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
