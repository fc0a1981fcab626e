"""`ackclock help`: what `ackclock COMMAND --help` prints."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("words", nargs="*", metavar="COMMAND", help="a command, and what it does: help trace stats")


def run(options: argparse.Namespace) -> int:
    """Print the help; the exit status."""
    from ackclock.cli import main

    status: int = main([*options.words, "--help"])
    return status
