"""Error models other than the usual one, and the modules on links that several of them stand in."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import whole
from ackclock.ns2.library.links.error_model import KINDS, ErrorModel, OnLink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.library.core.nodes import PartWorker

KINDS.update(
    {
        "ErrorModel/Uniform": "uniform",
        "ErrorModel/List": "list",
        "ErrorModel/Periodic": "periodic",
        "ErrorModel/TwoState": "two_state",
        "ErrorModel/Expo": "two_state",
        "ErrorModel/TwoStateMarkov": "two_state",
        "ErrorModel/MultiState": "multi_state",
        "SelectErrorModel": "select",
    }
)


@ns2_class("ErrorModel/Uniform")
class UniformErrors(ErrorModel):
    """The same with its rate given at once."""

    @method()
    def init(self, rate: str, unit: str = "pkt") -> None:
        """`new ErrorModel/Uniform rate unit`."""
        self.next_after(UniformErrors, "init")
        self.call("unit", unit)
        self.call("set", "rate_", rate)


@ns2_class("ErrorModel/List")
class ListErrors(ErrorModel):
    """Packets by number are lost."""


@ns2_class("ErrorModel/Periodic")
class PeriodicErrors(ErrorModel):
    """Every n-th packet is lost."""


@ns2_class("ErrorModel/TwoState")
class TwoStateErrors(ErrorModel):
    """Good and bad times of random lengths."""

    @method()
    def init(self, good: str, bad: str, unit: str = "pkt") -> None:
        """`new ErrorModel/TwoState good bad unit`: two random variables."""
        self.next_after(TwoStateErrors, "init")
        self.call("unit", unit)
        self.call("ranvar", "0", good)
        self.call("ranvar", "1", bad)


@ns2_class("ErrorModel/Expo")
class ExponentialErrors(TwoStateErrors):
    """Good and bad times of exponential lengths."""

    default_unit = "pkt"

    @method("init")
    def init_by_means(self, means: str, unit: str = "") -> None:
        """`new ErrorModel/Expo {good bad} unit`: two means."""
        variables = [self.interp.new("RandomVariable/Exponential") for _ in range(2)]
        for variable, mean in zip(variables, self.interp.split(means), strict=False):
            self.interp.call(variable, "set", "avg_", mean)
        self.next_after(ExponentialErrors, "init", *variables, unit or self.default_unit)


@ns2_class("ErrorModel/TwoStateMarkov")
class MarkovErrors(ExponentialErrors):
    """The same, counted in time."""

    default_unit = "time"

    @method("init")
    def init_by_means(self, means: str, unit: str = "time") -> None:
        """`new ErrorModel/TwoStateMarkov {good bad} unit`."""
        self.next_after(MarkovErrors, "init", means, unit)


@ns2_class("ErrorModel/MultiState")
class MultiStateErrors(ErrorModel):
    """States with models of their own, and probabilities of going from one to another."""

    @method()
    def init(
        self, states: str, periods: str, transitions: str, unit: str, state_unit: str, count: str, start: str
    ) -> None:
        """`new ErrorModel/MultiState states periods transitions unit state-unit count start`."""
        self.next_after(MultiStateErrors, "init")
        models = self.interp.split(states)
        numbers = []
        for handle in models:
            peer = self.interp.peer_of(handle, ErrorModel, "error model")
            numbers.append(str(peer.native.number))
        if start not in models:
            raise NsError(f"the first state {start} is none of the states {states}")
        size = whole(count, "the number of states")
        matrix = [self.interp.split(row) for row in self.interp.split(transitions)]
        self.command("states", *numbers[:size])
        self.command("periods", *self.interp.split(periods)[:size])
        self.command("transitions", *(value for row in matrix[:size] for value in row[:size]))
        self.command("sttype", state_unit)
        self.command("start", str(models.index(start)))


@ns2_class("SelectErrorModel")
class SelectErrors(ErrorModel):
    """Every n-th packet of one kind is lost."""

    @method("drop-packet")
    def drop_packet(self, kind: str, cycle: str, offset: str) -> None:
        """Of packets of this kind, number `offset` of every `cycle`."""
        numbers = (
            whole(kind, "the number of a packet type"),
            whole(cycle, "a cycle of packets"),
            whole(offset, "an offset"),
        )
        self.command("drop-packet", *map(str, numbers))


#: what tells flows apart, by the last word of the classifier's class
_KEYS = {"Fid": "fid", "Dest": "dest", "SrcDest": "src_dest", "SrcDestFid": "src_dest_fid"}


@ns2_class("ErrorModule")
class ErrorModule(OnLink):
    """Models for some flows each, at one place of a link."""

    def create(self, *args: str) -> None:
        kind = args[0] if args else "Fid"
        self._module = self.engine.add_error_module(_KEYS.get(kind, "fid"))
        self._bound: set[str] = set()
        self.interp.new(f"Classifier/Hash/{kind}", args[1] if args[1:] else 29)
        self.interp.new("Connector")
        self.interp.new("Connector")

    def module(self) -> _native.ErrorModule:
        return self._module

    def describe_part(self) -> tuple[str, PartWorker]:
        return "error_module", self._module

    def _model(self, handle: str) -> ErrorModel:
        return self.interp.peer_of(handle, ErrorModel, "error model")

    @method()
    def insert(self, model: str) -> None:
        """The model belongs to this module."""
        self._model(model)
        models = self.interp.split(self.vars.get("models_", ""))
        self.vars["models_"] = (*models, model)

    @method()
    def errormodels(self) -> str:
        """The models of this module."""
        return self.vars["models_"]

    @method()
    def bind(self, model: str, first: str, last: str = "") -> None:
        """The model judges the packets of these flows."""
        start = whole(first, "a flow id")
        self._bound.add(model)
        for fid in range(start, whole(last or first, "a flow id") + 1):
            self._module.assign(fid, self._model(model).native)

    @method()
    def default(self, model: str) -> None:
        """The model judges the packets of all other flows; `pass` lets them pass."""
        if model == "pass":
            self._module.assign_others(None)
        elif model in self._bound:
            self._module.assign_others(self._model(model).native)
        else:
            # As in ns-2, which finds a model by the flows that it was bound to.
            self.interp.call("puts", f"ErrorModule: couldn't find classifier entry for error model {model}")
