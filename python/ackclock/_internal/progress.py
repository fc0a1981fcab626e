"""One progress bar on a terminal's stderr, for all that takes a while. rich draws it; nothing is drawn elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

    from rich.progress import Progress, TaskID

#: Seconds between two looks of the bar.
EVERY_S = 0.2


class Bar:
    """A bar with what is done, a text, and the time left. It goes when it is closed."""

    def __init__(
        self, what: str, *, patience_s: float = 0.0, every_s: float = EVERY_S, out: TextIO | None = None
    ) -> None:
        self._out = sys.stderr if out is None else out
        self._what = what
        self._is_shown = self._out.isatty()
        self._patience_s = patience_s
        self._began = time.monotonic()
        self._every_s = every_s
        self._last = -every_s
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def update(self, done: float, total: float, text: str) -> None:
        """So much of `total` is done; `text` says it for people."""
        clock = time.monotonic()
        if not self._is_shown or clock - self._began < self._patience_s or clock - self._last < self._every_s:
            return
        self._last = clock
        if self._bar is None:
            self._bar = self._made()
            self._bar.start()
            self._task = self._bar.add_task(_plain(self._what), total=total, text="")
        assert self._task is not None
        self._bar.update(self._task, completed=done, total=total, text=_plain(text), refresh=True)

    def close(self) -> None:
        """Take it away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _made(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns: list[Any] = [
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[text]}", markup=False),
            TimeRemainingColumn(compact=True, elapsed_when_finished=True),
        ]
        return Progress(*columns, console=Console(file=self._out), transient=True, auto_refresh=False)

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _plain(text: str) -> str:
    from ackclock._internal.escape import escaped

    return escaped(text)
