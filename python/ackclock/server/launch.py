"""A server on this machine: takes a free port, says where it is, opens the browser."""

from __future__ import annotations

import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Generator
from contextlib import contextmanager, suppress

from ackclock._internal.scratch import remove_left
from ackclock.server.app import application, has_page
from ackclock.server.catalog import Catalog
from ackclock.server.connections import options
from ackclock.server.security import OWN, Once
from ackclock.server.signals import ignore_signals, leave_by_signals, set_handlers

#: Where it is served unless told otherwise. No other machine can reach it; other accounts of this one can.
LOOPBACK = "127.0.0.1"


def launch(
    catalog: Catalog, *, host: str = LOOPBACK, port: int = 0, browser: bool = True, path: str = "/", plays: bool = True
) -> int:
    """Serve until Ctrl-C; the exit status. Whoever asks must know the token, which is in the address that is printed.

    The address may have a fragment, `/#/view/...`. At the end all processes that were started are ended and temporary
    files removed, also after SIGTERM and SIGHUP, which raise `SystemExit` then. What servers left that were killed is
    removed at the beginning. Raises `OSError` when the address cannot be taken.
    """
    leave_by_signals()
    try:
        return _served(catalog, host, port, browser, path, plays)
    finally:
        ignore_signals()
        catalog.close()


def _served(catalog: Catalog, host: str, port: int, browser: bool, path: str, plays: bool) -> int:
    import uvicorn

    class Server(uvicorn.Server):
        """Ends the runs before it waits for the answers that tell of them."""

        @contextmanager
        def capture_signals(self) -> Generator[None, None, None]:
            """uvicorn's own handles Ctrl-C and SIGTERM, and raises them again when it has shut down; so with SIGHUP."""
            with super().capture_signals():
                set_handlers(self.handle_exit)
                try:
                    yield
                finally:
                    leave_by_signals()

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            """Begin to serve, and only then say where: a signal from now on is handled by the event loop.

            Before, it raises `SystemExit` wherever Python is. In a callback of the garbage collector, as imports
            have them, Python would ignore that, and the server would go on.
            """
            await super().startup(sockets)
            announce()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            """Shut down."""
            catalog.stop()
            await super().shutdown(sockets)

    remove_left()
    listener = listen(host, port)
    port = listener.getsockname()[1]
    token, once = secrets.token_urlsafe(18), Once()
    hosts = OWN if host in OWN else OWN | names(host)
    shown = host if host not in ("0.0.0.0", "::") else socket.gethostname().lower()
    where, _, fragment = path.partition("#")
    address = (
        f"http://{f'[{shown}]' if ':' in shown else shown}:{port}{where}?token={{}}{'#' if fragment else ''}{fragment}"
    )
    app = application(catalog, hosts=hosts, token=token, once=once, plays=plays)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
        lifespan="off",
        **options(),
    )

    def announce() -> None:
        print(address.format(token), flush=True)
        if not has_page():
            print("ackclock: the page has not been built here: `make page` does it; the API answers", file=sys.stderr)
        if browser:
            threading.Timer(0.3, webbrowser.open, [address.format(once.code)]).start()

    try:
        Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        pass  # uvicorn has shut down and says so by raising it again
    finally:
        listener.close()
        if app.state.runs is not None:
            app.state.runs.close()
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
