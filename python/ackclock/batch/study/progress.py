"""A progress bar on stderr, for a terminal only."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TextIO


class Bar:
    """Counts finished pieces of work. Prints nothing where stderr is not a terminal."""

    WIDTH = 30

    def __init__(self, title: str, total: int, out: TextIO | None = None) -> None:
        self._out = sys.stderr if out is None else out
        self._shown = self._out.isatty()
        self._title = title
        self._total = total
        self._done = 0
        self._start = time.monotonic()

    def __enter__(self) -> Bar:
        self._draw("")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            self._out.write("\n")

    def advance(self, label: str) -> None:
        """One more piece, of this name, is finished."""
        self._done += 1
        self._draw(label)

    def _draw(self, label: str) -> None:
        if not self._shown:
            return
        filled = self.WIDTH * self._done // self._total
        bar = "#" * filled + "." * (self.WIDTH - filled)
        seconds = time.monotonic() - self._start
        text = f"{self._title} [{bar}] {self._done}/{self._total} {seconds:.1f} s {label}"
        # \x1b[K clears what a longer label left behind.
        self._out.write(f"\r{text}\x1b[K")
        self._out.flush()
