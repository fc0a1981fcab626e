"""The playground's runs: what a request asks for, how many at a time, and what becomes of their results."""

from __future__ import annotations

import json
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ackclock.server.child import RESULTS, SCENARIO, SCRIPT
from ackclock.server.errors import Refusal
from ackclock.server.run import Limits, Run
from ackclock.server.shelf import Item, Shelf, kind_of

#: So many runs go on at a time, and the results of so many are kept.
MOST_AT_ONCE = 4
MOST_KEPT = 40


class Runs:
    """The runs of a server, by id."""

    def __init__(self, shelf: Shelf, limits: Limits | None = None) -> None:
        self.shelf = shelf
        self.limits = limits or Limits()
        shelf.limits = self.limits
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
