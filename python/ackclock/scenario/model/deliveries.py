"""Recordings of when a link can send: a whole number of milliseconds a line, as mahimahi has them."""

from __future__ import annotations

from ackclock._native import check_deliveries, read_deliveries


def taken_in(given: str | list[int]) -> list[int]:
    """The instants of a recording, ms: of a file, or these numbers if they are one. `ScenarioError` if not."""
    if isinstance(given, str):
        return read_deliveries(given)
    check_deliveries(given)
    return given
