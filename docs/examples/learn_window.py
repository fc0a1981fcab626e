"""Learn a congestion window by CMA-ES: a linear policy on Aurora's features, beside the best constant window.

    python docs/examples/learn_window.py [--generations 60] [--plot learning.png]

CMA-ES is a direct search: it draws weights of the policy, lets each set of weights decide in the same networks, and
moves towards the better ones. It needs no gradients, so neither PyTorch nor TensorFlow, which deep policies need.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import cma  # type: ignore[import-untyped]
import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from ackclock.gym import Aurora, CongestionVectorEnv, Range, link_scenario

#: sets of weights in a generation, and networks in which each decides
CANDIDATES, NETWORKS = 12, 16
#: decisions in an episode
DECISIONS = 100
#: constant windows, packets, of which the best is what is to be beaten
WINDOWS = (5, 10, 15, 20, 30, 40, 60, 80, 120, 160)
#: networks of 2 to 100 packets in the pipe: Aurora's rates and losses, shorter delays and queues
RANGES = {
    "topology.link.rate": Range("1.2 Mb/s", "6 Mb/s"),
    "topology.link.delay": Range("10 ms", "100 ms"),
    "topology.link.queue.limit": Range("5 packets", "200 packets", log=True),
    "topology.link.loss.0.rate": Range(0.0, 0.05),
}
#: seeds of the networks that nothing was learned on
UNSEEN = 1_000_000

Numbers = NDArray[np.float64]


def make(count: int, window: float = 10.0) -> CongestionVectorEnv:
    """Environments whose agent sets the window; it begins at `window` packets."""
    task = Aurora(steers="window", first=(window, window), bounds=(4, 1000))
    return CongestionVectorEnv(task, count, scenario=link_scenario(), ranges=RANGES, max_steps=DECISIONS)


def inputs(observations: NDArray[np.float32]) -> Numbers:
    """Latency gradient, latency ratio and send ratio: of the last interval, of the mean of all ten; and a constant."""
    history = observations.reshape(len(observations), -1, 3).astype(np.float64)
    history[..., 0] = np.clip(history[..., 0], -1, 1)
    history[..., 1:] = np.log(np.clip(history[..., 1:], 0.5, 20))
    return np.concatenate([history[:, -1], history.mean(axis=1), np.ones((len(history), 1))], axis=1)


def rewards(envs: CongestionVectorEnv, seeds: Sequence[int], weights: Numbers | None) -> Numbers:
    """The mean reward per decision in each environment; `weights` has a row for each. `None` keeps the window."""
    total = np.zeros(envs.num_envs)
    observations, _ = envs.reset(seed=list(seeds))
    for _ in range(DECISIONS):
        actions = np.zeros(envs.num_envs)
        if weights is not None:
            actions = np.clip(10 * (inputs(observations) * weights).sum(axis=1), -40, 40)
        observations, got, _, _, _ = envs.step(actions[:, None])
        total += got
    return total / DECISIONS


def learn(generations: int) -> tuple[list[tuple[float, float]], float, Numbers]:
    """Decisions so far and reward in unseen networks, by generation; the best constant window's; the weights."""
    unseen = range(UNSEEN, UNSEEN + 64)
    constants = {window: float(rewards(make(64, window), unseen, None).mean()) for window in WINDOWS}
    best = max(constants, key=constants.__getitem__)
    print(f"the best constant window: {best} packets, reward {constants[best]:.0f}")
    envs, test = make(CANDIDATES * NETWORKS), make(64)
    strategy = cma.CMAEvolutionStrategy(np.zeros(7), 0.5, {"seed": 1, "popsize": CANDIDATES, "verbose": -9})
    course: list[tuple[float, float]] = []
    began_s = time.process_time()
    for generation in range(generations + 1):
        mean = np.tile(strategy.mean, (64, 1))
        course.append((generation * CANDIDATES * NETWORKS * DECISIONS, float(rewards(test, unseen, mean).mean())))
        if generation % 10 == 0:
            spent_s = time.process_time() - began_s
            print(f"{course[-1][0]:>9,} decisions, {spent_s:4.0f} s: reward {course[-1][1]:.0f}")
        # All candidates of a generation decide in the same networks.
        seeds = [generation * NETWORKS + network for _ in range(CANDIDATES) for network in range(NETWORKS)]
        candidates = strategy.ask()
        found = rewards(envs, seeds, np.repeat(candidates, NETWORKS, axis=0))
        strategy.tell(candidates, (-found.reshape(CANDIDATES, NETWORKS).mean(axis=1)).tolist())
    return course, constants[best], np.asarray(strategy.mean)


def plot(course: list[tuple[float, float]], constant: float, file: str) -> None:
    """The learning curve."""
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    axes.plot(*np.transpose(course), color="C0", label="linear policy, learned by CMA-ES")
    axes.axhline(constant, color="0.4", linestyle="--", label="best constant window")
    axes.set(xlabel="decisions", ylabel="mean reward in 64 unseen networks")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1e6:g} M" if value else "0")
    axes.grid(color="0.9")
    axes.legend(loc="lower right", frameon=False)
    figure.savefig(file, dpi=120)


def main() -> None:
    """Learn, print the course, and draw it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generations", type=int, default=60)
    parser.add_argument("--plot", metavar="FILE")
    options = parser.parse_args()
    course, constant, weights = learn(options.generations)
    print(f"weights: {np.round(weights, 2).tolist()}")
    if options.plot:
        plot(course, constant, options.plot)


if __name__ == "__main__":
    main()
