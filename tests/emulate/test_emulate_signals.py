"""Emulations ended by signals at random moments: no namespace and no program is left behind.

ACKCLOCK_SIGNALS says how often each signal is sent (5).
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ackclock.emulate.namespaces import missing

REASON = missing()
pytestmark = [pytest.mark.serial, pytest.mark.skipif(REASON is not None, reason=f"no network namespaces: {REASON}")]

EACH = int(os.environ.get("ACKCLOCK_SIGNALS", "5"))

#: Names that no other test has: several may run on one machine.
NODES = (f"sa{os.getpid()}", f"sb{os.getpid()}")
NET = f"""
duration = "60 s"
external_nodes = ["{NODES[0]}", "{NODES[1]}"]
[topology]
kind = "graph"
nodes = ["{NODES[0]}", "{NODES[1]}"]
[[topology.links]]
ends = ["{NODES[0]}", "{NODES[1]}"]
rate = "1 Mb/s"
delay = "1 ms"
"""
#: In the command line of every program that is started here.
MARK = f"{os.getpid()}.98765"
#: A program that starts another one and does not wait for it.
PROGRAM = f"sh -c 'sleep {MARK} & sleep {MARK}; true'"


def namespaces(names: tuple[str, ...] = NODES) -> list[str]:
    return [name for name in names if (Path("/run/netns") / f"ackclock-{name}").exists()]


def programs() -> list[bytes]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes()
        except OSError:
            continue
        if MARK.encode() in words:
            found.append(words)
    return found


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    (folder / "net.toml").write_text(NET)
    line = [sys.executable, "-m", "ackclock", "emulate", "net.toml", *words]
    return subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def until(condition: object, within_s: float = 10) -> bool:
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.01)
    return False


@pytest.fixture
def foreign() -> Iterator[str]:
    """A namespace that another program has made, with a name like ours."""
    name = f"other{os.getpid()}"
    subprocess.run(["ip", "netns", "add", f"ackclock-{name}"], check=True)
    yield name
    subprocess.run(["ip", "netns", "delete", f"ackclock-{name}"], check=True)


def test_the_programs_run_and_are_counted(tmp_path: Path) -> None:
    emulation = start(tmp_path, "--at", NODES[0], PROGRAM)
    # The shell, and two programs.
    assert until(lambda: len([words for words in programs() if words.startswith((b"sh", b"sleep"))]) == 3)
    assert namespaces() == list(NODES)
    emulation.send_signal(signal.SIGTERM)
    said = emulation.communicate(timeout=20)
    assert emulation.returncode == 128 + signal.SIGTERM, said
    assert "ended by SIGTERM" in said[1] and "packets came in" in said[0]
    assert programs() == [] and namespaces() == []


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signals_at_any_moment(name: str, tmp_path: Path, foreign: str) -> None:
    number, chance = signal.Signals[name], random.Random(name)
    begun = 0
    for attempt in range(EACH):
        emulation = start(tmp_path, "--at", NODES[0], PROGRAM)
        if attempt % 2:  # from where namespaces are made on
            assert until(lambda: namespaces() != [])
            time.sleep(chance.uniform(0, 0.5))
        else:
            time.sleep(chance.uniform(0, 1))
        begun += namespaces() != []
        emulation.send_signal(number)
        said = emulation.communicate(timeout=20)
        # Before there is anything to remove, the signal ends it as it ends every program of Python.
        expected = {128 + number, -number}
        assert emulation.returncode in expected, (attempt, said)
        assert programs() == [] and namespaces() == [], (attempt, said)
    print(f"{name}: {EACH} sent, {begun} of them while there were namespaces")
    assert begun >= EACH // 2 and namespaces((foreign,)) == [foreign]


def test_kills_are_cleaned_up_by_the_next_run(tmp_path: Path, foreign: str) -> None:
    chance, begun, left = random.Random("SIGKILL"), 0, 0
    for attempt in range(EACH):
        emulation = start(tmp_path, "--at", NODES[0], PROGRAM)
        if attempt % 2:
            assert until(lambda: len(programs()) >= 3)
        else:
            assert until(lambda: namespaces() != [])
            time.sleep(chance.uniform(0, 0.5))
        begun += 1
        emulation.kill()
        emulation.wait(20)  # the pipes stay open: the second `sleep` has them
        # What the emulation itself has started dies with it.
        assert until(lambda: not any(words.startswith((b"sh", b"ip")) for words in programs()), 2)
        left += namespaces() != []
        following = start(tmp_path, "--for", "0.05 s")
        said = following.communicate(timeout=30)
        emulation.communicate(timeout=20)
        assert following.returncode == 0, (attempt, said)
        assert programs() == [] and namespaces() == [], (attempt, said)
    print(f"SIGKILL: {begun} sent, {left} left namespaces, which the next run removed")
    assert left > 0 and namespaces((foreign,)) == [foreign]


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(NET)
    line = ["nohup", sys.executable, "-m", "ackclock", "emulate", "net.toml", "--for", "2 s"]
    emulation = subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert until(lambda: len(namespaces()) == 2)
    emulation.send_signal(signal.SIGHUP)
    assert "packets came in" in emulation.communicate(timeout=20)[0]
    assert emulation.returncode == 0


def test_the_results_are_saved_when_the_terminal_has_gone(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(NET)
    terminal, end = os.openpty()
    line = [sys.executable, "-m", "ackclock", "emulate", "net.toml", "--out", "results"]
    emulation = subprocess.Popen(line, cwd=tmp_path, stdin=end, stdout=end, stderr=end)
    os.close(end)
    assert until(lambda: len(namespaces()) == 2)
    time.sleep(0.5)
    os.close(terminal)  # what is written from now on is an error, EIO
    emulation.send_signal(signal.SIGHUP)
    emulation.wait(20)
    assert namespaces() == []
    assert (tmp_path / "results" / "run.json").is_file()
