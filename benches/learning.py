"""Time the learning environments: decisions per second of one core.

    python benches/learning.py [--rounds N] [--write]

Each row is a vector environment over one link of 10 Mb/s and 20 ms each way, so that the RTT is 40 ms and an interval
of an RTT is 33 packets. The time is processor time of the process in the fastest round: what else runs only slows it.
Resets are not in it, and have a column of their own. `--write` puts the table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import page
from run import machine

from ackclock.gym import Aurora, CongestionVectorEnv, Orca, PccRl, Task, link_scenario

#: decisions of each environment in a round
DECISIONS = 100


class Workload(NamedTuple):
    """A task, and what its row says of it."""

    about: str
    make: Callable[[], Task]
    environments: int


WORKLOADS = (
    Workload("Aurora at 0.9 of the link's rate, intervals of an RTT", lambda: Aurora(first=(0.9, 0.9)), 128),
    Workload("the same, 16 environments", lambda: Aurora(first=(0.9, 0.9)), 16),
    Workload("the same, one environment", lambda: Aurora(first=(0.9, 0.9)), 1),
    Workload("PCC-RL at 0.9 of the link's rate, intervals of half an RTT", lambda: PccRl(first=(0.9, 0.9)), 128),
    Workload("Orca beside CUBIC, intervals of 20 ms", Orca, 128),
    Workload("Aurora at 0.3 to 1.5 of the link's rate: full queues, losses", Aurora, 128),
)


class Timed(NamedTuple):
    """Seconds of processor time, and packets."""

    reset_s: float
    step_s: float
    packets: float


def timed(workload: Workload) -> Timed:
    """One round of a workload."""
    envs = CongestionVectorEnv(
        workload.make(), workload.environments, scenario=link_scenario(), max_steps=10 * DECISIONS
    )
    actions = np.zeros((workload.environments, 1))
    began_s = time.process_time()
    envs.reset(seed=1)
    reset_s = (time.process_time() - began_s) / workload.environments
    for _ in range(20):
        _, _, _, _, infos = envs.step(actions)
    packets, before_s = 0.0, infos["time_s"]
    began_s = time.process_time()
    for _ in range(DECISIONS):
        _, _, _, _, infos = envs.step(actions)
        packets += float((infos["throughput_packets_per_s"] * (infos["time_s"] - before_s)).mean())
        before_s = infos["time_s"]
    return Timed(reset_s, time.process_time() - began_s, packets / DECISIONS)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    lines = [
        f"{machine()}; the fastest of {options.rounds} rounds, {time.strftime('%Y-%m-%d')}",
        "",
        "| | environments | packets a decision | decisions a second | us a decision | ms a reset |",
        "|---|---|---|---|---|---|",
    ]
    for workload in WORKLOADS:
        rounds = [timed(workload) for _ in range(options.rounds)]
        step_s = min(one.step_s for one in rounds) / workload.environments / DECISIONS
        reset_s = min(one.reset_s for one in rounds)
        lines.append(
            f"| {workload.about} | {workload.environments} | {rounds[0].packets:.0f} | **{1 / step_s:,.0f}** "
            f"| {step_s * 1e6:.1f} | {reset_s * 1e3:.2f} |"
        )
        print(lines[-1], flush=True)
    if options.write:
        page.put("learning", "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
