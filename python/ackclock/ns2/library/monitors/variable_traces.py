"""`$object trace NAME ?TRACER?` of variables that are the script's own: ns-2 takes any name, and follows few."""

from __future__ import annotations

from ackclock.ns2.bindings import catalogue
from ackclock.ns2.bindings.tcl_object import NsError, TclObject, method
from ackclock.ns2.library.monitors.traces import Trace
from ackclock.ns2.otcl.tcl_bridge import ScriptExit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native

_COMMAND = "::otcl::traced_variable"


def cannot_trace(peer: TclObject, name: str) -> Exception:
    """The error for a bound variable that nobody can follow; ns-2 ends at once for one that is bound late."""
    message = f"error when calling class {peer.class_name}: trace {name}"
    if name in catalogue.bound_late(type(peer).ns2_name):
        peer.interp.warn(f"TclObject: {name} is not a TracedVar; ns-2 ends here")
        raise ScriptExit(1)
    return NsError(message)


def trace_script_variable(peer: TclObject, name: str, tracer: str | None) -> bool:
    """Follow a variable that is not bound; whether there is a tracer. Without one ns-2 follows memory at random."""
    if "(" in name:
        raise cannot_trace(peer, name)
    if tracer is None:
        peer.interp.warn(
            f"{peer.class_name} {peer.handle}: {name} is a variable of the script alone; ns-2 traces numbers without "
            "meaning for it, and ackclock none after the first"
        )
        return False
    found = peer.interp.find_peer(tracer)
    if not isinstance(found, Trace):
        return True
    trace: Trace = found
    trace.write_value(peer.handle, name, "")

    def was_set(*_words: str) -> None:
        trace.write_value(peer.handle, name, peer.vars.get(name, ""))

    command = f"{_COMMAND} {peer.handle} {name} {tracer}"
    peer.interp.command(command, was_set)
    peer.interp.tk.call("::otcl::trace_variable", peer.vars.path(name), "write", (command,))
    return True


def trace_by_object(peer: TclObject, name: str, tracer: str) -> _native.VariablePlace | None:
    """The place where an object writes changes of a bound variable, which has its present value; None for no place."""
    found = peer.interp.find_peer(tracer)
    if not isinstance(found, Trace):
        return None
    found.write_value(peer.handle, name, f"{peer.read_bound(name):g}")
    return found.variable_place(peer.handle, name)


class AnyObject:
    """What every object of ns-2 answers."""

    @method("trace", "tracevar")
    def trace(self: TclObject, name: str, tracer: str | None = None) -> None:  # type: ignore[misc]
        """Follow a variable of an object that traces none of its own."""
        if name in self.lives:
            raise cannot_trace(self, name)
        trace_script_variable(self, name, tracer)
