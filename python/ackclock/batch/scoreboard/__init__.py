"""The scoreboard: all congestion controls in the conditions of RFC 9743, through several queue disciplines.

    from ackclock.batch.scoreboard import scoreboard

    found = scoreboard(["mine:Control"], quick=True, only=["wired", "codel"])
    for cell in found.cells:
        print(cell.control, cell.criterion, cell.condition, cell.queue, cell.verdict)

`matrix` reads which (`scoreboard.toml`) and derives an evaluation suite, `run` runs and judges it, `cells` are the
results as rows, `folder` writes them as static files, `since` compares them with those of another version.
"""

from ackclock.batch.scoreboard.cells import ScoreCell
from ackclock.batch.scoreboard.folder import read_cells, write_folder
from ackclock.batch.scoreboard.matrix import Matrix, load_matrix
from ackclock.batch.scoreboard.run import Scoreboard, estimate_s, prepare, scoreboard
from ackclock.batch.scoreboard.since import Changes, changes

__all__ = [
    "Changes",
    "Matrix",
    "ScoreCell",
    "Scoreboard",
    "changes",
    "estimate_s",
    "load_matrix",
    "prepare",
    "read_cells",
    "scoreboard",
    "write_folder",
]
