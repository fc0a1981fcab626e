"""Traces whose lines a procedure of the script gets, too."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NotYet, method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.library.links.links import SimpleLink
    from ackclock.ns2.library.monitors.traces import Trace


class ToldLink:
    """A link that tells the lines of its traces."""

    @method("trace-callback")
    def trace_callback(self: SimpleLink, simulator: str, command: str) -> None:  # type: ignore[misc]
        """Trace arrivals at the queue, departures, losses and arrivals at the far end: a command gets each line."""
        self.call("trace", simulator, "")
        for variable in ("enqT_", "deqT_", "drpT_", "rcvT_"):
            trace = self.vars[variable]
            self.interp.call(trace, "set", "callback_", "1")
            self.interp.call(trace, "proc", "handle", "a", f"{command} $a")


def tell_lines(trace: Trace, is_told: bool) -> None:
    """The trace's method `handle` is to get its lines, or no more."""
    if not is_told:
        trace.place.set_told(False)
        return
    link = trace.stands_in
    whole = None if link is None or link.is_apart else link
    places = [] if whole is None else [place for place, parts in whole.on_way.items() if trace.handle in parts]
    if whole is None or not places:
        where = "on no link" if link is None else "on a link that is taken apart"
        raise NotYet(f"ns-2 has callback_ of {trace.class_name} {trace.handle} {where}; ackclock has it on whole links")
    told = trace.interp.told_traces
    if trace.place.number not in told:
        told[trace.place.number] = trace.handle
        whole.native.tell_lines(places[0])
    trace.place.set_told(True)
