"""Sweeps: a scenario or a script over a grid of values, replicated, on all cores, without repeating a stored run.

    import ackclock as ac

    done = ac.sweep(scenario, vary={"flows.0.tcp": ["reno", "sack"]}, replications=10)
    print(done)                                  # a line a point: mean ± half of the interval
    done.rows()                                  # the same as dicts

`grid` defines all runs, `plan` those that are left, `execute` runs them with `work`, here or on a `cluster`. `outcome`
has the results, and `compare` compares variants with a baseline.
"""

from ackclock.batch.sweep.cluster import ClusterError
from ackclock.batch.sweep.compare import Compared, compare_with
from ackclock.batch.sweep.execute import estimate_s, merge, stored, sweep
from ackclock.batch.sweep.grid import Grid, Point, grid_of, load_grid, seed_of
from ackclock.batch.sweep.metrics import Columns, metrics, settled
from ackclock.batch.sweep.outcome import Cell, Failure, Sweep
from ackclock.batch.sweep.script import Script
from ackclock.batch.sweep.sequential_stopping import Until

__all__ = [
    "Cell",
    "ClusterError",
    "Columns",
    "Compared",
    "Failure",
    "Grid",
    "Point",
    "Script",
    "Sweep",
    "Until",
    "compare_with",
    "estimate_s",
    "grid_of",
    "load_grid",
    "merge",
    "metrics",
    "seed_of",
    "settled",
    "stored",
    "sweep",
]
