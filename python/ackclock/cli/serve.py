"""`ackclock serve`: the traces and runs of a folder in the browser."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ackclock._internal.escape import tell
from ackclock.cli.print_error import print_error
from ackclock.cli.view import add_address


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="FOLDER", help="folder of traces and runs (default: the current one)"
    )
    add_address(parser)


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C; the exit status."""
    if sys.platform == "win32":
        # Runs of the page are confined by Unix's limits on processes.
        tell(f"serve: needs Linux or macOS, and this is {sys.platform}")
        return 1
    from ackclock.server.app import has_engine, has_page
    from ackclock.server.catalog import Catalog
    from ackclock.server.launch import launch

    folder = options.folder or Path()
    if not folder.is_dir():
        tell(f"no such folder: {folder}")
        return 1
    if has_page() and not has_engine():
        tell(
            "serve: the page was built without its engine, so this server runs all that it asks for;"
            " `rustup target add wasm32-unknown-unknown && make page` adds it"
        )
    try:
        return launch(Catalog(folder=folder), host=options.host, port=options.port, browser=options.browser)
    except OSError as error:
        print_error(error)
        return 1
