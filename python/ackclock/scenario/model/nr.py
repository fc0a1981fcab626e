"""Parts of descriptions, as crates/scenario/src/model/nr.rs declares them.

Written by tools/write_scenario_types.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ackclock.scenario.model.part import Part
from ackclock.scenario.model.typed import Time


@dataclass(frozen=True, kw_only=True)
class Nr(Part):
    """A link over 5G NR: it sends at the ends of its direction's slots, as much as the channel's quality allows.

    `direction` is `downlink` or `uplink`. A link's reverse direction is the other one, unless it has a process of its
    own. `slots` are its slots in turn: `D` downlink, `U` uplink, `S` special, with `special_downlink` and
    `special_uplink` symbols of both. `D` alone is the downlink of FDD.

    The carrier has `resource_blocks` of 12 subcarriers each, `subcarrier_khz` apart, and `layers`. The share `overhead`
    of its symbols carries no data. The ratio of signal to interference and noise is `sinr_db` on average. It varies by
    `shadowing_db`, and forgets while a terminal of `speed_kmh` moves by `correlation_m`. It is reported each
    `report_interval`. A block fails with the probability `bler` and is retransmitted after `harq_rtt` or more; what
    came after it waits. The resource blocks of each slot are shared with `users` others.

    The defaults are a carrier of 100 MHz below 7 GHz, two layers, and a pedestrian in sight of an urban macro cell;
    docs/guide/paths.md has the source of each.
    """

    part = "Nr"
    kind: ClassVar[str] = "nr"
    words: ClassVar[Mapping[str, tuple[str, ...]]] = {"direction": ("downlink", "uplink")}

    direction: str = "downlink"
    """`downlink` or `uplink`."""
    subcarrier_khz: int = 30
    """Subcarrier spacing, kHz: 15, 30 or 60. A slot is 15 kHz by this, ms."""
    resource_blocks: int = 273
    """Resource blocks of 12 subcarriers."""
    layers: int = 2
    """Spatial layers."""
    overhead: float | None = None
    """The share of symbols that are not data; 0.14 in the downlink and 0.08 in the uplink unless given."""
    slots: str = "DDDSU"
    """The slots in turn: `D` is downlink, `U` uplink, `S` special, with symbols of both. `D` alone is the downlink of
    FDD.
    """
    special_downlink: int = 10
    """Downlink symbols of a special slot."""
    special_uplink: int = 2
    """Uplink symbols of a special slot."""
    sinr_db: float = 15.0
    """The mean ratio of signal to interference and noise, dB."""
    shadowing_db: float = 4.0
    """The standard deviation of shadow fading, dB."""
    correlation_m: float = 37.0
    """The distance over which shadow fading falls to 1/e of its correlation, m."""
    speed_kmh: float = 3.0
    """How fast the terminal moves, km/h."""
    report_interval: Time = "10 ms"
    """The time between two reports of the channel's quality."""
    bler: float = 0.1
    """The probability that a transport block is not received, at each transmission."""
    harq_rtt: Time = "4 ms"
    """The minimum time from the end of a block's transmission to its next one."""
    users: int = 0
    """Other terminals that always have data for this direction. All have the same number of resource blocks of each
    slot.
    """
