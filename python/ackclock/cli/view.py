"""`ackclock view`: traces and runs in the browser."""

from __future__ import annotations

import argparse
from pathlib import Path

from ackclock._internal.escape import tell
from ackclock.cli.print_error import print_error

EXAMPLES = """\
examples:
  ackclock view out.tr
  ackclock view out.nam results other.tr.gz
  ackclock view results --export run.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="a trace (.tr, .nam, also gzipped), a saved run, or a folder of these"
    )
    parser.add_argument(
        "--export",
        type=Path,
        metavar="HTML",
        help="write the player with FILE as one page that needs no server, and end",
    )
    add_address(parser)
    parser.epilog = EXAMPLES


def add_address(parser: argparse.ArgumentParser) -> None:
    """What both commands take of where they serve."""
    where = parser.add_argument_group("server")
    where.add_argument("--port", type=_port, default=0, metavar="N", help="port (default: a free one)")
    where.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="HOST",
        help="address to listen on; other machines can connect unless it is local (default: 127.0.0.1)",
    )
    where.add_argument("--no-browser", dest="browser", action="store_false", help="only print the address")


def _port(word: str) -> int:
    number = int(word) if word.isascii() and word.isdigit() and len(word) < 6 else -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 65535, got {word!r}")
    return number


def damage(path: Path) -> str:
    """Why nothing of a trace file can be shown; "" where there is at least a packet."""
    from ackclock import _native
    from ackclock._internal.scratch import Scratch
    from ackclock.server.files import opened, shown

    with Scratch() as folder, opened(path.resolve()) as name:
        try:
            _native.Recording.of_file(name, str(folder / "rows")).read_on(1)
        except _native.TraceError as error:
            return str(error).replace(name, shown(path))
    return ""


def export(files: list[str], out: Path) -> int:
    """Write one recording as a page; the exit status."""
    from ackclock.server.errors import Refusal
    from ackclock.server.export import NotBuilt
    from ackclock.server.export import export as write

    if out.suffix.lower() not in (".html", ".htm"):
        tell(f"{out}: the player is an HTML page; expected a name that ends in .html")
        return 1
    if len(files) != 1:
        tell(f"--export {out}: a page has one recording, got {len(files)}: {', '.join(files)}")
        return 1
    try:
        size = write(files[0], out)
    except Refusal as error:
        tell(error.sentence)
        return 1
    except (NotBuilt, OSError) as error:
        print_error(error)
        return 1
    print(f"{out}: {size / 1e6:.1f} MB")
    return 0


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C; the exit status."""
    from ackclock.server.catalog import Catalog
    from ackclock.server.launch import launch
    from ackclock.server.recording import CAN_BE_OPENED
    from ackclock.server.signals import leave_by_signals

    leave_by_signals()
    if options.export is not None:
        return export(options.files, options.export)
    try:
        catalog = Catalog.of_files(options.files)
        items = catalog.items()
        if not items:
            tell(f"no trace file and no saved run in {', '.join(options.files)}")
            return 1
        files = [path for path in map(Path, options.files) if not path.is_dir()]
        damaged = [told for told in map(damage, files) if told]
        for told in damaged:
            tell(f"{told}. {CAN_BE_OPENED}")
        if len(damaged) == len(items):
            return 1
        path = f"/#/view/{items[0].id}" if len(items) == 1 else "/"
        return launch(catalog, host=options.host, port=options.port, browser=options.browser, path=path)
    except OSError as error:
        print_error(error)
        return 1
