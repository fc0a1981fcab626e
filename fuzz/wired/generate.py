"""A random legal wired script from its seed."""

from __future__ import annotations

from fuzz.wired import extras, networks, traffic
from fuzz.wired.script import Script


def script(seed: int) -> Script:
    """The script of this seed, always the same."""
    made = Script(seed)
    made.end_s = made.rng.choice((0.8, 1.5, 2.0, 3.0, 5.0))
    extras.head(made)
    networks.build(made)
    networks.route(made)
    traffic.add_flows(made)
    extras.lose(made)
    extras.watch(made)
    extras.take_apart(made)
    extras.change(made)
    extras.be_odd(made)
    extras.foot(made)
    return made
