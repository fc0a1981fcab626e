"""Hold senders and queue disciplines against ns-3's, over the same dumbbells.

    python tools/compare_with_ns3.py             print ackclock beside what is recorded of ns-3
    python tools/compare_with_ns3.py --record [NAME...]
                                                 compile ns3/dumbbell.cc, run it for these or all, record what it says
                                                 (g++, libns3-dev)
    python tools/compare_with_ns3.py --write     put the table into docs/ns3.md

The record is tests/oracle/ns3/dumbbells.json, with ns-3's version;
tests/oracle/test_ns3_dumbbells.py holds ackclock to it.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

import numpy as np

import ackclock as ac

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "tests" / "oracle" / "ns3" / "dumbbells.json"
PAGE = ROOT / "docs" / "ns3.md"
SOURCE = Path(__file__).parent / "ns3" / "dumbbell.cc"
MODULES = ("core", "network", "internet", "applications", "point-to-point", "traffic-control")
LASTS_S, WARM_UP_S = 60, 10


class Figures(TypedDict):
    """What a run gives, after the warm-up: each flow's goodput and mean window, the mean queue of the bottleneck."""

    goodput_bps: list[float]
    queue_packets: float
    cwnd_packets: list[float]


@dataclass(frozen=True)
class Dumbbell:
    """A bottleneck, and how many flows share it; access links have 1 Gb/s and 1 ms."""

    rate_mbps: int
    delay_ms: int
    limit_packets: int
    flows: int


DUMBBELLS = {
    "one flow": Dumbbell(10, 20, 60, 1),
    "two flows": Dumbbell(10, 20, 60, 2),
    "50 Mb/s": Dumbbell(50, 20, 170, 1),
    "deep buffer": Dumbbell(10, 20, 600, 1),
    "four flows": Dumbbell(10, 20, 1000, 4),
}
SINGLE = ("one flow", "two flows", "50 Mb/s")


#: where the two differ by more than the bounds of tests/oracle/test_ns3_dumbbells.py, and why
DEPARTURES = {
    ("vegas", "two flows"): (
        "the second flow takes the queue at its start for a part of the path, so the result depends on that queue. "
        "With starts 0.05 to 2 s apart the mean queue is 4 to 11 packets in ns-3 and 6 to 22 in ackclock"
    ),
    ("illinois", "two flows"): (
        "ns-3.37 compares the window in bytes with Illinois's threshold of 15 packets, below which the law is Reno's "
        "(S. Liu and others 2008). A flow with few packets therefore grows by less than one per RTT while the queue "
        "is long, and stays small. It gets 0.5 to 4.3 of 9.6 Mb/s, depending on its start; in ackclock 3.4 to 5.3"
    ),
    ("ledbat", "deep buffer"): (
        "RFC 6817 (2.4.2) adds queueing up to a target of 100 ms, which is 83 packets here. ackclock's queue stays at "
        "77, ns-3's at 52. ns-3.37 limits the window to the data in flight, where the RFC allows one packet more "
        "(`ALLOWED_INCREASE`). Growth by less than a packet per ACK is lost. ns-3 fixed this in 2025"
    ),
}


@dataclass(frozen=True)
class Case:
    """A sender, or a queue discipline under one, in both simulators, and the dumbbells that it is compared on."""

    #: ns-3's TypeId, and its attributes
    ns3: str
    tcp: str = "tcp"
    control: str = "cubic"
    queue: str = "drop_tail"
    on: tuple[str, ...] = SINGLE
    ns3_sets: dict[str, str] = field(default_factory=dict)
    ns3_queue: str = "FifoQueueDisc"
    parameters: dict[str, bool | int | float | str] = field(default_factory=dict)


#: what the senders under a queue discipline are called in ns-3
CONTROLS = {"cubic": "TcpCubic", "reno": "TcpLinuxReno"}

