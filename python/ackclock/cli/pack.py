"""`ackclock pack`: results and what they came from as one file for an artefact."""

from __future__ import annotations

import argparse
from pathlib import Path

from ackclock._internal.escape import tell
from ackclock.cli.print_error import print_error

_EXAMPLES = """\
examples:
  ackclock pack results net.toml --out artefact.zip
  ackclock pack out/store grid.toml net.toml --out sweep.zip --author "A. Author" \\
    --licence https://spdx.org/licenses/CC-BY-4.0

The file is an RO-Crate: a zip with ro-crate-metadata.json. Zenodo and WorkflowHub read it. Damaged results are refused.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.epilog = _EXAMPLES
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a saved run, a store, or results of a study")
    parser.add_argument("inputs", type=Path, nargs="*", metavar="FILE", help="what the results came from")
    parser.add_argument("--out", type=Path, required=True, metavar="CRATE.zip", help="write this file")
    parser.add_argument("--name", metavar="TEXT", help="title of the data set (default: the folder's name)")
    parser.add_argument("--author", action="append", default=[], metavar="NAME", help="may be repeated")
    parser.add_argument("--licence", metavar="URL", help="licence of the data")
    parser.add_argument("--replace", action="store_true", help="replace an older CRATE.zip")


def run(options: argparse.Namespace) -> int:
    """Pack them; the exit status."""
    from ackclock.batch.pack import PackError, pack

    if options.out.suffix != ".zip":
        tell(f"{options.out}: the suffix must be .zip, the one form that is written")
        return 1
    if options.out.exists() and not options.replace:
        tell(f"{options.out}: exists already; --replace replaces it")
        return 1
    try:
        count = pack(
            options.folder,
            options.out,
            inputs=options.inputs,
            name=options.name,
            authors=options.author,
            licence=options.licence,
        )
    except PackError as error:
        tell(str(error))
        return 1
    except OSError as error:
        print_error(error)
        return 1
    print(f"{options.out}: {count} files")
    return 0
