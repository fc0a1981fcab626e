"""What a scenario comes to: numbered nodes, one-way links, senders and receivers, instants. Nothing is left open.

`crates/scenario` computes it; here is how Python sees it. `resolve` checks what no single part of a description can:
names, ways between nodes, parameters that the engine knows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ackclock._native import ResolvedNetwork
from ackclock.scenario.model.loss import Loss
from ackclock.scenario.model.scenario import Scenario
from ackclock.scenario.model.topology import Queue
from ackclock.scenario.model.traffic import App, Ftp, Requests
from ackclock.scenario.resolve.named_code import NamedCode, part_at

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


@dataclass(kw_only=True)
class DirectedLink:
    """A link in one direction. `key` and `queue_key` are where the scenario describes it and its queue.

    `parameters` and `commands` are what its queue is told. `deliveries` are the instants, ms, at which it can send,
    where it cannot always. `wifi_key` is where its Wi-Fi medium is described, if it sends over one.
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
    deliveries: list[int] | None
    wifi_key: str | None
    parameters: dict[str, Value]
    commands: list[str]


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
    parameters: dict[str, Value] = field(default_factory=dict)
    receiver_parameters: dict[str, Value] = field(default_factory=dict)
    wire_bytes: int = 0
    #: packets of a finite transfer
    packets: int | None = None
    #: the parameters of what decides about the sender's window, if that is a class of the user's own
    own: dict[str, Value] | None = None

    @property
    def is_two_way(self) -> bool:
        """Whether both ends are of the same kind: there is a handshake, and both may send data."""
        return self.sender == "tcp" or self.sender.startswith("full")

    @property
    def is_tcp(self) -> bool:
        """Whether there is a window to follow."""
        return self.sender not in ("udp", "scream")

    @property
    def has_replies(self) -> bool:
        """Whether the receiver sends something back: ACKs, or reports."""
        return self.sender != "udp"


@dataclass
class Event:
    """Something that happens to a link: rate (bit/s), delay (s), cost, up, down or cut."""

    at_s: float
    what: str
    link: int
    value: float


class Network:
    """A scenario with nothing left open. `native` builds simulations of it, with the objects of `code`."""

    def __init__(self, scenario: Scenario, code: NamedCode) -> None:
        self._scenario, self.code = scenario, code
        self.native = ResolvedNetwork(scenario, code)

    @cached_property
    def nodes(self) -> list[str]:
        """Names of the nodes, by number."""
        return self.native.nodes()

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The nodes' numbers by their names."""
        return {name: number for number, name in enumerate(self.nodes)}

    @cached_property
    def links(self) -> list[DirectedLink]:
        """The links, by number."""
        parts: dict[str, Any] = {}

        def part(key: str) -> Any:
            if key not in parts:
                parts[key] = part_at(self._scenario, key)
            return parts[key]

        found = []
        for told in self.native.links():
            losses = [LinkLoss(part(key), key, flow_ids) for key, flow_ids in told.pop("losses")]
            found.append(DirectedLink(queue=part(told["queue_key"]), losses=losses, **told))
        return found

    @cached_property
    def flows(self) -> list[ResolvedFlow]:
        """The flows, by number."""
        found = []
        for told in self.native.flows():
            described = self._scenario.flows[told.pop("described")]
            response_bytes, app = told.pop("response_bytes"), described.app
            if described.arrivals is not None and isinstance(app, Requests):
                app = replace(app, response=f"{response_bytes} B")
            elif described.arrivals is not None:
                app = Ftp(size=f"{told['packets']} packets")
            found.append(ResolvedFlow(app=app, **told))
        return found

    @cached_property
    def events(self) -> list[Event]:
        """Changes of links, in the order of time."""
        return [Event(*told) for told in self.native.events()]

    @property
    def duration_s(self) -> float:
        """How long it lasts, s."""
        return self.native.duration_s

    def link_name(self, number: int) -> str:
        """A link as `a->b`."""
        link = self.links[number]
        return f"{self.nodes[link.source]}->{self.nodes[link.target]}"

    def own_code(self) -> list[dict[str, str | None]]:
        """The user's classes and compiled controls that it runs: `class` and `source_sha256`, as results have them."""
        if not self.code.is_named:
            return []
        from ackclock.scenario.resolve.plugins import own_code

        return own_code(self._scenario)

    def names(self) -> dict[str, list[str]]:
        """Names of flows and links, in the order of their numbers."""
        return {"flows": self.native.flow_names(), "links": self.native.link_names()}


def resolve(scenario: Scenario, *, to_run: bool = True, beside: Path | None = None) -> Network:
    """The network that a scenario describes. `ScenarioError` where it describes none.

    `to_run` false: only to be shown, so no class of the user's own is imported. `beside` is the folder from which its
    modules are imported first.
    """
    return Network(scenario, NamedCode(scenario, beside, to_run=to_run))
