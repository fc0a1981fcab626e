"""Parts of descriptions, as crates/scenario/src/model/traffic.rs declares them.

Written by tools/write_scenario_types.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ackclock.plugins import CongestionControl
from ackclock.scenario.model.apps import App, Ftp
from ackclock.scenario.model.part import Part
from ackclock.scenario.model.typed import Data, Parameters, Size, Time, Window


@dataclass(frozen=True, kw_only=True)
class Arrivals(Part):
    """Web-like traffic: short transfers in sequence, each a connection of its own.

    With the application `requests`, the objects are responses; otherwise they go from source to destination.

    Pages are requested at exponentially distributed intervals of mean `interval`. The number of objects of a page is
    Pareto distributed with mean `objects` and shape `objects_shape` (P. Barford and M. Crovella, "Generating
    representative Web workloads", 1998, found 2.43). They are requested in sequence at exponentially distributed
    intervals of mean `spacing`. The objects' sizes are Pareto distributed with mean `size` and this `shape` (M. E.
    Crovella and A. Bestavros, "Self-similarity in World Wide Web traffic", 1997, found 1.0 to 1.3), in whole packets.
    """

    part = "Arrivals"
    renamed: ClassVar[Mapping[str, str]] = {"every": "interval"}

    interval: Time
    """Mean interval between pages."""
    size: Data
    """Mean size of an object."""
    shape: float = 1.2
    """The shape of the sizes."""
    objects: float = 1.0
    """Mean number of objects of a page."""
    objects_shape: float = 2.43
    """The shape of these numbers."""
    spacing: Time = "0 s"
    """Mean interval between the objects of a page."""


@dataclass(frozen=True, kw_only=True)
class Span(Part):
    """A time in which the application sends, from `start` to `stop`; without `stop` until the end."""

    part = "Span"

    start: Time
    """When it begins."""
    stop: Time | None = None
    """When it ends."""


@dataclass(frozen=True, kw_only=True)
class Flow(Part):
    """Packets from one node to another.

    `source` and `destination` name nodes. In a dumbbell `pair = 1` is left1 to right1, and `pair = 0` a flow for each
    pair. `tcp` is a variant's id (`ackclock list`); without it the packets are UDP datagrams. `app` is the source of
    data. `id` is the flow id in packets and traces, by default 1, 2, ... in the order of flows.

    Two-way variants (tcp, full, full_sack, ...) are the same at both ends. They have a handshake, both ends may send,
    and the end that stops closes the connection; with several `spans`, `tcp` keeps it open. Their `parameters` apply to
    both ends.

    With `tcp = "linux"`, `"tcp"` or `"ns3"`, `control` names the congestion control. `tcp = "cubic"`, or the name of
    another control of `tcp`, means `tcp = "tcp"` with it. With `reno`, `new_reno`, `sack` or `tcp`, `control` may be a
    user-defined class, or its name (`module:Class`). `tcp = "./libmine.so:Mine"` is a control of a shared library, `tcp
    = "kernel:cubic"` one of the Linux kernel's.

    `receiver` is a receiver's id, by default the default set's. `parameters` are the sender's and `receiver_parameters`
    the receiver's, by the engine's names. `window` and `packet_size` (data, without headers) are two of the sender's.

    The application sends from `start` to `stop`, or in each of its `spans`. With `start_jitter`, each flow starts at a
    random time within this time after `start`, which depends only on the seed and the flow. With `arrivals` there are
    many flows, a transfer each, that arrive from `start` to `stop`.

    `dscp` is the DiffServ code point of the source's packets, by number or name ("EF", "CS1", "AF41"). CAKE's tins and
    the bands of `linux_fq` go by it. ACKs have none.
    """

    part = "Flow"
    renamed: ClassVar[Mapping[str, str]] = {"spread": "start_jitter"}
    belongs: ClassVar[Mapping[str, str]] = {
        "size": 'a transfer\'s size belongs to its app: app = { kind = "ftp", size = "1 MB" }',
        "rate": 'a rate belongs to the app: app = { kind = "cbr", rate = "1 Mb/s" }',
        "queue": "a queue belongs to a link of the topology",
    }

    pair: int | None = None
    """In a dumbbell, the pair of hosts; 0 for a flow of each pair."""
    source: str | None = None
    """The node that sends."""
    destination: str | None = None
    """The node that receives."""
    tcp: str | None = None
    """A TCP variant; without it the packets are UDP datagrams."""
    control: str | type[CongestionControl] | None = None
    """The congestion control, for senders that have several: its name, or a user-defined class or its name
    (`module:Class`).
    """
    app: App = field(default_factory=Ftp)
    """The source of data."""
    arrivals: Arrivals | None = None
    """How transfers come, where there are many."""
    start: Time = "0 s"
    """When it begins to send."""
    start_jitter: Time = "0 s"
    """The largest random delay of its start."""
    stop: Time | None = None
    """When it ceases to send."""
    spans: list[Span] | None = None
    """The times in which it sends, instead of `start` and `stop`."""
    packet_size: Size | None = None
    """Data in a packet, without headers."""
    window: Window | None = None
    """The sender's largest window."""
    receiver: str | None = None
    """The receiver's id."""
    dscp: int | str | None = None
    """The DiffServ code point of the source's packets."""
    parameters: Parameters = field(default_factory=dict)
    """The sender's parameters, by the engine's names."""
    receiver_parameters: Parameters = field(default_factory=dict)
    """The receiver's parameters, by the engine's names."""
    id: int | None = None
    """The flow id in packets and traces."""
    name: str | None = None
    """Its name in results."""
