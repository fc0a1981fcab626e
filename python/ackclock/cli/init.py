"""`ackclock init`: a scenario file to begin with."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ackclock._internal.atomic_file import atomic_write
from ackclock._internal.escape import tell
from ackclock.cli.print_error import print_error, show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "file",
        type=Path,
        nargs="?",
        default=Path("scenario.toml"),
        metavar="FILE",
        help="file to write (default: scenario.toml)",
    )


def run(options: argparse.Namespace) -> int:
    """Write the file, unless there is one; the exit status."""
    text = (Path(__file__).parent / "scenario.toml").read_text(encoding="utf-8")
    try:
        if os.path.lexists(options.file):
            tell(f"{options.file} exists already; not overwritten")
            return 1
        with atomic_write(options.file) as part:
            Path(part).write_text(text, encoding="utf-8")
    except OSError as error:
        print_error(error)
        return 1
    show(f"{options.file}: run it with `ackclock run {options.file}`")
    return 0
