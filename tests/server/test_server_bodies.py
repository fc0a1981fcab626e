"""What a client gets wrong is answered by 4xx and a sentence, and leaves nothing: thousands of mutated POST bodies.

`BODIES=5000 pytest tests/server/test_server_bodies.py` makes more of them. The same number makes the same ones.
"""

from __future__ import annotations

import copy
import json
import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient

from ackclock.server import workers as bounds
from ackclock.server.app import application
from ackclock.server.catalog import Catalog
from ackclock.server.workers import Limits
from test_server_playground import SCENARIO

BODIES = int(os.environ.get("BODIES", "400"))

#: No statuses but these, and of those that are not the client's only that there is no room.
GOOD = {200, 202}
BUSY = {429, 503}

#: Stands for what `json.dumps` does not write.
RAW = "@raw:"

WORDS: list[Any] = [
    *(None, True, False, 0, -1, 1, 0.5, 1e308, -(1 << 63), 1 << 64, 10**400),
    *("", " ", "0", "-1 s", "1 s", "-", "--safe", [], {}, [[]], {"": ""}),
    *("\0", "a\0b", "\ud800", "x\udfff", "\ud83d\ude00", "\u202eevil", "\x1b[31m"),
    *("../../etc/passwd", "/dev/zero", "a:B", "os:system"),
    *(f"{RAW}NaN", f"{RAW}Infinity", f"{RAW}-Infinity", f"{RAW}1e999", f"{RAW}-1E999", f"{RAW}{'9' * 5000}"),
    *(f"{RAW}{'[' * 500}{']' * 500}", f"{RAW}{'[' * 60}{']' * 60}", f"{RAW}{'[' * 200_000}"),
    *(f'{RAW}"\\ud8', f'{RAW}"\\uD800"', "9" * 400, "x" * 5000, "x" * 200_000, "\u20ac" * 70_000),
    *(["a"] * 2000, ["a"] * 100_000, {str(n): n for n in range(2000)}),
]
ENDS = [b"", b"\0", b"\xff", b"}", b"]", b",", b"{}", b"\xef\xbb\xbf", b'"']

BASES: list[tuple[str, dict[str, Any]]] = [
    ("/api/runs", {"scenario": {**SCENARIO, "duration": "0.5 s"}}),
    ("/api/runs", {"script": "puts [lindex $argv 0]", "arguments": ["a", 1, 2.5]}),
    ("/api/scenario/text", {"scenario": SCENARIO}),
    ("/api/studies/004/open", {"run": "VEGAS2"}),
]


@pytest.fixture
def catalog(monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalog]:
    """With a small budget: most requests that would start something find no room."""
    monkeypatch.setattr(bounds, "PATIENCE_S", 0.05)
    monkeypatch.setattr(bounds, "MOST_WAITING", 4)
    catalog = Catalog()
    catalog.workers.most = 2
    yield catalog
    catalog.close()


