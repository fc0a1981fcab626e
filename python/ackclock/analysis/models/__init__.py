"""Published formulas for a sender's rate, to compare with simulations.

Each model is a file. `TABLE` has those that give a rate from a loss ratio. Rates are in packets per second, windows in
packets. Inputs outside a model's domain are a `ValueError`. `reno_and_vegas` is how the two share a bottleneck, `vegas`
the equilibrium of a Vegas sender. docs/guide/models.md draws them over simulated points.

Missing, because their texts were not available: NewReno's model (Parvez, Mahanti, Williamson, IEEE/ACM Transactions on
Networking 18(2), 2010) and Vegas's under losses (Samios, Vernon, SIGMETRICS 2003).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ackclock.analysis.models import cubic, high_speed, pftk, reno_and_vegas, square_root, vegas

__all__ = ["TABLE", "Model", "cubic", "high_speed", "pftk", "reno_and_vegas", "square_root", "vegas"]


@dataclass(frozen=True)
class Model:
    """A model of the rate that a loss ratio allows.

    `title` is for a legend, `source` for a list of references. `packets_per_s(loss_ratio, rtt_s, rto_s)` takes the
    probability of a loss, the RTT and the initial RTO, in seconds, whether or not the model uses the last. ACKs are not
    delayed and no receiver limits the window.
    """

    title: str
    source: str
    packets_per_s: Callable[[float, float, float], float]


#: The models of a rate by a loss ratio, by name.
TABLE: dict[str, Model] = {
    "square_root": Model(
        "square-root law", "Mathis et al. 1997", lambda p, rtt_s, rto_s: square_root.packets_per_s(p, rtt_s=rtt_s)
    ),
    "pftk": Model(
        "PFTK, full",
        "Padhye et al. 2000, eq. 32",
        lambda p, rtt_s, rto_s: pftk.packets_per_s(p, rtt_s=rtt_s, rto_s=rto_s),
    ),
    "pftk_approximate": Model(
        "PFTK, approximate",
        "Padhye et al. 2000, eq. 33",
        lambda p, rtt_s, rto_s: pftk.approximate_packets_per_s(p, rtt_s=rtt_s, rto_s=rto_s),
    ),
    "reno_cycle": Model(
        "Reno's cycle of study 001",
        "Chowdhury and Alam, eq. 22 and 23",
        lambda p, rtt_s, rto_s: reno_and_vegas.reno_mean_window_packets(p, rtt_s=rtt_s, rto_s=rto_s) / rtt_s,
    ),
    "high_speed": Model("HighSpeed", "RFC 3649", lambda p, rtt_s, rto_s: high_speed.packets_per_s(p, rtt_s=rtt_s)),
    "cubic": Model("CUBIC", "RFC 9438", lambda p, rtt_s, rto_s: cubic.packets_per_s(p, rtt_s=rtt_s)),
}
