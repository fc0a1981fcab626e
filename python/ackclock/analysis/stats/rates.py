"""How rates change: how long until they are fair, how much they swing, how often they are cut."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ackclock.analysis.stats.samples import not_negative, samples


def convergence_s(
    times_s: ArrayLike, rates: Sequence[ArrayLike], *, epsilon: float = 0.2, hold_s: float = 1.0
) -> float | None:
    """Time from the first sample until the rates are fair and stay so for `hold_s`, in seconds; None if they never do.

    - `times_s`: shape (n,), rising.
    - `rates`: one sequence of shape (n,) for each flow, at least 2.
    - `epsilon`: fair means min/max of at least 1 - `epsilon`, from 0 and below 1.
    - `hold_s`: seconds.

    For two flows this is the delta-fair (1 + d)/2 to (1 - d)/2 of RFC 5166, section 2.3, with `epsilon` = 2 d/(1 + d).
    The RFC leaves open how long it must last. Rates over short intervals vary by nature: average them over some RTTs
    first. `ValueError` for times that do not rise, lengths that differ, fewer than 2 flows, or an `epsilon` out of
    range.
    """
    times = samples(times_s, "times_s", 1)
    if (np.diff(times) <= 0).any():
        raise ValueError("times_s: expected each later than the one before")
    if len(rates) < 2:
        raise ValueError(f"rates: expected those of at least 2 flows, got {len(rates)}")
    if not 0 <= epsilon < 1:
        raise ValueError(f"epsilon = {epsilon}: expected at least 0 and below 1")
    flows = [samples(flow, f"rates[{number}]") for number, flow in enumerate(rates)]
    for number, flow in enumerate(flows):
        if len(flow) != len(times):
            raise ValueError(f"rates[{number}]: expected as many as times_s, {len(times)}, got {len(flow)}")
    table = np.vstack(flows)
    fair = (table.max(axis=0) > 0) & (table.min(axis=0) >= (1 - epsilon) * table.max(axis=0))
    since: float | None = None
    for time, good in zip(times, fair, strict=True):
        since = (time if since is None else since) if good else None
        if since is not None and time - since >= hold_s:
            return float(since - times[0])
    return None


def variation(rates: ArrayLike, *, interval_s: float, scales_s: Sequence[float]) -> dict[float, float]:
    """Coefficient of variation of a rate over each time scale: standard deviation over mean, of its means over that
    scale.

    - `rates`: shape (n,), each the mean over `interval_s`.
    - `interval_s`: seconds.
    - `scales_s`: multiples of `interval_s` that fit at least twice into the series; samples that do not fill the last
      one are left out.

    `ValueError` for other scales. Source: RFC 5166, section 2.2 (oscillations), after S. Floyd, M. Handley, J. Padhye,
    "A Comparison of Equation-Based and AIMD Congestion Control", 2000.
    """
    array = not_negative(rates, "rates", 2)
    found = {}
    for scale in scales_s:
        size = round(scale / interval_s)
        if size < 1 or abs(size * interval_s - scale) > 1e-6 * scale:
            raise ValueError(f"scales_s: expected multiples of interval_s, {interval_s} s, got {scale} s")
        count = len(array) // size
        if count < 2:
            whole = len(array) * interval_s
            raise ValueError(f"scales_s: expected times that fit at least twice into {whole:g} s, got {scale} s")
        means = array[: count * size].reshape(count, size).mean(axis=1)
        found[scale] = float(means.std() / means.mean())
    return found


def loss_events(loss_times_s: ArrayLike, rtt_s: float) -> list[float]:
    """Start times of the loss events, in seconds: losses within one RTT of an event's first loss belong to that event.

    - `loss_times_s`: shape (n,), in any order: when each lost packet would have arrived.
    - `rtt_s`: round-trip time, above 0.

    `ValueError` for an RTT that is not above 0. Source: RFC 5348, section 5.2.
    """
    if not rtt_s > 0:
        raise ValueError(f"rtt_s = {rtt_s}: expected a time above 0")
    began: list[float] = []
    for time in np.sort(samples(loss_times_s, "loss_times_s", 0)):
        if not began or time > began[-1] + rtt_s:
            began.append(float(time))
    return began


def loss_event_rate(loss_times_s: ArrayLike, rtt_s: float, packets: int) -> float:
    """Loss events per packet sent: the losses as seen by a sender that reacts once per RTT, the p of the models'
    formulas.

    - `loss_times_s`, `rtt_s`: as for `loss_events`.
    - `packets`: packets sent.

    `ValueError` for fewer packets than events.
    """
    events = len(loss_events(loss_times_s, rtt_s))
    if packets < max(events, 1):
        raise ValueError(f"packets = {packets}: expected at least as many as loss events, {events}")
    return events / packets
