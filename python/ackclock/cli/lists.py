"""`ackclock list`: what can be named in scenarios and commands, from the tables that the code itself goes by."""

from __future__ import annotations

import argparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: what is listed -> the engine's table of it
ENGINES = {
    "variants": "tcp_senders",
    "two_way": "tcp_two_way",
    "receivers": "tcp_receivers",
    "queues": "queue_disciplines",
    "sources": "applications",
    "losses": "error_models",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("what", nargs="?", choices=list(LISTS), metavar="WHAT", help="only this list (default: all)")
    parser.epilog = f"lists: {', '.join(LISTS)}"


def run(options: argparse.Namespace) -> int:
    """Print one list, or all; the exit status."""
    wanted = [options.what] if options.what else list(LISTS)
    lists = {name: LISTS[name]() for name in wanted}
    width = max((len(name) for rows in lists.values() for name, _ in rows), default=0)
    for what, rows in lists.items():
        if options.what is None:
            print(f"{what}:")
        for name, about in rows:
            print(f"  {name:<{width}}  {about}")
    return 0


def engines(what: str) -> list[tuple[str, str]]:
    """Ids of the engine's variants of something, each with a line."""
    from ackclock import _native

    table: list[tuple[str, str]] = getattr(_native, ENGINES[what])()
    return table


def controls() -> list[tuple[str, str]]:
    """Congestion controls that a flow may name, each with its sender and a line."""
    from ackclock._native import congestion_controls
    from ackclock.scenario.model.constants import WITH_CONTROLS

    return [(name, f"{sender}: {about}") for sender in WITH_CONTROLS for name, about in congestion_controls(sender)]


def topologies() -> list[tuple[str, str]]:
    """Kinds of networks, each with a line."""
    from ackclock.scenario import Chain, Dumbbell, Graph, ParkingLot, Star

    kinds = (Dumbbell, ParkingLot, Star, Chain, Graph)
    return [(kind.kind, (kind.__doc__ or "").partition("\n")[0]) for kind in kinds]


def processes() -> list[tuple[str, str]]:
    """How a link may send that has no rate of its own, each kind with a line."""
    from typing import get_args

    from ackclock.scenario.model.processes import Process

    return [(kind.kind, (kind.__doc__ or "").partition("\n")[0]) for kind in get_args(Process)]


def default_sets() -> list[tuple[str, str]]:
    """The default sets, each with a line and its source."""
    from ackclock.scenario.defaults import data
    from ackclock.scenario.model.constants import DEFAULT_SETS

    return [(name, f"{data()[name]['about']} ({data()[name]['source']})") for name in DEFAULT_SETS]


def evaluations() -> list[tuple[str, str]]:
    """Evaluation suites, each with its document's title."""
    from ackclock.batch.evaluate.known import about, suites

    return [(name, about(file)) for name, file in suites().items()]


def studies(root: Path | None = None) -> list[tuple[str, str]]:
    """Numbers of the studies, each with its paper's title and year. `StudyError` where there are none."""
    from ackclock.batch.study import find_studies, load_paper

    found = {folder.name.partition("_")[0]: load_paper(folder) for folder in find_studies(root)}
    return [(id, paper.titled) for id, paper in found.items()]


def studies_if_any() -> list[tuple[str, str]]:
    """The same; a line that says so where there are none, as beside an installed package."""
    from ackclock.batch.study import StudyError

    try:
        return studies()
    except StudyError as error:
        return [("-", str(error))]


def plots() -> list[tuple[str, str]]:
    """What can be drawn, each with a line."""
    from ackclock.analysis.plot.table import PLOTS

    return [(name, kind.about) for name, kind in PLOTS.items()]


def _of_engine(what: str) -> Callable[[], list[tuple[str, str]]]:
    return lambda: engines(what)


#: what can be listed -> names, each with a line
LISTS: dict[str, Callable[[], list[tuple[str, str]]]] = {
    **{what: _of_engine(what) for what in ENGINES},
    "controls": controls,
    "topologies": topologies,
    "processes": processes,
    "defaults": default_sets,
    "plots": plots,
    "suites": evaluations,
    "studies": studies_if_any,
}
