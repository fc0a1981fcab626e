"""Times and rates of a suite that depend on the path and on the sender: multiples of the round trip and of the
bottleneck's rate, and the instant `T` at which the sender's control enters a state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ackclock.scenario.units import rate_bps, time_s

#: "T", "2 RTT", "0.9 RATE"; times as usual, "5 s"
_TERM = re.compile(r"T|[\d.]+ (?:RTT|RATE)|[\d.]+ (?:us|ms|s)")
_RELATIVE = re.compile(r"\bT\b|\bRTT\b|\bRATE\b")


def resolved(value: Any, values: Mapping[str, Any], at_s: float | None = None) -> Any:
    """A scenario's part with its relative times and rates as numbers.

    They are sums of terms, "T + 2 RTT + 5 ms", or a multiple of the rate, "0.9 RATE". `values` are the condition's: its
    `rtt` and its `rate`. `at_s` is T. Other texts stay as they are.
    """
    if isinstance(value, Mapping):
        return {key: resolved(one, values, at_s) for key, one in value.items()}
    if isinstance(value, list):
        return [resolved(one, values, at_s) for one in value]
    terms = value.split(" + ") if isinstance(value, str) else []
    if not terms or not _RELATIVE.search(value) or not all(_TERM.fullmatch(term) for term in terms):
        return value
    if value.endswith("RATE"):
        return f"{float(value.split()[0]) * rate_bps(values['rate'])!r} b/s"
    return f"{sum(_seconds(term, values, at_s) for term in terms)!r} s"


def _seconds(term: str, values: Mapping[str, Any], at_s: float | None) -> float:
    if term == "T":
        if at_s is None:
            raise ValueError("T has no value without a trigger")
        return at_s
    if term.endswith("RTT"):
        return float(term.split()[0]) * time_s(values["rtt"])
    return time_s(term)


def spans(then: Mapping[str, Any]) -> list[dict[str, str]] | None:
    """When the application sends, for the keys `paused` (two times) and `limited` of a part that is resolved.

    `limited` has `start`, `stop`, `every` and `share`: from start to stop the application has data for this share of
    each period only. None if neither key is there.
    """
    if "paused" in then:
        start, stop = then["paused"]
        return [{"start": "0 s", "stop": start}, {"start": stop}]
    if "limited" not in then:
        return None
    limited = then["limited"]
    start_s, stop_s, every_s = (time_s(limited[key]) for key in ("start", "stop", "every"))
    found = [{"start": "0 s", "stop": f"{start_s!r} s"}] if start_s > 0 else []
    for number in range(max(0, round((stop_s - start_s) / every_s))):
        begin_s = start_s + number * every_s
        found.append({"start": f"{begin_s!r} s", "stop": f"{begin_s + float(limited['share']) * every_s!r} s"})
    return [*found, {"start": f"{stop_s!r} s"}]
