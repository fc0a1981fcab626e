"""Engines that are never run: they tell what they know, and parameters are tried out on them."""

from __future__ import annotations

from functools import cache

from ackclock._native import Simulation


@cache
def agent_engine() -> Simulation:
    """Where agents are asked for their parameters."""
    return Simulation()


def link_engine() -> Simulation:
    """Two nodes, for a link between them. A new engine each time: what is tried on one is gone with it."""
    engine = Simulation()
    engine.add_node()
    engine.add_node()
    return engine
