"""The playground's runs: each in a process of its own, with limits on time, memory and what it writes."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ackclock.server.child import RESULTS, SCENARIO, SCRIPT
from ackclock.server.errors import Refusal
from ackclock.server.shelf import Item, Shelf, kind_of, size

#: So many runs go on at a time, and the results of so many are kept.
MOST_AT_ONCE = 4
MOST_KEPT = 40
#: How often a run is looked at, s.
EVERY_S = 0.1
#: How long a request waits for whether its scenario can be simulated, s.
PATIENCE_S = 10.0
#: The end of what a run says on its standard error that is passed on, characters.
MOST_SAID = 4000
#: What Python, Tcl and Rust say when there is no more memory.
NO_MEMORY = ("MemoryError", "out of memory", "unable to alloc", "unable to realloc", "memory allocation of")
LESS = "simulate or trace less, or run it with ackclock itself"
#: Processor time's limit is told by this signal, a file's by the other.
TIME_OUT, TOO_MUCH = -signal.SIGXCPU, -signal.SIGXFSZ


@dataclass(frozen=True)
class Limits:
    """What a run may take."""

    #: Processor time, s.
    time_s: int = 60
    memory_bytes: int = 2 << 30
    #: All files together, and each.
    output_bytes: int = 1 << 30

    @property
    def clock_s(self) -> int:
        """How long it may take by the clock, s: other programs want the processor, too."""
        return 30 + 4 * self.time_s


class Run:
    """A run under way, or over."""

    def __init__(
        self, id: str, kind: str, folder: Path, limits: Limits, arguments: Sequence[str] = (), name: str = ""
    ) -> None:
        self.id, self.kind, self.folder, self.limits, self.name = id, kind, folder, limits, name
        self.simulated_s = 0.0
        self.fraction: float | None = None
        #: None while it is under way, "" when it ended well
        self.failed: str | None = None
        #: whether nothing more will happen to it
        self.is_over = False
        #: the recording's id, when it is over
        self.recording: str | None = None
        self._cancelled = False
        self._began = time.monotonic()
        line = [sys.executable, "-m", "ackclock.server.child", kind, json.dumps(asdict(limits)), *arguments]
        with (folder / "stderr").open("wb") as said, (folder / "stdout").open("wb") as printed:
            self._process = subprocess.Popen(
                line, cwd=folder, stdin=subprocess.DEVNULL, stdout=printed, stderr=said, start_new_session=True
            )

    def check(self) -> None:
        """Wait a moment for whether a scenario can be simulated. `Refusal` if not."""
        until = time.monotonic() + PATIENCE_S
        while self.kind == "scenario" and time.monotonic() < until and self._process.poll() is None:
            if (self.folder / "stdout").stat().st_size:
                break
            time.sleep(0.02)
        for line in _tail(self.folder / "stdout").splitlines() if self.kind == "scenario" else ():
            if '"error"' in line:
                told = json.loads(line)
                raise Refusal(422, told["error"], told["key"])

    def watch(self) -> None:
        """Follow it to its end."""
        while self._process.poll() is None:
            self._look()
            if time.monotonic() - self._began > self.limits.clock_s:
                self._end(f"it took more than {self.limits.clock_s} s, and was ended: {LESS}")
            elif self.written() > self.limits.output_bytes:
                self._end(f"it wrote more than {self.limits.output_bytes >> 20} MiB, and was ended")
            time.sleep(EVERY_S)
        self._look()

    def why(self) -> str:
        """What it ended by, in words; "" for a good end."""
        if self._cancelled:
            return "cancelled"
        status = self._process.returncode
        if self.failed or status == 0:
            return self.failed or ""
        if status in (TIME_OUT, -signal.SIGKILL):
            return f"it took more than {self.limits.time_s} s of processor time, and was ended: {LESS}"
        said = self.said()
        if status == TOO_MUCH or "file too large" in said.lower():  # Python and Tcl write it with other letters
            return f"it wrote more than {self.limits.output_bytes >> 20} MiB, and was ended: {LESS}"
        if any(words in said for words in NO_MEMORY):
            return f"it needed more than {self.limits.memory_bytes >> 20} MiB of memory: {LESS}"
        lines = said.strip().splitlines()
        return lines[-1].removeprefix("ackclock: ") if lines else f"it ended with status {status} and said nothing"

    @property
    def is_running(self) -> bool:
        """Whether its process is there."""
        return self._process.poll() is None

    def cancel(self) -> None:
        """End it."""
        if self.is_running:
            self._cancelled = True
            self._kill()

    def said(self) -> str:
        """The end of its standard error."""
        return _tail(self.folder / "stderr")

    def printed(self) -> str:
        """The end of a script's standard output."""
        return _tail(self.folder / "stdout") if self.kind != "scenario" else ""

    def written(self) -> int:
        """Bytes of its files."""
        return sum(size(Path(root) / name) for root, _, names in os.walk(self.folder) for name in names)

    def _look(self) -> None:
        """How far it has come: a scenario says so, a script's trace does."""
        if self.kind == "scenario":
            for line in _tail(self.folder / "stdout").splitlines()[::-1]:
                try:
                    told = json.loads(line)
                    self.simulated_s, self.fraction = float(told["simulated_s"]), float(told["fraction"])
                    return
                except (ValueError, KeyError, TypeError):
                    continue  # a line that is being written
            return
        for path in self.folder.iterdir():
            if path.name.endswith(".tr"):
                for line in _tail(path).splitlines()[:-1][::-1]:
                    try:
                        self.simulated_s = max(self.simulated_s, float(line.split()[1]))
                        break
                    except (ValueError, IndexError):
                        continue

    def _end(self, why: str) -> None:
        self.failed = why
        self._kill()

    def _kill(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


class Runs:
    """The runs of a server, by id."""

    def __init__(self, shelf: Shelf, limits: Limits | None = None) -> None:
        self.shelf = shelf
        self.limits = limits or Limits()
        self._folder = tempfile.TemporaryDirectory(prefix="ackclock-runs-")
        self._runs: dict[str, Run] = {}
        self._lock = threading.Lock()

    def run(self, id: str) -> Run:
        """A run. `Refusal` where there is none."""
        try:
            return self._runs[id]
        except KeyError:
            raise Refusal(404, f"there is no run {id!r}: the server was started anew") from None

    def start(self, asked: dict[str, Any]) -> Run:
        """Start what a request asks for: `scenario`, or `script` with `arguments`. `Refusal` if it cannot."""
        kinds = [kind for kind in ("scenario", "script") if kind in asked]
        if len(kinds) != 1:
            raise Refusal(400, 'expected {"scenario": {...}} or {"script": "...", "arguments": [...]}')
        arguments = asked.get("arguments", [])
        if not isinstance(arguments, list) or not all(isinstance(word, str | int | float) for word in arguments):
            raise Refusal(400, "arguments: expected a list of words")
        if kinds == ["script"] and not isinstance(asked["script"], str):
            raise Refusal(400, "script: expected a text, the Tcl")
        came = described(asked["scenario"]) if kinds == ["scenario"] else asked["script"]
        name = {"scenario": SCENARIO, "script": SCRIPT}[kinds[0]]
        called = asked["scenario"].get("name") if kinds == ["scenario"] else ""
        return self._start(kinds[0], [str(word) for word in arguments], {name: came}, str(called or ""))

    def start_own(self, script: Path, arguments: Sequence[str], defaults: str | None) -> Run:
        """Start a script that lies here, such as a study's, beside the files that it needs: without `--safe`."""
        options = [] if defaults is None else ["--defaults", defaults]
        return self._start("own", [*options, str(script.resolve()), *arguments], {})

    def _start(self, kind: str, words: Sequence[str], files: dict[str, str], called: str = "") -> Run:
        with self._lock:
            if sum(run.is_running for run in self._runs.values()) >= MOST_AT_ONCE:
                raise Refusal(429, f"{MOST_AT_ONCE} runs are under way: wait for one, or cancel it")
            self._forget()
            id = secrets.token_hex(6)
            folder = Path(self._folder.name, id)
            folder.mkdir()
            for name, text in files.items():
                (folder / name).write_text(text, encoding="utf-8")
            run = self._runs[id] = Run(id, kind, folder, self.limits, words, called)
        threading.Thread(target=self._follow, args=(run,), name=f"follows {id}", daemon=True).start()
        run.check()
        return run

    def texts(self, table: object) -> dict[str, str | None]:
        """A scenario as a TOML file and as an ns-2 script. `Refusal` where it is none."""
        came = described(table)
        limits = json.dumps({**asdict(self.limits), "time_s": 10})
        with tempfile.TemporaryDirectory(dir=self._folder.name) as folder:
            Path(folder, SCENARIO).write_text(came, encoding="utf-8")
            line = [sys.executable, "-m", "ackclock.server.child", "text", limits]
            done = subprocess.run(
                line, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
            )
        told: dict[str, str | None] = json.loads(done.stdout) if done.stdout else {"error": "the network is too large"}
        if told.get("error"):
            raise Refusal(422, told["error"] or "", told.get("key"))
        return told

    def _forget(self) -> None:
        """Let go of the runs that ended first."""
        over = [run for run in self._runs.values() if run.is_over]
        for run in over[: max(0, len(self._runs) - MOST_KEPT)]:
            del self._runs[run.id]
            self.shelf.remove(run.id)
            shutil.rmtree(run.folder, ignore_errors=True)

    def _follow(self, run: Run) -> None:
        run.watch()
        why = run.why()
        if not why:
            made = run.folder / RESULTS if run.kind == "scenario" else written_by(run.folder)
            if made is None:
                why = "the script wrote no trace; `$ns trace-all [open out.tr w]` makes it write one"
            else:
                kind = "run" if run.kind == "scenario" else kind_of(made.name) or "ns2"
                self.shelf.add(Item(run.id, run.name or f"{made.name} {run.id}", made, kind))
                run.recording = run.id
        run.failed = why
        run.is_over = True

    def close(self) -> None:
        """End what is under way, and let go of all."""
        for run in self._runs.values():
            run.cancel()
        self._folder.cleanup()


def described(table: object) -> str:
    """A scenario as it came, for the process that runs it. `Refusal` where it names Python or a file."""
    if not isinstance(table, dict):
        raise Refusal(422, "scenario: expected a table, as in a scenario file")
    _refuse_names(table)
    return json.dumps(table)


def _refuse_names(value: object, key: str = "") -> None:
    """`Refusal` for a control or queue that is a class in a file of Python, and for a recording that is a file."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        path = f"{key}.{name}" if key else str(name)
        if name in ("control", "kind", "queue") and isinstance(part, str) and ":" in part:
            raise Refusal(422, f"{path} = {part!r}: the page runs no Python; `ackclock run` does", path)
        if name == "deliveries" and isinstance(part, str):
            raise Refusal(
                422, f"{path} = {part!r}: the page reads no file; give the numbers, or use `ackclock run`", path
            )
        _refuse_names(part, path)


def written_by(folder: Path) -> Path | None:
    """What a script wrote: its animation, which has the topology, else its trace; the biggest of several."""
    found = [path for path in folder.rglob("*") if kind_of(path.name) and path.is_file() and path.stat().st_size]
    return max(found, key=lambda path: (kind_of(path.name) == "nam", path.stat().st_size), default=None)


def _tail(path: Path) -> str:
    """The end of a file, as far as it is text."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - MOST_SAID))
            return file.read(MOST_SAID).decode("utf-8", "replace")
    except OSError:
        return ""
