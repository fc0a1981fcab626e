"""HighSpeed TCP's response function: the mean window at a loss ratio.

Source: S. Floyd, "HighSpeed TCP for Large Congestion Windows", RFC 3649, 2003, section 5: a straight line between
(10^-3, 38) and (10^-7, 83000) on two logarithmic axes, which the RFC writes as 0.12/p^0.835; at higher loss ratios
standard TCP's 1.2/sqrt(p).
"""

from __future__ import annotations

from math import sqrt

from ackclock.analysis.models.domain import loss, positive

#: Above this loss ratio the sender is a standard one (Low_P).
LOW_LOSS_RATIO = 1e-3


def window_packets(loss_ratio: float) -> float:
    """Mean window in packets: 0.12/p^0.835 below a `loss_ratio` p of 10^-3, 1.2/sqrt(p) from there on.

    `ValueError` for a loss ratio that is not above 0 and below 1. Source: RFC 3649, section 5.
    """
    loss(loss_ratio)
    return 1.2 / sqrt(loss_ratio) if loss_ratio >= LOW_LOSS_RATIO else 0.12 / loss_ratio**0.835


def packets_per_s(loss_ratio: float, *, rtt_s: float) -> float:
    """Rate in packets per second: `window_packets` of this `loss_ratio` in each `rtt_s` (seconds).

    `ValueError` for a loss ratio that is not above 0 and below 1, and for an RTT that is not above 0.
    """
    positive(rtt_s=rtt_s)
    return window_packets(loss_ratio) / rtt_s
