"""How far the runs of a study are, on a terminal."""

from __future__ import annotations

from types import TracebackType
from typing import TextIO

from ackclock._internal import progress


class Bar:
    """Counts finished pieces of work. Prints nothing where stderr is not a terminal."""

    def __init__(self, title: str, total: int, out: TextIO | None = None) -> None:
        self._bar = progress.Bar(title, every_s=0.0, out=out)
        self._total = total
        self._done = 0

    def __enter__(self) -> Bar:
        self._bar.update(0, self._total, f"0/{self._total}")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.close()

    def advance(self, label: str) -> None:
        """One more piece, of this name, is finished."""
        self._done += 1
        self._bar.update(self._done, self._total, f"{self._done}/{self._total} {label}")
