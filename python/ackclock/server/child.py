"""The process that a run of the playground is, in the run's folder: `python -m ackclock.server.child KIND LIMITS`.

It limits itself before it reads what came from the page: a network of a billion nodes is its own trouble, not the
server's. Of a scenario it tells on standard output, a line of JSON each, that it can be simulated or why not, and how
far it has come; of kind `text` it tells the scenario as a TOML file and as an ns-2 script. A `script` came from the
page and runs safely; of kind `own` it is one that lies here.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ackclock.scenario import Scenario

#: In a run's folder: what came, and what comes of it.
SCENARIO, SCRIPT, RESULTS, TRACE = "scenario.json", "script.tcl", "run", "packets.tr"
#: Between two lines of progress, s.
EVERY_S = 0.1


def main(words: list[str]) -> int:
    """Run it; the exit status."""
    kind, limits = words[0], json.loads(words[1])
    limit(limits)
    if kind == "script":
        # A process of its own kind, so that the script's standard output is the script's alone.
        os.execv(sys.executable, [sys.executable, "-m", "ackclock", "ns2", "--safe", SCRIPT, *words[2:]])
    if kind == "own":
        os.execv(sys.executable, [sys.executable, "-m", "ackclock", "ns2", *words[2:]])
    return text() if kind == "text" else scenario()


def limit(limits: dict[str, float]) -> None:
    """Processor time (one second more to say so), memory, and the size of a file: the system enforces them."""
    time_s = int(limits["time_s"])
    resource.setrlimit(resource.RLIMIT_CPU, (time_s, time_s + 1))
    resource.setrlimit(resource.RLIMIT_AS, (int(limits["memory_bytes"]),) * 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limits["output_bytes"]),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def scenario() -> int:
    """Run the scenario that came."""
    from ackclock.scenario import ScenarioError
    from ackclock.simulate import SimulationError, run

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
        print(json.dumps({"error": str(error), "key": error.key}), flush=True)
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
    from ackclock.scenario import ScenarioError, as_tcl, as_toml

    told: dict[str, str | None]
    try:
        network = checked()
        told = {"toml": as_toml.text(network), "tcl": None, "lacks": None}
        try:
            told["tcl"] = as_tcl.script(network, "out.tr", "out.nam")
        except ScenarioError as error:
            told["lacks"] = str(error)
    except ScenarioError as error:
        told = {"error": str(error), "key": error.key}
    print(json.dumps(told), flush=True)
    return 0


def checked() -> Scenario:
    """The scenario that came. `ScenarioError` where it cannot be simulated."""
    from ackclock.scenario import Scenario
    from ackclock.scenario.network import resolve

    table: dict[str, Any] = json.loads(Path(SCENARIO).read_text(encoding="utf-8"))
    scenario = Scenario.of(table)
    resolve(scenario)
    return scenario


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
