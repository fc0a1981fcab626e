"""Connections that take too long, and how many there are at a time.

uvicorn closes a connection that is idle *between* requests (`timeout_keep_alive`). It waits for ever for the rest of a
request, and for a client to take its answer, and its `limit_concurrency` counts only requests that have come. This
protocol adds a deadline to each of these and a limit on connections.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

#: A connection must have told a request's headers after so many seconds.
HEADERS_S = 10.0
#: And after so many more its body: 4 MiB over a slow line.
BODY_S = 60.0
#: A client must take something of its answer every so many seconds.
WRITE_S = 30.0
#: So many connections at a time: a page has one for each run that it follows, and six for the rest.
MOST_CONNECTIONS = 512


class TimedProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with deadlines."""

    #: What a deadline runs for: the request of a cycle, and whether its headers are still to come.
    _awaited: tuple[bool, int] | None = None
    _deadline: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None
    #: when the connection began to wait for headers
    _since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected. Where there are too many, the one that has said nothing for longest goes."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            silent = [one for one in self.connections if isinstance(one, TimedProtocol) and one._waits_for_headers]
            first = min(silent, key=lambda one: one._since, default=self)
            self.connections.discard(first)
            first.transport.abort()
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Something has come."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """An answer has been given; the next request may be there already."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed."""
        super().connection_lost(exc)
        for timer in (self._deadline, self._writing):
            if timer is not None:
                timer.cancel()
        self._awaited = self._deadline = self._writing = None

    def pause_writing(self) -> None:
        """The client does not take its answer as fast as it comes."""
        super().pause_writing()
        self._watch_writing(None)

    def resume_writing(self) -> None:
        """It has taken most of it."""
        super().resume_writing()
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    @property
    def _waits_for_headers(self) -> bool:
        return self._awaited is not None and self._awaited[0]

    def _watch(self) -> None:
        """Set the deadline of what is awaited now. One that runs already stays: single bytes earn no more time."""
        state = self.conn.their_state
        awaited = (state is h11.IDLE, id(self.cycle)) if state in (h11.IDLE, h11.SEND_BODY) else None
        if awaited == self._awaited:
            return
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        self._awaited = awaited
        if awaited is not None and not self.transport.is_closing():
            self._since = self.loop.time()
            self._deadline = self.loop.call_later(HEADERS_S if awaited[0] else BODY_S, self.transport.abort)

    def _watch_writing(self, left: int | None) -> None:
        """Look again later; close the connection of a client that has taken nothing since."""
        now = self.transport.get_write_buffer_size()
        if left is not None and now >= left:
            self.transport.abort()
            return
        self._writing = self.loop.call_later(WRITE_S, self._watch_writing, now)


def options() -> dict[str, Any]:
    """uvicorn's own options for this: one protocol, and nothing that the environment or other packages could choose."""
    return {"http": TimedProtocol, "ws": "none", "loop": "asyncio", "proxy_headers": False, "backlog": 128}
