"""`ackclock check`: whether stored files are as they were written."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ackclock.cli.print_error import print_error

_EXAMPLES = """\
examples:
  ackclock check results
  ackclock check out/store
  ackclock check out/store --repair && ackclock sweep grid.toml

Every file must have the sha256 that the SHA256SUMS of its folder gives. Exit status: 1 if a file is damaged or missing.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "folders",
        type=Path,
        nargs="+",
        metavar="FOLDER",
        help="a saved run, a store, what came of a study, or a folder that has some of these",
    )
    parser.add_argument(
        "--repair", action="store_true", help="remove damaged runs from stores, so that they are run again"
    )


def run(options: argparse.Namespace) -> int:
    """Check them; the exit status."""
    from ackclock.batch.check import check, repair_damaged

    status = 0
    for folder in options.folders:
        try:
            found = check(folder)
            for here, name, wrong in found.damaged:
                print(f"{here / name}: {wrong}")
            for path in found.unexpected:
                print(f"{path}: unexpected: not listed in SHA256SUMS")
            if found.damaged:
                status = 1
                count = len(found.damaged)
                many = f"{count} files are" if count > 1 else "1 file is"
                print(f"ackclock: {folder}: {many} damaged or missing", file=sys.stderr)
            elif found.files:
                files = "1 file" if found.files == 1 else f"{found.files:,} files"
                print(f"{folder}: {files}, {found.bytes:,} bytes: as they were written")
            else:
                print(f"ackclock: {folder}: there is no saved run, store or study here", file=sys.stderr)
                status = 1
            if options.repair and found.damaged:
                others = repair_damaged(found)
                for here in others:
                    print(f"ackclock: {here}: this is in no store; run it again to replace it", file=sys.stderr)
                status = int(bool(others))
        except OSError as error:
            print_error(error)
            status = 1
    return status
