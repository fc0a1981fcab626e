"""Seeds: the streams that they are hashed to, against NumPy and SciPy, and who draws from which."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from numpy.typing import NDArray
from scipy import stats  # type: ignore[import-untyped]

import ackclock as ac
from ackclock._native import RandomStream, hash_seed
from ackclock.batch.sweep import grid_of
from ackclock.execution.simulate import CompiledScenario
from ackclock.scenario.formats import as_tcl, as_toml
from ackclock.scenario.formats.schema import schema
from ackclock.scenario.resolve.network import resolve
from test_bad_scenario import command

#: The moduli of MRG32k3a's two recurrences (L'Ecuyer 1999).
M1, M2 = 2**32 - 209, 2**32 - 22853

DRAWS = 100_000
#: With this probability, a perfect generator fails in one of these functions, whose tests share it evenly (Bonferroni).
FALSE_ALARM = 1e-3

SEEDS = (0, 1, 2, 7, 1000, 2**31 - 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1)
NAMES = ("", "a", "abcd", "abcd\0", "flow/flows.0/1/start", "link/Zürich->東京/queue")


def sequence(seed: int, name: str) -> np.random.SeedSequence:
    """NumPy's hash of the two, as the guide describes it."""
    text = name.encode()
    words = np.frombuffer(text + bytes(-len(text) % 4), "<u4")
    return np.random.SeedSequence(seed, spawn_key=(len(text), *words.tolist()))


def state(seed: int, name: str) -> list[int]:
    """The state of a stream by NumPy's hash: words that are not below their modulus are passed over."""
    words: Iterator[int] = iter(sequence(seed, name).generate_state(60).tolist())
    found: list[int] = []
    while len(found) < 6:
        word = next(words)
        if word < (M1 if len(found) < 3 else M2):
            found.append(word)
    return found


