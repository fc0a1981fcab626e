"""Names of what the engine has. Each list is asked for once: a sweep describes thousands of scenarios."""

from __future__ import annotations

from functools import cache

from ackclock import _native


@cache
def queue_disciplines() -> tuple[str, ...]:
    """Queue disciplines."""
    return _names(_native.queue_disciplines())


@cache
def tcp_senders() -> tuple[str, ...]:
    """TCP senders of one-way connections."""
    return _names(_native.tcp_senders())


@cache
def tcp_receivers() -> tuple[str, ...]:
    """TCP receivers of one-way connections."""
    return _names(_native.tcp_receivers())


@cache
def tcp_two_way() -> tuple[str, ...]:
    """Ends of two-way connections."""
    return _names(_native.tcp_two_way())


@cache
def congestion_controls(sender: str) -> tuple[str, ...]:
    """Congestion controls of a sender that has several, its default first; none of another."""
    return _names(_native.congestion_controls(sender))


def _names(told: list[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(name for name, _ in told)
