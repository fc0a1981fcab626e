"""Forty browsers open one link with four runs: all see all four."""

from __future__ import annotations

import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from test_server_guard import served
from test_server_playground import changed, events

pytestmark = pytest.mark.serial

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


def seen(port: int, query: str, scenarios: list[dict[str, Any]]) -> list[tuple[list[str], Any]]:
    """What a page shows of its runs: the flows' names and the first packets' chunk, of each."""
    ids = [json.loads(asked(port, query, "/api/runs", {"scenario": scenario}))["id"] for scenario in scenarios]
    shown = []
    for id in ids:
        name, told = events(asked(port, query, f"/api/runs/{id}/events"))[-1]
        assert name == "done", told
        head = json.loads(asked(port, query, f"/api/recordings/{told['recording']}"))
        table = json.loads(asked(port, query, f"/api/runs/{id}/table"))
        shown.append(([flow["name"] for flow in head["flows"]], table["rows"]))
    return shown


def test_forty_browsers_open_one_link_with_four_runs() -> None:
    with served("serve") as (_, port, query), ThreadPoolExecutor(BROWSERS) as browsers:
        pages = list(browsers.map(lambda _: seen(port, query, LINK), range(BROWSERS)))
    assert [names[0].split("-")[0] for names, _ in pages[0]] == ["sack", "reno", "new_reno", "vegas"]
    assert all(page == pages[0] for page in pages)


def test_forty_browsers_with_a_link_of_their_own() -> None:
    def page(number: int) -> list[tuple[list[str], Any]]:
        return seen(port, query, [changed("seed", 100 + number) | {"duration": "1 s"}])

    with served("serve") as (_, port, query), ThreadPoolExecutor(BROWSERS) as browsers:
        assert all(len(rows) == 2 for shown in browsers.map(page, range(BROWSERS)) for _, rows in shown)
