"""The processes that the server starts: how many, in what surroundings, and when they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import ackclock as ac
from ackclock.server import turns
from ackclock.server import workers as bounds
from ackclock.server.app import application
from ackclock.server.catalog import Catalog
from ackclock.server.errors import Refusal
from ackclock.server.run import reason
from ackclock.server.runs import Runs
from ackclock.server.workers import Limits, Workers, kill
from test_server_guard import LINE
from test_server_playground import SCENARIO, changed, finished

pytestmark = pytest.mark.serial

#: It takes no processor time and does not end.
WAITS = "vwait for_ever"

needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc")


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    catalog = Catalog(folder=tmp_path)
    yield catalog
    catalog.close()


@pytest.fixture
def client(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(bounds, "PATIENCE_S", 0.2)
    with TestClient(application(catalog), base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client


def started(client: TestClient, script: str = WAITS) -> str:
    answer = client.post("/api/runs", json={"script": script})
    assert answer.status_code == 202, answer.text
    id: str = answer.json()["id"]
    return id


def test_one_budget_is_for_all(client: TestClient, tmp_path: Path) -> None:
    ac.run(ac.Scenario.of(SCENARIO)).save(tmp_path / "run")
    (file,) = client.get("/api/about").json()["files"]
    ids = [started(client) for _ in range(4)]
    asks: dict[str, Callable[[], Any]] = {
        "a text": lambda: client.post("/api/scenario/text", json={"scenario": SCENARIO}),
        "a saved run": lambda: client.get(f"/api/recordings/{file['id']}"),
    }
    for what, ask in asks.items():
        answer = ask()
        assert answer.status_code == 429 and "4 runs are under way" in answer.json()["error"], what
    # Runs of the page wait in a queue.
    waiting = [
        client.post("/api/runs", json={"script": WAITS}).json()["id"],
        client.post("/api/studies/004/open", json={"run": "VEGAS2"}).json()["id"],
    ]
    assert sum(one.poll() is None for one in client.app.state.runs.catalog.workers._processes) == 4  # type: ignore[attr-defined]
    for id in waiting:
        client.delete(f"/api/runs/{id}")
    client.delete(f"/api/runs/{ids[0]}")
    assert asks["a text"]().status_code == asks["a saved run"]().status_code == 200


def test_a_queue_that_is_full_refuses(client: TestClient, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MOST_QUEUED", 2)
    before = set(catalog.scratch.iterdir())
    ids = [started(client) for _ in range(6)]
    answer = client.post("/api/runs", json={"script": WAITS})
    assert answer.status_code == 503 and "2 runs wait for their turn" in answer.json()["error"]
    assert {path.name for path in set(catalog.scratch.iterdir()) - before} == set(ids)
    client.delete(f"/api/runs/{ids[0]}")


def test_what_comes_beyond_waits_for_a_moment(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "PATIENCE_S", 30.0)
    monkeypatch.setattr(bounds, "MOST_WAITING", 2)
    ids = [started(client) for _ in range(4)]
    with ThreadPoolExecutor(8) as asking:
        text = {"scenario": SCENARIO}
        answers = [asking.submit(client.post, "/api/scenario/text", json=text) for _ in range(6)]
        refused: list[Any] = []
        for _ in range(200):
            refused = [one.result() for one in answers if one.done()]
            if len(refused) == 4:
                break
            time.sleep(0.05)
        assert [one.status_code for one in refused] == [503] * 4
        assert all("2 requests wait for a run to end" in one.json()["error"] for one in refused)
        for id in ids[:2]:
            client.delete(f"/api/runs/{id}")
        assert sorted(one.result().status_code for one in answers) == [200, 200, 503, 503, 503, 503]


def test_many_requests_at_once_start_no_more(client: TestClient, catalog: Catalog) -> None:
    most, is_over = 0, threading.Event()

    def look() -> None:
        nonlocal most
        while not is_over.wait(0.005):
            most = max(most, sum(one.poll() is None for one in list(catalog.workers._processes)))

    watcher = threading.Thread(target=look)
    watcher.start()
    with ThreadPoolExecutor(20) as asking:
        answers = list(
            asking.map(lambda _: client.post("/api/scenario/text", json={"scenario": SCENARIO}).status_code, range(40))
        )
    is_over.set()
    watcher.join()
    assert set(answers) <= {200, 429, 503} and answers.count(200) >= 4
    assert 2 <= most <= 4


def test_a_start_that_fails_leaves_no_folder(
    client: TestClient, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(catalog.scratch.iterdir())
    bad: dict[str, Any] = changed("flows.0.tcp", "fame")
    assert client.post("/api/runs", json={"scenario": bad}).status_code == 422
    assert client.post("/api/scenario/text", json={"scenario": bad}).status_code == 422
    assert client.post("/api/scenario/text", json={"scenario": SCENARIO}).status_code == 200
    monkeypatch.setattr(sys, "executable", "/not/there")
    answer = client.post("/api/runs", json={"script": WAITS})
    assert answer.status_code == 503 and "no process could be started" in answer.json()["error"]
    monkeypatch.undo()
    ids = [started(client) for _ in range(4)]
    monkeypatch.setattr(bounds, "PATIENCE_S", 0.0)
    assert client.post("/api/scenario/text", json={"scenario": SCENARIO}).status_code == 429
    assert {path.name for path in set(catalog.scratch.iterdir()) - before} == set(ids)


def begun(workers: Workers, kind: str, folder: Path, *words: str, limits: Limits | None = None) -> Any:
    """A process of the server's, and its output in `said` there."""
    descriptor = os.open(folder / "said", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    try:
        return workers.start(kind, folder, limits or Limits(), words, printed=descriptor, said=descriptor)
    finally:
        os.close(descriptor)


def became(process: subprocess.Popen[bytes], words: bytes) -> list[bytes]:
    """Its command line, once that has some word: a process becomes `ackclock ns2`."""
    for _ in range(400):
        line = Path(f"/proc/{process.pid}/cmdline").read_bytes().split(b"\0")
        if words in line:
            return line
        time.sleep(0.02)
    raise AssertionError(f"{line!r} has no {words!r}")


@needs_proc
def test_it_gets_nothing_of_the_servers_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    workers = Workers()
    (tmp_path / "script.tcl").write_text(WAITS)
    held = os.open(tmp_path / "secret", os.O_CREAT | os.O_RDWR)
    os.set_inheritable(held, True)
    try:
        process = begun(workers, "script", tmp_path)
        line = became(process, b"ns2")
        told = dict(
            pair.split(b"=", 1) for pair in Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0") if pair
        )
        assert told == {b"LANG": b"C.UTF-8", b"LC_ALL": b"C.UTF-8", b"HOME": os.fsencode(tmp_path)}
        assert line[1:6] == [b"-I", b"-m", b"ackclock", b"ns2", b"--safe"]
        options = dict(zip(line[6:12:2], line[7:12:2], strict=True))
        assert options == {b"--max-wall": b"270", b"--max-memory": b"2147483648", b"--max-output": b"1073741824"}
        opened = [os.readlink(entry) for entry in os.scandir(f"/proc/{process.pid}/fd")]
        assert not any(name.endswith("/secret") for name in opened)
    finally:
        os.close(held)
        workers.close()
    assert process.returncode == -signal.SIGKILL


def test_modules_in_the_folder_of_a_script_are_not_loaded(client: TestClient) -> None:
    names = ("re", "pathlib", "traceback", "json", "tkinter", "sitecustomize", "ackclock", "numpy", "difflib")
    evil = "import os; os.write(2, b'loaded'); os._exit(7)"
    writes = "\n".join(f"set f [open {name}.py w]; puts $f {{{evil}}}; close $f" for name in names)
    _, name, told = finished(client, {"script": f"{writes}\nset ns [new Simulator]\nproc f {{}} {{ nothing }}\nf"})
    assert name == "failed" and "loaded" not in told["stderr"]
    assert 'invalid command name "nothing"' in told["error"]


@needs_proc
def test_it_outlives_the_thread_that_asked_for_it(tmp_path: Path) -> None:
    """Linux tells a child of the end of the *thread* that started it (prctl(2), PR_SET_PDEATHSIG)."""
    workers = Workers()
    (tmp_path / "script.tcl").write_text(WAITS)
    found: list[subprocess.Popen[bytes]] = []

    def ask() -> None:
        found.append(begun(workers, "script", tmp_path))
        became(found[0], b"ns2")  # it has asked the system by then

    asker = threading.Thread(target=ask)
    asker.start()
    asker.join()
    with pytest.raises(subprocess.TimeoutExpired):
        found[0].wait(1.0)
    workers.close()
    assert found[0].returncode == -signal.SIGKILL


def test_it_ends_itself_when_its_time_is_over(tmp_path: Path) -> None:
    """Without the server's help: here nobody looks at the clock but the process."""
    (tmp_path / "wait.tcl").write_text(WAITS)
    limits = json.dumps(
        {"time_s": 5, "memory_bytes": 2 << 30, "output_bytes": 1 << 20, "clock_s": -3, "parent": os.getpid()}
    )
    line = [sys.executable, "-I", "-m", "ackclock.server.worker", "own", limits, "wait.tcl"]
    # It inherits what whoever started the server has set.
    former = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    try:
        process = subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.DEVNULL)
    finally:
        signal.signal(signal.SIGALRM, former)
    try:
        assert process.wait(20) == -signal.SIGALRM
    finally:
        kill(process) if process.poll() is None else None


