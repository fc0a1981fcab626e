"""Numbers with their units: "10 Mb/s", "5 ms", "1000 B", "50 packets", "1 BDP", as `crates/scenario` reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ackclock import _native
from ackclock.scenario.errors import ScenarioError
from ackclock.scenario.model.constants import BYTE_RATES, EXPECTED, PACKETS, RATES, SIZES, TIMES

__all__ = [
    "BYTE_RATES",
    "CHECKS",
    "EXPECTED",
    "PACKETS",
    "RATES",
    "SIZES",
    "TIMES",
    "Amount",
    "amount",
    "pattern",
    "rate_bps",
    "size_bytes",
    "time_s",
]


class Amount(NamedTuple):
    """A number and what it counts: packets, bytes or BDP (bandwidth-delay products)."""

    number: float
    unit: str


def _text(given: object, kind: str) -> str:
    if isinstance(given, str):
        return given
    raise ScenarioError(f"expected {EXPECTED[kind]}", value=given)


def rate_bps(text: object) -> float:
    """Bits per second. `ScenarioError` for anything else than a positive number with a unit."""
    return _native.rate_bps(_text(text, "rate"))


def time_s(text: object) -> float:
    """Seconds, not negative."""
    return _native.time_s(_text(text, "time"))


def size_bytes(text: object) -> int:
    """A whole positive number of bytes."""
    return _native.size_bytes(_text(text, "size"))


def amount(text: object, kind: str = "amount") -> Amount:
    """Packets, bytes or, where the kind is `amount`, bandwidth-delay products; positive."""
    return Amount(*_native.amount(_text(text, kind), kind))


#: kind of quantity -> what checks it
CHECKS: dict[str, Callable[[object], object]] = {
    "rate": rate_bps,
    "time": time_s,
    "size": size_bytes,
    "amount": amount,
    "data": lambda text: amount(text, "data"),
    "window": lambda text: amount(text, "window"),
}


def pattern(kind: str) -> str:
    """What a JSON Schema asks of the text."""
    units = {
        "rate": [*RATES, *BYTE_RATES],
        "time": list(TIMES),
        "size": list(SIZES),
        "amount": [*PACKETS, *SIZES, "BDP"],
        "data": [*PACKETS, *SIZES],
        "window": list(PACKETS),
    }[kind]
    return rf"^\s*([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*({'|'.join(units)})\s*$"
