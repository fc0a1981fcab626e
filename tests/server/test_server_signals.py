"""What is left when `ackclock serve` and `view` are ended by a signal while a run is under way: nothing.

`SIGNAL_ROUNDS=20 pytest tests/server/test_server_signals.py` does each so often.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ackclock._internal.checksums import write_sums
from ackclock._internal.scratch import EMPTY_S, PREFIX, Scratch, remove_left
from test_server_guard import LINE
from test_server_playground import changed

pytestmark = pytest.mark.serial

ROUNDS = int(os.environ.get("SIGNAL_ROUNDS", "5"))

#: Other tests share the machine.
PATIENCE_S = 30.0

#: Without processor time for ever; with all of it, for long.
RUNS: list[dict[str, Any]] = [{"script": "vwait for_ever"}, {"scenario": changed("duration", "1000000 s")}]

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is Linux's")


@contextmanager
def server(command: str, folder: Path, scratch: Path) -> Iterator[tuple[subprocess.Popen[str], int, dict[str, str]]]:
    """`ackclock serve` or `view` of a folder, its temporary files in another: process, port, headers with its token."""
    line = [sys.executable, "-m", "ackclock", command, str(folder), "--no-browser"]
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as process:
        try:
            assert process.stdout is not None
            match = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]+)", process.stdout.readline())
            assert match is not None
            yield process, int(match[1]), {"Authorization": f"Bearer {match[2]}"}
        finally:
            process.kill()


def ask(port: int, method: str, path: str, headers: dict[str, str], asked: dict[str, Any] | None = None) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    connection.request(method, path, None if asked is None else json.dumps(asked), headers)
    answer = connection.getresponse()
    assert answer.status < 300, answer.read()
    return json.loads(answer.read())


def children(pid: int) -> list[int]:
    """Processes of a parent."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def descendants(pid: int) -> list[int]:
    """Its processes, theirs, and so on."""
    found = children(pid)
    return found + [one for child in found for one in descendants(child)]


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def ended(pids: list[int]) -> bool:
    """Whether all are gone before long."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if not any(map(lives, pids)):
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "served").mkdir()
    (tmp_path / "scratch").mkdir()
    (tmp_path / "served" / "a.tr").write_text(LINE)
    return tmp_path


@needs_proc
@pytest.mark.parametrize("round", range(ROUNDS))
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_runs_and_leaves_no_folder(number: signal.Signals, round: int, folder: Path) -> None:
    command = ("serve", "view")[round % 2]
    with server(command, folder / "served", folder / "scratch") as (process, port, headers):
        (file,) = ask(port, "GET", "/api/about", headers)["files"]
        ask(port, "GET", f"/api/recordings/{file['id']}", headers)
        for asked in RUNS:
            ask(port, "POST", "/api/runs", headers, asked)
        time.sleep(0.1 * (round % 4))
        assert len(children(process.pid)) == 2 and os.listdir(folder / "scratch")
        pids = descendants(process.pid)
        process.send_signal(number)
        assert process.wait(PATIENCE_S) == (0 if number == signal.SIGINT else 128 + number)
        assert process.stderr is not None and process.stderr.read() == ""
        assert ended(pids) and os.listdir(folder / "scratch") == []


@needs_proc
@needs_linux
@pytest.mark.parametrize("round", range(ROUNDS))
def test_runs_die_with_a_killed_server_and_the_next_one_clears_up(round: int, folder: Path) -> None:
    command = ("serve", "view")[round % 2]
    with server("serve", folder / "served", folder / "scratch") as (_, alive, own):
        ask(alive, "DELETE", f"/api/runs/{ask(alive, 'POST', '/api/runs', own, RUNS[0])['id']}", own)
        (lives_on,) = os.listdir(folder / "scratch")
        with server(command, folder / "served", folder / "scratch") as (process, port, headers):
            for asked in RUNS:
                ask(port, "POST", "/api/runs", headers, asked)
            time.sleep(0.1 * (round % 4))
            assert len(children(process.pid)) == 2
            pids = descendants(process.pid)
            process.kill()
            assert process.wait(PATIENCE_S) == -signal.SIGKILL and ended(pids)
        left = set(os.listdir(folder / "scratch")) - {lives_on}
        assert len(left) == 1 and left.pop().startswith(PREFIX)
        with server(command, folder / "served", folder / "scratch") as (third, _, _):
            assert os.listdir(folder / "scratch") == [lives_on]
            third.terminate()
            third.wait(PATIENCE_S)
        # The one that lives has all that it had.
        run = ask(alive, "POST", "/api/runs", own, RUNS[0])
        ask(alive, "DELETE", f"/api/runs/{run['id']}", own)
        assert os.listdir(folder / "scratch") == [lives_on]


@needs_proc
def test_a_signal_while_a_saved_run_is_run_again(folder: Path) -> None:
    """No run of `POST /api/runs`, and the request waits for it in a thread."""
    import ackclock as ac

    ac.run(ac.Scenario.of(changed("duration", "1 s"))).save(folder / "served" / "run")
    file = folder / "served" / "run" / "run.json"
    described = json.loads(file.read_text())
    described["scenario"]["duration"] = "1000000 s"
    file.write_text(json.dumps(described))
    write_sums(file.parent)
    with server("serve", folder / "served", folder / "scratch") as (process, port, headers):
        id = next(one["id"] for one in ask(port, "GET", "/api/about", headers)["files"] if one["kind"] == "run")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        connection.request("GET", f"/api/recordings/{id}", headers=headers)
        until = time.monotonic() + PATIENCE_S
        while not (pids := children(process.pid)) and time.monotonic() < until:
            time.sleep(0.02)
        assert len(pids) == 1
        process.terminate()
        assert process.wait(PATIENCE_S) == 128 + signal.SIGTERM
        assert ended(pids) and os.listdir(folder / "scratch") == []


def test_what_was_ignored_stays_ignored(folder: Path) -> None:
    """`nohup ackclock serve` outlives its terminal."""
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with server("serve", folder / "served", folder / "scratch") as (process, port, headers):
            ask(port, "GET", "/api/about", headers)
            process.send_signal(signal.SIGHUP)
            time.sleep(0.5)
            assert ask(port, "GET", "/api/about", headers) and process.poll() is None
    finally:
        signal.signal(signal.SIGHUP, former)


def test_what_is_not_a_dead_servers_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    own = Scratch()
    (tmp_path / f"{PREFIX}file").write_text("")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "lock").write_text("")
    (tmp_path / f"{PREFIX}link").symlink_to("elsewhere")
    for name in ("new", "fifo", "full", "other"):
        (tmp_path / f"{PREFIX}{name}").mkdir()
    os.mkfifo(tmp_path / f"{PREFIX}fifo" / "lock")
    (tmp_path / f"{PREFIX}full" / "of").write_text("")
    (tmp_path / f"{PREFIX}link2").mkdir()
    (tmp_path / f"{PREFIX}link2" / "lock").symlink_to(tmp_path / "elsewhere" / "lock")
    past = time.time() - 2 * EMPTY_S
    os.utime(tmp_path / f"{PREFIX}full", (past, past))
    (tmp_path / "elsewhere" / "dead").mkdir()
    before = set(os.listdir(tmp_path))
    (tmp_path / f"{PREFIX}dead" / "run").mkdir(parents=True)
    (tmp_path / f"{PREFIX}dead" / "lock").write_text("")
    (tmp_path / f"{PREFIX}empty").mkdir()
    os.utime(tmp_path / f"{PREFIX}empty", (past, past))
    assert remove_left() == 2 and set(os.listdir(tmp_path)) == before
    own.close()
    assert not own.folder.exists()


def test_the_folder_is_this_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    scratch = Scratch()
    assert scratch.folder.stat().st_mode & 0o777 == 0o700
    monkeypatch.setattr(os, "getuid", lambda: scratch.folder.stat().st_uid + 1)
    (tmp_path / f"{PREFIX}dead").mkdir()
    (tmp_path / f"{PREFIX}dead" / "lock").write_text("")
    assert remove_left() == 0
    scratch.close()
