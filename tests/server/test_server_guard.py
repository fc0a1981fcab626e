"""Who may ask `ackclock view`, and for what: through Starlette's client, and by real sockets to the real command."""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ackclock.cli import serve
from ackclock.server.app import application
from ackclock.server.catalog import Catalog
from ackclock.server.security import MOST_BYTES

LINE = "r 1 0 1 tcp 1040 ------- 1 0.0 1.0 0 0\n"
OWN = frozenset({"127.0.0.1", "localhost", "::1"})


def client(base_url: str = "http://127.0.0.1:8000", token: str | None = None) -> TestClient:
    return TestClient(application(Catalog(), hosts=OWN, token=token), base_url=base_url)


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "127.0.0.1"])
def test_own_names_are_answered(host: str) -> None:
    assert client(f"http://{host}").get("/api/about").status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "127.0.0.1.evil.example:8000", "127.0.0.1@evil.example", "", "[::1", "0.0.0.0"),
        *("evil.example@127.0.0.1:8000", "127.0.0.1:99999", "127.0.0.1:x", "127.0.0.1:8000:9"),
    ],
)
def test_a_name_that_was_made_to_lead_here_is_not(host: str) -> None:
    answer = client().get("/api/about", headers={"host": host})
    assert answer.status_code == 421 and "this server answers for 127.0.0.1" in answer.json()["error"]


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:8000", 200),
        ("https://127.0.0.1:8000", 403),
        ("ftp://127.0.0.1:8000", 403),
        ("//127.0.0.1:8000", 403),
        ("127.0.0.1:8000", 403),
        ("http://127.0.0.1:9000", 403),
        ("http://localhost:8000", 403),
        ("https://evil.example", 403),
        ("null", 403),
        ("http://[", 403),
        ("http://[]", 403),
        ("", 403),
    ],
)
def test_pages_of_others_are_refused(origin: str, status: int) -> None:
    assert client().get("/api/about", headers={"origin": origin}).status_code == status


def test_each_of_several_origins_counts() -> None:
    origins = [("origin", "https://evil.example"), ("origin", "http://127.0.0.1:8000")]
    for headers in (origins, origins[::-1]):
        assert client().get("/api/about", headers=headers).status_code == 403


def test_answers_forbid_what_the_page_does_not_need() -> None:
    headers = client().get("/api/about").headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers


def directives(policy: str) -> dict[str, list[str]]:
    """A Content-Security-Policy as its directives."""
    parts = [part.split() for part in policy.split(";")]
    return {part[0]: part[1:] for part in parts}


@pytest.mark.parametrize(("has_engine", "plays"), [(True, True), (True, False), (False, True)])
def test_the_page_may_compile_webassembly_where_it_has_the_engine(
    has_engine: bool, plays: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # CSP Level 3, section 8.4: 'wasm-unsafe-eval' allows WebAssembly, and no eval of text.
    (tmp_path / "index.html").write_text("<!doctype html><title>page</title>")
    if has_engine:
        (tmp_path / "ackclock.wasm").write_bytes(b"\0asm\1\0\0\0")
    monkeypatch.setattr("ackclock.server.app.STATIC", tmp_path)
    with TestClient(application(Catalog(), plays=plays), base_url="http://127.0.0.1") as asking:
        told = asking.get("/api/about")
        page, engine = asking.get("/"), asking.get("/ackclock.wasm")
    of_page = directives(page.headers["content-security-policy"])
    assert told.json()["engine"] is (has_engine and plays)
    assert of_page.get("script-src") == (["'self'", "'wasm-unsafe-eval'"] if has_engine and plays else None)
    # A worker has the policy that it came with, and the API none that it does not need.
    assert directives(engine.headers["content-security-policy"]) == of_page
    assert directives(told.headers["content-security-policy"]) == {
        name: of_page[name] for name in of_page if name != "script-src"
    }
    assert of_page["default-src"] == ["'self'"] and "worker-src" not in of_page
    if has_engine:
        assert engine.headers["content-type"] == "application/wasm"


def test_a_page_without_its_engine_is_told_of_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ackclock.server.app.STATIC", tmp_path)
    monkeypatch.setattr("ackclock.server.launch.launch", lambda *_, **__: 0)
    options = argparse.Namespace(folder=tmp_path, host="127.0.0.1", port=0, browser=False)
    for name, says in (("index.html", "built without its engine"), ("ackclock.wasm", "")):
        (tmp_path / name).write_bytes(b"")
        assert serve.run(options) == 0
        told = capsys.readouterr().err
        assert says in told and bool(says) == bool(told)


def test_a_token_is_asked_for_and_kept() -> None:
    with client(token="s3cret") as asking:
        assert asking.get("/api/about").status_code == 401
        assert asking.get("/").status_code == 401
        assert asking.get("/api/about?token=other").status_code == 401
        assert asking.get("/api/about", headers={"authorization": "Bearer s3cre"}).status_code == 401
        assert asking.get("/api/about", headers={"authorization": "Bearer s3cret"}).status_code == 200
        assert asking.get("/api/about").status_code == 401
        first = asking.get("/?token=s3cret", follow_redirects=False)
        assert first.status_code == 303 and first.headers["location"] == "/"
        assert {"HttpOnly", "SameSite=Strict"} <= set(first.headers["set-cookie"].split("; "))
        assert asking.get("/api/about").status_code == 200


def test_an_address_in_no_ascii_is_refused() -> None:
    told: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        told.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/api/recordings/x/state",
        "query_string": b"t=\xff",
        "headers": [(b"host", b"localhost")],
    }
    answering = application(Catalog(), hosts=OWN)(scope, receive, send)  # type: ignore[arg-type]
    # In a thread of its own: the browser of other tests has left this one a loop that runs.
    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, answering).result()
    assert told[0]["status"] == 400 and "no address has" in json.loads(told[1]["body"])["error"]