SENDERS = {
    "reno": Case("TcpLinuxReno", control="reno"),
    "cubic": Case("TcpCubic", control="cubic"),
    # ns-3's BBR does not come back from the losses of its start with SACK; in a deep buffer there are none.
    "bbr": Case("TcpBbr", control="bbr", on=("deep buffer",)),
    # On a queue that marks what finds 20 packets; ns-3's discipline does not see the one in the device.
    "dctcp": Case(
        "TcpDctcp",
        control="dctcp",
        queue="step",
        on=("two flows",),
        parameters={"threshold": "21 packets"},
        ns3_queue="RedQueueDisc",
        ns3_sets={
            "ns3::RedQueueDisc::UseEcn": "true",
            "ns3::RedQueueDisc::UseHardDrop": "false",
            "ns3::RedQueueDisc::MinTh": "20",
            "ns3::RedQueueDisc::MaxTh": "20",
            "ns3::RedQueueDisc::QW": "1",
            "ns3::RedQueueDisc::MeanPktSize": "1500",
        },
    ),
    "ledbat": Case("TcpLedbat", control="ledbat", on=("deep buffer",)),
    # ns-3's Vegas takes the wait of a delayed ACK for queueing, and stops at half of the rate; so none is delayed.
    "vegas": Case("TcpVegas", "linux", "vegas", ns3_sets={"ns3::TcpSocket::DelAckCount": "1"}),
    "westwood": Case("TcpWestwood", "linux", "westwood", ns3_sets={"ns3::TcpWestwood::ProtocolType": "WestwoodPlus"}),
    "highspeed": Case("TcpHighSpeed", "linux", "highspeed"),
    "illinois": Case("TcpIllinois", "linux", "illinois"),
    "htcp": Case("TcpHtcp", "linux", "htcp"),
    "scalable": Case("TcpScalable", "linux", "scalable"),
    "veno": Case("TcpVeno", "linux", "veno"),
    "yeah": Case("TcpYeah", "linux", "yeah"),
    "bic": Case("TcpBic", "linux", "bic"),
    "hybla": Case("TcpHybla", "linux", "hybla"),
}
QUEUES = {
    "codel": Case("CoDelQueueDisc", queue="codel", on=("four flows",)),
    # RFC 8289 (5.6) lets a queue be that has one full packet left, ns-3's default only one that has less.
    "fq_codel": Case(
        "FqCoDelQueueDisc", queue="fq_codel", on=("four flows",), ns3_sets={"ns3::CoDelQueueDisc::MinBytes": "1501"}
    ),
    "pie": Case("PieQueueDisc", queue="pie", on=("four flows",)),
    "fq_pie": Case("FqPieQueueDisc", queue="fq_pie", on=("four flows",)),
    # Under ns-3's CUBIC its COBALT lets one flow have a queue of 55 packets, under its Reno it does not.
    "cobalt": Case("CobaltQueueDisc", control="reno", queue="cobalt", on=("four flows",)),
    # ns-3.37's CUBIC has no Reno-friendly region (RFC 9438, 4.3; ns-3 has had it since 2024): under early drops it is
    # weaker than Reno. As ns-3's discipline does not see the packet in the device, the thresholds are one lower there.
    "red": Case(
        "RedQueueDisc",
        control="reno",
        queue="red",
        on=("four flows",),
        ns3_sets={
            "ns3::RedQueueDisc::LinkBandwidth": "10Mbps",
            "ns3::RedQueueDisc::LinkDelay": "20ms",
            "ns3::RedQueueDisc::MeanPktSize": "1500",
        },
        parameters={
            "thresh": "6 packets",
            "maxthresh": "16 packets",
            "q_weight": 0.002,
            "linterm": 50.0,
            "gentle": True,
            "mean_pktsize": "1500 B",
        },
    ),
}


def ours(case: Case, on: Dumbbell) -> Figures:
    """What ackclock gives."""
    # In ns-3 the device behind the discipline holds a packet, and one is on its way out.
    queue = ac.Queue(kind=case.queue, limit=f"{on.limit_packets + 2} packets", parameters=case.parameters)
    access = ac.Link(rate="1 Gb/s", delay="1 ms", queue=ac.Queue(limit="100000 packets"))
    bottleneck = ac.Link(rate=f"{on.rate_mbps} Mb/s", delay=f"{on.delay_ms} ms", queue=queue)
    flows = [
        ac.Flow(pair=number + 1, tcp=case.tcp, control=case.control, start=f"{number / 10} s")
        for number in range(on.flows)
    ]
    results = ac.run(
        ac.Scenario(
            topology=ac.Dumbbell(pairs=on.flows, bottleneck=bottleneck, access=access),
            flows=flows,
            duration=f"{LASTS_S} s",
            defaults="linux",
            record=ac.Record(sample="0.01 s"),
        )
    )
    link = results.names["links"].index("router1->router2")
    waiting = [
        row["queue_packets"]
        for row in results.rows("link_series")
        if row["link"] == link and row["time_s"] >= WARM_UP_S
    ]
    rows = [row for row in results.rows("flow_series") if row["time_s"] >= WARM_UP_S]
    each = [[row for row in rows if row["flow"] == number + 1] for number in range(on.flows)]
    return {
        # Of 1500 bytes, 1448 are data.
        "goodput_bps": [float(np.mean([row["throughput_bps"] for row in flow])) * 1448 / 1500 for flow in each],
        "queue_packets": float(np.mean(waiting)),
        "cwnd_packets": [float(np.mean([row["cwnd_packets"] for row in flow])) for flow in each],
    }


