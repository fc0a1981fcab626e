"""The delivery opportunities of links whose rate is a random process."""

from __future__ import annotations

import math
from bisect import bisect_right

from ackclock._native import RandomStream
from ackclock.scenario.model.processes import Cellular
from ackclock.scenario.model.seed import hashed_seed, ns2_seed
from ackclock.scenario.units import rate_bps, time_s

#: Sprout's tick: the rate changes so often, s.
TICK_S = 0.02

#: Sprout counts packets of this size; an opportunity lets one go.
PACKET_BITS = 1500 * 8

#: The stream's seed where the scenario has none.
NO_SEED = 12345


def opportunities(process: Cellular, seed: int | str | None, name: str, duration_s: float) -> list[int]:
    """The instants, ms, at which a link can send a packet, up to the first one after `duration_s`.

    They depend on the `seed` and the `name` of the link alone, not on what else a scenario has.
    """
    number = hashed_seed(seed)
    stream = RandomStream.hashed(number if number is not None else ns2_seed(seed) or NO_SEED, f"link/{name}/process")
    most = rate_bps(process.max_rate) / PACKET_BITS
    deviation = rate_bps(process.volatility) / PACKET_BITS * math.sqrt(TICK_S)
    # Sprout: an outage outlasts a tick if a Poisson process of rate 1 / outage has no event in it.
    outage_s = time_s(process.outage)
    stays = math.exp(-TICK_S / outage_s) if outage_s > 0 else 0.0
    rate, tick, found = most * stream.unit(), 0, list[int]()
    left = stream.exponential()  # until the next opportunity, as the integral of the rate
    while not found or found[-1] <= duration_s * 1000:
        given, at = rate * TICK_S, 0.0
        while left <= given - at:
            at += left
            found.append(math.ceil(1000 * TICK_S * (tick + at / given)))
            left = stream.exponential()
        left -= given - at
        tick += 1
        if rate > 0 or stream.unit() > stays:
            rate = min(most, max(0.0, rate + deviation * _normal(stream)))
    # The last tick may have more of them.
    return found[: bisect_right(found, duration_s * 1000) + 1]


def _normal(stream: RandomStream) -> float:
    """A number of mean 0 and variance 1, nearly normal: the sum of twelve uniform ones.

    Many of them make a Brownian motion in any case, and a sum is the same number on every machine.
    """
    return sum(stream.units(12)) - 6.0
