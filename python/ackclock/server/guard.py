"""Who may ask, and how much they may send.

A page of another site that a browser shows can send requests to 127.0.0.1, and can have its own name resolve to it
(DNS rebinding). So the Host must be the address that is served, an Origin must be ours, and where other machines can
ask, they must know the token.
"""

from __future__ import annotations

import hmac
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Names of this machine for itself.
OWN = frozenset({"127.0.0.1", "localhost", "::1"})

#: A request's body may have so many bytes: a scenario, or a script.
MOST_BYTES = 4 << 20

#: What a browser keeps the token in.
COOKIE = "ackclock"

#: What may be loaded by the page: its own files. Scripts and styles of the page stand in files; blobs are its exports.
POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class TooLong(Exception):
    """A body that goes on after `MOST_BYTES`."""


class Guard:
    """ASGI middleware: Host, Origin, token, size of the body; headers of the answers.

    `hosts` are the names and addresses under which the server may be called, with or without a port; with `token` every
    request needs it, once as `?token=` in the address, which leaves a cookie, or as `Authorization: Bearer`.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str], token: str | None = None) -> None:
        self.app = app
        self.hosts = hosts
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        refused = self._refused(headers, given)
        if refused is None and not scope["query_string"].isascii():
            refused = 400, "the address has letters that no address has: other than ASCII stands there as %C3%BC"
        started = False

        async def tell(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message.get("headers", []), *HEADERS]
                if self.token is not None and given and refused is None:
                    cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
                    message["headers"].append((b"set-cookie", cookie.encode()))
            await send(message)

        if refused is not None:
            status, sentence = refused
            await JSONResponse({"error": sentence}, status)(scope, receive, tell)
            return
        if self.token is not None and given and scope["path"] == "/":
            # The cookie has it from here on; the address that is shown, kept and shared has not.
            await RedirectResponse("/", 303)(scope, receive, tell)
            return
        taken = 0

        async def take() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > MOST_BYTES:
                raise TooLong
            return message

        try:
            await self.app(scope, take, tell)
        except TooLong:
            if not started:
                sentence = f"the request has more than {MOST_BYTES >> 20} MiB: a scenario or a script is smaller"
                await JSONResponse({"error": sentence}, 413)(scope, receive, tell)

    def _refused(self, headers: dict[str, str], given: str) -> tuple[int, str] | None:
        """Status and sentence if the request is refused."""
        host = headers.get("host", "")
        if _name(f"//{host}") not in self.hosts:
            own = ", ".join(sorted(self.hosts))
            return 421, f"the request is for the host {host!r}; this server answers for {own} alone"
        origin = headers.get("origin")
        if origin is not None and _place(origin) != host:
            return 403, f"the request comes from a page of {origin!r}, not from this server's own"
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > MOST_BYTES:
            return 413, f"the request has more than {MOST_BYTES >> 20} MiB: a scenario or a script is smaller"
        if self.token is not None:
            bearer = headers.get("authorization", "").removeprefix("Bearer ")
            known = (given, bearer, _cookie(headers.get("cookie", "")))
            if not any(hmac.compare_digest(one.encode(), self.token.encode()) for one in known):
                return 401, "this server asks for the token that it printed: open the address with ?token=... once"
        return None


def _place(origin: str) -> str:
    """Host and port of an origin; empty for what is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _name(address: str) -> str:
    """The host of an address without its port; empty for what is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _cookie(text: str) -> str:
    """The token that the browser kept."""
    try:
        found = SimpleCookie(text).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""
