"""Hold the engine's senders against the running kernel's, over the same simulated network, in real time.

    python tools/compare_with_kernel.py [--quick] [--repetitions N] [--keep FILE] [--write]

For each rate, round-trip time, buffer and congestion control, N transfers of the kernel's TCP go through
`ackclock emulate`, and N of the engine's sender through simulations of the same description. Compared are goodput,
the time that packets wait in the queue, and the window, after the first seconds. The engine agrees where its mean lies
in the interval in which one more transfer of the kernel would lie in 95 of 100 cases (Student's prediction interval).
Where the kernel does the same each time, to the packet, that interval is far below one percent: a difference of at most
2 % is counted by itself, since in real time packets and timers are a little late.

`--keep` appends each transfer to a file and takes those that are there from it, so that a stopped comparison goes on.
`--write` puts the table into docs/kernel.md and the windows' course into docs/images/kernel-cwnd.svg.

Linux, as root. 27 cells of N transfers of 20 s: 46 minutes for N = 5. The transfers run under the
kernel's real-time scheduler, so that other programs on the machine delay few packets.

The kernel has its congestion controls as modules (`modprobe tcp_bbr`); one that it has not is left out, and said to be.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path

import numpy as np

import ackclock as ac
from ackclock.analysis.stats import student_quantile
from ackclock.emulate import Emulation, transfer
from ackclock.emulate.namespaces import missing
from ackclock.scenario.units import rate_bps

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "kernel.md"
PICTURE = ROOT / "docs" / "images" / "kernel-cwnd.svg"
KERNELS = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")

#: The engine's sender by the kernel's congestion control.
SENDERS = {"reno": "reno", "cubic": "linux_cubic", "bbr": "bbr"}
#: a path whose windows are drawn: its rate, round trip and buffer
DRAWN = ("10 Mb/s", 40, 1.0)
LASTS_S, WARM_UP_S = 20, 6
#: IP bytes of a full packet, with timestamps
PACKET_BYTES = 1500


@dataclass(frozen=True)
class Way:
    """A path between two hosts: one link each way."""

    rate: str
    round_trip_ms: int
    buffer_bdp: float

    @property
    def bdp_packets(self) -> float:
        """Packets that fill the path."""
        return rate_bps(self.rate) * self.round_trip_ms / 1e3 / 8 / PACKET_BYTES

    def scenario(self, **other: object) -> ac.Scenario:
        """The path, with what goes over it."""
        limit = max(round(self.bdp_packets * self.buffer_bdp), 4)
        queue = ac.Queue(kind="drop_tail", limit=f"{limit} packets")
        link = ac.Link(rate=self.rate, delay=f"{self.round_trip_ms / 2} ms", queue=queue)
        chain = ac.Chain(nodes=2, link=link)
        record = ac.Record(sample="0.02 s")
        return ac.Scenario(topology=chain, duration=f"{LASTS_S} s", defaults="linux", record=record, **other)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Seen:
    """What one transfer did after the warm-up, and its window's course."""

    goodput_mbps: float
    #: mean time in the queue
    wait_ms: float
    #: mean window
    cwnd_packets: float
    times_s: list[float]
    windows: list[float]
    late_ms: float = 0.0


def paths(quick: bool) -> Iterator[Way]:
    """The paths: rate x round trip x buffer, at most 50 Mb/s, and the one that is drawn."""
    yield Way(*DRAWN)
    for rate in () if quick else ("10 Mb/s", "50 Mb/s"):
        for round_trip_ms in (20, 100):
            for buffer_bdp in (0.5, 2.0):
                yield Way(rate, round_trip_ms, buffer_bdp)


def waited_ms(results: ac.Results, path: Way, established_s: float) -> float:
    """The mean wait in the first link's queue after the warm-up, of its bytes at the samples.

    `established_s` is when the connection was established, in the run's time.
    """
    begin_s, end_s = established_s + WARM_UP_S, established_s + LASTS_S
    rows = [row for row in results.rows("link_series") if row["link"] == 0 and begin_s <= row["time_s"] <= end_s]
    return float(np.mean([row["queue_bytes"] for row in rows])) * 8 / rate_bps(path.rate) * 1e3