def test_a_long_body_is_refused() -> None:
    answer = client().post("/api/about", content=b"x" * (MOST_BYTES + 1))
    assert answer.status_code == 413 and "4 MiB" in answer.json()["error"]


@contextmanager
def served(*words: str | Path, browser: dict[str, str] | None = None) -> Iterator[tuple[str, int, str]]:
    """The command, running: host, port and query of the address that it prints. `browser` is an environment for one."""
    line = [sys.executable, "-m", "ackclock", *map(str, words), *(["--no-browser"] if browser is None else [])]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=browser) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline()
            match = re.fullmatch(r"http://\[?([\w.:-]+?)\]?:(\d+)/(?:\?(\S*?))?(?:#\S*)?\n", address)
            assert match is not None, (address, process.poll())
            yield match[1], int(match[2]), match[3] or ""
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(20) in (0, 130)


def ask(port: int, path: str, query: str = "", **headers: str) -> tuple[int, str]:
    """Status and text of an answer; `query` is that of the printed address, with the token."""
    if query:
        headers["Authorization"] = f"Bearer {query.removeprefix('token=')}"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_view_serves_a_file_on_this_machine_alone(tmp_path: Path) -> None:
    (tmp_path / "a.tr").write_text(LINE)
    (tmp_path / "b.tr").write_text(LINE)
    with served("view", tmp_path / "a.tr") as (host, port, query):
        assert host == "127.0.0.1"
        status, text = ask(port, "/api/about", query)
        (file,) = json.loads(text)["files"]
        assert status == 200 and file["name"] == "a.tr"
        assert ask(port, f"/api/recordings/{file['id']}", query)[0] == 200
        assert ask(port, "/api/about", query, Host="evil.example")[0] == 421
        for path in (
            "/../a.tr",
            "/..%2f..%2fetc/passwd",
            "/%2e%2e/%2e%2e/etc/passwd",
            "//etc/passwd",
            "/static/../app.py",
        ):
            status, text = ask(port, path, query)
            assert status in (404, 503) and "root:" not in text and "import" not in text, path


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
@pytest.mark.parametrize("command", ["serve", "view"])
def test_everybody_needs_the_token(command: str, host: str, tmp_path: Path) -> None:
    (tmp_path / "a.tr").write_text(LINE)
    with served(command, tmp_path, "--host", host) as (_, port, query):
        assert re.fullmatch(r"token=[\w-]{20,}", query)
        for path in ("/", "/index.html", "/icon.svg", "/api/about", "/api/choices", "/api/runs", "/api/nothing"):
            assert ask(port, path)[0] == ask(port, f"{path}?token=other")[0] == 401, path
        assert ask(port, f"/api/about?{query}")[0] == ask(port, "/api/about", query)[0] == 200


def test_servers_on_one_machine_keep_their_cookies_apart() -> None:
    with client("http://127.0.0.1:8000", "s3cret") as one, client("http://127.0.0.1:9000", "0ther") as other:
        one.get("/?token=s3cret", follow_redirects=False)
        other.cookies = one.cookies  # cookies ignore ports (RFC 6265, section 8.5)
        other.get("/?token=0ther", follow_redirects=False)
        one.cookies = other.cookies
        assert one.get("/api/about").status_code == other.get("/api/about").status_code == 200


def test_cookies_of_others_do_not_hide_the_token() -> None:
    jar = 'theme={"a": [1, 2]}; x="; ackclock-8000=s3cret; y=\\'
    assert client(token="s3cret").get("/api/about", headers={"cookie": jar}).status_code == 200
    assert client(token="s3cret").get("/api/about", headers={"cookie": "ackclock-9000=s3cret"}).status_code == 401


def test_the_browser_gets_a_code_that_is_good_once(tmp_path: Path) -> None:
    """Other accounts read the browser's command line, so neither the token nor a code that is still good is there."""
    (tmp_path / "a.tr").write_text(LINE)
    (tmp_path / "browser").write_text(
        f'#!/bin/sh\necho "$1" > {tmp_path}/half && mv {tmp_path}/half {tmp_path}/called\n'
    )
    (tmp_path / "browser").chmod(0o755)
    environment = {**os.environ, "BROWSER": f"{tmp_path}/browser %s"}
    with served("view", tmp_path / "a.tr", browser=environment) as (_, port, query):
        for _ in range(200):
            if (tmp_path / "called").exists():
                break
            time.sleep(0.05)
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?(token=\S+)#/view/\w+\n", (tmp_path / "called").read_text())
        assert match is not None and int(match[1]) == port and match[2] != query
        assert ask(port, "/api/about", match[2])[0] == ask(port, f"/api/about?{match[2]}")[0] == 401
        assert [ask(port, f"/?{match[2]}")[0] for _ in range(2)] == [303, 401]
        assert ask(port, f"/?{query}")[0] == 303


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("view", "not-there.tr"), "no such file or folder: not-there.tr"),
        (("view", "{here}/junk.tr"), "junk.tr: line 1: not an ns-2 packet"),
        (("view", "{here}"), "no trace file and no saved run in"),
        (("serve", "not-there"), "no such folder: not-there"),
        (("serve", "{here}", "--host", "203.0.113.7"), "Cannot assign requested address"),
    ],
)
def test_what_cannot_be_served_is_one_line(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    if "{here}/junk.tr" in words:
        (tmp_path / "junk.tr").write_text("what is this?\n")
    line = [sys.executable, "-m", "ackclock", *(word.format(here=tmp_path) for word in words), "--no-browser"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert says in done.stderr and len(done.stderr.splitlines()) == 1
