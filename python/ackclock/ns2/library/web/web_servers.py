"""Web servers of `PagePool/WebTraf`: what a server does between a request and its response."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.ns2.library.core.nodes import Node
    from ackclock.ns2.library.core.scheduler import EventQueue

#: the shortest task is served first; any other mode but 0 serves in order of arrival
_SHORTEST_FIRST = 2


@dataclass
class Job:
    """A request that a server has got: what is to be sent, to whom, by which agents."""

    object_number: int
    page: int
    size: int
    client: str
    agents: tuple[str, str]


class WebServer:
    """One server at one node. Mode 0 answers at once; a task of size s takes s / rate seconds."""

    def __init__(self, event_queue: EventQueue, respond: Callable[[WebServer, Job], None]) -> None:
        self._event_queue = event_queue
        self._respond = respond
        self.node: Node | None = None
        self.mode = 0
        self.rate = 1.0
        #: the most requests that wait; 0 for no limit
        self.limit = 0
        self._jobs: list[Job] = []
        self._is_busy = False

    def take(self, job: Job) -> bool:
        """A request has come; whether the server takes it."""
        if self.mode == 0:
            self._respond(self, job)
            return True
        if self.limit and len(self._jobs) >= self.limit:
            return False
        self._jobs.append(job)
        if not self._is_busy:
            self._begin_next()
        return True

    def _begin_next(self) -> None:
        self._is_busy = bool(self._jobs)
        if not self._jobs:
            return
        if self.mode == _SHORTEST_FIRST:
            first, shortest = self._jobs[0], min(self._jobs, key=lambda job: job.size)
            # As in ns-2 the tasks change places, and the agents that they came with stay.
            for name in ("object_number", "page", "size", "client"):
                here, there = getattr(first, name), getattr(shortest, name)
                setattr(first, name, there)
                setattr(shortest, name, here)
        self._event_queue.call_in(self._jobs[0].size / self.rate, self._finish)

    def _finish(self) -> None:
        self._respond(self, self._jobs[0])
        self._jobs.pop(0)
        self._begin_next()
