"""What a described flow comes to: who talks to whom, with which sender and receiver, parameters, and when it is fed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ackclock._native import Agent, congestion_controls, ecn_controls, tcp_receivers, tcp_senders, tcp_two_way
from ackclock.plugins.classes import Own
from ackclock.plugins.library import is_library
from ackclock.scenario import defaults as sets
from ackclock.scenario.errors import ScenarioError, choose, nearest, renamed
from ackclock.scenario.model.dscp import code_point
from ackclock.scenario.model.scenario import Scenario
from ackclock.scenario.model.topology import Dumbbell
from ackclock.scenario.model.traffic import (
    CALL_RECEIVER,
    CALL_SENDER,
    TAKE_DATAGRAMS,
    App,
    Call,
    Cbr,
    Exponential,
    Flow,
    Pareto,
    Requests,
    Video,
)
from ackclock.scenario.model.typed import plain
from ackclock.scenario.resolve.engine_names import names
from ackclock.scenario.resolve.kernel import SENDER, KernelChoice, kernel_choice
from ackclock.scenario.resolve.layout import Value
from ackclock.scenario.resolve.library import LibraryChoice, library_choice
from ackclock.scenario.resolve.plugins import own_control, own_parameter
from ackclock.scenario.resolve.transfers import jittered_starts, transfers
from ackclock.scenario.resolve.trial_engine import agent_engine
from ackclock.scenario.units import amount, rate_bps, size_bytes, time_s


@dataclass(kw_only=True)
class ResolvedFlow:
    """A sender, a receiver, and what feeds the sender."""

    name: str
    source: int
    destination: int
    sender: str
    receiver: str
    control: str | None
    app: App
    flow_id: int
    #: what the names of its random streams begin with
    stream: str
    #: when it is fed: from, to (`None`: the end)
    spans_s: list[tuple[float, float | None]]
    parameters: dict[str, Value]
    receiver_parameters: dict[str, Value]
    wire_bytes: int
    #: packets of a finite transfer
    packets: int | None = None
    #: what decides about the sender's window, if it is the user's own
    own: Own | None = None
    #: the same, if it is the kernel's or a shared library's
    compiled: KernelChoice | LibraryChoice | None = None

    @property
    def chooses_first(self) -> bool:
        """Whether the sender takes its congestion control before its parameters, some of which are the control's."""
        return self.sender == "tcp"

    def choose_control(self, agent: Agent) -> None:
        """Give the agent its congestion control: the engine's by name, or a compiled one with its parameters."""
        if self.compiled is not None:
            self.compiled.give(agent, self.name)
        elif self.control is not None:
            agent.command("congestion_control", [self.control])

    @property
    def is_two_way(self) -> bool:
        """Whether both ends are of the same kind: there is a handshake, and both may send data."""
        return self.sender == "tcp" or self.sender.startswith("full")

    @property
    def replies_with_data(self) -> bool:
        """Whether the receiver may send more than ACKs."""
        return isinstance(self.app, (Requests, Video)) or self.sender.startswith("full")

    @property
    def is_tcp(self) -> bool:
        """Whether there is a window to follow."""
        return self.sender not in ("udp", CALL_SENDER)

    @property
    def has_replies(self) -> bool:
        """Whether the receiver sends something back: ACKs, or reports."""
        return self.sender != "udp"


#: bytes of an IPv4 header and a UDP header
_UDP_IP_BYTES = 28

_USUAL = ("cubic", "reno", "new_reno", "sack", "bbr", "bbr3", "vegas", "dctcp", "tcp", "linux", "tahoe", "prague")


class _Terms(NamedTuple):
    """What all conversations of a described flow have in common; `kind` begins the names of those that have none."""

    kind: str
    sender: str
    receiver: str
    control: str | None
    own: Own | None
    parameters: dict[str, Value]
    receiver_parameters: dict[str, Value]
    packet_bytes: int
    wire_bytes: int
    compiled: KernelChoice | LibraryChoice | None = None


#: Two nodes, by their numbers: who sends, who receives.
_Ends = tuple[int, int]
#: When something is fed: from, to (`None`: the end), s.
_SpansS = list[tuple[float, float | None]]


