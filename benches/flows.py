"""How the engine's cost grows with the number of flows, and what a second thread costs.

    python benches/flows.py [--most FLOWS] [--write]

Runs of crates/engine/examples/dumbbell.rs, a process each, in which each flow has 1 Mb/s of the bottleneck and two
packets of its queue. Shown are medians of processor time by packet-hop without that of a run of no length, which is the
set-up, and for many flows the most memory of both, without what a process with ten flows takes. `--write` puts the
table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import page
from instructions import build

#: flows, and simulated seconds: enough packet-hops to measure, few enough to wait for
SIZES = ((10, 400.0), (100, 80.0), (1_000, 12.0), (10_000, 3.0), (100_000, 1.2))
ROUNDS = 5


class Done(NamedTuple):
    """What a process took; its peak memory is `None` where the system does not tell."""

    cpu_s: float
    wall_s: float
    peak_kb: float | None
    hops: int


def run(program: Path, flows: int, seconds: float, threads: int = 1) -> Done:
    """One process."""
    words = [flows, flows, max(20, 2 * flows), seconds, "sack", "drop_tail", 1, threads]
    with tempfile.TemporaryFile() as out:
        begun = time.perf_counter()
        process = subprocess.Popen([str(program), *map(str, words)], stdout=out)
        _, status, used = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{program.name} {words}: exit status {process.returncode}")
        out.seek(0)
        printed = out.read().decode()
        hops = sum(int(found) for found in re.findall(r"(\d+) packet-hops", printed))
        peak_kib = re.search(r"(\d+) kB of memory", printed)
    return Done(used.ru_utime + used.ru_stime, wall_s, int(peak_kib[1]) * 1.024 if peak_kib else None, hops)


def main() -> int:
    """Run, print, and write on request."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--most", type=int, default=SIZES[-1][0], metavar="FLOWS", help="stop there")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    program = build()
    lines = [
        "| flows | set-up, s | million hops | ns a hop | by that of ten flows | kB a flow, set up | and run |",
        "|---|---|---|---|---|---|---|",
    ]
    sizes = [size for size in SIZES if size[0] <= options.most]
    rounds: list[list[tuple[Done, Done]]] = []
    for done in range(ROUNDS):
        print(f"round {done + 1} of {ROUNDS}", file=sys.stderr, flush=True)
        rounds.append([(run(program, flows, 0.0), run(program, flows, seconds)) for flows, seconds in sizes])
    program_kb = rounds[0][0][0].peak_kb
    by_round = [[(moving.cpu_s - still.cpu_s) * 1e9 / moving.hops for still, moving in each] for each in rounds]
    for place, (flows, _) in enumerate(sizes):
        runs = [each[place] for each in rounds]
        each_ns = statistics.median(each[place] for each in by_round)
        ratio = statistics.median(each[place] / each[0] for each in by_round)
        set_up_s = statistics.median(still.cpu_s for still, _ in runs)
        cells = [f"{flows:,}", f"{set_up_s:.2f}", f"{runs[0][1].hops / 1e6:.1f}", f"{each_ns:.0f}", f"{ratio:.1f}"]
        for peak_kb in (done.peak_kb for done in runs[0]):
            if flows < 10_000 or peak_kb is None or program_kb is None:
                cells.append("")
            else:
                cells.append(f"{(peak_kb - program_kb) / flows:.2f}")
        lines.append(f"| {' | '.join(cells)} |")
    pairs = [(run(program, 10, 2000.0), run(program, 10, 2000.0, threads=2)) for _ in range(ROUNDS)]
    wall = statistics.median(two.wall_s / one.wall_s for one, two in pairs)
    cpu = statistics.median(two.cpu_s / one.cpu_s / 2 for one, two in pairs)
    lines += [
        "",
        f"Two runs of ten flows on two threads: {wall:.2f} times the wall time of one, "
        f"{cpu:.2f} times its processor time each.",
    ]
    print("\n".join(lines))
    if options.write:
        when = f"{time.strftime('%Y-%m-%d')}; medians of {ROUNDS} rounds; load before it {load:.1f}"
        here = f"{os.cpu_count()} cores, {when}"
        page.put("flows", "\n".join([here, "", *lines]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
