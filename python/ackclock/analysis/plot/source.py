"""The interface of plots to a run's tables and to a trace file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ackclock.analysis.plot.options import View
from ackclock.analysis.plot.panel import Numbers

#: Events of packets; in arrays each is its place here.
EVENTS = ("enqueue", "dequeue", "receive", "drop", "error", "hop")
ENQUEUE, RECEIVE, DROP = EVENTS.index("enqueue"), EVENTS.index("receive"), EVENTS.index("drop")


def numbered(events: list[str]) -> NDArray[np.int8]:
    """Events as their places in `EVENTS`."""
    place = {event: number for number, event in enumerate(EVENTS)}
    return np.fromiter((place[event] for event in events), dtype=np.int8, count=len(events))


def counted(times: Numbers, interval_s: float, end_s: float) -> tuple[Numbers, Numbers]:
    """How many instants lie in each interval up to the end: when the intervals end, and the counts."""
    ends: Numbers = interval_s * np.arange(1.0, math.floor(end_s / interval_s + 1e-6) + 2)
    count, _ = np.histogram(times, bins=np.append(0.0, ends))
    return ends, count.astype(np.float64)


def delays(rows: Mapping[str, NDArray[Any]], source: int, destination: int) -> tuple[Numbers, Numbers]:
    """When the packets from `source` to `destination` arrived, and how long they took, s. A retransmission is a packet
    of its own.
    """
    event, number = rows["event"], rows["packet"]
    own = (rows["source_node"] == source) & (rows["destination_node"] == destination)
    sent = np.flatnonzero(own & (event == ENQUEUE) & (rows["from_node"] == source))
    came = np.flatnonzero(own & (event == RECEIVE) & (rows["to_node"] == destination))
    if not len(sent) or not len(came):
        return np.empty(0), np.empty(0)
    known, first = np.unique(number[sent], return_index=True)
    place = np.minimum(np.searchsorted(known, number[came]), len(known) - 1)
    there = known[place] == number[came]
    arrived = rows["time_s"][came[there]]
    return arrived, arrived - rows["time_s"][sent[first[place[there]]]]


class Intervals(NamedTuple):
    """A figure of each flow or link over intervals of one length."""

    interval_s: float
    #: flow or link -> when its intervals end, and the figure
    of: dict[int, tuple[Numbers, Numbers]]


@dataclass(frozen=True, eq=False)
class Segments:
    """What became of a flow's packets: times and sequence numbers."""

    #: sent for the first time, with that number
    sent: tuple[Numbers, Numbers]
    #: sent with a number and size that were there before
    again: tuple[Numbers, Numbers]
    #: acknowledgements that reached the sender
    acked: tuple[Numbers, Numbers]
    #: lost, on whatever link
    lost: tuple[Numbers, Numbers]
    #: what is numbered: packets or bytes
    unit: str

    @classmethod
    def of(cls, rows: Mapping[str, NDArray[Any]], source: int, destination: int) -> Segments:
        """From the events of both directions of one flow, in the order of time; its ends are nodes.

        A packet is sent where it enters a link at its source (`enqueue`), an acknowledgement has come where a packet of
        the other direction is received at the source. The size tells data from the handshake's last ACK, which in
        two-way TCP has the number of the first data. Two-way TCP's own acknowledgements stand in no column: none then.
        """
        event, time, number = rows["event"], rows["time_s"], rows["sequence"]
        forward = (rows["source_node"] == source) & (rows["destination_node"] == destination)
        back = (rows["source_node"] == destination) & (rows["destination_node"] == source)
        went = np.flatnonzero(forward & (event == ENQUEUE) & (rows["from_node"] == source))
        _, firsts = np.unique(number[went] * 2.0**16 + rows["size_bytes"][went], return_index=True)
        first = np.zeros(len(went), dtype=bool)
        first[firsts] = True
        came = back & (event == RECEIVE) & (rows["to_node"] == source)
        # One-way TCP and datagrams number packets, two-way TCP bytes.
        steps = np.diff(np.unique(number[went]))
        unit = "bytes" if len(steps) and np.median(steps) > 1 else "packets"
        if unit == "bytes":
            came[:] = False
        lost = forward & (event == DROP)

        def picked(rows: NDArray[Any]) -> tuple[Numbers, Numbers]:
            return time[rows], number[rows]

        return cls(picked(went[first]), picked(went[~first]), picked(came), picked(lost), unit)


class Source(Protocol):
    """A run or a trace file. Flows and links are known by their places among the names, from 0."""

    @property
    def label(self) -> str:
        """What it is called; may be empty."""

    @property
    def end_s(self) -> float:
        """When it ends."""

    @property
    def flow_names(self) -> list[str]:
        """Names of the flows."""

    @property
    def link_names(self) -> list[str]:
        """Names of the links."""

    def flows(self, view: View, *, tcp: bool = False) -> list[int]:
        """The flows that are shown."""

    def links(self, view: View) -> list[int]:
        """The links that are shown."""

    def flow_look(self, flow: int) -> Mapping[str, Any]:
        """A flow has one style in all plots."""

    def link_look(self, link: int) -> Mapping[str, Any]:
        """So has a link."""

    def flow_throughput(self, interval_s: float | None) -> Intervals:
        """Mean throughput of each flow, bit/s; an interval that fits where none is given."""

    def link_throughput(self, interval_s: float | None) -> Intervals:
        """Mean throughput of each link, bit/s."""

    def flow_losses(self, interval_s: float | None) -> Intervals:
        """Packets of each flow that were lost."""

    def link_losses(self, interval_s: float | None) -> Intervals:
        """Packets that each link lost."""

    def spans_s(self, flow: int) -> list[tuple[float, float]]:
        """From when to when a flow sends; nothing for one that never does."""

    def delays(self, flow: int) -> tuple[Numbers, Numbers]:
        """When a flow's packets arrived, and how long each took, s."""

    def segments(self, flow: int) -> Segments:
        """What became of a flow's packets."""


def listed(what: str, shown: list[int], known: list[str]) -> str:
    """`sack-1`, `each flow`, `4 of 40 flows`: for titles."""
    if len(shown) == 1:
        return known[shown[0]]
    return f"each {what}" if len(shown) == len(known) else f"{len(shown)} of {len(known)} {what}s"