def test_it_does_not_begin_without_its_server(tmp_path: Path) -> None:
    limits = {"time_s": 5, "memory_bytes": 2 << 30, "output_bytes": 1 << 20, "clock_s": 5, "parent": os.getppid()}
    (tmp_path / "wait.tcl").write_text("puts begun")
    line = [sys.executable, "-I", "-m", "ackclock.server.worker", "own", json.dumps(limits), "wait.tcl"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, b"")


@pytest.mark.parametrize(
    ("status", "said", "why"),
    [
        (-signal.SIGXCPU, "", "more than 60 s of processor time"),
        (-signal.SIGKILL, "", "more than 60 s of processor time"),
        (1, "ackclock: a.tcl: stopped: it took more processor time than the system allows\n", "60 s of processor time"),
        (-signal.SIGALRM, "", "more than 270 s, and"),
        (1, "ackclock: a.tcl: stopped: it took more than 270 s of real time\n", "more than 270 s, and"),
        (-signal.SIGXFSZ, "", "wrote more than 1024 MiB"),
        (1, "ackclock: a.tcl: stopped: it wrote more into a file than it may\n", "wrote more than 1024 MiB"),
        (1, "ackclock: a.tcl:3: error writing: File too large\n", "wrote more than 1024 MiB"),
        (1, "ackclock: a.tcl: stopped: it took 3000 MB of memory, more than 2147 MB\n", "more than 2048 MiB of memory"),
        (1, "ackclock: a.tcl: stopped: it needed more memory than 2147 MB, and was aborted\n", "2048 MiB of memory"),
        (1, "puts\nackclock: a.tcl:4: gone\n", "a.tcl:4: gone"),
        (3, "", "it ended with status 3 and said nothing"),
    ],
)
def test_why_it_ended(status: int, said: str, why: str) -> None:
    assert why in reason(status, said, Limits())


