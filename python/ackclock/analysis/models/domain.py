"""Checks of a model's inputs, with error messages."""

from __future__ import annotations

import math


def loss(loss_ratio: float) -> None:
    """`ValueError` unless packets are lost with a probability between 0 and 1, both excluded."""
    if not 0 < loss_ratio < 1:
        raise ValueError(f"loss_ratio = {loss_ratio}: expected a probability of losing a packet, above 0 and below 1")


def positive(**quantities: float) -> None:
    """`ValueError` for the first quantity that is not a number above 0, by its name."""
    for name, value in quantities.items():
        if not (value > 0 and math.isfinite(value)):
            raise ValueError(f"{name} = {value}: expected a number above 0")


def at_least(least: float, **quantities: float) -> None:
    """`ValueError` for the first quantity that is not a number of at least `least`, by its name."""
    for name, value in quantities.items():
        if not (value >= least and math.isfinite(value)):
            raise ValueError(f"{name} = {value}: expected a number of at least {least:g}")
