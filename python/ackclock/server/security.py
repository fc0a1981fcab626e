"""Who may ask, and how much they may send.

A page of another site that a browser shows can send requests to 127.0.0.1, and can have its own name resolve to it
(DNS rebinding). Other accounts of the machine can connect, too. So the Host must be the address that is served, an
Origin must be ours, and whoever asks must know the token.
"""

from __future__ import annotations

import hmac
import secrets
import time
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Names of this machine for itself.
OWN = frozenset({"127.0.0.1", "localhost", "::1"})

#: A request's body may have so many bytes: a scenario, or a script.
MOST_BYTES = 4 << 20

#: What a browser keeps the token in, with the port behind it: cookies of a host are sent to all its ports (RFC 6265,
#: section 8.5), so those of two servers must have different names.
COOKIE = "ackclock-"

#: How long the code for the browser is good, s.
ONCE_S = 60.0

#: What may be loaded by the page: its own files. Scripts and styles of the page stand in files; blobs are its exports.
POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
#: With the engine, for the page and its worker: WebAssembly may be compiled, and still no text be run as a script.
ENGINE_POLICY = f"{POLICY}; script-src 'self' 'wasm-unsafe-eval'"
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class BodyTooLong(Exception):
    """A body that goes on after `MOST_BYTES`."""


class Once:
    """A code that is good for one request, and for a minute.

    A browser gets the address on its command line, which other accounts of the machine can read as long as it runs.
    """

    def __init__(self) -> None:
        self.code = secrets.token_urlsafe(18)
        self._until = time.monotonic() + ONCE_S

    def admits(self, given: str) -> bool:
        """Whether this is the code, and nobody had it before."""
        if not _same(given, self.code) or time.monotonic() > self._until:
            return False
        self._until = 0.0
        return True


class RequestFilter:
    """ASGI middleware: Host, Origin, token, size of the body; headers of the answers.

    `hosts` are the names and addresses under which the server may be called, with or without a port; with `token` every
    request needs it, once as `?token=` in the address, which leaves a cookie, or as `Authorization: Bearer`. The code
    of `once` counts as the token in an address. With `engine` the page may compile WebAssembly.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: frozenset[str],
        token: str | None = None,
        once: Once | None = None,
        engine: bool = False,
    ) -> None:
        self.app = app
        self.hosts = hosts
        self.token = token
        self.once = once
        self.engine = engine

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        refused = self._refused(headers, given, scope["path"])
        if refused is None and not scope["query_string"].isascii():
            refused = 400, "the address has letters that no address has: other than ASCII stands there as %C3%BC"
        started = False
        policy = ENGINE_POLICY if self.engine and not scope["path"].startswith("/api/") else POLICY

        async def tell(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                of_policy = (b"content-security-policy", policy.encode())
                message["headers"] = [*message.get("headers", []), of_policy, *HEADERS]
                if self.token is not None and given and refused is None:
                    cookie = f"{_cookie_name(headers)}={self.token}; HttpOnly; SameSite=Strict; Path=/"
                    message["headers"].append((b"set-cookie", cookie.encode()))
            await send(message)

        if refused is not None:
            status, sentence = refused
            asks = {"www-authenticate": "Bearer"} if status == 401 else None
            await JSONResponse({"error": sentence}, status, asks)(scope, receive, tell)
            return
        if self.token is not None and given and scope["path"] == "/":
            # The cookie has it from here on; the address that is shown, kept and shared has not. A browser adds the
            # fragment, `#/view/...`, which it never sends (RFC 9110, section 10.2.2).
            await RedirectResponse("/", 303)(scope, receive, tell)
            return
        taken = 0

        async def take() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > MOST_BYTES:
                raise BodyTooLong
            return message

        try:
            await self.app(scope, take, tell)
        except BodyTooLong:
            if not started:
                sentence = f"the request has more than {MOST_BYTES >> 20} MiB: a scenario or a script is smaller"
                await JSONResponse({"error": sentence}, 413)(scope, receive, tell)

    def _refused(self, headers: Headers, given: str, path: str) -> tuple[int, str] | None:
        """Status and sentence if the request is refused."""
        host = headers.get("host", "")
        address = _address(f"//{host}")
        if address is None or address[0] not in self.hosts:
            own = ", ".join(sorted(self.hosts))
            return 421, f"the request is for the host {host!r}; this server answers for {own} alone"
        for origin in headers.getlist("origin"):
            if origin.lower() != f"http://{host}".lower():
                return 403, f"the request comes from a page of {origin!r}, not from this server's own"
        length = headers.get("content-length", "")
        if length.isdigit() and int(length[:20]) > MOST_BYTES:
            return 413, f"the request has more than {MOST_BYTES >> 20} MiB: a scenario or a script is smaller"
        if self.token is not None and not self._is_known(headers, given, path):
            return 401, "this server requires the token that it printed: open the address with ?token=... once"
        return None

    def _is_known(self, headers: Headers, given: str, path: str) -> bool:
        """Whether who asks knows the token."""
        assert self.token is not None
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        if any(_same(one, self.token) for one in (given, bearer, *_cookies(headers))):
            return True
        return self.once is not None and path == "/" and self.once.admits(given)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())


def _address(text: str) -> tuple[str, int] | None:
    """Host and port of an address; None for what is none."""
    try:
        parts = urlsplit(text)
        if "@" in parts.netloc or not parts.hostname:
            return None
        return parts.hostname, parts.port or 80
    except ValueError:
        return None


def _cookie_name(headers: Headers) -> str:
    """By the port that the browser asks, which a tunnel may have changed."""
    _, port = _address(f"//{headers.get('host', '')}") or ("", 80)
    return f"{COOKIE}{port}"


def _cookies(headers: Headers) -> list[str]:
    """The tokens that the browser kept.

    Other servers of the host leave cookies as well, with anything in them, which must not hide ours.
    """
    name = _cookie_name(headers)
    pairs = [pair.strip().partition("=") for text in headers.getlist("cookie") for pair in text.split(";")]
    return [value for key, _, value in pairs if key == name]
