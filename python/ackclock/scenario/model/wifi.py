"""Parts of descriptions, as crates/scenario/src/model/wifi.rs declares them.

Written by tools/write_scenario_types.py; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ackclock.scenario.model.part import Part
from ackclock.scenario.model.typed import Rate, Size, Time


@dataclass(frozen=True, kw_only=True)
class Wifi(Part):
    """A Wi-Fi link: its two directions contend for one medium, and each access sends an aggregate of frames.

    A frame is sent at `phy_rate`, in symbols of `symbol`, behind a `preamble`; acknowledgments at `control_rate`. A
    direction that has packets waits until the medium was idle for `sifs` and `aifsn` times `slot`, and for a random
    number of slots up to its window. That is `cw_min`, and doubles up to `cw_max` at each collision; after more than
    `retries` of them the aggregate is lost. An aggregate has at most `max_frames` packets and `max_size` with their
    headers, and takes at most `max_airtime`; `max_frames = 1` is for no aggregation. `contenders` are other stations,
    which always have a full aggregate to send.

    The defaults are 802.11n at 5 GHz with one stream in 20 MHz, MCS 7, best effort: IEEE 802.11-2020, clauses 10.23
    (EDCA), 17 (OFDM) and 19 (HT).
    """

    part = "Wifi"
    kind: ClassVar[str] = "wifi"

    phy_rate: Rate = "65 Mb/s"
    """The rate at which frames are sent."""
    symbol: Time = "4 us"
    """The duration of an OFDM symbol with its guard interval."""
    preamble: Time = "36 us"
    """What comes before the data of a transmission."""
    control_rate: Rate = "24 Mb/s"
    """The rate of acknowledgments."""
    slot: Time = "9 us"
    """The duration of a slot."""
    sifs: Time = "16 us"
    """The short interframe space."""
    aifsn: int = 3
    """Slots of the arbitration interframe space."""
    cw_min: int = 15
    """The first contention window, slots."""
    cw_max: int = 1023
    """The largest contention window, slots."""
    retries: int = 7
    """Collisions in a row after which an aggregate is lost."""
    max_frames: int = 64
    """The most frames in an aggregate."""
    max_size: Size = "65535 B"
    """The most bytes in an aggregate."""
    max_airtime: Time = "5.484 ms"
    """The longest transmission."""
    contenders: int = 0
    """Other stations that always have a full aggregate to send."""