def resolve_flows(
    flow: Flow, index: int, before: int, scenario: Scenario, numbers: Mapping[str, int], stream: str, *, to_run: bool
) -> list[ResolvedFlow]:
    """What a described flow stands for: one conversation, or one for each pair, or for each transfer that comes.

    `index` is the flow's number in the description, `before` how many conversations those before it came to, `numbers`
    are the nodes' by their names, and the names of its random streams begin with `stream`. What depends neither on ends
    nor on instants is worked out once, and is the same object in all of them. `ScenarioError`, with the key within the
    flow, for what no engine can be told.
    """
    every = _ends(flow, scenario, numbers)
    terms = _datagrams(flow) if flow.tcp is None else _over_tcp(flow, flow.tcp, scenario, to_run)
    if flow.dscp is not None:
        terms.parameters["dscp"] = code_point(flow.dscp)
    return [
        ResolvedFlow(
            name=name or f"{terms.kind}-{number}",
            source=ends[0],
            destination=ends[1],
            sender=terms.sender,
            receiver=terms.receiver,
            control=terms.control,
            app=app,
            flow_id=number if flow.id is None else flow.id,
            stream=f"{stream}/{place}",
            spans_s=spans_s,
            parameters=terms.parameters,
            receiver_parameters=terms.receiver_parameters,
            wire_bytes=terms.wire_bytes,
            packets=_packets(app, terms),
            own=terms.own,
            compiled=terms.compiled,
        )
        for number, (ends, name, place, app, spans_s) in enumerate(
            _fed(flow, every, index, scenario, stream), start=before + 1
        )
    ]


def _fed(
    flow: Flow, every: list[_Ends], index: int, scenario: Scenario, stream: str
) -> Iterator[tuple[_Ends, str | None, str, App, _SpansS]]:
    """Between whom, under which name, which of the described flow's it is, by what, and when."""
    name = None if flow.pair == 0 else flow.name
    if flow.arrivals is not None:
        every_transfer = zip(every, transfers(flow, len(every), index, scenario, stream), strict=True)
        for place, (ends, coming) in enumerate(every_transfer, start=1):
            for number, (start_s, app) in enumerate(coming, start=1):
                yield ends, f"{name or kind_of(flow)}.{number}", f"{place}.{number}", app, [(start_s, None)]
    elif time_s(flow.start_jitter) > 0:
        starts_s = jittered_starts(flow, len(every), index, scenario, stream)
        for place, (ends, start_s) in enumerate(zip(every, starts_s, strict=True), start=1):
            yield ends, name, str(place), flow.app, [_span_s(f"{start_s!r} s", flow.stop, "stop")]
    else:
        spans_s = _spans_s(flow)
        for place, ends in enumerate(every, start=1):
            yield ends, name, str(place), flow.app, spans_s


def _datagrams(flow: Flow) -> _Terms:
    app = flow.app
    if isinstance(app, Call):
        return _call(flow, app)
    assert isinstance(app, (Cbr, Exponential, Pareto))
    sender = "udp"
    receiver = choose(flow.receiver or TAKE_DATAGRAMS[0], TAKE_DATAGRAMS, "a receiver for datagrams", "receiver")
    packet = size_bytes(flow.packet_size) if flow.packet_size else max(1000, size_bytes(app.packet_size))
    parameters: dict[str, Value] = {"packet_size": packet}
    for name, value in flow.parameters.items():
        parameters[name] = _parameter("", sender, name, value, "parameters")
    receivers = {
        name: _parameter("", receiver, name, value, "receiver_parameters")
        for name, value in flow.receiver_parameters.items()
    }
    wire = min(packet, size_bytes(app.packet_size))
    return _Terms(app.kind, sender, receiver, None, None, parameters, receivers, packet, wire)


def _call(flow: Flow, app: Call) -> _Terms:
    receiver = choose(flow.receiver or CALL_RECEIVER, (CALL_RECEIVER,), "the receiver of a call", "receiver")
    packet = size_bytes(flow.packet_size) if flow.packet_size else int(_agent(CALL_SENDER).param("mss"))
    parameters: dict[str, Value] = {
        "mss": packet,
        "target_bitrate_min": rate_bps(app.min_rate),
        "target_bitrate_max": rate_bps(app.max_rate),
    }
    for name, value in flow.parameters.items():
        parameters[name] = _parameter("", CALL_SENDER, name, value, "parameters")
    receivers: dict[str, Value] = {"deadline": time_s(app.deadline)}
    for name, value in flow.receiver_parameters.items():
        receivers[name] = _parameter("", receiver, name, value, "receiver_parameters")
    wire = packet + _UDP_IP_BYTES
    return _Terms(app.kind, CALL_SENDER, receiver, None, None, parameters, receivers, packet, wire)


