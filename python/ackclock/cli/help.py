"""`ackclock help`: what `ackclock COMMAND --help` prints."""

from __future__ import annotations

import argparse

from ackclock.cli.commands import COMMANDS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    words = parser.add_argument(
        "words", nargs="*", metavar="COMMAND", help="a command, and what it does: help trace stats"
    )
    words.completer = lambda **_: list(COMMANDS)  # type: ignore[attr-defined]


def run(options: argparse.Namespace) -> int:
    """Print the help; the exit status."""
    from ackclock.cli import main

    status: int = main([*options.words, "--help"])
    return status
