"""The command `ackclock`, and `ackclock-ns`, which takes exactly ns's arguments."""

from __future__ import annotations

import os
import sys

from ackclock._internal.gc_tuning import collect_seldom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from ackclock.execution.limits import Limits

#: Ended by Ctrl-C, in the shells' convention: 128 + SIGINT.
INTERRUPTED = 130
#: Nobody reads the output any more: 128 + SIGPIPE, as of programs that the signal ends.
NO_READER = 141


def main(argv: list[str] | None = None) -> int:
    """Run one command line, without the program's name, and return the exit status."""
    words = sys.argv[1:] if argv is None else argv
    if sys.stdout is None or sys.stderr is None or sys.stdin is None:
        from ackclock.cli.streams import open_closed

        open_closed()
    if words[:1] == ["ns2"]:
        if argv is None:
            collect_seldom()
        # Everything after the script's name goes to it as it stands, so nothing here may read it.
        status = _ns2(words[1:])
        return status if argv is not None else _leave(status)
    from ackclock._internal.escape import tell
    from ackclock.cli.commands import run
    from ackclock.cli.streams import OUTPUT, discard_output, flush, prepare

    if argv is None:
        prepare()
    try:
        try:
            status = run(words)
        except SystemExit:  # argparse's, after its help or a message
            flush()
            raise
        flush()
        return status
    except KeyboardInterrupt as signal:
        number = getattr(signal, "number", None)
        print(f"ackclock: {'interrupted' if number is None else 'terminated'}", file=sys.stderr)
        return INTERRUPTED if number is None else 128 + number
    except BrokenPipeError:
        # The reader of our output has gone (`ackclock ... | head`); there is no one to tell, not at the end either.
        discard_output()
        return NO_READER
    except OSError as error:
        if error.filename != OUTPUT:
            raise
        tell(f"{OUTPUT}: {error.strerror}")
        return 1


def _ns2(words: list[str]) -> int:
    """`ackclock ns2`: its own options stand in front of the script."""
    from ackclock.execution.limits import OPTIONS, given

    if words[:1] in (["--help"], ["-h"]):
        return _ns2_help()
    defaults: str | None = None
    walls: str | None = None
    most: dict[str, str | None] = {}
    while words:
        option, _, value = words[0].partition("=")
        if option == "--safe":
            walls = value
        elif option == "--defaults":
            defaults = value or "".join(words[1:2])
            words = words if value else words[1:]
        elif option in OPTIONS:
            most[option] = value or "".join(words[1:2])
            words = words if value else words[1:]
        elif option.startswith("-") and len(option) > 1:
            return _unknown_option(option)
        else:
            break
        words = words[1:]
    if not words and sys.stdin.isatty():
        print(
            "ackclock: reading a script from the terminal, up to Ctrl-D; `ackclock ns2 --help` has the options",
            file=sys.stderr,
        )
    if walls not in (None, "", "filter-only"):
        print(f"ackclock: --safe={walls}: expected --safe or --safe=filter-only", file=sys.stderr)
        return 2
    try:
        limits = given(most) if most else None
    except ValueError as error:
        from ackclock._internal.escape import tell

        tell(str(error))
        return 2
    return run_script(words, defaults, limits, walls)


def _ns2_help() -> int:
    """Print what `ackclock ns2` takes."""
    from ackclock.cli.commands import parser

    try:
        parser(["ns2"]).parse_args(["ns2", "--help"])
    except SystemExit:
        sys.stdout.flush()
    return 0


def _unknown_option(option: str) -> int:
    """Say that an option in front of the script is none; the exit status."""
    from ackclock._internal.escape import tell
    from ackclock.execution.limits import OPTIONS
    from ackclock.scenario.errors import nearest

    known = ["--defaults", "--safe", *OPTIONS, "--help"]
    near = nearest(option, known)
    told = f", did you mean {near}?" if near else ""
    tell(f"ns2: unknown option {option}{told} (before the script: {', '.join(known)}; after it, its own)")
    return 2


def run_script(
    words: list[str], defaults: str | None = None, limits: Limits | None = None, walls: str | None = None
) -> int:
    """Run an ns-2 script with what its command line asks for; the exit status. `walls`: see `ns2.confined`."""
    parent = os.environ.pop("ACKCLOCK_PARENT", None)
    if parent is not None:
        from ackclock._native import die_with_parent

        die_with_parent()
        if str(os.getppid()) != parent:
            return INTERRUPTED  # it has ended already
    if walls is not None:
        from ackclock.execution.limits import Limits
        from ackclock.ns2.sandbox.launch import run_confined

        return run_confined(words, limits or Limits(), defaults, walls=walls)
    if limits is not None and limits.are_given:
        from ackclock.execution.supervise import supervise

        status = supervise(limits, words[0] if words else "standard input", marks_files=True)
        if status is not None:
            return status
    from ackclock.ns2 import main as run_here

    return run_here(words, defaults=defaults, limits=limits)


def ns(argv: list[str] | None = None) -> int:
    """The command `ackclock-ns`: run an ns-2 script, SCRIPT and its arguments, exactly as ns takes them."""
    if argv is not None:
        return run_script(argv)
    collect_seldom()
    _leave(run_script(sys.argv[1:]))


def _leave(status: int) -> NoReturn:
    """End the process as it is: taking a script's objects apart one by one is a tenth of a short run's time.

    What the script wrote is in its files by now.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        # Python's own way of ending says so.
        sys.exit(status)
    os._exit(status)
