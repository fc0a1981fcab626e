"""`ackclock new`: a crate for a congestion control of the user's own in Rust."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from ackclock._internal.escape import tell
from ackclock.cli.print_error import print_error, show

_EXAMPLES = """\
examples:
  ackclock new control mine && cd mine
  cargo test && cargo build --release
  ackclock run scenario.toml
  ackclock evaluate ./target/release/libmine.so:Mine --suite rfc9743 --quick

The crate begins as Reno. It depends on the small crate ackclock-control and on nothing else of ackclock.
"""

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_WORDS = """
abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in
let loop macro match mod move mut override priv pub ref return self static struct super test trait true try type typeof
unsafe unsized use virtual where while yield core std alloc
"""
_KEYWORDS = frozenset(_WORDS.split())
_REPOSITORY = 'git = "https://github.com/ackclock/ackclock"'
_LIBRARIES = {"darwin": "lib{}.dylib", "win32": "{}.dll"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.epilog = _EXAMPLES
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    control = kinds.add_parser("control", help="a congestion control as a shared library", epilog=_EXAMPLES)
    control.add_argument("name", metavar="NAME", help="name of the crate, such as my_control; also its folder")
    control.add_argument(
        "--path", type=Path, metavar="FOLDER", help="the crate ackclock-control in a checkout: crates/control"
    )


def run(options: argparse.Namespace) -> int:
    """Write the crate, unless the folder is there; the exit status."""
    name = options.name
    if not _NAME.fullmatch(name) or name in _KEYWORDS:
        tell(f"{name!r}: expected a name such as my_control: lower case, digits, underscores, not a keyword of Rust")
        return 2
    if options.path is not None and not (options.path / "Cargo.toml").is_file():
        tell(f"{options.path}: has no Cargo.toml; expected the folder crates/control of a checkout")
        return 2
    folder = Path(name)
    if os.path.lexists(folder):
        tell(f"{folder} exists already; not overwritten")
        return 1
    library = "./target/release/" + _LIBRARIES.get(sys.platform, "lib{}.so").format(name)
    own = "".join(part.capitalize() for part in name.split("_"))
    dependency = _REPOSITORY if options.path is None else f"path = {_toml(options.path.resolve())}"
    words = {"NAME": name, "TYPE": own, "DEPENDENCY": dependency, "LIBRARY": library}
    templates = Path(__file__).parent / "templates" / "control"
    try:
        (folder / "src").mkdir(parents=True)
        for template, file in (("manifest.toml", "Cargo.toml"), ("lib.rs", "src/lib.rs"), ("scenario.toml",) * 2):
            text = (templates / template).read_text(encoding="utf-8")
            text = re.sub(r"\b(NAME|TYPE|DEPENDENCY|LIBRARY)\b", lambda word: words[word[0]], text)
            (folder / file).write_text(text, encoding="utf-8")
    except OSError as error:
        print_error(error)
        return 1
    show(f"{folder}: cd {folder} && cargo build --release && ackclock run scenario.toml")
    return 0


def _toml(path: Path) -> str:
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'
