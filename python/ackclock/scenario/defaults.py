"""The default sets, as `defaults.toml` has them, and the parameters, as the engine declares them."""

from __future__ import annotations

import sys
from functools import cache
from math import isinf, isnan
from pathlib import Path
from typing import Any, NamedTuple

from ackclock import _native
from ackclock.scenario.errors import ScenarioError, nearest
from ackclock.scenario.model.typed import WHOLE_NUMBERS
from ackclock.scenario.units import PACKETS, SIZES, TIMES, amount, rate_bps, size_bytes, time_s

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class Parameter(NamedTuple):
    """A parameter: its value unless a default set says otherwise, its unit, its meaning."""

    value: bool | int | float
    unit: str
    about: str


@cache
def data() -> dict[str, Any]:
    """The file."""
    return tomllib.loads((Path(__file__).parent / "defaults.toml").read_text(encoding="utf-8"))


@cache
def parameters(of: str) -> dict[str, Parameter]:
    """The parameters of a queue discipline or of senders, as the engine's files declare them; none for an unknown name.

    `of`: a queue discipline's id; `one_way`, `full` or `tcp` for one-way senders, ns-2's two-way ones or today's TCP;
    `tcp_NAME` for today's TCP with the congestion control NAME. `tcp` has what all controls share.
    """
    bench = _native.Simulation()
    controls = [name for name, _ in _native.congestion_controls("tcp")]
    if of == "tcp":
        every = [parameters(f"tcp_{name}") for name in controls]
        return {name: known for name, known in every[0].items() if all(name in others for others in every)}
    if of in dict(_native.queue_disciplines()):
        found = bench.add_link(bench.add_node(), bench.add_node(), 1e6, 0.01, of).queue.parameters()
    elif of == "one_way":
        found = bench.add_agent("vegas").parameters()  # it has all of theirs, and three of its own
    elif of == "full":
        found = bench.add_agent(of).parameters()
    elif of.startswith("tcp_") and of.removeprefix("tcp_") in controls:
        agent = bench.add_agent("tcp")
        agent.command("congestion_control", [of.removeprefix("tcp_")])
        found = agent.parameters()
    else:
        return {}
    return {name: Parameter(value, unit, about) for name, value, unit, about in found}


def sender_values(defaults: str, tcp: str, packet: int) -> dict[str, bool | int | float]:
    """What a default set gives a sender of a TCP variant, where that differs from what ns-2.35 gives most variants.

    `packet`: bytes of data in its packets.
    """
    own = {name: value for name, value in data()["ns2_35"]["variants"].get(tcp, {}).items() if name != "source"}
    given = data()[defaults]
    rooms = ("tcp", "two_way") if tcp.startswith("full") else ("tcp",)
    for room in rooms:
        own |= {name: entry["value"] for name, entry in given.get(room, {}).items()}
    initial = given.get("initial_window")
    if initial is not None:
        own["window_init"] = min(initial["most"], max(initial["least"], initial["bytes"] // packet))
    return own


def sender(defaults: str) -> str | None:
    """The sender whose congestion controls' names a set takes for those, also where a sender has the same name."""
    found: str | None = data()[defaults].get("sender")
    return found


def receiver(defaults: str, tcp: str) -> str:
    """The receiver that a default set gives a TCP variant."""
    receivers: dict[str, str] = data()[defaults]["receivers"]
    return receivers.get(tcp, receivers["other"])


def receiver_values(defaults: str) -> dict[str, bool | int | float]:
    """What a default set gives a TCP receiver that has such a parameter, where that differs from ns-2.35."""
    return {name: entry["value"] for name, entry in data()[defaults].get("receiver", {}).items()}


def queue_values(defaults: str, queue: str) -> dict[str, bool | int | float]:
    """What a default set gives a queue discipline, where that differs from the engine's defaults."""
    rooms = data()[defaults].get("queues", {})
    return {name: entry["value"] for name, entry in rooms.get(queue, {}).items()}


def packet_bytes(defaults: str) -> int:
    """Bytes of data in a packet."""
    return size_bytes(data()[defaults]["packet_size"])


_UNITS = {
    "s": "a time such as 200 ms",
    "bytes": "a number of bytes such as 40 B",
    "packets": "a number such as 20 packets",
    "bit/s": "a rate such as 10 Mb/s",
}


def parameter_value(room: str, name: str, value: bool | int | float | str) -> bool | int | float:
    """A parameter as the engine takes it: a text with its unit becomes a number. `ScenarioError` for a wrong one."""
    read = _parameter_value(room, name, value)
    if isinstance(read, int) and read not in WHOLE_NUMBERS:
        raise ScenarioError("whole numbers are between -2^63 and 2^63", value=value)
    return read


def _parameter_value(room: str, name: str, value: bool | int | float | str) -> bool | int | float:
    known = parameters(room).get(name)
    if known is None:
        return _without_entry(value)
    if known.unit == "flag":
        if not isinstance(value, bool):
            raise ScenarioError("expected true or false", value=value)
        return value
    if known.unit == "":
        if isinstance(value, (bool, str)):
            raise ScenarioError("expected a number", value=value)
        return value
    if not isinstance(value, str):
        raise ScenarioError(f"the unit is missing; expected {_UNITS[known.unit]}", value=value)
    if known.unit == "bit/s":
        return rate_bps(value)
    number, _, unit = value.strip().partition(" ")
    expected = {"s": TIMES, "bytes": SIZES, "packets": PACKETS}[known.unit]
    try:
        factor = expected[unit] if isinstance(expected, dict) else 1.0
        if unit not in expected:
            raise KeyError(unit)
        result = float(number) * factor
    except (KeyError, ValueError):
        raise ScenarioError(
            f"expected {_UNITS[known.unit]}", value=value, nearest=nearest(unit, expected) if unit else None
        ) from None
    if isnan(result) or (isinf(result) and isinstance(known.value, int)):
        raise ScenarioError(f"expected {_UNITS[known.unit]}", value=value)
    return int(result) if isinstance(known.value, int) and result.is_integer() else result


def _without_entry(value: bool | int | float | str) -> bool | int | float:
    """A parameter that the file does not list: a plain number, or a time, size, rate or number of packets."""
    if not isinstance(value, str):
        return value
    for read in (time_s, size_bytes, rate_bps, lambda text: amount(text, "window").number):
        try:
            return read(value)
        except ScenarioError:
            continue
    raise ScenarioError("expected a number, or one with a unit such as 5 ms, 40 B or 20 packets", value=value)
