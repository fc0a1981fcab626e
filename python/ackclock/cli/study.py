"""`ackclock study`: published claims against runs."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from ackclock.cli.batch_options import add_jobs, add_limits_of_many, add_store, check_jobs
from ackclock.cli.print_error import print_error, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.batch.study import Outcome, Study

#: verb -> how many studies it takes, and what is said of them
IDS: dict[str, tuple[int | str, str]] = {
    "show": (1, "the study's number, such as 004"),
    "run": ("+", "numbers of studies, such as 004 003, or all"),
    "report": ("*", "numbers of studies (default: all)"),
}


def add_arguments(study: argparse.ArgumentParser) -> None:
    """What `study` can do, and what each takes."""
    verbs = study.add_subparsers(dest="verb", metavar="VERB", required=True, prog="ackclock study")
    for verb, text in (
        ("list", "list the studies"),
        ("show", "print the claims of a study, without running it"),
        ("run", "run studies and check their claims against the results"),
        ("report", "run studies and write one report"),
    ):
        sub = verbs.add_parser(verb, help=text, description=text)
        sub.add_argument("--studies", type=Path, metavar="DIR", help="folder of the studies")
        if verb in IDS:
            count, about = IDS[verb]
            ids = sub.add_argument("ids", nargs=count, metavar="ID", help=about)
            ids.completer = _numbers  # type: ignore[attr-defined]
        if verb == "run":
            sub.add_argument("--only", metavar="RUN", help="repeat this run and keep all of its output files")
        if verb in ("run", "report"):
            _add_options(sub)


def _numbers(**_: object) -> list[str]:
    """What a shell completes a study's number with."""
    from ackclock.batch.study import StudyError, find_studies

    try:
        return ["all", *(folder.name.partition("_")[0] for folder in find_studies())]
    except StudyError:
        return []


def _add_options(sub: argparse.ArgumentParser) -> None:
    level = sub.add_mutually_exclusive_group()
    level.add_argument("--quick", dest="level", action="store_const", const="quick", help="few replications, or one")
    level.add_argument("--full", dest="level", action="store_const", const="full", help="all runs and replications")
    sub.set_defaults(level="normal")
    sub.add_argument("--out", type=Path, default=Path("out"), metavar="DIR", help="write results here (default: out)")
    add_store(sub, None, "OUT/store")
    add_jobs(sub)
    sub.add_argument("--program", metavar="CMD", help="program that runs the ns-2 scripts (default: ackclock)")
    add_limits_of_many(sub, lambda options: f"study {' '.join(options.ids) or 'all'}")


def run(options: argparse.Namespace) -> int:
    """Do one of the verbs; the exit status."""
    from ackclock.batch.study import StudyError, all_studies
    from ackclock.batch.study.text import describe, listed
    from ackclock.scenario import ScenarioError

    try:
        if options.verb in ("list", "show"):
            tell = listed if options.verb == "list" else describe
            for study in all_studies(getattr(options, "ids", ["all"]), options.studies):
                show(tell(study))
            return 0
        check_jobs(options)
        studies = list(all_studies(options.ids or ["all"], options.studies))
        if options.verb == "run" and options.only is not None:
            return _one(options, studies)
        return _run(options, studies)
    except BrokenPipeError:
        raise
    except (StudyError, ScenarioError, OSError) as error:
        print_error(error)
        return 1


def _run(options: argparse.Namespace, studies: list[Study]) -> int:
    from ackclock.analysis.report.outcome import write_outcome
    from ackclock.analysis.report.study import write_report
    from ackclock.batch.store import Store
    from ackclock.batch.study import OUTCOME, run_study
    from ackclock.batch.study.run import REPORT, seal
    from ackclock.batch.study.text import counted, summary, table

    program = shlex.split(options.program) if options.program else None
    store = Store(options.store or options.out / "store")
    outcomes: list[Outcome] = []
    for study in studies:
        out = options.out / study.folder.name
        outcome = run_study(study, out, store=store, level=options.level, jobs=options.jobs, program=program)
        outcomes.append(outcome)
        write_outcome(outcome, out / OUTCOME)
        if options.verb == "run":
            show(f"{table(outcome)}\n")
    if len(outcomes) > 1 or options.verb == "report":
        show("\n".join(counted(outcomes)))
    show(summary(outcomes))
    for outcome in outcomes:
        if not outcome.holds:
            print(f"study {outcome.study.id} differs from its reference", file=sys.stderr)
    whole = options.verb == "report" or len(outcomes) > 1
    page = options.out / REPORT if whole else options.out / studies[0].folder.name / REPORT
    show(f"report  {write_report(outcomes, page)}")
    for study in studies:
        seal(options.out / study.folder.name)
    return 0 if all(outcome.holds for outcome in outcomes) else 1


def _one(options: argparse.Namespace, studies: list[Study]) -> int:
    """One run, with all that it writes, in a folder of its own."""
    import shutil

    from ackclock.batch.study import StudyError, scenario_of
    from ackclock.execution.process import ACKCLOCK, Ns2Error, run_ns2
    from ackclock.execution.simulate import run as simulate
    from ackclock.scenario.errors import choose

    if len(studies) != 1:
        raise StudyError("--only takes one study and a run of it")
    (study,) = studies
    runs = {run.id: run for run in study.runs}
    try:
        run_ = runs[choose(options.only, runs, f"a run of study {study.id}", "--only")]
    except ValueError as error:
        raise StudyError(str(error)) from None
    folder = options.out / study.folder.name / "runs" / run_.id.replace("/", "_")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if run_.script is not None:
        other = shlex.split(options.program) if options.program else None
        program = run_.under(other or ACKCLOCK, ours=other is None)
        try:
            print(run_ns2(run_.script, *run_.args, cwd=folder, program=program).stdout, end="")
        except Ns2Error as error:
            raise StudyError(str(error)) from error
    else:
        try:
            simulate(scenario_of(run_), trace=folder / "out.tr").save(folder / "tables")
        except (ValueError, RuntimeError) as error:
            raise StudyError(f"run {run_.id}: {error}") from error
    for path in sorted(folder.iterdir()):
        show(path)
    return 0
