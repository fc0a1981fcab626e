"""Differentiated services: the queues of a `ds_red_edge` or `ds_red_core`, and the policies of an edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from ackclock.scenario.errors import ScenarioError, choose
from ackclock.scenario.model.typed import Described, Rate, Size, Time, Window
from ackclock.scenario.units import amount

#: how lengths are averaged
AVERAGES = ("coupled", "decoupled", "weighted", "none")
#: which queue is next
SCHEDULES = ("round_robin", "weighted", "interleaved", "priority")


class _Meter(NamedTuple):
    keys: tuple[str, ...]
    #: how many code points it gives besides the first
    others: int


#: how an edge meters -> the keys of its numbers
_METERS = {
    "none": _Meter((), 0),
    "sliding_window_2": _Meter(("rate",), 1),
    "sliding_window_3": _Meter(("rate", "peak_rate"), 2),
    "token_bucket": _Meter(("rate", "burst"), 1),
    "single_rate": _Meter(("rate", "burst", "excess_burst"), 2),
    "two_rates": _Meter(("rate", "burst", "peak_rate", "peak_burst"), 2),
    "flow_size": _Meter(("burst",), 1),
}
METERS = tuple(_METERS)
_NUMBERS = ("rate", "burst", "excess_burst", "peak_rate", "peak_burst")
_MOST = {"queues": 8, "precedences": 3, "code points": 40, "policies": 20}


@dataclass(frozen=True, kw_only=True)
class Precedence(Described):
    """A drop precedence: the packets of `code_points`, with a RED of their own.

    From an average of `thresh` on they are dropped early, at `maxthresh` with probability `max_p`, above it all.
    `q_weight` is the weight of a sample in the average. A queue without an average drops beyond `thresh`.
    """

    code_points: list[int]
    thresh: Window
    maxthresh: Window
    max_p: float
    q_weight: float = 0.002

    def check(self) -> None:
        """`ScenarioError` unless the thresholds are in order and the code points exist."""
        if amount(self.maxthresh, "window").number < amount(self.thresh, "window").number:
            expected = f"must not be below thresh, {self.thresh}"
            raise ScenarioError(expected, key="maxthresh", value=self.maxthresh)
        for name in ("max_p", "q_weight"):
            if not 0 < getattr(self, name) <= 1:
                raise ScenarioError("expected more than 0, at most 1", key=name, value=getattr(self, name))
        for index, point in enumerate(self.code_points):
            _check_point(point, f"code_points.{index}")


@dataclass(frozen=True, kw_only=True)
class PhysicalQueue(Described):
    """One of the queues, with its `precedences`, the first being the best.

    `average` is what early drops depend on: `coupled` (of a precedence and all better ones), `decoupled` (of the
    precedence alone), `weighted` (of the whole queue) or `none` (the current length). `weight` is its share in weighted
    schedules, `max_rate` the maximum rate in a priority schedule.
    """

    renamed: ClassVar[Mapping[str, str]] = {"most": "max_rate"}

    precedences: list[Precedence]
    average: str = "coupled"
    weight: int | None = None
    max_rate: Rate | None = None

    def check(self) -> None:
        """`ScenarioError` for too many precedences."""
        choose(self.average, AVERAGES, "what early drops go by", "average")
        _check_count(self.precedences, "precedences")
        if self.weight is not None and self.weight < 1:
            raise ScenarioError("expected a whole number, at least 1", key="weight", value=self.weight)


@dataclass(frozen=True, kw_only=True)
class Policy(Described):
    """What an edge makes of the packets from `source` to `destination`, nodes by name; of any without them.

    The `meter` gives packets within the profile `code_point`, others `yellow` and, with three colours, `red`: `none`
    all the same; `sliding_window_2` and `_3` by an average rate over `window` against `rate` and `peak_rate`;
    `token_bucket` by a bucket of `burst` bytes filled at `rate`; `single_rate` (RFC 2697) with another of
    `excess_burst` bytes; `two_rates` (RFC 2698) with another of `peak_burst` bytes filled at `peak_rate`; `flow_size`
    gives the first `burst` bytes of each flow the better code point.
    """

    renamed: ClassVar[Mapping[str, str]] = {
        "excess": "excess_burst",
        "peak": "peak_burst",
        "worse": "yellow",
        "worst": "red",
    }

    meter: str
    code_point: int
    source: str | None = None
    destination: str | None = None
    rate: Rate | None = None
    burst: Size | None = None
    excess_burst: Size | None = None
    peak_rate: Rate | None = None
    peak_burst: Size | None = None
    window: Time | None = None
    yellow: int | None = None
    red: int | None = None

    def check(self) -> None:
        """`ScenarioError` unless it has the numbers of its meter and no others."""
        choose(self.meter, METERS, "how packets are metered", "meter")
        meter = _METERS[self.meter]
        needs = (*meter.keys, *("yellow", "red")[: meter.others])
        for name in (*_NUMBERS, "yellow", "red"):
            if name in needs and getattr(self, name) is None:
                raise ScenarioError(f"the key is missing; the meter {self.meter} needs it", key=name)
            if name not in needs and getattr(self, name) is not None:
                listed = f"the meter {self.meter} has no such key" + (f"; expected {', '.join(needs)}" if needs else "")
                raise ScenarioError(listed, key=name, value=getattr(self, name))
        if self.window is not None and self.meter != "sliding_window_2":
            raise ScenarioError("only the meter sliding_window_2 has a window", key="window", value=self.window)
        for name in ("code_point", "yellow", "red"):
            if getattr(self, name) is not None:
                _check_point(getattr(self, name), name)


@dataclass(frozen=True, kw_only=True)
class DiffServ(Described):
    """The `queues` of a `ds_red_core` or `ds_red_edge`, and an edge's `policies`.

    `schedule` selects the next queue: `round_robin`, `weighted` or `interleaved` (by their weights), or `priority` (the
    first that has packets). `packet_size` is the mean packet size, for idle times. A packet whose source and
    destination no policy names, or whose code point no precedence has, ends the run with an error.
    """

    queues: list[PhysicalQueue]
    schedule: str = "round_robin"
    packet_size: Size | None = None
    policies: list[Policy] = field(default_factory=list)

    def check(self) -> None:
        """`ScenarioError` for too many queues, a code point that occurs twice, and policies whose code points have no
        queue.
        """
        choose(self.schedule, SCHEDULES, "which queue is next", "schedule")
        _check_count(self.queues, "queues")
        if len(self.policies) > _MOST["policies"]:
            raise ScenarioError(f"expected at most {_MOST['policies']} policies", key="policies")
        known: set[int] = set()
        for index, queue in enumerate(self.queues):
            for place, precedence in enumerate(queue.precedences):
                for point in precedence.code_points:
                    if point in known:
                        key = f"queues.{index}.precedences.{place}.code_points"
                        raise ScenarioError("duplicate code point", key=key, value=point)
                    known.add(point)
        met: dict[tuple[str, int], Policy] = {}
        for index, policy in enumerate(self.policies):
            for name in ("code_point", "yellow", "red"):
                point = getattr(policy, name)
                if point is not None and point not in known:
                    listed = ", ".join(map(str, sorted(known)))
                    raise ScenarioError(
                        f"expected a code point of a queue: {listed}", key=f"policies.{index}.{name}", value=point
                    )
            like = met.setdefault((policy.meter, policy.code_point), policy)
            for name in ("yellow", "red"):
                if getattr(like, name) != getattr(policy, name):
                    expected = f"another policy of this meter and code point has {getattr(like, name)}"
                    raise ScenarioError(expected, key=f"policies.{index}.{name}", value=getattr(policy, name))


def _check_point(point: int, key: str) -> None:
    if not 0 <= point < _MOST["code points"]:
        raise ScenarioError(f"expected a code point, 0 to {_MOST['code points'] - 1}", key=key, value=point)


def _check_count(parts: list[Any], what: str) -> None:
    if not 1 <= len(parts) <= _MOST[what]:
        raise ScenarioError(f"expected 1 to {_MOST[what]} {what}, not {len(parts)}", key=what)
