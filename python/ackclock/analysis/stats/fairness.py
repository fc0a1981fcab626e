"""Who has how much of what is shared.

Rates are in any unit, the same for all flows, as shape (n,); `ValueError` for rates below 0, or 0 throughout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ackclock.analysis.stats.samples import not_negative, pair


def jain(rates: ArrayLike, fair: ArrayLike | None = None) -> float:
    """Jain's index: 1 if all rates are equal, k/n if k flows share all and n - k have nothing.

    `fair` are the rates that would be fair, if those are not equal ones: each rate counts as a share of its own.
    Source: R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness and Discrimination", DEC-TR-301, 1984.
    """
    shares = not_negative(rates, "rates")
    if fair is not None:
        _, wanted = pair(shares, not_negative(fair, "fair"), ("rates", "fair rates"))
        if not wanted.all():
            raise ValueError("fair: expected rates above 0")
        shares = shares / wanted
    return float(shares.sum() ** 2 / (len(shares) * (shares**2).sum()))


def epsilon(rates: ArrayLike) -> float:
    """How far the worst-off flow is from the best-off one: 1 - least/most. 0 is fair, 1 is a flow with nothing.

    Source: RFC 5166, section 2.3 (epsilon-fairness, after Zhang, Kwok and Lin).
    """
    shares = not_negative(rates, "rates")
    return float(1 - shares.min() / shares.max())


def product(rates: ArrayLike) -> float:
    """The product measure, as the geometric mean, in the rates' unit: largest where rates are proportionally fair.

    It is worth 0 as soon as one flow has nothing. Source: RFC 5166, section 2.3, which multiplies; the n-th root orders
    allocations alike, and is a rate.
    """
    shares = not_negative(rates, "rates")
    return float(np.exp(np.log(shares).mean())) if shares.all() else 0.0


def max_min(
    capacities: Mapping[str, float], routes: Sequence[Sequence[str]], demands: Sequence[float] | None = None
) -> list[float]:
    """The rates that are max-min fair: none can grow but at the cost of one that is no larger.

    `capacities` are the links', `routes` the links that each flow passes, `demands` what a flow would take at most; all
    rates in one unit. Hold measured rates against it with `jain(rates, fair=max_min(...))`. Source: D. Bertsekas, R.
    Gallager, *Data Networks*, section 6.5.2. `ValueError` for a link that is not among the capacities, or a flow that
    neither a link nor a demand limits.
    """
    wants = [float("inf")] * len(routes) if demands is None else list(demands)
    if len(wants) != len(routes):
        raise ValueError(f"demands: expected one for each of the {len(routes)} routes, got {len(wants)}")
    for link, capacity in capacities.items():
        if not capacity > 0:
            raise ValueError(f"capacities: expected rates above 0, got {capacity} for {link}")
    for number, (route, want) in enumerate(zip(routes, wants, strict=True)):
        for link in route:
            if link not in capacities:
                raise ValueError(f"routes[{number}]: expected one of the links {', '.join(capacities)}, got {link}")
        if not route and want == float("inf"):
            raise ValueError(f"routes[{number}]: expected a link, or a demand: nothing limits this flow")
    rates = [0.0] * len(routes)
    left = dict(capacities)
    growing = set(range(len(routes)))
    level = 0.0
    while growing:  # all that still grow have the same rate, `level`, until a link is full or a demand is met
        users = {link: count for link in left if (count := sum(link in routes[flow] for flow in growing))}
        levels = {link: level + left[link] / count for link, count in users.items()}
        following = min([*levels.values(), *(wants[flow] for flow in growing)])
        full = {link for link, reached in levels.items() if reached <= following}
        for link, count in users.items():
            left[link] -= (following - level) * count
        level = following
        done = {flow for flow in growing if wants[flow] <= level or full.intersection(routes[flow])}
        for flow in done:
            rates[flow] = level
        growing -= done
    return rates


def harm(alone: float, beside: float, *, more_is_better: bool = True) -> float:
    """What a flow loses by a competitor, as a share: 0 is none, 1 all, negative a gain.

    `alone` is its figure by itself, `beside` the same beside the competitor: a rate, or with `more_is_better=False` a
    delay, a completion time or a loss ratio. `ValueError` for figures that are not above 0 where they divide. Source:
    R. Ware, M. Mukerjee, S. Seshan, J. Sherry, "Beyond Jain's Fairness Index", HotNets 2019, section 4.
    """
    good, bad = (alone, beside) if more_is_better else (beside, alone)
    if not good > 0 or bad < 0:
        raise ValueError(f"alone = {alone}, beside = {beside}: expected figures above 0")
    return (good - bad) / good


def rtt_exponent(rates: ArrayLike, rtts_s: ArrayLike) -> float:
    """How much short round trips are favoured: k, where rates go like 1/RTT^k. 0 is fair to all, 1 is Reno's by theory.

    The slope of the least-squares line of rates over round-trip times, both as logarithms, with its sign turned. Rates
    are above 0, round-trip times too and not all the same; `ValueError` otherwise.
    """
    shares, times = pair(not_negative(rates, "rates", 2), rtts_s, ("rates", "rtts_s"), 2)
    if not shares.all() or (times <= 0).any():
        raise ValueError("expected rates and round-trip times above 0")
    x = np.log(times) - np.log(times).mean()
    if not x.any():
        raise ValueError("rtts_s: expected different round-trip times")
    return -float((x * np.log(shares)).sum() / (x**2).sum())


def rtt_ratio(rates: ArrayLike, rtts_s: ArrayLike) -> float:
    """The rate of the flow with the shortest round trip over that with the longest; infinite if that has nothing."""
    shares, times = pair(not_negative(rates, "rates", 2), rtts_s, ("rates", "rtts_s"), 2)
    short, long = float(shares[times.argmin()]), float(shares[times.argmax()])
    return short / long if long else float("inf")
