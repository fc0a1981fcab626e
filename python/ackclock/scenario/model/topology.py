"""Parts of descriptions, as crates/scenario/src/model/topology.rs declares them.

Written by tools/write_scenario_types.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ackclock.plugins import QueueDiscipline
from ackclock.scenario.model.diffserv import DiffServ
from ackclock.scenario.model.loss import Loss
from ackclock.scenario.model.part import Direction, NamedQueue, Part
from ackclock.scenario.model.processes import Process
from ackclock.scenario.model.typed import AmountText, Parameters, Rate, Time


@dataclass(frozen=True, kw_only=True)
class Queue(NamedQueue):
    """A queue discipline on a link.

    `kind` is the engine's id (`ackclock list`), or a user-defined class, or its name (`module:Class`). `limit` is the
    maximum queue length: packets, bytes, or bandwidth-delay products of the link's rate and the longest RTT of the
    flows over it. As in ns-2, a drop-tail limit of n packets queues at most n - 1 while one is being sent. A limit in
    packets makes RED count packets; without a limit it counts bytes, as in ns-2. The limit of sfq is that of all
    packets, of drr that of all bytes, of fq each flow's. `parameters` are the discipline's, by the engine's names.
    `diffserv` describes the queues of DiffServ.
    """

    part = "Queue"
    short = "kind"

    kind: str | type[QueueDiscipline] = "drop_tail"
    """The engine's id, or a user-defined class, or its name (`module:Class`)."""
    limit: AmountText | None = None
    """The maximum length: packets, bytes, or bandwidth-delay products of the link's rate and the longest RTT over it.
    """
    parameters: Parameters = field(default_factory=dict)
    """The discipline's parameters, by the engine's names."""
    diffserv: DiffServ | None = None
    """The queues and policies of a `ds_red_edge` or `ds_red_core`."""


@dataclass(frozen=True, kw_only=True)
class Reverse(Direction):
    """What differs in a link's reverse direction, from its second end to its first; other keys are the link's.

    `rate`, `delay`, `queue`, `loss`, `cost`, `deliveries` and `process` are as in `Link`. `loss = []` loses nothing in
    this direction.
    """

    part = "Reverse"

    rate: Rate | None = None
    """Its speed."""
    delay: Time | None = None
    """Its propagation delay."""
    queue: Queue | None = None
    """Its queue discipline."""
    loss: Loss | list[Loss] | None = None
    """Its losses; an empty list for none."""
    cost: float | None = None
    """Its cost for routing."""
    deliveries: str | list[int] | None = None
    """When it can send."""
    process: Process | None = None
    """The random process of its rate."""


@dataclass(frozen=True, kw_only=True)
class Link(Direction):
    """A link in both directions, unless `simplex`. Both directions are equal, except for what `reverse` describes.

    `rate` is its speed, `delay` its propagation delay, `queue` its discipline. `ends` are the two nodes, needed only in
    a `Graph`. `cost` is the link's cost for routing. A `loss` may be a list of several: a packet passes all of them,
    those of one place in this order. Instead of a `rate` a link may have `deliveries`: a recording of delivery
    opportunities in mahimahi's format (a file with a whole number of milliseconds on each line, or these numbers). Each
    opportunity sends up to 1504 bytes; after the last one the recording repeats. Or it has a `process`: random rates,
    others for each seed and direction, or a Wi-Fi medium that both directions share.
    """

    part = "Link"
    renamed: ClassVar[Mapping[str, str]] = {"back": "reverse"}
    belongs: ClassVar[Mapping[str, str]] = {
        "limit": 'the limit of a queue belongs to it: queue = { limit = "50 packets" }'
    }

    rate: Rate | None = None
    """Its speed."""
    delay: Time
    """Its propagation delay."""
    deliveries: str | list[int] | None = None
    """When it can send, instead of a rate: each opportunity sends up to 1504 bytes."""
    process: Process | None = None
    """The random process of its rate, instead of a rate."""
    queue: Queue = field(default_factory=Queue)
    """Its queue discipline."""
    loss: Loss | list[Loss] | None = None
    """Its losses."""
    ends: list[str] | None = None
    """The two nodes, in a `Graph`."""
    simplex: bool = False
    """Whether there is one direction only."""
    cost: float = 1.0
    """Its cost for routing."""
    reverse: Reverse | None = None
    """What differs in the other direction."""


@dataclass(frozen=True, kw_only=True)
class Dumbbell(Part):
    """`pairs` of hosts, `left1`... and `right1`..., on the two sides of `router1` and `router2`.

    `bottleneck` is the link between the routers, `access` the hosts' links. `delays` are the delays of the access
    links, one for each pair on both of its sides; `right_delays` are those of the right side if they differ. Without
    them `access.delay` applies.
    """

    part = "Dumbbell"
    kind: ClassVar[str] = "dumbbell"
    belongs: ClassVar[Mapping[str, str]] = {
        "rate": "it belongs to bottleneck or access",
        "delay": "it belongs to bottleneck or access; delays has one for each pair",
        "queue": "it belongs to bottleneck or access",
        "limit": "it belongs to the queue of bottleneck or access",
    }

    bottleneck: Link
    """The link between the routers."""
    access: Link = field(default_factory=lambda: Link(rate="100 Mb/s", delay="1 ms"))
    """The hosts' links."""
    pairs: int = 2
    """How many pairs."""
    delays: list[Time] | None = None
    """Delays of the access links, one for each pair on both of its sides."""
    right_delays: list[Time] | None = None
    """Those of the right side, if they differ."""


@dataclass(frozen=True, kw_only=True)
class ParkingLot(Part):
    """`bottlenecks` links in series between `router1`, `router2`...

    `bottleneck` describes each of them, `access` the hosts' links. `source0` and `sink0` are at the two ends, so that
    their flow passes all bottlenecks. `source1` and `sink1` are on both sides of the first bottleneck, `source2` and
    `sink2` of the second, and so on.
    """

    part = "ParkingLot"
    kind: ClassVar[str] = "parking_lot"

    bottleneck: Link
    """Each of the links in series."""
    access: Link = field(default_factory=lambda: Link(rate="100 Mb/s", delay="1 ms"))
    """The hosts' links."""
    bottlenecks: int = 3
    """How many bottlenecks."""


@dataclass(frozen=True, kw_only=True)
class Star(Part):
    """`hosts` around a `hub`: `host1`, `host2`..., each on its own `link`; `delays`, one for each, if they differ."""

    part = "Star"
    kind: ClassVar[str] = "star"

    link: Link
    """The hosts' links."""
    hosts: int = 4
    """How many hosts."""
    delays: list[Time] | None = None
    """Delays, one for each host, if they differ."""


@dataclass(frozen=True, kw_only=True)
class Chain(Part):
    """`nodes` in a row: `node1`, `node2`..., with a `link` between neighbours."""

    part = "Chain"
    kind: ClassVar[str] = "chain"

    link: Link
    """The links."""
    nodes: int = 3
    """How many nodes."""


@dataclass(frozen=True, kw_only=True)
class Graph(Part):
    """Any network: `nodes` by name, numbered in this order, and `links` with their `ends`."""

    part = "Graph"
    kind: ClassVar[str] = "graph"

    nodes: list[str]
    """Names of the nodes."""
    links: list[Link]
    """The links."""


#: Parts that differ in `kind`: dumbbell, parking_lot, star, chain, graph.
Topology = Dumbbell | ParkingLot | Star | Chain | Graph