def _over_tcp(flow: Flow, tcp: str, scenario: Scenario, to_run: bool) -> _Terms:
    own = own_control(flow.control, to_run=to_run)
    two_way = names(tcp_two_way)
    compiled = kernel_choice(tcp, to_run=to_run) or library_choice(tcp, to_run=to_run)
    sender, named = _sender(tcp, scenario.defaults) if compiled is None else (SENDER, tcp)
    if named is not None and flow.control is not None:
        expected = f'{named} is a congestion control itself; another one goes with tcp = "{sender}"'
        raise ScenarioError(expected, key="control", value=flow.control)
    receiver = flow.receiver or (sender if sender in two_way else sets.receiver(scenario.defaults, sender))
    others: Sequence[str] = names(tcp_receivers)
    if sender in two_way:
        others = ["tcp"] if sender == "tcp" else [name for name in two_way if name != "tcp"]
    renamed(receiver, {"sink_modern": "tcp", "tcp_receiver": "tcp"}, "receiver")
    choose(receiver, others, f"a receiver for {sender}", "receiver")
    _check_two_way(flow, sender)
    packet = size_bytes(flow.packet_size) if flow.packet_size else sets.packet_bytes(scenario.defaults)
    parameters: dict[str, Value] = sets.sender_values(scenario.defaults, sender, packet)
    parameters["segsize" if sender in two_way else "packet_size"] = packet
    if flow.window is not None:
        parameters["window"] = amount(flow.window, "window").number
    if own is None and flow.control is not None:
        controls = names(congestion_controls, sender)
        named = choose(str(flow.control), controls, f"a congestion control of {sender}", "control")
    room = "full" if sender.startswith("full") else "one_way"
    if sender == "tcp":
        room = "tcp" if own or compiled else f"tcp_{named or names(congestion_controls, sender)[0]}"
        # What ns-2's senders have and this one does not is no parameter of it. Linux sizes its window by memory.
        has = {*sets.parameters(room), "segsize"} - ({"window"} if flow.window is None else set())
        parameters = {name: value for name, value in parameters.items() if name in has}
        if flow.spans is not None and len(flow.spans) > 1:
            parameters["fin"] = False
    for name, value in flow.parameters.items():
        if compiled is not None and compiled.take(name, value):
            continue
        if compiled is not None and not _knows(sender, name):
            raise compiled.unknown(name, value)
        if own is not None and (name in own.parameters or not (own.is_there or _knows(sender, name))):
            own.parameters[name] = _own_parameter(own, name, value, "parameters")
        else:
            parameters[name] = _parameter(room, sender, name, value, "parameters", own)
    if sender == "tcp" and own is None and compiled is None:
        _check_marks(named or names(congestion_controls, sender)[0], parameters)
    given = sets.receiver_values(scenario.defaults)
    receivers: dict[str, Value] = {name: value for name, value in given.items() if _knows(receiver, name)}
    theirs = ""
    if sender in two_way:
        # Both ends of a two-way connection are senders.
        theirs = room
        receivers |= parameters
    for name, value in flow.receiver_parameters.items():
        receivers[name] = _parameter(theirs, receiver, name, value, "receiver_parameters")
    wire = packet
    if sender == "tcp":
        wire += 52 if parameters.get("timestamps", True) else 40
    elif sender not in sets.data()["ns2_35"]["without_headers"]:
        wire += int(parameters.get("tcpip_base_hdr_size", 40))
        wire += int(parameters.get("ts_option_size", 10)) if parameters.get("timestamps") else 0
    control: str | None = named or plain(flow.control)
    return _Terms(kind_of(flow), sender, receiver, control, own, parameters, receivers, packet, wire, compiled)


def kind_of(flow: Flow) -> str:
    """What a TCP flow without a name is called: its congestion control if it names one, else its variant."""
    control = str(flow.tcp) if is_library(flow.tcp) else plain(flow.control)
    return str(flow.tcp).replace(":", "_") if control is None else control.rpartition(":")[2]


def _check_marks(control: str, parameters: Mapping[str, Value]) -> None:
    """`ScenarioError` for ECN with a control that does not respond to marks. RFC 3168, 5: marks are congestion."""
    key = next((name for name in ("ecn", "acc_ecn") if parameters.get(name)), None)
    if key is not None and control not in ecn_controls():
        listed = ", ".join(ecn_controls())
        expected = f"{control} does not respond to ECN marks; expected one of the controls {listed}"
        raise ScenarioError(expected, key=f"parameters.{key}", value=True)


