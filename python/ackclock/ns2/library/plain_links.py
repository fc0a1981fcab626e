"""Links as most are: made in the engine at once, while the objects behind them are promised.

A large network has thousands of links that its script never names again. What such links have in common is worked out
once for each kind of queue; it holds until the script changes a class.
"""

from __future__ import annotations

from ackclock._native import Params, SimulationError
from ackclock.ns2.library.links import SimpleLink
from ackclock.ns2.library.nodes import Node
from ackclock.ns2.library.queues import DISCIPLINES, Queue
from ackclock.ns2.values import parse_bandwidth, parse_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ackclock.ns2.counts import Count
    from ackclock.ns2.library.simulator import Simulator
    from ackclock.ns2.promises import Plan

#: the objects of a link in the order of their handles
_PARTS = ("SimpleLink", "Connector", "Connector", "DelayLink", "TTLChecker")
_QUEUE, _LINK, _DROP_HEAD, _HEAD, _WIRE, _TTL = range(6)


class PlainLink:
    """One of them, as long as nobody has asked for the link itself."""

    __slots__ = ("_first", "_id", "_kind", "is_introduced", "number", "source", "target")

    def __init__(self, kind: _Kind, source: Node, target: Node, number: int, identity: int) -> None:
        self._kind = kind
        self._id = identity
        self.source = source
        self.target = target
        #: the engine's number
        self.number = number
        #: whether nam would have been told of it by now, which leaves something in its variables
        self.is_introduced = False

    @property
    def queue_class(self) -> str:
        """The class of its queue."""
        return self._kind.plans[_QUEUE].class_name

    def promised_as(self, first: int) -> str:
        """This is the number in its first part's handle; its own handle."""
        self._first = first
        handle = f"_o{first + _LINK}"
        self.source.simulator.unseen[handle] = self
        return handle

    def finish(self, peer: Any, place: int) -> None:
        """The script has named a part."""
        if place == _QUEUE:
            peer.link = self.number
            peer.bound = self._kind.queue_bound.copy()
        elif place == _LINK:
            peer.simulator.unseen.pop(peer.handle, None)
            queue, _, drop_head, head, wire, ttl = [f"_o{self._first + part}" for part in range(6)]
            peer.number = self.number
            peer.take_parts(self._id, self.source, self.target, queue, drop_head, head, wire, ttl)
            if self.is_introduced:
                peer.dump_nam_queueconfig()
        elif place == _HEAD:
            peer.vars["link_"] = f"_o{self._first + _LINK}"
        elif place == _WIRE:
            peer.link = self.number
            peer.bound = self._kind.wire_bound.copy()


class _Kind:
    """What plain links with one class of queue have in common."""

    def __init__(self, plans: tuple[Plan, ...], queue_bound: dict[str, float], params: Params, count: Count) -> None:
        self.plans = plans
        self.discipline = DISCIPLINES[plans[_QUEUE].made_from.ns2_name]
        #: values of the queue's variables that the engine does not know, and what the engine is told
        self.queue_bound = queue_bound
        self.params = params
        self.count = count
        self.wire_bound = plans[_WIRE].bound.copy()
        for name in ("bandwidth_", "delay_"):
            self.wire_bound.pop(name, None)
        self.keeps_order = self.wire_bound.pop("avoidReordering_", 0) != 0


def _kind_with(simulator: Simulator, queue_class: str) -> _Kind | None:
    """The kind of link with this class of queue; None where a script or the queue has a say in how it is made."""
    interp = simulator.interp
    plans = [interp.plan(queue_class)]
    plans += [interp.plan(part, init=SimpleLink.init if part == "SimpleLink" else None) for part in _PARTS]
    joined = interp.worked_out.get(f"{queue_class} on a link")
    if joined is None or None in plans:
        return None
    first: Plan = plans[_QUEUE]  # type: ignore[assignment]
    queue: Any = first.made_from
    if first.bound != joined[0]:
        return None
    if queue.join is not Queue.join or queue.ns2_name not in DISCIPLINES or not isinstance(joined[2], Params):
        return None
    kind = _Kind(tuple(plans), joined[1], joined[2], interp.count("Link", "nl_"))  # type: ignore[arg-type]
    interp.worked_out[f"links with {queue_class}"] = kind
    return kind


def plain_link(
    simulator: Simulator, source: Node, target: Node, bandwidth: str, delay: str, queue_class: str
) -> str | None:
    """A new link, if it is a plain one: its handle."""
    if "qs_agent_" in source.vars:
        return None
    interp = simulator.interp
    kind = interp.worked_out.get(f"links with {queue_class}") or _kind_with(simulator, queue_class)
    if kind is None:
        return None
    try:
        rate_bps, delay_s = parse_bandwidth(bandwidth), parse_time(delay)
        number = interp.engine.add_link(
            source.number, target.number, rate_bps, delay_s, kind.discipline, kind.params, kind.keeps_order
        )
    except (ValueError, SimulationError):
        # What is wrong is said where a link is made part by part.
        return None
    link = PlainLink(kind, source, target, number, kind.count.next())
    return link.promised_as(interp.promise(kind.plans, link))
