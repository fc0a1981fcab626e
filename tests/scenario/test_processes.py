"""Links whose rate is a random process: its laws, worked by hand; it depends on the seed and the link alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import exp, sqrt
from typing import Any

import pytest

import ackclock as ac
from ackclock import _native
from ackclock.batch.sweep import seed_of
from ackclock.execution.simulate import CompiledScenario
from ackclock.scenario.formats import as_toml
from ackclock.scenario.formats.as_tcl import script
from ackclock.scenario.resolve.network import resolve

#: Sprout's tick: the rate changes so often, s.
TICK_S = 0.02


def opportunities(process: ac.Cellular, seed: int | str | None, name: str, duration_s: float) -> list[int]:
    """The instants, ms, at which the link of this name can send."""
    source, _, target = name.partition("->")
    link = ac.Link(ends=[source, target], process=process, delay="1 ms")
    flow = ac.Flow(source=source, destination=target, tcp="reno")
    topology = ac.Graph(nodes=[source, target], links=[link])
    network = resolve(ac.Scenario(topology=topology, flows=[flow], duration=f"{duration_s} s", seed=seed))
    found = network.links[0].deliveries
    assert found is not None
    return found


def counts(process: ac.Cellular, duration_s: int, seed: int = 1) -> list[int]:
    """How many opportunities each second has."""
    found = Counter(at_ms // 1000 for at_ms in opportunities(process, seed, "a->b", duration_s))
    return [found[second] for second in range(duration_s)]


def test_a_rate_that_does_not_change_gives_a_poisson_process() -> None:
    each = counts(ac.Cellular(volatility="1 b/s"), 2000)
    mean = sum(each) / len(each)
    variance = sum((count - mean) ** 2 for count in each) / len(each)
    assert mean > 0
    # The variance of a Poisson number is its mean; four standard errors, sqrt(2 / 2000) of it each.
    assert variance / mean == pytest.approx(1, abs=4 * sqrt(2 / 2000))


def test_a_rate_without_outages_is_uniform_between_its_bounds() -> None:
    # A Brownian motion between two bounds is uniformly distributed in the long run: mean 1/2, variance 1/12 of 1000
    # packets/s, squared. Its slowest mode decays with the time 2 * 1000^2 / (pi * 200)^2 = 5 s, so 3000 s have some 300
    # independent values.
    each = counts(ac.Cellular(outage="0 s"), 3000)
    mean = sum(each) / len(each)
    assert mean == pytest.approx(500, abs=4 * 1000 / sqrt(12 * 300))
    assert max(each) < 1000 + 4 * sqrt(1000)
    deviation = sqrt(sum((count - mean) ** 2 for count in each) / len(each))
    assert deviation == pytest.approx(1000 / sqrt(12), rel=0.15)


def test_an_outage_lasts_as_long_as_its_mean_says() -> None:
    # A volatility beyond all bounds: after each tick the rate is 0 or the highest, each with probability 1/2. From 0 it
    # moves with probability 1 - exp(-tick / outage) only. So the link is up for p / (p + q) of the time.
    process = ac.Cellular(max_rate="1.2 Mb/s", volatility="1000 Gb/s", outage="200 ms")
    p, q = (1 - exp(-TICK_S / 0.2)) / 2, 0.5
    each = counts(process, 3000)
    assert sum(each) / len(each) == pytest.approx(100 * p / (p + q), rel=0.05)


def test_the_opportunities_cover_the_run_and_are_those_of_the_link() -> None:
    one = opportunities(ac.Cellular(), 5, "a->b", 30.0)
    assert one == sorted(one)
    assert one[-2] <= 30_000 < one[-1]
    assert one == opportunities(ac.Cellular(), 5, "a->b", 30.0)
    # Of a longer run the beginning is the same; those of another seed and link are others.
    assert opportunities(ac.Cellular(), 5, "a->b", 40.0)[: len(one)] == one
    assert one != opportunities(ac.Cellular(), 6, "a->b", 30.0)
    assert one != opportunities(ac.Cellular(), 5, "b->a", 30.0)
    assert opportunities(ac.Cellular(), "ns2:7", "a->b", 3.0) != opportunities(ac.Cellular(), None, "a->b", 3.0)


def cellular(**more: Any) -> ac.Scenario:
    link = ac.Link(process=ac.Cellular(outage="0 s"), delay="10 ms", **more)
    flow = ac.Flow(source="node1", destination="node2", tcp="cubic", window="10000 packets")
    return ac.Scenario(topology=ac.Chain(nodes=2, link=link), flows=[flow], duration="20 s", defaults="linux", seed=2)


def test_each_direction_has_a_process_of_its_own_or_what_reverse_says() -> None:
    there, back = resolve(cellular()).links
    assert there.deliveries != back.deliveries
    there, back = resolve(cellular(reverse=ac.Reverse(rate="1 Mb/s"))).links
    assert there.deliveries is not None
    assert (back.deliveries, back.rate_bps) == (None, 1e6)


def test_a_flow_gets_what_the_process_lets_through() -> None:
    (link, _) = ac.run(cellular(queue=ac.Queue(limit="2000 packets"))).rows("links")
    (resolved, _) = resolve(cellular()).links
    assert resolved.deliveries is not None
    offered = sum(at_ms <= 20_000 for at_ms in resolved.deliveries)
    # A packet for each opportunity, but for the first round trips and those in the queue at the end.
    assert 0.9 * offered < link["departed_packets"] <= offered


def test_replications_of_a_sweep_have_courses_of_their_own() -> None:
    scenario = cellular()
    compiled = CompiledScenario(scenario)
    rates = []
    for seed in (seed_of(1, 1), seed_of(1, 2)):
        rates.append(compiled.begin(seed).finish().rows("links")[0]["departed_packets"])
        assert rates[-1] == ac.run(replace(scenario, seed=seed)).rows("links")[0]["departed_packets"]
    assert rates[0] != rates[1]


def test_a_description_is_read_written_and_refused_where_it_cannot_be() -> None:
    scenario = cellular()
    text = as_toml.text(scenario)
    assert 'kind = "cellular"' in text
    assert ac.Scenario.of(scenario.table()) == scenario
    with pytest.raises(ac.ScenarioError, match="deliveries"):
        script(replace(scenario, defaults="ns2_35", seed=None, flows=[replace(scenario.flows[0], tcp="sack")]))
    with pytest.raises(ac.ScenarioError, match=r"a link with a process has none of its own"):
        ac.Link(rate="1 Mb/s", delay="1 ms", process="cellular")  # type: ignore[arg-type]
    with pytest.raises(ac.ScenarioError, match=r"max_rate"):
        ac.Cellular(max_rate="0 b/s")
    assert _native.check_scenario_text(text) is None
