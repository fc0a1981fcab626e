"""What stays of a run of study 003: how many data packets were sent, received and lost, by flow."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from ackclock import Ns2Result
from ackclock.batch.study import Run

#: Length of an interval of the occupancy graphs, s.
INTERVAL_S = 0.5


def reduce(run: Run, result: Ns2Result) -> dict[str, Any]:
    """The counts of `out.tr`: data packets (tcp) alone, by flow id as text."""
    bottleneck = ("1", "2") if run.group.startswith("table2") else ("2", "3")
    return counted(result.files["out.tr"], bottleneck)


def counted(trace: Path, bottleneck: tuple[str, str]) -> dict[str, Any]:
    """What went over the bottleneck, what came to the sinks, what was lost anywhere.

    `sent` are departures from the bottleneck's queue, `sent_in_5_s` those in the five seconds after the first packet of
    all. `steady` are those received from 5 s on, and `intervals` the same by intervals of `INTERVAL_S` from 0 s.
    """
    sent: Counter[str] = Counter()
    received: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    steady: Counter[str] = Counter()
    early, first_s = 0, None
    intervals: dict[str, Counter[int]] = {}
    with trace.open(encoding="ascii") as lines:
        for line in lines:
            event, at, source, target, kind, _, _, flow, _, destination, *_ = line.split()
            if kind != "tcp":
                continue
            at_s = float(at)
            first_s = at_s if first_s is None else first_s
            if event == "-" and (source, target) == bottleneck:
                sent[flow] += 1
                early += at_s <= first_s + 5
            elif event == "r" and target == destination.partition(".")[0]:
                received[flow] += 1
                steady[flow] += at_s >= 5
                intervals.setdefault(flow, Counter())[int(at_s / INTERVAL_S)] += 1
            elif event == "d":
                dropped[flow] += 1
    return {
        "sent": sent,
        "sent_in_5_s": early,
        "received": received,
        "dropped": dropped,
        "steady": steady,
        "intervals": {flow: [count[n] for n in range(max(count) + 1)] for flow, count in intervals.items()},
    }
