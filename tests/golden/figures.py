"""What each sender gives through each queue discipline, as tables that a person compares.

    python tests/golden/figures.py        (make golden)

writes a table for each queue discipline beside this file. The engine's digests (crates/engine/tests/digests.tsv) say
that packets changed. These tables say by how much: whoever changes a result on purpose reviews them in the diff.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import ackclock as ac
from ackclock._native import congestion_controls, ecn_controls, queue_disciplines, tcp_senders, tcp_two_way

HERE = Path(__file__).parent

#: Most disciplines drop unless told to mark; the queue of 20 packets is too short for two of the defaults.
PARAMETERS: Mapping[str, Mapping[str, bool | str]] = {
    "red": {"setbit": True},
    "rio": {"setbit": True},
    "pi": {"setbit": True},
    "rem": {"markpkts": True, "pbo": "5 packets"},
    "virtual_queue": {"markpkts": True},
    "codel": {"ecn": True},
    "pie": {"ecn": True},
    "fq_pie": {"ecn": True},
    "step": {"threshold": "8 packets"},
}
#: limits that are of bytes: twenty packets of 1040 bytes
OF_BYTES = frozenset({"cake", "drr"})
#: they sort packets by policies, which a scenario has to name: without one there is nothing to compare
WITHOUT = frozenset({"ds_red_core", "ds_red_edge"})
#: a flow's column, how the table calls it, in which unit, with how many digits after the point
COLUMNS = (
    ("goodput_bps", "goodput_kbps", 1e-3, 1),
    ("dropped_packets", "lost", 1, 0),
    ("marked_packets", "marked", 1, 0),
    ("delay_mean_s", "delay_ms", 1e3, 2),
)

HEAD = """\
{queue}: two flows of one sender through 1.5 Mb/s, 20 ms and a queue of 20 packets, for 10 s.
Flow 1 starts at 0 s without ECN, flow 2 at 0.3 s with ECN, if the sender responds to marks.
goodput_kbps: kb/s; lost, marked: packets; delay_ms: mean one-way delay, ms. Written by `make golden`.
"""


def queues() -> list[str]:
    """Every queue discipline that has a table."""
    return sorted(name for name, _ in queue_disciplines() if name not in WITHOUT)


def senders() -> list[str]:
    """Every sender, or in its place the congestion controls that it has by name."""
    found = []
    for sender, _ in [*tcp_senders(), *tcp_two_way()]:
        controls = [f"{sender}/{control}" for control, _ in congestion_controls(sender)]
        found += controls or [sender]
    return sorted(found)


def scenario(sender: str, queue: str) -> ac.Scenario:
    """Two flows of a sender through a queue discipline."""
    tcp, _, control = sender.partition("/")
    limit = "20800 B" if queue in OF_BYTES else "20 packets"
    discipline = ac.Queue(kind=queue, limit=limit, parameters=dict(PARAMETERS.get(queue, {})))
    bottleneck = ac.Link(rate="1.5 Mb/s", delay="20 ms", queue=discipline)
    return ac.Scenario(
        topology=ac.Dumbbell(pairs=2, bottleneck=bottleneck),
        flows=[
            ac.Flow(pair=1, tcp=tcp, control=control or None, window="1000 packets"),
            ac.Flow(
                pair=2,
                tcp=tcp,
                control=control or None,
                window="1000 packets",
                start="300 ms",
                parameters={"ecn": True} if tcp != "tcp" or control in ecn_controls() else {},
            ),
        ],
        duration="10 s",
    )


def table(queue: str) -> str:
    """The figures of every sender through a queue discipline, a line for each."""
    names = [f"{name}_{flow}" for flow in (1, 2) for _, name, _, _ in COLUMNS]
    lines = [f"{'sender':<20}" + "".join(f"{name:>15}" for name in names)]
    for sender in senders():
        cells = [
            f"{_number(row[column], unit, digits):>15}"
            for row in ac.run(scenario(sender, queue)).rows("flows")
            for column, _, unit, digits in COLUMNS
        ]
        lines.append(f"{sender:<20}" + "".join(cells))
    return HEAD.format(queue=queue) + "\n" + "\n".join(lines) + "\n"


def _number(value: float | None, unit: float, digits: int) -> str:
    return "-" if value is None else f"{value * unit:.{digits}f}"


def main() -> int:
    """Write every table anew."""
    tables = {queue: table(queue) for queue in queues()}
    for old in HERE.glob("*.txt"):
        old.unlink()
    for queue, text in tables.items():
        (HERE / f"{queue}.txt").write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