def draws(seed: int, name: str) -> Iterator[float]:
    """MRG32k3a as L'Ecuyer writes it (1999, figure I), from that state."""
    a, b = state(seed, name)[:3], state(seed, name)[3:]
    while True:
        p1 = (1403580 * a[1] - 810728 * a[0]) % M1
        p2 = (527612 * b[2] - 1370589 * b[0]) % M2
        a, b = [*a[1:], p1], [*b[1:], p2]
        yield (p1 - p2 if p1 > p2 else p1 - p2 + M1) / (M1 + 1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_streams_are_numpys_hash_of_seed_and_name(seed: int, name: str) -> None:
    assert RandomStream.hashed(seed, name).state() == state(seed, name)
    assert hash_seed(seed, name) == int(sequence(seed, name).generate_state(1, np.uint64)[0])


def test_a_word_that_is_no_state_is_passed_over() -> None:
    seed, name = 1700, "link/a->b/queue"
    words = sequence(seed, name).generate_state(6).tolist()
    assert words[4] >= M2, "or this case shows nothing"
    found = RandomStream.hashed(seed, name).state()
    assert found == state(seed, name) != words
    assert max(found[:3]) < M1 and max(found[3:]) < M2


def test_draws_are_l_ecuyers() -> None:
    drawn = draws(3, "flow/flows.0/1/start")
    expected = [next(drawn) for _ in range(1000)]
    assert RandomStream.hashed(3, "flow/flows.0/1/start").units(1000) == pytest.approx(expected, rel=1e-9)


def units(seed: int, name: str) -> NDArray[np.float64]:
    return np.array(RandomStream.hashed(seed, name).units(DRAWS))


def of_ns2(seed: int) -> NDArray[np.float64]:
    return np.array(RandomStream.of_ns2(seed).units(DRAWS))


def correlated(pairs: list[tuple[NDArray[np.float64], NDArray[np.float64]]], false_alarm: float) -> list[float]:
    """The correlations that are too large to be chance, by Fisher's transformation."""
    bound = math.tanh(stats.norm.isf(false_alarm / len(pairs) / 2) / math.sqrt(DRAWS - 3))
    found = [float(np.corrcoef(first, second)[0, 1]) for first, second in pairs]
    return [value for value in found if abs(value) > bound]


def uneven(pairs: list[tuple[NDArray[np.float64], NDArray[np.float64]]], false_alarm: float) -> list[float]:
    """Probabilities, too small to be chance, of how pairs of draws fall into 32 x 32 cells (chi-square)."""
    found = []
    for first, second in pairs:
        cells = np.histogram2d(first, second, bins=32, range=((0, 1), (0, 1)))[0]
        found.append(float(stats.chisquare(cells.ravel()).pvalue))
    return [value for value in found if value < false_alarm / len(pairs)]


def test_streams_of_consecutive_seeds_are_independent() -> None:
    streams = [units(seed, "link/a->b/queue") for seed in range(31)]
    pairs = list(pairwise(streams))
    assert correlated(pairs, FALSE_ALARM) == []
    assert uneven(pairs, FALSE_ALARM) == []


def test_streams_of_one_seed_are_independent() -> None:
    purposes = ("clock", "sending", "control", "traffic", "start", "arrivals")
    names = [f"flow/flows.{flow}/1/{purpose}" for flow in range(2) for purpose in purposes]
    names += ["link/a->b/queue", "link/b->a/queue", "link/a->b/1/loss", "link/a->b/2/loss"]
    streams = [units(1, name) for name in names]
    pairs = [(first, second) for place, first in enumerate(streams) for second in streams[:place]]
    assert len(pairs) == 120
    assert correlated(pairs, FALSE_ALARM) == []
    assert uneven(pairs, FALSE_ALARM) == []


def test_first_draws_of_consecutive_seeds_are_independent() -> None:
    first = np.array([RandomStream.hashed(seed, "flow/flows.0/1/start").unit() for seed in range(DRAWS + 1)])
    alone = np.histogram(first, bins=1000, range=(0, 1))[0]
    assert stats.chisquare(alone).pvalue > FALSE_ALARM
    pairs = [(first[:-1], first[1:])]
    assert correlated(pairs, FALSE_ALARM) == []
    assert uneven(pairs, FALSE_ALARM) == []


def test_ns2s_consecutive_seeds_fail_the_same_tests() -> None:
    # The recurrences are linear, and ns-2's seed is all six words: draw n of seed s is about s times that of seed 1.
    streams = [of_ns2(seed) for seed in (1, 2, 3)]
    pairs = list(pairwise(streams))
    assert len(correlated(pairs, 1e-12)) == len(uneven(pairs, 1e-12)) == 2
    drawn = np.array([RandomStream.of_ns2(seed).unit() for seed in range(1, DRAWS + 2)])
    assert correlated([(drawn[:-1], drawn[1:])], 1e-12) and uneven([(drawn[:-1], drawn[1:])], 1e-12)


# Who draws from which stream.


def one_link(seed: int | str | None, **flow: Any) -> ac.Scenario:
    link = ac.Link(ends=["a", "b"], rate="10 Mb/s", delay="1 ms", loss=ac.Loss(rate=0.1))
    app = ac.Cbr(rate="1 Mb/s", packet_size="500 B")
    flows = [ac.Flow(source="a", destination="b", app=app, **flow)]
    topology = ac.Graph(nodes=["a", "b"], links=[link])
    return ac.Scenario(topology=topology, flows=flows, duration="1 s", seed=seed, record=ac.Record(packets=True))


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_losses_are_the_draws_of_the_named_stream(seed: int) -> None:
    packets = ac.run(one_link(seed)).rows("packets")
    lost = [row["sequence"] for row in packets if row["event"] == "drop"]
    drawn = draws(seed, "link/a->b/1/loss")
    assert lost == [number for number in range(250) if next(drawn) < 0.1] and len(lost) > 10


@pytest.mark.parametrize(("name", "stream"), [(None, "flow/flows.0"), ("web", "flow/web")])
def test_starts_are_the_draws_of_the_named_streams(name: str | None, stream: str) -> None:
    link = ac.Link(rate="5 Mb/s", delay="10 ms")
    flow = ac.Flow(pair=0, tcp="reno", start="2 s", start_jitter="3 s", name=name)
    scenario = ac.Scenario(topology=ac.Dumbbell(pairs=3, bottleneck=link), flows=[flow], duration="9 s", seed=2**40 + 1)
    starts_s = [flow.spans_s[0][0] for flow in resolve(scenario).flows]
    expected = [2 + 3 * next(draws(2**40 + 1, f"{stream}/{pair}/start")) for pair in (1, 2, 3)]
    assert starts_s == pytest.approx(expected, rel=1e-9)


def side_by_side(tcp: str, queue: str, others: str, seed: int | str) -> list[Any]:
    """What becomes of the flow `one` and its link, with flows beside it that share nothing with it."""
    parameters: dict[str, Any] = {"thresh": "5 packets", "maxthresh": "15 packets"} if queue == "red" else {}
    link = ac.Link(
        rate="2 Mb/s",
        delay="10 ms",
        queue=ac.Queue(kind=queue, limit="20 packets", parameters=parameters),
        loss=[ac.Loss(rate=0.01), ac.Loss(kind="two_state", good=300, bad=3)],
    )
    links = [replace(link, ends=ends) for ends in (["a", "b"], ["c", "d"])]
    one = [
        ac.Flow(source="a", destination="b", tcp=tcp, start_jitter="1 s", name="one", parameters={"overhead": "1 ms"}),
        ac.Flow(source="a", destination="b", app=ac.Exponential(rate="500 kb/s", packet_size="500 B"), name="also"),
        ac.Flow(source="a", destination="b", tcp="reno", app=ac.Telnet(interval="50 ms"), name="typing"),
    ]
    if tcp == "bbr":
        one[0] = replace(one[0], parameters={})
    more = [
        ac.Flow(source="c", destination="d", tcp=tcp, start_jitter="1 s", name="two"),
        ac.Flow(source="c", destination="d", app=ac.Pareto(rate="500 kb/s", packet_size="500 B")),
        ac.Flow(source="c", destination="d", tcp="reno", arrivals=ac.Arrivals(interval="1 s", size="20 packets")),
    ]
    flows = {"none": one, "after": [*one, *more], "before": [*more, *one]}[others]
    topology = ac.Graph(nodes=["a", "b", "c", "d"], links=links)
    record = ac.Record(changes=True, packets=True)
    scenario = ac.Scenario(topology=topology, flows=flows, duration="20 s", seed=seed, record=record)
    packets = ac.run(scenario).rows("packets")
    kept = ("event", "time_s", "kind", "size_bytes", "flags", "sequence")
    return [[row[name] for name in kept] for row in packets if {row["from_node"], row["to_node"]} == {0, 1}]


@pytest.mark.parametrize("queue", ["drop_tail", "red", "pie"])
@pytest.mark.parametrize("tcp", ["sack", "bbr"])
def test_a_flow_more_changes_no_draw_of_the_others(tcp: str, queue: str) -> None:
    alone, after, before = (side_by_side(tcp, queue, others, 5) for others in ("none", "after", "before"))
    assert len(alone) > 5000 and alone == after == before
    assert side_by_side(tcp, queue, "none", 6) != alone
    # In ns-2's way all draw from one stream.
    assert side_by_side(tcp, queue, "none", "ns2:5") != side_by_side(tcp, queue, "after", "ns2:5")


def test_variants_are_compared_under_the_same_draws() -> None:
    # The stream of a flow without a name goes by its place, not by its variant.
    link = ac.Link(rate="5 Mb/s", delay="10 ms")
    names: list[list[str]] = []
    for tcp in ("reno", "vegas"):
        flows = [
            ac.Flow(pair=0, tcp=tcp),
            ac.Flow(pair=1, tcp=tcp, arrivals=ac.Arrivals(interval="1 s", size="9 packets")),
        ]
        scenario = ac.Scenario(topology=ac.Dumbbell(pairs=2, bottleneck=link), flows=flows, duration="3 s", seed=1)
        names.append([flow.stream for flow in resolve(scenario).flows])
    assert names[0] == names[1] and len(names[0]) == len(set(names[0])) > 2
    assert names[0][:3] == ["flow/flows.0/1", "flow/flows.0/2", "flow/flows.1/1.1"]


def test_arrivals_of_a_pair_do_not_depend_on_those_of_another() -> None:
    def coming(pairs: int, duration: str) -> list[tuple[float, Any]]:
        link = ac.Link(rate="5 Mb/s", delay="10 ms")
        arrivals = ac.Arrivals(interval="0.5 s", size="20 packets")
        flow = ac.Flow(pair=0, tcp="sack", arrivals=arrivals, name="web")
        topology = ac.Dumbbell(pairs=pairs, bottleneck=link)
        found = resolve(ac.Scenario(topology=topology, flows=[flow], duration=duration, seed=3)).flows
        last = [each for each in found if each.stream.startswith("flow/web/2.")]
        return [(each.spans_s[0][0], each.app) for each in last]

    two, longer, more = coming(2, "10 s"), coming(2, "20 s"), coming(3, "10 s")
    assert len(two) > 5 and two == more == longer[: len(two)] and len(longer) > len(two)


class Ticket(ac.CongestionControl):
    """Draws once, as it starts."""

    traced = ("ticket",)
    ticket = 0.0

    def on_ack(self, state: ac.SenderState, ack: ac.Ack) -> None:
        self.ticket = self.ticket or self.random.random()


def test_own_code_has_a_stream_of_its_own() -> None:
    def tickets(*flows: ac.Flow, seed: int | str = 1) -> list[float]:
        link = ac.Link(rate="5 Mb/s", delay="10 ms")
        topology = ac.Dumbbell(pairs=1, bottleneck=link)
        record = ac.Record(changes=True)
        scenario = ac.Scenario(topology=topology, flows=list(flows), duration="1 s", seed=seed, record=record)
        return [row["value"] for row in ac.run(scenario).rows("own_changes") if row["value"]]

    one, other = (ac.Flow(pair=1, tcp="reno", control=Ticket, name=name) for name in ("one", None))
    (alone,) = tickets(one)
    assert len({*tickets(other, one), alone}) == 2 and alone in tickets(other, one)
    assert tickets(one, seed=2) != [alone] == tickets(replace(one, start="0.5 s"))


def test_many_seeds_of_one_description_are_the_runs_of_each() -> None:
    for scenario in (one_link(None), one_link(None, start_jitter="1 s")):
        compiled = CompiledScenario(scenario)
        for seed in (0, 1, 2**63 - 1):
            assert compiled.begin(seed).finish().rows("packets") == ac.run(scenario, seed=seed).rows("packets")


# What may be said.


def test_ns2s_meaning_is_said_with_its_name() -> None:
    runs = {seed: ac.run(one_link(seed)).rows("packets") for seed in (None, 7, "ns2:7", "ns2:8")}
    assert all(runs[first] != runs[second] for first in runs for second in runs if first != second)
    assert as_tcl.script(one_link("ns2:7")).startswith("ns-random 7\n")
    assert "ns-random" not in as_tcl.script(one_link(None))
    with pytest.raises(ac.ScenarioError, match=r'seed = 7: ns-2 draws from one stream.*; expected "ns2:N"'):
        as_tcl.script(one_link(7))


@pytest.mark.parametrize("seed", [None, 0, 7, 2**63, 2**64 - 1, "ns2:1", f"ns2:{2**31 - 1}"])
def test_seeds_are_kept(seed: int | str | None, tmp_path: Path) -> None:
    scenario = one_link(seed)
    (tmp_path / "net.toml").write_text(as_toml.text(scenario), encoding="utf-8")
    assert ac.load(tmp_path / "net.toml") == scenario
    ac.run(scenario).save(tmp_path / "run")
    assert ac.open(tmp_path / "run").scenario == scenario
    assert json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["scenario"].get("seed") == seed
    assert list(Draft202012Validator(schema()).iter_errors(scenario.table())) == []


WRONG = [-1, 2**64, 1.5, 7.0, math.nan, math.inf, True, "7", "", "ns2:", "ns2:0", "ns2:-1", "ns2:07", "ns2:1.5",
         f"ns2:{2**31}", "ns2: 7", "ns2:7 ", "NS2:7", "ns2:\u0667", [1], {}]  # fmt: skip


@pytest.mark.parametrize("seed", WRONG, ids=repr)
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    good = one_link(1)
    for attempt in (lambda: replace(good, seed=seed), lambda: ac.run(good, seed=seed)):
        with pytest.raises(ac.ScenarioError) as refused:
            attempt()
        assert refused.value.key == "seed" and "\n" not in str(refused.value)
        assert "a whole number from 0 to 18446744073709551615" in str(refused.value) and '"ns2:N"' in str(refused.value)
    if not (isinstance(seed, float) and (seed == 7 or not math.isfinite(seed))) and seed != f"ns2:{2**31}":
        # JSON Schema holds 7.0 for a whole number, and patterns do not count.
        assert list(Draft202012Validator(schema()).iter_errors({**good.table(), "seed": seed})) != []


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True, "ns2:7"], ids=repr)
def test_a_sweeps_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(ac.ScenarioError, match=r"^seed = .*: expected a whole number from 0 to 18446744073709551615$"):
        grid_of(one_link(None), seed=seed)


def test_seeds_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(as_toml.text(one_link(None)), encoding="utf-8")
    for seed in ("7", "18446744073709551615", "ns2:7"):
        done = command("run", "net.toml", "--seed", seed, "--json", cwd=tmp_path)
        expected = int(seed) if seed.isdigit() else seed
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert told["flows"] == ac.run(one_link(expected)).rows("flows")
    for seed in ("-1", "1.5", "seven", "ns2:0", "nan", "true"):
        done = command("run", "net.toml", f"--seed={seed}", cwd=tmp_path)
        assert done.returncode == 1 and done.stdout == ""
        assert "seed = " in done.stderr and "expected a whole number from 0" in done.stderr, seed
        assert done.stderr.count("\n") == 1


def test_the_line_of_a_wrong_seed_is_named(tmp_path: Path) -> None:
    text = as_toml.text(one_link(None))
    (tmp_path / "net.toml").write_text(f"# a comment\nseed = 18446744073709551616\n{text}", encoding="utf-8")
    with pytest.raises(ac.ScenarioError, match=r"net\.toml:2: seed = 18446744073709551616: expected a whole number"):
        ac.load(tmp_path / "net.toml")
