"""Numbers with their units: "10 Mb/s", "5 ms", "1000 B", "50 packets", "1 BDP".

A unit multiplies as ns-2's does, so that "0.3 ms" here and 0.3ms there are the same double. k, M, G, T are powers of
1000; b is bits, B bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from ackclock.scenario.errors import ScenarioError

_NUMBER = re.compile(r"\s*([0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)\s*(\S*)\s*")

_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}

TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "ps": 1e-12, "min": 60.0}
RATES = {
    **{f"{prefix}{unit}": factor for prefix, factor in _PREFIXES.items() for unit in ("b/s", "bit/s", "bps")},
}
BYTE_RATES = {f"{prefix}B/s": factor for prefix, factor in _PREFIXES.items()}
SIZES = {f"{prefix}B": factor for prefix, factor in _PREFIXES.items()} | {"KiB": 1024.0, "MiB": 1024.0**2}
PACKETS = ("packets", "packet")

#: kind of quantity -> what an error says was expected, and a pattern for the schema
EXPECTED = {
    "rate": "a rate such as 10 Mb/s",
    "time": "a time such as 5 ms",
    "size": "a number of bytes such as 1000 B or 64 kB",
    "amount": "an amount such as 50 packets, 64 kB or 1 BDP",
    "data": "an amount of data such as 100 packets or 1 MB",
    "window": "a window such as 20 packets",
}


class Amount(NamedTuple):
    """A number and what it counts: packets, bytes or BDP (bandwidth-delay products)."""

    number: float
    unit: str


@lru_cache(1024)
def _parts(text: str) -> tuple[float, str] | None:
    """Number and unit. The same few texts are asked for again at every point of a sweep."""
    match = _NUMBER.fullmatch(text)
    return (float(match[1]), match[2]) if match else None


def _split(text: object, kind: str) -> tuple[float, str]:
    parts = _parts(text) if isinstance(text, str) else None
    if parts is None:
        raise ScenarioError(f"expected {EXPECTED[kind]}", value=text)
    if not parts[1]:
        raise ScenarioError(f"the unit is missing; expected {EXPECTED[kind]}", value=text)
    return _finite(parts[0], text), parts[1]


def _finite(number: float, text: object) -> float:
    if number == float("inf"):
        raise ScenarioError("this is more than a number can be", value=text)
    return number


def _wrong_unit(text: object, kind: str, unit: str, known: list[str]) -> ScenarioError:
    # "mbps" is Mbps, "Mbit" and "M" want what a rate is per.
    same = [name for name in known if name.lower() == unit.lower()]
    begun = [name for name in known if name.lower().startswith(unit.lower())]
    near = next(iter(same or begun), None)
    return ScenarioError(f"{unit} is not a valid unit here; expected {EXPECTED[kind]}", value=text, nearest=near)


def rate_bps(text: object) -> float:
    """Bits per second. `ScenarioError` for anything else than a positive number with a unit."""
    number, unit = _split(text, "rate")
    if unit in RATES:
        bits = number * RATES[unit]
    elif unit in BYTE_RATES:
        bits = number * BYTE_RATES[unit] * 8
    else:
        raise _wrong_unit(text, "rate", unit, [*RATES, *BYTE_RATES])
    if not 0 < bits < float("inf"):
        raise ScenarioError("a rate must be positive", value=text)
    return bits


def time_s(text: object) -> float:
    """Seconds, not negative."""
    number, unit = _split(text, "time")
    if unit not in TIMES:
        raise _wrong_unit(text, "time", unit, list(TIMES))
    return _finite(number * TIMES[unit], text)


def size_bytes(text: object) -> int:
    """A whole positive number of bytes."""
    number, unit = _split(text, "size")
    if unit not in SIZES:
        raise _wrong_unit(text, "size", unit, list(SIZES))
    value = _finite(number * SIZES[unit], text)
    if value != int(value) or value < 1 or value >= 2**31:
        raise ScenarioError("a size is a whole number of bytes, at least 1 and below 2 GiB", value=text)
    return int(value)


def amount(text: object, kind: str = "amount") -> Amount:
    """Packets, bytes or, where the kind is `amount`, bandwidth-delay products; positive."""
    number, unit = _split(text, kind)
    if unit in PACKETS:
        found = Amount(number, "packets")
    elif unit in SIZES and kind != "window":
        found = Amount(_finite(number * SIZES[unit], text), "bytes")
    elif unit == "BDP" and kind == "amount":
        return Amount(_positive(number, text), "BDP")
    else:
        known = [*PACKETS, *(SIZES if kind != "window" else ()), *(("BDP",) if kind == "amount" else ())]
        raise _wrong_unit(text, kind, unit, known)
    if found.number != int(found.number):
        raise ScenarioError(f"there are only whole {found.unit}", value=text)
    return Amount(_positive(found.number, text), found.unit)


def _positive(number: float, text: object) -> float:
    if number <= 0:
        raise ScenarioError("must be more than 0", value=text)
    return number


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
