"""Error models, and the modules on links that they stand in."""

from __future__ import annotations

from ackclock._native import SimulationError
from ackclock.ns2.library.engine import whole
from ackclock.ns2.library.nodes import Connector
from ackclock.ns2.library.randomness import RandomVariable
from ackclock.ns2.peers import NsError, method, ns2_class

KINDS = {
    "ErrorModel": "uniform",
    "ErrorModel/Uniform": "uniform",
    "ErrorModel/List": "list",
    "ErrorModel/Periodic": "periodic",
    "ErrorModel/TwoState": "two_state",
    "ErrorModel/MultiState": "multi_state",
    "SelectErrorModel": "select",
}


#: a source's rate is in bit/s; a model's is errors per unit
_NAMES = {"rate_bps": "rate"}


class OnLink(Connector):
    """What can stand on a link and take packets out: one model, or a module of several."""

    def module_number(self) -> int:
        """The engine's module that is tapped into the link."""
        raise NotImplementedError


@ns2_class("ErrorModel")
class ErrorModel(OnLink):
    """Which packets are lost: by default each with the same probability."""

    number: int
    _module: int | None = None
    _draws_from_default = True

    def create(self, *args: str) -> None:
        kind = KINDS.get(type(self).ns2_name)
        if kind is None:
            raise NsError(f"{type(self).ns2_name} cannot be made")
        self.number = self.engine.add_error_model(kind)
        if kind == "uniform":
            self.simulator.at_run.append(self._check)

    def _check(self) -> None:
        # ns-2 goes on with its default stream, which moves the numbers of all that draw from it.
        if self._draws_from_default and self.engine_get("rate") > 0:
            self.interp.warn(
                f"{self.class_name} {self.handle}: rate_ without a random variable draws from the default stream"
            )

    def engine_get(self, name: str) -> float:
        return self.engine.error_model_param(self.number, _NAMES.get(name, name))

    def engine_set(self, name: str, value: float) -> None:
        if name in ("rate", "rate_bps") and not 0 <= value <= 1 and self.command("unit") == "pkt":
            self.interp.warn(f"{self.class_name} {self.handle}: rate_ {value:g} is no probability")
        self.engine.set_error_model_param(self.number, _NAMES.get(name, name), value)

    def module_number(self) -> int:
        if self._module is None:
            self._module = self.engine.add_error_module()
            self.engine.assign_error_model_to_others(self._module, self.number)
        return self._module

    def command(self, name: str, *args: str) -> str:
        """A command of the engine's model."""
        try:
            return self.engine.error_model_command(self.number, name, list(args))
        except SimulationError as error:
            raise NsError(f"{self.class_name} {self.handle}: {error}") from None

    @method()
    def unit(self, unit: str | None = None) -> str | None:
        """What the rate counts: pkt, byte or time; told or asked."""
        return self.command("unit", *([] if unit is None else [unit]))

    @method()
    def ranvar(self, *words: str) -> None:
        """What the model draws from, or, with a state's number first, what that state draws from."""
        peer = self.interp.peer(words[-1])
        if not isinstance(peer, RandomVariable):
            raise NsError(f"{words[-1]} is no random variable")
        self.command("ranvar", *words[:-1], str(peer.number))
        self._draws_from_default = False

    @method("drop-target")
    def drop_target(self, target: str | None = None) -> str | None:
        """Where lost packets go: on a link, the link's own way of lost packets."""
        return super().drop_target(target)

    @method()
    def reset(self) -> None:
        """Start anew."""
        self.command("reset")

    @method()
    def droplist(self, packets: str) -> None:
        """The packets to lose, by number."""
        self.command("droplist", *self.interp.split(packets))


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


for _name in ("ErrorModel/Expo", "ErrorModel/TwoStateMarkov"):
    KINDS[_name] = "two_state"


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
            peer = self.interp.peer(handle)
            if not isinstance(peer, ErrorModel):
                raise NsError(f"{handle} is no error model")
            numbers.append(str(peer.number))
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
        self.command("drop-packet", kind, cycle, offset)


@ns2_class("ErrorModule")
class ErrorModule(OnLink):
    """Models for some flows each, at one place of a link."""

    def create(self, *args: str) -> None:
        self._module = self.engine.add_error_module()
        self.interp.new(f"Classifier/Hash/{args[0] if args else 'Fid'}", 29)
        self.interp.new("Connector")
        self.interp.new("Connector")

    def module_number(self) -> int:
        return self._module

    def _model(self, handle: str) -> ErrorModel:
        peer = self.interp.peer(handle)
        if not isinstance(peer, ErrorModel):
            raise NsError(f"{handle} is no error model")
        return peer

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
        for fid in range(start, whole(last or first, "a flow id") + 1):
            self.engine.assign_error_model(self._module, fid, self._model(model).number)

    @method()
    def default(self, model: str) -> None:
        """The model judges the packets of all other flows; `pass` lets them pass."""
        number = None if model == "pass" else self._model(model).number
        self.engine.assign_error_model_to_others(self._module, number)