@pytest.fixture
def client(catalog: Catalog) -> Iterator[TestClient]:
    app = application(catalog, limits=Limits(time_s=2, memory_bytes=1 << 30, output_bytes=4 << 20))
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a request."""
    yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(part, (*path, key))


def mutated(random: Random, base: dict[str, Any]) -> bytes:
    """A request with some of its values, keys or bytes otherwise."""
    asked: Any = copy.deepcopy(base)
    for _ in range(random.choice([0, 1, 1, 1, 2, 3])):
        *path, last = random.choice(list(places(asked))[1:] or [("new",)])
        here = asked
        for part in path:
            here = here[part]
        if random.random() < 0.2 and isinstance(here, dict):
            here[random.choice([word for word in WORDS if isinstance(word, str) and not word.startswith(RAW)])] = 1
        elif random.random() < 0.1 and isinstance(here, dict):
            here.pop(last, None)
        else:
            here[last] = copy.deepcopy(random.choice(WORDS))
    text = json.dumps(asked)
    for word in WORDS:
        if isinstance(word, str) and word.startswith(RAW):
            text = text.replace(json.dumps(word), word.removeprefix(RAW))
    body = text.encode(random.choice(["utf-8"] * 20 + ["utf-16", "utf-32"]))
    kind = random.random()
    if kind < 0.05:
        body = body[: random.randrange(len(body) + 1)]
    elif kind < 0.15:
        at = random.randrange(len(body) + 1)
        body = body[:at] + bytes([random.randrange(256)]) + body[at + random.randrange(2) :]
    elif kind < 0.2:
        body = random.choice(ENDS) + body + random.choice(ENDS)
    return body


def test_mutated_bodies(client: TestClient, catalog: Catalog) -> None:
    random = Random(27)
    asked = [(path, mutated(random, base)) for path, base in random.choices(BASES, k=BODIES)]
    # No room for long: what came first is made way for.
    ids: list[str] = []
    found: Counter[tuple[str, int]] = Counter()

    def ask(one: tuple[str, bytes]) -> None:
        path, body = one
        answer = client.post(path, content=body)
        found[path, answer.status_code] += 1
        told = answer.json()
        if answer.status_code == 202:
            ids.append(told["id"])
        elif answer.status_code not in GOOD:
            assert answer.status_code < 500 or answer.status_code in BUSY, (path, body[:300], answer.text[:1000])
            assert told["error"].strip(), (path, body[:300])

    with ThreadPoolExecutor(6) as asking:
        list(asking.map(ask, asked))
    print(sorted(found.items()))
    statuses = {status for _, status in found}
    assert {202, 400, 422} <= statuses and (GOOD & statuses) and (BUSY & statuses)
    for id in ids:
        if client.get(f"/api/runs/{id}/events").status_code == 200:
            assert client.get(f"/api/runs/{id}/table").status_code in (200, 404, 409, 422)
    assert {path.name for path in catalog.scratch.iterdir()} <= {"lock", *ids}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b'{"script": "\\ud800"}', "half of a surrogate pair"),
        (b'{"script": "puts 1", "arguments": ["\\udfff"]}', "half of a surrogate pair"),
        (b'{"scenario": {"\\ud800": 1}}', "half of a surrogate pair"),
        (b'{"script": "puts 1", "arguments": ["a\\u0000b"]}', "NUL"),
        (b'{"script": "puts 1", "arguments": ["%s"]}' % (b"x" * 3_000_000), "3000001 bytes; expected at most 65536"),
        (b'{"script": "puts 1", "arguments": [%s"a"]}' % (b'"a",' * 99_999), "100000 words; expected at most 1000"),
        (b'{"script": "puts 1", "arguments": [["a"]]}', "a list of strings"),
        (b'{"scenario": {"seed": NaN}}', "NaN is not a number in JSON"),
        (b'{"scenario": {"seed": -Infinity}}', "-Infinity is not a number in JSON"),
        (b'{"scenario": {"seed": 1e999}}', "too large a number"),
        (b'{"scenario": {"seed": %s}}' % (b"9" * 100_000), "more than 64 bits"),
        (b'{"scenario": {"seed": 18446744073709551616}}', "more than 64 bits"),
        (b'{"scenario": %s1%s}' % (b"[" * 64, b"]" * 64), "nested more than 64 levels deep"),
        (b'{"scenario": %s1%s}' % (b'{"a":' * 900, b"}" * 900), "nested more than 64 levels deep"),
        (b'{"scenario": %s' % (b"[" * 1_000_000), "not JSON"),
        ('{"script": "puts 1"}'.encode("utf-16"), "not JSON"),
        (b'{"script": "\xff"}', "not JSON"),
    ],
)
def test_what_is_wrong_is_said(client: TestClient, catalog: Catalog, body: bytes, says: str) -> None:
    for path in ("/api/runs", "/api/scenario/text"):
        answer = client.post(path, content=body)
        if path == "/api/runs" or b'"scenario"' in body:
            assert answer.status_code == 400 and says in answer.json()["error"], answer.text
        assert 400 <= answer.status_code < 500
    assert [path.name for path in catalog.scratch.iterdir()] == ["lock"]


def test_what_is_just_allowed_is_run(client: TestClient) -> None:
    words = ["x" * 63] * 1000
    answer = client.post("/api/runs", json={"script": "puts [llength $argv],[string length $argv]", "arguments": words})
    assert answer.status_code == 202, answer.text
    told = client.get(f"/api/runs/{answer.json()['id']}/events").text
    assert "1000,63999" in told


def test_a_long_error_is_told(client: TestClient) -> None:
    """Longer than what is looked at of a run's output: with characters that JSON writes with six letters each."""
    answer = client.post("/api/runs", json={"scenario": {**SCENARIO, "\u20ac" * 5000: 1}})
    assert answer.status_code == 422 and "\u20ac" * 500 in answer.json()["error"]


@pytest.mark.parametrize("path", ["/api/recordings/x/hops/{}", "/api/recordings/x/packet/{}"])
@pytest.mark.parametrize("number", ["9" * 5000, "-1", "1.5", "\u0663", "1_0", "%00", "0x1"])
def test_numbers_in_addresses(client: TestClient, path: str, number: str) -> None:
    assert client.get(path.format(number)).status_code == 404


def test_a_table_of_what_is_no_trace(client: TestClient) -> None:
    script = "set f [open out.tr w]; puts $f {what is this?}; close $f"
    answer = client.post("/api/runs", json={"script": script})
    id = answer.json()["id"]
    assert "event: done" in client.get(f"/api/runs/{id}/events").text
    answer = client.get(f"/api/runs/{id}/table")
    assert answer.status_code == 422 and "no line is a packet event" in answer.json()["error"]
    assert "/dev/fd" not in answer.text
