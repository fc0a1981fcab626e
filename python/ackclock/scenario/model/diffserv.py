"""Parts of descriptions, as crates/scenario/src/model/diffserv.rs declares them.

Written by tools/write_scenario_types.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ackclock.scenario.model.part import Part
from ackclock.scenario.model.typed import Rate, Size, Time, Window


@dataclass(frozen=True, kw_only=True)
class Precedence(Part):
    """A drop precedence: the packets of `code_points`, with a RED of their own.

    From an average of `thresh` on they are dropped early, at `maxthresh` with probability `max_p`, above it all.
    `q_weight` is the weight of a sample in the average. A queue without an average drops beyond `thresh`.
    """

    part = "Precedence"

    code_points: list[int]
    """The code points of its packets."""
    thresh: Window
    """The average from which on packets are dropped early."""
    maxthresh: Window
    """The average above which all packets are dropped."""
    max_p: float
    """The probability of a drop at `maxthresh`."""
    q_weight: float = 0.002
    """The weight of a sample in the average."""


@dataclass(frozen=True, kw_only=True)
class PhysicalQueue(Part):
    """One of the queues, with its `precedences`, the first being the best.

    `average` is what early drops depend on: `coupled` (of a precedence and all better ones), `decoupled` (of the
    precedence alone), `weighted` (of the whole queue) or `none` (the current length). `weight` is its share in weighted
    schedules, `max_rate` the maximum rate in a priority schedule.
    """

    part = "PhysicalQueue"
    renamed: ClassVar[Mapping[str, str]] = {"most": "max_rate"}
    words: ClassVar[Mapping[str, tuple[str, ...]]] = {"average": ("coupled", "decoupled", "weighted", "none")}

    precedences: list[Precedence]
    """Its precedences."""
    average: str = "coupled"
    """What early drops depend on: the length of a precedence and all better ones, of the precedence alone, of the whole
    queue, or the current length.
    """
    weight: int | None = None
    """Its share in weighted schedules."""
    max_rate: Rate | None = None
    """The maximum rate in a priority schedule."""


@dataclass(frozen=True, kw_only=True)
class Policy(Part):
    """What an edge makes of the packets from `source` to `destination`, nodes by name; of any without them.

    The `meter` gives packets within the profile `code_point`, others `yellow` and, with three colours, `red`: `none`
    all the same; `sliding_window_2` and `_3` by an average rate over `window` against `rate` and `peak_rate`;
    `token_bucket` by a bucket of `burst` bytes filled at `rate`; `single_rate` (RFC 2697) with another of
    `excess_burst` bytes; `two_rates` (RFC 2698) with another of `peak_burst` bytes filled at `peak_rate`; `flow_size`
    gives the first `burst` bytes of each flow the better code point.
    """

    part = "Policy"
    renamed: ClassVar[Mapping[str, str]] = {
        "excess": "excess_burst",
        "peak": "peak_burst",
        "worse": "yellow",
        "worst": "red",
    }
    words: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "meter": (
            "none",
            "sliding_window_2",
            "sliding_window_3",
            "token_bucket",
            "single_rate",
            "two_rates",
            "flow_size",
        )
    }

    meter: str
    """How packets are metered."""
    code_point: int
    """The code point of packets within the profile."""
    source: str | None = None
    """The node that sends the packets; any without it."""
    destination: str | None = None
    """The node that they go to; any without it."""
    rate: Rate | None = None
    """The committed rate."""
    burst: Size | None = None
    """The bucket that `rate` fills; of `flow_size`, the first bytes of a flow."""
    excess_burst: Size | None = None
    """Of `single_rate` (RFC 2697): the second bucket."""
    peak_rate: Rate | None = None
    """The rate above which packets are `red`, where there are three colours."""
    peak_burst: Size | None = None
    """Of `two_rates` (RFC 2698): the bucket that `peak_rate` fills."""
    window: Time | None = None
    """Of `sliding_window_2`: the time over which the rate is averaged."""
    yellow: int | None = None
    """The code point of packets beyond the profile."""
    red: int | None = None
    """The code point of packets beyond the second profile."""


@dataclass(frozen=True, kw_only=True)
class DiffServ(Part):
    """The `queues` of a `ds_red_core` or `ds_red_edge`, and an edge's `policies`.

    `schedule` selects the next queue: `round_robin`, `weighted` or `interleaved` (by their weights), or `priority` (the
    first that has packets). `packet_size` is the mean packet size, for idle times. A packet whose source and
    destination no policy names, or whose code point no precedence has, ends the run with an error.
    """

    part = "DiffServ"
    words: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "schedule": ("round_robin", "weighted", "interleaved", "priority")
    }

    queues: list[PhysicalQueue]
    """Its queues."""
    schedule: str = "round_robin"
    """Which queue is next."""
    packet_size: Size | None = None
    """The mean packet size, for idle times."""
    policies: list[Policy] = field(default_factory=list)
    """What an edge makes of packets."""
