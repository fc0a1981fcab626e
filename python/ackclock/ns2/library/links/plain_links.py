"""Links as most are: made in the engine at once, while the objects behind them are promised.

A large network has thousands of links that its script never names again. What such links have in common is worked out
once for each class of queue and told to the extension; it holds until the script changes a class.
"""

from __future__ import annotations

from ackclock._native import Params, SimulationError
from ackclock.ns2.bindings.lazy_objects import Kind
from ackclock.ns2.library.core.engine import engine_name, has_variables_of
from ackclock.ns2.library.core.nodes import Node
from ackclock.ns2.library.links.links import Link, SimpleLink
from ackclock.ns2.library.queues.queues import DISCIPLINES, Queue
from ackclock.ns2.otcl.objects import plain_set
from ackclock.ns2.otcl.values import parse_bandwidth, parse_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ackclock.ns2.bindings.lazy_objects import Plan
    from ackclock.ns2.library.core.simulator import Simulator

#: the objects of a link in the order of their handles
_PARTS = ("SimpleLink", "Connector", "Connector", "DelayLink", "TTLChecker")
_QUEUE, _LINK, _, _HEAD, _WIRE, _ = range(6)


class PlainLinks(Kind):
    """Those with one class of queue."""

    def __init__(self, simulator: Simulator, plans: tuple[Plan, ...], queue_bound: dict[str, float]) -> None:
        super().__init__(simulator.interp, plans)
        self._simulator = simulator
        #: values of the queue's variables that the engine does not know
        self._queue_bound = queue_bound
        self._wire_bound = plans[_WIRE].bound.copy()
        for name in ("bandwidth_", "delay_"):
            self._wire_bound.pop(name, None)
        self.keeps_order = self._wire_bound.pop("avoidReordering_", 0) != 0

    def finish(self, peer: Any, place: int, *facts: Any) -> None:
        """The script has named a part."""
        native, identity, ends, parts, is_introduced = facts
        if place == _QUEUE:
            peer.link = native
            peer.bound = self._queue_bound.copy()
        elif place == _LINK:
            source, target = [self._simulator.nodes[end] for end in ends]
            peer.native = native
            queue, _, *rest = parts
            peer.take_parts(identity, source, target, queue, *rest)
            if is_introduced:
                peer.dump_nam_queueconfig()
        elif place == _HEAD:
            peer.vars["link_"] = parts[_LINK]
        elif place == _WIRE:
            peer.link = native
            peer.bound = self._wire_bound.copy()

    def answers(self) -> list[str]:
        answer_of = self.interp.answer_of
        own = self.library_answers("SimpleLink", {"queue": Link.queue})
        asked = [name for name in ("dump-namconfig", "dump-nam-queueconfig") if answer_of("SimpleLink", name)]
        if answer_of("SimpleLink", "up?") and answer_of("SimpleLink", "cost?"):
            asked.append("cost?")
        queue = self.library_answers(self.plans[_QUEUE].class_name, {"set": plain_set, "reset": Queue.reset})
        made_from: Any = self.plans[_QUEUE].made_from
        if "set" in queue and made_from.take_limit is Queue.take_limit:
            queue.append("queue-limit")
        return [*own, *asked, *queue]


def _learn(simulator: Simulator, queue_class: str) -> bool:
    """Tell the extension of links with this class of queue, unless a script or the queue has a say in their making."""
    interp = simulator.interp
    plans = [interp.plan(queue_class)]
    plans += [interp.plan(part, init=SimpleLink.init if part == "SimpleLink" else None) for part in _PARTS]
    joined = interp.defaults_cache.get(f"{queue_class} on a link")
    if joined is None or None in plans:
        return False
    first: Plan = plans[_QUEUE]  # type: ignore[assignment]
    queue: Any = first.made_from
    if first.bound != joined[0]:
        return False
    if queue.join is not Queue.join or queue.ns2_name not in DISCIPLINES or not isinstance(joined[2], Params):
        return False
    kind = PlainLinks(simulator, tuple(plans), joined[1])  # type: ignore[arg-type]
    types = interp.types_of(queue.ns2_name)
    variables = [(name, engine_name(name), types[name]) for name in joined[0] if name not in joined[1]]
    if not has_variables_of(queue, Queue):
        variables.clear()
    discipline = DISCIPLINES[queue.ns2_name]
    interp.lazy_objects.learn_links(
        queue_class, kind, discipline, joined[2], kind.keeps_order, variables, parse_bandwidth, parse_time
    )
    return True


def plain_link(
    simulator: Simulator, source: Node, target: Node, bandwidth: str, delay: str, queue_class: str
) -> str | None:
    """A new link, if it is a plain one: its handle."""
    if "qs_agent_" in source.vars or "multiSim_" in simulator.vars or simulator.nodes.get(source.number) is not source:
        return None
    interp = simulator.interp
    # The extension counts links, too.
    interp.count("Link", "nl_").now()
    try:
        ends = source.number, target.number, parse_bandwidth(bandwidth), parse_time(delay)
        handle = interp.lazy_objects.put_link(queue_class, *ends)
        if handle is None and _learn(simulator, queue_class):
            handle = interp.lazy_objects.put_link(queue_class, *ends)
    except (ValueError, SimulationError):
        # What is wrong is said where a link is made part by part.
        return None
    return handle
