"""Scenarios from a suite's three parts: a condition, a traffic, and who takes the subject's place."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

from ackclock._native import congestion_controls, queue_disciplines, tcp_senders
from ackclock.batch.evaluate.subject import Subject
from ackclock.batch.evaluate.suite import Condition, Suite, Traffic, filled
from ackclock.batch.evaluate.timeline import resolved
from ackclock.batch.evaluate.timeline import spans as timeline_spans
from ackclock.batch.evaluate.view import group_of
from ackclock.scenario.defaults import parameters
from ackclock.scenario.errors import ScenarioError
from ackclock.scenario.units import rate_bps, size_bytes, time_s

#: What a suite's file writes where a sender or a queue discipline stands: what is under test in this run, and the
#: standard beside it (of queues, the baseline).
SUBJECT, BASELINE, STANDARD = "{subject}", "{baseline}", "{standard}"

Table = dict[str, Any]


def scenario_table(
    suite: Suite,
    condition: Condition,
    traffic: Traffic,
    arm: Subject | None,
    standard: Subject,
    *,
    quick: bool,
    at_s: float | None = None,
) -> Table:
    """A scenario as a table. `arm` takes the subject's place: the subject itself, or in its turn a baseline.

    Without an `arm`, the flows in the subject's place are left out. `at_s` is the instant of the traffic's trigger;
    without it, nothing of what follows the trigger happens.

    `ScenarioError` for what cannot be had here.
    """
    table: Table = {}
    parts = [suite.scenario, traffic.scenario, condition.scenario]
    parts += [traffic.quick, condition.quick] if quick else []
    then = dict(traffic.then) if traffic.trigger is None or at_s is not None else {}
    then = resolved(then, condition.values, at_s)
    spans = timeline_spans(then)
    parts.append({key: value for key, value in then.items() if key not in ("paused", "limited")})
    for part in parts:
        merge(table, resolved(part, condition.values))
    duration_s = time_s(table["duration"])
    described = [
        resolved(filled(flow, condition.values), condition.values) for flow in (*traffic.flows, *condition.flows)
    ]
    flows = [one for flow in described for one in expanded(flow)]
    flows = [flow for flow in flows if arm is not None or flow.get("tcp") != SUBJECT]
    if spans:
        flows = [{**flow, "spans": spans} if flow.get("tcp") == SUBJECT else flow for flow in flows]
    if not flows:
        raise ScenarioError("expected flows besides the subject's", key="traffic", value=traffic.id)
    who = arm or standard
    table["flows"] = [_sent(flow, who, standard, suite) for flow in flows]
    for flow in table["flows"]:
        if "tcp" in flow:
            merge(flow, condition.sender)
    topology: Table = table["topology"]
    if topology["kind"] == "dumbbell":
        topology["pairs"] = max([flow.get("pair") or 1 for flow in flows] + [len(topology.get("delays", []))])
    if condition.alternate:
        table["changes"] = [*table.get("changes", []), *_by_turns(duration_s, **condition.alternate)]
    made: Table = _fill(_times(table, duration_s), who, standard, condition.marks)
    made["name"] = f"{suite.id} {condition.id} {traffic.id}"
    return made


def _by_turns(duration_s: float, link: str, rates: list[str], every: str) -> Iterator[Table]:
    """The changes of a link that takes these rates by turns, the first from the beginning."""
    for turn in range(1, math.ceil(duration_s / time_s(every))):
        yield {"at": f"{turn * time_s(every)!r} s", "link": link, "rate": rates[turn % len(rates)]}


def merge(table: Table, part: Mapping[str, Any]) -> None:
    """Put a part's keys into a table; tables are merged unless they are of another kind, all else is replaced."""
    for key, value in part.items():
        here = table.get(key)
        if isinstance(value, Mapping) and isinstance(here, dict) and value.get("kind") in (None, here.get("kind")):
            merge(here, value)
        else:
            table[key] = copy.deepcopy(value)


