"""Names of what the engine has."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache


@cache
def names(ask: Callable[..., list[tuple[str, str]]], *of: str) -> tuple[str, ...]:
    """The names in one of the engine's lists, in their order: of `tcp_senders`, of `congestion_controls` of "linux".

    Each list is asked for once: a sweep describes thousands of scenarios.
    """
    return tuple(name for name, _ in ask(*of))
