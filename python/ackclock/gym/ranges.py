"""What varies from episode to episode: values of a scenario's keys, drawn from ranges."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ackclock.scenario import ScenarioError
from ackclock.scenario.units import PACKETS

_TEXT = re.compile(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*(\S+)\s*")


@dataclass(frozen=True)
class Range:
    """A value between `low` and `high`, uniform, or with `log` uniform in its logarithm.

    Both are numbers, or texts of one unit: `Range("1.2 Mb/s", "6 Mb/s")`. Packets are rounded to whole ones.
    `ScenarioError` for anything else.
    """

    low: float | str
    high: float | str
    log: bool = False

    def __post_init__(self) -> None:
        (low, unit), (high, other) = _parts(self.low), _parts(self.high)
        if unit != other:
            raise ScenarioError(f"expected two texts of one unit, not {unit or 'none'} and {other or 'none'}")
        if not low <= high:
            raise ScenarioError("expected the lower bound first", value=f"{self.low} to {self.high}")
        if self.log and not low > 0:
            raise ScenarioError("expected a positive lower bound, for its logarithm", value=self.low)

    def draw(self, random: np.random.Generator) -> Any:
        """A value: a number, or a text with the unit."""
        (low, unit), (high, _) = _parts(self.low), _parts(self.high)
        value = math.exp(random.uniform(math.log(low), math.log(high))) if self.log else random.uniform(low, high)
        if unit in PACKETS:
            return f"{round(value)} {unit}"
        return f"{value!r} {unit}" if unit else value


def _parts(bound: float | str) -> tuple[float, str]:
    if isinstance(bound, str):
        match = _TEXT.fullmatch(bound)
        if match is None:
            raise ScenarioError("expected a number with its unit, such as 10 Mb/s", value=bound)
        return float(match[1]), match[2]
    if isinstance(bound, bool) or not isinstance(bound, (int, float)) or not math.isfinite(bound):
        raise ScenarioError("expected a number, or a text such as 10 Mb/s", value=bound)
    return float(bound), ""


#: The links that Aurora was trained on: 100 to 500 packets/s of 1500 bytes, 50 to 500 ms in each direction, queues of 2
#: to 2981 packets, losses of up to 5 %.
AURORA_RANGES: Mapping[str, Range] = {
    "topology.link.rate": Range("1.2 Mb/s", "6 Mb/s"),
    "topology.link.delay": Range("50 ms", "500 ms"),
    "topology.link.queue.limit": Range("2 packets", "2981 packets", log=True),
    "topology.link.loss.0.rate": Range(0.0, 0.05),
}