def expanded(flow: Mapping[str, Any]) -> Iterator[Table]:
    """The flows that one of a suite's stands for.

    `count = 4` is four of them, numbered; with `every = "1 s"` each starts so much after the one before. `load = 0.6`
    with `of = "100 Mb/s"` makes Poisson arrivals of transfers that offer so much of that rate, shared by all ways from
    one of `sources` to one of `destinations`, and on each by the sizes of packets in `packet_sizes` (data of a packet,
    share of what is offered).
    """
    if "load" in flow:
        yield from _crowd(flow)
        return
    plain = {key: value for key, value in flow.items() if key not in ("count", "every")}
    for number in range(1, flow.get("count", 1) + 1):
        later = {}
        if "every" in flow:
            later = {"start": f"{time_s(flow['start']) + (number - 1) * time_s(flow['every'])!r} s"}
        yield {**plain, **later, "name": f"{flow['name']}{number}"}


def _crowd(flow: Mapping[str, Any]) -> Iterator[Table]:
    own = ("load", "of", "sources", "destinations", "packet_sizes", "count")
    plain = {key: value for key, value in flow.items() if key not in own}
    ways = [(first, last) for first in flow["sources"] for last in flow["destinations"]]
    mean = size_bytes(flow["arrivals"]["size"])
    each_bps = flow["load"] * rate_bps(flow["of"]) / len(ways)
    crowds = itertools.product(ways, flow["packet_sizes"])
    for number, ((first, last), (packet, part)) in enumerate(crowds, 1):
        yield {
            **plain,
            "source": first,
            "destination": last,
            "packet_size": packet,
            "arrivals": {**flow["arrivals"], "interval": f"{8 * mean / (each_bps * part)!r} s"},
            "name": f"{flow['name']}{number}",
        }


def competes(traffic: Traffic) -> bool:
    """Whether a standard sends beside the subject."""
    return any(flow.get("tcp") in (BASELINE, STANDARD) for flow in traffic.flows)


def groups_under_test(traffic: Traffic) -> list[str]:
    """The groups of flows that are sent by what is under test."""
    return [group_of(flow["name"]) for flow in traffic.flows if flow.get("tcp") == SUBJECT]


def _sent(flow: Table, arm: Subject, baseline: Subject, suite: Suite) -> Table:
    """A flow with its sender in the place of a name for it."""
    tcp = flow.get("tcp")
    if tcp in (SUBJECT, BASELINE, STANDARD):
        if suite.evaluates == "queue":
            raise ScenarioError("a suite of queues has no sender under test", key="tcp", value=tcp)
        return {**flow, **(arm if tcp == SUBJECT else baseline).settings}
    if isinstance(tcp, list):
        return {**flow, **first_there(tcp)}
    return flow


def first_there(names: list[str]) -> dict[str, str]:
    """The first of these senders (`sender` or `sender/control`) that there is. `ScenarioError` where there is none."""
    known = {name for name, _ in tcp_senders()}
    for name in names:
        sender, _, control = name.partition("/")
        if sender in known and (not control or control in dict(congestion_controls(sender))):
            return {"tcp": sender, **({"control": control} if control else {})}
    raise ScenarioError(f"none of these senders is here: {', '.join(names)}", key="tcp")


def is_there(queue: str) -> bool:
    """Whether the engine has this queue discipline."""
    return queue in dict(queue_disciplines())


def _times(value: Any, duration_s: float) -> Any:
    """Times that are shares of the duration, "20 %", as seconds."""
    if isinstance(value, dict):
        return {key: _times(one, duration_s) for key, one in value.items()}
    if isinstance(value, list):
        return [_times(one, duration_s) for one in value]
    if isinstance(value, str) and value.endswith(" %"):
        return f"{float(value[:-2]) / 100 * duration_s!r} s"
    return value


def _fill(value: Any, arm: Subject, baseline: Subject, marks: bool) -> Any:
    """The queue disciplines where their places are."""
    if isinstance(value, list):
        return [_fill(one, arm, baseline, marks) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: _fill(one, arm, baseline, marks) for key, one in value.items()}
    if found.get("kind") in (SUBJECT, BASELINE):
        found |= (arm if found["kind"] == SUBJECT else baseline).settings
        if marks:
            found["parameters"] = {**found.get("parameters", {}), **dict.fromkeys(marking(found["kind"]), True)}
    return found


def marking(queue: str) -> list[str]:
    """The parameters by which a queue discipline of the engine is told to mark; none where it cannot."""
    known = parameters(queue)
    return [name for name in ("ecn", "setbit", "markpkts") if name in known and known[name].unit == "flag"]
