"""Aurora: N. Jay, N. H. Rotman, P. B. Godfrey, M. Schapira, A. Tamar, "A Deep Reinforcement Learning Perspective on
Internet Congestion Control", ICML 2019; and PCC-RL, the code that its authors published with it
(github.com/PCCproject/PCC-RL, src/gym/network_sim.py and src/common/sender_obs.py at 64bea6e).

What the paper leaves open is as in the code: formulas where nothing was delivered, the loss ratio (lost over lost and
delivered packets), the draw of the first rate, the two intervals before the first observation.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ackclock.gym.task import Array, Mask, Rows, Start, Steps, Task, ratio

#: a window that limits nothing, packets: the flow is limited by its rate
NO_WINDOW = 1e6
#: the first intervals, in round-trip times of the handshake (PCC-RL: three times the delay of a link)
FIRST_INTERVAL_RTTS = 1.5
#: RTO before the first sample (RFC 6298, section 2), for a handshake whose RTT was not measured
UNKNOWN_RTT_S = 1.0
#: intervals before the first observation
WARM_UP = 2


class Aurora(Task):
    """The state, action and reward of Aurora.

    - Observation: latency gradient, latency ratio and send ratio of the last `history` monitor intervals, oldest first.
    - Action: one number a. The rate is multiplied by 1 + alpha a if a is positive, else divided by 1 - alpha a.
    - Reward: 10 throughput - 1000 latency - 2000 loss, times `scale`; throughput in packets/s, latency (mean RTT) in s,
      loss as a fraction.
    - `interval_rtts`: the length of an interval in mean RTTs of the interval before.
    - `bounds`: the lowest and the highest rate (packets/s), or window (packets).
    - `action_bound`: actions are from minus this to this.
    - `steers`: "rate", or "window" for a congestion window that actions change in the same way; ACKs clock the packets.
    - `first`: the range that the first rate is drawn from, as a multiple of the capacity of the slowest link; of the
      first window, packets.
    """

    name: ClassVar[str] = "aurora"
    features: ClassVar[tuple[str, ...]] = ("latency_gradient", "latency_ratio", "send_ratio")
    low: ClassVar = (-1.0, 0.0, 0.0)
    high: ClassVar = (10.0, 10_000.0, 1_000.0)

    def __init__(
        self,
        *,
        history: int = 10,
        alpha: float = 0.025,
        scale: float = 1.0,
        interval_rtts: float = 1.0,
        bounds: tuple[float, float] = (4.0, 1e6),
        action_bound: float = 40.0,
        steers: Literal["rate", "window"] = "rate",
        first: tuple[float, float] | None = None,
    ) -> None:
        if steers not in ("rate", "window"):
            raise ValueError(f'steers = {steers!r}: expected "rate" or "window"')
        if history < 1:
            raise ValueError(f"history = {history}: expected at least 1 interval")
        if not 0 < bounds[0] <= bounds[1] < np.inf:
            raise ValueError(f"bounds = {bounds}: expected two positive numbers, the lower one first")
        for what, value in (("alpha", alpha), ("interval_rtts", interval_rtts), ("action_bound", action_bound)):
            if not 0 < value < np.inf:
                raise ValueError(f"{what} = {value}: expected a positive number")
        self.history, self.alpha, self.scale, self.interval_rtts = history, alpha, scale, interval_rtts
        self.bounds, self.steers = bounds, steers
        self.first = first or ((0.3, 1.5) if steers == "rate" else (25.0, 25.0))
        if not 0 < self.first[0] <= self.first[1] < np.inf:
            raise ValueError(f"first = {first}: expected two positive numbers, the lower one first")
        self.action_low, self.action_high = -action_bound, action_bound
        #: before the first interval nothing had changed
        self.padding = (0.0, 1.0, 1.0)
        #: packets of an interval that its throughput is without
        self.uncounted = 0

    def prepare(self, count: int) -> None:
        """Make room for `count` environments."""
        self._value, self._interval_s, self._least_s = np.ones(count), np.ones(count), np.full(count, np.inf)
        self._warm = np.zeros(count, np.int64)
        self._unset = np.full(count, np.nan)

    def start(self, place: int, random: np.random.Generator, capacity_packets_per_s: float) -> Start:
        """A rate, or a window, within its bounds."""
        drawn = random.uniform(*self.first) * (capacity_packets_per_s if self.steers == "rate" else 1.0)
        value = float(np.clip(drawn, *self.bounds))
        self._value[place], self._warm[place], self._least_s[place] = value, 0, np.inf
        return Start(NO_WINDOW, value) if self.steers == "rate" else Start(value)

    def connected(self, place: int, rtt_s: float) -> None:
        """The first intervals are as long as the handshake says."""
        self._interval_s[place] = FIRST_INTERVAL_RTTS * (rtt_s or UNKNOWN_RTT_S)

    def warm_up(self, rows: Rows | None, which: Mask) -> tuple[Steps, Mask]:
        """Two intervals at the first rate."""
        waits = which & (self._warm < WARM_UP)
        self._warm[waits] += 1
        return Steps(self._unset, self._unset, np.where(waits, self._interval_s, np.nan)), waits

    def steer(self, actions: Array, which: Mask) -> Steps:
        """Multiply or divide the rate, or the window."""
        change = self.alpha * actions
        changed = np.where(change >= 0, self._value * (1 + change), self._value / (1 - np.minimum(change, 0)))
        self._value = np.where(which, np.clip(changed, *self.bounds), self._value)
        value, interval_s = np.where(which, self._value, np.nan), np.where(which, self._interval_s, np.nan)
        return Steps(self._unset, value, interval_s) if self.steers == "rate" else Steps(value, self._unset, interval_s)

    def observe(self, rows: Rows, which: Mask) -> tuple[Array, Array]:
        """Latency gradient, latency ratio and send ratio; the reward."""
        latency_s = rows.rtt_mean_s
        knows = which & (latency_s > 0)
        self._least_s = np.where(knows, np.minimum(self._least_s, latency_s), self._least_s)
        self._interval_s = np.where(knows, self.interval_rtts * latency_s, self._interval_s)
        # Half of one sample is none.
        increase_s = np.where(rows.rtt_samples >= 2, rows.rtt_second_half_s - rows.rtt_first_half_s, 0.0)
        received = np.maximum(rows.delivered - self.uncounted, 0)
        features = np.stack(
            [
                ratio(increase_s, rows.interval_s, 0.0),
                latency_s / self._least_s,
                np.where(rows.sent < 1000 * received, ratio(rows.sent, received, 1.0), 1.0),
            ],
            axis=1,
        )
        throughput = ratio(received, rows.interval_s, 0.0)
        loss = ratio(rows.lost, rows.lost + rows.delivered, 0.0)
        return features, self.scale * (10 * throughput - 1000 * latency_s - 2000 * loss)


class PccRl(Aurora):
    """Aurora as its published code has it: what differs from the paper, or is not in it.

    The reward is multiplied by 0.001, an interval lasts half a mean RTT, rates are from 40 to 1000 packets/s and
    windows from 4 to 5000, actions are up to 1e12 in size, and the throughput of an interval, in features and reward,
    is without one of its packets.
    """

    name: ClassVar[str] = "pcc_rl"

    def __init__(
        self,
        *,
        history: int = 10,
        alpha: float = 0.025,
        steers: Literal["rate", "window"] = "rate",
        first: tuple[float, float] | None = None,
    ) -> None:
        super().__init__(
            history=history,
            alpha=alpha,
            scale=0.001,
            interval_rtts=0.5,
            bounds=(40.0, 1000.0) if steers == "rate" else (4.0, 5000.0),
            action_bound=1e12,
            steers=steers,
            first=first,
        )
        self.uncounted = 1
