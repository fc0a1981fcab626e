"""What a scenario comes to: numbered nodes, one-way links, senders and receivers, instants. Nothing is left open.

`resolve` checks what no single part of a description can: names, ways between nodes, parameters that the engine knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ackclock._native import Simulation, leo_course
from ackclock.scenario.errors import ScenarioError, choose, nearest
from ackclock.scenario.model.deliveries import mean_rate_bps
from ackclock.scenario.model.leo_satellite import LeoSatellite
from ackclock.scenario.model.processes import Cellular
from ackclock.scenario.model.scenario import Change, Scenario
from ackclock.scenario.model.seed import hashed_seed, ns2_seed, stream_names
from ackclock.scenario.resolve.flows import ResolvedFlow, resolve_flows
from ackclock.scenario.resolve.layout import DirectedLink, lay_out
from ackclock.scenario.resolve.processes import NO_SEED, opportunities
from ackclock.scenario.resolve.queues import tell_queue
from ackclock.scenario.units import rate_bps, time_s


@dataclass
class Event:
    """Something that happens to a link: rate (bit/s), delay (s), cost, up, down, cut (the wire loses its packets)."""

    at_s: float
    what: str
    link: int
    value: float


class Place(NamedTuple):
    """Where a capture is taken: the near ends of the links `leaving`, the far ends of those `entering`."""

    name: str
    leaving: list[int]
    entering: list[int]


@dataclass
class Network:
    """A scenario with nothing left open."""

    nodes: list[str]
    links: list[DirectedLink]
    flows: list[ResolvedFlow]
    events: list[Event]
    duration_s: float

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The nodes' numbers by their names."""
        return {name: number for number, name in enumerate(self.nodes)}

    def link_name(self, number: int) -> str:
        """A link as `a->b`."""
        link = self.links[number]
        return f"{self.nodes[link.source]}->{self.nodes[link.target]}"

    def links_named(self, name: str, key: str) -> list[int]:
        """The link `a->b`, or both of `a-b`. `ScenarioError` where there is none."""
        known = {self.link_name(number): number for number in range(len(self.links))}
        if name in known:
            return [known[name]]
        for number in range(len(self.links)):
            link = self.links[number]
            first, last = self.nodes[link.source], self.nodes[link.target]
            if name == f"{first}-{last}":
                back = known.get(f"{last}->{first}")
                return [number] if back is None else [number, back]
        names = [*known, *(name.replace("->", "-") for name in known)]
        listed = "expected a link such as " + next(iter(known), "a->b")
        raise ScenarioError(listed, key=key, value=name, nearest=nearest(name, names))

    def connections(self, names: list[str] | None, key: str) -> list[int]:
        """The numbers of the flows of today's TCP with these names; of all, unless there are names."""
        known = {flow.name: number for number, flow in enumerate(self.flows) if flow.sender == "tcp"}
        for index, name in enumerate(names or []):
            if name not in known:
                words = ", ".join(list(known)[:12]) or "of which there is none"
                expected = f"expected a flow of today's TCP: {words}"
                raise ScenarioError(expected, key=f"{key}.{index}", value=name, nearest=nearest(name, known))
        return list(known.values()) if names is None else [known[name] for name in dict.fromkeys(names)]

    def places(self, names: list[str] | None, key: str) -> list[Place]:
        """Where a capture is taken: at nodes, on links. The nodes that flows start from, unless there are names."""
        if names is None:
            names = list(dict.fromkeys(self.nodes[flow.source] for flow in self.flows))
        at_nodes = [Place(name, [], []) for name in self.nodes]
        for number, link in enumerate(self.links):
            at_nodes[link.source].leaving.append(number)
            at_nodes[link.target].entering.append(number)
        known = {place.name: place for place in at_nodes}
        return [known.get(name) or self._place(name, f"{key}.{index}") for index, name in enumerate(names)]

    def _place(self, name: str, key: str) -> Place:
        try:
            first, *back = self.links_named(name, key)
        except ScenarioError as error:
            near = nearest(name, self.nodes) or error.nearest
            raise ScenarioError(f"{error.expected}, or a node", key=key, value=name, nearest=near) from None
        return Place(name, [first], back)


