"""What the playground may choose, from the tables that the code itself goes by: a new variant appears by itself."""

from __future__ import annotations

from functools import cache
from typing import Any

from ackclock import _native
from ackclock.scenario import (
    Call,
    Cbr,
    Chain,
    Dumbbell,
    Exponential,
    Ftp,
    Graph,
    Pareto,
    ParkingLot,
    Requests,
    Star,
    Telnet,
    Video,
)
from ackclock.scenario.defaults import data, parameters
from ackclock.scenario.model.constants import DEFAULT_SETS, WITH_CONTROLS

#: Queue disciplines that need more than parameters: `diffserv` has tables of its own.
WITH_TABLES = frozenset({"ds_red_core", "ds_red_edge"})


@cache
def choices() -> dict[str, Any]:
    """Everything that can be named, each with its words."""
    topologies = (Dumbbell, ParkingLot, Star, Chain, Graph)
    apps = (Ftp, Cbr, Exponential, Pareto, Telnet, Requests, Call, Video)
    return {
        "tcp": named([*_native.tcp_senders(), *_native.tcp_two_way()]),
        "controls": [
            {"id": id, "words": words, "tcp": tcp}
            for tcp in WITH_CONTROLS
            for id, words in _native.congestion_controls(tcp)
        ],
        "receivers": named(_native.tcp_receivers()),
        "queues": [
            {"id": id, "words": words, "parameters": of_queue(id)}
            for id, words in _native.queue_disciplines()
            if id not in WITH_TABLES
        ],
        "losses": named(_native.error_models()),
        "topologies": named([(kind.kind, first_line(kind)) for kind in topologies]),
        "apps": named([(kind.kind, first_line(kind)) for kind in apps]),
        "defaults": named([(name, f"{data()[name]['about']} ({data()[name]['source']})") for name in DEFAULT_SETS]),
    }


def of_queue(id: str) -> list[dict[str, Any]]:
    """Parameters of a queue discipline that a scenario may set; `default` in the unit, as ns-2.35 has it."""
    return [
        {"id": name, "unit": known.unit or None, "default": known.value, "words": known.about}
        for name, known in parameters(id).items()
    ]


def named(rows: list[tuple[str, str]]) -> list[dict[str, str]]:
    """Names with their words."""
    return [{"id": id, "words": words} for id, words in rows]


def first_line(kind: type) -> str:
    """What a class says of itself."""
    return (kind.__doc__ or "").partition("\n")[0].rstrip(".")
