"""The player in a cell of a notebook: `ackclock.view(results)`. Needs the extra `notebook` (anywidget)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ackclock.execution.results import Results

if TYPE_CHECKING:
    from ackclock.notebook.player import Player


def view(what: Results | str | os.PathLike[str], *, height_px: int = 720) -> Player:
    """The player of a run, for the last line of a notebook's cell: packets on their links, queues, linked charts.

    - `what`: results of `run` or `open`; or a folder of a saved run, or a trace file (`.tr`, `.nam`, also gzipped).
    - `height_px`: the height of the cell's output.

    A run that kept no packets is run again for them, in a process of its own. The page talks to Python through the
    notebook's own connection: there is no server and no port. `ackclock view RUN --export run.html` writes a file.

    Raises `ImportError` without anywidget, `FileNotFoundError`, `ValueError` for what cannot be shown.
    """
    try:
        from ackclock.notebook.player import Player
    except ModuleNotFoundError as error:
        if error.name not in ("anywidget", "traitlets"):
            raise
        raise ImportError(
            "the player in a notebook needs anywidget: pip install 'ackclock[notebook]'", name=error.name
        ) from None
    return Player(what, height_px=height_px)


__all__ = ["view"]
