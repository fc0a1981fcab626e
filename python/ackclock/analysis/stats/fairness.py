"""Who has how much of what is shared.

Rates are in any unit, the same for all flows, as shape (n,); `ValueError` for rates below 0, or 0 throughout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ackclock.analysis.stats.samples import not_negative, pair


def jain(rates: ArrayLike, fair: ArrayLike | None = None) -> float:
    """Jain's fairness index: 1 if all rates are equal, k/n if k flows share all and n - k get nothing.

    - `rates`: shape (n,), in any unit.
    - `fair`: the fair rates if they are not equal, shape (n,); each rate then counts as a share of its fair one.

    `ValueError` for negative rates, rates that are all 0, and fair rates that are not above 0. Source: R. Jain, D.
    Chiu, W. Hawe, "A Quantitative Measure of Fairness and Discrimination", DEC-TR-301, 1984.
    """
    shares = not_negative(rates, "rates")
    if fair is not None:
        _, wanted = pair(shares, not_negative(fair, "fair"), ("rates", "fair rates"))
        if not wanted.all():
            raise ValueError("fair: expected rates above 0")
        shares = shares / wanted
    return float(shares.sum() ** 2 / (len(shares) * (shares**2).sum()))


def epsilon(rates: ArrayLike) -> float:
    """The gap between the slowest and the fastest flow: 1 - min/max of `rates`, shape (n,). 0 is fair, 1 is a flow with
    nothing.

    `ValueError` for negative rates and for rates that are all 0. Source: RFC 5166, section 2.3 (epsilon-fairness, after
    Zhang, Kwok and Lin).
    """
    shares = not_negative(rates, "rates")
    return float(1 - shares.min() / shares.max())


def product(rates: ArrayLike) -> float:
    """The product measure of `rates`, shape (n,), as the geometric mean in their unit: largest if rates are
    proportionally fair.

    It is 0 if one flow has nothing. `ValueError` for negative rates and for rates that are all 0. Source: RFC 5166,
    section 2.3, which multiplies. The n-th root orders allocations in the same way, and is a rate.
    """
    shares = not_negative(rates, "rates")
    return float(np.exp(np.log(shares).mean())) if shares.all() else 0.0


def max_min(
    capacities: Mapping[str, float], routes: Sequence[Sequence[str]], demands: Sequence[float] | None = None
) -> list[float]:
    """The max-min fair rates: no flow can get more except at the cost of a flow with no more than it has.

    - `capacities`: rate of each link by name.
    - `routes`: the links on each flow's path.
    - `demands`: the most that each flow would take; no limit if not given. All rates have one unit.

    Compare measured rates with `jain(rates, fair=max_min(...))`. `ValueError` for a link that is not among the
    capacities, for a capacity that is not above 0, for a wrong number of demands, and for a flow that neither a link
    nor a demand limits. Source: D. Bertsekas, R. Gallager, *Data Networks*, section 6.5.2.
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
    """The share that a flow loses by a competitor: 0 is none, 1 all, negative a gain.

    - `alone`: the flow's metric by itself.
    - `beside`: the same beside the competitor.
    - `more_is_better`: true for a rate; false for a delay, a completion time or a loss ratio.

    `ValueError` if the one that divides is not above 0. Source: R. Ware, M. Mukerjee, S. Seshan, J. Sherry, "Beyond
    Jain's Fairness Index", HotNets 2019, section 4.
    """
    good, bad = (alone, beside) if more_is_better else (beside, alone)
    if not good > 0 or bad < 0:
        raise ValueError(f"alone = {alone}, beside = {beside}: expected values above 0")
    return (good - bad) / good


def rtt_exponent(rates: ArrayLike, rtts_s: ArrayLike) -> float:
    """How much short RTTs are favoured: k, if rates go like 1/RTT^k. 0 is fair to all, 1 is Reno's in theory.

    `rates` and `rtts_s` have shape (n,), are above 0, and the RTTs differ; `ValueError` otherwise. It is minus the
    slope of the least-squares line of the rates' logarithms over the RTTs'.
    """
    shares, times = pair(not_negative(rates, "rates", 2), rtts_s, ("rates", "rtts_s"), 2)
    if not shares.all() or (times <= 0).any():
        raise ValueError("expected rates and round-trip times above 0")
    x = np.log(times) - np.log(times).mean()
    if not x.any():
        raise ValueError("rtts_s: expected different round-trip times")
    return -float((x * np.log(shares)).sum() / (x**2).sum())


def rtt_ratio(rates: ArrayLike, rtts_s: ArrayLike) -> float:
    """The rate of the flow with the shortest RTT over that of the flow with the longest; infinite if that has nothing.

    `rates` and `rtts_s` have shape (n,). `ValueError` for lengths that differ, and for negative rates.
    """
    shares, times = pair(not_negative(rates, "rates", 2), rtts_s, ("rates", "rtts_s"), 2)
    short, long = float(shares[times.argmin()]), float(shares[times.argmax()])
    return short / long if long else float("inf")
