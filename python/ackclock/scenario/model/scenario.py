"""Parts of descriptions, as crates/scenario/src/model/scenario.rs declares them.

Written by tools/write_scenario_types.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ackclock.scenario.model.part import Part, Whole
from ackclock.scenario.model.seed import Seed
from ackclock.scenario.model.topology import Topology
from ackclock.scenario.model.traffic import Flow
from ackclock.scenario.model.typed import Rate, Time


@dataclass(frozen=True, kw_only=True)
class Change(Part):
    """A change of a link at a given time: its rate, its delay, its cost, or whether it is up.

    `at` is the time; `link` is `a->b`, one direction, or `a-b`, both. `rate`, `delay`, `cost` and `up` are the new
    values. A link that goes down loses its queue, the packets on the wire, and all arrivals.
    """

    part = "Change"

    at: Time
    """When it happens."""
    link: str
    """The link: `a->b` is one direction, `a-b` both."""
    rate: Rate | None = None
    """The new rate."""
    delay: Time | None = None
    """The new delay."""
    cost: float | None = None
    """The new cost."""
    up: bool | None = None
    """Whether it is up from now on."""


@dataclass(frozen=True, kw_only=True)
class Record(Part):
    """What is recorded of a run besides the totals.

    `sample` is the time between samples of the series ("0 s": none). `changes` records each change of windows, RTT
    samples and queues, `packets` each packet on each link. `trace` names the links in a `.tr` or `.nam` file; all by
    default. `capture` names the nodes and links in a `.pcapng` file, an interface each; by default the nodes where
    flows start. `qlog` names the flows of today's TCP that get a `.sqlog` file; all by default.
    """

    part = "Record"

    sample: Time = "0.1 s"
    """The time between samples of the series; "0 s" for none."""
    changes: bool = False
    """Whether each change of windows, RTT samples and queues is recorded."""
    packets: bool = False
    """Whether each packet on each link is recorded."""
    trace: list[str] | None = None
    """The links in a `.tr` or `.nam` file; all without it."""
    capture: list[str] | None = None
    """The nodes and links in a `.pcapng` file; without it, the nodes where flows start."""
    qlog: list[str] | None = None
    """The flows of today's TCP that write a `.sqlog` file; all without it."""


@dataclass(frozen=True, kw_only=True)
class Scenario(Whole):
    """A network (`topology`), its `flows` and a `duration`.

    `defaults` names the set of default values: `ns2_35`, `ns2_29`, `rfc`, `linux` or `ns3_25`. `name` is a title.
    `changes` are changes of links, `record` is what the results contain.

    `seed`, a whole number from 0 to 2**64 - 1, is hashed into a stream of random numbers for every flow, link and loss.
    Runs with different seeds are independent, consecutive ones too. `"ns2:7"` instead means ns-2's seed 7: one stream
    for all draws. Without a seed, draws come from that stream as it is when ns-2 starts. Nothing else is random: the
    same description gives the same packets.

    With `routing` static, routes follow the costs at the start. With session, all are recomputed at once when a link
    fails, recovers or changes its cost. A destination that becomes unreachable keeps its old route.

    `external_nodes` names the nodes where packets of other programs enter and leave. Such a scenario is run by
    `ackclock emulate`, in real time, or by `ackclock quic`, and needs no flows of its own.
    """

    part = "Scenario"
    renamed: ClassVar[Mapping[str, str]] = {"ends": "external_nodes"}
    belongs: ClassVar[Mapping[str, str]] = {
        "link": "links belong to the topology: bottleneck and access of a dumbbell, links of a graph",
        "links": "links belong to the topology: bottleneck and access of a dumbbell, links of a graph",
        "bottleneck": "it belongs to the topology",
        "queue": "a queue belongs to a link of the topology",
        "sample": "it belongs to record",
        "packets": "it belongs to record",
    }
    words: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "defaults": ("ns2_35", "ns2_29", "rfc", "linux", "ns3_25"),
        "routing": ("static", "session"),
    }

    topology: Topology
    """Nodes and links."""
    flows: list[Flow] = field(default_factory=list)
    """Who sends to whom."""
    duration: Time
    """How long it lasts."""
    external_nodes: list[str] = field(default_factory=list)
    """Where packets of endpoints outside of the simulation enter and leave."""
    name: str = ""
    """A title."""
    defaults: str = "ns2_35"
    """The set of default values."""
    seed: Seed | None = None
    """The seed of the random numbers."""
    routing: str = "static"
    """When routes are computed."""
    changes: list[Change] = field(default_factory=list)
    """Changes of links."""
    record: Record = field(default_factory=Record)
    """What the results contain."""
