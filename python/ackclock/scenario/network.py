"""What a scenario comes to: numbered nodes, one-way links, senders and receivers, instants. Nothing is left open.

`resolve` checks what no single part of a description can: names, ways between nodes, parameters that the engine knows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

from ackclock._native import Simulation, congestion_controls, tcp_receivers, tcp_senders, tcp_two_way
from ackclock.own.classes import Own
from ackclock.scenario import defaults as sets
from ackclock.scenario.bench import for_agents
from ackclock.scenario.errors import ScenarioError, choose, nearest
from ackclock.scenario.known import names
from ackclock.scenario.layout import OneWay, Value, lay_out
from ackclock.scenario.own import own_control, own_parameter
from ackclock.scenario.queues import tell_queue
from ackclock.scenario.scenario import Change, Scenario
from ackclock.scenario.topology import Dumbbell
from ackclock.scenario.traffic import App, Cbr, Exponential, Flow, Pareto, Requests, Span
from ackclock.scenario.transfers import spread, transfers
from ackclock.scenario.typed import plain
from ackclock.scenario.units import amount, rate_bps, size_bytes, time_s


@dataclass
class Conversation:
    """A sender, a receiver, and what feeds the sender."""

    name: str
    source: int
    destination: int
    sender: str
    receiver: str
    control: str | None
    app: App
    flow_id: int
    #: when it is fed: from, to (`None`: the end)
    spans_s: list[tuple[float, float | None]]
    parameters: dict[str, Value]
    receiver_parameters: dict[str, Value]
    wire_bytes: int
    #: packets of a finite transfer
    packets: int | None = None
    #: what decides about the sender's window, if it is the user's own
    own: Own | None = None

    @property
    def is_two_way(self) -> bool:
        """Whether both ends send data."""
        return self.sender.startswith("full")

    @property
    def is_tcp(self) -> bool:
        """Whether there is a window to follow."""
        return self.sender != "udp"


@dataclass
class Event:
    """Something that happens to a link: rate (bit/s), delay (s), cost, up or down."""

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
    links: list[OneWay]
    flows: list[Conversation]
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

    `to_run` false: only to be shown, so that classes of the user's own need not be there.
    """
    nodes, links = lay_out(scenario.topology)
    network = Network(nodes, links, [], [], time_s(scenario.duration))
    flows = [one for index, flow in enumerate(scenario.flows) for one in _each(flow, index, scenario)]
    for flow, index in flows:
        try:
            network.flows.append(_conversation(flow, len(network.flows) + 1, scenario, network, to_run))
        except ScenarioError as error:
            raise error.under(index).under("flows") from None
    described = [index for _, index in flows]
    trips = _round_trips(network, described)
    checked: dict[tuple[int, float, float, tuple[float, int]], OneWay] = {}
    for number, link in enumerate(links):
        trip = trips.get(number, (0.0, 0))
        alike = (id(link.queue), link.rate_bps, link.delay_s, trip if "BDP" in (link.queue.limit or "") else (0.0, 0))
        if alike not in checked:
            tell_queue(link, trip, nodes, to_run)
            checked[alike] = link
        link.parameters, link.commands = dict(checked[alike].parameters), list(checked[alike].commands)
        _concern_flows(link, network, described, scenario)
    for index, change in enumerate(scenario.changes):
        network.events += _events(change, network, f"changes.{index}")
    network.events.sort(key=lambda event: event.at_s)
    for index, name in enumerate(scenario.record.trace or []):
        network.links_named(name, f"record.trace.{index}")
    if scenario.record.capture is not None:
        network.places(scenario.record.capture, "record.capture")
    for index, name in enumerate(scenario.ends):
        choose(name, nodes, "a node", f"ends.{index}")
    return network


def _concern_flows(link: OneWay, network: Network, described: list[int], scenario: Scenario) -> None:
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
                words = [str(each) for each in known]
                raise ScenarioError(
                    f"expected a flow by name or id: {', '.join(words[:12])}",
                    key=f"{lossy.key}.flows.{index}",
                    value=name,
                    nearest=nearest(str(name), words),
                )
            lossy.flow_ids += [number for number in known[name] if number not in lossy.flow_ids]


