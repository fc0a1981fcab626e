"""What a key takes one after the other: a list, or a range of numbers or quantities."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ackclock.scenario import ScenarioError
from ackclock.scenario.errors import nearest

RANGE = ("from", "to", "step", "count", "scale")
_NUMBER = re.compile(r"\s*([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)\s*(\S*)\s*")


def is_values(value: Any) -> bool:
    """Whether a value of a file is a list or a range, not a table with more keys below it."""
    return not isinstance(value, Mapping) or "from" in value or "to" in value


def values_of(value: Any, key: str) -> list[Any]:
    """The values that a list or a range stands for, at least one.

    A range is a table: `from` and `to`, both included, and `step` or `count`; with `scale = "log"`, `count` values at
    equal ratios. Quantities keep their unit: `{ from = "10 ms", to = "50 ms", step = "20 ms" }`. `ScenarioError` for
    a range that is empty or none.
    """
    if isinstance(value, Mapping):
        found = _range(value, key)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        found = list(value)
    else:
        raise ScenarioError("expected a list of values, or a range: { from, to, step }", key=key, value=value)
    if not found:
        raise ScenarioError("expected at least one value", key=key)
    return found


def _range(table: Mapping[str, Any], key: str) -> list[Any]:
    for name in table:
        if name not in RANGE:
            expected = f"unknown key of a range; expected one of {', '.join(RANGE)}"
            raise ScenarioError(expected, key=f"{key}.{name}", nearest=nearest(name, RANGE))
    for name in ("from", "to"):
        if name not in table:
            raise ScenarioError("the key is missing; a range needs it", key=f"{key}.{name}")
    (first, unit), (last, other) = (_split(table[name], f"{key}.{name}") for name in ("from", "to"))
    if other != unit:
        raise ScenarioError(f"expected the unit of `from`, {unit or 'none'}", key=f"{key}.to", value=table["to"])
    whole = all(isinstance(table[name], int) for name in ("from", "to", "step") if name in table)
    scale = table.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise ScenarioError('expected "linear" or "log"', key=f"{key}.scale", value=scale)
    if ("step" in table) == ("count" in table):
        raise ScenarioError("expected either step or count", key=key)
    if "step" in table:
        if scale == "log":
            raise ScenarioError("expected count, not step: the ratios are equal", key=f"{key}.step")
        step, its = _split(table["step"], f"{key}.step")
        if its != unit or not step > 0:
            raise ScenarioError(f"expected more than 0, in the unit of `from`, {unit or 'none'}", key=f"{key}.step")
        # A last value that rounding puts just beyond the end belongs to the range.
        count = math.floor((last - first) / step + 1e-9) + 1
        numbers = [first + step * index for index in range(max(count, 0))]
    else:
        count, whole = table["count"], False
        if not isinstance(count, int) or count < 2:
            raise ScenarioError("expected a whole number, at least 2", key=f"{key}.count", value=count)
        if last <= first or (scale == "log" and first <= 0):
            raise ScenarioError("expected `to` above `from`, and both above 0 on a log scale", key=key)
        parts = [index / (count - 1) for index in range(count)]
        numbers = [first * (last / first) ** p if scale == "log" else first + (last - first) * p for p in parts]
    if unit:
        return [f"{number:.9g} {unit}" for number in numbers]
    return [int(number) if whole else float(f"{number:.12g}") for number in numbers]


def _split(value: Any, key: str) -> tuple[float, str]:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value), ""
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ScenarioError("expected a number or a quantity such as 10 ms", key=key, value=value)
    return float(match[1]), match[2]
