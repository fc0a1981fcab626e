"""Links over satellites in low Earth orbit: the mechanism by hand, and what was measured of Starlink."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from statistics import fmean
from typing import Any

import pytest

import ackclock as ac
from ackclock.batch.sweep import seed_of
from ackclock.execution.simulate import CompiledScenario
from ackclock.scenario.formats import as_toml
from ackclock.scenario.formats.as_tcl import script
from ackclock.scenario.resolve.network import Network, resolve


def scenario(duration: str = "60 s", flows: list[ac.Flow] | None = None, seed: int = 1, **keys: Any) -> ac.Scenario:
    link = ac.Link(process=ac.LeoSatellite(**keys), delay="10 ms", queue=ac.Queue(limit="1000 packets"))
    flow = ac.Flow(source="node1", destination="node2", tcp="cubic", window="10000 packets")
    topology = ac.Chain(nodes=2, link=link)
    return ac.Scenario(
        topology=topology,
        flows=flows or [flow],
        duration=duration,
        defaults="linux",
        seed=seed,
        record=ac.Record(packets=True),
    )


def probes(interval_s: float, source: str, destination: str) -> ac.Flow:
    app = ac.Cbr(rate=f"{8 * 100 / interval_s} b/s", packet_size="100 B")
    return ac.Flow(source=source, destination=destination, app=app)


def delays_s(packets: list[dict[str, Any]], flow: int) -> dict[int, float]:
    """One-way delays of a flow's packets by the order in which they were sent."""
    mine = [row for row in packets if row["flow"] == flow]
    sent = {row["packet"]: row["time_s"] for row in mine if row["event"] == "enqueue"}
    order = {packet: number for number, packet in enumerate(sent)}
    return {order[row["packet"]]: row["time_s"] - sent[row["packet"]] for row in mine if row["event"] == "receive"}


def happenings(network: Network, what: str, link: int) -> list[tuple[float, float]]:
    return [(event.at_s, event.value) for event in network.events if (event.what, event.link) == (what, link)]


def test_hand_overs_come_at_the_seconds_of_starlink() -> None:
    network = resolve(scenario())
    for link in (0, 1):
        assert [at_s for at_s, _ in happenings(network, "cut", link)] == [12, 27, 42, 57]
        assert [at_s for at_s, _ in happenings(network, "delay", link)] == [12, 27, 42, 57]
    # A path has the same delay in both directions, another one after each hand-over, within the spread.
    there, back = happenings(network, "delay", 0), happenings(network, "delay", 1)
    assert there == back
    assert len({delay_s for _, delay_s in there}) == 4
    assert all(0.010 <= delay_s <= 0.020 for _, delay_s in there)
    assert network.links[0].deliveries != network.links[1].deliveries


