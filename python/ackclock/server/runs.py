"""The playground's runs: what a request asks for, how many at a time, and what becomes of their results."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import stat
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ackclock.server.catalog import Catalog, Item, kind_of
from ackclock.server.errors import Refusal
from ackclock.server.files import shown
from ackclock.server.run import Run
from ackclock.server.turns import Turns
from ackclock.server.validate import MOST_NAME, described, words_of
from ackclock.server.worker import RESULTS, SCENARIO, SCRIPT
from ackclock.server.workers import Limits

#: The results of so many runs are kept.
MOST_KEPT = 40
#: Between two looks at whether a run has started, s.
EVERY_S = 0.02
#: What telling a scenario in other words may take: it simulates nothing.
TEXT_TIME_S, TEXT_BYTES = 10, 64 << 20


class Runs:
    """The runs of a server, by id."""

    def __init__(self, catalog: Catalog, limits: Limits | None = None) -> None:
        self.catalog = catalog
        self.limits = limits or Limits()
        catalog.limits = self.limits
        self._turns = Turns()
        self._runs: dict[str, Run] = {}
        #: descriptions of scenarios -> the run of each: equal ones are one run, since runs are deterministic
        self._equal: dict[str, Run] = {}
        #: the keys of the requests for a run that have not left it, by the run's id
        self._asked: dict[str, set[str]] = {}
        self._lock = threading.Lock()

    def run(self, id: str) -> Run:
        """A run. `Refusal` where there is none."""
        try:
            return self._runs[id]
        except KeyError:
            raise Refusal(404, f"unknown run {id!r}: the server was restarted") from None

    def start(self, asked: dict[str, Any]) -> tuple[Run, str]:
        """Start what a request asks for: `scenario`, or `script` with `arguments`; the run, and the key of this
        request. `Refusal` if it cannot.
        """
        kinds = [kind for kind in ("scenario", "script") if kind in asked]
        if len(kinds) != 1:
            raise Refusal(400, 'expected {"scenario": {...}} or {"script": "...", "arguments": [...]}')
        words = words_of(asked.get("arguments", []))
        if kinds == ["script"] and not isinstance(asked["script"], str):
            raise Refusal(400, "script: expected a text, the Tcl")
        came = described(asked["scenario"]) if kinds == ["scenario"] else asked["script"]
        name = {"scenario": SCENARIO, "script": SCRIPT}[kinds[0]]
        called = asked["scenario"].get("name") if kinds == ["scenario"] else ""
        return self._start(
            kinds[0], words, {name: came}, str(called or "")[:MOST_NAME], came if kinds == ["scenario"] else None
        )

    def _shared(self, came: str | None) -> Run | None:
        """The run of an equal scenario, unless it has failed. It needs the lock."""
        run = None if came is None else self._equal.get(came)
        if run is None or run.id not in self._runs or run.is_cancelled or (run.is_over and run.failed):
            return None
        return run

    def cancel(self, id: str, key: str | None = None) -> Run:
        """End a run when no request for it is left. One with a `key` leaves once, however often it says so; without a
        key any does. `Refusal` where there is no such run.
        """
        run = self.run(id)
        with self._lock:
            asked = self._asked.get(id, set())
            if key is None and asked:
                asked.pop()
            elif key is not None:
                asked.discard(key)
            is_last = not asked
        if is_last:
            run.cancel()
        return run

    def start_own(self, script: Path, arguments: Sequence[str], defaults: str | None) -> tuple[Run, str]:
        """Start a script that lies here, such as a study's, beside the files that it needs: without `--safe`."""
        options = [] if defaults is None else ["--defaults", defaults]
        return self._start("own", [*options, str(script.resolve()), *arguments], {})

    def place(self, run: Run) -> int | None:
        """A run's place among those that wait for a process, 1 for the next; None for one that does not wait."""
        return self._turns.place(run.id)

    def _start(
        self, kind: str, words: Sequence[str], files: dict[str, str], called: str = "", came: str | None = None
    ) -> tuple[Run, str]:
        """A new run, or that of an equal description `came`: of many that ask at once, one starts it."""
        key = secrets.token_hex(6)
        with self._lock:
            equal = self._shared(came)
            if equal is None:
                run = self._made(kind, words, files, self.limits, called)
                try:
                    self._turns.join(run.id)
                except Refusal:
                    shutil.rmtree(run.folder, ignore_errors=True)
                    raise
                self._forget()
                self._runs[run.id] = run
                self._asked[run.id] = {key}
                if came is not None:
                    self._equal[came] = run
            else:
                self._asked[equal.id].add(key)
        if equal is not None:
            if self._has_started(equal):
                equal.check()
            return equal, key
        follower = threading.Thread(target=self._follow, args=(run,), name=f"follows {run.id}", daemon=True)
        follower.start()
        try:
            if self._has_started(run):
                run.check()
        except Refusal:
            # It is answered at once, and nobody gets an id to ask for more.
            with self._lock:
                self._runs.pop(run.id, None)
                self._asked.pop(run.id, None)
                if came is not None and self._equal.get(came) is run:
                    del self._equal[came]
            run.cancel()
            follower.join()
            self._discard(run)
            raise
        return run, key

    def _has_started(self, run: Run) -> bool:
        """Wait for a run's process. False where it has to wait for its turn; `Refusal` where it cannot start."""
        while not run.has_started:
            if run.refused is not None:
                raise run.refused
            if run.is_over:
                return False
            if (self._turns.place(run.id) or 1) > 1 or (self.catalog.workers.is_full and not run.has_started):
                return False
            time.sleep(EVERY_S)
        return True

    def _made(self, kind: str, words: Sequence[str], files: dict[str, str], limits: Limits, called: str = "") -> Run:
        """A run that has not begun, in a new folder. `Refusal`, and no folder, if it cannot be made."""
        id = secrets.token_hex(6)
        folder = self.catalog.scratch / id
        try:
            folder.mkdir()
            for name, text in files.items():
                (folder / name).write_text(text, encoding="utf-8")
            return Run(id, kind, folder, limits, self.catalog.workers, words, called)
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise Refusal(503, f"a run could not be started: {error.strerror or error}") from None
            raise

    def texts(self, table: object) -> dict[str, str | None]:
        """A scenario as a TOML file and as an ns-2 script. `Refusal` where it is none."""
        limits = replace(self.limits, time_s=TEXT_TIME_S, output_bytes=TEXT_BYTES)
        run = self._made("text", (), {SCENARIO: described(table)}, limits)
        try:
            run.begin()
            run.watch()
            why = run.why() or "its process wrote nothing that could be read"
            try:
                told: dict[str, str | None] = json.loads(run.output())
            except ValueError:
                told = {"error": why}
        finally:
            run.cancel()
            shutil.rmtree(run.folder, ignore_errors=True)
        if told.get("error"):
            raise Refusal(422, told["error"] or "", told.get("key"))
        return told

    def _forget(self) -> None:
        """Let go of the runs that ended first."""
        over = [run for run in self._runs.values() if run.is_over]
        for run in over[: max(0, len(over) + 1 - MOST_KEPT)]:
            del self._runs[run.id]
            self._asked.pop(run.id, None)
            self._equal = {came: other for came, other in self._equal.items() if other is not run}
            self._discard(run)

    def _discard(self, run: Run) -> None:
        self.catalog.remove(run.id)
        shutil.rmtree(run.folder, ignore_errors=True)

    def _follow(self, run: Run) -> None:
        try:
            self._begin(run)
            run.watch()
            why = run.why()
        except OSError as error:
            run.cancel()
            why = f"it could not be followed: {error.strerror or error}"
        if not why:
            made = run.folder / RESULTS if run.kind == "scenario" else written_by(run.folder)
            if made is None:
                why = "the script wrote no trace; `$ns trace-all [open out.tr w]` makes it write one"
            else:
                kind = "run" if run.kind == "scenario" else kind_of(made.name) or "ns2"
                self.catalog.add(Item(run.id, run.name or f"{shown(made.name)} {run.id}", made, kind))
                run.recording = run.id
        run.failed = why
        run.is_over = True

    def _begin(self, run: Run) -> None:
        """Start a run when it is its turn and there is room, unless nobody wants it any more."""

        def is_wanted() -> bool:
            return not run.is_cancelled and not self.catalog.workers.is_closed

        try:
            if self._turns.wait(run.id, is_wanted):
                # A run that has started waits no more: whoever looks sees both or neither.
                run.begin(is_wanted, lambda: self._turns.leave(run.id))
        except Refusal as refusal:
            run.refused = refusal
        finally:
            self._turns.leave(run.id)

    def close(self) -> None:
        """End what is under way, and let go of all."""
        for run in list(self._runs.values()):
            run.cancel()


def written_by(folder: Path) -> Path | None:
    """What a script wrote: its animation, which has the topology, else its trace; the biggest of several.

    Links do not count: they lead to what the script did not write.
    """
    found = []
    for path in folder.rglob("*"):
        kind = kind_of(path.name)
        if kind is not None:
            made = os.lstat(path)
            if stat.S_ISREG(made.st_mode) and made.st_size:
                found.append((kind == "nam", made.st_size, path))
    return max(found, default=(False, 0, None))[2]