def resolve(scenario: Scenario, *, to_run: bool = True) -> Network:
    """The network that a scenario describes. `ScenarioError` where it describes none.

    `to_run` false: only to be shown, so no class of the user's own is imported.
    """
    nodes, links = lay_out(scenario.topology)
    network = Network(nodes, links, [], [], time_s(scenario.duration))
    for number, link in enumerate(links):
        if isinstance(link.process, LeoSatellite):
            _draw_course(network, number, link.process, scenario.seed)
        elif isinstance(link.process, Cellular):
            name = network.link_name(number)
            link.deliveries = opportunities(link.process, scenario.seed, name, network.duration_s)
            link.rate_bps = mean_rate_bps(link.deliveries)
    described: list[int] = []
    streams = stream_names(flow.name for flow in scenario.flows)
    for index, (flow, stream) in enumerate(zip(scenario.flows, streams, strict=True)):
        try:
            made = resolve_flows(flow, index, len(described), scenario, network.numbers, stream, to_run=to_run)
        except ScenarioError as error:
            raise error.under(index).under("flows") from None
        network.flows += made
        described += [index] * len(made)
    trips = _round_trips(network, described)
    checked: dict[tuple[int, float, float, tuple[float, int]], DirectedLink] = {}
    for number, link in enumerate(links):
        trip = trips.get(number, (0.0, 0))
        alike = (id(link.queue), link.rate_bps, link.delay_s, trip if "BDP" in (link.queue.limit or "") else (0.0, 0))
        if alike not in checked:
            tell_queue(link, trip, nodes, scenario.defaults, to_run)
            checked[alike] = link
        link.parameters, link.commands = checked[alike].parameters, checked[alike].commands
        _concern_flows(link, network, described, scenario)
    for index, change in enumerate(scenario.changes):
        network.events += _events(change, network, f"changes.{index}")
    network.events.sort(key=lambda event: event.at_s)
    for index, name in enumerate(scenario.record.trace or []):
        network.links_named(name, f"record.trace.{index}")
    if scenario.record.capture is not None:
        network.places(scenario.record.capture, "record.capture")
    if scenario.record.qlog is not None:
        network.connections(scenario.record.qlog, "record.qlog")
    for index, name in enumerate(scenario.external_nodes):
        choose(name, nodes, "a node", f"external_nodes.{index}")
    return network


def _draw_course(network: Network, number: int, leo: LeoSatellite, seed: int | str | None) -> None:
    """When a link over satellites can send, and its delays."""
    link, hashed = network.links[number], hashed_seed(seed)
    link.deliveries, (begin, *later) = leo_course(
        time_s(leo.interval),
        time_s(leo.first),
        (rate_bps(leo.min_rate), rate_bps(leo.max_rate)),
        time_s(leo.spread),
        time_s(leo.pause),
        hashed if hashed is not None else ns2_seed(seed) or NO_SEED,
        "-".join(network.nodes[end] for end in sorted((link.source, link.target))),
        network.link_name(number),
        network.duration_s,
    )
    link.rate_bps = mean_rate_bps(link.deliveries)
    own_s = link.delay_s
    link.delay_s = own_s + begin[1]
    for at_s, more_s in later:
        if leo.cut:
            network.events.append(Event(at_s, "cut", number, 0.0))
        network.events.append(Event(at_s, "delay", number, own_s + more_s))


def _concern_flows(link: DirectedLink, network: Network, described: list[int], scenario: Scenario) -> None:
    """Give the losses of a link the ids of the flows that they name."""
    choosy = [lossy for lossy in link.losses if lossy.loss.flows is not None]
    if not choosy:
        return
    known: dict[int | str, list[int]] = {}
    for flow, index in zip(network.flows, described, strict=True):
        names: set[int | str] = {flow.name, scenario.flows[index].name or flow.name, flow.flow_id}
        for name in names:
            known.setdefault(name, []).append(flow.flow_id)
    for lossy in choosy:
        lossy.flow_ids = []
        for index, name in enumerate(lossy.loss.flows or []):
            if name not in known:
                words = [flow.name for flow in network.flows]
                raise ScenarioError(
                    f"expected a flow by name or id: {', '.join(words[:12])}",
                    key=f"{lossy.key}.flows.{index}",
                    value=name,
                    nearest=nearest(str(name), words),
                )
            lossy.flow_ids += [number for number in known[name] if number not in lossy.flow_ids]