def test_rates_are_uniform_between_their_bounds_and_stay_for_an_interval() -> None:
    (link, _) = resolve(scenario("3000 s")).links
    assert link.deliveries is not None
    counts = [0] * 200
    for at_ms in link.deliveries:
        if 12_000 < at_ms <= 2_997_000:
            counts[(at_ms - 12_001) // 15_000] += 1
    # 15 s less the pause of 50 ms; the mean of 199 uniform rates from 10 to 70 Mb/s, with four standard errors.
    rates = [count * 1504 * 8 / (15 - 0.05) / 1e6 for count in counts[:199]]
    assert min(rates) == pytest.approx(10, abs=2)
    assert max(rates) == pytest.approx(70, abs=2)
    assert fmean(rates) == pytest.approx(40, abs=4 * 60 / 12**0.5 / 199**0.5)
    # Within an interval it sends evenly.
    first = [at_ms for at_ms in link.deliveries if 12_000 < at_ms <= 27_000]
    halves = [sum(low < at_ms <= low + 7_000 for at_ms in first) for low in (12_050, 19_050)]
    assert halves[0] == pytest.approx(halves[1], abs=2)


def test_nothing_is_sent_for_the_pause_and_what_is_on_its_way_is_lost() -> None:
    results = ac.run(scenario("14 s"))
    packets = results.rows("packets")
    (link, _) = results.rows("links")
    sent = [row["time_s"] for row in packets if row["event"] == "dequeue" and row["from_node"] == 0]
    assert not [at_s for at_s in sent if 12.0 <= at_s < 12.05]
    received = [row["time_s"] for row in packets if row["event"] == "receive" and row["to_node"] == 1]
    # Of those sent before the hand-over none arrives once the jitter is over, and of those behind it none before 60 ms.
    assert not [at_s for at_s in received if 12.0141 < at_s < 12.06]
    # They are a delay's worth of packets: 10 to 20 ms at the rate that the link has. Lai and others, SIGCOMM 2025, have
    # losses of 0.5 to 6 % in a second.
    rate = sum(11 < at_s <= 12 for at_s in sent)
    assert 0.009 * rate < link["lost_packets"] < 0.021 * rate
    assert ac.run(scenario("14 s", cut=False)).rows("links")[0]["lost_packets"] == 0


def test_round_trips_are_as_measured() -> None:
    flows = [probes(0.1, "node1", "node2"), probes(0.1, "node2", "node1")]
    packets = ac.run(scenario("300 s", flows)).rows("packets")
    there, back = delays_s(packets, 1), delays_s(packets, 2)
    trips = {number: there[number] + back[number] for number in there.keys() & back.keys()}
    # Mohan and others, WWW 2024: 36 to 48 ms between terminal and point of presence, in most countries.
    assert 0.036 < fmean(trips.values()) < 0.048
    # Huston, "A transport protocol's view of Starlink", APNIC 2024: 6.7 ms between successive round trips. By
    # arithmetic the sum of two uniform numbers up to 14 ms differs from another one by 14/30 of 14 ms on average.
    # Probes of the second after a hand-over are left out.
    pairs = [(a, b) for a, b in pairwise(sorted(trips)) if b == a + 1 and (a - 120) % 150 > 10 and (b - 120) % 150 > 10]
    near = [abs(trips[a] - trips[b]) for a, b in pairs]
    assert fmean(near) == pytest.approx(0.014 * 14 / 30, rel=0.07)
    assert fmean(near) == pytest.approx(0.0067, rel=0.1)
    # The same: hand-overs add 30 to 50 ms. What comes in the pause waits for its end.
    assert max(there.values()) == pytest.approx(0.010 + 0.010 + 0.050 + 0.014, abs=0.020)


def test_each_seed_has_its_course_also_in_a_sweep() -> None:
    one, other = resolve(scenario()), resolve(scenario(seed=2))
    assert one.events != other.events
    assert one.links[0].deliveries != other.links[0].deliveries
    compiled, runs = CompiledScenario(scenario("5 s")), []
    for seed in (seed_of(1, 1), seed_of(1, 2)):
        runs.append(compiled.begin(seed).finish().rows("links")[0]["departed_packets"])
        assert runs[-1] == ac.run(replace(scenario("5 s"), seed=seed)).rows("links")[0]["departed_packets"]
    assert runs[0] != runs[1]


def test_a_wifi_link_needs_no_course_and_draws_from_each_seed() -> None:
    base = scenario("5 s")
    assert isinstance(base.topology, ac.Chain)
    wifi = replace(base, topology=replace(base.topology, link=replace(base.topology.link, process=ac.Wifi())))
    compiled, runs = CompiledScenario(wifi), []
    for seed in (1, 2):
        runs.append(compiled.begin(seed).finish().rows("links")[0]["departed_packets"])
        assert runs[-1] == ac.run(wifi, seed=seed).rows("links")[0]["departed_packets"]
    assert runs[0] != runs[1]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"interval": "0 s"}, r"interval = \"0 s\": must be more than 0"),
        ({"min_rate": "80 Mb/s"}, r"max_rate = \"70 Mb/s\": expected at least `min_rate`, 80 Mb/s"),
        ({"pause": "15 s"}, r"pause = \"15 s\": expected less than `interval`, 15 s"),
        ({"perod": "15 s"}, r"perod: unknown key; expected one of interval"),
    ],
)
def test_what_it_cannot_be(keys: dict[str, str], message: str) -> None:
    with pytest.raises(ac.ScenarioError, match=message):
        ac.LeoSatellite(**keys)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"symbol": "0 s"}, r"symbol = \"0 s\": must be more than 0"),
        ({"cw_max": 7}, r"cw_max = 7: expected a whole number, 15 to 32767"),
        ({"max_frames": 0}, r"max_frames = 0: expected a whole number, 1 to 32767"),
        ({"phy_rate": "0 b/s"}, r"a rate must be positive"),
    ],
)
def test_what_a_medium_cannot_be(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ac.ScenarioError, match=message):
        ac.Wifi(**keys)


def test_a_change_of_the_rate_and_a_script_of_ns2_are_refused() -> None:
    for process in (ac.LeoSatellite(), ac.Wifi()):
        base = scenario()
        assert isinstance(base.topology, ac.Chain)
        topology = replace(base.topology, link=replace(base.topology.link, process=process))
        change = ac.Change(at="1 s", link="node1->node2", rate="1 Mb/s")
        with pytest.raises(ac.ScenarioError, match="the link has a process, not a rate"):
            resolve(replace(base, topology=topology, changes=[change]))
        plain = replace(
            base, topology=topology, defaults="ns2_35", seed=None, flows=[replace(base.flows[0], tcp="sack")]
        )
        with pytest.raises(ac.ScenarioError, match=r"Wi-Fi|ns-2 has no"):
            script(plain)
        assert ac.Scenario.of(base.table()) == base
        assert f'kind = "{process.kind}"' in as_toml.text(replace(base, topology=topology))
