"""Links over satellites in low Earth orbit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ackclock.scenario.errors import ScenarioError
from ackclock.scenario.model.typed import Described, Rate, Time
from ackclock.scenario.units import rate_bps, time_s


@dataclass(frozen=True, kw_only=True)
class LeoSatellite(Described):
    """A link over satellites in low Earth orbit: at each hand-over it gets another rate and another delay.

    Hand-overs come each `interval`, from `first` on. After each the rate is uniformly distributed from `min_rate` to
    `max_rate`, in each direction for itself. The path adds a delay up to `spread` to the link's own, the same in both
    directions. Nothing is sent for `pause`. With `cut`, what is on its way at a hand-over is lost. Each packet is
    delayed by up to `jitter` more, without reordering.

    The defaults are those of Starlink; docs/guide/paths.md has the source of each.
    """

    kind: ClassVar[str] = "leo_satellite"

    interval: Time = "15 s"
    first: Time = "12 s"
    min_rate: Rate = "10 Mb/s"
    max_rate: Rate = "70 Mb/s"
    spread: Time = "10 ms"
    pause: Time = "50 ms"
    cut: bool = True
    jitter: Time = "14 ms"

    def check(self) -> None:
        """`ScenarioError` for hand-overs that follow at once, and rates in the wrong order."""
        if not time_s(self.interval) > 0:
            raise ScenarioError("must be more than 0", key="interval", value=self.interval)
        if rate_bps(self.max_rate) < rate_bps(self.min_rate):
            raise ScenarioError(f"expected at least `min_rate`, {self.min_rate}", key="max_rate", value=self.max_rate)
        if time_s(self.pause) >= time_s(self.interval):
            raise ScenarioError(f"expected less than `interval`, {self.interval}", key="pause", value=self.pause)
