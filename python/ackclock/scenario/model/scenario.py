"""The whole description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ackclock.scenario.errors import ScenarioError, choose
from ackclock.scenario.model.seed import Seed
from ackclock.scenario.model.topology import Chain, Dumbbell, Graph, ParkingLot, Star
from ackclock.scenario.model.traffic import Flow
from ackclock.scenario.model.typed import Described, Rate, Time
from ackclock.scenario.units import time_s

DEFAULT_SETS = ("ns2_35", "ns2_29", "rfc", "linux", "ns3_25")
ROUTINGS = ("static", "session")


@dataclass(frozen=True, kw_only=True)
class Change(Described):
    """A change of a link at a given time: its rate, its delay, its cost, or whether it is up.

    `at` is the time; `link` is `a->b`, one direction, or `a-b`, both. `rate`, `delay`, `cost` and `up` are the new
    values. A link that goes down loses its queue, the packets on the wire, and all arrivals.
    """

    at: Time
    link: str
    rate: Rate | None = None
    delay: Time | None = None
    cost: float | None = None
    up: bool | None = None

    def check(self) -> None:
        """`ScenarioError` unless something changes."""
        if self.rate is None and self.delay is None and self.cost is None and self.up is None:
            raise ScenarioError("expected rate, delay, cost or up", key="link", value=self.link)
        if self.cost is not None and not self.cost > 0:
            raise ScenarioError("must be more than 0", key="cost", value=self.cost)


@dataclass(frozen=True, kw_only=True)
class Record(Described):
    """What is recorded of a run besides the totals.

    `sample` is the time between samples of the series ("0 s": none). `changes` records each change of windows, RTT
    samples and queues, `packets` each packet on each link. `trace` names the links in a `.tr` or `.nam` file; all by
    default. `capture` names the nodes and links in a `.pcapng` file, an interface each; by default the nodes where
    flows start. `qlog` names the flows of today's TCP that get a `.sqlog` file; all by default.
    """

    sample: Time = "0.1 s"
    changes: bool = False
    packets: bool = False
    trace: list[str] | None = None
    capture: list[str] | None = None
    qlog: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Scenario(Described):
    """A network (`topology`), its `flows` and a `duration`.

    `defaults` names the set of default values: `ns2_35`, `ns2_29`, `rfc`, `linux` or `ns3_25`. `name` is a title.
    `changes` are changes of links, `record` is what the results contain.

    `seed`, a whole number from 0 to 2**64 - 1, is hashed into a stream of random numbers for every flow, link and loss.
    Runs with different seeds are independent, consecutive ones too. `"ns2:7"` instead means ns-2's seed 7: one stream
    for all draws. Without a seed, draws come from that stream as it is when ns-2 starts. Nothing else is random: the
    same description gives the same packets.

    With `routing` static, routes follow the costs at the start. With session, all are recomputed at once when a link
    fails, recovers or changes its cost. A destination that becomes unreachable keeps its old route.

    `external_nodes` names the nodes where packets of other programs enter and leave. Such a scenario is run by
    `ackclock emulate`, in real time, or by `ackclock quic`, and needs no flows of its own.
    """

    renamed: ClassVar[Mapping[str, str]] = {"ends": "external_nodes"}

    belongs: ClassVar[Mapping[str, str]] = {
        "link": "links belong to the topology: bottleneck and access of a dumbbell, links of a graph",
        "links": "links belong to the topology: bottleneck and access of a dumbbell, links of a graph",
        "bottleneck": "it belongs to the topology",
        "queue": "a queue belongs to a link of the topology",
        "sample": "it belongs to record",
        "packets": "it belongs to record",
    }

    topology: Dumbbell | ParkingLot | Star | Chain | Graph
    flows: list[Flow] = field(default_factory=list)
    duration: Time
    external_nodes: list[str] = field(default_factory=list)
    name: str = ""
    defaults: str = "ns2_35"
    seed: Seed | None = None
    routing: str = "static"
    changes: list[Change] = field(default_factory=list)
    record: Record = field(default_factory=Record)

    def check(self) -> None:
        """`ScenarioError` for errors that can be found without the engine; `network` finds the rest."""
        choose(self.defaults, DEFAULT_SETS, "a default set", "defaults")
        choose(self.routing, ROUTINGS, "when routes are computed", "routing")
        for index, change in enumerate(self.changes):
            if change.cost is not None and self.routing == "static":
                expected = 'has no effect with static routing; expected routing = "session"'
                raise ScenarioError(expected, key=f"changes.{index}.cost", value=change.cost)
        if not self.flows and not self.external_nodes:
            raise ScenarioError("expected at least one flow", key="flows")
        if len(self.external_nodes) == 1 or len(set(self.external_nodes)) < len(self.external_nodes):
            raise ScenarioError(
                "expected two nodes or more, each once", key="external_nodes", value=self.external_nodes
            )
        if not time_s(self.duration) > 0:
            raise ScenarioError("must be more than 0", key="duration", value=self.duration)

    def _repr_html_(self) -> str:
        from ackclock.scenario.model.shown import as_html

        return as_html(self.table())

    def with_seed(self, seed: int | str | None) -> Scenario:
        """The same scenario with another `seed`, which is checked; the rest has been checked already."""
        other = object.__new__(Scenario)
        other.__dict__.update(self.__dict__, seed=seed)
        return other
