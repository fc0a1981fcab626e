"""Environments for learning congestion controls, by Gymnasium's interface. Needs the extra `gym` (gymnasium).

    import gymnasium
    import ackclock.gym

    envs = gymnasium.make_vec("ackclock/Aurora-v0", num_envs=64)
    observations, infos = envs.reset(seed=1)
    observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())

`task` is what an agent observes, sets and is rewarded for; `aurora` and `orca` have the published ones. `episodes`
makes networks of a scenario, `lockstep` moves many of them at once, `environments` is what Gymnasium sees.
"""

from __future__ import annotations

try:
    import gymnasium
except ModuleNotFoundError as error:
    if error.name != "gymnasium":
        raise
    raise ImportError("ackclock.gym needs gymnasium: pip install 'ackclock[gym]'", name="gymnasium") from None

from ackclock.gym.aurora import Aurora, PccRl
from ackclock.gym.environments import CongestionEnv, CongestionVectorEnv, make_task
from ackclock.gym.episodes import link_scenario
from ackclock.gym.orca import Orca
from ackclock.gym.ranges import AURORA_RANGES, Range
from ackclock.gym.task import Rows, Start, Steps, Task

for _name, _task in (("Aurora", "aurora"), ("PccRl", "pcc_rl"), ("Orca", "orca")):
    gymnasium.register(
        f"ackclock/{_name}-v0",
        entry_point="ackclock.gym.environments:CongestionEnv",
        vector_entry_point="ackclock.gym.environments:CongestionVectorEnv",
        kwargs={"task": _task},
    )

__all__ = [
    "AURORA_RANGES",
    "Aurora",
    "CongestionEnv",
    "CongestionVectorEnv",
    "Orca",
    "PccRl",
    "Range",
    "Rows",
    "Start",
    "Steps",
    "Task",
    "link_scenario",
    "make_task",
]
