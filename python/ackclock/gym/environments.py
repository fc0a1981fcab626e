"""The environments as Gymnasium has them: one, and many in lock step."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ackclock.gym.aurora import Aurora, PccRl
from ackclock.gym.lockstep import Lockstep
from ackclock.gym.orca import Orca
from ackclock.gym.ranges import Range
from ackclock.gym.task import Mask, Task
from ackclock.scenario import Scenario
from ackclock.scenario.errors import nearest

#: tasks by name
TASKS: dict[str, type[Task]] = {task.name: task for task in (Aurora, PccRl, Orca)}

Observations = NDArray[np.float32]


def make_task(task: str | Task) -> Task:
    """A task by its name (`aurora`, `pcc_rl`, `orca`), or a copy of the task. `ValueError` for an unknown name."""
    if isinstance(task, Task):
        return copy.deepcopy(task)  # it keeps what it needs for each environment
    if task not in TASKS:
        near = nearest(task, TASKS)
        hint = f"; nearest known: {near}" if near else ""
        raise ValueError(f"task = {task!r}: expected a Task, or one of {', '.join(TASKS)}{hint}")
    return TASKS[task]()


def _spaces(lockstep: Lockstep) -> tuple[gymnasium.Space[Any], gymnasium.Space[Any]]:
    low, high = lockstep.bounds
    task = lockstep.task
    return Box(low, high, dtype=np.float32), Box(task.action_low, task.action_high, (1,), np.float32)


class CongestionEnv(gymnasium.Env[Observations, Observations]):
    """A flow whose congestion control is the agent, in a simulated network. One decision per monitor interval.

    - `task`: `aurora`, `pcc_rl`, `orca`, or a `Task`, which is copied: what is observed, set and rewarded.
    - `scenario`: the network; by default one link, with the `ranges` that Aurora was trained on.
    - `flow`: the name of the agent's flow, which is of today's TCP.
    - `ranges`: what is drawn for each episode, by the scenario's keys (`topology.link.rate`); nothing by default if
      there is a `scenario`.
    - `max_steps`: decisions in an episode.

    `reset(options={"topology.link.rate": "10 Mb/s"})` sets keys of this episode's scenario. An episode is truncated
    after `max_steps` decisions or at the scenario's end, and terminated when all data of a finite flow is acknowledged.
    A step before a reset, or after the end, raises `gymnasium.error.ResetNeeded`. An action that is not a number within
    its bounds raises `ValueError`, a key that the scenario does not have `ScenarioError`.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012, as the base class has it

    def __init__(
        self,
        task: str | Task = "aurora",
        *,
        scenario: Scenario | None = None,
        flow: str = "agent",
        ranges: Mapping[str, Range] | None = None,
        max_steps: int = 400,
        render_mode: None = None,
    ) -> None:
        if render_mode is not None:
            raise ValueError(f"render_mode = {render_mode!r}: expected None; there is nothing to see")
        self._all = np.ones(1, np.bool_)
        self._lockstep = Lockstep(make_task(task), 1, scenario, flow, ranges, max_steps)
        self.observation_space, self.action_space = _spaces(self._lockstep)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin an episode. `options` has values of the scenario's keys for it."""
        super().reset(seed=seed)
        self._lockstep.running[:] = False
        self._lockstep.reset(self._all, [self.np_random], options)
        return self._lockstep.observations()[0], self._infos()

    def step(self, action: Any) -> tuple[Observations, float, bool, bool, dict[str, Any]]:
        """Set the rate or the window, and run for an interval: observation, reward, terminated, truncated, info."""
        if not self._lockstep.running[0]:
            raise ResetNeeded("no episode goes on: it is over, or none was begun; call reset first")
        actions = self._lockstep.checked(np.reshape(action, -1))
        rewards, terminated, truncated = self._lockstep.step(actions, self._all)
        observation = self._lockstep.observations()[0]
        return observation, float(rewards[0]), bool(terminated[0]), bool(truncated[0]), self._infos()

    def _infos(self) -> dict[str, Any]:
        return {name: float(values[0]) for name, values in self._lockstep.infos().items()}


class CongestionVectorEnv(VectorEnv[Observations, Observations, NDArray[Any]]):
    """`num_envs` environments in one process and one thread; a step is one call of the engine for all of them.

    Arguments are those of `CongestionEnv`. Environment i of `reset(seed=s)` is the environment of `reset(seed=s + i)`.
    An episode that is over begins again by the next step, which ignores its action and gives the reward 0
    (`AutoresetMode.NEXT_STEP`). `options` of a reset count for the episodes that it begins, not for those after them.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        task: str | Task = "aurora",
        num_envs: int = 1,
        *,
        scenario: Scenario | None = None,
        flow: str = "agent",
        ranges: Mapping[str, Range] | None = None,
        max_steps: int = 400,
        render_mode: None = None,
    ) -> None:
        if render_mode is not None:
            raise ValueError(f"render_mode = {render_mode!r}: expected None; there is nothing to see")
        if not isinstance(num_envs, int) or num_envs < 1:
            raise ValueError(f"num_envs = {num_envs}: expected a whole number, at least 1")
        self.num_envs = num_envs
        self._lockstep = Lockstep(make_task(task), num_envs, scenario, flow, ranges, max_steps)
        self.single_observation_space, self.single_action_space = _spaces(self._lockstep)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._all: Mask = np.ones(num_envs, np.bool_)
        self._randoms: list[np.random.Generator] = []

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin an episode in each environment. `seed` is the first one's, or there is one for each."""
        seeds: list[int | None]
        if seed is None or isinstance(seed, (int, np.integer)):
            seeds = [None if seed is None else int(seed) + place for place in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds: expected {self.num_envs}, one for each environment")
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
        if not self._randoms:
            self._randoms = [seeding.np_random(one)[0] for one in seeds]
        else:
            for place, one in enumerate(seeds):
                if one is not None:
                    self._randoms[place] = seeding.np_random(one)[0]
        self._lockstep.running[:] = False
        self._lockstep.reset(self._all, self._randoms, options)
        return self._lockstep.observations(), self._infos()

    def step(self, actions: Any) -> tuple[Observations, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Decide in each environment, and move all to their next decisions."""
        if not self._randoms:
            raise ResetNeeded("no episode was begun; call reset first")
        values = self._lockstep.checked(actions)
        going = self._lockstep.running.copy()
        rewards, terminated, truncated = self._lockstep.step(values, going)
        if not going.all():
            self._lockstep.reset(~going, self._randoms, None)
        return self._lockstep.observations(), rewards, terminated, truncated, self._infos()

    def _infos(self) -> dict[str, Any]:
        infos: dict[str, Any] = dict(self._lockstep.infos())
        # Gymnasium's form: beside each key, which environments have it.
        return infos | {f"_{name}": self._all.copy() for name in infos}
