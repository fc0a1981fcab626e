"""Topologies as nodes by number and links in one direction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from ackclock.scenario.model.deliveries import instants, mean_rate_bps
from ackclock.scenario.model.leo_satellite import LeoSatellite
from ackclock.scenario.model.loss import Loss
from ackclock.scenario.model.topology import (
    Chain,
    Dumbbell,
    Graph,
    Link,
    ParkingLot,
    Process,
    Queue,
    Reverse,
    Star,
    Topology,
)
from ackclock.scenario.model.wifi import Wifi
from ackclock.scenario.resolve.wifi import wifi_settings
from ackclock.scenario.units import rate_bps, time_s

#: A parameter of the engine.
Value = bool | int | float


@dataclass
class LinkLoss:
    """A loss on a link in one direction; `flow_ids` are those of the flows that it concerns, `None` for all.

    `key` is where the scenario describes it.
    """

    loss: Loss
    key: str
    flow_ids: list[int] | None = None


@dataclass
class DirectedLink:
    """A link in one direction. `key` and `queue_key` are where the scenario describes it and its queue.

    `parameters` and `commands` are what its queue is told, see `queues`. `deliveries` are the instants, ms, at which it
    can send, where it cannot always.
    """

    source: int
    target: int
    rate_bps: float
    delay_s: float
    queue: Queue
    losses: list[LinkLoss]
    cost: float
    key: str
    queue_key: str
    deliveries: list[int] | None = None
    #: how it sends, if it has no rate of its own, and where the scenario describes that
    process: Process | None = None
    process_key: str = ""
    parameters: dict[str, Value] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)


#: A link between two nodes, its description, the delay that the topology says instead of that, and the key of it.
Wire = tuple[str, str, Link, str | None, str]


def lay_wires(topology: Topology) -> tuple[list[str], list[Wire]]:
    """Names of the nodes, and the links between them."""
    nodes: list[str] = []
    wires: list[Wire] = []
    if isinstance(topology, Dumbbell):
        pairs = range(1, topology.pairs + 1)
        nodes = [*(f"left{n}" for n in pairs), "router1", "router2", *(f"right{n}" for n in pairs)]
        everybodys: list[str | None] = [None] * topology.pairs
        left = topology.delays or everybodys
        right = topology.right_delays or left
        wires = [(f"left{n}", "router1", topology.access, left[n - 1], "access") for n in pairs]
        wires.append(("router1", "router2", topology.bottleneck, None, "bottleneck"))
        wires += [("router2", f"right{n}", topology.access, right[n - 1], "access") for n in pairs]
    elif isinstance(topology, ParkingLot):
        count = topology.bottlenecks
        hops = range(1, count + 1)
        nodes = [f"router{n}" for n in range(1, count + 2)]
        nodes += [name for n in range(count + 1) for name in (f"source{n}", f"sink{n}")]
        wires = [(f"router{n}", f"router{n + 1}", topology.bottleneck, None, "bottleneck") for n in hops]
        wires += [("source0", "router1", topology.access, None, "access")]
        wires += [(f"router{count + 1}", "sink0", topology.access, None, "access")]
        for n in hops:
            wires.append((f"source{n}", f"router{n}", topology.access, None, "access"))
            wires.append((f"router{n + 1}", f"sink{n}", topology.access, None, "access"))
    elif isinstance(topology, Star):
        hosts = range(1, topology.hosts + 1)
        nodes = ["hub", *(f"host{n}" for n in hosts)]
        alike: list[str | None] = [None] * topology.hosts
        own = topology.delays or alike
        wires = [(f"host{n}", "hub", topology.link, own[n - 1], "link") for n in hosts]
    elif isinstance(topology, Chain):
        nodes = [f"node{n}" for n in range(1, topology.nodes + 1)]
        wires = [(f"node{n}", f"node{n + 1}", topology.link, None, "link") for n in range(1, topology.nodes)]
    elif isinstance(topology, Graph):
        nodes = list(topology.nodes)
        for index, link in enumerate(topology.links):
            assert link.ends is not None
            wires.append((link.ends[0], link.ends[1], link, None, f"links.{index}"))
    return nodes, wires


#: a direction with nothing of its own
_LIKE_THE_LINK = Reverse()


def lay_out(topology: Topology) -> tuple[list[str], list[DirectedLink]]:
    """Names of the nodes and the links in both directions, numbered as they are made.

    A description that stands for many links is read once: they have its losses and its queue in common.
    """
    nodes, wires = lay_wires(topology)
    number = {name: index for index, name in enumerate(nodes)}
    links: list[DirectedLink] = []
    read: dict[tuple[int, str | None, str], list[Callable[[int, int], DirectedLink]]] = {}
    for first, last, link, delay, key in wires:
        there, back = number[first], number[last]
        alike = (id(link), delay, key)
        if alike not in read:
            ways = [_LIKE_THE_LINK] if link.simplex else [_LIKE_THE_LINK, link.reverse or _LIKE_THE_LINK]
            read[alike] = [_one_way(link, delay, f"topology.{key}", own) for own in ways]
        links += [make(*ends) for make, ends in zip(read[alike], ((there, back), (back, there)), strict=False)]
    return nodes, links


def _one_way(link: Link, delay: str | None, key: str, own: Reverse) -> Callable[[int, int], DirectedLink]:
    """What makes a direction of a link, given the nodes that it leads from and to.

    `own` is the direction's own, `delay` what the topology says instead of the link.
    """
    given, place = (link.loss, f"{key}.loss") if own.loss is None else (own.loss, f"{key}.reverse.loss")
    if isinstance(given, Loss):
        losses = [LinkLoss(given, place)]
    else:
        losses = [LinkLoss(loss, f"{place}.{index}") for index, loss in enumerate(given or [])]
    of_its_own = own.rate or own.deliveries or own.process
    deliveries = own.deliveries or (None if of_its_own else link.deliveries)
    process = own.process or (None if of_its_own else link.process)
    if deliveries:
        rate = mean_rate_bps(instants(deliveries))
    elif isinstance(process, Wifi):
        rate = wifi_settings(process).rate_bps
    elif process:
        rate = rate_bps(process.max_rate)  # until its opportunities are drawn
    else:
        rate = rate_bps(own.rate or link.rate or "")
    process_key = f"{key}.reverse.process" if own.process else f"{key}.process"
    if isinstance(process, LeoSatellite) and (jitter := process.jitter_of_packets()) is not None:
        losses.append(LinkLoss(jitter, process_key))
    return partial(
        DirectedLink,
        rate_bps=rate,
        delay_s=time_s(own.delay or delay or link.delay),
        queue=own.queue or link.queue,
        losses=losses,
        cost=own.cost or link.cost,
        key=key,
        queue_key=f"{key}.queue" if own.queue is None else f"{key}.reverse.queue",
        deliveries=instants(deliveries) if deliveries else None,
        process=process,
        process_key=process_key,
    )
