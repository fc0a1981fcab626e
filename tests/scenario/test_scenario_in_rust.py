"""Scenario files through both layers, the Python package's and the Rust crate's: the same tables, the same messages."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import tomli_w

import ackclock as ac
from ackclock import _native
from ackclock.scenario.formats import as_toml
from ackclock.scenario.formats.read import network_of_file
from ackclock.scenario.resolve.named_code import NamedCode
from variants import cases

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from fuzz.mutate import Mutator  # noqa: E402

NOT_HERE = "is not read here; `ackclock run` runs it"

#: Scenarios that the page cannot run, and what it says of them.
REFUSED = {
    "own.md-0": "a queue discipline of the user's own",
}

#: Code that scenarios below name, and a recording.
FILES = {
    "own_code.py": """
import ackclock as ac


class Half(ac.CongestionControl):
    part: float = 0.5
    least: int = 2
    careful: bool = False

    def on_loss(self, state: ac.SenderState) -> None:
        state.cwnd_packets = max(self.least, self.part * state.cwnd_packets)
        state.ssthresh_packets = state.cwnd_packets


class Coin(ac.QueueDiscipline):
    limit: int = 30
    chance: float = 0.01

    def start(self) -> None:
        self.waiting = []

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        self.waiting.append(packet)
        if len(self.waiting) > self.limit or self.random.random() < self.chance:
            self.waiting.pop().drop()

    def dequeue(self, now_s: float) -> ac.Packet | None:
        return self.waiting.pop(0) if self.waiting else None
