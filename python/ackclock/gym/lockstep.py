"""Many environments at once, as arrays: what the Gymnasium environment and the vector environment share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ackclock.gym.episodes import Episodes, link_scenario
from ackclock.gym.ranges import AURORA_RANGES, Range
from ackclock.gym.task import Array, Mask, Rows, Task
from ackclock.scenario import Scenario

#: keys of the infos: of the last interval, or at its end
INFOS = ("time_s", "throughput_packets_per_s", "latency_s", "loss", "window_packets", "rate_packets_per_s")


class Lockstep:
    """`count` environments of a `task`, which move together.

    - `scenario`: the network; by default `link_scenario()`, with `ranges` those that Aurora was trained on.
    - `flow`: the name of the agent's flow.
    - `ranges`: what is drawn for each episode, by the scenario's keys.
    - `max_steps`: decisions in an episode.
    """

    def __init__(
        self,
        task: Task,
        count: int,
        scenario: Scenario | None,
        flow: str,
        ranges: Mapping[str, Range] | None,
        max_steps: int,
    ) -> None:
        if not isinstance(max_steps, int) or max_steps < 1:
            raise ValueError(f"max_steps = {max_steps}: expected a whole number, at least 1")
        if ranges is None:
            ranges = AURORA_RANGES if scenario is None else {}
        task.prepare(count)
        self.task, self.count, self.max_steps = task, count, max_steps
        self.episodes = Episodes(task, scenario or link_scenario(), flow, ranges, count)
        self._history = np.zeros((count, task.history, len(task.features)))
        self._steps = np.zeros(count, np.int64)
        #: episodes that go on: neither over nor still to begin
        self.running = np.zeros(count, np.bool_)
        self._infos = {name: np.zeros(count) for name in INFOS}

    @property
    def bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The lowest and the highest observation."""
        low, high = (np.tile(np.array(one, np.float32), self.task.history) for one in (self.task.low, self.task.high))
        return low, high

    def reset(self, which: Mask, randoms: Sequence[np.random.Generator], options: Mapping[str, Any] | None) -> None:
        """Begin episodes, with their own random numbers. `options` has values of the scenario's keys."""
        for place in np.flatnonzero(which).tolist():
            rtt_s = self.episodes.begin(place, randoms[place], options or {})
            if rtt_s is None:
                raise ValueError("the scenario ends before the agent's flow is connected; expected a longer duration")
            self.task.connected(place, rtt_s)
        self._history[which] = np.array(self.task.padding)
        self._steps[which] = 0
        steps, waits = self.task.warm_up(None, which)
        while waits.any():
            rows = self.episodes.step(steps)
            if (rows.ending[waits] > 0).any():
                raise ValueError("the agent's flow ends before its first decision; expected a longer one")
            self._note(rows, waits)
            steps, waits = self.task.warm_up(rows, waits)
        self.running = self.running | which

    def step(self, actions: Array, which: Mask) -> tuple[Array, Mask, Mask]:
        """Decide, and move to the next decisions: the rewards, and which episodes are terminated or truncated."""
        rows = self.episodes.step(self.task.steer(actions, which))
        features, rewards = self.task.observe(rows, which)
        self._history[which, :-1] = self._history[which, 1:]
        self._history[which, -1] = np.clip(features[which], self.task.low, self.task.high)
        self._note(rows, which)
        self._steps[which] += 1
        terminated = which & (rows.ending == 2)
        truncated = which & ~terminated & ((rows.ending == 1) | (self._steps >= self.max_steps))
        self.running = self.running & ~(terminated | truncated)
        return np.where(which, rewards, 0.0), terminated, truncated

    def observations(self) -> NDArray[np.float32]:
        """The histories, a row for each environment."""
        return self._history.reshape(self.count, -1).astype(np.float32)

    def infos(self) -> dict[str, Array]:
        """What the last interval was, by name, a number for each environment."""
        return {name: values.copy() for name, values in self._infos.items()}

    def checked(self, actions: Any) -> Array:
        """Actions as numbers, one for each environment. `ValueError` for those that are none, or out of bounds."""
        try:
            values = np.asarray(actions, np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"actions = {actions!r}: expected {self.count} numbers") from None
        if values.size != self.count or values.shape not in ((self.count, 1), (self.count,)):
            raise ValueError(f"actions of shape {values.shape}: expected ({self.count}, 1)")
        values = values.reshape(self.count)
        # Spaces have numbers of 4 bytes.
        low, high = np.float32(self.task.action_low), np.float32(self.task.action_high)
        wrong = np.flatnonzero(~((values >= low) & (values <= high)))
        if len(wrong):
            place = int(wrong[0])
            name = "the action" if self.count == 1 else f"the action of environment {place}"
            expected = f"expected a number from {self.task.action_low:g} to {self.task.action_high:g}"
            raise ValueError(f"{name} is {values[place]}: {expected}")
        return values

    def _note(self, rows: Rows, which: Mask) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (
                rows.time_s,
                rows.delivered / rows.interval_s,
                rows.rtt_mean_s,
                rows.lost / np.maximum(rows.lost + rows.delivered, 1),
                rows.cwnd,
                rows.pacing_per_s,
            )
        for name, values in zip(INFOS, found, strict=True):
            np.copyto(self._infos[name], values, where=which)
