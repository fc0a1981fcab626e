"""The machinery for reproducing published studies: claim, run, check, verdict.

A study is a folder: ns-2 scripts, `claims.toml` with what the paper says as data, and one Python
file, named as the folder without its number, with two functions:

    measure(runs) -> dict of claim id to measured value
    figures(runs, folder) -> list of Figure, written as PNG into the folder

where `runs` maps a run's id to its `ackclock.Ns2Result`.
"""

from ackclock.study.claim import Claim, Rule, Value, Verdict
from ackclock.study.load import (
    Paper,
    Run,
    Study,
    StudyError,
    find_studies,
    find_study,
    load_study,
)
from ackclock.study.run import Checked, Figure, Outcome, Trace, run_study

__all__ = [
    "Checked",
    "Claim",
    "Figure",
    "Outcome",
    "Paper",
    "Rule",
    "Run",
    "Study",
    "StudyError",
    "Trace",
    "Value",
    "Verdict",
    "find_studies",
    "find_study",
    "load_study",
    "run_study",
]