""",
    "link.trace": "0\n 3 \r\n7\n7\n9\n20\n",
    "line.trace": "0\n3x\n",
    "back.trace": "5\n3\n",
}

#: A dumbbell: keys of its bottleneck and of its flow, and the seed.
OUTSIDE = """
duration = "5 s"
seed = {seed}
topology = {{ kind = "dumbbell", bottleneck = {{ {link}, delay = "10 ms" }} }}
flows = [{{ pair = 1, {flow} }}, {{ pair = 2, tcp = "sack", start = "1 s" }}]
"""


def outside() -> dict[str, str]:
    """Scenarios that name what does not stand in them, and random rates."""
    plain, fast = 'tcp = "cubic"', 'rate = "2 Mb/s"'
    half = 'control = "own_code:Half"'
    coin = 'queue = { kind = "own_code:Coin", limit = "20 packets"'
    queues = [
        f"{coin} }}",
        'queue = "own_code:Coin"',
        'queue = { kind = "own_code:Coin", limit = "1 BDP", parameters = { chance = 0.1 } }',
        f"{coin}, parameters = {{ chanc = 0.1 }} }}",
        f"{coin}, parameters = {{ chance = true }} }}",
        f"{coin}, parameters = {{ limit = 0.5 }} }}",
        'queue = { kind = "own_code:Coin", parameters = { limit = 0 } }',
        'queue = { kind = "own_code:Coin", limit = "9 kB" }',
        'queue = { kind = "own_code:Coin", diffserv = { queues = [] } }',
        'queue = "own_code:Half"',
        'queue = "own_cod:Coin"',
        'queue = "own_code:"',
        'queue = "ds_red_core"',
    ]
    links = [
        'deliveries = "link.trace"',
        'deliveries = "./link.trace"',
        'deliveries = "line.trace"',
        'deliveries = "back.trace"',
        'deliveries = "none.trace"',
        'deliveries = "."',
        'deliveries = "link.trace", rate = "1 Mb/s"',
        'deliveries = "link.trace", process = "cellular"',
        'process = "cellular"',
        'process = { kind = "cellular", max_rate = "5 Mb/s", outage = "0 s" }',
        'process = "cellula"',
        'process = { kind = "cellular", volatile = "1 Mb/s" }',
        'process = "cellular", rate = "1 Mb/s"',
        'rate = "2 Mb/s", reverse = { process = "cellular" }',
        'process = "cellular", reverse = { rate = "1 Mb/s" }',
        'process = "cellular", reverse = { deliveries = "link.trace" }',
        *(f"{fast}, {queue}" for queue in queues),
    ]
    flows = [
        f'tcp = "tcp", {half}',
        f'tcp = "sack", {half}, parameters = {{ part = 0.7, window_init = "4 packets" }}',
        f'tcp = "tcp", {half}, parameters = {{ least = 3, ecn = true }}',
        f'tcp = "tcp", {half}, parameters = {{ leas = 3 }}',
        f'tcp = "tcp", {half}, parameters = {{ least = 2.5 }}',
        f'tcp = "tcp", {half}, parameters = {{ careful = 1 }}',
        f'tcp = "vegas", {half}',
        f'tcp = "cubic", {half}',
        half,
        'tcp = "tcp", control = "own_code:Coin"',
        'tcp = "tcp", control = "own_cod:Half"',
        'tcp = "kernel:a b"',
        'tcp = "kernel:none"',
        'tcp = "kernel:none", control = "own_code:Half"',
        'tcp = "./none.so:None"',
        'tcp = "none.so:"',
        'tcp = "none:None"',
    ]
    found = {}
    for seed in ("7", '"ns2:7"'):
        for link in links:
            found[f"outside {link} {seed}"] = OUTSIDE.format(link=link, flow=plain, seed=seed)
        for flow in flows:
            found[f"outside {flow} {seed}"] = OUTSIDE.format(link=fast, flow=flow, seed=seed)
    return found


#: What the TOML parsers say of a text that is no TOML is their own.
NO_TOML = "not TOML: "
#: As Python's tomllib and the standard library refuse before anything else is looked at.
UNREADABLE = ("expected numbers of at most 64 bits", "nested too deeply", "not a text file in UTF-8")

#: Simulated seconds to which longer scenarios are cut: both layers must agree from the first packet on.
MOST_S = 5.0


def blocks() -> dict[str, str]:
    """The scenarios in README and docs: each block of TOML that has flows."""
    found = {}
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for number, block in enumerate(re.findall(r"^```toml[^\n]*\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)):
            if "[[flows]]" in block and "[topology" in block:
                found[f"{page.name}-{number}"] = block
    return found


def texts() -> dict[str, str]:
    """Every scenario file of the repository, and scenarios of every variant, by name."""
    found = blocks()
    for folder in ("fuzz/corpus/scenario", "studies", "tests/oracle", "docs/examples"):
        for file in sorted((ROOT / folder).rglob("*.toml")):
            try:
                text = file.read_text("utf-8")
            except UnicodeDecodeError:
                continue
            if "[[flows]]" in text or folder.startswith("fuzz"):
                found[file.name] = text
    for name, table in cases().items():
        found[name] = as_toml.text(ac.Scenario.of(table))
    return found


#: Nodes for endpoints of other programs, and what is wrong with them.
EXTERNAL = """
duration = "1 s"
external_nodes = {}
topology = {{ kind = "chain", nodes = 2, link = {{ rate = "1 Mb/s", delay = "1 ms" }} }}
"""

TEXTS = texts() | {
    f"external nodes {given}": EXTERNAL.format(given)
    for given in ('["node1", "node2"]', '["node1"]', '["node1", "node1"]', '["node1", "nod2"]')
}
TEXTS |= outside()
#: what stands in them, for mistakes that nearly make sense
WORDS = sorted({word.encode() for text in TEXTS.values() for word in re.findall(r'[\w.]+|"[^"\n]*"', text)})


def short(text: str) -> str:
    """The same with at most `MOST_S` of simulated time, where its duration is written as these files write it."""
    written = re.search(r'^duration\s*=\s*"([\d.]+) s"', text, re.M)
    if written and float(written[1]) > MOST_S:
        return text.replace(written[0], f'duration = "{MOST_S:g} s"', 1)
    return text


def python_says(text: str, folder: Path) -> tuple[Any, str]:
    """The results of the Python layer, or its message without the file and line."""
    file = folder / "net.toml"
    file.write_text(text, encoding="utf-8")
    try:
        return ac.run(ac.load(file)), ""
    except (ac.ScenarioError, ac.SimulationError) as error:
        return None, re.sub(rf"^{re.escape(str(file))}(:\d+)?: ", "", str(error))


def rust_says(text: str, folder: Path) -> tuple[Any, str]:
    """The results of the Rust crate, or its message without the line."""
    try:
        return _native.run_scenario_text(text, str(folder), NamedCode(beside=folder)), ""
    except (ValueError, ac.SimulationError) as error:
        return None, re.sub(r"^line \d+: ", "", str(error))


def same(one: list[Any], other: list[Any]) -> bool:
    """Equal values, not-a-number included."""
    if one == other:
        return True
    return len(one) == len(other) and all(
        a == b or (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b))
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("name", TEXTS)
def test_both_layers_give_the_same(name: str, tmp_path: Path) -> None:
    for file, content in FILES.items():
        (tmp_path / file).write_text(content, encoding="utf-8")
    sys.modules.pop("own_code", None)
    text = short(TEXTS[name])
    expected, refusal = python_says(text, tmp_path)
    found, message = rust_says(text, tmp_path)
    network = network_of_file(tmp_path / "net.toml")
    if expected is None:
        assert network is None
        if refusal.startswith(NO_TOML) or any(words in refusal for words in UNREADABLE):
            assert found is None
        else:
            assert message == refusal
        return
    assert found is not None, message
    if network is not None:
        assert (network.scenario, network.names()) == (expected.scenario, expected.names)
    tables, flows, links = found
    assert {"flows": flows, "links": links} == expected.names
    assert [table for table, _ in tables] == list(expected.tables)
    for table, columns in tables:
        theirs = expected.tables[table]
        assert columns.column_names() == theirs.column_names()
        for column in columns.column_names():
            assert same(columns.column(column), theirs.column(column)), f"{table}.{column}"


#: Mistakes that are made up of each good file, and the files.
MUTANTS = 12
GOOD = [name for name in TEXTS if name not in REFUSED and " " not in name]

#: What ARCHITECTURE.md says that does not stand in a description, and how refusals of it begin.
NOT_READ = {
    "users' Python": ["a queue discipline of the user's own", "a congestion control of the user's own"],
    "the kernel's controls": ["a congestion control of the kernel's"],
    "shared libraries": ["a congestion control of a shared library"],
    "recordings in files": ["a recording of deliveries in a file"],
}


def mutants(name: str) -> Iterator[str]:
    """A file with words, numbers and lines changed, dropped, swapped or borrowed from other files."""
    maker = Mutator(Random(name), WORDS)
    maker.pool = [short(TEXTS[name]).encode()]
    for _ in range(MUTANTS):
        try:
            text = maker.made().decode()
        except UnicodeDecodeError:
            continue
        # As Python reads a file: its ends of lines.
        yield text.replace("\r\n", "\n").replace("\r", "\n")


def test_what_the_page_refuses_is_what_the_docs_say() -> None:
    """What is refused where nothing provides it must stay what is known, and rare."""
    said = re.search(
        r"does not stand in it \((.*?)\).*?at most ([\d.]+) % end so", (ROOT / "ARCHITECTURE.md").read_text()
    )
    assert said is not None and said[1].split(", ") == list(NOT_READ)
    made = [text for name in GOOD for text in mutants(name)]
    messages = {
        **{name: _native.check_scenario_text(TEXTS[name]) or "" for name in REFUSED},
        **{f"mistake {number}": _native.check_scenario_text(text) or "" for number, text in enumerate(made)},
    }
    refused = {name: message for name, message in messages.items() if NOT_HERE in message}
    assert REFUSED.keys() <= refused.keys()
    known = [begin for begins in NOT_READ.values() for begin in begins]
    unknown = [message for message in refused.values() if not any(begin in message for begin in known)]
    assert unknown == []
    assert len(made) > 10 * len(GOOD) > 500
    assert len(refused.keys() - REFUSED.keys()) <= float(said[2]) / 100 * len(made), refused


@pytest.mark.parametrize("part", [ac.Scenario, ac.Dumbbell, ac.Link, ac.Flow], ids=lambda part: part.__name__)
def test_both_layers_say_where_a_key_belongs(part: Any, tmp_path: Path) -> None:
    """Each key that Python's classes say something of, at its place in a file."""
    assert part.belongs
    for key, place in part.belongs.items():
        table: dict[str, Any] = {
            "duration": "1 s",
            "topology": {"kind": "dumbbell", "bottleneck": {"rate": "1 Mb/s", "delay": "1 ms"}},
            "flows": [{"pair": 1, "tcp": "sack"}],
        }
        where = {
            ac.Scenario: table,
            ac.Dumbbell: table["topology"],
            ac.Link: table["topology"]["bottleneck"],
            ac.Flow: table["flows"][0],
        }[part]
        where[key] = "1 MB"
        text = tomli_w.dumps(table)
        _, refusal = python_says(text, tmp_path)
        assert place in refusal
        assert re.sub(r"^line \d+: ", "", _native.check_scenario_text(text) or "") == refusal


@pytest.mark.parametrize("name", GOOD)
def test_both_layers_say_the_same_of_mistakes(name: str, tmp_path: Path) -> None:
    file = tmp_path / "net.toml"
    for text in mutants(name):
        file.write_text(text, encoding="utf-8", newline="")
        refusal = ""
        try:
            ac.load(file)
        except ac.ScenarioError as error:
            refusal = re.sub(rf"^{re.escape(str(file))}(:\d+)?: ", "", str(error))
        message = re.sub(r"^line \d+: ", "", _native.check_scenario_text(text) or "")
        if NOT_HERE in message:
            continue  # counted by the test above
        if refusal.startswith(NO_TOML) or any(words in refusal for words in UNREADABLE):
            # The crate reads TOML 1.1, whose inline tables may have line ends; Python's tomllib reads 1.0.
            assert message or re.search(r"\{[^{}]*\n[^{}]*\}", text), text
        elif "this is an ns-2 script" not in refusal:
            assert message == refusal, text
        assert not refusal or network_of_file(file) is None, text
