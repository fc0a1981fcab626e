"""An engine that is never run: it tells what it knows and tries parameters out."""

from __future__ import annotations

from functools import cache

from ackclock._native import Simulation


@cache
def bench() -> Simulation:
    """The engine; two nodes are there for links to be tried between."""
    engine = Simulation()
    engine.add_node()
    engine.add_node()
    return engine
