"""What an agent sees of its flow, what it sets, and what it is rewarded for: the base of the published ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ackclock._native import SteeredRuns

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Rows:
    """Measurements of one monitor interval each, for all environments: an attribute for each column.

    `sent`, `delivered` and `lost` count packets, retransmissions included. `rtt_mean_s` is the mean of the interval's
    RTT samples, `rtt_first_half_s` and `rtt_second_half_s` those of its two halves; 0 without samples. `time_s`,
    `srtt_s`, `min_rtt_s`, `in_flight`, `cwnd`, `ssthresh` (packets) and `pacing_per_s` (packets/s) are at its end.
    """

    time_s: Array
    interval_s: Array
    sent: Array
    delivered: Array
    lost: Array
    rtt_samples: Array
    rtt_mean_s: Array
    rtt_first_half_s: Array
    rtt_second_half_s: Array
    srtt_s: Array
    min_rtt_s: Array
    in_flight: Array
    cwnd: Array
    ssthresh: Array
    pacing_per_s: Array
    ending: Array

    names: ClassVar[list[str]] = SteeredRuns.columns()

    def __init__(self, table: Array) -> None:
        """`table`: a row for each environment, a column for each name."""
        for name, column in zip(self.names, table.T, strict=True):
            setattr(self, name, column)


class Start(NamedTuple):
    """How a flow begins: the window (packets) and the rate (packets/s) that it is held at.

    Without a window the flow keeps the control that the scenario names. Without a rate ACKs clock it.
    """

    cwnd_packets: float | None = None
    pacing_packets_per_s: float | None = None


class Steps(NamedTuple):
    """What comes next, for all environments: windows (packets), rates (packets/s), intervals (s).

    A window or a rate of NaN leaves what there is. An interval of NaN leaves the environment where it is.
    """

    cwnd_packets: Array
    pacing_packets_per_s: Array
    interval_s: Array


class Task(ABC):
    """Observations, actions and rewards of a published agent.

    An object belongs to one environment, or one vector environment, and keeps what it needs for each of its `count`
    environments. All arrays have a row or a number for each environment; a mask says which of them are concerned.
    """

    #: its name, as in `ackclock.gym.make_task`
    name: ClassVar[str]
    #: features of one monitor interval, in order
    features: ClassVar[tuple[str, ...]]
    #: bounds of the features; what is beyond is cut off
    low: ClassVar[Sequence[float]]
    high: ClassVar[Sequence[float]]
    #: the intervals of a history before the first one
    padding: Sequence[float]
    #: intervals in an observation
    history: int
    #: bounds of an action, which is one number
    action_low: float
    action_high: float

    @abstractmethod
    def prepare(self, count: int) -> None:
        """Make room for `count` environments."""

    @abstractmethod
    def start(self, place: int, random: np.random.Generator, capacity_packets_per_s: float) -> Start:
        """How the flow of the environment `place` begins; the slowest link has this capacity."""

    @abstractmethod
    def connected(self, place: int, rtt_s: float) -> None:
        """The flow's connection is established, after a handshake of this RTT (0: not measured)."""

    @abstractmethod
    def warm_up(self, rows: Rows | None, which: Mask) -> tuple[Steps, Mask]:
        """What comes before the first observation of environments: a step, and which of them need one.

        `rows` has what the step before has led to; `None` before the first one.
        """

    @abstractmethod
    def steer(self, actions: Array, which: Mask) -> Steps:
        """What actions, one for each environment, set."""

    @abstractmethod
    def observe(self, rows: Rows, which: Mask) -> tuple[Array, Array]:
        """The features of the interval, a row for each environment, and the rewards."""


def ratio(numerator: Array, denominator: Array, otherwise: float) -> Array:
    """`numerator / denominator`, where that is positive; `otherwise` elsewhere."""
    answer = np.full(len(numerator), otherwise)
    np.divide(numerator, denominator, out=answer, where=denominator > 0)
    return answer