@contextmanager
def real_time() -> Iterator[None]:
    """This thread, and the threads and programs that it starts, run before all others of the machine."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def of_kernel(path: Way, control: str) -> Seen:
    """One transfer of the kernel's TCP."""
    scenario = replace(path.scenario(external_nodes=["node1", "node2"]), duration=f"{LASTS_S + 10} s")
    with real_time(), Emulation(scenario) as network:
        there = network.address("node2")
        receiver = network.start(
            "node2", [sys.executable, transfer.__file__, "receive", there, "5001"], stdout=subprocess.PIPE
        )
        assert receiver.stdout is not None
        receiver.stdout.readline()
        words = [sys.executable, transfer.__file__, "send", there, "5001", control, str(LASTS_S), "--info"]
        sender = network.start("node1", words, stdout=subprocess.PIPE)
        states = [json.loads(line) for line in sender.communicate()[0].splitlines()]
        established_s = network.now_s - LASTS_S
        arrivals = [json.loads(line) for line in receiver.communicate()[0].splitlines()]
    if sender.returncode != 0 or not states:
        raise SystemExit(f"the kernel's {control} sent nothing")
    counted = [row for row in arrivals if row["at_s"] >= WARM_UP_S]
    bytes_in, took_s = counted[-1]["bytes"] - counted[0]["bytes"], counted[-1]["at_s"] - counted[0]["at_s"]
    windows = [row["cwnd_packets"] for row in states if row["at_s"] >= WARM_UP_S]
    return Seen(
        goodput_mbps=bytes_in * 8 / took_s / 1e6,
        wait_ms=waited_ms(network.results, path, established_s),
        cwnd_packets=float(np.mean(windows)),
        times_s=[row["at_s"] for row in states],
        windows=[row["cwnd_packets"] for row in states],
        late_ms=network.seen["latest_s"] * 1e3,
    )


def of_engine(path: Way, control: str, seed: int = 1) -> Seen:
    """One transfer of the engine's sender. As the kernel's, its time begins when the connection is established."""
    flow = ac.Flow(source="node1", destination="node2", tcp=SENDERS[control])
    established_s = path.round_trip_ms / 1e3
    scenario = path.scenario(flows=[flow], seed=seed)
    results = ac.run(replace(scenario, duration=f"{LASTS_S + established_s} s"))
    rows = results.rows("flow_series")
    times_s = [row["time_s"] - established_s for row in rows]
    counted = [row for time_s, row in zip(times_s, rows, strict=True) if time_s >= WARM_UP_S]
    # The series has the receiver's rate with headers; data is what is in full packets without 52 bytes of them.
    rate = float(np.mean([row["throughput_bps"] for row in counted])) * (PACKET_BYTES - 52) / PACKET_BYTES
    return Seen(
        goodput_mbps=rate / 1e6,
        wait_ms=waited_ms(results, path, established_s),
        cwnd_packets=float(np.mean([row["cwnd_packets"] for row in counted])),
        times_s=times_s,
        windows=[row["cwnd_packets"] for row in rows],
    )


#: What real time may add: a share of the kernel's figure.
TOLERANCE = 0.02

#: What is compared: heading, field of `Seen`, digits.
FIGURES = (
    ("goodput, Mb/s", "goodput_mbps", 2),
    ("wait, ms", "wait_ms", 1),
    ("cwnd, packets", "cwnd_packets", 0),
)


@dataclass(frozen=True)
class Cell:
    """The transfers over one path under one control."""

    path: Way
    control: str
    kernel: list[Seen]
    engine: list[Seen]

    def figure(self, name: str) -> tuple[float, float, float]:
        """Mean of the kernel, half the width of the interval of one more transfer of it, mean of the engine."""
        values = np.array([getattr(seen, name) for seen in self.kernel])
        engine = float(np.mean([getattr(seen, name) for seen in self.engine]))
        n = len(values)
        half = student_quantile(n - 1) * float(np.std(values, ddof=1)) * math.sqrt(1 + 1 / n)
        return float(np.mean(values)), half, engine

    def agrees(self, name: str, tolerance: float = 0.0) -> bool:
        """Whether the engine is where one more transfer of the kernel would be, or as near as `tolerance`."""
        kernel, half, engine = self.figure(name)
        return abs(engine - kernel) <= max(half, tolerance * kernel)


