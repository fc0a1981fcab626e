"""The commands but `ns2`: which there are, and where. A command line loads the one that it names and no other."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

#: command -> the file of this room that has it, and what `--help` says of it
COMMANDS = {
    "run": ("run", "run a scenario file"),
    "ns2": ("ns2", "run an ns-2 script: ns2 SCRIPT [ARG...]"),
    "emulate": ("emulate", "run real programs over a simulated network, in real time (Linux, as root)"),
    "quic": ("quic", "run a QUIC stack over a simulated network, in virtual time"),
    "sweep": ("sweep", "run a scenario or a script for every combination of parameter values"),
    "study": ("study", "reproduce published studies"),
    "evaluate": ("evaluate", "evaluate a TCP variant or a queue discipline by a published test suite"),
    "scoreboard": ("scoreboard", "compare all congestion controls in many conditions and queues, as one page"),
    "attack": ("attack", "search networks in which a congestion control fails a stated property"),
    "packetdrill": ("packetdrill", "run packetdrill scripts against the simulated TCP socket, in virtual time"),
    "trace": ("trace", "compute statistics from trace files, or convert them"),
    "plot": ("plot", "plot runs or trace files, several side by side"),
    "report": ("report", "write an HTML report on one or several runs"),
    "check": ("check", "verify checksums of saved runs, stores and studies"),
    "pack": ("pack", "pack results and their inputs into one file for an artefact (RO-Crate)"),
    "view": ("view", "show traces and runs in the browser"),
    "serve": ("serve", "serve a folder of runs to the browser, and run new ones from the page"),
    "kernel": ("kernel", "compile congestion controls of the Linux kernel to run in scenarios"),
    "list": ("lists", "list variants, queues, applications, studies and other names"),
    "init": ("init", "write an example scenario file"),
    "new": ("new", "write a crate for a congestion control of your own in Rust"),
    "help": ("help", "explain a command: help run"),
    "completion": ("completion", "print a shell completion script"),
}


#: options and lists that older versions had, and what they are called now
RENAMED = {"--against": "--baseline", "--figures": "--metrics", "pictures": "plots"}


def run(words: list[str]) -> int:
    """Parse and run one command line; return the exit status."""
    if "_ARGCOMPLETE" in os.environ:
        # A shell asks what may come next; argcomplete reads its line, answers and ends the process.
        from argcomplete import autocomplete

        autocomplete(parser(list(COMMANDS)))
    whole = parser(words[:1])
    options = whole.parse_args(words)
    if options.version:
        from ackclock._native import __version__

        print(f"ackclock {__version__}")
        return 0
    if options.command is None:
        whole.error(f"expected a command: {', '.join(COMMANDS)} (see --help)")
    command = import_module(f"ackclock.cli.{COMMANDS[options.command][0]}").run
    if hasattr(options, "bounded_name"):
        from ackclock.cli.limit_options import bounded

        return bounded(options, command)
    status: int = command(options)
    return status


def parser(wanted: list[str]) -> argparse.ArgumentParser:
    """What command lines may be: the commands that are wanted, or where one of these is none, all by name, for `--help`
    and for errors. To make the parser of a command, argparse looks for translations in the file system, three times.
    """
    whole = _Parser(
        prog="ackclock", description="Packet-level simulator of TCP congestion control and queue management."
    )
    whole.add_argument("--version", action="store_true", help="print the version and exit")
    # Without prog, argparse would format a usage line to find it.
    commands = whole.add_subparsers(dest="command", metavar="COMMAND", prog="ackclock", parser_class=_Parser)
    for name in wanted if wanted and COMMANDS.keys() >= set(wanted) else COMMANDS:
        room, text = COMMANDS[name]
        command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        if name in wanted:
            import_module(f"ackclock.cli.{room}").add_arguments(command)
    return whole


class Help(argparse.RawDescriptionHelpFormatter):
    """argparse's own, which makes one for each argument and would load `shutil` for the width of each."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_width())


class _Parser(argparse.ArgumentParser):
    """A command's or verb's parser, with this help."""

    def __init__(self, **options: object) -> None:
        super().__init__(**{"formatter_class": Help, **options})  # type: ignore[arg-type]

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """argparse's own, which does not say what comes nearest."""
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        what = "command " if action.dest == "command" else ""
        told = f"unknown {what}{value}{_likely(str(value), known)} (expected one of {', '.join(known)})"
        raise argparse.ArgumentError(None if action.option_strings == [] else action, told)

    def error(self, message: str) -> NoReturn:
        """End with the message; in one line with the present name for a name of an older version."""
        words = message.replace("'", " ").replace("=", " ").replace(",", " ").partition("(")[0].split()
        for old, new in RENAMED.items():
            if old in words and ("unrecognized" in words or "unknown" in words):
                self.exit(2, f"ackclock: {old}: renamed; use {new}\n")
        super().error(message)


def _likely(name: str, known: list[str]) -> str:
    """`, did you mean x?` where a known name looks like this one."""
    from ackclock.scenario.errors import nearest

    near = nearest(name, known)
    return f", did you mean {near}?" if near else ""


def _width() -> int:
    """Columns of help texts: those of the terminal, less the margin that argparse leaves."""
    try:
        columns = int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size(sys.stdout.fileno()).columns
    except (ValueError, OSError, AttributeError):
        columns = 80
    return min(max(columns, 40), 120) - 2
