"""Draw docs/images/seeds.png: the first random number of a seed beside that of the next seed.

    python tools/plot_seeds.py

On the left, ns-2's meaning of a seed; on the right, ackclock's. docs/guide/statistics.md shows the figure.
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ackclock._native import RandomStream
from ackclock.analysis.plot.palette import INK, SERIES

IMAGE = Path(__file__).resolve().parent.parent / "docs" / "images" / "seeds.png"
SEEDS = range(1, 3001)
#: The stream of the start of a scenario's first flow.
STREAM = "flow/flows.0/1/start"


def main() -> None:
    """Draw the figure."""
    panels = {
        'ns-2: seed = "ns2:1", "ns2:2", ...': [RandomStream.of_ns2(seed).unit() for seed in SEEDS],
        "ackclock: seed = 1, 2, ...": [RandomStream.hashed(seed, STREAM).unit() for seed in SEEDS],
    }
    figure = Figure(figsize=(8, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (title, drawn) in zip(figure.subplots(1, 2), panels.items(), strict=True):
        axes.plot(drawn[:-1], drawn[1:], ".", markersize=2, color=SERIES[0].light)
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", title=title)
        axes.set(xlabel="first draw of seed s", ylabel="first draw of seed s + 1")
        axes.tick_params(colors=INK.light)
    figure.savefig(IMAGE, dpi=100)


if __name__ == "__main__":
    main()
