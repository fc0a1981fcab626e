"""Parts of descriptions, as crates/scenario/src/model/leo_satellite.rs declares them.

Written by tools/write_scenario_types.py; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ackclock.scenario.model.part import Part
from ackclock.scenario.model.typed import Rate, Time


@dataclass(frozen=True, kw_only=True)
class LeoSatellite(Part):
    """A link over satellites in low Earth orbit: at each hand-over it gets another rate and another delay.

    Hand-overs come each `interval`, from `first` on. After each the rate is uniformly distributed from `min_rate` to
    `max_rate`, in each direction for itself. The path adds a delay up to `spread` to the link's own, the same in both
    directions. Nothing is sent for `pause`. With `cut`, what is on its way at a hand-over is lost. Each packet is
    delayed by up to `jitter` more, without reordering.

    The defaults are those of Starlink; docs/guide/paths.md has the source of each.
    """

    part = "LeoSatellite"
    kind: ClassVar[str] = "leo_satellite"

    interval: Time = "15 s"
    """The time between two hand-overs."""
    first: Time = "12 s"
    """The instant of the first hand-over."""
    min_rate: Rate = "10 Mb/s"
    """The lowest rate."""
    max_rate: Rate = "70 Mb/s"
    """The highest rate."""
    spread: Time = "10 ms"
    """The largest delay that a path adds to the link's, in each direction."""
    pause: Time = "50 ms"
    """How long nothing is sent after a hand-over."""
    cut: bool = True
    """Whether what is on its way at a hand-over is lost."""
    jitter: Time = "14 ms"
    """The largest random delay of a packet, without reordering."""
