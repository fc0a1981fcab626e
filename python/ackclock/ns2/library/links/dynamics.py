"""Links that fail and recover: what becomes of their packets, who is told; failures.py has when they do."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.nodes import Connector, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.library.core.nodes import PartWorker
    from ackclock.ns2.library.core.simulator import Simulator
    from ackclock.ns2.library.links.links import Link, SimpleLink


@ns2_class("DynamicLink")
class DynamicLink(Connector):
    """The gate at the head of a link that can fail."""

    link: _native.Link | None = None

    def describe_part(self) -> tuple[str, PartWorker]:
        if self.link is not None:
            return "gate", self.link
        return ("connector" if self.read_bound("status_") else "closed_gate"), None

    def read_bound(self, name: str) -> float:
        return self.bound.get(name, 1 if name == "status_" else 0)

    def write_bound(self, name: str, value: float) -> None:
        self.bound[name] = value
        if name == "status_" and self.link is not None:
            self.link.set_up(value != 0)
        elif name == "status_" and self.part is not None:
            self.part.replace(*self.describe_part())

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
            # ns-2 means to say that the link was not declared dynamic, and fails at a variable of its message.
            raise NsError('can\'t read "class::": no such variable')
        self.interp.call(self.vars["dynamics_"], "set", "status_", "0")
        self.call("all-connectors", "reset")
        _tell(self, "down")

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
        gate.link = self.native
        self.vars["dynamics_"] = gate.handle
        self.put("head", gate, "gate", self.native)
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

    @method("ttl-drop-trace")
    def ttl_drop_trace(self: SimpleLink) -> None:  # type: ignore[misc]
        """Packets whose hops are used up go the way of lost packets, which they do here anyway."""

    @method("linkfail-drop-trace")
    def linkfail_drop_trace(self: SimpleLink) -> None:  # type: ignore[misc]
        """Packets that come while the link is down go the way of lost packets. Without a gate nothing happens."""
        if "dynamics_" in self.vars:
            self.reports_refused = True
            self.native.set_reports_refused(True)
            if self.is_apart:
                self.interp.call(self.vars["dynamics_"], "drop-target", self.vars["drophead_"])


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
