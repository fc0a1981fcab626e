"""`ackclock ns2`: an ns-2 script and its arguments. `ackclock.cli.main` does not even read them with argparse."""

from __future__ import annotations

import argparse

from ackclock.execution.limits import OPTIONS, given


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("--defaults", metavar="SET", help="default values of another release: ns2_29")
    parser.add_argument(
        "--safe",
        nargs="?",
        const="",
        choices=["", "filter-only"],
        metavar="filter-only",
        help="confine the script: no file outside the current folder, no program, no network; =filter-only where"
        " the operating system has no sandbox",
    )
    for option, (what, meaning) in OPTIONS.items():
        parser.add_argument(option, metavar=what, help=meaning)
    parser.add_argument("script", metavar="SCRIPT", help="the Tcl script")
    parser.add_argument("args", nargs=argparse.REMAINDER, metavar="ARG", help="the script's own arguments")


def run(options: argparse.Namespace) -> int:
    """Run the script; its exit status."""
    from ackclock.cli import run_script

    limits = given({option: getattr(options, option[2:].replace("-", "_")) for option in OPTIONS})
    return run_script([options.script, *options.args], options.defaults, limits, options.safe)
