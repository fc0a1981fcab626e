"""Runs that wait until there is room for a process: first come, first served."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ackclock.server.errors import Refusal

#: So many runs wait at most. A page asks for four at a time.
MOST_QUEUED = 256
#: Between two looks at whether somebody still waits, s.
EVERY_S = 0.1


class Turns:
    """The queue of runs, by their ids."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._moved = threading.Condition()

    def join(self, id: str) -> None:
        """Stand at the end. `Refusal` (503) where too many wait."""
        with self._moved:
            if len(self._ids) >= MOST_QUEUED:
                raise Refusal(503, f"{MOST_QUEUED} runs wait for their turn: try again later")
            self._ids.append(id)

    def place(self, id: str) -> int | None:
        """The place in the queue: 1 is next. None for a run that does not wait."""
        with self._moved:
            return self._ids.index(id) + 1 if id in self._ids else None

    def wait(self, id: str, still: Callable[[], bool]) -> bool:
        """Wait until a run is the first, or is to wait no more; whether it is the first."""
        with self._moved:
            while still():
                if self._ids[0] == id:
                    return True
                self._moved.wait(EVERY_S)
            return False

    def leave(self, id: str) -> None:
        """Leave the queue: the run starts, or will not start. Nothing happens where it has left."""
        with self._moved:
            if id in self._ids:
                self._ids.remove(id)
                self._moved.notify_all()
