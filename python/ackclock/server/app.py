"""What is answered to which request (docs/http-api.md)."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from ackclock._native import __version__
from ackclock.server import playground, studies
from ackclock.server.answer import Answer, number, place
from ackclock.server.catalog import Catalog
from ackclock.server.errors import Refusal
from ackclock.server.runs import Runs
from ackclock.server.security import OWN, Once, RequestFilter
from ackclock.server.workers import Limits

#: Where the built page is; `npm run build` in web/ writes it.
STATIC = Path(__file__).parent / "static"

#: The engine for the browser, in the page's folder where the build had Rust's standard library for browsers.
ENGINE = "ackclock.wasm"

#: A curve has at most so many points.
MOST_POINTS = 200_000

NOT_BUILT = """\
<!doctype html><meta charset="utf-8"><title>ackclock</title>
<p>The page of ackclock has not been built here. In a checkout, <code>make page</code> builds it (Node is needed);
an installed ackclock has it with it.</p>
"""


def application(
    catalog: Catalog,
    *,
    hosts: frozenset[str] = OWN,
    token: str | None = None,
    once: Once | None = None,
    limits: Limits | None = None,
    plays: bool = True,
) -> Starlette:
    """A catalog as ASGI application. With `plays` it runs what it is sent; see `RequestFilter` for the others."""
    app = Starlette(
        routes=[
            Route("/api/about", _about),
            Route("/api/recordings/{id}", _head),
            Route("/api/recordings/{id}/hops/{n}", _hops),
            Route("/api/recordings/{id}/series", _series),
            Route("/api/recordings/{id}/packet/{uid}", _packet),
            Route("/api/recordings/{id}/state", _state),
            *studies.ROUTES,
            *(playground.ROUTES if plays else ()),
            Route("/api/{rest:path}", _unknown),
            _page(),
        ],
        middleware=[
            Middleware(RequestFilter, hosts=hosts, token=token, once=once, engine=plays and has_engine()),
            Middleware(GZipMiddleware, minimum_size=2000, compresslevel=1),
        ],
        exception_handlers={Refusal: _refused, HTTPException: _http, ClientDisconnect: _gone, Exception: _failed},
    )
    app.state.catalog = catalog
    app.state.studies = studies.Studies((catalog.folder or Path()) / "out")
    app.state.runs = Runs(catalog, limits) if plays else None
    return app


def has_page() -> bool:
    """Whether the page has been built."""
    return (STATIC / "index.html").is_file()


def has_engine() -> bool:
    """Whether the built page has the engine with it. Otherwise the server runs all that the page asks for."""
    return (STATIC / ENGINE).is_file()


def _page() -> BaseRoute:
    """The built page, or where it comes from."""
    if has_page():
        return Mount("/", StaticFiles(directory=STATIC, html=True))
    return Route("/", _not_built)


def _shelf(request: Request) -> Catalog:
    catalog: Catalog = request.app.state.catalog
    return catalog


def _about(request: Request) -> Response:
    files = [item.described() for item in _shelf(request).items()]
    runs: Runs | None = request.app.state.runs
    plays = runs is not None
    limits = None if runs is None else asdict(runs.limits)
    known = {"version": __version__, "files": files, "play": plays, "engine": plays and has_engine(), "limits": limits}
    return Answer(known)


def _head(request: Request) -> Response:
    return Answer(_shelf(request).recording(request.path_params["id"]).head())


def _hops(request: Request) -> Response:
    recording = _shelf(request).recording(request.path_params["id"])
    recording.wait()
    return Response(recording.chunk(place(request, "n")), media_type="application/octet-stream")


def _series(request: Request) -> Response:
    recording = _shelf(request).recording(request.path_params["id"])
    recording.wait()
    points = number(request, "points", int, 2000)
    assert points is not None
    if not 1 <= points <= MOST_POINTS:
        raise Refusal(400, f"points={points}: expected 1 to {MOST_POINTS}")
    what = request.query_params.get("what", "")
    interval_s = number(request, "bin", float)
    if interval_s is not None and interval_s <= 0:
        raise Refusal(400, f"bin={interval_s:g}: expected a number of seconds above 0")
    return Answer(
        recording.series(
            what,
            number(request, "from", float),
            number(request, "to", float),
            points,
            interval_s=interval_s,
            flow=number(request, "flow", int),
            link=number(request, "link", int),
        )
    )


def _packet(request: Request) -> Response:
    recording = _shelf(request).recording(request.path_params["id"])
    recording.wait()
    return Answer(recording.packet(place(request, "uid")))


def _state(request: Request) -> Response:
    recording = _shelf(request).recording(request.path_params["id"])
    recording.wait()
    time_s = number(request, "t", float)
    if time_s is None:
        raise Refusal(400, "t is missing: the time in seconds, as in state?t=1.5")
    return Answer(recording.state(time_s))


def _unknown(request: Request) -> Response:
    raise Refusal(404, f"not found: {request.url.path}")


def _not_built(_: Request) -> Response:
    return HTMLResponse(NOT_BUILT, 503)


def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return Answer({"error": error.sentence, **({"key": error.key} if error.key else {})}, error.status)


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return Answer({"error": f"not found: {request.url.path}"}, 404)
    return Answer({"error": f"{request.method} {request.url.path}: {error.detail}"}, error.status_code)


def _gone(_: Request, error: Exception) -> Response:
    del error
    return Answer({"error": "the request ended before its end"}, 400)  # to nobody


def _failed(request: Request, error: Exception) -> Response:
    return Answer({"error": f"{request.url.path}: {type(error).__name__}: {error}. This is a fault of ackclock"}, 500)