def _each(flow: Flow, index: int, scenario: Scenario) -> list[tuple[Flow, int]]:
    """The flow, or one for each pair, or each transfer that comes; with the number it has in the description."""
    flows = [flow]
    if flow.pair == 0:
        if not isinstance(scenario.topology, Dumbbell):
            raise ScenarioError("only a dumbbell has pairs", key=f"flows.{index}.pair", value=0)
        flows = [replace(flow, pair=pair, name=None) for pair in range(1, scenario.topology.pairs + 1)]
    if flow.arrivals is not None:
        flows = transfers(flows, index, scenario)
    elif time_s(flow.spread) > 0:
        flows = spread(flows, index, scenario)
    return [(one, index) for one in flows]


def _conversation(flow: Flow, number: int, scenario: Scenario, network: Network, to_run: bool) -> Conversation:
    first, last = _ends(flow, scenario, network)
    app = flow.app
    parameters: dict[str, Value] = {}
    own = own_control(flow.control, to_run=to_run)
    named: str | None = None
    if flow.tcp is None:
        assert isinstance(app, (Cbr, Exponential, Pareto))
        packet = size_bytes(flow.packet_size) if flow.packet_size else max(1000, size_bytes(app.packet_size))
        sender, receiver = "udp", flow.receiver or "null"
        parameters["packet_size"] = packet
        wire = min(packet, size_bytes(app.packet_size))
        packets = None
    else:
        two_way = names(tcp_two_way)
        sender, by_name = _sender(flow.tcp, scenario.defaults)
        if by_name is not None and flow.control is not None:
            expected = f'{by_name} is a congestion control itself; another one goes with tcp = "{sender}"'
            raise ScenarioError(expected, key="control", value=flow.control)
        named = by_name or named
        receiver = flow.receiver or (sender if sender in two_way else sets.receiver(scenario.defaults, sender))
        others: Sequence[str] = two_way if sender in two_way else names(tcp_receivers)
        if sender == "modern":
            # It hears of losses by SACK alone (RFC 8985, 3).
            is_exact = (by_name or flow.control) in sets.data()["modern"]["exact"]
            others = ["sink_modern", *(name for name in others if "sack" in name and not is_exact)]
        choose(receiver, others, f"a receiver for {sender}", "receiver")
        _check_two_way(flow, sender in two_way)
        packet = size_bytes(flow.packet_size) if flow.packet_size else sets.packet_bytes(scenario.defaults)
        parameters.update(sets.sender_values(scenario.defaults, sender, packet))
        parameters["segsize" if sender in two_way else "packet_size"] = packet
        if flow.window is not None:
            parameters["window"] = amount(flow.window, "window").number
        if own is None and flow.control is not None:
            controls = names(congestion_controls, sender)
            choose(str(flow.control), controls, f"a congestion control of {sender}", "control")
            named = str(flow.control)
        packets = _packets(app, packet)
        if packets is not None and sender in sets.data()["ns2_35"]["syn_is_of_the_file"]:
            packets += 1
        wire = packet
    room = "" if flow.tcp is None else "full" if sender.startswith("full") else "tcp"
    if sender == "modern":
        room = "modern" if own else f"modern_{named or names(congestion_controls, sender)[0]}"
        # What ns-2's senders have and this one does not is no parameter of it.
        parameters = {
            name: value for name, value in parameters.items() if name in sets.parameters(room) or name == "packet_size"
        }
    for name, value in flow.parameters.items():
        if own is not None and (name in own.parameters or not (own.is_there or _knows(_agent(sender), name))):
            own.parameters[name] = _own_parameter(own, name, value, "parameters")
        else:
            parameters[name] = _parameter(room, _agent(sender), name, value, "parameters", own)
    receiver_parameters: dict[str, Value] = {}
    if flow.tcp is not None:
        given = sets.receiver_values(scenario.defaults)
        receiver_parameters = {name: value for name, value in given.items() if _knows(_agent(receiver), name)}
    if room == "full":
        # Both ends of a two-way connection are senders.
        receiver_parameters |= parameters
    theirs = "full" if room == "full" else ""
    for name, value in flow.receiver_parameters.items():
        receiver_parameters[name] = _parameter(theirs, _agent(receiver), name, value, "receiver_parameters")
    if flow.tcp and sender not in sets.data()["ns2_35"]["without_headers"]:
        wire = packet + int(parameters.get("tcpip_base_hdr_size", 40))
        wire += int(parameters.get("ts_option_size", 10)) if parameters.get("timestamps") else 0
    control: str | None = named or plain(flow.control)
    kind = control.rpartition(":")[2] if own and control else flow.tcp or app.kind
    return Conversation(
        flow.name or f"{kind}{number}", first, last, sender, receiver, control, app,
        number if flow.id is None else flow.id, _spans(flow), parameters, receiver_parameters, wire, packets, own,
    )  # fmt: skip


