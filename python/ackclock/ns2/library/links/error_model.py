"""The usual error model, and what it has in common with others."""

from __future__ import annotations

from ackclock._native import SimulationError
from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.nodes import Connector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.library.core.nodes import PartWorker

#: ns-2 class -> the engine's error model.
KINDS = {"ErrorModel": "uniform"}

#: a source's rate is in bit/s; a model's is errors per unit
_NAMES = {"rate_bps": "rate"}


class OnLink(Connector):
    """What can stand on a link and take packets out: one model, or a module of several."""

    def module(self) -> _native.ErrorModule:
        """The engine's module that is added to the link."""
        raise NotImplementedError

    def describe_part(self) -> tuple[str, PartWorker]:
        return "error_model", self.module()


@ns2_class("ErrorModel")
class ErrorModel(OnLink):
    """Which packets are lost: by default each with the same probability."""

    native: _native.ErrorModel
    _module: _native.ErrorModule | None = None
    _draws_from_default = True

    def create(self, *args: str) -> None:
        kind = KINDS.get(type(self).ns2_name)
        if kind is None:
            raise NsError(f"{type(self).ns2_name} cannot be made")
        self.native = self.engine.add_error_model(kind)
        if kind == "uniform":
            self.simulator.at_run.append(self._check)

    def _check(self) -> None:
        # ns-2 goes on with its default stream, which moves the numbers of all that draw from it.
        if self._draws_from_default and self.engine_get("rate") > 0:
            self.interp.warn(
                f"{self.class_name} {self.handle}: rate_ without a random variable draws from the default stream"
            )

    def engine_get(self, name: str) -> float:
        return self.native.param(_NAMES.get(name, name))

    def engine_set(self, name: str, value: float) -> None:
        if name in ("rate", "rate_bps") and not 0 <= value <= 1 and self.command("unit") == "pkt":
            self.interp.warn(f"{self.class_name} {self.handle}: rate_ {value:g} is not a probability")
        self.native.set_param(_NAMES.get(name, name), value)

    def module(self) -> _native.ErrorModule:
        if self._module is None:
            self._module = self.engine.add_error_module()
            self._module.assign_others(self.native)
        return self._module

    def command(self, name: str, *args: str) -> str:
        """A command of the engine's model."""
        try:
            return self.native.command(name, list(args))
        except SimulationError as error:
            raise NsError(f"{self.class_name} {self.handle}: {error}") from None

    @method()
    def unit(self, unit: str | None = None) -> str | None:
        """What the rate counts: pkt, byte or time; told or asked."""
        return self.command("unit", *([] if unit is None else [unit]))

    @method()
    def ranvar(self, variable: str, *of_state: str) -> None:
        """What the model draws from, or, with a state's number first, what that state draws from."""
        from ackclock.ns2.library.core.randomness import RandomVariable

        *state, variable = variable, *of_state
        peer = self.interp.peer_of(variable, RandomVariable, "random variable")
        self.command("ranvar", *state, str(peer.native.number))
        self._draws_from_default = False

    @method()
    def reset(self) -> None:
        """Restart."""
        self.command("reset")

    @method()
    def droplist(self, packets: str) -> None:
        """The packets to lose, by number."""
        self.command("droplist", *self.interp.split(packets))
