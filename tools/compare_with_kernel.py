"""Hold the engine's senders against the running kernel's, over the same simulated network, in real time.

    python tools/compare_with_kernel.py [--quick] [--write]

For each rate, round-trip time, buffer and congestion control, one transfer of the kernel's TCP goes through
`ackclock emulate`, and one of the `tcp` sender through a simulation of the same description. Compared are goodput,
the time that packets wait in the queue, and the window, after the first seconds. `--write` puts the table into
docs/kernel.md and the windows' course into docs/images/kernel-cwnd.svg. Linux, as root; 27 transfers of 20 s.

The kernel has its congestion controls as modules (`modprobe tcp_bbr`); one that it has not is left out, and said to be.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import ackclock as ac
from ackclock.emulate import Emulation, transfer
from ackclock.emulate.namespaces import missing
from ackclock.scenario.units import rate_bps

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "kernel.md"
PICTURE = ROOT / "docs" / "images" / "kernel-cwnd.svg"
KERNELS = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")

CONTROLS = ("reno", "cubic", "bbr")
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
    wait_ms: float
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


def waited_ms(results: ac.Results, path: Way, until_s: float) -> float:
    """The mean wait in the first link's queue, of its bytes at the samples after the warm-up."""
    rows = [row for row in results.rows("link_series") if row["link"] == 0 and WARM_UP_S <= row["time_s"] <= until_s]
    return float(np.mean([row["queue_bytes"] for row in rows])) * 8 / rate_bps(path.rate) * 1e3


def of_kernel(path: Way, control: str) -> Seen:
    """One transfer of the kernel's TCP."""
    scenario = replace(path.scenario(external_nodes=["node1", "node2"]), duration=f"{LASTS_S + 10} s")
    with Emulation(scenario) as network:
        there = network.address("node2")
        for end in ("node1", "node2"):
            # Windows shall be the path's, not the sockets'.
            for key in ("tcp_rmem", "tcp_wmem"):
                network.start(end, ["sysctl", "-qw", f"net.ipv4.{key}=4096 4194304 16777216"]).wait()
        receiver = network.start(
            "node2", [sys.executable, transfer.__file__, "receive", there, "5001"], stdout=subprocess.PIPE
        )
        assert receiver.stdout is not None
        receiver.stdout.readline()
        began_s = network.now_s
        words = [sys.executable, transfer.__file__, "send", there, "5001", control, str(LASTS_S), "--info"]
        sender = network.start("node1", words, stdout=subprocess.PIPE)
        states = [json.loads(line) for line in sender.communicate()[0].splitlines()]
        arrivals = [json.loads(line) for line in receiver.communicate()[0].splitlines()]
    if sender.returncode != 0 or not states:
        raise SystemExit(f"the kernel's {control} sent nothing")
    counted = [row for row in arrivals if row["at_s"] >= WARM_UP_S]
    bytes_in, took_s = counted[-1]["bytes"] - counted[0]["bytes"], counted[-1]["at_s"] - counted[0]["at_s"]
    windows = [row["cwnd_packets"] for row in states if row["at_s"] >= WARM_UP_S]
    return Seen(
        goodput_mbps=bytes_in * 8 / took_s / 1e6,
        wait_ms=waited_ms(network.results, path, began_s + LASTS_S),
        cwnd_packets=float(np.mean(windows)),
        times_s=[row["at_s"] for row in states],
        windows=[row["cwnd_packets"] for row in states],
        late_ms=network.seen["latest_s"] * 1e3,
    )


def of_engine(path: Way, control: str) -> Seen:
    """One transfer of the engine's sender."""
    flow = ac.Flow(source="node1", destination="node2", tcp="tcp", control=control)
    results = ac.run(path.scenario(flows=[flow]))
    rows = results.rows("flow_series")
    counted = [row for row in rows if row["time_s"] >= WARM_UP_S]
    # The series has the receiver's rate with headers; data is what is in full packets without 52 bytes of them.
    rate = float(np.mean([row["throughput_bps"] for row in counted])) * (PACKET_BYTES - 52) / PACKET_BYTES
    return Seen(
        goodput_mbps=rate / 1e6,
        wait_ms=waited_ms(results, path, LASTS_S),
        cwnd_packets=float(np.mean([row["cwnd_packets"] for row in counted])),
        times_s=[row["time_s"] for row in rows],
        windows=[row["cwnd_packets"] for row in rows],
    )


def table(rows: list[tuple[Way, str, Seen, Seen]]) -> str:
    """The comparison in Markdown."""
    lines = [
        "| rate | round trip | buffer | control | goodput, Mb/s: kernel | engine | wait, ms: kernel | engine "
        "| cwnd, packets: kernel | engine |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for path, control, kernel, engine in rows:
        cells = (path.rate, f"{path.round_trip_ms} ms", f"{path.buffer_bdp:g} BDP", control)
        figures = (
            *(f"{seen.goodput_mbps:.2f}" for seen in (kernel, engine)),
            *(f"{seen.wait_ms:.1f}" for seen in (kernel, engine)),
            *(f"{seen.cwnd_packets:.0f}" for seen in (kernel, engine)),
        )
        lines.append(f"| {' | '.join((*cells, *figures))} |")
    return "\n".join(lines)


def draw(rows: list[tuple[Way, str, Seen, Seen]]) -> None:
    """The windows' course on one path, the kernel's over the engine's."""
    from ackclock.analysis.plot.files import save
    from ackclock.analysis.plot.theme import SERIES, panels, style

    drawn = [row for row in rows if row[0] == Way(*DRAWN)]
    with style():
        picture, places = panels(len(drawn), 1, x="time (s)", y="cwnd (packets)", size=(7.0, 1.9 * len(drawn) + 0.4))
        for place, (_, control, kernel, engine) in zip(places, drawn, strict=True):
            place.plot(kernel.times_s, kernel.windows, label="the kernel", **SERIES[0])
            place.plot(engine.times_s, engine.windows, label="the engine", **SERIES[1])
            place.set_title(control, loc="left")
        places[0].legend(loc="upper right", ncols=2)
        save(picture, PICTURE)


def main() -> int:
    """Measure, print, and write if asked to."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("--quick", action="store_true", help="one path")
    asked.add_argument("--write", action="store_true", help="put the table and the picture into the docs")
    options = asked.parse_args()
    if (lacks := missing()) is not None:
        print(f"not measured: {lacks}", file=sys.stderr)
        return 1
    have = KERNELS.read_text().split()
    for control in (control for control in CONTROLS if control not in have):
        print(f"{control}: the running kernel has it not, only {', '.join(have)}", file=sys.stderr)
    rows = []
    for path in paths(options.quick):
        for control in (control for control in CONTROLS if control in have):
            kernel, engine = of_kernel(path, control), of_engine(path, control)
            rows.append((path, control, kernel, engine))
            print(table(rows).splitlines()[-1], f"  (at most {kernel.late_ms:.1f} ms late)", flush=True)
    if options.write:
        load = os.getloadavg()[0]
        worst = max(kernel.late_ms for _, _, kernel, _ in rows)
        where = (
            f"Linux {platform.release()}, {os.cpu_count()} cores, load {load:.1f}; {LASTS_S} s each, the first "
            f"{WARM_UP_S} not counted; packets handed over at most {worst:.1f} ms late."
        )
        text = PAGE.read_text(encoding="utf-8")
        mark = re.compile(r"(<!-- measured -->\n).*?(<!-- end -->)", re.DOTALL)
        PAGE.write_text(mark.sub(lambda m: f"{m[1]}{where}\n\n{table(rows)}\n{m[2]}", text), encoding="utf-8")
        draw(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
