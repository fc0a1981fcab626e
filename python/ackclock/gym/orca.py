"""Orca: S. Abbasloo, C.-Y. Yen, H. J. Chao, "Classic Meets Modern: A Pragmatic Learning-Based Congestion Control for
the Internet", SIGCOMM 2020; details are those of its published code (github.com/Soheil-ab/Orca at 77bedfb,
rl-module/envwrapper.py and src/orca-server-mahimahi.cc).

TCP's own control, CUBIC in Orca, goes on for each ACK. Once per monitor interval the agent multiplies the window that
the control has left, and the control continues from there.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ackclock.gym.task import Array, Mask, Rows, Start, Steps, Task, ratio

#: a delay up to this multiple of the min RTT counts as none (`delay_margin_coef`)
DELAY_MARGIN = 1.25
#: what a lost byte counts for, in delivered ones
LOSS_WEIGHT = 5.0
#: the smallest window, packets (`MIN_CWND`)
MIN_CWND = 4.0
#: what the window is multiplied by in an interval of the first slow start
SLOW_START_GAIN = 1.1
#: the first slow start is waited for at most so long, s: a queue may be too long for it ever to end
SLOW_START_S = 10.0


class Orca(Task):
    """The state, action and reward of Orca.

    - Observation: of the last `history` monitor intervals, oldest first: throughput, pacing rate (at most 10) and 5
      times the loss rate, all over the maximum throughput so far; RTT samples over the window; the interval in s; min
      RTT over smoothed RTT; and the delay metric, min(1, 1.25 min RTT / smoothed RTT).
    - Action: one number a from -1 to 1. The window is multiplied by 4**a, so by 2**alpha with alpha from -2 to 2.
    - Reward: (throughput - 5 loss rate) / maximum throughput, times the delay metric.
    - `interval_s`: the length of an interval.

    Agents are asked after the first slow start, which Orca lets grow by a tenth more in each interval.
    """

    name: ClassVar[str] = "orca"
    features: ClassVar[tuple[str, ...]] = (
        "throughput_ratio", "pacing_ratio", "loss_ratio", "samples_per_window", "interval_s", "min_rtt_ratio",
        "delay_metric",
    )  # fmt: skip
    low: ClassVar = (0.0,) * 7
    high: ClassVar = (1.0, 10.0, 1e6, 1e6, 1e6, 1.0, 1.0)

    def __init__(self, *, history: int = 10, interval_s: float = 0.02) -> None:
        if history < 1:
            raise ValueError(f"history = {history}: expected at least 1 interval")
        if not 0 < interval_s < np.inf:
            raise ValueError(f"interval_s = {interval_s}: expected a positive number")
        self.history, self.interval_s = history, interval_s
        self.action_low, self.action_high = -1.0, 1.0
        self.padding = (0.0,) * 7

    def prepare(self, count: int) -> None:
        """Make room for `count` environments."""
        self._highest, self._cwnd, self._began_s = np.zeros(count), np.zeros(count), np.full(count, np.nan)
        self._unset = np.full(count, np.nan)

    def start(self, place: int, random: np.random.Generator, capacity_packets_per_s: float) -> Start:
        """The control that the scenario names."""
        self._highest[place], self._cwnd[place], self._began_s[place] = 0.0, np.nan, np.nan
        return Start()

    def connected(self, place: int, rtt_s: float) -> None:
        """Nothing depends on the handshake."""

    def warm_up(self, rows: Rows | None, which: Mask) -> tuple[Steps, Mask]:
        """Slow start, until the control has left it."""
        if rows is None:
            return Steps(self._unset, self._unset, self._intervals(which)), which
        self._began_s = np.where(which & np.isnan(self._began_s), rows.time_s, self._began_s)
        waits = which & (rows.cwnd <= rows.ssthresh) & (rows.time_s < self._began_s + SLOW_START_S)
        self._cwnd = np.where(which, rows.cwnd, self._cwnd)
        grown = np.where(waits & (rows.srtt_s > 0), SLOW_START_GAIN * rows.cwnd, np.nan)
        return Steps(grown, self._unset, self._intervals(waits)), waits

    def steer(self, actions: Array, which: Mask) -> Steps:
        """Multiply the window."""
        cwnd = np.maximum(self._cwnd * 4.0**actions, MIN_CWND)
        # What does not change the window leaves its fraction alone, too.
        cwnd = np.where(which & (actions != 0), cwnd, np.nan)
        return Steps(cwnd, self._unset, self._intervals(which))

    def observe(self, rows: Rows, which: Mask) -> tuple[Array, Array]:
        """The seven features; the reward."""
        throughput = ratio(rows.delivered, rows.interval_s, 0.0)
        loss = LOSS_WEIGHT * ratio(rows.lost, rows.interval_s, 0.0)
        self._highest = np.where(which, np.maximum(self._highest, throughput), self._highest)
        self._cwnd = np.where(which, rows.cwnd, self._cwnd)
        min_rtt_ratio = np.where(rows.srtt_s > 0, ratio(rows.min_rtt_s, rows.srtt_s, 0.0), 0.0)
        delay_metric = np.where(rows.srtt_s > 0, np.minimum(1.0, DELAY_MARGIN * min_rtt_ratio), 1.0)
        features = np.stack(
            [
                ratio(throughput, self._highest, 0.0),
                np.where(self._highest > 0, np.minimum(ratio(rows.pacing_per_s, self._highest, 0.0), 10.0), 0.0),
                ratio(loss, self._highest, 0.0),
                ratio(rows.rtt_samples, rows.cwnd, 0.0),
                rows.interval_s,
                min_rtt_ratio,
                delay_metric,
            ],
            axis=1,
        )
        return features, ratio(throughput - loss, self._highest, 0.0) * delay_metric

    def _intervals(self, which: Mask) -> Array:
        return np.where(which, self.interval_s, np.nan)
