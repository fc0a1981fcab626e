"""Every command but `ns2`: what it takes and what it prints."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import ackclock
from ackclock.cli import run as scenarios
from ackclock.cli import trace

if TYPE_CHECKING:
    from ackclock.study import Study


def run(words: list[str]) -> int:
    """Parse and run one command line; return the exit status."""
    parser = _parser()
    options = parser.parse_args(words)
    if options.version:
        print(f"ackclock {ackclock.__version__}")
        return 0
    if options.command is None:
        parser.error("a command is needed: run, ns2, study, trace, list or init (see --help)")
    if options.command == "study":
        return _study(options)
    if options.command in ("run", "list", "init"):
        return scenarios.run(options)
    if options.command == "trace":
        return trace.run(options)
    raise AssertionError(options.command)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ackclock",
        description="Packet-level simulator of TCP congestion control and queue management.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    # Without prog, argparse would format a usage line to find it, and load half a dozen modules for that.
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", prog="ackclock")

    scenarios.add_parsers(commands)
    # Listed for --help alone: the words after `ns2` never come here.
    commands.add_parser("ns2", help="run an ns-2 script: ns2 SCRIPT [ARG...]", add_help=False)

    study = commands.add_parser("study", help="reproduce a published study")
    verbs = study.add_subparsers(dest="verb", metavar="VERB", required=True, prog="ackclock study")
    for verb, text in (
        ("list", "name the studies"),
        ("show", "say what a study claims, without running it"),
        ("run", "run a study and hold its claims against the results"),
    ):
        sub = verbs.add_parser(verb, help=text, description=text)
        sub.add_argument("--studies", type=Path, metavar="DIR", help="where the studies are")
        if verb != "list":
            sub.add_argument("id", metavar="ID", help="the study's number, such as 004")
        if verb == "run":
            sub.add_argument("--out", type=Path, metavar="DIR", help="where results go (default: out/STUDY)")
            sub.add_argument("--jobs", type=int, metavar="N", help="runs at a time (default: one a core)")
            sub.add_argument("--program", metavar="CMD", help="what runs the scripts (default: ackclock itself)")
    trace.add_parser(commands)
    return parser


def _study(options: argparse.Namespace) -> int:
    from ackclock.study import StudyError, find_studies, find_study, load_study

    try:
        if options.verb == "list":
            for folder in find_studies(options.studies):
                study = load_study(folder)
                print(f"{study.id}  {study.paper.title} ({study.paper.year})")
            return 0
        study = load_study(find_study(options.id, options.studies))
        if options.verb == "show":
            from ackclock.study.text import describe

            print(describe(study))
            return 0
        if options.jobs is not None and options.jobs < 1:
            raise StudyError(f"--jobs is the number of runs at a time, at least 1: {options.jobs}")
        return _run_study(options, study)
    except (StudyError, OSError) as error:
        print(f"ackclock: {error}", file=sys.stderr)
        return 1


def _run_study(options: argparse.Namespace, study: Study) -> int:
    from ackclock.report.study import write_report
    from ackclock.study import run_study
    from ackclock.study.text import table

    out = options.out or Path("out") / study.folder.name
    program = shlex.split(options.program) if options.program else None
    outcome = run_study(study, out, jobs=options.jobs, program=program)
    print(table(outcome))
    page = write_report(outcome, out / "report.html")
    for figure in outcome.figures:
        print(f"figure  {figure.path}")
    print(f"report  {page}")
    return 0 if outcome.holds else 1
