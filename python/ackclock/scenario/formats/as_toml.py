"""A scenario as the TOML file that describes it."""

from __future__ import annotations

import dataclasses
from typing import Any

import tomli_w

from ackclock.scenario.model.scenario import Scenario
from ackclock.scenario.model.typed import Described, plain


def text(scenario: Scenario) -> str:
    """The file; what would be so anyway is left out. `ackclock.scenario.load` reads the same scenario from it."""
    return tomli_w.dumps(_said(scenario))


def _said(part: Described) -> dict[str, Any]:
    """A description's fields that are not what they would be anyway."""
    own = {name: value for name, value in part.table().items() if name == "kind"}
    for field in dataclasses.fields(part):  # type: ignore[arg-type]
        value = getattr(part, field.name)
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        if value is not None and value != default:
            own[field.name] = _plain(value)
    return own


def _plain(value: Any) -> Any:
    if isinstance(value, Described):
        return _said(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return plain(value)
