"""Requests to the application from the same process, without a connection."""

from __future__ import annotations

import asyncio
import threading
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.types import Message


def ask(app: Starlette, path: str) -> tuple[int, bytes]:
    """Status and body of the answer to a GET of `path`, such as `/api/about`.

    It is asked in a thread of its own, since who asks may be in an event loop already, as in a notebook.
    """
    found: list[tuple[int, bytes]] = []
    thread = threading.Thread(target=lambda: found.append(asyncio.run(_ask(app, path))), name="asks the application")
    thread.start()
    thread.join()
    return found[0] if found else (500, b'{"error": "the request failed; its error is above"}')


async def _ask(app: Starlette, path: str) -> tuple[int, bytes]:
    parts = urlsplit(path)
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "root_path": "",
        "query_string": parts.query.encode(),
        "headers": [(b"host", b"localhost")],
        "server": ("localhost", 80),
        "client": None,
    }
    status, body = 500, bytearray()

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        else:
            body.extend(message.get("body", b""))

    await app(scope, receive, send)
    return status, bytes(body)
