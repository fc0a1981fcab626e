"""Recordings of when a link can send: a whole number of milliseconds a line, as mahimahi has them."""

from __future__ import annotations

import io
import os
import re
import stat
from itertools import pairwise
from pathlib import Path

from ackclock.scenario.errors import ScenarioError

#: bytes that each opportunity lets go
OPPORTUNITY_BYTES = 1504
#: the largest recording that is read: a minute at 2 Gb/s
MAX_BYTES = 64 << 20
#: the longest number: 2**53 ms, beyond which seconds are not exact
MAX_DIGITS = 16
_NUMBER = re.compile(rb"[-+]?[0-9.]{1,20}")


def read_deliveries(path: str | Path) -> list[int]:
    """The instants of a recording, ms: one opportunity of 1504 bytes each, the last one being the period's length.

    `ScenarioError` for a file that cannot be read, is not a regular file, has more than `MAX_BYTES` or holds no
    opportunities, with the line of what is wrong. It shows nothing of a line but a number: the file may be no recording
    at all, but somebody's secret.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ScenarioError("the recording cannot be read: not a regular file", value=str(path))
            # Read and not asked for: a file may grow, and one in /proc has no size.
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise ScenarioError(
                f"expected a recording of at most {MAX_BYTES} bytes; this file has more", value=str(path)
            )
        return checked(_numbers(content, str(path)), str(path))
    except (OSError, ValueError) as error:
        if isinstance(error, ScenarioError):
            raise
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ScenarioError(f"the recording cannot be read: {reason}", value=str(path)) from None


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a FIFO that nobody writes to does not keep us."""
    return os.open(path, flags | os.O_NONBLOCK)


def _numbers(content: bytes, path: str) -> list[int]:
    found: list[int] = []
    for number, line in enumerate(io.BytesIO(content), 1):
        word = line.strip()
        if not (word.isdigit() and len(word) <= MAX_DIGITS):
            what = f", not {word.decode()}" if _NUMBER.fullmatch(word) else ""
            expected = f"expected a whole number of milliseconds in line {number} of the recording{what}"
            raise ScenarioError(expected, value=path)
        found.append(int(word))
    return found


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
