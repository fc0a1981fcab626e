"""Links over 5G NR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ackclock import _native
from ackclock.scenario.model.typed import Described, Time


@dataclass(frozen=True, kw_only=True)
class Nr(Described):
    """A link over 5G NR: it sends at the ends of its direction's slots, as much as the channel's quality allows.

    `direction` is `downlink` or `uplink`. A link's reverse direction is the other one, unless it has a process of its
    own. `slots` are its slots in turn: `D` downlink, `U` uplink, `S` special, with `special_downlink` and
    `special_uplink` symbols of both. `D` alone is the downlink of FDD.

    The carrier has `resource_blocks` of 12 subcarriers each, `subcarrier_khz` apart, and `layers`. The share `overhead`
    of its symbols carries no data, by default 0.14 in the downlink and 0.08 in the uplink. The ratio of signal to
    interference and noise is `sinr_db` on average. It varies by `shadowing_db`, and forgets while a terminal of
    `speed_kmh` moves by `correlation_m`. It is reported each `report_interval`.

    A block fails with the probability `bler` and is retransmitted after `harq_rtt` or more; what came after it waits.
    The resource blocks of each slot are shared with `users` others.

    The defaults are a carrier of 100 MHz below 7 GHz; docs/guide/paths.md has the source of each.
    """

    kind: ClassVar[str] = "nr"

    direction: str = "downlink"
    subcarrier_khz: int = 30
    resource_blocks: int = 273
    layers: int = 2
    overhead: float | None = None
    slots: str = "DDDSU"
    special_downlink: int = 10
    special_uplink: int = 2
    sinr_db: float = 15.0
    shadowing_db: float = 4.0
    correlation_m: float = 37.0
    speed_kmh: float = 3.0
    report_interval: Time = "10 ms"
    bler: float = 0.1
    harq_rtt: Time = "4 ms"
    users: int = 0

    def check(self) -> None:
        """`ScenarioError` for numbers that 5G cannot have, and slots without symbols of the direction."""
        _native.check_process(self.table())
