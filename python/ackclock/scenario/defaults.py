"""The default sets, as `crates/scenario` has them, and the parameters, as the engine declares them."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any, NamedTuple

from ackclock import _native

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class Parameter(NamedTuple):
    """A parameter: its value unless a default set says otherwise, its unit, its meaning."""

    value: bool | int | float
    unit: str
    about: str


@cache
def data() -> dict[str, Any]:
    """The sets, as `crates/scenario/src/defaults.toml` has them."""
    return tomllib.loads(_native.default_sets())


@cache
def parameters(of: str) -> dict[str, Parameter]:
    """The parameters of a queue discipline or of senders, as the engine's files declare them; none for an unknown name.

    `of`: a queue discipline's id; `one_way`, `full` or `tcp` for one-way senders, ns-2's two-way ones or today's TCP;
    `tcp_NAME` for today's TCP with the congestion control NAME. `tcp` has what all controls share.
    """
    return {name: Parameter(value, unit, about) for name, value, unit, about in _native.scenario_parameters(of)}
