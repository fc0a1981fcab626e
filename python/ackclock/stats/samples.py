"""Numbers that come in: any sequence of finite numbers, checked once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def samples(values: ArrayLike, what: str = "values", least: int = 1) -> NDArray[np.float64]:
    """The values as an array of shape (n,). `ValueError` unless they are at least `least` finite numbers."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{what}: expected a sequence of numbers, got an array of shape {array.shape}")
    if len(array) < least:
        raise ValueError(f"{what}: expected at least {least}, got {len(array)}")
    wrong = np.flatnonzero(~np.isfinite(array))
    if len(wrong):
        raise ValueError(f"{what}[{wrong[0]}] = {array[wrong[0]]}: expected a finite number")
    return array


def pair(
    first: ArrayLike, second: ArrayLike, what: tuple[str, str], least: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two sequences of the same length, checked as `samples` does."""
    one, other = samples(first, what[0], least), samples(second, what[1], least)
    if len(one) != len(other):
        raise ValueError(f"expected as many {what[1]} as {what[0]}, got {len(other)} and {len(one)}")
    return one, other


def not_negative(values: ArrayLike, what: str, least: int = 1) -> NDArray[np.float64]:
    """Rates and the like: `samples` of which none is below 0 and one at least is above."""
    array = samples(values, what, least)
    wrong = np.flatnonzero(array < 0)
    if len(wrong):
        raise ValueError(f"{what}[{wrong[0]}] = {array[wrong[0]]:g}: expected a number of at least 0")
    if not array.any():
        raise ValueError(f"{what}: expected one above 0 at least")
    return array
