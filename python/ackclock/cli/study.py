"""`ackclock study`: published studies, and how their claims fare."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.study import Study


def add_arguments(study: argparse.ArgumentParser) -> None:
    """What `study` can do, and what each takes."""
    verbs = study.add_subparsers(dest="verb", metavar="VERB", required=True, prog="ackclock study")
    for verb, text in (
        ("list", "name the studies"),
        ("show", "say what a study claims, without running it"),
        ("run", "run a study and hold its claims against the results"),
    ):
        sub = verbs.add_parser(verb, help=text, description=text)
        sub.add_argument("--studies", type=Path, metavar="DIR", help="where the studies are")
        if verb != "list":
            number = sub.add_argument("id", metavar="ID", help="the study's number, such as 004")
            number.completer = _numbers  # type: ignore[attr-defined]
        if verb == "run":
            sub.add_argument("--out", type=Path, metavar="DIR", help="where results go (default: out/STUDY)")
            sub.add_argument("--jobs", type=int, metavar="N", help="runs at a time (default: one a core)")
            sub.add_argument("--program", metavar="CMD", help="what runs the scripts (default: ackclock itself)")


def _numbers(**_: object) -> list[str]:
    """What a shell completes a study's number with."""
    from ackclock.study import StudyError, find_studies

    try:
        return [folder.name.partition("_")[0] for folder in find_studies()]
    except StudyError:
        return []


def run(options: argparse.Namespace) -> int:
    """Do what was asked; the exit status."""
    from ackclock.cli.lists import studies
    from ackclock.study import StudyError, find_study, load_study

    try:
        if options.verb == "list":
            for id, title in studies(options.studies):
                print(f"{id}  {title}")
            return 0
        study = load_study(find_study(options.id, options.studies))
        if options.verb == "show":
            from ackclock.study.text import describe

            print(describe(study))
            return 0
        if options.jobs is not None and options.jobs < 1:
            raise StudyError(f"--jobs is the number of runs at a time, at least 1: {options.jobs}")
        return _run(options, study)
    except (StudyError, OSError) as error:
        print(f"ackclock: {error}", file=sys.stderr)
        return 1


def _run(options: argparse.Namespace, study: Study) -> int:
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