class _Ways:
    """The ways between nodes that the engine's routes make."""

    def __init__(self, network: Network) -> None:
        self._bench = Simulation()
        self._hops: dict[int, list[int | None]] = {}
        #: the neighbours of each node that a link leads to, and the last such link
        self._onward: dict[int, dict[int, int]] = {}
        for number, link in enumerate(network.links):
            self._bench.set_route_cost(link.source, link.target, link.cost)
            self._onward.setdefault(link.source, {})[link.target] = number
        # Most nodes are hosts, and a host has no choice: the engine need not compute all its ways.
        self._only = {node: next(iter(onward.items())) for node, onward in self._onward.items() if len(onward) == 1}

    def links(self, first: int, last: int) -> list[int]:
        """The links on the way; empty where there is none."""
        path: list[int] = []
        here = first
        while here != last and len(path) <= len(self._onward):
            step = self._only.get(here) or self._step(here, last)
            if step is None:
                return []
            here, link = step
            path.append(link)
        return path if here == last else []

    def _step(self, here: int, last: int) -> tuple[int, int] | None:
        if here not in self._onward:
            return None
        if here not in self._hops:
            self._hops[here] = self._bench.next_hops(here)
        row = self._hops[here]
        step = row[last] if last < len(row) else None
        return None if step is None else (step, self._onward[here][step])


def _round_trips(network: Network, described: list[int]) -> dict[int, tuple[float, int]]:
    """For each link the longest round trip of the flows over it, s, and their biggest packet, bytes."""
    ways = _Ways(network)
    delays_s = [link.delay_s for link in network.links]
    found: dict[int, tuple[float, int]] = {}
    for flow, index in zip(network.flows, described, strict=True):
        there = ways.links(flow.source, flow.destination)
        back = ways.links(flow.destination, flow.source)
        if not there or (flow.has_replies and not back):
            first, last = network.nodes[flow.source], network.nodes[flow.destination]
            missing = f"{first} to {last}" if not there else f"{last} to {first}, for the ACKs"
            raise ScenarioError(f"no route from {missing}; expected links that lead there", key=f"flows.{index}")
        trip_s = sum([delays_s[number] for number in (*there, *back)])
        if trip_s == 0:
            first, last = network.nodes[flow.source], network.nodes[flow.destination]
            loop = f"the path from {first} to {last} and back has zero delay"
            raise ScenarioError(f"{loop}; expected more than 0 s on one of its links", key=f"flows.{index}")
        for number in (*there, *back) if flow.replies_with_data else there:
            longest, biggest = found.get(number, (0.0, 0))
            if trip_s > longest or flow.wire_bytes > biggest:
                found[number] = (max(longest, trip_s), max(biggest, flow.wire_bytes))
    return found


def _events(change: Change, network: Network, key: str) -> list[Event]:
    at_s = time_s(change.at)
    found = []
    for link in network.links_named(change.link, f"{key}.link"):
        if change.rate is not None:
            has = None
            if network.links[link].process is not None:
                has = "the link has a process, not a rate"
            elif network.links[link].deliveries is not None:
                has = "the link has a recording of deliveries, not a rate"
            if has is not None:
                raise ScenarioError(has, key=f"{key}.rate", value=change.rate)
            found.append(Event(at_s, "rate", link, rate_bps(change.rate)))
        if change.delay is not None:
            found.append(Event(at_s, "delay", link, time_s(change.delay)))
        if change.cost is not None:
            found.append(Event(at_s, "cost", link, change.cost))
        if change.up is not None:
            found.append(Event(at_s, "up" if change.up else "down", link, 0.0))
    return found
