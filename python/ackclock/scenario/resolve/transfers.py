"""When flows start that start at random: `Arrivals`, each transfer a flow of its own, and a `start_jitter`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from ackclock._native import RandomStream
from ackclock.scenario import defaults as sets
from ackclock.scenario.errors import ScenarioError
from ackclock.scenario.model.scenario import Scenario
from ackclock.scenario.model.seed import hashed_seed, ns2_seed
from ackclock.scenario.model.traffic import App, Arrivals, Flow, Ftp, Requests
from ackclock.scenario.units import amount, size_bytes, time_s

#: The seed where the scenario has none: the one that ns-2's random numbers begin with.
_NS2_SEED = 12345
#: more packets than that are no transfer that ends
_MOST_PACKETS = 2**28
_MOST_BYTES = 2**30
#: more transfers of one described flow are a mistyped time
_MOST_TRANSFERS = 100_000


class _Draws:
    """Random numbers of one described flow, or of one of the flows that it stands for."""

    def __init__(self, stream: RandomStream) -> None:
        self._stream = stream

    @classmethod
    def of_each(cls, scenario: Scenario, times: int, index: int, stream: str, purpose: str) -> list[_Draws]:
        """For each of the `times` flows that a described flow stands for; `index` is its number in the description.

        Under a hashed seed each has a stream of its own. In ns-2's way all have one: a substream for each described
        flow, so that what else is described does not change it. The first substream is the run's own.
        """
        seed = hashed_seed(scenario.seed)
        if seed is not None:
            names = (f"{stream}/{number}/{purpose}" for number in range(1, times + 1))
            return [cls(RandomStream.hashed(seed, name)) for name in names]
        substream = RandomStream.of_ns2(ns2_seed(scenario.seed) or _NS2_SEED)
        for _ in range(index + 1):
            substream.next_substream()
        return [cls(substream)] * times

    def uniform(self, most: float) -> float:
        return most * self._stream.unit()

    def exponential(self, mean: float) -> float:
        return mean * self._stream.exponential()

    def pareto(self, mean: float, shape: float) -> float:
        least = mean * (shape - 1) / shape
        tail: float = self._stream.unit() ** (-1 / shape)
        return least * tail


class Transfer(NamedTuple):
    """A transfer that comes: when, s, and what it is."""

    start_s: float
    app: App


def jittered_starts(flow: Flow, times: int, index: int, scenario: Scenario, stream: str) -> list[float]:
    """When each of the `times` flows that one described flow stands for starts, s.

    `index` is its number, and the names of its streams begin with `stream`.
    """
    start_s, jitter_s = time_s(flow.start), time_s(flow.start_jitter)
    return [start_s + draws.uniform(jitter_s) for draws in _Draws.of_each(scenario, times, index, stream, "start")]


def transfers(flow: Flow, times: int, index: int, scenario: Scenario, stream: str) -> list[list[Transfer]]:
    """The transfers that come of each of the `times` flows that one described flow stands for.

    `index` is its number, and the names of its streams begin with `stream`. `ScenarioError`, with the key within the
    flow, where they are more than anyone can mean.
    """
    arrivals = flow.arrivals
    assert arrivals is not None
    time_in_all_s = times * (_ends_s(flow, scenario) - time_s(flow.start))
    expected = time_in_all_s / time_s(arrivals.interval) * arrivals.objects
    if expected > _MOST_TRANSFERS:
        too_many = f"this makes about {expected:.2g} transfers; expected at most {_MOST_TRANSFERS:,}"
        raise ScenarioError(too_many, key="arrivals.interval", value=arrivals.interval)
    each = _Draws.of_each(scenario, times, index, stream, "arrivals")
    return [_arriving(flow, arrivals, scenario, draws) for draws in each]


def _ends_s(flow: Flow, scenario: Scenario) -> float:
    return time_s(flow.stop) if flow.stop else time_s(scenario.duration)


def _arriving(flow: Flow, arrivals: Arrivals, scenario: Scenario, draws: _Draws) -> list[Transfer]:
    packet = size_bytes(flow.packet_size) if flow.packet_size else sets.packet_bytes(scenario.defaults)
    mean = amount(arrivals.size, "data")
    mean_packets = mean.number if mean.unit == "packets" else mean.number / packet
    ends_s = _ends_s(flow, scenario)
    interval_s = time_s(arrivals.interval)
    found: list[Transfer] = []
    page_s = time_s(flow.start) + draws.exponential(interval_s)
    while page_s < ends_s:
        for at_s in _objects(arrivals, page_s, draws):
            size = math.ceil(draws.pareto(mean_packets, arrivals.shape))
            if at_s < ends_s:
                app: App = Ftp(size=f"{min(size, _MOST_PACKETS)} packets")
                if isinstance(flow.app, Requests):
                    app = replace(flow.app, response=f"{min(size * packet, _MOST_BYTES)} B")
                found.append(Transfer(at_s, app))
        page_s += draws.exponential(interval_s)
    return found


def _objects(arrivals: Arrivals, page_s: float, draws: _Draws) -> list[float]:
    """When the objects of a page that is asked for at an instant are asked for."""
    if arrivals.objects == 1:
        return [page_s]
    found = [page_s]
    spacing_s = time_s(arrivals.spacing)
    for _ in range(1, max(1, round(draws.pareto(arrivals.objects, arrivals.objects_shape)))):
        found.append(found[-1] + (draws.exponential(spacing_s) if spacing_s > 0 else 0.0))
    return found
