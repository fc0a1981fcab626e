"""`ackclock hello`: an example of what a command needs."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("name", help="who is greeted")


def run(options: argparse.Namespace) -> int:
    """Print a line; the exit status."""
    print(f"hello, {options.name}")
    return 0
