"""Runs that wait for their turn, and forty browsers that open one link with four runs: all see all four."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from ackclock.server.turns import Turns
from ackclock.server.workers import Limits
from test_server_guard import served
from test_server_playground import changed, events, serving

pytestmark = pytest.mark.serial


@pytest.fixture
def client() -> Iterator[TestClient]:
    yield from serving(Limits())


def test_so_many_runs_at_a_time_and_the_others_wait_in_a_queue(client: TestClient) -> None:
    answers = [client.post("/api/runs", json={"script": "while 1 {}"}).json() for _ in range(7)]
    assert [answer["place"] for answer in answers] == [None] * 4 + [1, 2, 3]
    ids = [answer["id"] for answer in answers]
    # Whoever leaves, before its turn or after, lets the others move up.
    for id in (ids[4], ids[0]):
        client.delete(f"/api/runs/{id}")
    name, told = events(client.get(f"/api/runs/{ids[4]}/events").text)[-1]
    assert name == "failed" and told["error"] == "cancelled"
    last = changed("duration", "2 s")
    answer = client.post("/api/runs", json={"scenario": last})
    assert answer.status_code == 202 and answer.json()["place"] in (2, 3)
    for id in ids[1:4] + ids[5:]:
        client.delete(f"/api/runs/{id}")
    told_of_it = events(client.get(f"/api/runs/{answer.json()['id']}/events").text)
    assert told_of_it[-1][0] == "done"


def test_a_run_that_has_started_is_never_said_to_wait(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """However slowly the threads that start runs come to leave the queue."""
    leave = Turns.leave

    def late(turns: Turns, id: str) -> None:
        time.sleep(0.3)
        leave(turns, id)

    monkeypatch.setattr(Turns, "leave", late)
    answers = [client.post("/api/runs", json={"script": "while 1 {}"}).json() for _ in range(5)]
    assert [answer["place"] for answer in answers] == [None] * 4 + [1]


def test_one_who_leaves_twice_counts_once(client: TestClient) -> None:
    long = {"scenario": changed("duration", "100000 s")}
    one, other = (client.post("/api/runs", json=long).json() for _ in range(2))
    assert one["id"] == other["id"] and one["key"] != other["key"]
    for _ in range(3):
        assert client.delete(f"/api/runs/{one['id']}?key={one['key']}").status_code == 200
    third = client.post("/api/runs", json=long).json()
    assert third["id"] == one["id"], "it goes on for the other"
    for left in (other, third):
        client.delete(f"/api/runs/{left['id']}?key={left['key']}")
    name, told = events(client.get(f"/api/runs/{one['id']}/events").text)[-1]
    assert (name, told["error"]) == ("failed", "cancelled")


def test_what_is_wrong_with_a_run_that_waited_is_said_in_its_turn(client: TestClient) -> None:
    ids = [client.post("/api/runs", json={"script": "while 1 {}"}).json()["id"] for _ in range(4)]
    answer = client.post("/api/runs", json={"scenario": changed("flows.0.tcp", "fame")})
    assert answer.status_code == 202 and answer.json()["place"] == 1
    for id in ids:
        client.delete(f"/api/runs/{id}")
    name, told = events(client.get(f"/api/runs/{answer.json()['id']}/events").text)[-1]
    assert name == "failed" and told["key"] == "flows.0.tcp" and told["error"].endswith("nearest known: fack")


BROWSERS = 40
#: What a link with four runs holds.
LINK = [changed("flows.0.tcp", tcp) for tcp in ("sack", "reno", "new_reno", "vegas")]


def asked(port: int, query: str, path: str, body: Any = None) -> str:
    """The answer to one request on a connection of its own, as text."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    method, content = ("GET", None) if body is None else ("POST", json.dumps(body))
    headers = {"Authorization": f"Bearer {query.removeprefix('token=')}", "Content-Type": "application/json"}
    connection.request(method, path, body=content, headers=headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    assert answer.status in (200, 202), (path, answer.status, text)
    return text


def seen(port: int, query: str, scenarios: list[dict[str, Any]]) -> list[tuple[str, list[str], Any]]:
    """What a page shows of its runs: the recording, the flows' names and the table, of each."""
    ids = [json.loads(asked(port, query, "/api/runs", {"scenario": scenario}))["id"] for scenario in scenarios]
    shown = []
    for id in ids:
        name, told = events(asked(port, query, f"/api/runs/{id}/events"))[-1]
        assert name == "done", told
        head = json.loads(asked(port, query, f"/api/recordings/{told['recording']}"))
        table = json.loads(asked(port, query, f"/api/runs/{id}/table"))
        shown.append((told["recording"], [flow["name"] for flow in head["flows"]], table["rows"]))
    return shown


def test_forty_browsers_open_one_link_with_four_runs() -> None:
    with served("serve") as (_, port, query), ThreadPoolExecutor(BROWSERS) as browsers:
        pages = list(browsers.map(lambda _: seen(port, query, LINK), range(BROWSERS)))
    assert [names[0].split("-")[0] for _, names, _ in pages[0]] == ["sack", "reno", "new_reno", "vegas"]
    # Four runs for all: the recordings are the same ones.
    assert all(page == pages[0] for page in pages)


def test_forty_browsers_with_a_link_of_their_own() -> None:
    def page(number: int) -> list[tuple[str, list[str], Any]]:
        return seen(port, query, [changed("seed", 100 + number) | {"duration": "1 s"}])

    with served("serve") as (_, port, query), ThreadPoolExecutor(BROWSERS) as browsers:
        assert all(len(rows) == 2 for shown in browsers.map(page, range(BROWSERS)) for *_, rows in shown)
