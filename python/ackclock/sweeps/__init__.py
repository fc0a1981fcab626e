"""Sweeps: a scenario or a script over a grid of values, replicated, on all cores, each run once.

    import ackclock as ac

    done = ac.sweep(scenario, vary={"flows.0.tcp": ["reno", "sack"]}, replications=10)
    print(done)                                  # a line a point: mean ± half of the interval
    done.rows()                                  # the same as dicts

`grid` says what there is to run, `plan` what of it is left, `execute` has it run by `work`, here or on a
`cluster`, `outcome` is what comes of
it, `compare` holds variants against one.
"""

from ackclock.sweeps.cluster import ClusterError
from ackclock.sweeps.compare import Compared, against
from ackclock.sweeps.execute import estimate_s, merge, stored, sweep
from ackclock.sweeps.figures import Columns, figures, settled
from ackclock.sweeps.grid import Grid, Point, grid_of, load_grid, seed_of
from ackclock.sweeps.outcome import Cell, Failure, Sweep
from ackclock.sweeps.script import Script
from ackclock.sweeps.until import Until

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
    "against",
    "estimate_s",
    "figures",
    "grid_of",
    "load_grid",
    "merge",
    "seed_of",
    "settled",
    "stored",
    "sweep",
]
