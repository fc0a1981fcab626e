"""Scenario files: read, resolved, written again as TOML and as a script; some of the good ones are run for a moment."""

from __future__ import annotations

import os
import resource
import signal
import sys
import traceback
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import ackclock as ac
from ackclock.execution.simulate import SimulationError, run
from ackclock.scenario import Scenario
from ackclock.scenario.errors import ScenarioError
from ackclock.scenario.formats import as_tcl, as_toml
from ackclock.scenario.formats.read import load
from ackclock.scenario.resolve.network import resolve
from fuzz.reading import Offer, Violation, kind_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

WHAT = "scenario files (TOML): read, resolved, written again; one good one in 200 is run for a moment"
NAMES = [word for word, _ in (*ac._native.queue_disciplines(), *ac._native.tcp_senders())]
WORDS = [f'"{name}"'.encode() for name in (*NAMES, "1 Mb/s", "10 ms", "20 packets")] + [b"true", b"false", b"[[flows]]"]
#: A good scenario is run for so much processor time, s.
RUN_S = 1
EACH = 200


def prepared(scratch: Path) -> Offer:
    """The way to offer it an input."""
    file = scratch / "scenario.toml"
    good = 0

    def offer(data: bytes) -> str:
        nonlocal good
        file.write_bytes(data)
        try:
            scenario = load(file)
        except ScenarioError as error:
            if not str(error).startswith(str(file)):
                raise Violation(f"the error does not say the file: {error}") from error
            return kind_of(str(error).removeprefix(str(file)))
        except OSError as error:
            return kind_of(error.strerror)
        good += 1
        again = Scenario.of(tomllib.loads(as_toml.text(scenario)))
        if again.table() != scenario.table():
            raise Violation("what was written again says something else")
        with suppress(ScenarioError):
            as_tcl.script(scenario, "out.tr", "out.nam")
        if good % EACH == 0:
            _run(scenario)
        return f"good: {sorted({flow.tcp for flow in scenario.flows if flow.tcp is not None}, key=str)}"

    return offer


def _run(scenario: Scenario) -> None:
    """Run it in a process of its own: one that goes on for long is no failure, one that breaks is."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (RUN_S, RUN_S + 1))
        status = 0
        try:
            resolve(scenario)
            run(replace(scenario, record=replace(scenario.record, changes=True)))
        except (ScenarioError, SimulationError, MemoryError, OSError):
            pass
        except BaseException:
            os.write(write_end, traceback.format_exc()[-4000:].encode())
            status = 1
        os._exit(status)
    os.close(write_end)
    _, status = os.waitpid(child, 0)
    said = os.read(read_end, 5000).decode()
    os.close(read_end)
    if status not in (0, signal.SIGXCPU, signal.SIGKILL):
        raise RuntimeError(f"a run ended with status {status}: {said}")
