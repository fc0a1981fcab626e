"""Typed descriptions of networks: `Scenario` and its parts, from Python or from TOML.

    import ackclock as ac

    scenario = ac.Scenario(
        topology=ac.Dumbbell(bottleneck=ac.Link(rate="10 Mb/s", delay="20 ms"), pairs=2),
        flows=[ac.Flow(pair=1, tcp="sack"), ac.Flow(pair=2, tcp="vegas", start="1 s")],
        duration="60 s",
    )

Quantities are texts with their units. A mistake raises `ScenarioError`, which names the key, the value, what was
expected and the nearest known name; `load` adds file and line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# The typed classes take longer to make than a short run: a file is run without them (`formats.read.network_of_file`).
if TYPE_CHECKING:
    from ackclock.scenario.errors import ScenarioError
    from ackclock.scenario.formats.read import load
    from ackclock.scenario.model.apps import Call, Cbr, Exponential, Ftp, Pareto, Requests, Telnet, Video
    from ackclock.scenario.model.diffserv import DiffServ, PhysicalQueue, Policy, Precedence
    from ackclock.scenario.model.leo_satellite import LeoSatellite
    from ackclock.scenario.model.loss import Loss, LossState
    from ackclock.scenario.model.nr import Nr
    from ackclock.scenario.model.processes import Cellular
    from ackclock.scenario.model.scenario import Change, Record, Scenario
    from ackclock.scenario.model.topology import Chain, Dumbbell, Graph, Link, ParkingLot, Queue, Reverse, Star
    from ackclock.scenario.model.traffic import Arrivals, Flow, Span
    from ackclock.scenario.model.wifi import Wifi

__all__ = [
    "Arrivals",
    "Call",
    "Cbr",
    "Cellular",
    "Chain",
    "Change",
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
    "Pareto",
    "ParkingLot",
    "PhysicalQueue",
    "Policy",
    "Precedence",
    "Queue",
    "Record",
    "Requests",
    "Reverse",
    "Scenario",
    "ScenarioError",
    "Span",
    "Star",
    "Telnet",
    "Video",
    "Wifi",
    "load",
]

#: name -> the module that has it
_MODULES = {
    "ScenarioError": "errors",
    "load": "formats.read",
    **dict.fromkeys(("Call", "Cbr", "Exponential", "Ftp", "Pareto", "Requests", "Telnet", "Video"), "model.apps"),
    **dict.fromkeys(("DiffServ", "PhysicalQueue", "Policy", "Precedence"), "model.diffserv"),
    **dict.fromkeys(("Loss", "LossState"), "model.loss"),
    "Cellular": "model.processes",
    "LeoSatellite": "model.leo_satellite",
    **dict.fromkeys(("Change", "Record", "Scenario"), "model.scenario"),
    **dict.fromkeys(("Chain", "Dumbbell", "Graph", "Link", "ParkingLot", "Queue", "Reverse", "Star"), "model.topology"),
    **dict.fromkeys(("Arrivals", "Flow", "Span"), "model.traffic"),
    "Nr": "model.nr",
    "Wifi": "model.wifi",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        from importlib import import_module

        found = globals()[name] = getattr(import_module(f"ackclock.scenario.{_MODULES[name]}"), name)
        return found
    raise AttributeError(f"module 'ackclock.scenario' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