def record(names: list[str]) -> None:
    """Run ns-3 for these cases, or all, and keep what it says."""
    cases = {**SENDERS, **QUEUES}
    version = subprocess.run(
        ["pkg-config", "--modversion", "ns3-core"], capture_output=True, text=True, check=True
    ).stdout.strip()
    found = recorded()[1] if names else {}
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/dumbbell"
        libraries = [f"-lns3-{module}" for module in MODULES]
        subprocess.run(["g++", "-O1", "-std=c++17", str(SOURCE), "-o", program, *libraries], check=True)
        for name in names or cases:
            case, found[name] = cases[name], {}
            for where in case.on:
                on = DUMBBELLS[where]
                is_queue = name in QUEUES
                words = [
                    f"--tcp=ns3::{CONTROLS[case.control] if is_queue else case.ns3}",
                    f"--queue=ns3::{case.ns3 if is_queue else case.ns3_queue}",
                    f"--rate={on.rate_mbps}Mbps",
                    f"--delay={on.delay_ms}",
                    f"--limit={on.limit_packets}",
                    f"--flows={on.flows}",
                    f"--lasts={LASTS_S}",
                    f"--warm={WARM_UP_S}",
                ]
                if case.ns3_sets:
                    words.append("--set=" + ",".join(f"{key}={value}" for key, value in case.ns3_sets.items()))
                said = subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout
                found[name][where] = json.loads(said)
                print(f"{name}, {where}: {said.strip()}", flush=True)
    lines = [
        f'  "{name}": {{\n' + ",\n".join(f'   "{where}": {json.dumps(one)}' for where, one in places.items()) + "\n  }"
        for name, places in ((name, found[name]) for name in cases if name in found)
    ]
    text = f'{{\n "ns3": "{version}",\n "figures": {{\n' + ",\n".join(lines) + "\n }\n}\n"
    RECORD.write_text(text, encoding="utf-8")


def recorded() -> tuple[str, dict[str, dict[str, Figures]]]:
    """ns-3's version, and what it gave: by case and dumbbell."""
    kept = json.loads(RECORD.read_text(encoding="utf-8"))
    return kept["ns3"], kept["figures"]


def table(figures: dict[str, dict[str, Figures]], cases: dict[str, Case]) -> str:
    """ackclock beside ns-3, in Markdown."""
    lines = [
        "| | dumbbell | goodput, Mb/s: ns-3 | ackclock | apart | queue, packets: ns-3 | ackclock | apart "
        "| cwnd, packets: ns-3 | ackclock |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, case in cases.items():
        for where in case.on:
            theirs, mine = figures[name][where], ours(case, DUMBBELLS[where])
            rates = sum(theirs["goodput_bps"]) / 1e6, sum(mine["goodput_bps"]) / 1e6
            waits = theirs["queue_packets"], mine["queue_packets"]
            windows = np.mean(theirs["cwnd_packets"]), np.mean(mine["cwnd_packets"])
            lines.append(
                f"| `{name}` | {where} | {rates[0]:.2f} | {rates[1]:.2f} | {rates[1] / rates[0] - 1:+.1%} "
                f"| {waits[0]:.1f} | {waits[1]:.1f} | {waits[1] / waits[0] - 1:+.0%} "
                f"| {windows[0]:.1f} | {windows[1]:.1f} |"
            )
            print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> int:
    """Record, compare, write."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("--record", nargs="*", metavar="NAME", help="run ns-3 for these cases, or all")
    asked.add_argument("--write", action="store_true", help="put the table into docs/ns3.md")
    options = asked.parse_args()
    if options.record is not None:
        record(options.record)
        return 0
    version, figures = recorded()
    parts = [table(figures, cases) for cases in (SENDERS, QUEUES)]
    parts.append("\n".join(f"- `{name}`, {where}: {why}." for (name, where), why in DEPARTURES.items()))
    if options.write:
        text = PAGE.read_text(encoding="utf-8")
        for mark, part in zip(("senders", "queues", "departures"), parts, strict=True):
            pattern = re.compile(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", re.DOTALL)
            text = pattern.sub(lambda match, part=part: f"{match[1]}{part}\n{match[2]}", text)  # type: ignore[misc]
        text = re.sub(r"ns-3\.\d+(\.\d+)?", f"ns-{version}" if version.startswith("3") else version, text)
        PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
