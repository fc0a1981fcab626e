"""Limits of a command: its options, and how it is held to them."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
from collections.abc import Callable, Iterable

from ackclock._internal.escape import tell
from ackclock.execution.limits import OPTIONS, given, watched

#: What a command that takes limits is called in messages: a function of its options.
Name = Callable[[argparse.Namespace], str]

#: Limits of a command that runs many simulations: each has its own look at events.
OF_MANY = ("--max-wall", "--max-memory", "--max-output")
#: Limits of a command that only reads.
OF_READING = ("--max-wall", "--max-memory")


def add_limits(
    parser: argparse.ArgumentParser, name: Name, options: Iterable[str] = OPTIONS, text: str = "limits"
) -> None:
    """Give a command these options; `bounded` reads them."""
    group = parser.add_argument_group(text)
    for option in options:
        what, meaning = OPTIONS[option]
        group.add_argument(option, metavar=what, help=meaning)
    parser.set_defaults(bounded_name=name)


def bounded(options: argparse.Namespace, command: Callable[[argparse.Namespace], int]) -> int:
    """Run a command within the limits that its options give; the exit status: 1 if it was stopped, 2 for a bad limit.

    With a limit, it runs in a child process that this one ends if it does not stop by itself. `options.limits` has the
    limits for the command.
    """
    try:
        limits = given({option: getattr(options, option[2:].replace("-", "_"), None) for option in OPTIONS})
    except ValueError as error:
        tell(str(error))
        return 2
    name = options.bounded_name(options)
    if limits.are_given:
        from ackclock.execution.supervise import supervise

        status = supervise(limits, name)
        if status is not None:
            return status
    end_orderly()
    options.limits, status = limits, 1

    def go() -> None:
        nonlocal status
        status = command(options)

    limits.impose()
    reason = watched(limits, go)
    if reason is not None:
        tell(f"{name}: stopped: {reason}")
        return 1
    return status


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP came: what ends a command at Ctrl-C ends it then, too."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def end_orderly() -> None:
    """From now on SIGINT, SIGTERM and SIGHUP end the programs that this process has started, and then raise here.

    What was done is kept, and half-written files are removed, as at Ctrl-C.
    """
    from ackclock.execution.supervise import descendants

    def end(number: int, _: object) -> None:
        for pid in descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # What the shell has set to be ignored (nohup) stays ignored.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)
