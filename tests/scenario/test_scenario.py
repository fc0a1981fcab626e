"""Descriptions: two spellings of one thing, units, and what is said of mistakes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

import ackclock as ac
from ackclock import _native
from ackclock.scenario.formats.read import line_of
from ackclock.scenario.model.typed import Described, hints
from ackclock.scenario.resolve.network import resolve
from ackclock.scenario.units import Amount, amount, rate_bps, size_bytes, time_s
from test_results import random_scenario

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]

#: The classes of the parts of descriptions.
PARTS: list[type[Described]] = [getattr(ac, part["name"]) for part in _native.scenario_parts()]

GOOD = """\
duration = "5 s"

[topology]
kind = "dumbbell"
pairs = 2

[topology.bottleneck]
rate = "1 Mb/s"
delay = "10 ms"
queue = { kind = "red", limit = "20 packets" }
loss = [{ rate = 0.01 }, { kind = "periodic", period = 50, flows = [1] }]
reverse = { rate = "100 kb/s" }

[[flows]]
pair = 1
tcp = "sack"

[[flows]]
pair = 2
app = { kind = "cbr", rate = "100 kb/s" }
parameters = {}
spans = [{ start = "1 s", stop = "2 s" }, { start = "3 s" }]

[[changes]]
at = "2 s"
link = "router1-router2"
rate = "500 kb/s"
"""

#: what is replaced by what -> the line, the key, and words of the message
MISTAKES = {
    "misspelt key": ("duration =", "durration =", 1, "durration", ["unknown key", "nearest known: duration"]),
    "misspelt table of a list": ("[[changes]]", "[[change]]", 24, "change", ["unknown key", "nearest known: changes"]),
    "table of another part": ("[[changes]]", "[[link]]", 24, "link", ["links belong to the topology"]),
    "key of the app": (
        'tcp = "sack"',
        'tcp = "sack"\nsize = "1 MB"',
        17,
        "flows.0.size",
        ["a transfer's size belongs to its app"],
    ),
    "key of the queue": (
        'delay = "10 ms"',
        'delay = "10 ms"\nlimit = 5',
        10,
        "topology.bottleneck.limit",
        ["queue = {"],
    ),
    "key of the bottleneck": (
        "pairs = 2",
        'rate = "1 Mb/s"',
        5,
        "topology.rate",
        ["it belongs to bottleneck or access"],
    ),
    "misspelt key below": ("pairs = 2", "pears = 2", 5, "topology.pears", ["nearest known: pairs"]),
    "unknown topology": ('"dumbbell"', '"dumbell"', 4, "topology.kind", ["dumbell", "nearest known: dumbbell"]),
    "unknown variant": ('"sack"', '"sak"', 16, "flows.0.tcp", ["sak", "a TCP variant", "nearest known: sack"]),
    "unknown queue": ('"red"', '"read"', 10, "topology.bottleneck.queue.kind", ["nearest known: red"]),
    "unknown source": ('"cbr"', '"cbz"', 20, "flows.1.app.kind", ["nearest known: cbr"]),
    "missing unit": ('"1 Mb/s"', '"1"', 8, "topology.bottleneck.rate", ["the unit is missing", "10 Mb/s"]),
    "number": ('"10 ms"', "10", 9, "topology.bottleneck.delay", ["expected a time"]),
    "wrong unit": ('"1 Mb/s"', '"1 mb/s"', 8, "topology.bottleneck.rate", ["mb/s", "nearest known: Mb/s"]),
    "rate 0": ('"1 Mb/s"', '"0 Mb/s"', 8, "topology.bottleneck.rate", ["positive"]),
    "limit 0": ('"20 packets"', '"0 packets"', 10, "topology.bottleneck.queue.limit", ["more than 0"]),
    "negative": ('"10 ms"', '"-10 ms"', 9, "topology.bottleneck.delay", ["expected a time"]),
    "duration 0": ('"5 s"', '"0 s"', 1, "duration", ["more than 0"]),
    "no such pair": ("pair = 2", "pair = 3", 19, "flows.1.pair", ["1 to 2"]),
    "missing key": ('delay = "10 ms"\n', "", 7, "topology.bottleneck.delay", ["missing"]),
    "unknown receiver": ("parameters = {}", 'receiver = "nul"', 21, "flows.1.receiver", ["nul", "nearest known: null"]),
    "datagrams of ftp": ('app = { kind = "cbr", rate = "100 kb/s" }\n', "", 18, "flows.1.tcp", ["TCP"]),
    "unknown link": ("router1-router2", "router1-router3", 26, "changes.0.link", ["nearest known: router1-router2"]),
    "nothing changes": ('rate = "500 kb/s"', "", 26, "changes.0.link", ["expected rate, delay, cost or up"]),
    "unknown parameter": ("parameters = {}", "parameters = { windw = 3 }", 21, "flows.1.parameters.windw", ["windw"]),
    "unknown loss": ('"periodic"', '"periodical"', 11, "topology.bottleneck.loss.1.kind", ["nearest known: periodic"]),
    "key of another loss": (
        "rate = 0.01",
        "rate = 0.01, good = 3",
        11,
        "topology.bottleneck.loss.0.good",
        ["expected one of rate"],
    ),
    "loss by what": ("rate = 0.01", 'rate = 0.01, unit = "byte"', 11, "topology.bottleneck.loss.0.unit", ["bytes"]),
    "no probability": ("rate = 0.01", "rate = 1.01", 11, "topology.bottleneck.loss.0.rate", ["1.01", "0 to 1"]),
    "lossy flow": (
        "flows = [1]",
        'flows = ["sack"]',
        11,
        "topology.bottleneck.loss.1.flows.0",
        ["nearest known: sack-1"],
    ),
    "misspelt reverse direction": (
        "reverse = { rate",
        "reverse = { rat",
        12,
        "topology.bottleneck.reverse.rat",
        ["nearest known: rate"],
    ),
    "span before a span": ('start = "3 s"', 'start = "1.5 s"', 22, "flows.1.spans.1.start", ["1.5 s", "2 s"]),
    "span that ends first": (
        'stop = "2 s"',
        'stop = "0.5 s"',
        22,
        "flows.1.spans.0.stop",
        ["before it starts, at 1 s"],
    ),
    "endless span": ('start = "1 s", stop = "2 s"', 'start = "1 s"', 22, "flows.1.spans.0.stop", ["only the last"]),
    "cost of static routes": ('rate = "500 kb/s"', "cost = 3", 27, "changes.0.cost", ['routing = "session"']),
    "unknown routing": ("duration =", 'routing = "sesion"\nduration =', 1, "routing", ["nearest known: session"]),
    "parameter of another queue": (
        'limit = "20 packets"',
        "parameters = { quantum = 3 }",
        10,
        "topology.bottleneck.queue.parameters.quantum",
        ["a red queue has no such parameter"],
    ),
    "bytes of sfq": (
        'kind = "red", limit = "20 packets"',
        'kind = "sfq", limit = "9 kB"',
        10,
        "topology.bottleneck.queue.limit",
        ["counts packets"],
    ),
    "no code points": ('"red"', '"ds_red_core"', 10, "topology.bottleneck.queue.diffserv", ["missing"]),
    "limit of the reverse direction": (
        'reverse = { rate = "100 kb/s" }',
        'reverse = { queue = { parameters = { limit = "0 packets" } } }',
        12,
        "topology.bottleneck.reverse.queue.parameters.limit",
        ["at least 1"],
    ),
    "requests one way": (
        'tcp = "sack"',
        'tcp = "sack"\napp = "requests"',
        16,
        "flows.0.tcp",
        ["both ways", "full_sack"],
    ),
    "one-way receiver": (
        'tcp = "sack"',
        'tcp = "full_sack"\nreceiver = "sink"',
        17,
        "flows.0.receiver",
        ["a receiver for full_sack", "full_new_reno"],
    ),
    "segment without unit": (
        'tcp = "sack"',
        'tcp = "full"\nparameters = { interval = 1 }',
        17,
        "flows.0.parameters.interval",
        ["the unit is missing"],
    ),
    "more packets than there are numbers": (
        'kind = "red", limit = "20 packets"',
        'kind = "red", parameters = { limit = "1e30 packets" }',
        10,
        "topology.bottleneck.queue.parameters.limit",
        ["1e30 packets", "whole numbers are between -2^63 and 2^63"],
    ),
    "no number of packets": (
        'kind = "red", limit = "20 packets"',
        'kind = "red", parameters = { limit = "nan packets" }',
        10,
        "topology.bottleneck.queue.parameters.limit",
        ["expected a number such as 20 packets"],
    ),
    "requests misspelt": (
        'tcp = "sack"',
        'tcp = "full"\napp = { kind = "requests", respones = "3 kB" }',
        17,
        "flows.0.app.respones",
        ["nearest known: response"],
    ),
    "not TOML": ("[topology]", "[topology", 3, "", ["not TOML"]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told_with_file_line_key_and_what_was_expected(mistake: str, tmp_path: Path) -> None:
    old, new, line, key, words = MISTAKES[mistake]
    assert GOOD.count(old) >= 1
    file = tmp_path / "net.toml"
    file.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(ac.ScenarioError) as raised:
        ac.load(file)
    error = raised.value
    assert (error.file, error.line, error.key) == (file, line, key), str(error)
    assert str(error).startswith(f"{file}:{line}: ")
    for word in words:
        assert word in str(error), str(error)


@pytest.mark.parametrize("cls", [cls for cls in PARTS if cls.renamed], ids=lambda cls: cls.__name__)
def test_an_old_key_is_told_its_present_name(cls: type[Described]) -> None:
    for old, new in cls.renamed.items():
        assert new in hints(cls) and old not in hints(cls)
        with pytest.raises(ac.ScenarioError, match=f"^{old}: renamed; the key is now {new}$"):
            cls.of({old: "1 s"})


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [("tcp", "modern", "tcp"), ("tcp", "full_linux", "tcp"), ("receiver", "tcp_receiver", "tcp")],
    ids=str,
)
def test_an_old_id_is_told_its_present_name(key: str, old: str, new: str) -> None:
    flow = ac.Flow(**{"pair": 1, "tcp": "cubic", key: old})  # type: ignore[arg-type]
    topology = ac.Dumbbell(bottleneck=ac.Link(rate="1 Mb/s", delay="1 ms"))
    with pytest.raises(ac.ScenarioError, match=f'^flows.0.{key} = "{old}": renamed; expected "{new}"$'):
        resolve(ac.Scenario(topology=topology, flows=[flow], duration="1 s"))


#: mistakes that an editor can see by the schema
SEEN_BY_EDITORS = (
    "misspelt key", "misspelt key below", "unknown topology", "unknown variant", "unknown queue", "unknown source",
    "missing unit", "number", "wrong unit", "negative", "missing key", "unknown loss", "loss by what",
    "misspelt reverse direction", "unknown routing", "parameter of another queue", "requests misspelt",
)  # fmt: skip


@cache
def validator() -> Any:
    schema = json.loads((ROOT / "docs" / "scenario.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def schema_errors(table: dict[str, Any]) -> list[str]:
    return [error.message for error in validator().iter_errors(table)]


def test_the_schema_takes_what_the_reader_takes() -> None:
    assert schema_errors(tomllib.loads(GOOD)) == []
    for seed in range(60):
        assert schema_errors(random_scenario(seed).table()) == [], seed


@pytest.mark.parametrize("mistake", SEEN_BY_EDITORS)
def test_the_schema_refuses(mistake: str) -> None:
    old, new, *_ = MISTAKES[mistake]
    assert schema_errors(tomllib.loads(GOOD.replace(old, new, 1)))


def graph(**link: Any) -> ac.Graph:
    return ac.Graph(
        nodes=["a", "b", "c"], links=[ac.Link(**{"rate": "1 Mb/s", "delay": "1 ms", "ends": ["a", "b"], **link})]
    )


@pytest.mark.parametrize(
    ("topology", "flow", "word"),
    [
        (graph(), ac.Flow(source="a", destination="c", tcp="reno"), "no route from a to c"),
        (graph(simplex=True), ac.Flow(source="a", destination="b", tcp="reno"), "no route from b to a, for the ACKs"),
        (graph(delay="0 ms"), ac.Flow(source="a", destination="b", tcp="reno"), "has zero delay"),
        (graph(), ac.Flow(source="a", destination="bb", tcp="reno"), "nearest known: b"),
        (graph(), ac.Flow(source="a", destination="a", tcp="reno"), "from one node to another"),
        (graph(), ac.Flow(pair=1, tcp="reno"), "only a dumbbell has pairs"),
        (graph(), ac.Flow(source="a", destination="b", tcp="reno", start="3 s", stop="2 s"), "before it starts"),
        (graph(), ac.Flow(source="a", destination="b", tcp="reno", parameters={"minrto": 1}), "the unit is missing"),
        (graph(), ac.Flow(source="a", destination="b", tcp="reno", parameters={"minrt": 1}), "nearest known: minrto"),
    ],
)
def test_what_cannot_be_simulated(topology: ac.Graph, flow: ac.Flow, word: str) -> None:
    with pytest.raises(ac.ScenarioError, match=word):
        ac.run(ac.Scenario(topology=topology, flows=[flow], duration="1 s"))


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: ac.Link(rate="1", delay="1 ms"), "rate"),
        (lambda: ac.Loss(rate=1.5), "rate"),
        (lambda: ac.Loss(kind="two_state", good=5), "bad"),
        (lambda: ac.Loss(kind="periodic", period=0), "period"),
        (lambda: ac.Loss(kind="periodic", period=2.5), "period"),
        (lambda: ac.Loss(kind="list", packets=[3, 3]), "packets.1"),
        (lambda: ac.Loss(kind="list", packets=[1], unit="seconds"), "unit"),
        (lambda: ac.Loss(kind="select", period=3, packet_type="tpc"), "packet_type"),
        (lambda: ac.Loss(kind="multi_state", states=[ac.LossState(rate=0.1, next=[0.5, 0.5])]), "states.0.next"),
        (
            lambda: ac.Loss(kind="multi_state", states=[ac.LossState(rate=0.1, next=[1], duration="1 s")]),
            "states.0.duration",
        ),
        (lambda: ac.LossState(rate=0.1, next=[0.5, 0.6]), "next"),
        (lambda: ac.Loss(rate=0.1, mark=True, delay="1 s"), "delay"),
        (lambda: ac.Link(rate="1 Mb/s", delay="1 ms", simplex=True, reverse=ac.Reverse(delay="2 ms")), "reverse"),
        (lambda: ac.Flow(pair=1, tcp="reno", start="1 s", spans=[ac.Span(start="2 s")]), "spans"),
        (lambda: ac.Flow(pair=1, tcp="reno", start_jitter="1 s", spans=[ac.Span(start="2 s")]), "start_jitter"),
        (lambda: ac.Flow(pair=1, tcp="reno", app=ac.Ftp(size="1 MB"), spans=[ac.Span(start="2 s")]), "spans"),
        (lambda: ac.Dumbbell(bottleneck=ac.Link(rate="1 Mb/s", delay="1 ms"), pairs=2, delays=["1 ms"]), "delays"),
        (lambda: ac.Flow(pair=1, tcp="reno", control="cubic"), "control"),
        (lambda: ac.Graph(nodes=["a", "a"], links=[]), "nodes"),
    ],
)
def test_python_spells_mistakes_alike(make: Any, key: str) -> None:
    with pytest.raises(ac.ScenarioError) as raised:
        make()
    assert raised.value.key == key


def test_both_spellings_are_one_description(tmp_path: Path) -> None:
    file = tmp_path / "net.toml"
    file.write_text(GOOD)
    described = ac.Scenario(
        topology=ac.Dumbbell(
            pairs=2,
            bottleneck=ac.Link(
                rate="1 Mb/s",
                delay="10 ms",
                queue=ac.Queue(kind="red", limit="20 packets"),
                loss=[ac.Loss(rate=0.01), ac.Loss(kind="periodic", period=50, flows=[1])],
                reverse=ac.Reverse(rate="100 kb/s"),
            ),
        ),
        flows=[
            ac.Flow(pair=1, tcp="sack"),
            ac.Flow(
                pair=2, app=ac.Cbr(rate="100 kb/s"), spans=[ac.Span(start="1 s", stop="2 s"), ac.Span(start="3 s")]
            ),
        ],
        changes=[ac.Change(at="2 s", link="router1-router2", rate="500 kb/s")],
        duration="5 s",
    )
    assert ac.load(file) == described
    assert ac.Scenario.of(described.table()) == described


def test_starts_are_spread() -> None:
    def starts(tcp: str, seed: int | str, *others: ac.Flow) -> list[float]:
        link = ac.Link(rate="5 Mb/s", delay="10 ms")
        flow = ac.Flow(pair=0, tcp=tcp, start="2 s", start_jitter="1 s")
        scenario = ac.Scenario(
            topology=ac.Dumbbell(pairs=3, bottleneck=link), flows=[flow, *others], duration="5 s", seed=seed
        )
        return [flow.spans_s[0][0] for flow in resolve(scenario).flows][:3]

    # ns-2.35: `set r [new RNG]; $r seed 1; $r next-substream`, then three times `$r uniform 0 1`, which keeps 31 bits
    drawn = (0.81653204412038072, 0.60684585087320109, 0.49557449226061556)
    assert starts("reno", "ns2:1") == pytest.approx([2 + number for number in drawn], abs=2**-31)
    assert starts("vegas", "ns2:1", ac.Flow(pair=2, tcp="sack", start_jitter="3 s")) == starts("reno", "ns2:1")
    assert starts("vegas", 1, ac.Flow(pair=2, tcp="sack", start_jitter="3 s")) == starts("reno", 1)
    assert starts("reno", 2) != starts("reno", 1)


def test_the_guides_two_spellings_are_one_description(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "guide" / "scenarios.md").read_text(encoding="utf-8")
    blocks = dict(reversed(re.findall(r"```(python|toml)[^\n]*\n(.*?)```", page, re.DOTALL)))
    file = tmp_path / "guide.toml"
    file.write_text(blocks["toml"])
    code = blocks["python"] + f"\nassert ac.load({str(file)!r}) == scenario\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["sack-1", "new_reno-2"]


def test_settings_of_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "net.toml"
    file.write_text(GOOD)
    scenario = ac.load(file, {"flows.0.tcp": "vegas", "topology.bottleneck.queue.kind": "sfq", "seed": 3})
    assert scenario.flows[0].tcp == "vegas" and scenario.seed == 3
    with pytest.raises(ac.ScenarioError, match=r"flows\.7.*list: 2"):
        ac.load(file, {"flows.7.tcp": "vegas"})


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (rate_bps, "10 Mb/s", 10e6),
        (rate_bps, "1.5Gbps", 1.5e9),
        (rate_bps, "100 kB/s", 800e3),
        (time_s, "0.3 ms", 0.3 * 1e-3),
        (time_s, "2 min", 120.0),
        (size_bytes, "64 kB", 64000),
        (amount, "1.5 BDP", Amount(1.5, "BDP")),
        (amount, "50 packets", Amount(50, "packets")),
    ],
)
def test_units(read: Any, text: str, value: Any) -> None:
    assert read(text) == value


def test_one_bdp() -> None:
    # 10 Mb/s times a round trip of 2 (1 + 20 + 1) ms is 55 000 bytes: 52.9 packets of 1040.
    bottleneck = ac.Link(rate="10 Mb/s", delay="20 ms", queue=ac.Queue(limit="1 BDP"))
    topology = ac.Dumbbell(bottleneck=bottleneck, pairs=1)
    network = resolve(ac.Scenario(topology=topology, flows=[ac.Flow(pair=1, tcp="reno")], duration="1 s"))
    limits = {network.link_name(number): link.parameters for number, link in enumerate(network.links)}
    assert limits["router1->router2"] == {"limit": 53}
    assert limits["router2->router1"] == {}
    # Two-way TCP sends data on the way back, too.
    two_way = ac.Flow(pair=1, tcp="full", packet_size="1000 B")
    network = resolve(ac.Scenario(topology=topology, flows=[two_way], duration="1 s"))
    assert [link.parameters for link in network.links[2:4]] == [{"limit": 53}, {"limit": 53}]


def test_lines_of_keys() -> None:
    text = 'a = 1\n[[flows]]\npair = 1\n\n[[flows]]\n"tcp" = [\n "x",\n]\n[flows.app]\nkind = "ftp"\n'
    assert [line_of(text, key) for key in ("a", "flows.0.pair", "flows.1.tcp", "flows.1.app.kind")] == [1, 3, 6, 10]
    assert line_of(text, "flows.1.nonesuch") == 5
