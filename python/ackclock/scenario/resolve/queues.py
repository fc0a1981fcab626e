"""What a link's queue is told: its limit in the discipline's own unit, parameters by the engine's names, commands."""

from __future__ import annotations

import math

from ackclock._native import Queue as NativeQueue
from ackclock._native import SimulationError, queue_disciplines
from ackclock.plugins.classes import Own
from ackclock.scenario import defaults as sets
from ackclock.scenario.errors import ScenarioError, choose, nearest
from ackclock.scenario.model.diffserv import words
from ackclock.scenario.model.topology import Queue
from ackclock.scenario.resolve.engine_names import names
from ackclock.scenario.resolve.layout import DirectedLink, Value
from ackclock.scenario.resolve.plugins import own_parameter, own_queue
from ackclock.scenario.resolve.trial_engine import trial_link
from ackclock.scenario.units import Amount, amount, size_bytes

#: disciplines whose `limit` is without effect, as in ns-2 -> the parameter that limits them, and what it counts
_LIMITED_BY = {
    "sfq": ("maxqueue", "packets"),
    "drr": ("blimit", "bytes"),
    "fq": ("flow_limit", "packets"),
    "cake": ("memory_limit", "bytes"),
}


def tell_queue(link: DirectedLink, trip: tuple[float, int], nodes: list[str], defaults: str, to_run: bool) -> None:
    """Find out a link's `parameters` and `commands`; `trip` is its longest round trip, s, and biggest packet, bytes.

    `defaults` is the default set.
    """
    queue, key = link.queue, link.queue_key
    own = own_queue(queue.kind, f"{key}.kind", to_run=to_run)
    if own is not None:
        link.parameters = _of_own(own, link, trip)
        return
    choose(queue.name, names(queue_disciplines), "a queue discipline", f"{key}.kind")
    bench = trial_link(link.rate_bps, link.delay_s, queue.name).queue
    found: dict[str, Value] = dict(sets.queue_values(defaults, queue.name))
    if queue.limit is not None:
        try:
            found.update(_limit(queue, amount(queue.limit), link, trip, bench))
        except ScenarioError as error:
            raise error.under("limit").under(key) from None
    for name, value in queue.parameters.items():
        try:
            found[name] = sets.parameter_value(queue.name, name, value)
            bench.set_param(name, found[name])
        except ScenarioError as error:
            raise error.under(name).under("parameters").under(key) from None
        except (KeyError, SimulationError):
            raise ScenarioError(
                f"a {queue.name} queue has no such parameter",
                key=f"{key}.parameters.{name}",
                value=value,
                nearest=nearest(name, sets.parameters(queue.name)),
            ) from None
    limit = found.get("limit")
    if limit is not None and limit < 1:
        raise ScenarioError("must be at least 1", key=f"{key}.parameters.limit", value=limit)
    if queue.diffserv is not None:
        try:
            told, link.commands = words(queue.diffserv, queue.name, nodes)
        except ScenarioError as error:
            raise error.under("diffserv").under(key) from None
        found |= told
    link.parameters = found


def _of_own(own: Own, link: DirectedLink, trip: tuple[float, int]) -> dict[str, Value]:
    """The parameters of a discipline of the user's own."""
    queue, key, found = link.queue, link.queue_key, dict(own.parameters)
    if queue.diffserv is not None:
        raise ScenarioError("a user-defined queue discipline does not use it", key=f"{key}.diffserv")
    if queue.limit is not None:
        limit = amount(queue.limit)
        if limit.unit == "bytes":
            expected = "a user-defined queue discipline counts packets, not bytes"
            raise ScenarioError(expected, key=f"{key}.limit", value=queue.limit)
        if limit.unit == "BDP" and trip[1] > 0:
            limit = _in_packets(limit, link, trip)
        if limit.unit == "packets":
            found["limit"] = int(limit.number)
    for name, value in queue.parameters.items():
        try:
            found[name] = own_parameter(own, name, value)
        except ScenarioError as error:
            raise error.under("parameters").under(key) from None
    if found.get("limit", 1) < 1:
        raise ScenarioError("must be at least 1", key=f"{key}.parameters.limit", value=found["limit"])
    return found


def _in_packets(limit: Amount, link: DirectedLink, trip: tuple[float, int]) -> Amount:
    """Bandwidth-delay products as packets of the biggest size."""
    trip_s, packet = trip
    return Amount(max(1, round(limit.number * link.rate_bps * trip_s / (8 * packet))), "packets")


def _limit(
    queue: Queue, limit: Amount, link: DirectedLink, trip: tuple[float, int], bench: NativeQueue
) -> dict[str, Value]:
    if limit.unit == "BDP":
        packet = trip[1]
        if packet == 0:
            # Nothing but ACKs, if anything, comes this way: the engine's own limit.
            return {}
        limit = _in_packets(limit, link, trip)
        if _LIMITED_BY.get(queue.name, ("", ""))[1] == "bytes":
            limit = Amount(limit.number * packet, "bytes")
    if queue.name in _LIMITED_BY:
        name, unit = _LIMITED_BY[queue.name]
        if unit != limit.unit:
            raise ScenarioError(f"a {queue.name} queue counts {unit}, not {limit.unit}", value=queue.limit)
        return {name: int(limit.number)}
    try:
        counts_bytes: bool | None = bool(bench.param("queue_in_bytes"))
    except KeyError:
        counts_bytes = None
    if limit.unit == "packets":
        # ns-2's RED counts bytes, and takes a packet for 500 of them, unless it is told to count packets.
        found: dict[str, Value] = {"limit": int(limit.number)}
        return found | {"queue_in_bytes": False} if counts_bytes else found
    if counts_bytes is None:
        raise ScenarioError(f"a {queue.name} queue counts packets, not bytes", value=queue.limit)
    if queue.name == "drop_tail":
        return {"queue_in_bytes": True, "mean_pktsize": 1, "limit": int(limit.number)}
    mean = queue.parameters.get("mean_pktsize", "500 B")
    return {"queue_in_bytes": True, "limit": math.ceil(limit.number / size_bytes(mean))}