def _sender(tcp: str, defaults: str) -> tuple[str, str | None]:
    """The sender that `tcp` names, and the congestion control if it is that one's name."""
    senders = (*names(tcp_senders), *names(tcp_two_way))
    modern = names(congestion_controls, "modern")
    if tcp in modern and (tcp not in senders or sets.sender(defaults) == "modern"):
        return "modern", tcp
    return choose(tcp, [*senders, *modern], "a TCP variant", "tcp"), None


def _check_two_way(flow: Flow, is_two_way: bool) -> None:
    if isinstance(flow.app, Requests) and not is_two_way:
        listed = ", ".join(names(tcp_two_way))
        raise ScenarioError(f"requests go both ways; expected two-way TCP: {listed}", key="tcp", value=flow.tcp)
    if is_two_way and flow.spans is not None and len(flow.spans) > 1:
        raise ScenarioError("who stops closes the connection; it has one span", key="spans")


def _spans(flow: Flow) -> list[tuple[float, float | None]]:
    if flow.spans is None:
        spans, keys = [Span(start=flow.start, stop=flow.stop)], ["stop"]
    else:
        spans, keys = flow.spans, [f"spans.{index}.stop" for index in range(len(flow.spans))]
    found: list[tuple[float, float | None]] = []
    for span, key in zip(spans, keys, strict=True):
        start_s, stop_s = time_s(span.start), time_s(span.stop) if span.stop else None
        if stop_s is not None and stop_s < start_s:
            raise ScenarioError(f"the flow would stop before it starts, at {span.start}", key=key, value=span.stop)
        found.append((start_s, stop_s))
    return found


def _packets(app: App, packet: int) -> int | None:
    size = getattr(app, "size", None)
    if size is None:
        return None
    data = amount(size, "data")
    return int(data.number) if data.unit == "packets" else math.ceil(data.number / packet)


def _ends(flow: Flow, scenario: Scenario, network: Network) -> tuple[int, int]:
    if flow.pair is not None:
        if not isinstance(scenario.topology, Dumbbell):
            raise ScenarioError(
                "only a dumbbell has pairs; expected source and destination", key="pair", value=flow.pair
            )
        if not 1 <= flow.pair <= scenario.topology.pairs:
            most = scenario.topology.pairs
            raise ScenarioError(f"expected a pair, 1 to {most}, or 0 for each", key="pair", value=flow.pair)
        return network.numbers[f"left{flow.pair}"], network.numbers[f"right{flow.pair}"]
    assert flow.source is not None and flow.destination is not None
    choose(flow.source, network.nodes, "a node", "source")
    choose(flow.destination, network.nodes, "a node", "destination")
    if flow.source == flow.destination:
        raise ScenarioError("a flow goes from one node to another", key="destination", value=flow.destination)
    return network.numbers[flow.source], network.numbers[flow.destination]


@cache
def _agent(kind: str) -> int:
    return for_agents().add_agent(kind)


def _knows(agent: int, name: str) -> bool:
    try:
        for_agents().agent_param(agent, name)
    except KeyError:
        return False
    return True


