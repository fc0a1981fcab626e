"""The command `ackclock`, and `ackclock-ns`, which takes exactly ns's arguments."""

from __future__ import annotations

import os
import sys

from ackclock.garbage import search_seldom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from ackclock.limits import Limits

#: Ended by Ctrl-C, in the shells' convention: 128 + SIGINT.
INTERRUPTED = 130


def main(argv: list[str] | None = None) -> int:
    """Run one command line, without the program's name, and return the exit status."""
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["ns2"]:
        if argv is None:
            search_seldom()
        # Everything after the script's name goes to it as it stands, so nothing here may read it.
        status = _ns2(words[1:])
        return status if argv is not None else _leave(status)
    from ackclock.cli.commands import run

    try:
        status = run(words)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print("ackclock: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (`ackclock ... | head`); there is no one to tell, not at the end either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _ns2(words: list[str]) -> int:
    """`ackclock ns2`: its own options stand in front of the script."""
    from ackclock.limits import OPTIONS, given

    defaults, safe = None, False
    most: dict[str, str | None] = {}
    while words:
        option, _, value = words[0].partition("=")
        if option == "--safe":
            safe = True
        elif option == "--defaults":
            defaults = value or "".join(words[1:2])
            words = words if value else words[1:]
        elif option in OPTIONS:
            most[option] = value or "".join(words[1:2])
            words = words if value else words[1:]
        else:
            break
        words = words[1:]
    try:
        limits = given(most) if most else None
    except ValueError as error:
        print(f"ackclock: {error}", file=sys.stderr)
        return 2
    return ns(words, defaults, safe=safe, limits=limits)


def ns(
    argv: list[str] | None = None, defaults: str | None = None, *, safe: bool = False, limits: Limits | None = None
) -> int:
    """Run an ns-2 script: SCRIPT and its arguments, exactly as ns takes them."""
    if argv is None:
        search_seldom()
    from ackclock.ns2 import main as run_script

    if argv is None:
        _leave(run_script(sys.argv[1:]))
    return run_script(argv, defaults=defaults, safe=safe, limits=limits)


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
