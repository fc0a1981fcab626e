"""The page without a server: its engine answers about a run as `ackclock serve` does.

Expected: the server's answers, from Python's code, about the same scenario run natively. The scenarios need nothing of
the mathematics library that differs between the two (docs/guide/playground.md).
"""

from __future__ import annotations

import base64
import json
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import ackclock as ac
from ackclock.server.app import application
from ackclock.server.catalog import Catalog
from ackclock.server.in_process import ask
from test_static_engine import wasm

SCENARIOS: dict[str, dict[str, Any]] = {
    "losses": {
        "duration": "6 s",
        "topology": {
            "kind": "dumbbell",
            "pairs": 2,
            "bottleneck": {"rate": "4 Mb/s", "delay": "20 ms", "queue": {"kind": "drop_tail", "limit": "15 packets"}},
        },
        "flows": [{"pair": 1, "tcp": "sack"}, {"pair": 2, "tcp": "reno", "start": "1 s"}],
    },
    "marks": {
        "duration": "5 s",
        "topology": {
            "kind": "dumbbell",
            "pairs": 2,
            "bottleneck": {
                "rate": "10 Mb/s",
                "delay": "10 ms",
                "queue": {"kind": "codel", "parameters": {"ecn": True}},
            },
        },
        "flows": [{"pair": 1, "tcp": "reno", "parameters": {"ecn": True}}, {"pair": 2, "tcp": "dctcp"}],
    },
}
#: Of a head, what is of the server alone: files and reading.
OF_SERVERS = {"id", "name", "notes", "read_fraction", "kind", "scenario"}


def of_engine(scenario: dict[str, Any], requests: list[dict[str, Any]]) -> list[Any]:
    """The answers of the engine in WebAssembly."""
    words = ["node", str(Path(__file__).with_name("answers.mjs")), str(wasm())]
    asked = json.dumps({"scenario": scenario, "requests": requests})
    done = subprocess.run(words, input=asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_engine_answers_as_the_server(name: str, tmp_path: Path) -> None:
    described = SCENARIOS[name]
    (head,) = of_engine(described, [{"do": "head"}])
    run = ac.run(ac.Scenario.of(described | {"record": {"changes": True, "packets": True}}))
    run.save(tmp_path / "run")
    catalog = Catalog.of_files([tmp_path / "run"])
    try:
        (item,) = catalog.items()
        recording = catalog.recording(item.id)
        recording.wait()
        recording.read_all()
        app = application(catalog, plays=False)

        def server(path: str, **query: object) -> bytes:
            status, body = ask(app, f"/api/recordings/{item.id}{path}?{urlencode(query)}")
            assert status == 200, body
            return body

        expected = json.loads(server(""))
        assert expected["flows"] and expected["links"] and expected["chunks"]
        assert {key: head[key] for key in expected if key not in OF_SERVERS} == {
            key: value for key, value in expected.items() if key not in OF_SERVERS
        }
        paths: list[tuple[str, dict[str, Any], dict[str, Any]]] = []
        for what in expected["series"]:
            for span in ({}, {"from": 1.5, "to": 2.5, "points": 50}, {"flow": 1}, {"bin": 0.25}):
                paths.append(("/series", {"what": what, **span}, {"do": "series", "what": what, **span}))
        for time_s in (0.0, 0.5, 1.0, 2.345, 4.9):
            paths.append(("/state", {"t": time_s}, {"do": "state", "t": time_s}))
        for uid in (0, 1, 100, 777, 2000):
            paths.append((f"/packet/{uid}", {}, {"do": "packet", "uid": uid}))
        answers = of_engine(described, [request for *_, request in paths])
        for (path, query, request), answer in zip(paths, answers, strict=True):
            assert answer == json.loads(server(path, **query)), request
        chunks = [{"do": "chunk", "n": chunk["n"]} for chunk in expected["chunks"]]
        for request, packed in zip(chunks, of_engine(described, chunks), strict=True):
            assert base64.b64decode(packed) == server(f"/hops/{request['n']}"), request
    finally:
        catalog.close()
