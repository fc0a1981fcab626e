"""Reno's rate with timeouts, by Padhye, Firoiu, Towsley and Kurose (PFTK): full model and approximation.

Source: J. Padhye, V. Firoiu, D. Towsley, J. Kurose, "Modeling TCP Reno Performance: A Simple Model and Its Empirical
Validation", IEEE/ACM Transactions on Networking 8(2), 2000 (first at SIGCOMM 1998). Numbers of equations are the
journal's. The paper itself was not at hand: the short form is that of RFC 5348, section 3.1, with the paper's two
minima; the full one was taken from texts that quote it, checked against each other.

A loss also loses the rest of its round, as when a queue overflows. Single losses cost a sender less. The rate is of
packets sent, retransmissions included.
"""

from __future__ import annotations

from math import sqrt

from ackclock.analysis.models.domain import at_least, loss, positive


def packets_per_s(
    loss_ratio: float,
    *,
    rtt_s: float,
    rto_s: float,
    packets_per_ack: float = 1,
    window_packets: float | None = None,
) -> float:
    """Rate in packets per second by the full model, equation 32. It counts packets sent, retransmissions included.

    - `loss_ratio`: p, the probability that a packet is lost if none before it in its round was.
    - `rtt_s`: round-trip time, seconds.
    - `rto_s`: T0, the initial retransmission timeout, seconds.
    - `packets_per_ack`: b, 2 with delayed ACKs.
    - `window_packets`: the receiver's window; None for no limit.

    `ValueError` for values outside their ranges.
    """
    _check(loss_ratio, rtt_s, rto_s, packets_per_ack, window_packets)
    p, b = loss_ratio, packets_per_ack
    free = unlimited_window_packets(p, packets_per_ack=b)
    timeout_s = rto_s * _backoffs(p) / (1 - p)
    if window_packets is None or free < window_packets:
        window, rounds = free, b / 2 * free + 1
    else:
        window, rounds = window_packets, b / 8 * window_packets + (1 - p) / (p * window_packets) + 2
    ended_by_timeout = timeout_share(p, window)
    return ((1 - p) / p + window + ended_by_timeout / (1 - p)) / (rtt_s * rounds + ended_by_timeout * timeout_s)


def approximate_packets_per_s(
    loss_ratio: float,
    *,
    rtt_s: float,
    rto_s: float,
    packets_per_ack: float = 1,
    window_packets: float | None = None,
) -> float:
    """Rate in packets per second by the approximation, equation 33; with `rto_s` = 4 `rtt_s` it is TFRC's (RFC 5348).

    Arguments and errors as for `packets_per_s`.
    """
    _check(loss_ratio, rtt_s, rto_s, packets_per_ack, window_packets)
    p, b = loss_ratio, packets_per_ack
    timeouts_s = rto_s * min(1.0, 3 * sqrt(3 * b * p / 8)) * p * (1 + 32 * p**2)
    rate = 1 / (rtt_s * sqrt(2 * b * p / 3) + timeouts_s)
    return rate if window_packets is None else min(rate, window_packets / rtt_s)


def unlimited_window_packets(loss_ratio: float, *, packets_per_ack: float = 1) -> float:
    """E[W] in packets, the mean window at a loss without a receiver's limit: equation 13.

    `loss_ratio` and `packets_per_ack` as for `packets_per_s`. `ValueError` for values outside their ranges.
    """
    loss(loss_ratio)
    at_least(1, packets_per_ack=packets_per_ack)
    p, b = loss_ratio, packets_per_ack
    start = (2 + b) / (3 * b)
    return start + sqrt(8 * (1 - p) / (3 * b * p) + start**2)


def timeout_share(loss_ratio: float, window_packets: float) -> float:
    """Q(w), the probability that a loss ends in a timeout: equation 24.

    `loss_ratio` is p, `window_packets` the window w at the loss. `ValueError` for values outside their ranges.
    """
    loss(loss_ratio)
    positive(window_packets=window_packets)
    passes, w = 1 - loss_ratio, window_packets
    if w <= 3:
        return 1.0
    three = passes**3
    share: float = (1 - three) * (1 + three * (1 - passes ** (w - 3))) / (1 - passes**w)
    return min(1.0, share)


def _backoffs(p: float) -> float:
    """f(p), the mean length of a run of timeouts in first ones, times 1 - p, with six doublings: equation 29."""
    return 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6


def _check(loss_ratio: float, rtt_s: float, rto_s: float, packets_per_ack: float, window_packets: float | None) -> None:
    loss(loss_ratio)
    positive(rtt_s=rtt_s, rto_s=rto_s)
    at_least(1, packets_per_ack=packets_per_ack)
    if window_packets is not None:
        at_least(1, window_packets=window_packets)
