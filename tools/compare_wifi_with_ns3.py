"""Hold ackclock's Wi-Fi link against ns-3's stations of 802.11n.

    python tools/compare_wifi_with_ns3.py             print ackclock beside what is recorded of ns-3
    python tools/compare_wifi_with_ns3.py --record    compile ns3/wifi.cc, run it, record what it says (g++, libns3-dev)

The record is tests/oracle/ns3/wifi.json, with ns-3's version; tests/oracle/test_ns3_wifi.py holds ackclock to it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import ackclock as ac

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "tests" / "oracle" / "ns3" / "wifi.json"
SOURCE = Path(__file__).parent / "ns3" / "wifi.cc"
MODULES = ("core", "network", "internet", "applications", "mobility", "wifi")
#: ns-3's runs of each case, whose random numbers differ
RUNS = 2
LASTS_S = 20


@dataclass(frozen=True)
class Case:
    """Stations that send to another one, and the bounds of their aggregates."""

    stations: int = 1
    #: the most bytes of an aggregate; 0 for none
    ampdu: int = 65_535
    #: ns-3's name of the rate, and ackclock's link at this rate
    mode: str = "HtMcs7"
    wifi: dict[str, str | int] = field(default_factory=dict)


CASES = {
    "one station": Case(),
    "one station, 20,000 bytes": Case(ampdu=20_000, wifi={"max_size": "20000 B"}),
    "one station, no aggregation": Case(ampdu=0, wifi={"max_frames": 1}),
    # An acknowledgment has the modulation of the frames that it answers, up to 24 Mb/s.
    "one station, 13 Mb/s": Case(mode="HtMcs1", wifi={"phy_rate": "13 Mb/s", "control_rate": "12 Mb/s"}),
    "two stations": Case(stations=2),
    "five stations, no aggregation": Case(stations=5, ampdu=0, wifi={"max_frames": 1}),
}


def ours(case: Case, seed: int = 1, lasts_s: int = LASTS_S) -> float:
    """Packets per second of a station: the others are contenders, who always have a full aggregate."""
    wifi = ac.Wifi(**case.wifi, contenders=case.stations - 1)  # type: ignore[arg-type]
    link = ac.Link(process=wifi, delay="1 us", queue=ac.Queue(limit="1000 packets"))
    sends = ac.Flow(source="node1", destination="node2", app=ac.Cbr(rate="80 Mb/s", packet_size="1500 B"))
    topology = ac.Chain(nodes=2, link=link)
    results = ac.run(ac.Scenario(topology=topology, flows=[sends], duration=f"{lasts_s} s", seed=seed))
    received: int = results.rows("links")[0]["received_packets"]
    return received / lasts_s


def record() -> None:
    """Run ns-3 for all cases, and keep what it says."""
    version = subprocess.run(
        ["pkg-config", "--modversion", "ns3-core"], capture_output=True, text=True, check=True
    ).stdout.strip()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/wifi"
        libraries = [f"-lns3-{module}" for module in MODULES]
        subprocess.run(["g++", "-O1", "-std=c++17", str(SOURCE), "-o", program, *libraries], check=True)
        for name, case in CASES.items():
            words = [f"--stations={case.stations}", f"--ampdu={case.ampdu}", f"--mode={case.mode}"]
            runs = [[program, *words, f"--run={run}"] for run in range(1, RUNS + 1)]
            said = [subprocess.run(run, capture_output=True, text=True, check=True).stdout for run in runs]
            found[name] = [json.loads(line) for line in said]
            print(f"{name}: {found[name]}", flush=True)
    lines = [f'  "{name}": {json.dumps(runs)}' for name, runs in found.items()]
    text = f'{{\n "ns3": "{version}",\n "packets_per_s": {{\n' + ",\n".join(lines) + "\n }\n}\n"
    RECORD.write_text(text, encoding="utf-8")


def recorded() -> tuple[str, dict[str, list[list[float]]]]:
    """ns-3's version, and the packets per second: by case, of each run the stations'."""
    kept = json.loads(RECORD.read_text(encoding="utf-8"))
    return kept["ns3"], kept["packets_per_s"]


def main() -> None:
    """Record, or print the two beside each other."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--record", action="store_true", help="run ns-3 and keep what it says")
    if parser.parse_args().record:
        record()
    _, figures = recorded()
    for name, case in CASES.items():
        theirs = [rate for run in figures[name] for rate in run]
        mean = sum(theirs) / len(theirs)
        mine = sum(ours(case, seed) for seed in range(1, 5)) / 4
        print(f"{name}: ns-3 {mean:.1f}, ackclock {mine:.1f} packets/s of a station, {mine / mean - 1:+.1%}")


if __name__ == "__main__":
    main()
