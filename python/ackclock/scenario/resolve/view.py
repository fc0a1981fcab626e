"""The parts of a resolved network as Python sees them: links, losses, flows, changes."""

from __future__ import annotations

from dataclasses import dataclass, field

from ackclock.scenario.model.apps import App
from ackclock.scenario.model.loss import Loss
from ackclock.scenario.model.topology import Queue

#: A parameter of the engine.
Value = bool | int | float


@dataclass
class LinkLoss:
    """A loss on a link in one direction; `flow_ids` are those of the flows that it concerns, `None` for all.

    `key` is where the scenario describes it. `states` are those of a channel that has some: of each the probability of
    a loss, those of the next state, and how long it lasts, s.
    """

    loss: Loss
    key: str
    flow_ids: list[int] | None
    states: list[tuple[float, list[float], float]]


@dataclass(kw_only=True)
class DirectedLink:
    """A link in one direction. `key` and `queue_key` are where the scenario describes it and its queue.

    `parameters` and `commands` are what its queue is told. `deliveries` are the instants, ms, at which it can send,
    where it cannot always. `slots` are the instants, s, at which it sends up to a number of bytes. `radio_key` is where
    its Wi-Fi medium or its 5G carrier is described, if it has one.
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
    slots: list[tuple[float, int]]
    radio_key: str | None
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
