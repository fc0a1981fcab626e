"""How Reno and Vegas connections share a bottleneck, drop-tail or RED.

Source: T. Chowdhury, M. J. Alam, "Performance Evaluation of TCP Vegas over TCP Reno and TCP New Reno over TCP Reno",
International Journal on Informatics Visualization, equations 1 to 24, which take them from K. Kurata, G. Hasegawa,
M. Murata, "Fairness Comparisons between TCP Reno and TCP Vegas", INET 2000, which was not at hand. The paper's print
lost indices and bars; the equations here are those that its own derivation and its limits allow. Two choices are ours:

- `vegas="as_printed"` has Vegas's window equal to the packets it keeps queued (equations 2 and 3), which holds only
  where the queue is much longer than the wire; `vegas="corrected"` adds those on the wire: w = queued (D + q)/q for a
  mean queue q and D packets on the wire.
- With RED the paper does not say which loss probability and round-trip time to use: here those of the mean queue, which
  is what both windows leave after D.

Study 001 compares both choices with runs. As printed, the model overstates Reno's share at every buffer from 5 to 100
packets. The corrected window is right at one of eight buffers only, so it is not the model's only fault.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log2
from typing import Literal

from ackclock.analysis.models.domain import at_least, loss, positive

VegasWindow = Literal["as_printed", "corrected"]


@dataclass(frozen=True, kw_only=True)
class Bottleneck:
    """The shared link, and the connections that share it. `ValueError` for values outside their ranges."""

    #: mu, the link's rate
    rate_packets_per_s: float
    #: tau, one-way propagation delay from sender to receiver
    delay_s: float
    #: B, the maximum queue length
    buffer_packets: float
    #: N_r
    reno_connections: int = 1
    #: N_v
    vegas_connections: int = 1
    #: Vegas keeps at least this many packets in the queue
    alpha_packets: float = 1
    #: Vegas keeps at most this many packets in the queue
    beta_packets: float = 3

    def __post_init__(self) -> None:
        positive(
            rate_packets_per_s=self.rate_packets_per_s,
            delay_s=self.delay_s,
            buffer_packets=self.buffer_packets,
            alpha_packets=self.alpha_packets,
        )
        at_least(1, reno_connections=self.reno_connections, vegas_connections=self.vegas_connections)
        if self.beta_packets < self.alpha_packets:
            raise ValueError(
                f"beta_packets = {self.beta_packets}: expected at least alpha_packets, {self.alpha_packets}"
            )

    @property
    def wire_packets(self) -> float:
        """D, packets in flight without a queue: 2 tau mu."""
        return 2 * self.delay_s * self.rate_packets_per_s

    @property
    def vegas_queued_packets(self) -> float:
        """Packets that all Vegas connections keep in the queue: N_v (alpha + beta)/2, equations 2 and 3."""
        return self.vegas_connections * (self.alpha_packets + self.beta_packets) / 2

    def vegas_window_packets(self, queue_packets: float, vegas: VegasWindow) -> float:
        """The windows of all Vegas connections at a mean queue of `queue_packets`, in packets.

        `vegas` is "as_printed" or "corrected"; `ValueError` for another word.
        """
        if vegas == "as_printed":
            return self.vegas_queued_packets
        if vegas == "corrected":
            return self.vegas_queued_packets * (self.wire_packets + queue_packets) / queue_packets
        raise ValueError(f"vegas = {vegas!r}: expected 'as_printed' or 'corrected'")


@dataclass(frozen=True, kw_only=True)
class Shares:
    """What the Reno and the Vegas connections get of the bottleneck: equations 11 to 14."""

    #: mean window of all Reno connections together
    reno_window_packets: float
    #: mean window of all Vegas connections together
    vegas_window_packets: float
    #: packets of all Reno connections in the queue
    reno_queued_packets: float
    #: packets of all Vegas connections in the queue
    vegas_queued_packets: float
    #: rate of all Reno connections together
    reno_packets_per_s: float
    #: rate of all Vegas connections together
    vegas_packets_per_s: float
    #: Reno's rate over Vegas's, of one connection each
    ratio: float


@dataclass(frozen=True, kw_only=True)
class DropTail(Shares):
    """Shares under drop-tail, and the losses when the buffer overflows: equations 4 and 6 to 9."""

    #: W_r, all Reno windows when the buffer overflows
    reno_window_at_overflow_packets: float
    #: W_r^-, all Reno windows just after the losses
    reno_window_after_packets: float
    #: Reno's packets lost in one overflow, one per connection
    reno_lost_packets: float
    #: Vegas's packets lost in one overflow
    vegas_lost_packets: float


@dataclass(frozen=True, kw_only=True)
class Red(Shares):
    """Shares under RED, at the mean queue length where the windows fit the drop probability."""

    #: mean queue length
    queue_packets: float
    #: RED's drop probability at that length
    loss_ratio: float
    #: w_r, one Reno connection's window at a loss
    reno_peak_packets: float
    #: P_to, the probability that the loss ends in a timeout
    timeout_probability: float


def drop_tail(bottleneck: Bottleneck, vegas: VegasWindow = "as_printed") -> DropTail:
    """Shares of a `bottleneck` under drop-tail: equations 3, 4 and 6 to 14.

    `vegas` is "as_printed" or "corrected" (see the module). `ValueError` if the model has no answer: Vegas wants to
    keep more packets than the buffer or the path holds.
    """
    path, buffer = bottleneck.wire_packets, bottleneck.buffer_packets
    most, queued = path + buffer, bottleneck.vegas_queued_packets
    if vegas == "corrected":
        if queued >= buffer:
            raise ValueError(
                f"not applicable: Vegas keeps {queued:g} packets queued and the buffer holds {buffer:g};"
                " the corrected window needs a larger buffer"
            )
        # At the lower end Vegas has the whole path and its buffer; at the upper one the buffer is always full.
        queue = _falling_root(
            lambda q: _after_overflow(bottleneck, bottleneck.vegas_window_packets(q, vegas))["total"] - path - q,
            queued * path / (most - queued),
            buffer,
        )
    else:
        if queued >= most:
            raise ValueError(
                f"not applicable: Vegas's window is {queued:g} packets, the path and its buffer hold {most:g}"
            )
        queue = buffer
    vegas_window = bottleneck.vegas_window_packets(queue, vegas)
    found = _after_overflow(bottleneck, vegas_window)
    return DropTail(
        **_shares(bottleneck, found["mean"], vegas_window),
        reno_window_at_overflow_packets=found["at_overflow"],
        reno_window_after_packets=found["after"],
        reno_lost_packets=bottleneck.reno_connections * found["at_overflow"] / most,
        vegas_lost_packets=bottleneck.reno_connections * vegas_window / most,
    )


def red(
    bottleneck: Bottleneck,
    *,
    least_packets: float,
    most_packets: float,
    most_probability: float = 0.1,
    rto_s: float | None = None,
    vegas: VegasWindow = "as_printed",
) -> Red:
    """Shares of a `bottleneck` under RED: equations 15 to 24, and 11 to 14.

    - `least_packets`, `most_packets`: RED's thresholds of the mean queue.
    - `most_probability`: the drop probability at `most_packets`; it grows from 0 at `least_packets`, and from
      `most_packets` to 1 at twice as many ("gentle").
    - `rto_s`: the retransmission timeout of Table I, for which the paper prints no number; None takes two RTTs.
    - `vegas`: "as_printed" or "corrected" (see the module).

    `ValueError` if no mean queue between the thresholds and within the buffer fits.
    """
    positive(least_packets=least_packets, most_probability=most_probability)
    if rto_s is not None:
        positive(rto_s=rto_s)
    at_least(least_packets, most_packets=most_packets)
    path = bottleneck.wire_packets

    def probability(queue: float) -> float:
        if queue >= most_packets:
            return most_probability + (1 - most_probability) * (queue - most_packets) / most_packets
        return most_probability * (queue - least_packets) / (most_packets - least_packets)

    def reno_window(queue: float) -> float:
        rtt_s = 2 * bottleneck.delay_s + queue / bottleneck.rate_packets_per_s
        timeout_s = 2 * rtt_s if rto_s is None else rto_s
        mean = reno_mean_window_packets(probability(queue), rtt_s=rtt_s, rto_s=timeout_s)
        return bottleneck.reno_connections * mean

    # The ends themselves are no answers: nothing is lost at the lower threshold, everything at twice the upper one.
    low = least_packets + 1e-9 * (most_packets + 1)
    high = min(bottleneck.buffer_packets, 2 * most_packets * (1 - 1e-9))
    if high <= low:
        raise ValueError(
            f"not applicable: the buffer of {bottleneck.buffer_packets:g} packets ends below the thresholds"
        )

    def excess(queue: float) -> float:
        return reno_window(queue) + bottleneck.vegas_window_packets(queue, vegas) - path - queue

    if excess(high) > 0 or excess(low) < 0:
        raise ValueError(
            "not applicable: no mean queue above the lower threshold and within the buffer fits the windows"
        )
    queue = _falling_root(excess, low, high)
    p = probability(queue)
    return Red(
        **_shares(bottleneck, reno_window(queue), bottleneck.vegas_window_packets(queue, vegas)),
        queue_packets=queue,
        loss_ratio=p,
        reno_peak_packets=reno_peak_packets(p),
        timeout_probability=timeout_probability(p, reno_peak_packets(p)),
    )


def timeout_probability(loss_ratio: float, window_packets: float) -> float:
    """P_to, the probability that two or more packets of a window are lost: equation 15, summed for any window.

    `loss_ratio` is p, `window_packets` the window. `ValueError` for values outside their ranges.
    """
    loss(loss_ratio)
    at_least(1, window_packets=window_packets)
    kept = 1 - loss_ratio
    at_most_one: float = kept**window_packets + window_packets * loss_ratio * kept ** (window_packets - 1)
    return 1 - at_most_one


def reno_peak_packets(loss_ratio: float) -> float:
    """w_r, one Reno connection's window at a loss, if 1/p packets are sent between losses: equation 22.

    `loss_ratio` is p. `ValueError` unless it is above 0 and below 1.
    """
    loss(loss_ratio)

    def missing(window: float) -> float:
        to = timeout_probability(loss_ratio, window)
        return 1 / loss_ratio - to * _slow_start_packets(window) - _avoidance_packets(window)

    # Without timeouts the window is sqrt(8/(3 p)); slow start only adds packets to a cycle.
    return _falling_root(missing, 1.0, (8 / (3 * loss_ratio)) ** 0.5 + 1)


def reno_mean_window_packets(loss_ratio: float, *, rtt_s: float, rto_s: float) -> float:
    """One Reno connection's mean window in packets under random losses: equations 16 to 21 and 23.

    `loss_ratio` is p, `rtt_s` the round-trip time and `rto_s` the retransmission timeout, both in seconds. `ValueError`
    for values outside their ranges.
    """
    positive(rtt_s=rtt_s, rto_s=rto_s)
    peak = reno_peak_packets(loss_ratio)
    to = timeout_probability(loss_ratio, peak)
    avoidance, avoidance_s = _avoidance_packets(peak), rtt_s * peak / 2
    slow_start_s = rtt_s * log2(max(peak / 2, 1.0))
    after_timeout = (_slow_start_packets(peak) + avoidance) / (slow_start_s + avoidance_s + rto_s)
    return rtt_s * (to * after_timeout + (1 - to) * avoidance / avoidance_s)


def _slow_start_packets(peak: float) -> float:
    """A_to,1: equation 17."""
    return max(peak / 2 - 1, 0.0)


def _avoidance_packets(peak: float) -> float:
    """A_to,2 and A_fr,2, from half the peak to the peak, a packet more each round trip: equations 19 and 21."""
    return 3 * peak**2 / 8


def _after_overflow(bottleneck: Bottleneck, vegas_window: float) -> dict[str, float]:
    """Reno's windows around an overflow: equations 4, 9 and 10; `total` is the mean of all windows."""
    most = bottleneck.wire_packets + bottleneck.buffer_packets
    at_overflow = max(most - vegas_window, 0.0)
    after = (at_overflow**2 + 2 * at_overflow * vegas_window) / (2 * most)
    round_trips = (at_overflow - after) / bottleneck.reno_connections
    # One round trip more at the full window: until the loss is known.
    mean = ((at_overflow + after) / 2 * round_trips + at_overflow) / (round_trips + 1)
    return {"at_overflow": at_overflow, "after": after, "mean": mean, "total": mean + vegas_window}


def _shares(bottleneck: Bottleneck, reno_window: float, vegas_window: float) -> dict[str, float]:
    """Equations 11 to 14: the buffer, and with it the rate, is shared as the windows are."""
    part = bottleneck.buffer_packets / (bottleneck.wire_packets + bottleneck.buffer_packets)
    both, rate = reno_window + vegas_window, bottleneck.rate_packets_per_s
    return {
        "reno_window_packets": reno_window,
        "vegas_window_packets": vegas_window,
        "reno_queued_packets": reno_window * part,
        "vegas_queued_packets": vegas_window * part,
        "reno_packets_per_s": rate * reno_window / both,
        "vegas_packets_per_s": rate * vegas_window / both,
        "ratio": reno_window / bottleneck.reno_connections / (vegas_window / bottleneck.vegas_connections),
    }


def _falling_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that is positive at `low` and negative at `high` passes 0, by bisection."""
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
