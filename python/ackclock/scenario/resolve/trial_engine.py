"""Engines that are never run: they tell what they know."""

from __future__ import annotations

from ackclock._native import Link, Simulation


def trial_link(rate_bps: float, delay_s: float, discipline: str) -> Link:
    """A link with a queue, in a new engine each time: what is tried on one is gone with it."""
    engine = Simulation()
    return engine.add_link(engine.add_node(), engine.add_node(), rate_bps, delay_s, discipline)
