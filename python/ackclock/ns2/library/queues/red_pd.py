"""RED with preferential dropping: `Queue/RED/PD`, and the flows that it polices."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.classifiers import HashClassifier
from ackclock.ns2.library.core.engine import engine_name, real
from ackclock.ns2.library.monitors.flow_monitors import FlowCounts, FlowMonitor, send_losses
from ackclock.ns2.library.monitors.monitors import SnoopQueue
from ackclock.ns2.library.monitors.traces import Trace
from ackclock.ns2.library.queues.queues import DISCIPLINES
from ackclock.ns2.library.queues.red import Red
from ackclock.ns2.otcl.stdio import stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.bindings.tcl_object import TclObject

DISCIPLINES["Queue/RED/PD"] = "red_pd"

#: bound variables of a flow that its police has; the last three are of every monitor, and used by a police alone
_POLICED = (
    "targetBW_",
    "currentBW_",
    "monitored_",
    "unresponsive_",
    "monitorStartTime_",
    "unresponsiveStartTime_",
    "lastDropTime_",
    "auto_",
    "estimate_rate_",
    "estRate_",
    "k_",
)


@ns2_class("QueueMonitor/ED/Flow/RedPD")
class PolicedFlow(FlowCounts):
    """Counts one flow, and says what its police is to do with it."""

    #: the queue that has polices it, once it has been told to; the engine's name of the flow there
    police: RedPd | None = None
    name = ""

    def read_bound(self, name: str) -> float:
        if name not in _POLICED:
            return super().read_bound(name)
        if self.police is None:
            return self.bound.get(name, 0)
        return self.police.engine_get(f"{self.name}.{engine_name(name)}")

    def write_bound(self, name: str, value: float) -> None:
        if name not in _POLICED:
            super().write_bound(name, value)
        elif self.police is None:
            self.bound[name] = value
        else:
            self.police.engine_set(f"{self.name}.{engine_name(name)}", value)


@ns2_class("Queue/RED/PD")
class RedPd(Red):
    """A RED queue, and a police of flows before it."""

    def create(self, *args: str) -> None:
        super().create(*args)
        kinds = " ".join(args).split()
        if len(kinds) == 1:
            stdio(self.interp).write("calling null arg2\n")
        self._kinds = [*kinds, "Drop", "Drop"][:2]
        self._policed_traces: list[str] = []
        self._key = ""

    def join(self, link: _native.Link) -> None:
        super().join(link)
        if self._key:
            self._command(f"key {self._key}")

    @method()
    def makeflowmon(self, link: str, kind: str = "SrcDestFid", slots: str = "29") -> str:
        """A monitor of the queue's flows, which has it police them."""
        monitor = self.interp.new("QueueMonitor/ED/Flowmon")
        classifier = self.interp.new(f"Classifier/Hash/{kind}", slots)
        peer = self.interp.peer(classifier)
        assert isinstance(peer, HashClassifier)
        peer.flow_class, peer.flows_have_samples = "QueueMonitor/ED/Flow/RedPD", False
        self.interp.call(monitor, "classifier", classifier)
        self.call("attach-flowmon", monitor)
        snoops = [self.interp.new(f"SnoopQueue/{name}") for name in ("In", "Out", "Drop")]
        early = self.interp.new("SnoopQueue/EDrop")
        self.interp.call(link, "attach-monitors", *snoops, monitor)
        self.interp.call(early, "set-monitor", monitor)
        self.call("early-drop-target", early)
        self.interp.peer_of(early, SnoopQueue, "SnoopQueue").target_handle = self.simulator.vars["nullAgent_"]
        send_losses(self.interp, self.handle, snoops[2])
        return monitor

    @method("attach-flowmon")
    def attach_flow_monitor(self, monitor: str) -> None:
        """Whose flows are policed. It counts what the police drops."""
        peer = self.interp.peer(monitor)
        classifier = self.interp.find_peer(self.interp.call(monitor, "classifier"))
        if not isinstance(peer, FlowMonitor) or not isinstance(classifier, HashClassifier):
            raise NsError(f"{monitor} is not a flow monitor with a classifier")
        self._key = classifier.key
        if self.link is not None:
            self._command(f"key {self._key}")
            self.link.add_monitor("policed", "policed_drops", peer.native)

    # --- traces ---

    @method("trace-type")
    def trace_type(self) -> str:
        """Which trace early drops go to."""
        return self._kinds[1]

    @method("mon-trace-type")
    def policed_trace_type(self) -> str:
        """Which trace drops by the police go to."""
        return self._kinds[0]

    @method("mon-edrop-trace")
    def policed_trace(self, trace: str | None = None) -> str | None:
        """The trace of drops by the police; told or asked (0: none)."""
        if trace is None:
            return self._policed_traces[-1] if self._policed_traces else "0"
        self._policed_traces.append(trace)
        peer = self.interp.peer(trace)
        if not isinstance(peer, Trace) or self.link is None:
            raise NsError(f"{trace} is a {peer.class_name}, no trace")
        self.link.add_trace("policed", peer.place)
        return None

    @method("attach-traces")
    def attach_traces(self, source: str, target: str, file: str, op: str = "") -> None:
        """Traces of early drops and of those by the police, ns-2's or nam's."""
        self.next_after(RedPd, "attach-traces", source, target, file, op)
        kind = "Drop" if op == "nam" else self.call("mon-trace-type")
        if self._policed_traces:
            self.interp.call("puts", "exists")
        self.call("mon-edrop-trace", self.simulator.call("create-trace", kind, file, source, target, op))

    # --- what the police is told ---

    def _flow(self, handle: str) -> PolicedFlow:
        peer: TclObject | None = self.interp.find_peer(handle)
        if not isinstance(peer, PolicedFlow):
            raise NsError(f"{handle} is not a flow that {self.class_name} {self.handle} can police")
        return peer

    def _tell(self, what: str, flow: PolicedFlow, *numbers: float) -> None:
        if self.link is None:
            raise NsError(f"{self.class_name} {self.handle} is on no link yet")
        if flow.police is None:
            self._know(flow, self.link)
        self.link.queue.command(" ".join([what, flow.name, *map(repr, numbers)]))

    def _know(self, flow: PolicedFlow, link: _native.Link) -> None:
        """From now on the police has the flow's variables, of which two can have been set before."""
        source, target, number, _kind = flow.flow()
        flow.name, flow.police = f"flow.{source}.{target}.{number}", self
        link.queue.command(f"know {flow.name}")
        before = {name: flow.bound.pop(name, 0) for name in _POLICED}
        for name in ("auto_", "k_"):
            flow.write_bound(name, before[name])

    @method("monitor-flow")
    def monitor_flow(self, flow: str, target: str, current: str = "") -> None:
        """Police a flow: its target and its present bandwidth, bit/s, or the probability of its drops."""
        peer = self._flow(flow)
        if not current:
            # ns-2 hands the complement over as text of six digits.
            target, current = f"{1 - real(target, 'a probability'):g}", "1"
        self._tell(
            "monitor",
            peer,
            *(peer.convert_bound(name, text) for name, text in (("targetBW_", target), ("currentBW_", current))),
        )

    @method("unmonitor-flow")
    def unmonitor_flow(self, flow: str) -> None:
        """Leave a flow alone."""
        self._tell("unmonitor", self._flow(flow))

    @method("unresponsive-flow")
    def unresponsive_flow(self, flow: str) -> None:
        """A policed flow does not respond to drops."""
        self._tell("unresponsive", self._flow(flow))

    @method("responsive-flow")
    def responsive_flow(self, flow: str) -> None:
        """It does."""
        self._tell("responsive", self._flow(flow))

    @method()
    def showme(self, flow: str) -> None:
        """Print whether a flow is policed."""
        peer = self._flow(flow)
        stdio(self.interp).write(f"showing now : {peer.handle} = {int(peer.read_bound('monitored_'))}\n")
