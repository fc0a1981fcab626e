"""What is answered to which request (docs/recording.md)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ackclock._native import __version__
from ackclock.server.errors import Refusal
from ackclock.server.guard import Guard
from ackclock.server.shelf import Shelf

#: Where the built page is; `npm run build` in web/ writes it.
STATIC = Path(__file__).parent / "static"

#: A curve has at most so many points.
MOST_POINTS = 200_000

NOT_BUILT = """\
<!doctype html><meta charset="utf-8"><title>ackclock</title>
<p>The page of ackclock has not been built here. In a checkout, <code>make page</code> builds it (Node is needed);
an installed ackclock has it with it.</p>
"""


class Answer(JSONResponse):
    """JSON, in which what is not finite would be an error of ours: NaN is no JSON."""

    def render(self, content: Any) -> bytes:
        """The bytes."""
        return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def application(
    shelf: Shelf, *, hosts: frozenset[str] = frozenset({"127.0.0.1", "localhost", "::1"}), token: str | None = None
) -> Starlette:
    """The ASGI application of a shelf. `hosts` and `token`: see `Guard`."""
    routes = [
        Route("/api/about", _about),
        Route("/api/recordings/{id}", _head),
        Route("/api/recordings/{id}/hops/{n:int}", _hops),
        Route("/api/recordings/{id}/series", _series),
        Route("/api/recordings/{id}/packet/{uid:int}", _packet),
        Route("/api/recordings/{id}/state", _state),
        Route("/api/{rest:path}", _unknown),
        Mount("/", StaticFiles(directory=STATIC, html=True))
        if (STATIC / "index.html").is_file()
        else Route("/", _not_built),
    ]
    app = Starlette(
        routes=routes,
        middleware=[
            Middleware(Guard, hosts=hosts, token=token),
            Middleware(GZipMiddleware, minimum_size=2000, compresslevel=1),
        ],
        exception_handlers={Refusal: _refused, HTTPException: _http, Exception: _failed},
    )
    app.state.shelf = shelf
    return app


def _shelf(request: Request) -> Shelf:
    shelf: Shelf = request.app.state.shelf
    return shelf


def _about(request: Request) -> Response:
    files = [item.described() for item in _shelf(request).items()]
    return Answer({"version": __version__, "files": files})


def _head(request: Request) -> Response:
    return Answer(_shelf(request).recording(request.path_params["id"]).head())


def _hops(request: Request) -> Response:
    recording = _shelf(request).recording(request.path_params["id"])
    recording.wait()
    return Response(recording.chunk(request.path_params["n"]), media_type="application/octet-stream")


def _series(request: Request) -> Response:
    recording = _shelf(request).recording(request.path_params["id"])
    recording.wait()
    points = _number(request, "points", int, 2000)
    assert points is not None
    if not 1 <= points <= MOST_POINTS:
        raise Refusal(400, f"points={points}: expected 1 to {MOST_POINTS}")
    what = request.query_params.get("what", "")
    interval_s = _number(request, "bin", float)
    if interval_s is not None and interval_s <= 0:
        raise Refusal(400, f"bin={interval_s:g}: expected a number of seconds above 0")
    return Answer(
        recording.series(
            what,
            _number(request, "from", float),
            _number(request, "to", float),
            points,
            interval_s=interval_s,
            flow=_number(request, "flow", int),
            link=_number(request, "link", int),
        )
    )


def _packet(request: Request) -> Response:
    recording = _shelf(request).recording(request.path_params["id"])
    recording.wait()
    return Answer(recording.packet(request.path_params["uid"]))


def _state(request: Request) -> Response:
    recording = _shelf(request).recording(request.path_params["id"])
    recording.wait()
    time_s = _number(request, "t", float)
    if time_s is None:
        raise Refusal(400, "t is missing: the time in seconds, as in state?t=1.5")
    return Answer(recording.state(time_s))


def _number(request: Request, name: str, kind: Callable[[str], Any], default: Any = None) -> Any:
    """A number of the query."""
    text = request.query_params.get(name)
    if text is None or text == "":
        return default
    try:
        value = kind(text)
        if math.isfinite(value):
            return value
    except (ValueError, OverflowError):
        pass
    expected = "a whole number" if kind is int else "a number of seconds"
    raise Refusal(400, f"{name}={text!r}: expected {expected}")


def _unknown(request: Request) -> Response:
    raise Refusal(404, f"there is nothing at {request.url.path}")


def _not_built(_: Request) -> Response:
    return HTMLResponse(NOT_BUILT, 503)


def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return Answer({"error": error.sentence}, error.status)


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return Answer({"error": f"{request.method} {request.url.path}: {error.detail}"}, error.status_code)


def _failed(request: Request, error: Exception) -> Response:
    return Answer({"error": f"{request.url.path}: {type(error).__name__}: {error}. This is a fault of ackclock"}, 500)
