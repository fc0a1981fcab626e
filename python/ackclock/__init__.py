"""ackclock: a packet-level simulator of TCP congestion control and queue management.

`Scenario` describes a network, `run` runs it and gives tables, `open` reads saved ones; `run_ns2` runs an ns-2 script
and gives back what it printed and wrote; `trace` reads trace files; `models` has what theory says of a sender's rate,
`stats` intervals, comparisons and fairness. Names are loaded when they are first used: `ackclock ns2` runs scripts of a
tenth of a second, and must not wait for anything that it does not need.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` has it too, but takes longer to load than everything else that `ackclock list` needs

if TYPE_CHECKING:
    from typing import Any

    from ackclock import trace
    from ackclock.analysis import models, plot, stats
    from ackclock.batch.sweep import sweep
    from ackclock.execution.process import Ns2Error, Ns2Result, run_ns2
    from ackclock.execution.results import Results, ResultsError
    from ackclock.execution.results import open_results as open
    from ackclock.execution.simulate import SimulationError, run
    from ackclock.notebook import view
    from ackclock.plugins import Ack, CongestionControl, Packet, QueueDiscipline, SenderState
    from ackclock.scenario import (
        Arrivals,
        Call,
        Cbr,
        Cellular,
        Chain,
        Change,
        DiffServ,
        Dumbbell,
        Exponential,
        Flow,
        Ftp,
        Graph,
        LeoSatellite,
        Link,
        Loss,
        LossState,
        Pareto,
        ParkingLot,
        PhysicalQueue,
        Policy,
        Precedence,
        Queue,
        Record,
        Requests,
        Reverse,
        Scenario,
        ScenarioError,
        Span,
        Star,
        Telnet,
        Video,
        Wifi,
        load,
    )

    __version__: str

__all__ = [
    "Ack",
    "Arrivals",
    "Call",
    "Cbr",
    "Cellular",
    "Chain",
    "Change",
    "CongestionControl",
    "DiffServ",
    "Dumbbell",
    "Exponential",
    "Flow",
    "Ftp",
    "Graph",
    "LeoSatellite",
    "Link",
    "Loss",
    "LossState",
    "Nr",
    "Ns2Error",
    "Ns2Result",
    "Packet",
    "Pareto",
    "ParkingLot",
    "PhysicalQueue",
    "Policy",
    "Precedence",
    "Queue",
    "QueueDiscipline",
    "Record",
    "Requests",
    "Results",
    "ResultsError",
    "Reverse",
    "Scenario",
    "ScenarioError",
    "SenderState",
    "SimulationError",
    "Span",
    "Star",
    "Telnet",
    "Video",
    "Wifi",
    "__version__",
    "load",
    "models",
    "open",
    "plot",
    "run",
    "run_ns2",
    "stats",
    "sweep",
    "trace",
    "view",
]

#: name -> the module that has it, and its name there; what is not named here is in `scenario`
_MODULES = {
    **{name: ("plugins", name) for name in ("Ack", "CongestionControl", "Packet", "QueueDiscipline", "SenderState")},
    **{name: ("execution.process", name) for name in ("Ns2Error", "Ns2Result", "run_ns2")},
    **{name: ("execution.results", name) for name in ("Results", "ResultsError")},
    **{name: ("execution.simulate", name) for name in ("SimulationError", "run")},
    "open": ("execution.results", "open_results"),
    "sweep": ("batch.sweep", "sweep"),
    "view": ("notebook", "view"),
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ackclock._native import __version__

        return __version__
    if name in __all__:
        from importlib import import_module

        if name == "trace":
            return import_module("ackclock.trace")
        if name in ("models", "plot", "stats"):
            return import_module(f"ackclock.analysis.{name}")
        module, there = _MODULES.get(name, ("scenario", name))
        found = globals()[name] = getattr(import_module(f"ackclock.{module}"), there)
        return found
    raise AttributeError(f"module 'ackclock' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
