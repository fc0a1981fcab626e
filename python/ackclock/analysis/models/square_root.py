"""The square-root law: a window that is halved at each loss and grows by one packet a round trip.

Source: M. Mathis, J. Semke, J. Mahdavi, T. Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm",
Computer Communication Review 27(3), 1997: BW = (MSS/RTT) C/sqrt(p), with C of its table 1. The formula and the four C
were taken from texts that quote it; RFC 3649 rounds the first to 1.2.

It leaves out timeouts, so it is high where losses are frequent (above about 2 %).
"""

from __future__ import annotations

from math import sqrt

from ackclock.analysis.models.domain import loss, positive

#: C for losses at equal distances, an ACK for each packet: the area of a sawtooth.
PERIODIC = sqrt(3 / 2)
#: The same where ACKs are delayed, one for two packets.
PERIODIC_DELAYED_ACK = sqrt(3 / 4)
#: C for random losses, an ACK for each packet.
RANDOM = 1.31
#: The same where ACKs are delayed.
RANDOM_DELAYED_ACK = 0.93


def packets_per_s(loss_ratio: float, *, rtt_s: float, constant: float = PERIODIC) -> float:
    """Rate in packets per second: `constant` / (`rtt_s` sqrt(`loss_ratio`)).

    `loss_ratio` is loss events per packet, `rtt_s` is in seconds, `constant` is C. `ValueError` for values outside
    their ranges. Source: Mathis et al. 1997.
    """
    loss(loss_ratio)
    positive(rtt_s=rtt_s, constant=constant)
    return constant / (rtt_s * sqrt(loss_ratio))
