"""What the peers of engine objects share: names of parameters, and what ackclock lacks said by name."""

from __future__ import annotations

from ackclock.ns2.bindings import catalogue
from ackclock.ns2.bindings.tcl_object import NotYet, NsError, TclObject
from ackclock.ns2.otcl.values import as_c_int, parse_decimal, parse_double

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from ackclock._native import Params
    from ackclock._native import Simulation as Engine
    from ackclock.ns2.library.core.simulator import Simulator

    FirstValues = list[tuple[str, float]] | Params

#: Engine names of bound variables: at first those that do not follow the rule of `engine_name`.
_NAMES = {
    "agent_addr_": "node",
    "agent_port_": "port",
    "dst_addr_": "peer_node",
    "dst_port_": "peer_port",
    "class_": "fid",
    "rate_": "rate_bps",
    "EnblRTTCtr_": "enbl_rtt_ctr",
    "QOption_": "q_option",
    "SetCWRonRetransmit_": "set_cwr_on_retransmit",
}


#: Bound variables of queues that say how the use of their links is measured: read where somebody measures it.
OF_USE = ("util_weight_", "util_check_intv_", "util_records_")

#: Bound variables on which nothing depends that a script or a trace could show: output for ns-2's own developers, and
#: how the event list is laid out.
WITHOUT_EFFECT = frozenset(
    {
        "debug_",
        "adjust_new_width_interval_",
        "min_bin_width_",
    }
)


def engine_name(bound_name: str) -> str:
    """The engine's name of a bound variable: `windowInit_` is `window_init`, `bugFix_` is `bug_fix`."""
    found = _NAMES.get(bound_name)
    if found is None:
        found = bound_name.removesuffix("_").replace("-", "_")
        if not found.islower():
            plain, found, before = found, "", ""
            for letter in plain:
                found += f"_{letter}" if letter.isupper() and (before.islower() or before.isdigit()) else letter
                before = letter
            found = found.lower()
        _NAMES[bound_name] = found
    return found


class EngineObject(TclObject):
    """A peer whose bound variables are parameters of something in the engine.

    A variable that the engine does not know keeps its default; another value is refused by name.
    """

    lazy_parts: ClassVar = {"monitors.variable_traces.AnyObject": "trace tracevar"}
    #: for a class with a `write_bound` of its own: whether it does no more than keep values while the object is made
    begins_alike = False

    @property
    def engine(self) -> Engine:
        """The simulation of this interpreter."""
        return self.interp.engine

    @property
    def simulator(self) -> Simulator:
        """The script's Simulator."""
        if self.interp.simulator is None:
            raise NsError("no Simulator yet: call `set ns [new Simulator]` first")
        simulator: Simulator = self.interp.simulator  # type: ignore[assignment]
        return simulator

    def engine_get(self, name: str) -> float:
        """The engine's parameter; KeyError where it has none of that name."""
        raise KeyError(name)

    def engine_set(self, name: str, value: float) -> None:
        """Set the engine's parameter; KeyError where it has none of that name."""
        raise KeyError(name)

    def read_bound(self, name: str) -> float:
        """The engine's value, or the value kept here for a variable that the engine does not know."""
        if name in self.bound:
            return self.bound[name]
        try:
            return self.engine_get(engine_name(name))
        except KeyError:
            return 0

    def write_bound(self, name: str, value: float) -> None:
        """Give the engine the value; refuse a variable without effect here unless it keeps its default."""
        try:
            self.engine_set(engine_name(name), value)
        except KeyError:
            self.keep_bound(name, value)

    def keep_bound(self, name: str, value: float) -> None:
        """Keep the value of a variable that the engine does not know, if it is the default or means nothing."""
        if name not in WITHOUT_EFFECT and name not in OF_USE and value != self._default(name):
            raise NotYet(
                f"{type(self).ns2_name} {self.handle}: ns-2 has {name}; "
                f"ackclock does not have it yet; expected its default {self._default(name):g}"
            ) from None
        self.bound[name] = value

    def init_bound(self, defaults: dict[str, str]) -> None:
        """Every bound variable's first value; what a class's values come to is worked out once for all its objects."""
        known = self.interp.defaults_cache.get(self.class_name)
        if known is not None:
            kept, told = known
            self.bound = kept.copy()
            if told:
                self.tell_first(told)
            return
        if not (self.begins_alike or type(self).write_bound is EngineObject.write_bound):
            super().init_bound(defaults)
            return
        values = {name: self.first_value(name, text) for name, text in defaults.items()}
        self.write_first(values)
        kept = self.bound.copy()
        told = [(engine_name(name), value) for name, value in values.items() if name not in kept]
        self.interp.defaults_cache[self.class_name] = kept, self.made_ready(told)

    def write_first(self, values: dict[str, float]) -> None:
        """What `write_bound` does for each of these values, the object's first."""
        for name, value in values.items():
            self.write_bound(name, value)

    def made_ready(self, params: list[tuple[str, float]]) -> FirstValues:
        """First values, by the engine's own names, as `tell_first` is to have them for each object of the class."""
        return params

    def tell_first(self, params: FirstValues) -> None:
        """Give the engine the first values of what it knows."""
        assert isinstance(params, list)
        for name, value in params:
            self.engine_set(name, value)

    def _default(self, name: str) -> float:
        """The default of a variable, ns-2's own or a patch's; 0 where there is none."""
        for cls in type(self).__mro__:
            described = vars(cls).get("ns2_bound", {}).get(name)
            if described is not None:
                return self.convert_bound(name, described.partition("=")[2])
        class_name: str | None = type(self).ns2_name
        while class_name and class_name != "SplitObject":
            entry = catalogue.lookup(class_name)
            if entry is None:
                break
            if name in entry.defaults:
                return self.convert_bound(name, entry.defaults[name])
            class_name = entry.parents[0] if entry.parents else None
        return 0


#: how bound variables are read and written
_WAYS = ("read_bound", "write_bound", "engine_get", "engine_set", "get_bound", "set_bound", "convert_bound")


def has_variables_of(cls: type[TclObject], other: type[TclObject]) -> bool:
    """Whether bound variables of a class are read and written as those of another."""
    return all(getattr(cls, name) is getattr(other, name) for name in _WAYS)


def whole(text: str, what: str) -> int:
    """A whole number of the script, as C's atoi takes it: 0 for a word without one, with a warning."""
    try:
        number = parse_decimal(text)
    except ValueError:
        _warn_of_word(what, "a whole number", text, "0")
        return 0
    taken = as_c_int(number)
    if taken != number:
        _warn_of_word(what, "a whole number of 32 bits", text, str(taken))
    return taken


def real(text: str, what: str) -> float:
    """A number of the script, as C's atof takes it: 0 for a word without one, with a warning."""
    try:
        return parse_double(text)
    except ValueError:
        _warn_of_word(what, "a number", text, "0")
        return 0.0


def _warn_of_word(*words: str) -> None:
    # Few scripts have such words, and every script would wait for the module.
    from ackclock.ns2.otcl.odd_words import warn_of_word

    warn_of_word(*words)
