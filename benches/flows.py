"""How the engine's cost grows with the number of flows, and what a second thread costs.

    python benches/flows.py [--most FLOWS] [--write]

Runs of crates/engine/examples/dumbbell.rs, a process each, in which each flow has 1 Mb/s of the bottleneck and two
packets of its queue. Shown are processor time by packet-hop without that of a run of no length, which is the set-up,
and for many flows the most memory of both. `--write` puts the table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import page
from instructions import build

#: flows, and simulated seconds: enough packet-hops to measure, few enough to wait for
SIZES = ((10, 400.0), (100, 80.0), (1_000, 12.0), (10_000, 3.0), (100_000, 1.2))
ROUNDS = 2


def run(program: Path, flows: int, seconds: float, threads: int = 1) -> tuple[float, float, float, int]:
    """One process: processor and wall time, s, peak memory, MB, packet-hops."""
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
        hops = sum(int(found) for found in re.findall(r"(\d+) packet-hops", out.read().decode()))
    return used.ru_utime + used.ru_stime, wall_s, used.ru_maxrss / 1024, hops


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
    least = 0.0
    for flows, seconds in (size for size in SIZES if size[0] <= options.most):
        still = min(run(program, flows, 0.0) for _ in range(ROUNDS))
        moving = min(run(program, flows, seconds) for _ in range(ROUNDS))
        each_ns = (moving[0] - still[0]) * 1e9 / moving[3]
        least = least or each_ns
        cells = [f"{flows:,}", f"{still[0]:.2f}", f"{moving[3] / 1e6:.1f}", f"{each_ns:.0f}", f"{each_ns / least:.1f}"]
        cells += [f"{peak[2] * 1000 / flows:.1f}" if flows >= 10_000 else "" for peak in (still, moving)]
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    pairs = [(run(program, 10, 100.0), run(program, 10, 100.0, threads=2)) for _ in range(ROUNDS)]
    wall = min(two[1] for _, two in pairs) / min(one[1] for one, _ in pairs)
    cpu = min(two[0] for _, two in pairs) / min(one[0] for one, _ in pairs) / 2
    lines += [
        "",
        f"Two runs of ten flows on two threads: {wall:.2f} times the wall time of one, "
        f"{cpu:.2f} times its processor time each.",
    ]
    print("\n".join(lines))
    if options.write:
        here = f"{os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}; the least of {ROUNDS}; load before it {load:.1f}"
        page.put("flows", "\n".join([here, "", *lines]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
