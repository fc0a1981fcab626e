"""The widget: a page in a frame, whose requests are answered here."""

from __future__ import annotations

import os
import tempfile
import weakref
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ackclock.execution.results import Results
from ackclock.server.app import application
from ackclock.server.catalog import Catalog, item
from ackclock.server.errors import Refusal
from ackclock.server.export import page
from ackclock.server.in_process import ask

#: Under this name the page asks for its recording first; the answer has the recording's own id.
FIRST = "recordings/recording"


class Player(anywidget.AnyWidget):
    """The player of one recording. What the page asks for comes as messages, and goes back as bytes."""

    _esm = Path(__file__).parent / "player.js"
    page = traitlets.Unicode().tag(sync=True)
    height_px = traitlets.Int().tag(sync=True)
    _closing: weakref.finalize[..., Player] | None = None

    def __init__(self, what: Results | str | os.PathLike[str], *, height_px: int = 720) -> None:
        """See `view`."""
        if not isinstance(height_px, int) or height_px <= 0:
            raise ValueError(f"height_px={height_px!r}: expected a whole number of pixels above 0")
        with ExitStack() as opened:
            if isinstance(what, Results):
                folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="ackclock-view-"))
                # A scenario's name may be any text: it is shown, and is no path.
                catalog = Catalog([item(what.save(Path(folder, "run")), what.scenario.name or "run")])
            else:
                catalog = Catalog.of_files([what])
            opened.callback(catalog.close)
            items = catalog.items()
            if len(items) != 1:
                raise ValueError(f"{what}: {len(items)} recordings; expected a trace file or a saved run")
            try:
                catalog.recording(items[0].id).wait()
            except Refusal as refusal:
                raise ValueError(refusal.sentence) from None
            self._id = items[0].id
            self._application = application(catalog, plays=False)
            super().__init__(page=page(items[0].name), height_px=height_px)
            # What was opened stays as long as the widget.
            self._closing = weakref.finalize(self, opened.pop_all().close)
        self.on_msg(_asked)

    def answer(self, path: str) -> tuple[int, bytes]:
        """Status and body of the answer to a request of the page: a path of the HTTP API below `/api/`."""
        if path == FIRST or path.startswith((f"{FIRST}/", f"{FIRST}?")):
            path = f"recordings/{self._id}{path.removeprefix(FIRST)}"
        return ask(self._application, f"/api/{path}")

    def close(self) -> None:
        """Let go of the recording; the cell shows what it has."""
        if self._closing is not None:
            self._closing()
        super().close()


def _asked(player: Player, content: dict[str, Any], buffers: list[bytes]) -> None:
    """A message of the page: `path`, and what tells whose it is."""
    del buffers
    path = content.get("path")
    if isinstance(path, str):
        status, body = player.answer(path)
        player.send({"view": content.get("view"), "request": content.get("request"), "status": status}, [body])