def table(cells: Sequence[Cell]) -> str:
    """The comparison in Markdown. The engine's figures that do not agree within the tolerance are bold."""
    heads = ["rate", "round trip", "buffer", "control"]
    for heading, _, _ in FIGURES:
        heads += [f"{heading}: kernel", "engine"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for cell in cells:
        path = cell.path
        row = [path.rate, f"{path.round_trip_ms} ms", f"{path.buffer_bdp:g} BDP", cell.control]
        for _, name, digits in FIGURES:
            kernel, half, engine = cell.figure(name)
            told = f"{engine:.{digits}f}"
            row += [f"{kernel:.{digits}f} ± {half:.{digits}f}", told if cell.agrees(name, TOLERANCE) else f"**{told}**"]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def agreement(cells: Sequence[Cell]) -> str:
    """How many cells agree, by figure, and the largest difference of means."""
    lines = [
        f"| figure | in the kernel's interval | or within {TOLERANCE:.0%} | largest difference of means |",
        "|---|---|---|---|",
    ]
    for heading, name, digits in FIGURES:
        means = [cell.figure(name) for cell in cells]
        worst = max(means, key=lambda found: abs(found[2] / found[0] - 1))
        shares = [sum(cell.agrees(name, tolerance) for cell in cells) for tolerance in (0.0, TOLERANCE)]
        apart = f"{worst[0]:.{digits}f} and {worst[2]:.{digits}f} ({worst[2] / worst[0] - 1:+.1%})"
        lines.append(f"| {heading} | {shares[0]} of {len(cells)} | {shares[1]} of {len(cells)} | {apart} |")
    return "\n".join(lines)


class Kept:
    """Transfers of the kernel that were measured before, in a file of JSON lines."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        lines = file.read_text(encoding="utf-8").splitlines() if file is not None and file.exists() else []
        self.rows = [json.loads(line) for line in lines]

    def transfers(self, path: Way, control: str, count: int) -> list[Seen]:
        """So many transfers of the kernel: those of the file, and new ones."""
        key = [*astuple(path), control, platform.release()]
        found = [Seen(**row["seen"]) for row in self.rows if row["cell"] == key][:count]
        while len(found) < count:
            found.append(of_kernel(path, control))
            if self.file is not None:
                with self.file.open("a", encoding="utf-8") as out:
                    out.write(json.dumps({"cell": key, "seen": asdict(found[-1])}) + "\n")
        return found


def draw(cells: Sequence[Cell]) -> None:
    """The windows' course on one path, the kernel's over the engine's."""
    from ackclock.analysis.plot.files import save
    from ackclock.analysis.plot.theme import SERIES, panels, style

    drawn = [cell for cell in cells if cell.path == Way(*DRAWN)]
    with style():
        picture, places = panels(len(drawn), 1, x="time (s)", y="cwnd (packets)", size=(7.0, 1.9 * len(drawn) + 0.4))
        for place, cell in zip(places, drawn, strict=True):
            # Wide, since the engine's line often lies upon it.
            wide = {**SERIES[0], "linewidth": 4.0, "alpha": 0.4}
            place.plot(cell.kernel[0].times_s, cell.kernel[0].windows, label="the kernel", **wide)
            place.plot(cell.engine[0].times_s, cell.engine[0].windows, label="the engine", **SERIES[1])
            place.set_title(cell.control, loc="left")
        places[0].legend(loc="upper right", ncols=2)
        save(picture, PICTURE)


def main() -> int:
    """Measure, print, and write if asked to."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("--quick", action="store_true", help="one path")
    asked.add_argument("--repetitions", type=int, default=5, metavar="N", help="transfers of each cell (default: 5)")
    asked.add_argument("--keep", type=Path, metavar="FILE", help="append the kernel's transfers here, and reuse them")
    asked.add_argument("--write", action="store_true", help="put the table and the picture into the docs")
    options = asked.parse_args()
    if options.repetitions < 2:
        asked.error("--repetitions: expected at least 2, since one transfer has no interval")
    if (lacks := missing()) is not None:
        print(f"not measured: {lacks}", file=sys.stderr)
        return 1
    have = KERNELS.read_text().split()
    for control in (control for control in SENDERS if control not in have):
        print(f"{control}: the running kernel has it not, only {', '.join(have)}", file=sys.stderr)
    kept, cells = Kept(options.keep), list[Cell]()
    for path in paths(options.quick):
        for control in (control for control in SENDERS if control in have):
            kernel = kept.transfers(path, control, options.repetitions)
            engine = [of_engine(path, control, seed) for seed in range(1, options.repetitions + 1)]
            cells.append(Cell(path, control, kernel, engine))
            late_ms = max(seen.late_ms for seen in kernel)
            print(table(cells).splitlines()[-1], f"  (at most {late_ms:.1f} ms late)", flush=True)
    print(agreement(cells))
    if options.write:
        latest_ms = [seen.late_ms for cell in cells for seen in cell.kernel]
        where = (
            f"Linux {platform.release()}, {os.cpu_count()} cores; {options.repetitions} transfers of {LASTS_S} s each, "
            f"the first {WARM_UP_S} s not counted.\nThe latest packet of a transfer was handed over "
            f"{np.median(latest_ms):.1f} ms late (median of the transfers; at most {max(latest_ms):.1f} ms)."
        )
        text = PAGE.read_text(encoding="utf-8")
        mark = re.compile(r"(<!-- measured -->\n).*?(<!-- end -->)", re.DOTALL)
        told = f"{where}\n\n{agreement(cells)}\n\n{table(cells)}\n"
        PAGE.write_text(mark.sub(lambda m: f"{m[1]}{told}{m[2]}", text), encoding="utf-8")
        draw(cells)
    return 0


if __name__ == "__main__":
    sys.exit(main())