def test_a_closed_server_starts_nothing(tmp_path: Path) -> None:
    workers = Workers()
    workers.close()
    with pytest.raises(Refusal) as refused:
        begun(workers, "text", tmp_path)
    assert refused.value.status == 503


def test_a_link_that_a_script_left_is_not_followed(client: TestClient, catalog: Catalog, tmp_path: Path) -> None:
    """If a script got round `--safe`, the server must not read for it what it could not."""
    (tmp_path / "secret").write_text(LINE + "the key under the mat\n")
    script = 'puts "mine"; after 60000; puts "end"'
    id = started(client, script)
    folder = catalog.scratch / id
    for _ in range(200):
        if (folder / "stdout").read_text():
            break
        time.sleep(0.05)
    for name in ("stdout", "stderr"):
        (folder / name).unlink()
    for name in ("stdout", "stderr", "out.tr", "out.nam"):
        (folder / name).symlink_to(tmp_path / "secret")
    client.delete(f"/api/runs/{id}")
    told = client.get(f"/api/runs/{id}/events").text
    assert "mat" not in told and "mine" in told
    # A script of a study runs without `--safe`, and can make links.
    (tmp_path / "links.tcl").write_text(f"file link -symbolic out.tr {tmp_path}/secret")
    runs: Runs = client.app.state.runs  # type: ignore[attr-defined]
    run, _ = runs.start_own(tmp_path / "links.tcl", [], None)
    told = client.get(f"/api/runs/{run.id}/events").text
    assert (run.folder / "out.tr").is_symlink() and "the script wrote no trace" in told
