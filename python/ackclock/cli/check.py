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

Each file is compared with its SHA-256 in SHA256SUMS. Exit status: 1 if a file is damaged or missing.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "folders",
        type=Path,
        nargs="+",
        metavar="FOLDER",
        help="a saved run, a store, results of a study, or a folder of these",
    )
    parser.add_argument(
        "--repair", action="store_true", help="remove damaged runs from stores; the next sweep repeats them"
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
                print(f"{folder}: {files}, {found.bytes:,} bytes: unchanged")
            else:
                print(f"ackclock: {folder}: no saved run, store or study found", file=sys.stderr)
                status = 1
            if options.repair and found.damaged:
                others = repair_damaged(found)
                for here in others:
                    print(f"ackclock: {here}: not in a store; repeat the run to replace it", file=sys.stderr)
                status = int(bool(others))
        except OSError as error:
            print_error(error)
            status = 1
    return status
