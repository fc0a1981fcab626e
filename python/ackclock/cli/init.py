"""`ackclock init`: a scenario file to begin with."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ackclock.cli.complain import complain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "file", type=Path, nargs="?", default=Path("scenario.toml"), metavar="FILE", help="(default: scenario.toml)"
    )


def run(options: argparse.Namespace) -> int:
    """Write the file, unless there is one; the exit status."""
    text = (Path(__file__).parent / "scenario.toml").read_text(encoding="utf-8")
    try:
        with options.file.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        print(f"ackclock: {options.file} is there already; nothing was written", file=sys.stderr)
        return 1
    except OSError as error:
        complain(error)
        return 1
    print(f"{options.file}: run it with `ackclock run {options.file}`")
    return 0
