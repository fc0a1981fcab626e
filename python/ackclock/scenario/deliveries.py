"""Recordings of when a link can send: a whole number of milliseconds a line, as mahimahi has them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from ackclock.scenario.errors import ScenarioError

#: bytes that each opportunity lets go
OPPORTUNITY_BYTES = 1504


def read_deliveries(path: str | Path) -> list[int]:
    """The instants of a recording, ms: one opportunity of 1504 bytes each, the last one being the period's length.

    `ScenarioError` for a file that cannot be read or holds none, with the line of what is wrong.
    """
    file = Path(path)
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text file"
        raise ScenarioError(f"the recording cannot be read: {reason}", value=str(path)) from None
    found: list[int] = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not (text.isascii() and text.isdigit()):
            expected = f"expected a whole number of milliseconds in line {number} of the recording, not {text!r}"
            raise ScenarioError(expected, value=str(path))
        found.append(int(text))
    return checked(found, str(path))


def checked(at_ms: list[int], value: object) -> list[int]:
    """The instants, if they are a recording."""
    for number, (before, after) in enumerate(pairwise(at_ms), 2):
        if after < before:
            raise ScenarioError(f"opportunity {number} is at {after} ms, before the one before it", value=value)
    if not at_ms or at_ms[0] < 0 or at_ms[-1] == 0:
        raise ScenarioError("expected opportunities from 0 ms on, the last of them after 0 ms", value=value)
    return at_ms


def instants(deliveries: str | list[int]) -> list[int]:
    """A link's opportunities, which a description holds by number once it is made."""
    assert isinstance(deliveries, list)
    return deliveries


def mean_rate_bps(at_ms: list[int]) -> float:
    """What a link can send on average, bit/s."""
    return len(at_ms) * OPPORTUNITY_BYTES * 8 / (at_ms[-1] / 1000)
