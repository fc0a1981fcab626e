"""How many runs go on at a time."""

from __future__ import annotations

import os

from ackclock.scenario import ScenarioError


def parallel_runs(jobs: int | None) -> int:
    """The number of runs at a time: `jobs`, or one per core for None. `ScenarioError` for anything but a whole number
    of at least 1.
    """
    if jobs is None:
        return os.cpu_count() or 1
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise ScenarioError("expected a number of parallel runs, at least 1", key="jobs", value=jobs)
    return jobs
