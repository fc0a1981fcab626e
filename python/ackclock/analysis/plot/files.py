"""Figures as files: PNG, SVG or PDF by the name's ending, the same bytes each time."""

from __future__ import annotations

import io
import os
from pathlib import Path

from matplotlib.figure import Figure

from ackclock._internal.atomic_file import atomic_write
from ackclock.analysis.plot.options import PlotError, near
from ackclock.analysis.plot.theme import style

#: format -> what is left out of it, because it changes from day to day or with matplotlib's version
_WITHOUT: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def save(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a matplotlib `figure` to `path` and return the path. The file appears complete or not at all.

    `PlotError` for another ending than `.png`, `.svg` or `.pdf`; `OSError` if it cannot be written.
    """
    target = Path(path)
    data = rendered(figure, check_name(target))
    with atomic_write(target) as part:
        Path(part).write_bytes(data)
    return target


def check_name(path: Path) -> str:
    """The format that a name's ending says: `png`, `svg` or `pdf`. `PlotError` for another ending."""
    form = path.suffix.removeprefix(".").lower()
    if form not in _WITHOUT:
        known = ", ".join(f".{form}" for form in _WITHOUT)
        raise PlotError(f"{path}: expected a name that ends in {known}{near(path.suffix, known.split(', '))}")
    return form


def rendered(figure: Figure, form: str) -> bytes:
    """A figure as `png`, `svg` or `pdf`."""
    memory = io.BytesIO()
    with style():
        figure.savefig(memory, format=form, metadata=_WITHOUT[form])
    return memory.getvalue()
