"""Checks of published studies: claims, runs, verdicts.

A study is a folder: `claims.toml` with the paper's statements as data and the runs that they need, ns-2 scripts or
scenarios, and one Python file, named as the folder without its number, with two functions:

    measure(runs) -> dict of claim id to what was measured
    figures(runs, folder) -> list of Figure, written into the folder, and of Comparison, tables of the study's own

where `runs` is `Runs`: the results of each run, by its id. docs/guide/studies.md explains how to write one.

Names are loaded when they are first used: naming the studies should not wait for what runs them.
"""

from __future__ import annotations

from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.batch.study.claim import ORIGINS, RULES, SETTINGS, Claim, Paper, Reference, Table, Unweighed, Verdict
    from ackclock.batch.study.counts import Tally, by_settings, tally, tally_of
    from ackclock.batch.study.family import Entry, Run, Seeds
    from ackclock.batch.study.load import (
        Study,
        StudyError,
        all_studies,
        find_studies,
        find_study,
        load_paper,
        load_study,
    )
    from ackclock.batch.study.measured import (
        Measured,
        Replications,
        Settings,
        Spread,
        Undetermined,
        Value,
        by_name,
        number,
        read_columns,
        spread,
    )
    from ackclock.batch.study.places import Place
    from ackclock.batch.study.rule import Judged, judge
    from ackclock.batch.study.run import (
        OUTCOME,
        Checked,
        Comparison,
        Figure,
        Outcome,
        Runs,
        Trace,
        run_study,
        scenario_of,
    )

__all__ = [
    "ORIGINS",
    "OUTCOME",
    "RULES",
    "SETTINGS",
    "Checked",
    "Claim",
    "Comparison",
    "Entry",
    "Figure",
    "Judged",
    "Measured",
    "Outcome",
    "Paper",
    "Place",
    "Reference",
    "Replications",
    "Run",
    "Runs",
    "Seeds",
    "Settings",
    "Spread",
    "Study",
    "StudyError",
    "Table",
    "Tally",
    "Trace",
    "Undetermined",
    "Unweighed",
    "Value",
    "Verdict",
    "all_studies",
    "by_name",
    "by_settings",
    "find_studies",
    "find_study",
    "judge",
    "load_paper",
    "load_study",
    "number",
    "read_columns",
    "run_study",
    "scenario_of",
    "spread",
    "tally",
    "tally_of",
]

_FILES = {
    "claim": ("ORIGINS", "RULES", "SETTINGS", "Claim", "Paper", "Reference", "Table", "Unweighed", "Verdict"),
    "family": ("Entry", "Run", "Seeds"),
    "load": ("Study", "StudyError", "all_studies", "find_studies", "find_study", "load_paper", "load_study"),
    "measured": (
        "Measured",
        "Replications",
        "Settings",
        "Spread",
        "Undetermined",
        "Value",
        "by_name",
        "number",
        "read_columns",
        "spread",
    ),
    "places": ("Place",),
    "rule": ("Judged", "judge"),
    "run": ("OUTCOME", "Checked", "Comparison", "Figure", "Outcome", "Runs", "Trace", "run_study", "scenario_of"),
    "counts": ("Tally", "by_settings", "tally", "tally_of"),
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for file, names in _FILES.items():
        if name in names:
            return getattr(import_module(f"ackclock.batch.study.{file}"), name)
    raise AttributeError(f"module 'ackclock.batch.study' has no attribute {name!r}")
