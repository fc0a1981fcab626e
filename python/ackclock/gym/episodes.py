"""The networks of episodes: a scenario with values drawn for it, and the runs of it in lock step."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from ackclock._native import Agent, Simulation, SteeredRuns
from ackclock.gym.ranges import Range
from ackclock.gym.task import Array, Rows, Start, Steps, Task
from ackclock.scenario import Chain, Flow, Link, Loss, Queue, Record, Reverse, Scenario, ScenarioError
from ackclock.scenario.errors import nearest
from ackclock.scenario.formats.read import put
from ackclock.scenario.resolve.network import Network, resolve
from ackclock.scenario.resolve.view import ResolvedFlow

#: seeds of episodes, which a column of signed numbers holds
SEEDS = 2**63


def link_scenario(*, rate: str = "10 Mb/s", delay: str = "20 ms", queue: str = "100 packets") -> Scenario:
    """One flow, `agent`, of today's TCP over one link, as in PCC-RL: losses are of data only, ACKs do not wait.

    `rate` is that of the link, `delay` its delay in each direction, `queue` the limit of its drop-tail queue. The
    control that Orca's agent decides beside is CUBIC as in Linux: it continues from a window that is set. CUBIC of RFC
    9438 would go back to its own estimate.
    """
    return Scenario(
        topology=Chain(
            nodes=2,
            link=Link(
                rate=rate,
                delay=delay,
                queue=Queue(limit=queue),
                loss=[Loss(kind="uniform", rate=0.0)],
                reverse=Reverse(loss=[], queue=Queue(limit="10000 packets")),
            ),
        ),
        flows=[Flow(name="agent", source="node1", destination="node2", tcp="linux_cubic", window="10000 packets")],
        duration="60 min",
        defaults="linux",
        record=Record(sample="0 s"),
    )


class Episodes:
    """Runs of a `scenario` in lock step, `count` of them, with values of its keys drawn from `ranges`.

    The flow named `flow` is the one that the `task` decides about. `ScenarioError` for a flow that there is not, or
    that is not of today's TCP, and for keys and values that do not fit the scenario.
    """

    def __init__(self, task: Task, scenario: Scenario, flow: str, ranges: Mapping[str, Range], count: int) -> None:
        self.task, self.flow, self.ranges = task, flow, dict(ranges)
        for key, one in self.ranges.items():
            if not isinstance(one, Range):
                raise ScenarioError("expected an ackclock.gym.Range", key=f"ranges.{key}", value=one)
        self._table = scenario.table()
        self._parts = {field.name: getattr(scenario, field.name) for field in fields(scenario)}
        self._runs = SteeredRuns(count)
        self._shape = (count, len(Rows.names))
        # A wrong key or value is named before anything runs: both ends of each range.
        for end in ("low", "high"):
            values = {key: getattr(one, end) for key, one in self.ranges.items()}
            self._numbered(resolve(self.scenario(values, 0)))

    def scenario(self, values: Mapping[str, Any], seed: int) -> Scenario:
        """The scenario with these `values` of keys (`topology.link.rate`), under a `seed`."""
        changed = {key.split(".")[0] for key in values}
        # What is not changed has been checked already.
        table = {
            name: copy.copy(self._table[name]) if name in changed and name in self._table else part
            for name, part in self._parts.items()
        }
        for key, value in values.items():
            put(table, key, value)
        table["seed"] = seed
        return Scenario.of({name: part for name, part in table.items() if part is not None})

    def begin(self, place: int, random: np.random.Generator, given: Mapping[str, Any]) -> float | None:
        """Begin an episode in a place, with the values `given` in place of drawn ones.

        The round-trip time of its handshake, s; `None` if the scenario ends before it.
        """
        # All are drawn in any case, so that a value that is given does not change the others.
        drawn = {key: one.draw(random) for key, one in self.ranges.items()}
        seed = int(random.integers(SEEDS))
        scenario = self.scenario({**drawn, **given}, seed)
        network = resolve(scenario)
        number = self._numbered(network)
        start = self.task.start(place, random, _capacity(network, number))
        engine = Simulation()
        sender = engine.agent(network.native.build(engine, tables=False)[number])
        self._put(place, sender, network.flows[number], start)
        return self._runs.connect(place)

    def step(self, steps: Steps) -> Rows:
        """Set windows and rates, and move each run by its interval."""
        moved = self._runs.step(*(values.astype(np.float64).tobytes() for values in steps))
        table: Array = np.frombuffer(moved).reshape(self._shape)
        return Rows(table)

    def _put(self, place: int, sender: Agent, flow: ResolvedFlow, start: Start) -> None:
        size = None if flow.packets is None else flow.packets * int(flow.parameters["segsize"])
        self._runs.put(place, sender, start.cwnd_packets, start.pacing_packets_per_s, size)

    def _numbered(self, network: Network) -> int:
        names = [flow.name for flow in network.flows]
        if self.flow not in names:
            expected = f"expected the name of a flow of the scenario: {', '.join(names[:20])}"
            raise ScenarioError(expected, key="flow", value=self.flow, nearest=nearest(self.flow, names))
        number = names.index(self.flow)
        if network.flows[number].sender != "tcp":
            expected = f'only today\'s TCP can be decided about, such as tcp = "cubic"; {self.flow} has another sender'
            raise ScenarioError(expected, key="flow", value=network.flows[number].sender)
        if network.flows[number].own is not None:
            raise ScenarioError("the flow has a control of your own already", key="flow", value=self.flow)
        return number


def _capacity(network: Network, number: int) -> float:
    """The capacity of the slowest link, in packets/s of the flow's size."""
    slowest_bps = min(link.rate_bps for link in network.links)
    return slowest_bps / 8 / network.flows[number].wire_bytes
