"""A random legal wired script from its seed."""

from __future__ import annotations

from fuzz.wired import apart, extras, frame, networks, odd, rarer, services, traffic
from fuzz.wired.script import Script


def script(seed: int) -> Script:
    """The script of this seed, always the same."""
    made = Script(seed)
    made.end_s = made.rng.choice((0.8, 1.5, 2.0, 3.0, 5.0))
    frame.head(made)
    networks.build(made)
    services.serve(made)
    networks.route(made)
    traffic.add_flows(made)
    rarer.add_rarer_flows(made)
    extras.lose(made)
    extras.watch(made)
    apart.take_apart(made)
    extras.change(made)
    odd.be_odd(made)
    frame.foot(made)
    return made
