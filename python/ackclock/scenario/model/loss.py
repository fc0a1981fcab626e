"""Losses: which packets a link loses, marks, holds back or doubles whatever its queue does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from ackclock.scenario.errors import ScenarioError, choose, nearest
from ackclock.scenario.model.typed import Described, Time
from ackclock.scenario.units import time_s

#: What the numbers of a loss count.
LOSS_UNITS = ("packets", "bytes", "seconds")
LOSS_PLACES = ("queue", "link", "wire")
#: What `select` can pick: the words of a trace, and ns-2's numbers for them.
PACKET_NUMBERS = {"tcp": 0, "udp": 1, "cbr": 2, "ack": 5, "telnet": 26, "pareto": 28, "exp": 29}
PACKET_KINDS = tuple(PACKET_NUMBERS)


class _Keys(NamedTuple):
    needs: tuple[str, ...]
    may: tuple[str, ...]
    units: tuple[str, ...]


#: kind -> keys that it needs, those it may have, what it can count
_KINDS = {
    "uniform": _Keys(("rate",), (), ("packets", "bytes")),
    "periodic": _Keys(("period",), ("offset", "burst", "invert"), LOSS_UNITS),
    "list": _Keys(("packets",), (), ("packets", "bytes")),
    "two_state": _Keys(("good", "bad"), (), LOSS_UNITS),
    "multi_state": _Keys(("states",), (), ("packets", "seconds")),
    "gilbert_elliott": _Keys(("p", "r"), ("h", "k"), ("packets",)),
    "select": _Keys(("packet_type", "period"), ("offset",), ("packets",)),
}
LOSS_KINDS = tuple(_KINDS)
_OWN = sorted({key for kind in _KINDS.values() for key in (*kind.needs, *kind.may)})


@dataclass(frozen=True, kw_only=True)
class LossState(Described):
    """A state of a `multi_state` loss: while it lasts, each packet is lost with probability `rate`.

    `next` has the probability of each state, this one included, to be the next one. It is drawn at each packet, or
    where the loss counts seconds at the first packet after the state has lasted for `duration`.
    """

    renamed: ClassVar[Mapping[str, str]] = {"lasts": "duration"}

    rate: float
    next: list[float]
    duration: Time | None = None

    def check(self) -> None:
        """`ScenarioError` for numbers that are no probabilities."""
        if not 0 <= self.rate <= 1:
            raise ScenarioError("expected a probability, 0 to 1", key="rate", value=self.rate)
        if any(part < 0 for part in self.next) or abs(sum(self.next) - 1) > 1e-9:
            raise ScenarioError("expected probabilities whose sum is 1", key="next", value=self.next)


@dataclass(frozen=True, kw_only=True)
class Loss(Described):
    """Packets that a link loses, whatever its queue does. With `mark` it marks them instead, with `delay` it delays
    them, with `duplicate` it sends a copy after each.

    `kind` selects the packets. `uniform` is each packet with probability `rate`. `periodic` is every `period`-th from
    number `offset` on, with those within `burst` after it; with `invert` all except those. `list` is those numbered in
    `packets`, from 0. `two_state` (Gilbert) is all in the bad state; good and bad states last exponentially distributed
    times of means `good` and `bad`. `multi_state` goes by the current one of its `states`. `gilbert_elliott` loses with
    probability 1 - `k` in the good state and 1 - `h` in the bad one (none and all by default). At each packet it goes
    from good to bad with probability `p`, back with `r` (Gilbert 1960, Elliott 1963, as in tc-netem(8)). `select` is,
    of the packets that `packet_type` names, those whose number in the whole run leaves the remainder `offset` when
    divided by `period`.

    `unit` is what all these numbers count: packets, bytes or seconds (a `rate` is a probability for each packet, or for
    each byte). `flows` names the flows concerned, data and ACKs, by name or flow id; all by default. `place` is before
    the queue, or before the link, as in ns-2 until 2.29 (a loss there takes a random part of a transmission's time), or
    behind the wire. With `max_delay`, packets are delayed by random times from `delay` up to this (uniform); with
    `in_order`, no packet overtakes a delayed one.
    """

    renamed: ClassVar[Mapping[str, str]] = {
        "hold": "delay",
        "hold_most": "max_delay",
        "spares": "invert",
        "carries": "packet_type",
    }

    kind: str = "uniform"
    unit: str = "packets"
    rate: float | None = None
    period: float | None = None
    offset: float | None = None
    burst: float | None = None
    invert: bool | None = None
    packets: list[int] | None = None
    good: float | None = None
    bad: float | None = None
    states: list[LossState] | None = None
    p: float | None = None
    r: float | None = None
    h: float | None = None
    k: float | None = None
    packet_type: str | None = None
    flows: list[int | str] | None = None
    mark: bool = False
    delay: Time | None = None
    max_delay: Time | None = None
    in_order: bool = False
    duplicate: bool = False
    place: str = "queue"

    def check(self) -> None:
        """`ScenarioError` unless the kind has the keys that it needs and no others."""
        choose(self.kind, LOSS_KINDS, "a kind of loss", "kind")
        choose(self.place, LOSS_PLACES, "where packets are lost", "place")
        kind = _KINDS[self.kind]
        choose(self.unit, kind.units, f"what a {self.kind} loss counts", "unit")
        for name in kind.needs:
            if getattr(self, name) is None:
                raise ScenarioError(f"the key is missing; a {self.kind} loss needs it", key=name)
        own = (*kind.needs, *kind.may)
        for name in _OWN:
            if name not in own and getattr(self, name) is not None:
                listed = f"a {self.kind} loss has no such key; expected one of {', '.join(own)}"
                raise ScenarioError(listed, key=name, value=getattr(self, name), nearest=nearest(name, own))
        self._check_numbers()
        if self.states is not None:
            self._check_states(self.states)
        if self.packet_type is not None:
            choose(self.packet_type, PACKET_KINDS, "what a packet carries", "packet_type")
        self._check_fate()
        if self.flows == []:
            raise ScenarioError("expected at least one flow; omit the key for all flows", key="flows")

    def chain(self) -> list[LossState]:
        """The states of a channel that has some; Gilbert's and Elliott's are a good and a bad one."""
        if self.states is not None:
            return self.states
        p, r = self.p or 0.0, self.r or 0.0
        good = LossState(rate=1 - (1.0 if self.k is None else self.k), next=[1 - p, p])
        return [good, LossState(rate=1 - (self.h or 0.0), next=[r, 1 - r])]

    def _check_fate(self) -> None:
        if self.mark and self.delay is not None:
            raise ScenarioError("a packet is either marked or delayed", key="delay", value=self.delay)
        if self.duplicate and (self.mark or self.delay is not None):
            raise ScenarioError("a packet is either marked, delayed or duplicated", key="duplicate", value=True)
        if (self.delay is not None or self.duplicate) and self.place == "link":
            where = "packets can be delayed or duplicated before the queue or after the wire"
            raise ScenarioError(where, key="place", value="link")
        for name in ("max_delay", "in_order"):
            if self.delay is None and getattr(self, name):
                raise ScenarioError("the key needs `delay`", key=name)
        if self.max_delay is not None and time_s(self.max_delay) < time_s(self.delay or "0 s"):
            raise ScenarioError(f"expected at least `delay`, {self.delay}", key="max_delay", value=self.max_delay)

    def _check_numbers(self) -> None:
        for name in ("rate", "p", "r", "h", "k"):
            number = getattr(self, name)
            if number is not None and not 0 <= number <= 1:
                raise ScenarioError("expected a probability, 0 to 1", key=name, value=number)
        if self.period is not None:
            least = 0 if self.unit == "seconds" else 1
            if self.period < least or self.period == 0:
                raise ScenarioError(
                    f"expected a number of {self.unit} that is positive", key="period", value=self.period
                )
        for name in ("offset", "burst"):
            number = getattr(self, name)
            if number is not None and number < 0:
                raise ScenarioError(f"expected a number of {self.unit}, at least 0", key=name, value=number)
        for name in ("period", "offset"):
            number = getattr(self, name)
            if number is not None and self.unit != "seconds" and number != int(number):
                raise ScenarioError(f"there are only whole {self.unit}", key=name, value=number)
        for name in ("good", "bad"):
            mean = getattr(self, name)
            if mean is not None and not mean > 0:
                raise ScenarioError(f"expected a mean number of {self.unit}, more than 0", key=name, value=mean)
        for index, number in enumerate(self.packets or []):
            if number < 0 or number in (self.packets or [])[:index]:
                wrong = "numbers are counted from 0" if number < 0 else "duplicate number"
                raise ScenarioError(wrong, key=f"packets.{index}", value=number)

    def _check_states(self, states: list[LossState]) -> None:
        if not states:
            raise ScenarioError("expected at least one state", key="states")
        for index, state in enumerate(states):
            if len(state.next) != len(states):
                expected = f"expected {len(states)} probabilities, one for each state"
                raise ScenarioError(expected, key=f"states.{index}.next", value=state.next)
            if (state.duration is None) == (self.unit == "seconds"):
                wrong = "the key is missing; a state needs it where the loss counts seconds"
                if state.duration is not None:
                    wrong = 'only with unit = "seconds" do states last for a time'
                raise ScenarioError(wrong, key=f"states.{index}.duration", value=state.duration)
