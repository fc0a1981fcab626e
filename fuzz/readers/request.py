"""What the server is asked, by whoever reaches it: HTTP requests to the application behind it, whole."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote_to_bytes

from ackclock.server import workers
from ackclock.server.app import application
from ackclock.server.catalog import Catalog, Item
from ackclock.server.security import OWN
from fuzz.reading import CORPUS, Offer, Violation, kind_of

WHAT = "requests to the server of `ackclock view` (no request starts a process here)"
WORDS = b"""
    GET POST DELETE HEAD PUT OPTIONS /api/about /api/recordings/trace /api/runs /api/choices /api/studies
    /hops/0 /series?what= queue rtt cwnd throughput /state?t= /packet/ from= to= points= bin= flow= link= host:
    origin: content-length: cookie: ackclock= authorization: token= %00 %2e%2e/ ..%2f "script" "scenario"
    "arguments" [] {} null
""".split()

#: An answer takes no longer, s.
ANSWER_S = 8.0
#: Who asks: what every input begins with is put behind these.
HOST = (b"host", b"127.0.0.1:8000")


class NoProcess:
    """Stands for the process of a run, which others fuzz: it has ended, and written nothing."""

    pid, returncode = 0, 0

    def __init__(self, *_: object, **__: object) -> None: ...

    def poll(self) -> int:
        """Its exit status."""
        return 0

    def wait(self) -> int:
        """Its exit status."""
        return 0


def prepared(scratch: Path) -> Offer:
    """The way to offer it an input."""
    trace = scratch / "trace.tr"
    trace.write_bytes((CORPUS / "tr" / "plain.tr").read_bytes())
    catalog = Catalog([Item("trace", "trace.tr", trace, "ns2")], folder=scratch)
    vars(workers)["subprocess"] = type("subprocess", (), {"Popen": NoProcess, "DEVNULL": -3})
    app = application(catalog, hosts=OWN)
    # One loop for all, in a thread of its own as the server's is: one for each request would wait for its threads.
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_until_complete, args=(asyncio.sleep(1e9),), daemon=True).start()

    def offer(data: bytes) -> str:
        scope, body = _request(data)
        status, answer = asyncio.run_coroutine_threadsafe(_asked(app, scope, body), loop).result(ANSWER_S)
        if status >= 500 and b"has not been built here" not in answer:
            raise Violation(f"{status}: {answer[:500]!r}")
        if status >= 400 and scope["path"].startswith("/api") and scope["method"] != "HEAD":
            told = json.loads(answer)
            if not told.get("error"):
                raise Violation(f"{status} without a reason")
            return f"{status} {kind_of(told['error'])}"
        return f"good: {status} {kind_of(scope['path'])}"

    return offer


def _request(data: bytes) -> tuple[dict[str, Any], bytes]:
    """A request written as HTTP writes it, as far as it can be read so, for the application."""
    head, _, body = data.partition(b"\n\n")
    first, *lines = head.split(b"\n")
    method, _, target = first.partition(b" ")
    raw, _, query = target.split(b" ")[0].partition(b"?")
    pairs = (line.partition(b":") for line in lines)
    headers = [(name.strip().lower(), value.strip()) for name, _, value in pairs if name.strip()]
    if not any(name == b"host" for name, _ in headers):
        headers.append(HOST)
    path = unquote_to_bytes(raw).decode("utf-8", "replace")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method.decode("latin-1").upper() or "GET",
        "scheme": "http",
        "path": path if path.startswith("/") else f"/{path}",
        "raw_path": raw,
        "root_path": "",
        "query_string": query,
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }
    return scope, body


async def _asked(app: Any, scope: dict[str, Any], body: bytes) -> tuple[int, bytes]:
    """Status and body of the answer; of one that goes on, what comes before its asker leaves."""
    status, parts, told = 0, [], [{"type": "http.request", "body": body, "more_body": False}]
    is_packed = False

    async def receive() -> dict[str, Any]:
        return told.pop() if told else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status, is_packed
        if message["type"] == "http.response.start":
            status, is_packed = message["status"], (b"content-encoding", b"gzip") in message["headers"]
        parts.append(message.get("body", b""))

    await app(scope, receive, send)
    return status, gzip.decompress(b"".join(parts)) if is_packed else b"".join(parts)
