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

from run import ACKCLOCK, HERE, PAGE, Run, machine, run

MARKS = ("<!-- written by benches/rivals.py -->", "<!-- end of rivals -->")
NS3_MODULES = [f"ns3-{name}" for name in ("core", "applications", "internet", "point-to-point", "traffic-control")]


@dataclass(frozen=True)
class Dumbbell:
    """A workload of benches/run.py, without traces."""

    name: str
    flows: int
    mbps: int
    limit_packets: int
    seconds: float
    spread_s: float = 0.0

    def words(self) -> list[str]:
        """What the rivals' programs are given, and dumbbell.tcl first."""
        return [str(value) for value in (self.flows, self.mbps, self.limit_packets, self.seconds, self.spread_s)]


DUMBBELLS = (
    Dumbbell("W1", 10, 100, 250, 100),
    Dumbbell("W2", 100, 1000, 2500, 10),
    Dumbbell("W3", 1000, 1000, 2500, 10, 1.0),
    Dumbbell("W5", 1, 10, 250, 1000),
)


@dataclass(frozen=True)
class Simulator:
    """How one is told to run a dumbbell, and how many packets its output says were delivered."""

    name: str
    command: Callable[[Dumbbell], list[str]]
    delivered: Callable[[bytes], int]
    #: the workloads that end within minutes
    fit: tuple[str, ...] = ("W1", "W2", "W3", "W5")


def script(dumbbell: Dumbbell) -> list[str]:
    """dumbbell.tcl and its words."""
    return [str(HERE / "dumbbell.tcl"), *dumbbell.words(), "Sack1", "DropTail", "0"]


def scenario(dumbbell: Dumbbell) -> list[str]:
    """dumbbell.toml, and what is to be otherwise."""
    changes = {
        "duration": f'"{dumbbell.seconds} s"',
        "topology.pairs": str(dumbbell.flows),
        "topology.bottleneck.rate": f'"{dumbbell.mbps} Mb/s"',
        "topology.bottleneck.queue.limit": f'"{dumbbell.limit_packets} packets"',
        "flows.0.spread": f'"{dumbbell.spread_s} s"',
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
    found = [
        Simulator("ackclock, script", lambda dumbbell: [*ACKCLOCK, "ns2", *script(dumbbell)], lines_of_counts),
        Simulator("ackclock, scenario", scenario, flows_of_json),
    ]
    absent = []
    if shutil.which("ns"):
        found.append(Simulator("ns-2", lambda dumbbell: ["ns", *script(dumbbell)], lines_of_counts))
    else:
        absent.append("ns-2 is not installed")
    if htsim is not None:
        program = compiled(folder, "htsim", [f"-I{htsim}"], [str(htsim / "libhtsim.a")])
        found.append(Simulator("htsim", lambda dumbbell: [program, *dumbbell.words()], lines_of_counts))
    else:
        absent.append("htsim was not given")
    version = asked("pkg-config", "--modversion", "ns3-core")
    if version:
        flags = (asked("pkg-config", option, *NS3_MODULES).split() for option in ("--cflags", "--libs"))
        ns3 = compiled(folder, "ns3", *flags)
        # With a hundred flows each ACK costs it so much that W2 takes seven minutes.
        fit = ("W1", "W5")
        found.append(Simulator(f"ns-{version}", lambda dumbbell: [ns3, *dumbbell.words()], lines_of_counts, fit))
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


def cell(simulator: Simulator, runs: list[Run], ours_ns: float | None) -> tuple[str, float]:
    """Processor time, ns a packet-hop, and by how much that is more than the first simulator's."""
    cpu_s = statistics.median(each.cpu_s for each in runs)
    each_ns = cpu_s * 1e9 / (6 * simulator.delivered(runs[0].printed))
    times = "" if ours_ns is None else f" (**{each_ns / ours_ns:.1f}**)"
    return f"{cpu_s:.2f} s, {each_ns:,.0f} ns{times}", each_ns


def main() -> int:
    """Run, print the table, and write it on request."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--htsim", type=Path, metavar="DIR", help="where libhtsim.a and its headers are")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="runs of each (default: 3)")
    parser.add_argument("--only", metavar="NAMES", help="only these workloads: W1,W5")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else [dumbbell.name for dumbbell in DUMBBELLS]
    with tempfile.TemporaryDirectory(prefix="ackclock-") as top:
        found, absent = simulators(Path(top), options.htsim)
        lines = [
            "; ".join([f"{machine()}; medians of {options.rounds}, {time.strftime('%Y-%m-%d')}", *absent]),
            "",
            f"| | {' | '.join(simulator.name for simulator in found)} |",
            "|---" * (len(found) + 1) + "|",
        ]
        print("\n".join(lines))
        for dumbbell in (each for each in DUMBBELLS if each.name in wanted):
            runs: dict[str, list[Run]] = {each.name: [] for each in found if dumbbell.name in each.fit}
            for _ in range(options.rounds):
                for simulator in (each for each in found if each.name in runs):
                    runs[simulator.name].append(run(simulator.command(dumbbell), Path(top)))
            cells, ours_ns = [dumbbell.name], None
            for simulator in found:
                text, each_ns = cell(simulator, runs[simulator.name], ours_ns) if simulator.name in runs else ("", 0.0)
                ours_ns = each_ns if ours_ns is None else ours_ns
                cells.append(text)
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    if options.write:
        before, rest = PAGE.read_text(encoding="utf-8").split(MARKS[0])
        table = "\n".join(lines)
        PAGE.write_text(f"{before}{MARKS[0]}\n\n{table}\n\n{MARKS[1]}{rest.split(MARKS[1])[1]}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