def _sender(tcp: str, defaults: str) -> tuple[str, str | None]:
    """The sender that `tcp` names, and the congestion control if it is that one's name."""
    senders = (*names(tcp_senders), *names(tcp_two_way))
    renamed(tcp, {"modern": "tcp", "full_linux": "tcp"}, "tcp")
    controls = names(congestion_controls, "tcp")
    if tcp in controls and (tcp not in senders or sets.sender(defaults) == "tcp"):
        return "tcp", tcp
    # An error lists those first that people look for.
    known = list(dict.fromkeys([*(name for name in _USUAL if name in (*senders, *controls)), *senders, *controls]))
    return choose(tcp, known, "a TCP variant", "tcp"), None


def _check_two_way(flow: Flow, sender: str) -> None:
    if isinstance(flow.app, (Requests, Video)) and sender not in names(tcp_two_way):
        listed = ", ".join(names(tcp_two_way))
        raise ScenarioError(f"requests go both ways; expected two-way TCP: {listed}", key="tcp", value=flow.tcp)
    if sender.startswith("full") and flow.spans is not None and len(flow.spans) > 1:
        raise ScenarioError(f"{sender} closes the connection at a stop; expected one span", key="spans")


def _spans_s(flow: Flow) -> _SpansS:
    if flow.spans is None:
        return [_span_s(flow.start, flow.stop, "stop")]
    return [_span_s(span.start, span.stop, f"spans.{index}.stop") for index, span in enumerate(flow.spans)]


def _span_s(start: str, stop: str | None, key: str) -> tuple[float, float | None]:
    start_s, stop_s = time_s(start), time_s(stop) if stop else None
    if stop_s is not None and stop_s < start_s:
        raise ScenarioError(f"the flow would stop before it starts, at {start}", key=key, value=stop)
    return start_s, stop_s


def _packets(app: App, terms: _Terms) -> int | None:
    """How many a finite transfer has."""
    size = getattr(app, "size", None)
    if size is None:
        return None
    data = amount(size, "data")
    packets = int(data.number) if data.unit == "packets" else math.ceil(data.number / terms.packet_bytes)
    return packets + (terms.sender in sets.data()["ns2_35"]["syn_is_of_the_file"])


def _ends(flow: Flow, scenario: Scenario, numbers: Mapping[str, int]) -> list[_Ends]:
    if flow.pair is not None:
        if not isinstance(scenario.topology, Dumbbell):
            expected = "only a dumbbell has pairs; expected source and destination"
            raise ScenarioError(expected, key="pair", value=flow.pair)
        most = scenario.topology.pairs
        if not 0 <= flow.pair <= most:
            raise ScenarioError(f"expected a pair, 1 to {most}, or 0 for each", key="pair", value=flow.pair)
        pairs = [flow.pair] if flow.pair else range(1, most + 1)
        return [(numbers[f"left{pair}"], numbers[f"right{pair}"]) for pair in pairs]
    assert flow.source is not None and flow.destination is not None
    for key, name in (("source", flow.source), ("destination", flow.destination)):
        if name not in numbers:
            choose(name, numbers, "a node", key)
    if flow.source == flow.destination:
        raise ScenarioError("a flow goes from one node to another", key="destination", value=flow.destination)
    return [(numbers[flow.source], numbers[flow.destination])]


@cache
def _agent(kind: str) -> Agent:
    return agent_engine().add_agent(kind)


def _knows(kind: str, name: str) -> bool:
    try:
        _agent(kind).param(name)
    except KeyError:
        return False
    return True


def _own_parameter(own: Own, name: str, value: bool | int | float | str, key: str) -> Value:
    try:
        return own_parameter(own, name, value)
    except ScenarioError as error:
        raise error.under(key) from None


def _parameter(
    room: str, kind: str, name: str, value: bool | int | float | str, key: str, own: Own | None = None
) -> Value:
    """A parameter of an agent of this kind; `room` is where the default sets tell of those, if they do."""
    is_known = name in sets.parameters(room) if room.startswith("tcp_") else _knows(kind, name)
    if not is_known:
        known = [*(sets.parameters(room) if room else ()), *(own.parameters if own else ())]
        raise ScenarioError("unknown parameter", key=f"{key}.{name}", value=value, nearest=nearest(name, known))
    try:
        return sets.parameter_value(room, name, value)
    except ScenarioError as error:
        raise error.under(name).under(key) from None
