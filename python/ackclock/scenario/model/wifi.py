"""Links over the medium of IEEE 802.11."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ackclock.scenario.errors import ScenarioError
from ackclock.scenario.model.typed import Described, Rate, Size, Time
from ackclock.scenario.units import time_s

#: The largest of all its whole numbers: a window of 802.11 has at most 15 bits.
MOST = 32_767


@dataclass(frozen=True, kw_only=True)
class Wifi(Described):
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

    kind: ClassVar[str] = "wifi"

    phy_rate: Rate = "65 Mb/s"
    symbol: Time = "4 us"
    preamble: Time = "36 us"
    control_rate: Rate = "24 Mb/s"
    slot: Time = "9 us"
    sifs: Time = "16 us"
    aifsn: int = 3
    cw_min: int = 15
    cw_max: int = 1023
    retries: int = 7
    max_frames: int = 64
    max_size: Size = "65535 B"
    max_airtime: Time = "5.484 ms"
    contenders: int = 0

    def check(self) -> None:
        """`ScenarioError` for durations of 0, and whole numbers that 802.11 cannot have."""
        for key in ("symbol", "slot", "max_airtime"):
            if not time_s(getattr(self, key)) > 0:
                raise ScenarioError("must be more than 0", key=key, value=getattr(self, key))
        least = {"aifsn": 1, "cw_min": 0, "cw_max": self.cw_min, "retries": 0, "max_frames": 1, "contenders": 0}
        for key, low in least.items():
            if not low <= getattr(self, key) <= MOST:
                expected = f"expected a whole number, {low} to {MOST}"
                raise ScenarioError(expected, key=key, value=getattr(self, key))
