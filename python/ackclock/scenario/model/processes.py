"""Parts of descriptions, as crates/scenario/src/model/processes.rs declares them.

Written by tools/write_scenario_types.py; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ackclock.scenario.model.leo_satellite import LeoSatellite
from ackclock.scenario.model.nr import Nr
from ackclock.scenario.model.part import Part
from ackclock.scenario.model.typed import Rate, Time
from ackclock.scenario.model.wifi import Wifi


@dataclass(frozen=True, kw_only=True)
class Cellular(Part):
    """A cellular link by Sprout's model: it can send at the instants of a Poisson process, whose rate wanders.

    The rate is a Brownian motion between 0 and `max_rate`. `volatility` is the standard deviation of its change after a
    second. At 0 there is an outage, which the rate leaves after an exponentially distributed time of mean `outage`; "0
    s" is for no outages. The first rate is uniformly distributed. The defaults are those of the paper, 1000 and 200
    packets of 1500 bytes per second, and 1 s: K. Winstein, A. Sivaraman, H. Balakrishnan, "Stochastic Forecasts Achieve
    High Throughput and Low Delay over Cellular Networks", NSDI 2013, section 3.1.
    """

    part = "Cellular"
    kind: ClassVar[str] = "cellular"

    max_rate: Rate = "12 Mb/s"
    """The highest rate."""
    volatility: Rate = "2.4 Mb/s"
    """The standard deviation of the rate's change after a second."""
    outage: Time = "1 s"
    """The mean time of an outage; "0 s" for no outages."""


#: Parts that differ in `kind`: cellular, leo_satellite, nr, wifi.
Process = Cellular | LeoSatellite | Nr | Wifi
