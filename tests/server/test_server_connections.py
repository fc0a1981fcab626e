"""Connections that never finish a request, never take their answer, or are too many, by real sockets."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ackclock.server import connections
from ackclock.server.app import application
from ackclock.server.catalog import Catalog
from ackclock.server.launch import listen

pytestmark = pytest.mark.serial

TOKEN = "s3cret"
#: For headers, for a body, for taking an answer.
HEADERS_S, BODY_S, WRITE_S = 0.6, 1.2, 0.8
#: Other tests share the machine.
LATE_S = 5.0
MOST = 40

#: More than the system and uvicorn keep for a client that takes nothing.
LONG = b"x" * (64 << 20)


async def _long(_: Request) -> Response:
    return Response(LONG)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A server in a thread, with short deadlines."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "HEADERS_S", HEADERS_S)
        patch.setattr(connections, "BODY_S", BODY_S)
        patch.setattr(connections, "WRITE_S", WRITE_S)
        patch.setattr(connections, "MOST_CONNECTIONS", MOST)
        catalog = Catalog(folder=Path(__file__).parent / "not_there")
        app = application(catalog, token=TOKEN)
        app.router.routes.insert(0, Route("/long", _long))
        listener = listen("127.0.0.1", 0)
        config = uvicorn.Config(app, log_level="critical", lifespan="off", **connections.options())
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join()
        catalog.close()


def request(port: int, method: str = "GET", path: str = "/api/choices", length: int = 0, token: str = TOKEN) -> bytes:
    lines = [
        f"{method} {path} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Authorization: Bearer {token}",
        f"Content-Length: {length}",
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def connected(port: int) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port))
    made.settimeout(LATE_S)
    return made


def closed_after(made: socket.socket) -> tuple[float, bytes]:
    """After how many seconds the server closes it, and what it says until then."""
    began, told = time.monotonic(), b""
    while True:
        try:
            part = made.recv(65536)
        except ConnectionError:
            part = b""
        if not part:
            return time.monotonic() - began, told
        told += part


def answer(made: socket.socket, asked: bytes) -> bytes:
    """The status line of an answer."""
    made.sendall(asked)
    return made.recv(65536).partition(b"\r\n")[0]


@pytest.mark.parametrize("begin", [b"", b"GET", b"GET /api/about HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: b"])
def test_headers_that_never_end(port: int, begin: bytes) -> None:
    with connected(port) as made:
        made.sendall(begin)
        after_s, told = closed_after(made)
        assert HEADERS_S * 0.9 <= after_s < LATE_S and told == b""


def trickle(made: socket.socket, part: bytes, for_s: float) -> float:
    """Send a little again and again; after how many seconds the other side has closed."""
    began = time.monotonic()
    while time.monotonic() - began < for_s:
        try:
            made.sendall(part)
        except ConnectionError:
            return time.monotonic() - began
        time.sleep(0.05)
    raise AssertionError(f"still open after {for_s} s")


def test_headers_that_come_byte_by_byte(port: int) -> None:
    with connected(port) as made:
        made.sendall(b"GET / HTTP/1.1\r\nX-A: ")
        assert HEADERS_S * 0.9 <= trickle(made, b"a", LATE_S) < LATE_S


def test_a_second_request_that_never_ends(port: int) -> None:
    with connected(port) as made:
        assert answer(made, request(port)) == b"HTTP/1.1 200 OK"
        assert trickle(made, b"G", LATE_S) < LATE_S


@pytest.mark.parametrize("token", [TOKEN, "wrong"])
def test_a_body_that_never_ends(port: int, token: str) -> None:
    """Also one of which the answer has been given: without the token nobody waits for the rest."""
    with connected(port) as made:
        made.sendall(request(port, "POST", "/api/runs", 1000, token) + b"{")
        after_s, told = closed_after(made)
        assert HEADERS_S < after_s < LATE_S
        assert told.startswith(b"HTTP/1.1 401" if token == "wrong" else b"")
    with connected(port) as made:
        made.sendall(request(port, "POST", "/api/runs", 1_000_000, token) + b"{")
        assert BODY_S * 0.9 <= trickle(made, b" ", LATE_S) < LATE_S


def test_a_body_that_comes_slowly_is_read(port: int) -> None:
    with connected(port) as made:
        body = b'{"neither": 1}'
        made.sendall(request(port, "POST", "/api/runs", len(body)))
        for n in range(len(body)):
            made.sendall(body[n : n + 1])
            time.sleep(BODY_S / 3 / len(body))
        assert made.recv(65536).startswith(b"HTTP/1.1 400")


def test_an_answer_that_nobody_takes(port: int) -> None:
    with socket.socket() as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.connect(("127.0.0.1", port))
        made.settimeout(LATE_S)
        made.sendall(request(port, path="/long"))
        time.sleep(4 * WRITE_S)
        _, told = closed_after(made)
        assert told.startswith(b"HTTP/1.1 200") and len(told) < len(LONG)


def test_an_answer_that_is_taken_slowly(port: int) -> None:
    with connected(port) as made:
        made.sendall(request(port, path="/long").replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        taken, began = 0, time.monotonic()
        while part := made.recv(1 << 20):
            taken += len(part)
            time.sleep(4 * WRITE_S * len(part) / len(LONG))
        assert taken > len(LONG) and time.monotonic() - began > 2 * WRITE_S


def followed(port: int, made: socket.socket) -> str:
    """Start a run that does not end, and ask for its events; its id."""
    body = b'{"script": "vwait for_ever"}'
    made.sendall(request(port, "POST", "/api/runs", len(body)) + body)
    told = b""
    while b'"id"' not in told:
        told += made.recv(65536)
    id = told.rpartition(b'"id":"')[2].split(b'"')[0].decode()
    made.sendall(request(port, path=f"/api/runs/{id}/events"))
    assert made.recv(65536).startswith(b"HTTP/1.1 200 OK")
    return id


def test_events_go_on(port: int) -> None:
    """A stream of events lasts as long as its run: neither idle nor half open."""
    with connected(port) as made:
        id = followed(port, made)
        until = time.monotonic() + 2 * max(HEADERS_S, BODY_S, WRITE_S)
        while time.monotonic() < until:
            assert made.recv(65536)
        with connected(port) as other:
            assert answer(other, request(port, "DELETE", f"/api/runs/{id}")) == b"HTTP/1.1 200 OK"
        told = b""
        while b"cancelled" not in told:
            told += made.recv(65536)


def test_too_many_connections(port: int) -> None:
    """Those that say nothing make room for who asks, the oldest first; who is being answered stays."""
    with connected(port) as served:
        followed(port, served)
        silent = [connected(port) for _ in range(3 * MOST)]
        with connected(port) as made:
            assert answer(made, request(port)) == b"HTTP/1.1 200 OK"
        gone = 0
        for one in silent:
            one.settimeout(0.001)
            try:
                gone += one.recv(1) == b""
            except TimeoutError:
                continue
            except ConnectionError:
                gone += 1
            finally:
                one.close()
        assert gone >= 2 * MOST
        for _ in range(10):
            assert served.recv(65536)


def test_no_other_protocol(port: int) -> None:
    upgrade = request(port).replace(b"\r\n\r\n", b"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    with connected(port) as made:
        assert answer(made, upgrade) == b"HTTP/1.1 200 OK"
