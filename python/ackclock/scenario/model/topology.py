"""Links, queues, and the topologies they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ackclock.plugins import QueueDiscipline
from ackclock.scenario.errors import ScenarioError, choose
from ackclock.scenario.model.deliveries import taken_in
from ackclock.scenario.model.diffserv import DiffServ
from ackclock.scenario.model.leo_satellite import LeoSatellite
from ackclock.scenario.model.loss import Loss
from ackclock.scenario.model.nr import Nr
from ackclock.scenario.model.processes import Cellular
from ackclock.scenario.model.typed import AmountText, Described, Parameters, Rate, Time, plain
from ackclock.scenario.model.wifi import Wifi

#: A topology has at most so many pairs, hosts, nodes or bottlenecks: a number that is mistyped is told at once.
MOST = 50_000

#: How a link sends that has no rate of its own.
Process = Cellular | LeoSatellite | Nr | Wifi


@dataclass(frozen=True, kw_only=True)
class Queue(Described):
    """A queue discipline on a link.

    `kind` is the engine's id (`ackclock list`), or a user-defined class, or its name (`module:Class`). `limit` is the
    maximum queue length: packets, bytes, or bandwidth-delay products of the link's rate and the longest RTT of the
    flows over it. As in ns-2, a drop-tail limit of n packets queues at most n - 1 while one is being sent. A limit in
    packets makes RED count packets; without a limit it counts bytes, as in ns-2. The limit of sfq is that of all
    packets, of drr that of all bytes, of fq each flow's. `parameters` are the discipline's, by the engine's names.
    `diffserv` describes the queues of DiffServ.
    """

    short: ClassVar[str] = "kind"

    kind: str | type[QueueDiscipline] = "drop_tail"
    limit: AmountText | None = None
    parameters: Parameters = field(default_factory=dict)
    diffserv: DiffServ | None = None

    def check(self) -> None:
        """`ScenarioError` for DiffServ queues without code points."""
        if self.kind in ("ds_red_core", "ds_red_edge") and self.diffserv is None:
            raise ScenarioError(f"the key is missing; a {self.kind} queue needs it", key="diffserv")

    @property
    def name(self) -> str:
        """Its kind as a file has it: the engine's id or `module:Class`."""
        return str(plain(self.kind))


@dataclass(frozen=True, kw_only=True)
class Reverse(Described):
    """What differs in a link's reverse direction, from its second end to its first; other keys are the link's.

    `rate`, `delay`, `queue`, `loss`, `cost`, `deliveries` and `process` are as in `Link`. `loss = []` loses nothing in
    this direction.
    """

    rate: Rate | None = None
    delay: Time | None = None
    queue: Queue | None = None
    loss: Loss | list[Loss] | None = None
    cost: float | None = None
    deliveries: str | list[int] | None = None
    process: Process | None = None

    def check(self) -> None:
        """A cost that routes can be made of, and not two rates."""
        _check_cost(self.cost)
        if self.deliveries is not None:
            _check_deliveries(self)
        _check_process(self)


@dataclass(frozen=True, kw_only=True)
class Link(Described):
    """A link in both directions, unless `simplex`. Both directions are equal, except for what `reverse` describes.

    `rate` is its speed, `delay` its propagation delay, `queue` its discipline. `ends` are the two nodes, needed only in
    a `Graph`. `cost` is the link's cost for routing. A `loss` may be a list of several: a packet passes all of them,
    those of one place in this order. Instead of a `rate` a link may have `deliveries`: a recording of delivery
    opportunities in mahimahi's format (a file with a whole number of milliseconds on each line, or these numbers). Each
    opportunity sends up to 1504 bytes; after the last one the recording repeats. Or it has a `process`: random rates,
    others for each seed and direction, or a Wi-Fi medium that both directions share.
    """

    renamed: ClassVar[Mapping[str, str]] = {"back": "reverse"}

    belongs: ClassVar[Mapping[str, str]] = {
        "limit": 'the limit of a queue belongs to it: queue = { limit = "50 packets" }',
    }

    rate: Rate | None = None
    delay: Time
    deliveries: str | list[int] | None = None
    process: Process | None = None
    queue: Queue = field(default_factory=Queue)
    loss: Loss | list[Loss] | None = None
    ends: list[str] | None = None
    simplex: bool = False
    cost: float = 1.0
    reverse: Reverse | None = None

    def check(self) -> None:
        """`ScenarioError` unless it has a rate or a recording, two ends, and a cost for routing."""
        if self.deliveries is not None:
            _check_deliveries(self)
        elif self.rate is None and self.process is None:
            raise ScenarioError("the key is missing; Link needs it, or deliveries, or a process", key="rate")
        _check_process(self)
        if self.ends is not None and (len(self.ends) != 2 or self.ends[0] == self.ends[1]):
            raise ScenarioError("expected two different nodes", key="ends", value=self.ends)
        _check_cost(self.cost)
        if self.simplex and self.reverse is not None:
            raise ScenarioError("a simplex link has no reverse direction", key="reverse")


