"""A scenario as notebooks show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ackclock._internal.html import heading, table


def as_html(described: Mapping[str, Any]) -> str:
    """The table of a scenario: its network and settings by key, and a row for each flow."""
    title = str(described.get("name") or "Scenario")
    flows = list(described.get("flows", []))
    rows = [
        (key, str(value)) for key, value in _flat({k: v for k, v in described.items() if k not in ("flows", "name")})
    ]
    told = [dict(_flat(flow)) for flow in flows]
    keys = list(dict.fromkeys(key for flow in told for key in flow))
    parts = [heading(title), table(["key", "value"], rows, 2)]
    if told:
        parts.append(table(keys, [[str(flow.get(key, "")) for key in keys] for flow in told], len(keys)))
    return "".join(parts)


def _flat(part: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Keys with their whole paths; what is not set is left out."""
    for name, value in part.items():
        key = f"{above}.{name}" if above else name
        if isinstance(value, Mapping):
            yield from _flat(value, key)
        elif value not in (None, [], {}, ""):
            yield key, value