def _own_parameter(own: Own, name: str, value: bool | int | float | str, key: str) -> Value:
    try:
        return own_parameter(own, name, value)
    except ScenarioError as error:
        raise error.under(key) from None


def _parameter(
    room: str, agent: int, name: str, value: bool | int | float | str, key: str, own: Own | None = None
) -> Value:
    is_known = name in sets.parameters(room) if room.startswith("modern_") else _knows(agent, name)
    if not is_known:
        known = [*(sets.parameters(room) if room else ()), *(own.parameters if own else ())]
        raise ScenarioError(
            "the engine has no such parameter here", key=f"{key}.{name}", value=value, nearest=nearest(name, known)
        )
    try:
        return sets.parameter_value(room, name, value)
    except ScenarioError as error:
        raise error.under(name).under(key) from None


class _Ways:
    """The ways between nodes that the engine's routes make."""

    def __init__(self, network: Network) -> None:
        self._bench = Simulation()
        self._by_ends = {(link.source, link.target): number for number, link in enumerate(network.links)}
        self._hops: dict[int, list[int | None]] = {}
        self._onward: dict[int, list[int]] = {}
        for link in network.links:
            self._bench.set_route_cost(link.source, link.target, link.cost)
            self._onward.setdefault(link.source, []).append(link.target)

    def links(self, first: int, last: int) -> list[int]:
        """The links on the way; empty where there is none."""
        path: list[int] = []
        here = first
        while here != last and len(path) <= len(self._onward):
            step = self._step(here, last)
            if step is None:
                return []
            path.append(self._by_ends[here, step])
            here = step
        return path if here == last else []

    def _step(self, here: int, last: int) -> int | None:
        onward = self._onward.get(here, [])
        if len(onward) == 1:
            # Most nodes are hosts, and a host has no choice: the engine need not compute all its ways.
            return onward[0]
        if here not in self._hops:
            self._hops[here] = self._bench.next_hops(here)
        row = self._hops[here]
        return row[last] if last < len(row) else None


def _round_trips(network: Network, described: list[int]) -> dict[int, tuple[float, int]]:
    """For each link the longest round trip of the flows over it, s, and their biggest packet, bytes."""
    ways = _Ways(network)
    found: dict[int, tuple[float, int]] = {}
    for flow, index in zip(network.flows, described, strict=True):
        there = ways.links(flow.source, flow.destination)
        back = ways.links(flow.destination, flow.source)
        first, last = network.nodes[flow.source], network.nodes[flow.destination]
        if not there or (flow.is_tcp and not back):
            missing = f"{first} to {last}" if not there else f"{last} to {first}, for the ACKs"
            raise ScenarioError(f"there is no way from {missing}; expected links that lead there", key=f"flows.{index}")
        trip_s = sum(network.links[number].delay_s for number in (*there, *back))
        if trip_s == 0:
            loop = f"the way from {first} to {last} and back has no delay at all"
            raise ScenarioError(f"{loop}; expected more than 0 s on one of its links", key=f"flows.{index}")
        for number in (*there, *back) if flow.is_two_way else there:
            longest, biggest = found.get(number, (0.0, 0))
            found[number] = (max(longest, trip_s), max(biggest, flow.wire_bytes))
    return found


def _events(change: Change, network: Network, key: str) -> list[Event]:
    at_s = time_s(change.at)
    found = []
    for link in network.links_named(change.link, f"{key}.link"):
        if change.rate is not None:
            if network.links[link].deliveries is not None:
                has = "the link has a recording of deliveries, not a rate"
                raise ScenarioError(has, key=f"{key}.rate", value=change.rate)
            found.append(Event(at_s, "rate", link, rate_bps(change.rate)))
        if change.delay is not None:
            found.append(Event(at_s, "delay", link, time_s(change.delay)))
        if change.cost is not None:
            found.append(Event(at_s, "cost", link, change.cost))
        if change.up is not None:
            found.append(Event(at_s, "up" if change.up else "down", link, 0.0))
    return found
