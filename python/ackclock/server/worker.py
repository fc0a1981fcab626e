"""The process that a run of the playground is, in the run's folder: `python -m ackclock.server.worker KIND LIMITS`.

It limits itself before it reads what came from the page: a network of a billion nodes is its own trouble, not the
server's. Of a scenario it tells on standard output, a line of JSON each, that it can be simulated or why not, and how
far it has come; of kind `text` it tells the scenario as a TOML file and as an ns-2 script. A `script` came from the
page and runs safely; of kind `own` it is one that lies here.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock._native import die_with_parent

if TYPE_CHECKING:
    from ackclock.scenario import Scenario, ScenarioError

#: In a run's folder: what came, and what comes of it.
SCENARIO, SCRIPT, RESULTS, TRACE = "scenario.json", "script.tcl", "run", "packets.tr"
#: Between two lines of progress, s.
EVERY_S = 0.1
#: How much longer than the server would let it a process may take by the clock, s.
GRACE_S = 5
#: An error is told in so many characters: it may repeat what came.
MOST_SAID = 2000


def main(words: list[str]) -> int:
    """Run it; the exit status."""
    kind, limits = words[0], json.loads(words[1])
    die_with(int(limits["parent"]))
    limit(limits)
    # Isolated: the folder that a script writes into is no place for modules to come from.
    ns2 = [sys.executable, "-I", "-m", "ackclock", "ns2"]
    if kind == "script":
        # A process of its own kind, so that the script's standard output is the script's alone.
        os.execv(ns2[0], [*ns2, "--safe", *options(limits), SCRIPT, *words[2:]])
    if kind == "own":
        os.execv(ns2[0], [*ns2, *words[2:]])
    return text() if kind == "text" else scenario()


def die_with(parent: int) -> None:
    """Have the system kill this process when its parent, the server, ends. What it executes later is killed, too."""
    die_with_parent()
    if os.getppid() != parent:
        sys.exit(1)  # it ended before that


def options(limits: dict[str, float]) -> list[str]:
    """The limits as `ackclock ns2` takes them."""
    named = {"--max-wall": "clock_s", "--max-memory": "memory_bytes", "--max-output": "output_bytes"}
    return [word for option, name in named.items() for word in (option, str(limits[name]))]


def limit(limits: dict[str, float]) -> None:
    """Limits that the system enforces, also when the server is not there to do it.

    Processor time (one second more to say so), real time, memory, and the size of a file.
    """
    # Whoever started the server may have had these ignored or blocked, which is inherited.
    for number in (signal.SIGALRM, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGALRM, signal.SIGXCPU))
    # The server ends it first, and says why. An alarm stays set when another program is executed (alarm(2)).
    signal.alarm(int(limits["clock_s"]) + GRACE_S)
    time_s = int(limits["time_s"])
    resource.setrlimit(resource.RLIMIT_CPU, (time_s, time_s + 1))
    resource.setrlimit(resource.RLIMIT_AS, (int(limits["memory_bytes"]),) * 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limits["output_bytes"]),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def scenario() -> int:
    """Run the scenario that came."""
    from ackclock.execution.simulate import SimulationError, run
    from ackclock.scenario import ScenarioError

    told = 0.0

    def tell(now_s: float, duration_s: float) -> None:
        nonlocal told
        if time.monotonic() - told > EVERY_S:
            told = time.monotonic()
            print(json.dumps({"simulated_s": now_s, "fraction": now_s / duration_s}), flush=True)

    try:
        network = checked()
        print(json.dumps({"simulated_s": 0.0, "fraction": 0.0}), flush=True)
        # The page draws each change. Keeping them adds no event to the simulation.
        network = replace(network, record=replace(network.record, changes=True))
        results = run(network, trace=TRACE, progress=tell)
        folder = results.save(RESULTS)
        Path(TRACE).rename(folder / TRACE)
    except ScenarioError as error:
        print(json.dumps(refused(error)), flush=True)
        return 1
    except SimulationError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(error.strerror or error, file=sys.stderr)
        return 1
    except MemoryError:
        print("out of memory", file=sys.stderr)
        return 1
    return 0


def text() -> int:
    """Tell the scenario that came in other words; `lacks` is why there is no script."""
    from ackclock.scenario import ScenarioError
    from ackclock.scenario.formats import as_tcl, as_toml

    told: dict[str, str | None]
    try:
        network = checked()
        told = {"toml": as_toml.text(network), "tcl": None, "lacks": None}
        try:
            told["tcl"] = as_tcl.script(network, "out.tr", "out.nam")
        except ScenarioError as error:
            told["lacks"] = str(error)
    except ScenarioError as error:
        told = refused(error)
    print(json.dumps(told), flush=True)
    return 0


def refused(error: ScenarioError) -> dict[str, str | None]:
    """What is told of a scenario that cannot be simulated."""
    return {"error": str(error)[:MOST_SAID], "key": error.key and error.key[:MOST_SAID]}


def checked() -> Scenario:
    """The scenario that came. `ScenarioError` where it cannot be simulated."""
    from ackclock.scenario import Scenario
    from ackclock.scenario.resolve.network import resolve

    table: dict[str, Any] = json.loads(Path(SCENARIO).read_text(encoding="utf-8"))
    scenario = Scenario.of(table)
    resolve(scenario)
    return scenario


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
