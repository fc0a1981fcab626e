"""Parts of descriptions, as crates/scenario/src/model/loss.rs declares them.

Written by tools/write_scenario_types.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ackclock.scenario.model.part import Part
from ackclock.scenario.model.typed import Time


@dataclass(frozen=True, kw_only=True)
class LossState(Part):
    """A state of a `multi_state` loss: while it lasts, each packet is lost with probability `rate`.

    `next` has the probability of each state, this one included, to be the next one. It is drawn at each packet, or
    where the loss counts seconds at the first packet after the state has lasted for `duration`.
    """

    part = "LossState"
    renamed: ClassVar[Mapping[str, str]] = {"lasts": "duration"}

    rate: float
    """The probability of a loss."""
    next: list[float]
    """The probability of each state to be the next one."""
    duration: Time | None = None
    """How long it lasts, where the loss counts seconds."""


@dataclass(frozen=True, kw_only=True)
class Loss(Part):
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

    part = "Loss"
    renamed: ClassVar[Mapping[str, str]] = {
        "hold": "delay",
        "hold_most": "max_delay",
        "spares": "invert",
        "carries": "packet_type",
    }
    words: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "kind": ("uniform", "periodic", "list", "two_state", "multi_state", "gilbert_elliott", "select"),
        "unit": ("packets", "bytes", "seconds"),
        "packet_type": ("tcp", "udp", "cbr", "ack", "telnet", "pareto", "exp"),
        "place": ("queue", "link", "wire"),
    }

    kind: str = "uniform"
    """Which packets are lost."""
    unit: str = "packets"
    """What the other numbers count."""
    rate: float | None = None
    """Of `uniform`: the probability of a loss, for each packet or byte."""
    period: float | None = None
    """Of `periodic` and `select`: one of this many is lost."""
    offset: float | None = None
    """Of `periodic` and `select`: the first number that is lost."""
    burst: float | None = None
    """Of `periodic`: how much after each of them is lost, too."""
    invert: bool | None = None
    """Of `periodic`: all except those are lost."""
    packets: list[int] | None = None
    """Of `list`: the numbers of those that are lost, from 0."""
    good: float | None = None
    """Of `two_state`: the mean length of a good state."""
    bad: float | None = None
    """Of `two_state`: the mean length of a bad state."""
    states: list[LossState] | None = None
    """Of `multi_state`: the states."""
    p: float | None = None
    """Of `gilbert_elliott`: the probability to go from good to bad."""
    r: float | None = None
    """Of `gilbert_elliott`: the probability to go back."""
    h: float | None = None
    """Of `gilbert_elliott`: the probability that a packet gets through in the bad state; 0 without it."""
    k: float | None = None
    """Of `gilbert_elliott`: the probability that a packet gets through in the good state; 1 without it."""
    packet_type: str | None = None
    """Of `select`: what the packets carry."""
    flows: list[int | str] | None = None
    """The flows concerned, by name or flow id; all without it."""
    mark: bool = False
    """Whether packets are marked instead of lost."""
    delay: Time | None = None
    """By how much packets are delayed instead of lost."""
    max_delay: Time | None = None
    """The largest random delay; `delay` is the smallest."""
    in_order: bool = False
    """Whether no packet overtakes a delayed one."""
    duplicate: bool = False
    """Whether a copy is sent after each instead of a loss."""
    place: str = "queue"
    """Where: before the queue, before the link, or behind the wire."""
