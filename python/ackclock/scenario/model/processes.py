"""Random processes of a link's rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ackclock.scenario.errors import ScenarioError
from ackclock.scenario.model.typed import Described, Rate, Time
from ackclock.scenario.units import rate_bps


@dataclass(frozen=True, kw_only=True)
class Cellular(Described):
    """A cellular link by Sprout's model: it can send at the instants of a Poisson process, whose rate wanders.

    The rate is a Brownian motion between 0 and `max_rate`. `volatility` is the standard deviation of its change after a
    second. At 0 there is an outage, which the rate leaves after an exponentially distributed time of mean `outage`;
    "0 s" is for no outages. The first rate is uniformly distributed. The defaults are those of the paper, 1000 and 200
    packets of 1500 bytes per second, and 1 s: K. Winstein, A. Sivaraman, H. Balakrishnan, "Stochastic Forecasts Achieve
    High Throughput and Low Delay over Cellular Networks", NSDI 2013, section 3.1.
    """

    kind: ClassVar[str] = "cellular"

    max_rate: Rate = "12 Mb/s"
    volatility: Rate = "2.4 Mb/s"
    outage: Time = "1 s"

    def check(self) -> None:
        """`ScenarioError` for a highest rate of 0."""
        if not rate_bps(self.max_rate) > 0:
            raise ScenarioError("must be more than 0", key="max_rate", value=self.max_rate)
