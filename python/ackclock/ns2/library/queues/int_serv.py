"""Controlled load: links that admit flows one by one, what they decide and measure by, and the flows' agents.

Source: ns-2's manual, chapter on the integrated services; what is decided and measured is the engine's.
"""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NotYet, NsError, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject
from ackclock.ns2.library.links.links import SimpleLink
from ackclock.ns2.library.queues.queues import DISCIPLINES, Queue
from ackclock.ns2.library.tcp.agents import KINDS, Agent
from ackclock.ns2.library.traffic.traffic import Traffic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native

DISCIPLINES["Queue/SimpleIntServ"] = "int_serv"
KINDS |= {"Agent/SA": "sa", "Agent/SAack": "sa_ack"}

#: bound variables of admission controls and estimators that the engine has, and its names
_PARAMETERS = {
    "utilization_": "utilization",
    "epsilon_": "epsilon",
    "s_": "s",
    "backoff_": "backoff",
    "period_": "period",
    "w_": "w",
    "T_": "window",
}


@ns2_class("Queue/SimpleIntServ")
class SimpleIntServ(Queue):
    """Two levels: flows that are admitted, and best effort, which is flow id 0."""


class _OfLink(EngineObject):
    """What a link decides or measures by."""

    _link: _native.Link | None = None

    def join(self, link: _native.Link, command: str) -> None:
        """Belong to a link."""
        link.queue.command(f"{command} {type(self).ns2_name.rpartition('/')[2]}")
        self._link = link
        for name, value in self.bound.items():
            self.write_bound(name, value)

    def write_bound(self, name: str, value: float) -> None:
        self.bound[name] = value
        if self._link is not None and name in _PARAMETERS:
            self._link.queue.set_param(_PARAMETERS[name], value)


@ns2_class("ADC")
class AdmissionControl(_OfLink):
    """Who is admitted."""

    #: whether an estimate counts a flow at once when it is admitted
    _bumps = False

    def join(self, link: _native.Link, command: str) -> None:
        if bool(self.bound.get("dobump_", self._bumps)) != self._bumps and type(self).ns2_name != "ADC/Param":
            raise NotYet(f"{self.class_name} {self.handle}: ackclock has its default of dobump_ only")
        super().join(link, command)


@ns2_class("Est")
class Estimator(_OfLink):
    """How a link's load is measured."""


def _declare(name: str, parent: type[_OfLink], **values: bool) -> None:
    ns2_class(name)(type(name.replace("/", ""), (parent,), {"__doc__": f"{name}.", **values}))


for _name, _counts in (("Param", False), ("MS", True), ("HB", True), ("ACTP", False), ("ACTO", False)):
    _declare(f"ADC/{_name}", AdmissionControl, _bumps=_counts)
for _name in ("Null", "PointSample", "ExpAvg", "TimeWindow"):
    _declare(f"Est/{_name}", Estimator)


@ns2_class("SALink")
class SignallingLink(EngineObject):
    """Where a link reads requests: part of its queue here."""


@ns2_class("MeasureMod")
class Meter(EngineObject):
    """Where a link's load is measured: part of its queue here."""


@ns2_class("IntServLink")
class IntServLink(SimpleLink):
    """A link that admits flows."""

    @method()
    def init(  # type: ignore[override]
        self, src: str, dst: str, bandwidth: str, delay: str, queue: str, signalling: str, control: str, estimator: str,
        *words: str,
    ) -> None:  # fmt: skip
        """`new IntServLink src dst bandwidth delay queue signalling control estimator`."""
        self.next_after(IntServLink, "init", src, dst, bandwidth, delay, queue)
        for variable, kind, command, wanted in (
            ("adc_", f"ADC/{control}", "admits_by", AdmissionControl),
            ("est_", f"Est/{estimator}", "estimates_by", Estimator),
        ):
            part = self.interp.make(kind)
            if not isinstance(part, wanted):
                raise NsError(f"{kind} is not what a link {command.replace('_', ' ')}")
            part.join(self.native, command)
            self.vars[variable] = part.handle
        self.vars["measmod_"] = self.interp.new("MeasureMod")
        self.vars["signalmod_"] = self.interp.new(signalling)
        self.vars["measclassifier_"] = self.interp.new("Classifier/Hash/Fid", 1)


@ns2_class("Agent/SA")
class AdmissionSender(Agent):
    """Datagrams of a flow that asks to be admitted before it sends; the script's `sched-stop` hears the answer."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self._source = ""
        self.native.listen("message")

    @method("attach-traffic")
    def attach_traffic(self, source: str) -> None:
        """What the flow carries."""
        self._source = source
        self.interp.call(source, "attach-agent", self.handle)

    @method()
    def start(self) -> None:
        """Ask to be admitted."""
        self.native.command("ask", [])

    @method()
    def stop(self) -> None:
        """The flow is over."""
        self.interp.call(self._source, "stop")
        self.native.command("leave", [])

    def told(self, what: str) -> None:
        if what == "message":
            answer = self.native.command("take", [])
            self.call("sched-stop", answer)
            if answer == "1":
                self._start_source()

    def _start_source(self) -> None:
        source = self.interp.peer(self._source)
        if not isinstance(source, Traffic):
            raise NsError(f"{source.handle} is a {source.class_name}, no source of datagrams")
        if type(source).ns2_name == "Application/Traffic/CBR":
            # Here, other than by its own `start`, the first packet goes after an interval.
            self.simulator.call("after", source.call("set", "interval_"), f"{source.handle} start")
        else:
            source.call("start")


@ns2_class("Agent/SAack")
class AdmissionReceiver(Agent):
    """Answers requests to be admitted, as the links on the way have decided."""
