"""Millions of points as a screen shows them: fewer, and none that could be seen is lost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: More than any panel has pixels at the resolution of saved files, either way.
COLUMNS = 1600
ROWS = 800


def curve(x: NDArray[np.float64], y: NDArray[np.float64], columns: int = COLUMNS) -> NDArray[np.intp]:
    """Which points of a curve to draw: of each column of pixels the first, the lowest, the highest and the last.

    `x` must not decrease; NaN in `y`, a gap, counts as no point of its column unless it is first or last. A line
    through these covers the pixels that the whole curve covers. Source: U. Jugel et al., "M4: A Visualization-Oriented
    Time Series Data Aggregation", PVLDB 7(10), 2014.
    """
    if len(x) <= 4 * columns or x[-1] <= x[0]:
        return np.arange(len(x))
    column = np.minimum((x - x[0]) * (columns / (x[-1] - x[0])), columns - 1).astype(np.intp)
    firsts = np.flatnonzero(np.diff(column, prepend=-1))
    lasts = np.append(firsts[1:], len(x)) - 1
    gap = np.isnan(y)
    # Within each column in the order of y: the lowest comes first, the highest last.
    lowest = np.lexsort((np.where(gap, np.inf, y), column))[firsts]
    highest = np.lexsort((np.where(gap, -np.inf, y), column))[lasts]
    return np.unique(np.concatenate([firsts, lowest, highest, lasts]))


def marks(x: NDArray[np.float64], y: NDArray[np.float64], columns: int = COLUMNS, rows: int = ROWS) -> NDArray[np.intp]:
    """Which of many marks to draw: the first of each pixel, which hides all others there."""
    if len(x) <= columns:
        return np.arange(len(x))

    def pixel(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
        low, high = values.min(), values.max()
        place: NDArray[np.int64] = ((values - low) * (count / (high - low or 1.0))).astype(np.int64)
        return place

    _, kept = np.unique(pixel(x, columns) * (rows + 1) + pixel(y, rows), return_index=True)
    drawn: NDArray[np.intp] = np.sort(kept)
    return drawn
