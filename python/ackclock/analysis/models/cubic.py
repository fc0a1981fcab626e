"""CUBIC's response function: the mean window at a loss ratio and an RTT.

Source: L. Xu and others, "CUBIC for Fast and Long-Distance Networks", RFC 9438, 2023, section 5; RFC 8312, equations
5 to 7, is the same. Losses come at equal distances. Where Reno's window is larger, CUBIC holds that
("Reno-friendly region"), taken here as the 1.2/sqrt(p) of both RFCs' tables.
"""

from __future__ import annotations

from math import sqrt

from ackclock.analysis.models.domain import loss, positive


def window_packets(loss_ratio: float, *, rtt_s: float, c: float = 0.4, beta: float = 0.7) -> float:
    """Mean window in packets: (C (3 + beta) / (4 (1 - beta)))^(1/4) (RTT / p)^(3/4), or Reno's if that is larger.

    - `loss_ratio`: p, losses per packet, above 0 and below 1.
    - `rtt_s`: round-trip time, seconds.
    - `c`: C, packets per second cubed.
    - `beta`: share of the window that remains after a loss, above 0 and below 1.

    `ValueError` for values outside their ranges. Source: RFC 9438, section 5.
    """
    loss(loss_ratio)
    positive(rtt_s=rtt_s, c=c)
    if not 0 < beta < 1:
        raise ValueError(f"beta = {beta}: expected what remains of the window after a loss, above 0 and below 1")
    own: float = (c * (3 + beta) / (4 * (1 - beta))) ** 0.25 * (rtt_s / loss_ratio) ** 0.75
    return max(own, 1.2 / sqrt(loss_ratio))


def packets_per_s(loss_ratio: float, *, rtt_s: float, c: float = 0.4, beta: float = 0.7) -> float:
    """Rate in packets per second: `window_packets` in each `rtt_s`. Arguments and errors as for `window_packets`."""
    return window_packets(loss_ratio, rtt_s=rtt_s, c=c, beta=beta) / rtt_s
