"""How much of a sweep's time is not the engine's, and how much memory many runs take.

    python benches/sweeps.py [--runs 1000,10000] [--jobs 1,2] [--write]

Each line is a process of its own: a sweep of a dumbbell of 10 Mb/s and 10 seconds with two flows and a random loss in
a thousand packets, ten replications a point, into an empty store. What counts is processor time, since the machine may
have other work to do: that of the whole process, its start and end included, and that which its threads were in the
engine. Memory is the process's own peak. `--write` writes the table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import page

REPLICATIONS = 10


def main() -> int:
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", default="1000,10000", help="numbers of runs")
    parser.add_argument("--jobs", default="1,2", help="numbers of threads")
    parser.add_argument("--write", action="store_true", help="write the table into docs/performance.md")
    parser.add_argument("--one", metavar="RUNS,JOBS,STORE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    load = os.getloadavg()[0]
    if options.one:
        runs, jobs, store = options.one.split(",")
        print(json.dumps(one(int(runs), int(jobs), store)))
        return 0
    lines = [
        "| runs | threads | CPU, s | in the engine, s | outside | wall, s | peak memory, MB | store, MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for runs in map(int, options.runs.split(",")):
        for jobs in map(int, options.jobs.split(",")):
            with tempfile.TemporaryDirectory(prefix="ackclock-") as store:
                line = [sys.executable, __file__, "--one", f"{runs},{jobs},{store}"]
                found = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
            outside = 1 - found["engine_s"] / found["cpu_s"]
            lines.append(
                f"| {runs:,} | {jobs} | {found['cpu_s']:.1f} | {found['engine_s']:.1f} | {outside:.1%}"
                f" | {found['wall_s']:.0f} | {found['peak_mb']:.0f} | {found['store_mb']:.1f} |"
            )
            print(lines[-1], file=sys.stderr)
    print("\n".join(lines))
    if options.write:
        here = f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, {time.strftime('%Y-%m-%d')}"
        page.put("sweeps", "\n".join([f"{here}; load before it {load:.1f}", "", *lines]))
    return 0


class Timed:
    """An engine whose time is counted."""

    total_s = 0.0
    lock = threading.Lock()

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def run_scheduled(self, progress: None) -> None:
        """Run, and count."""
        began = time.thread_time()
        self._engine.run_scheduled(progress)
        took = time.thread_time() - began
        with Timed.lock:
            Timed.total_s += took


def one(runs: int, jobs: int, store: str) -> dict[str, float]:
    """One sweep in this process: seconds, megabytes."""
    began = time.monotonic()
    import ackclock as ac
    from ackclock.execution.simulate import CompiledScenario, StartedRun

    begin = CompiledScenario.begin

    def timed(self: CompiledScenario, seed: int) -> StartedRun:
        begun = begin(self, seed)
        begun.engine = Timed(begun.engine)  # type: ignore[assignment]
        return begun

    CompiledScenario.begin = timed  # type: ignore[method-assign]
    lossy = ac.Link(rate="10 Mb/s", delay="20 ms", loss=ac.Loss(rate=0.001))
    scenario = ac.Scenario(
        topology=ac.Dumbbell(pairs=2, bottleneck=lossy),
        flows=[ac.Flow(pair=1, tcp="sack"), ac.Flow(pair=2, tcp="reno", start="0.1 s")],
        duration="10 s",
        record=ac.Record(sample="0 s"),
    )
    points = runs // REPLICATIONS
    delays = [f"{10 + 10 * number / points:.4f} ms" for number in range(points)]
    done = ac.sweep(
        scenario, vary={"topology.bottleneck.delay": delays}, replications=REPLICATIONS, jobs=jobs, store=store
    )
    assert done.done == runs
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "cpu_s": used.ru_utime + used.ru_stime,
        "engine_s": Timed.total_s,
        "wall_s": time.monotonic() - began,
        "peak_mb": used.ru_maxrss / 1024,
        "store_mb": sum(file.stat().st_size for file in Path(store).rglob("*") if file.is_file()) / 1e6,
    }


if __name__ == "__main__":
    sys.exit(main())
