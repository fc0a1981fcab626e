"""What is kept of a run of study 000: its trace is up to 30 MB, and the figures need a few numbers a second."""

from __future__ import annotations

import hashlib
from typing import Any

import ackclock as ac
from ackclock.study import Run

#: Numbers of a flow, in this order in `reduced["flows"]`.
FLOW = ("sent", "received", "dropped", "delay_s")


def reduce(run: Run, result: ac.Ns2Result) -> dict[str, Any]:
    """Packets and delays of each flow of data and of its ACKs, bytes received in each second, the trace's digest."""
    path = result.files["out.tr"]
    trace = ac.trace.read(path)
    return {
        "flows": _flows(trace, "tcp"),
        "acks": _flows(trace, "ack"),
        "cbr": _flows(trace, "cbr"),
        "bytes": {kind: _bytes(trace, kind) for kind in ("tcp", "cbr")},
        "trace": hashlib.sha256(path.read_bytes()).hexdigest(),
    }


def _flows(trace: ac.trace.Trace, kind: str) -> dict[str, list[float]]:
    table = trace.stats(kind=kind).flows
    names = ("sent_packets", "received_packets", "dropped_packets", "delay_mean_s")
    columns = zip(*(table.column(name) for name in names), strict=True)
    return {str(flow): list(row) for flow, row in zip(table.column("flow"), columns, strict=True)}


def _bytes(trace: ac.trace.Trace, kind: str) -> dict[str, list[int]]:
    """By flow, the bytes received in each second from 0."""
    table = trace.series("throughput", 1.0, kind=kind)
    found: dict[str, list[int]] = {}
    rows = zip(table.column("flow"), table.column("time_s"), table.column("received_bytes"), strict=True)
    for flow, time_s, count in rows:
        series = found.setdefault(str(flow), [])
        # A flow's rows begin with the second of its first line.
        series += [0] * (round(time_s) - len(series))
        series.append(count)
    return found
