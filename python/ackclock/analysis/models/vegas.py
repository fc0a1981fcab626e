"""Vegas where nothing is lost: it keeps between alpha and beta packets of its own in the queue.

Source: L. Brakmo, L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", IEEE JSAC 13(8),
1995: the window w rests while alpha <= w - w base_rtt/rtt <= beta. Solved for w, with the middle of the two.

A model of Vegas with losses is C. Samios, M. Vernon, "Modeling the Throughput of TCP Vegas", SIGMETRICS 2003. It is
not here because its text could not be had.
"""

from __future__ import annotations

from ackclock.analysis.models.domain import positive


def window_packets(*, rtt_s: float, base_rtt_s: float, alpha_packets: float = 1, beta_packets: float = 3) -> float:
    """Window in packets at the equilibrium of a Vegas sender: (alpha + beta)/2 rtt/(rtt - base_rtt).

    - `rtt_s`, `base_rtt_s`: RTT with and without queueing delay, seconds.
    - `alpha_packets`, `beta_packets`: the bounds between which Vegas keeps its packets in the queue.

    `ValueError` if there is no queue (`rtt_s` is not above `base_rtt_s`), and if beta is below alpha.
    """
    positive(rtt_s=rtt_s, base_rtt_s=base_rtt_s, alpha_packets=alpha_packets)
    if beta_packets < alpha_packets:
        raise ValueError(f"beta_packets = {beta_packets}: expected at least alpha_packets, {alpha_packets}")
    if rtt_s <= base_rtt_s:
        raise ValueError(
            f"rtt_s = {rtt_s}: expected more than base_rtt_s, {base_rtt_s}: Vegas rests with packets queued"
        )
    return (alpha_packets + beta_packets) / 2 * rtt_s / (rtt_s - base_rtt_s)


def packets_per_s(*, rtt_s: float, base_rtt_s: float, alpha_packets: float = 1, beta_packets: float = 3) -> float:
    """Rate in packets per second: `window_packets` in each `rtt_s`. Arguments and errors as for `window_packets`."""
    window = window_packets(rtt_s=rtt_s, base_rtt_s=base_rtt_s, alpha_packets=alpha_packets, beta_packets=beta_packets)
    return window / rtt_s
