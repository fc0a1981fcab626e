"""Time scenarios beside the ns-2 scripts of the same networks, on whole processes.

    python benches/scenarios.py [--quick] [--rounds N] [--only S1,F4] [--instructions] [--write]

Each workload is `ackclock run`, which prints its tables or writes them, and `ackclock ns2` with dumbbell.tcl, in turn.
Shown are medians of processor time, the median of the ratios round by round, and peak memory. `--instructions` counts
instructions under valgrind instead, once: they do not depend on what else the machine does. `--write` puts the table
into docs/performance.md.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import page
from run import ACKCLOCK, HERE, Run, machine, run

CUBIC = {"defaults": '"linux"', "flows.0.tcp": '"tcp"', "flows.0.control": '"cubic"'}


@dataclass(frozen=True)
class Workload:
    """A scenario: the words for dumbbell.tcl that say its network, and other changes to dumbbell.toml."""

    name: str
    about: str
    words: str
    changes: dict[str, str] = field(default_factory=dict)
    #: Options of `ackclock run`. Without any its tables are totals; the series are kept to be written.
    options: tuple[str, ...] = ()


KEPT = ("--out", "tables", "--replace")
W1 = "10 100 250 100 0.0"
WORKLOADS = (
    Workload("S0", "W1, a millisecond of it: the start alone", "10 100 250 0.001 0.0"),
    Workload("S1", "W1: 10 flows, 100 Mb/s, 100 s, SACK", W1),
    Workload("S1t", "the same with its tables in files", W1, options=KEPT),
    Workload("S1c", "W1 with today's TCP and CUBIC, set `linux`", W1, CUBIC),
    Workload("S1b", "W1 with today's TCP and BBR, set `linux`", W1, CUBIC | {"flows.0.control": '"bbr"'}),
    Workload("S2", "W2: 100 flows, 1 Gb/s, 10 s, SACK", "100 1000 2500 10 0.0"),
    Workload("F4", "4,000 flows, 4 Gb/s, 5 s, SACK", "4000 4000 8000 5 1.0"),
    Workload("F4t", "the same with its tables in files", "4000 4000 8000 5 1.0", options=KEPT),
    Workload("F10", "10,000 flows, 10 Gb/s, 5 s, CUBIC", "10000 10000 20000 5 1.0", CUBIC),
)


def commands(workload: Workload, quick: bool) -> tuple[list[str], list[str]]:
    """The scenario's command and the script's."""
    flows, mbps, limit, seconds, spread = workload.words.split()
    if quick:
        seconds = str(float(seconds) / 10)
    changes = {
        "duration": f'"{seconds} s"',
        "topology.pairs": flows,
        "topology.bottleneck.rate": f'"{mbps} Mb/s"',
        "topology.bottleneck.queue.limit": f'"{limit} packets"',
        "flows.0.start_jitter": f'"{spread} s"',
    } | workload.changes
    sets = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    script = [str(HERE / "dumbbell.tcl"), flows, mbps, limit, seconds, spread, "Sack1", "DropTail", "0"]
    return [*ACKCLOCK, "run", str(HERE / "dumbbell.toml"), *sets, *workload.options], [*ACKCLOCK, "ns2", *script]


def instructions(command: list[str]) -> float:
    """Millions of instructions of one process. `SystemExit` where valgrind does not say."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, *command]
    said = subprocess.run(valgrind, capture_output=True, text=True, check=True).stderr
    collected = re.search(r"Collected : (\d+)", said)
    if collected is None:
        raise SystemExit(f"valgrind did not say how many instructions it counted:\n{said}")
    return int(collected[1]) / 1e6


def timed(workload: Workload, quick: bool, rounds: int, folder: Path) -> str:
    """A line of the table of times."""
    pairs: list[tuple[Run, Run]] = []
    scenario, script = commands(workload, quick)
    for _ in range(rounds):
        pairs.append((run(scenario, folder), run(script, folder)))
    ours, theirs = (statistics.median(pair[side].cpu_s for pair in pairs) for side in (0, 1))
    ratio = statistics.median(one.cpu_s / other.cpu_s for one, other in pairs)
    peaks = " / ".join(f"{statistics.median(pair[side].peak_mb for pair in pairs):.0f}" for side in (0, 1))
    return f"| {workload.name} | {workload.about} | {ours:.2f} | {theirs:.2f} | **{ratio:.2f}** | {peaks} |"


def counted(workload: Workload, quick: bool) -> str:
    """A line of the table of instructions."""
    ours, theirs = (instructions(command) for command in commands(workload, quick))
    return f"| {workload.name} | {workload.about} | {ours:,.0f} | {theirs:,.0f} | **{ours / theirs:.2f}** | |"


def main() -> int:
    """Run, print the table, and write it on request."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="a tenth of the time, one round")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="runs of each (default: 5)")
    parser.add_argument("--only", metavar="NAMES", help="only these workloads: S1,F4")
    parser.add_argument("--instructions", action="store_true", help="millions of instructions instead of seconds")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else [workload.name for workload in WORKLOADS]
    rounds = 1 if options.quick else options.rounds
    unit = "million instructions" if options.instructions else "CPU s"
    lines = [
        f"{machine()}; {'callgrind' if options.instructions else f'medians of {rounds}'}, {time.strftime('%Y-%m-%d')}",
        "",
        f"| | workload | scenario, {unit} | script, {unit} | ratio | peak memory, MB |",
        "|---|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    with tempfile.TemporaryDirectory(prefix="ackclock-") as top:
        for workload in (each for each in WORKLOADS if each.name in wanted):
            counts = options.instructions
            lines.append(
                counted(workload, options.quick) if counts else timed(workload, options.quick, rounds, Path(top))
            )
            print(lines[-1], flush=True)
    if options.write:
        page.put("scenarios", "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
