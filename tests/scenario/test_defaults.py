"""The sets of defaults are those of the engine, of ns-2 and of the RFCs."""

from __future__ import annotations

from pathlib import Path

import ackclock as ac
from ackclock import _native
from ackclock.ns2.library.core.engine import engine_name
from ackclock.scenario import defaults
from ackclock.scenario.formats.as_tcl import QUEUES
from ackclock.scenario.resolve.network import resolve

ROOT = Path(__file__).resolve().parents[2]


def test_every_parameter_has_a_unit_that_scenarios_read_and_a_sentence() -> None:
    kinds = ["one_way", "full", *(f"tcp_{name}" for name, _ in _native.congestion_controls("tcp"))]
    for kind in [*kinds, *(name for name, _ in _native.queue_disciplines())]:
        assert defaults.parameters(kind), kind
        for name, known in defaults.parameters(kind).items():
            assert known.unit in ("", "flag", "s", "bytes", "packets", "bit/s"), (kind, name)
            assert isinstance(known.value, bool) == (known.unit == "flag"), (kind, name)
            assert known.about.endswith("."), (kind, name)


def test_the_ns2_set_is_that_of_ns2() -> None:
    recorded: dict[str, tuple[str, dict[str, str]]] = {}
    for line in (ROOT / "python" / "ackclock" / "ns2" / "bindings" / "ns2_35.tsv").read_text().splitlines():
        name, *rest = line.split("\t")
        values = dict(word.split("=", 1) for word in rest if "=" in word)
        own = {engine_name(key.split(":")[0]): value for key, value in values.items()}
        recorded[name] = (rest[0] if rest and ":" not in rest[0] else "", own)

    def said(cls: str, name: str) -> str | None:
        while cls in recorded:
            parent, own = recorded[cls]
            if name in own:
                return own[name]
            cls = parent
        return None

    words = {"true": 1.0, "false": 0.0}
    for kind, cls in (("one_way", "Agent/TCP/Vegas"), *((kind, f"Queue/{name}") for kind, name in QUEUES.items())):
        for name, known in defaults.parameters(kind).items():
            if (kind == "fq" and name == "red_flows") or name.startswith("flow_"):
                continue  # ns-2 says these of other classes
            value = said(cls, name)
            assert value is not None and float(words.get(value, value)) == known.value, (kind, name, value)


def test_the_rfc_set_names_its_sources() -> None:
    for name, entry in defaults.data()["rfc"]["tcp"].items():
        assert name in defaults.parameters("one_way") and "RFC" in entry["source"]
    scenario = ac.Scenario(
        topology=ac.Dumbbell(bottleneck=ac.Link(rate="10 Mb/s", delay="20 ms")),
        flows=[ac.Flow(pair=1, tcp="sack")],
        duration="1 s",
        defaults="rfc",
    )
    flow = resolve(scenario).flows[0]
    assert flow.parameters["window_init"] == 10 and flow.receiver == "sink_sack_del_ack" and flow.wire_bytes == 1500
