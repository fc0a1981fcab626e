"""Links over 5G NR: 3GPP's rates and slots, link adaptation by its equation, laws of fading and retransmissions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from math import erf, exp, log, log2
from statistics import fmean, pvariance
from typing import Any

import pytest

import ackclock as ac
from ackclock.scenario.formats import as_toml
from ackclock.scenario.formats.as_tcl import script
from ackclock.scenario.resolve.network import resolve
from ackclock.scenario.resolve.view import DirectedLink

#: Nothing but the carrier: no fading, no errors.
STILL: dict[str, Any] = {"shadowing_db": 0, "bler": 0}


def scenario(duration: str, seed: int = 1, reverse: ac.Reverse | None = None, **keys: Any) -> ac.Scenario:
    queue = ac.Queue(limit="20000 packets")
    link = ac.Link(process=ac.Nr(**keys), delay="10 ms", queue=queue, reverse=reverse)
    flow = ac.Flow(source="node1", destination="node2", tcp="cubic", window="20000 packets")
    topology = ac.Chain(nodes=2, link=link)
    return ac.Scenario(topology=topology, flows=[flow], duration=duration, defaults="linux", seed=seed)


def links(duration: str, seed: int = 1, **keys: Any) -> list[DirectedLink]:
    return resolve(scenario(duration, seed, **keys)).links


def rate_mbps(link: DirectedLink) -> float:
    return sum(size for _, size in link.slots) * 8 / link.slots[-1][0] / 1e6


def slot_bits(efficiency: float, **carrier: float) -> float:
    """TS 38.306, 4.1.2, for one slot of 14 symbols."""
    layers, blocks, overhead = carrier["layers"], carrier["blocks"], carrier["overhead"]
    return layers * efficiency * blocks * 12 * 14 * (1 - overhead)


# The equation of TS 38.306, 4.1.2, by hand: layers x 8 x 948/1024 x 12 x blocks x 14 symbols a slot x (1 - overhead).
@pytest.mark.parametrize(
    ("keys", "direction", "expected_mbps"),
    [
        ({"layers": 4}, "downlink", 2337),
        ({"layers": 1}, "uplink", 625),
        ({"layers": 2, "subcarrier_khz": 15, "resource_blocks": 106}, "downlink", 227),
    ],
)
def test_the_highest_rate_is_that_of_3gpp(keys: dict[str, Any], direction: str, expected_mbps: float) -> None:
    slots = "D" if direction == "downlink" else "U"
    (link, _) = links("1 s", direction=direction, slots=slots, sinr_db=60, **STILL, **keys)
    assert rate_mbps(link) == pytest.approx(expected_mbps, rel=0.0025)


def test_the_slots_are_those_of_the_pattern() -> None:
    # TS 38.521-4, table A.1.2-2, FR1.30-2: DDDSU in 2.5 ms, a special slot of 10 downlink, 2 guard, 2 uplink symbols.
    down, up = links("0.01 s", sinr_db=60, **STILL)
    whole = slot_bits(8 * 948 / 1024, layers=2, blocks=273, overhead=0.14) / 8
    expected = [(0.5, whole), (1.0, whole), (1.5, whole), (2.0, whole * 10 / 14)]
    for (at_s, size), (at_ms, expected_bytes) in zip(down.slots, expected, strict=False):
        assert at_s * 1000 == pytest.approx(at_ms)
        assert size == int(expected_bytes)
    assert down.slots[4][0] * 1000 == pytest.approx(3.0)
    whole_up = slot_bits(8 * 948 / 1024, layers=2, blocks=273, overhead=0.08) / 8
    expected = [(2.0, whole_up * 2 / 14), (2.5, whole_up)]
    for (at_s, size), (at_ms, expected_bytes) in zip(up.slots, expected, strict=False):
        assert at_s * 1000 == pytest.approx(at_ms)
        assert size == int(expected_bytes)
    assert up.slots[2][0] * 1000 == pytest.approx(4.5)


def test_resource_blocks_are_shared_with_other_users() -> None:
    (link, _) = links("0.01 s", sinr_db=60, users=4, **STILL)
    # 273 blocks are 54 for each of five.
    assert link.slots[0][1] == int(slot_bits(8 * 948 / 1024, layers=2, blocks=54, overhead=0.14) / 8)


def test_a_carrier_of_a_pair_has_all_slots_of_its_direction() -> None:
    for link in links("0.1 s", slots="D", **STILL):
        apart = {round((later[0] - earlier[0]) * 1e6) for earlier, later in pairwise(link.slots)}
        assert apart == {500}


# TS 38.214, table 5.2.2.1-3: the efficiencies as printed there.
PRINTED = [0.1523, 0.3770, 0.8770, 1.4766, 1.9141, 2.4063, 2.7305, 3.3223, 3.9023]
PRINTED += [4.5234, 5.1152, 5.5547, 6.2266, 6.9141, 7.4063]


def test_link_adaptation_takes_the_highest_efficiency_that_the_channel_carries() -> None:
    # Piro and others, WNS3 2011: log2(1 + SINR / gap), gap = -ln(5 BER) / 1.5, BER = 0.00005.
    gap = -log(5 * 0.00005) / 1.5
    seen = set()
    for sinr_db in range(-6, 35):
        carried = log2(1 + 10 ** (sinr_db / 10) / gap)
        expected = max((value for value in PRINTED if value <= carried), default=0.0)
        (link, _) = links("0.1 s", sinr_db=sinr_db, slots="D", **STILL)
        bits = 8 * max(size for _, size in link.slots)
        assert bits == pytest.approx(slot_bits(expected, layers=2, blocks=273, overhead=0.14), rel=1e-4, abs=8), sinr_db
        seen.add(expected)
    assert seen == {0.0, *PRINTED}


def test_a_block_that_fails_is_sent_again_and_holds_up_those_behind_it() -> None:
    (link, _) = links("60 s", slots="D", sinr_db=60, shadowing_db=0, bler=0.1, harq_rtt="4 ms")
    sizes = [size for _, size in link.slots]
    one = min(size for size in sizes if size)
    assert set(sizes) <= {one, 0}
    # Each transmission takes a slot, and a tenth of them fail; what is not received at the end is not counted.
    assert sum(sizes) / one == pytest.approx(0.9 * 120_000, rel=0.01)
    # A block that fails in the slot after another's is retransmitted in the slot that begins 4 ms after its end. It is
    # received 5 ms after that other one, and brings those of the 8 slots between its two, if they do not fail: 9 blocks
    # are the most frequent number.
    blocks = Counter(at_s for at_s, size in link.slots if size)
    bursts = Counter(blocks[later] for earlier, later in pairwise(blocks) if round((later - earlier) * 1e4) == 50)
    assert bursts.most_common(1)[0][0] == 9


def test_errors_of_one_block_are_independent() -> None:
    # The number of transmissions of a block is geometric. Here only every eleventh slot is ours, so that a block is
    # sent again before the next one is.
    (link, _) = links("300 s", slots="D" + 10 * "U", sinr_db=60, shadowing_db=0, bler=0.3, harq_rtt="4 ms")
    ends = [round(at_s * 2000) for at_s, size in link.slots if size]
    assert all(end % 11 == 1 for end in ends)
    tries = Counter((later - earlier) // 11 for earlier, later in pairwise(ends))
    total = sum(tries.values())
    for number in (1, 2, 3):
        expected = 0.7 * 0.3 ** (number - 1)
        assert tries[number] / total == pytest.approx(expected, abs=4 * (expected * (1 - expected) / total) ** 0.5)


def test_fading_is_normal_and_forgets_with_the_way() -> None:
    # 37 m/s and 37 m: the correlation falls to 1/e in a second. The share of time above a step of the link adaptation
    # is the normal distribution's.
    keys: dict[str, Any] = {"sinr_db": 15, "shadowing_db": 4, "speed_kmh": 133.2, "bler": 0, "slots": "D"}
    (link, _) = links("2000 s", subcarrier_khz=15, report_interval="100 ms", **keys)
    first: dict[int, int] = {}
    for at_s, size in link.slots:
        first.setdefault(round(at_s * 1000 - 1) // 100, size)
    sizes = [first.get(report, 0) for report in range(20_000)]
    gap = -log(5 * 0.00005) / 1.5
    steps_db = {value: 10 * log2(gap * (2**value - 1)) / log2(10) for value in PRINTED}
    # A process that forgets in a second has an independent value each two seconds.
    independent = 1000
    for value in PRINTED[4:9]:
        bits = slot_bits(value, layers=2, blocks=273, overhead=0.14)
        share = fmean(8 * size >= 0.999 * bits for size in sizes)
        expected = 0.5 * (1 + erf((15 - steps_db[value]) / 4 / 2**0.5))
        assert share == pytest.approx(expected, abs=4 * (expected * (1 - expected) / independent) ** 0.5)
    # The correlation of the sizes after 0.2 s is near that of the ratio, exp(-0.2); after 6 s there is none.
    assert _correlation(sizes, 2) == pytest.approx(exp(-0.2), abs=0.05)
    assert abs(_correlation(sizes, 60)) < 4 / independent**0.5


def _correlation(values: list[int], lag: int) -> float:
    mean = fmean(values)
    product = fmean((one - mean) * (other - mean) for one, other in zip(values, values[lag:], strict=False))
    return product / pvariance(values)


def test_both_directions_have_one_channel_and_errors_of_their_own() -> None:
    down, up = links("30 s", bler=0, speed_kmh=300)

    # The first downlink slot and the uplink slot of a pattern stand in one report's interval, but for one in four.
    first = {round((at_s - 0.0005) / 0.0025): size / 0.86 for at_s, size in down.slots if round(at_s * 1e4) % 25 == 5}
    last = {round((at_s - 0.0025) / 0.0025): size / 0.92 for at_s, size in up.slots if round(at_s * 1e4) % 25 == 0}
    shared = [number for number in first if number in last]
    assert len(shared) > 10_000
    assert fmean(first[number] == pytest.approx(last[number], rel=1e-3) for number in shared) > 0.95
    down, up = links("5 s", bler=0.5, slots="D", shadowing_db=0)
    assert [at_s for at_s, _ in down.slots] != [at_s for at_s, _ in up.slots]


def test_a_flow_gets_what_the_carrier_lets_through() -> None:
    run = scenario("2 s", resource_blocks=51, **STILL)
    (link, _) = ac.run(run).rows("links")
    (resolved, _) = resolve(run).links
    offered = sum(size for at_s, size in resolved.slots if at_s <= 2)
    assert 0.85 * offered < link["departed_bytes"] <= offered
    other = replace(run, seed=2)
    assert ac.run(other).rows("links") == ac.run(other).rows("links")


def test_a_channel_below_the_lowest_quality_sends_nothing() -> None:
    run = scenario("2 s", sinr_db=-20, shadowing_db=0)
    (link, _) = ac.run(run).rows("links")
    assert link["departed_packets"] == 0
    assert all(size == 0 for _, size in resolve(run).links[0].slots)


def test_a_longer_run_begins_as_a_shorter_one_and_seeds_differ() -> None:
    short, longer = links("5 s")[0].slots, links("6 s")[0].slots
    assert short[:-20] == longer[: len(short) - 20]
    assert links("5 s", seed=2)[0].slots != short


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"direction": "down"}, r"direction = \"down\": expected one of downlink, uplink"),
        ({"subcarrier_khz": 31}, r"subcarrier_khz = 31: expected 15, 30 or 60"),
        ({"resource_blocks": 274}, r"resource_blocks = 274: expected a whole number, 1 to 273"),
        ({"special_downlink": 13}, r"special_uplink = 2: expected a whole number, 0 to 1"),
        ({"users": 273}, r"users = 273: expected a whole number, 0 to 272"),
        ({"bler": 1.0}, r"bler = 1(\.0)?: expected a number from 0 to 0.99"),
        ({"sinr_db": float("nan")}, r"sinr_db"),
        ({"slots": "DDXU"}, r"slots = \"DDXU\": expected 1 to 1000 of the letters D, S and U"),
        ({"slots": ""}, r"slots"),
        ({"slots": "U"}, r"slots = \"U\": expected a slot with symbols of the downlink"),
        ({"report_interval": "0.4 ms"}, r"report_interval = \"0.4 ms\": expected at least a slot, 0.5 ms"),
        ({"sinr": 20}, r"sinr: unknown key; expected one of direction"),
    ],
)
def test_what_it_cannot_be(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ac.ScenarioError, match=message):
        ac.Nr(**keys)


def test_a_description_is_written_and_a_script_of_ns2_is_refused() -> None:
    run = scenario("1 s", reverse=ac.Reverse(process=ac.Nr(direction="uplink", layers=1, sinr_db=8)))
    assert ac.Scenario.of(run.table()) == run
    assert 'kind = "nr"' in as_toml.text(run)
    plain = replace(run, defaults="ns2_35", seed=None, flows=[replace(run.flows[0], tcp="sack")])
    with pytest.raises(ac.ScenarioError, match="neither Wi-Fi nor 5G"):
        script(plain)
