"""Evaluation suites as data: what a document asks of a congestion control or queue discipline, run and judged by rule.

    from ackclock.batch.evaluate import evaluate

    found = evaluate("vegas", "rfc9743", quick=True)
    for row in found.rows:
        print(row.criterion.where, row.criterion.title, row.word)

A suite is a TOML file: conditions (networks), traffic (flows), criteria (a metric and its rule), plots. `suite` reads
it, `subject` finds what is evaluated, `standards` what it is compared with. `build` makes scenarios, `arms` runs
them, `measure` has the metrics of a run, `judge` applies the rule, and `run` combines all of this. Suites of your
own are files, too.

Names are loaded when they are first used: naming the suites should not wait for what runs them.
"""

from __future__ import annotations

from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.batch.evaluate.judge import Cell, Row
    from ackclock.batch.evaluate.known import suites
    from ackclock.batch.evaluate.plot import Plot
    from ackclock.batch.evaluate.run import (
        Evaluation,
        begin,
        estimate_s,
        evaluate,
        evaluate_all,
        failures_of,
        run_all,
        stored_runs,
    )
    from ackclock.batch.evaluate.subject import Subject, find_subject
    from ackclock.batch.evaluate.suite import Condition, Criterion, Suite, Traffic, load_suite

__all__ = [
    "Cell",
    "Condition",
    "Criterion",
    "Evaluation",
    "Plot",
    "Row",
    "Subject",
    "Suite",
    "Traffic",
    "begin",
    "estimate_s",
    "evaluate",
    "evaluate_all",
    "failures_of",
    "find_subject",
    "load_suite",
    "run_all",
    "stored_runs",
    "suites",
]

_FILES = {
    "judge": ("Cell", "Row"),
    "known": ("suites",),
    "plot": ("Plot",),
    "run": ("Evaluation", "begin", "estimate_s", "evaluate", "evaluate_all", "failures_of", "run_all", "stored_runs"),
    "subject": ("Subject", "find_subject"),
    "suite": ("Condition", "Criterion", "Suite", "Traffic", "load_suite"),
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for file, names in _FILES.items():
        if name in names:
            return getattr(import_module(f"ackclock.batch.evaluate.{file}"), name)
    raise AttributeError(f"module 'ackclock.batch.evaluate' has no attribute {name!r}")