def _check_deliveries(link: Link | Reverse) -> None:
    """Take a recording in, so that a description does not depend on a file."""
    given = link.deliveries
    try:
        found = taken_in(given or [])
    except ScenarioError as error:
        raise error.under("deliveries") from None
    if link.rate is not None:
        raise ScenarioError("a link has a rate or a recording of deliveries, not both", key="rate", value=link.rate)
    object.__setattr__(link, "deliveries", found)


def _check_process(link: Link | Reverse) -> None:
    for key in ("rate", "deliveries") if link.process is not None else ():
        if getattr(link, key) is not None:
            raise ScenarioError("a link with a process has none of its own", key=key, value=getattr(link, key))


def _check_cost(cost: float | None) -> None:
    if cost is not None and not cost > 0:
        raise ScenarioError("must be more than 0", key="cost", value=cost)


def _at_least(least: int, value: int, key: str) -> None:
    if value < least:
        raise ScenarioError(f"expected a whole number, at least {least}", key=key, value=value)
    if value > MOST:
        raise ScenarioError(f"expected at most {MOST:,}", key=key, value=value)


def _one_each(given: list[Time] | None, count: int, key: str) -> None:
    if given is not None and len(given) != count:
        raise ScenarioError(f"expected {count} delays, one for each, not {len(given)}", key=key)


@dataclass(frozen=True, kw_only=True)
class Dumbbell(Described):
    """`pairs` of hosts, `left1`... and `right1`..., on the two sides of `router1` and `router2`.

    `bottleneck` is the link between the routers, `access` the hosts' links. `delays` are the delays of the access
    links, one for each pair on both of its sides; `right_delays` are those of the right side if they differ. Without
    them `access.delay` applies.
    """

    belongs: ClassVar[Mapping[str, str]] = {
        "rate": "it belongs to bottleneck or access",
        "delay": "it belongs to bottleneck or access; delays has one for each pair",
        "queue": "it belongs to bottleneck or access",
        "limit": "it belongs to the queue of bottleneck or access",
    }

    kind: ClassVar[str] = "dumbbell"

    bottleneck: Link
    access: Link = field(default_factory=lambda: Link(rate="100 Mb/s", delay="1 ms"))
    pairs: int = 2
    delays: list[Time] | None = None
    right_delays: list[Time] | None = None

    def check(self) -> None:
        """A delay for each pair."""
        _at_least(1, self.pairs, "pairs")
        _one_each(self.delays, self.pairs, "delays")
        _one_each(self.right_delays, self.pairs, "right_delays")


@dataclass(frozen=True, kw_only=True)
class ParkingLot(Described):
    """`bottlenecks` links in series between `router1`, `router2`...

    `bottleneck` describes each of them, `access` the hosts' links. `source0` and `sink0` are at the two ends, so that
    their flow passes all bottlenecks. `source1` and `sink1` are on both sides of the first bottleneck, `source2` and
    `sink2` of the second, and so on.
    """

    kind: ClassVar[str] = "parking_lot"

    bottleneck: Link
    access: Link = field(default_factory=lambda: Link(rate="100 Mb/s", delay="1 ms"))
    bottlenecks: int = 3

    def check(self) -> None:
        """At least one bottleneck."""
        _at_least(1, self.bottlenecks, "bottlenecks")


@dataclass(frozen=True, kw_only=True)
class Star(Described):
    """`hosts` around a `hub`: `host1`, `host2`..., each on its own `link`; `delays`, one for each, if they differ."""

    kind: ClassVar[str] = "star"

    link: Link
    hosts: int = 4
    delays: list[Time] | None = None

    def check(self) -> None:
        """A delay for each host."""
        _at_least(2, self.hosts, "hosts")
        _one_each(self.delays, self.hosts, "delays")


@dataclass(frozen=True, kw_only=True)
class Chain(Described):
    """`nodes` in a row: `node1`, `node2`..., with a `link` between neighbours."""

    kind: ClassVar[str] = "chain"

    link: Link
    nodes: int = 3

    def check(self) -> None:
        """At least two nodes."""
        _at_least(2, self.nodes, "nodes")


@dataclass(frozen=True, kw_only=True)
class Graph(Described):
    """Any network: `nodes` by name, numbered in this order, and `links` with their `ends`."""

    kind: ClassVar[str] = "graph"

    nodes: list[str]
    links: list[Link]

    def check(self) -> None:
        """`ScenarioError` unless the ends are nodes and each direction exists at most once."""
        if len(set(self.nodes)) != len(self.nodes):
            twice = next(name for name in self.nodes if self.nodes.count(name) > 1)
            raise ScenarioError("duplicate name", key="nodes", value=twice)
        seen: set[tuple[str, str]] = set()
        for index, link in enumerate(self.links):
            key = f"links.{index}.ends"
            if link.ends is None:
                raise ScenarioError("the key is missing; a link of a graph needs it", key=key)
            for end in link.ends:
                choose(end, self.nodes, "a node of this graph", key)
            ways = [(link.ends[0], link.ends[1])] + ([] if link.simplex else [(link.ends[1], link.ends[0])])
            for way in ways:
                if way in seen:
                    raise ScenarioError("duplicate link between these nodes", key=key, value=list(link.ends))
                seen.add(way)


#: every topology
Topology = Dumbbell | ParkingLot | Star | Chain | Graph
