"""Time ackclock against the real ns-2 on whole processes.

    python benches/run.py [--quick] [--rounds N] [--only W1,W4] [--published MANIFEST DIR] [--write]

Both run the same script in turn, round after round, and must write the same bytes. Shown are medians of processor
time (user and system, children included), the median of the ratios round by round, wall time and peak memory. A
packet-hop is a packet's way over one link; a delivered packet and its ACK make six. `--write` puts the table into
docs/performance.md.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import page
import published

HERE = Path(__file__).resolve().parent
#: The command that is installed beside this Python: `python -m` loads more before it starts.
ACKCLOCK = [str(Path(sys.executable).with_name("ackclock"))]
W1 = "10 100 250 100 0.0 Sack1 DropTail 0"


@dataclass(frozen=True)
class Workload:
    """Something to run on both: the words for dumbbell.tcl, and what is traced."""

    name: str
    about: str
    words: str
    traces: int = 0


WORKLOADS = (
    Workload("W0", "a script that simulates nothing", "0 1 2 0 0.0 Sack1 DropTail 0"),
    Workload("W1", "10 flows, 100 Mb/s, 100 s", W1),
    Workload("W2", "100 flows, 1 Gb/s, 10 s", "100 1000 2500 10 0.0 Sack1 DropTail 0"),
    Workload("W3", "1,000 flows, 1 Gb/s, 10 s", "1000 1000 2500 10 1.0 Sack1 DropTail 0"),
    Workload("W4", "W1 with trace-all", W1, traces=1),
    Workload("W4n", "W1 with trace-all and namtrace-all", W1, traces=2),
    Workload("W5", "1 flow, 10 Mb/s, 1,000 s", "1 10 250 1000 0.0 Sack1 DropTail 0"),
    Workload("W6r", "W1 with RED", "10 100 250 100 0.0 Sack1 RED 0"),
    Workload("W6v", "W1 with Vegas", "10 100 250 100 0.0 Vegas DropTail 0"),
    Workload("W6l", "W1 with 1 % random loss", "10 100 250 100 0.0 Sack1 DropTail 0.01"),
    Workload("W7", "published scripts, each a process, in total", ""),
    Workload("W8", "W1 to a table of throughput, delay and loss for each flow; ns-2 with trace-all and awk", W1),
)


@dataclass
class Run:
    """One process: what it took and what it wrote."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    printed: bytes
    traces: list[str] = field(default_factory=list)


def run(command: list[str], folder: Path, env: dict[str, str] | None = None) -> Run:
    """Run a command in a folder; it is charged for all its children. Its traces are read, and left for the next one.

    A virtual machine may give memory that nobody uses back to its host, and a page that is wanted again then takes
    a multiple of what it takes otherwise. Where a trace goes over the one before it, neither program pays that.
    """
    for trace in folder.glob("out.*"):
        os.utime(trace, (0, 0))  # whoever does not write it anew is found out
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err if env else None
        )
        _, status, used = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
        out.seek(0)
        printed = out.read()
    digests = [published.file_digest(trace) for trace in sorted(folder.glob("out.*")) if trace.stat().st_mtime]
    return Run(used.ru_utime + used.ru_stime, wall_s, used.ru_maxrss / 1024, printed, digests)


def commands(workload: Workload, quick: bool) -> tuple[list[str], list[str]]:
    """ackclock's command and ns-2's."""
    words = workload.words.split()
    if quick:
        words[3] = str(int(words[3]) / 10)
        words[0] = str(min(int(words[0]), 200))
    words += ["out.tr", "out.nam"][: workload.traces]
    script = str(HERE / "dumbbell.tcl")
    if workload.name != "W8":
        return [*ACKCLOCK, "ns2", script, *words], ["ns", script, *words]
    flows = HERE.parent / "tests" / "oracle" / "traces" / "flows.awk"
    pipeline = f"ns {script} {' '.join(words)} out.tr && awk -f {flows} out.tr && rm out.tr"
    scenario = ["run", str(HERE / "dumbbell.toml"), "--set", f'duration="{words[3]} s"', "--json"]
    return [*ACKCLOCK, *scenario], ["sh", "-c", pipeline]


