"""Throughput and delay in one plot: an ellipse around a variant's runs.

Source: K. Winstein, H. Balakrishnan, "TCP ex Machina: Computer-Generated Congestion Control", SIGCOMM 2013, whose
figures have the 1-sigma contour of the Gaussian of maximum likelihood; RFC 7928, section 2.7, asks for them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.analysis.stats.samples import pair


@dataclass(frozen=True)
class Ellipse:
    """Mean of two quantities and their covariances from `n` points: `x` and `y` in their own units, `xx`, `xy`, `yy` in
    products.
    """

    x: float
    y: float
    xx: float
    xy: float
    yy: float
    n: int

    def outline(self, points: int = 100, sigmas: float = 1.0) -> NDArray[np.float64]:
        """The closed contour at `sigmas` standard deviations from the mean, for plotting: an array of shape (`points`,
        2).
        """
        values, vectors = np.linalg.eigh([[self.xx, self.xy], [self.xy, self.yy]])
        turn = np.linspace(0, 2 * np.pi, points)
        circle = np.array([np.cos(turn), np.sin(turn)])
        axes = vectors * (sigmas * np.sqrt(values.clip(0)))  # columns; rounding may leave one just below 0
        drawn: NDArray[np.float64] = np.array([self.x, self.y]) + (axes @ circle).T
        return drawn


def delay_throughput(delays_s: ArrayLike, rates_bps: ArrayLike) -> Ellipse:
    """The maximum-likelihood Gaussian of runs or flows, for an ellipse of throughput and delay.

    `delays_s` (x) and `rates_bps` (y) have shape (n,), n at least 2. Any two quantities in any units will do.
    `ValueError` for lengths that differ or are below 2. Source: Winstein and Balakrishnan 2013; RFC 7928, section 2.7.
    """
    one, other = pair(delays_s, rates_bps, ("delays_s", "rates_bps"), 2)
    (xx, xy), (_, yy) = np.cov(one, other, bias=True)
    return Ellipse(float(one.mean()), float(other.mean()), float(xx), float(xy), float(yy), len(one))
