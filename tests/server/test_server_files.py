"""What lies in a folder that is served: only regular files are opened, whatever their names."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import ackclock as ac
from ackclock.server.app import application
from ackclock.server.catalog import Catalog
from ackclock.server.files import open_regular, opened
from test_server_guard import LINE
from test_server_playground import SCENARIO

#: More than any of it takes. Who opens a FIFO without O_NONBLOCK waits for ever.
PATIENCE_S = 30.0


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    catalog = Catalog(folder=tmp_path)
    with TestClient(application(catalog), base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client
    catalog.close()


def listed(client: TestClient) -> dict[str, str]:
    """Names and ids; an answer that does not come is a failure and no test that hangs."""
    with ThreadPoolExecutor(1) as apart:
        answer = apart.submit(client.get, "/api/about").result(PATIENCE_S)
    assert answer.status_code == 200, answer.text
    return {file["name"]: file["id"] for file in answer.json()["files"]}


def test_only_regular_files_are_listed(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "a.tr").write_text(LINE)
    os.mkfifo(tmp_path / "fifo.tr")
    os.mkfifo(tmp_path / "fifo.nam.gz")
    (tmp_path / "to_fifo.tr").symlink_to("fifo.tr")
    (tmp_path / "device.tr").symlink_to("/dev/zero")
    (tmp_path / "nowhere.tr").symlink_to("nothing")
    (tmp_path / "folder.tr").mkdir()
    (tmp_path / "run").mkdir()
    os.mkfifo(tmp_path / "run" / "run.json")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(tmp_path / "socket.tr"))
        assert listed(client).keys() == {"a.tr"}
        for id in listed(client).values():
            assert client.get(f"/api/recordings/{id}").status_code == 200


@pytest.mark.parametrize("name", ["run.json", "flows.parquet", "packets.tr"])
def test_a_saved_run_with_a_fifo_in_it_is_refused(client: TestClient, tmp_path: Path, name: str) -> None:
    ac.run(ac.Scenario.of(SCENARIO)).save(tmp_path / "run")
    ids = listed(client)
    (tmp_path / "run" / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / "run" / name)
    with ThreadPoolExecutor(1) as apart:
        answer = apart.submit(client.get, f"/api/recordings/{ids['run']}").result(PATIENCE_S)
    # Without a trace of its own it is run again.
    assert answer.status_code == {"run.json": 404, "flows.parquet": 422, "packets.tr": 200}[name], answer.text


def test_a_file_that_becomes_a_fifo_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a race: it was a regular file when it was looked at, and is a FIFO when it is opened."""
    (tmp_path / "a.tr").write_text(LINE)
    os.mkfifo(tmp_path / "fifo.tr")
    before = len(os.listdir("/dev/fd"))
    regular = os.stat(tmp_path / "a.tr")
    monkeypatch.setattr(os, "stat", lambda *_, **__: regular)
    with ThreadPoolExecutor(1) as apart:
        with pytest.raises(OSError, match="not a regular file"):
            apart.submit(open_regular, tmp_path / "fifo.tr").result(PATIENCE_S)
        (tmp_path / "link.tr").symlink_to("a.tr")
        with pytest.raises(OSError, match="link"):
            apart.submit(open_regular, tmp_path / "link.tr").result(PATIENCE_S)
    assert len(os.listdir("/dev/fd")) == before


def test_what_was_opened_stays_what_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.tr").write_text("one")
    with opened(tmp_path / "a.tr") as name:
        (tmp_path / "a.tr").unlink()
        os.mkfifo(tmp_path / "a.tr")
        assert Path(name).read_text() == "one"


def test_names_that_are_not_utf_8(client: TestClient, tmp_path: Path) -> None:
    names = (b"caf\xe9.tr", b"caf\xe8.tr", b"\xff\xfe.nam", "gr\u00fcn.tr".encode())
    for name in names:
        (tmp_path / os.fsdecode(name)).write_text(LINE)
    ac.run(ac.Scenario.of(SCENARIO)).save(tmp_path / "run").rename(tmp_path / os.fsdecode(b"run\xff"))
    os.mkdir(tmp_path / os.fsdecode(b"\xc3"))
    (tmp_path / os.fsdecode(b"\xc3") / "a.tr").write_text(LINE)
    answer = client.get("/api/about")
    assert answer.status_code == 200
    found = [(file["name"], file["id"]) for file in answer.json()["files"]]
    assert sorted(name for name, _ in found) == sorted(
        ["caf\ufffd.tr", "caf\ufffd.tr", "\ufffd\ufffd.nam", "gr\u00fcn.tr", "run\ufffd", "\ufffd/a.tr"]
    )
    assert len({id for _, id in found}) == 6
    for name, id in found:
        head = client.get(f"/api/recordings/{id}")
        assert head.status_code == 200 and head.json()["name"] == name, head.text


def test_damage_in_a_file_whose_name_is_not_utf_8_is_told(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.tr")).write_text("what is this?\n")
    (id,) = listed(client).values()
    answer = client.get(f"/api/recordings/{id}")
    assert answer.status_code == 422 and "caf\ufffd.tr: line 1: " in answer.json()["error"]
    assert "/dev/fd" not in answer.text


def view(*words: str | bytes) -> tuple[int, str]:
    """Status and standard error of `ackclock view`, where it cannot serve."""
    line: list[str | bytes] = [sys.executable, "-m", "ackclock", "view", *words, "--no-browser"]
    done = subprocess.run(line, capture_output=True, timeout=PATIENCE_S, check=False)
    assert done.stdout == b""
    return done.returncode, done.stderr.decode()


def test_view_says_what_it_cannot_open(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.tr")
    assert view(str(tmp_path / "fifo.tr")) == (
        1,
        f"ackclock: {tmp_path}/fifo.tr: expected a regular file or a folder\n",
    )
    assert view("/dev/zero")[0] == 1
    junk = tmp_path / os.fsdecode(b"caf\xe9.tr")
    junk.write_text("what is this?\n")
    status, said = view(os.fsencode(junk))
    assert status == 1 and said.count("\n") == 1 and "caf\ufffd.tr: line 1: not an ns-2 packet" in said


@pytest.mark.parametrize("port", ["-1", "65536", "http", "9" * 5000])
def test_a_port_that_is_none_is_said(port: str, tmp_path: Path) -> None:
    line = [sys.executable, "-m", "ackclock", "serve", str(tmp_path), "--no-browser", "--port", port]
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 2 and "expected a number from 0 to 65535" in done.stderr


def test_studies_do_not_wait_for_a_fifo(client: TestClient, tmp_path: Path) -> None:
    study = tmp_path / "out" / "004_sack_vs_vegas"
    study.mkdir(parents=True)
    os.mkfifo(study / "outcome.json")
    with ThreadPoolExecutor(1) as apart:
        answer = apart.submit(client.get, "/api/studies/004").result(PATIENCE_S)
    assert answer.status_code == 200 and not answer.json()["measured"]
