"""The whole description."""

from __future__ import annotations

from dataclasses import dataclass, field

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
    """Something that changes on a link at an instant: its rate, its delay, its cost, or whether it is up.

    `link` is `a->b`, one way, or `a-b`, both. A link that goes down loses what waits and what is on the wire, and then
    what comes.
    """

    at: Time
    link: str
    rate: Rate | None = None
    delay: Time | None = None
    cost: float | None = None
    up: bool | None = None

    def check(self) -> None:
        """Something does change."""
        if self.rate is None and self.delay is None and self.cost is None and self.up is None:
            raise ScenarioError("nothing changes; expected rate, delay, cost or up", key="link", value=self.link)
        if self.cost is not None and not self.cost > 0:
            raise ScenarioError("must be more than 0", key="cost", value=self.cost)


@dataclass(frozen=True, kw_only=True)
class Record(Described):
    """What is kept of a run besides the totals.

    `sample` is the time between samples of the series ("0 s": none), `changes` keeps each change of windows, round-trip
    times and queues, `packets` each packet on each link. `trace` names the links whose packets a `.tr` or `.nam` file
    has; all unless given. `capture` names the nodes and links whose packets a `.pcapng` file has, an interface each;
    the nodes that flows start from unless given.
    """

    sample: Time = "0.1 s"
    changes: bool = False
    packets: bool = False
    trace: list[str] | None = None
    capture: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Scenario(Described):
    """A network, who sends over it, for how long.

    `defaults` names the set that says what is not said here: `ns2_35`, `ns2_29`, `rfc`, `linux` or `ns3_25`. `seed`, a
    whole number from 0 to 2**64 - 1, gives every flow, link and loss a stream of random numbers of its own, by a hash;
    runs with different seeds are independent, consecutive ones too. `"ns2:7"` instead means what seed 7 means to ns-2:
    one stream for all draws. Without a seed, draws come from that one stream as it is when ns-2 starts. Nothing else is
    random: the same description gives the same packets. With `routing` static, routes are those of the costs at the
    start; with session, all are computed anew at once when a link goes down or comes up or has another cost. A
    destination that cannot be reached any more keeps its old way. `ends` names nodes where packets of a real network
    come in and out: such a scenario is run by `ackclock emulate`, in real time, and needs no flows of its own.
    """

    topology: Dumbbell | ParkingLot | Star | Chain | Graph
    flows: list[Flow] = field(default_factory=list)
    duration: Time
    ends: list[str] = field(default_factory=list)
    name: str = ""
    defaults: str = "ns2_35"
    seed: Seed | None = None
    routing: str = "static"
    changes: list[Change] = field(default_factory=list)
    record: Record = field(default_factory=Record)

    def check(self) -> None:
        """What can be seen without the engine; the rest is seen by `network`."""
        choose(self.defaults, DEFAULT_SETS, "a default set", "defaults")
        choose(self.routing, ROUTINGS, "when routes are computed", "routing")
        for index, change in enumerate(self.changes):
            if change.cost is not None and self.routing == "static":
                expected = 'without effect on static routes; expected routing = "session"'
                raise ScenarioError(expected, key=f"changes.{index}.cost", value=change.cost)
        if not self.flows and not self.ends:
            raise ScenarioError("expected at least one flow", key="flows")
        if len(self.ends) == 1 or len(set(self.ends)) < len(self.ends):
            raise ScenarioError("expected two nodes or more, each once", key="ends", value=self.ends)
        if not time_s(self.duration) > 0:
            raise ScenarioError("must be more than 0", key="duration", value=self.duration)

    def with_seed(self, seed: int | str | None) -> Scenario:
        """The same under another seed, which must be one: all else has been checked, and is not looked at again."""
        other = object.__new__(Scenario)
        other.__dict__.update(self.__dict__, seed=seed)
        return other
