"""Checks of input: sequences of finite numbers, probabilities, counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Squares of larger numbers could overflow.
LARGEST = 1e150
#: Values that are this close, relative to the largest, differ by rounding only.
ROUNDING = 16 * float(np.finfo(np.float64).eps)


def samples(values: ArrayLike, what: str = "values", least: int = 1) -> NDArray[np.float64]:
    """The values as an array of shape (n,). `ValueError` unless they are at least `least` finite numbers."""
    array = _numbers(values, what)
    if array.ndim != 1:
        raise ValueError(f"{what}: expected a sequence of numbers, got an array of shape {array.shape}")
    if len(array) < least:
        raise ValueError(f"{what}: expected at least {least}, got {len(array)}")
    _check_finite(array, what)
    return array


def table(values: ArrayLike, what: str, least: int) -> NDArray[np.float64]:
    """Series as an array of shape (m, n), n at least `least`; one series counts as m = 1. Checked as `samples` does."""
    array = _numbers(values, what)
    if array.ndim not in (1, 2) or not array.size:
        raise ValueError(f"{what}: expected one or two dimensions, got an array of shape {array.shape}")
    rows = np.atleast_2d(array)
    if rows.shape[1] < least:
        raise ValueError(f"{what}: expected at least {least}, got {rows.shape[1]}")
    for number, row in enumerate(rows):
        _check_finite(row, what if array.ndim == 1 else f"{what}[{number}]")
    return rows


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


def logarithms(values: ArrayLike, what: str, least: int) -> NDArray[np.float64]:
    """Natural logarithms of `samples`, all of which must be above 0."""
    array = samples(values, what, least)
    wrong = np.flatnonzero(array <= 0)
    if len(wrong):
        raise ValueError(f"{what}[{wrong[0]}] = {array[wrong[0]]:g}: expected a number above 0, for its logarithm")
    found: NDArray[np.float64] = np.log(array)
    return found


def identical(values: ArrayLike, scale: float | None = None) -> bool:
    """Whether the values are equal but for rounding, relative to `scale` (by default to the largest of them)."""
    array = np.asarray(values, dtype=np.float64)
    largest = float(np.abs(array).max()) if scale is None else scale
    return float(np.ptp(array)) <= ROUNDING * largest


def deviation(array: NDArray[np.float64]) -> float:
    """Standard deviation with n - 1, without loss of digits far from 0 and without underflow of the squares."""
    apart = array - array[0]
    scale = float(np.abs(apart).max())
    return scale * float((apart / scale).std(ddof=1)) if scale else 0.0


def probability(level: float) -> float:
    """A confidence level. `ValueError` unless it is above 0 and below 1."""
    if not 0 < level < 1:
        raise ValueError(f"level = {level}: expected a probability, above 0 and below 1")
    return level


def whole(value: int, what: str, least: int) -> int:
    """A count. `ValueError` unless it is a whole number, at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{what} = {value}: expected a whole number, at least {least}")
    return int(value)


def _numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO" and array.size:
            raise TypeError  # NumPy would make numbers of texts and of dates
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{what}: expected a sequence of numbers") from None


def _check_finite(array: NDArray[np.float64], what: str) -> None:
    wrong = np.flatnonzero(~np.isfinite(array))
    if len(wrong):
        raise ValueError(f"{what}[{wrong[0]}] = {array[wrong[0]]}: expected a finite number")
    wrong = np.flatnonzero(np.abs(array) > LARGEST)
    if len(wrong):
        raise ValueError(f"{what}[{wrong[0]}] = {array[wrong[0]]:g}: expected a number of at most {LARGEST:g} in size")
