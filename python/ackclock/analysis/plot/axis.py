"""Values of a sweep's keys on an axis: numbers with their unit, or words."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter

from ackclock.scenario.units import BYTE_RATES, RATES, SIZES, TIMES

_NUMBER = re.compile(r"\s*([-+]?[0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([^\s0-9]\S*)?\s*")

#: Names of keys that say nothing without what is above them.
_BARE = ("kind", "rate", "delay", "limit", "queue", "loss", "size")


class Scale(NamedTuple):
    """How values lie on an axis."""

    #: a number for each value, or its place among the words
    places: list[float]
    #: what stands at each value
    texts: list[str]
    #: quantity and unit
    label: str
    is_numeric: bool
    is_logarithmic: bool


def scale_of(key: str, values: Sequence[Any]) -> Scale:
    """Place values of a key, in their order. They are numbers where all are, in units of one kind."""
    name = name_of(key)
    numbers = _numbers(values)
    if numbers is None:
        return Scale(
            [float(place) for place in range(len(values))], [word_of(one) for one in values], name, False, False
        )
    places, unit = numbers
    least = min(places)
    # Values that are multiplied, not added, from one to the next.
    ratios = [later / earlier for earlier, later in pairwise(places) if earlier > 0]
    is_log = least > 0 and len(places) > 2 and max(places) / least >= 8 and min(ratios, default=1.0) >= 1.5
    label = f"{name} ({unit})" if unit else name
    return Scale(places, [f"{place:g}" for place in places], label, True, is_log)


def fitted(scale: Scale, width: float, text: float) -> Scale:
    """The scale with words in lines that fit between ticks, on an axis `width` inches wide, text of `text` points.

    A word is never cut.
    """
    if scale.is_numeric or not scale.texts:
        return scale
    # A letter is about 0.6 of the height of the text.
    letters = max(1, int(width / len(scale.texts) / (0.6 * text / 72)))
    lines = [textwrap.fill(word, letters, break_long_words=False, break_on_hyphens=False) for word in scale.texts]
    return scale._replace(texts=lines)


def plain_log(axis: Axis) -> None:
    """Ticks of a logarithmic axis as plain numbers; those between powers of ten where it has less than a decade."""

    def minor(value: float, _: object) -> str:
        low, high = sorted(axis.get_view_interval())
        return f"{value:g}" if high < 10 * low else ""

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(FuncFormatter(minor))


def name_of(key: str) -> str:
    """What people call a key: `bottleneck queue limit` of `topology.bottleneck.queue.limit`, `tcp` of `flows.0.tcp`."""
    parts = key.split(".")
    words = [part for part in parts if part not in ("topology", "flows", "parameters") and not part.isdecimal()]
    kept = words[-1:] if not words or words[-1] not in _BARE else words[-3:]
    text = " ".join(kept or parts[-1:]).replace("_", " ").replace("queue kind", "queue")
    if parts[0] == "flows" and len(parts) > 2 and parts[1].isdecimal() and parts[1] != "0":
        text += f" of flow {int(parts[1]) + 1}"
    return text


def word_of(value: Any) -> str:
    """A value in a legend or at a tick."""
    if isinstance(value, dict):
        return str(value.get("kind", ", ".join(f"{key} {one}" for key, one in value.items())))
    if isinstance(value, (list, tuple)):
        return ", ".join(dict.fromkeys(map(word_of, value)))
    return str(value).replace("_", " ")


def _numbers(values: Sequence[Any]) -> tuple[list[float], str] | None:
    """Values as numbers in one unit; None where they are not."""
    found: list[tuple[float, str]] = []
    for value in values:
        if isinstance(value, bool):
            return None
        if isinstance(value, (int, float)):
            found.append((float(value), ""))
            continue
        match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            return None
        try:
            found.append((float(match[1]), match[2] or ""))
        except ValueError:
            return None
    units = list(dict.fromkeys(unit for _, unit in found))
    if len(units) == 1:
        return [number for number, _ in found], units[0]
    for kinds in (RATES, BYTE_RATES, TIMES, SIZES):
        if all(unit in kinds for unit in units):
            # The unit of most values; of as many, the first one's.
            unit = max(units, key=lambda one: sum(of == one for _, of in found))
            return [number * kinds[of] / kinds[unit] for number, of in found], unit
    return None
