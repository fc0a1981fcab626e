"""Plots of runs, traces, sweeps and files: matplotlib figures in one style, readable in black and white, with units on
axes.

    results.plot.cwnd(flows=["sack-1"], end_s=10).save("window.svg")
    ackclock.plot.compare([before, after], "queue")
    ackclock.plot.columns(["cwnd.tr"])

From the outside in: `plots` is the public interface. `table` has one line per plot. `cwnd` to `topology` have one
plot each: it reads a `source` (a `run` or a `trace`) and makes a `panel` of curves. `reduce` leaves out points that
cannot be seen. `figure` arranges panels in a `form`, and `files` saves
them. `theme` and `palette` are the style. `number_files` has files that a script
wrote, `sweeps` has sweeps, whose values `axis` places.

Names are loaded when first used: matplotlib takes longer to load than most commands to run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.analysis.plot.table import PLOTS

if TYPE_CHECKING:
    from ackclock.analysis.plot.files import save
    from ackclock.analysis.plot.number_files import draw as columns
    from ackclock.analysis.plot.options import PlotError
    from ackclock.analysis.plot.plots import Plots, compare
    from ackclock.analysis.plot.theme import GUIDE, SERIES, panels, style

__all__ = ["GUIDE", "PLOTS", "SERIES", "PlotError", "Plots", "columns", "compare", "panels", "save", "style"]

_MODULES = {"save": "files", "PlotError": "options", "Plots": "plots", "compare": "plots"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'ackclock.analysis.plot' has no attribute {name!r}")
    from importlib import import_module

    if name == "columns":
        return import_module("ackclock.analysis.plot.number_files").draw
    return getattr(import_module(f"ackclock.analysis.plot.{_MODULES.get(name, 'theme')}"), name)
