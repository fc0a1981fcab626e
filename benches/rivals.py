"""Time ackclock beside ns-2, htsim and ns-3 on dumbbells that each can run.

    python benches/rivals.py [--htsim DIR] [--only W1,W5] [--rounds N] [--write]

ns-2 runs dumbbell.tcl, the others programs of benches/rivals, compiled here: ns-3's with the libraries that pkg-config
knows (Debian: apt-get install g++ libns3-dev libgsl-dev), htsim's with --htsim, the folder `sim` of
https://github.com/Broadcom/csg-htsim in which `make libhtsim.a` was run. What is not there is left out, and the table
says so. ackclock runs twice, with ns-2's script and with a scenario.

They are not the same simulation: each has its own TCP, so that each is measured by its own packet-hops (a packet's way
over one link; a delivered packet and its ACK make six). Whole processes run in turn, round after round; shown are
medians of processor time. `--write` puts the table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import page
from run import ACKCLOCK, HERE, WORKLOADS, Run, machine, run

NS3_MODULES = [f"ns3-{name}" for name in ("core", "applications", "internet", "point-to-point", "traffic-control")]


#: Workloads of run.py that each can run, and all end within minutes.
DUMBBELLS = ("W1", "W2", "W3", "W5")


@dataclass(frozen=True)
class Simulator:
    """How one is told to run a workload, and how many packets its output says were delivered."""

    name: str
    command: Callable[[list[str]], list[str]]
    delivered: Callable[[bytes], int]
    #: the workloads that it is given
    fit: tuple[str, ...] = DUMBBELLS


def scenario(words: list[str]) -> list[str]:
    """dumbbell.toml, and what is to be otherwise."""
    flows, mbps, limit, seconds, spread = words[:5]
    changes = {
        "duration": f'"{seconds} s"',
        "topology.pairs": flows,
        "topology.bottleneck.rate": f'"{mbps} Mb/s"',
        "topology.bottleneck.queue.limit": f'"{limit} packets"',
        "flows.0.start_jitter": f'"{spread} s"',
    }
    sets = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    return [*ACKCLOCK, "run", str(HERE / "dumbbell.toml"), *sets, "--json"]


def lines_of_counts(printed: bytes) -> int:
    """A line for each flow, and perhaps other words (htsim tells of timeouts)."""
    return sum(int(line) for line in printed.splitlines() if line.isdigit())


def flows_of_json(printed: bytes) -> int:
    """The flows' packets of 1000 bytes."""
    delivered_bytes: list[int] = [flow["delivered_bytes"] for flow in json.loads(printed)["flows"]]
    return sum(delivered_bytes) // 1000


def simulators(folder: Path, htsim: Path | None) -> tuple[list[Simulator], list[str]]:
    """Those that are here, their programs compiled into the folder, and what to say of the others."""
    script = str(HERE / "dumbbell.tcl")
    found = [
        Simulator("ackclock, script", lambda words: [*ACKCLOCK, "ns2", script, *words], lines_of_counts),
        Simulator("ackclock, scenario", scenario, flows_of_json),
    ]
    absent = []
    if shutil.which("ns"):
        found.append(Simulator("ns-2", lambda words: ["ns", script, *words], lines_of_counts))
    else:
        absent.append("ns-2 is not installed")
    if htsim is not None:
        program = compiled(folder, "htsim", [f"-I{htsim}"], [str(htsim / "libhtsim.a")])
        found.append(Simulator("htsim", lambda words: [program, *words[:5]], lines_of_counts))
    else:
        absent.append("htsim was not given")
    version = asked("pkg-config", "--modversion", "ns3-core")
    if version:
        flags = (asked("pkg-config", option, *NS3_MODULES).split() for option in ("--cflags", "--libs"))
        ns3 = compiled(folder, "ns3", *flags)
        # With a hundred flows each ACK costs it so much that W2 takes seven minutes.
        fit = ("W1", "W5")
        found.append(Simulator(f"ns-{version}", lambda words: [ns3, *words[:5]], lines_of_counts, fit))
    else:
        absent.append("ns-3 is not installed")
    return found, absent


def asked(*command: str) -> str:
    """What a command prints; nothing where it fails or does not exist."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def compiled(folder: Path, name: str, flags: list[str], libraries: list[str]) -> str:
    """The program of a file in benches/rivals. `SystemExit` with the compiler's words where that fails."""
    program, source = folder / name, HERE / "rivals" / f"{name}.cc"
    command = ["g++", "-O3", "-std=c++17", *flags, "-o", str(program), str(source), *libraries]
    try:
        subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise SystemExit("g++ is not installed, which compiles benches/rivals") from None
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{source} does not compile:\n{error.stderr}") from None
    return str(program)


def row(name: str, found: list[Simulator], runs: dict[str, list[Run]]) -> str:
    """A line of the table: processor time, ns a packet-hop, and by how much that is more than the first one's."""
    cells, ours_ns = [name], 0.0
    for simulator in found:
        if simulator.name not in runs:
            cells.append("")
            continue
        cpu_s = statistics.median(each.cpu_s for each in runs[simulator.name])
        each_ns = cpu_s * 1e9 / (6 * simulator.delivered(runs[simulator.name][0].printed))
        ours_ns = ours_ns or each_ns
        times = f" (**{each_ns / ours_ns:.1f}**)" if simulator is not found[0] else ""
        cells.append(f"{cpu_s:.2f} s, {each_ns:,.0f} ns{times}")
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Run, print the table, and write it on request."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--htsim", type=Path, metavar="DIR", help="where libhtsim.a and its headers are")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="runs of each (default: 3)")
    parser.add_argument("--only", metavar="NAMES", help="only these workloads: W1,W5")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else DUMBBELLS
    with tempfile.TemporaryDirectory(prefix="ackclock-") as top:
        found, absent = simulators(Path(top), options.htsim)
        lines = [
            "; ".join([f"{machine()}; medians of {options.rounds}, {time.strftime('%Y-%m-%d')}", *absent]),
            "",
            f"| | {' | '.join(simulator.name for simulator in found)} |",
            "|---" * (len(found) + 1) + "|",
        ]
        print("\n".join(lines))
        for workload in (each for each in WORKLOADS if each.name in DUMBBELLS and each.name in wanted):
            runs: dict[str, list[Run]] = {each.name: [] for each in found if workload.name in each.fit}
            for _ in range(options.rounds):
                for simulator in (each for each in found if each.name in runs):
                    runs[simulator.name].append(run(simulator.command(workload.words.split()), Path(top)))
            lines.append(row(workload.name, found, runs))
            print(lines[-1], flush=True)
    if options.write:
        page.put("rivals", "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
