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

from ackclock.scenario.errors import ScenarioError
from ackclock.scenario.formats.read import load
from ackclock.scenario.model.diffserv import DiffServ, PhysicalQueue, Policy, Precedence
from ackclock.scenario.model.leo_satellite import LeoSatellite
from ackclock.scenario.model.loss import Loss, LossState
from ackclock.scenario.model.processes import Cellular
from ackclock.scenario.model.scenario import Change, Record, Scenario
from ackclock.scenario.model.topology import Chain, Dumbbell, Graph, Link, ParkingLot, Queue, Reverse, Star
from ackclock.scenario.model.traffic import (
    Arrivals,
    Call,
    Cbr,
    Exponential,
    Flow,
    Ftp,
    Pareto,
    Requests,
    Span,
    Telnet,
    Video,
)
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