def run_published(manifest: Path, repositories: Path) -> tuple[Run, Run]:
    """Every published script on both, in turn; what they took in total, and what they left."""
    totals = (Run(0, 0, 0, b""), Run(0, 0, 0, b""))
    for entry in published.entries(manifest):
        words = [entry["script"], *map(str, entry["args"])]
        for total, program in zip(totals, ([*ACKCLOCK, "ns2"], ["ns"]), strict=True):
            with tempfile.TemporaryDirectory() as top:
                folder = Path(top) / "run"
                folder.mkdir()
                published.lay_out(entry, repositories, folder)
                done = run([*program, *words], folder, published.stand_ins(Path(top) / "viewers"))
                total.cpu_s += done.cpu_s
                total.wall_s += done.wall_s
                total.peak_mb = max(total.peak_mb, done.peak_mb)
                total.traces += [hashlib.sha256(done.printed).hexdigest(), *done.traces, published.digest(folder)]
    return totals


def row(workload: Workload, ours: list[Run], theirs: list[Run]) -> str:
    """A line of the table."""

    def median(runs: list[Run], what: str) -> float:
        values: list[float] = [getattr(run, what) for run in runs]
        return statistics.median(values)

    cells = [workload.name, workload.about, f"{median(ours, 'cpu_s'):.2f}"]
    if theirs:
        ratio = statistics.median(b.cpu_s / a.cpu_s for a, b in zip(ours, theirs, strict=True))
        cells += [f"{median(theirs, 'cpu_s'):.2f}", f"**{ratio:.1f}**"]
        cells.append(f"{statistics.median(b.wall_s / a.wall_s for a, b in zip(ours, theirs, strict=True)):.1f}")
    else:
        cells += ["", "", ""]
    cells.append(f"{median(ours, 'peak_mb'):.0f}" + (f" / {median(theirs, 'peak_mb'):.0f}" if theirs else ""))
    hops = 0 if workload.name in ("W7", "W8") else 6 * sum(int(count) for count in ours[0].printed.split())
    each = [median(runs, "cpu_s") * 1e9 / hops for runs in (ours, theirs) if runs and hops]
    cells.append(" / ".join(f"{nanoseconds:.0f}" for nanoseconds in each))
    return f"| {' | '.join(cells)} |"


def check(workload: Workload, runs: Iterable[Run]) -> None:
    """All these runs printed and wrote the same."""
    if len({(each.printed, tuple(each.traces)) for each in runs}) != 1:
        raise SystemExit(f"{workload.name}: ackclock and ns-2 differ")


def machine() -> str:
    """What this ran on."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    # Which Python matters: one that was built without its profile, as pyenv builds it, takes a sixth longer to start.
    return f"{os.cpu_count()} x {model}, {platform.system()}, Python {platform.python_version()} of {sys.base_prefix}"


def main() -> int:
    """Run, print the table, and write it on request."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="a tenth of the time, one round")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="runs of each (default: 5)")
    parser.add_argument("--only", metavar="NAMES", help="only these workloads: W1,W4")
    parser.add_argument("--published", nargs=2, type=Path, metavar=("MANIFEST", "DIR"), help="W7: see published.py")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    rounds = 1 if options.quick else options.rounds
    wanted = options.only.split(",") if options.only else [workload.name for workload in WORKLOADS]
    has_ns = shutil.which("ns") is not None
    lines = [
        f"{machine()}; medians of {rounds}, {time.strftime('%Y-%m-%d')}"
        + ("; a tenth of each workload" if options.quick else "")
        + ("" if has_ns else "; ns-2 is not installed: nothing was compared"),
        "",
        "| | workload | ackclock, CPU s | ns-2, CPU s | ratio | of wall time | peak memory, MB | ns a packet-hop |",
        "|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    space = "/dev/shm" if Path("/dev/shm").is_dir() else None
    for workload in (each for each in WORKLOADS if each.name in wanted):
        ours: list[Run] = []
        theirs: list[Run] = []
        if workload.name == "W7":
            if not options.published or not has_ns:
                print("W7 was not run: it takes --published and ns-2")
                continue
            for _ in range(rounds):
                for runs, done in zip((ours, theirs), run_published(*options.published), strict=True):
                    runs.append(done)
            check(workload, [*ours, *theirs])
            lines.append(row(workload, ours, theirs))
            print(lines[-1], flush=True)
            continue
        our_command, their_command = commands(workload, options.quick)
        with tempfile.TemporaryDirectory(dir=space) as folder:
            for _ in range(rounds):
                ours.append(run(our_command, Path(folder)))
                if has_ns:
                    theirs.append(run(their_command, Path(folder)))
        if workload.name != "W8":
            check(workload, [*ours, *theirs])
        lines.append(row(workload, ours, theirs))
        print(lines[-1], flush=True)
    if options.write:
        page.put("run", "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
