"""A server of one's own machine: takes a free port, says where it is, opens the browser."""

from __future__ import annotations

import secrets
import socket
import sys
import threading
import webbrowser
from contextlib import suppress

from ackclock.server.app import STATIC, application
from ackclock.server.guard import OWN
from ackclock.server.shelf import Shelf

#: Where it is served unless told otherwise: no other machine can reach it.
LOOPBACK = "127.0.0.1"


def launch(
    shelf: Shelf, *, host: str = LOOPBACK, port: int = 0, browser: bool = True, path: str = "/", plays: bool = True
) -> int:
    """Serve until Ctrl-C; the exit status. With a `host` that others can reach a token is asked for, which is printed.

    Raises `OSError` when the address cannot be taken.
    """
    import uvicorn

    listener = listen(host, port)
    port = listener.getsockname()[1]
    token = None if host in OWN else secrets.token_urlsafe(18)
    hosts = OWN if token is None else OWN | names(host)
    query = f"?token={token}" if token is not None else ""
    shown = host if host not in ("0.0.0.0", "::") else socket.gethostname().lower()
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}{path}"
    where, _, fragment = address.partition("#")
    address = f"{where}{query}{'#' if fragment else ''}{fragment}"
    app = application(shelf, hosts=hosts, token=token, plays=plays)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
        lifespan="off",
    )
    print(address, flush=True)
    if not (STATIC / "index.html").is_file():
        print("ackclock: the page has not been built here: `make page` does it; the API answers", file=sys.stderr)
    if browser:
        # When it is served: a browser may be there at once.
        threading.Timer(0.3, webbrowser.open, [address]).start()
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        pass  # uvicorn has shut down and says so by raising it again
    finally:
        if app.state.runs is not None:
            app.state.runs.close()
        shelf.close()
    return 0


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections; port 0 is a free one."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(128)  # whoever reads the address that is printed may connect at once
    except OSError:
        listener.close()
        raise
    return listener


def names(host: str) -> frozenset[str]:
    """Under which hosts a browser elsewhere may call: the one that was said, or any of this machine's."""
    if host not in ("0.0.0.0", "::"):
        return frozenset({host.lower()})
    found = {socket.gethostname().lower(), socket.getfqdn().lower()}
    with suppress(OSError):
        found.update(str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None))
    return frozenset(found)
