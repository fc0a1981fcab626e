"""What the store keeps of a run of study 000 besides stdout: figures of the traces."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import ackclock as ac
from ackclock.batch.study import Run

#: Numbers of a flow, in this order in `reduced["flows"]` and `reduced["acks"]`.
FLOW = ("sent_packets", "received_packets", "delay_mean_s")


def reduce(run: Run, result: ac.Ns2Result) -> dict[str, Any]:
    """Bytes received in each second by each TCP and CBR flow, and the mean of each window (packets).

    Where the edge links were traced: packets and mean delay of each flow of data and of its ACKs. For Fig. 11: the
    digest of the bottleneck's trace, and its longest queue in packets.
    """
    windows = _columns(result.files["window.dat"])[1:]
    tcp, cbr = (sum(line.startswith(kind) for line in result.stdout.splitlines()) for kind in ("tcp", "cbr"))
    course = [_steps(column) for column in _columns(result.files["course.dat"])[1:]]
    reduced: dict[str, Any] = {
        "cwnd_packets": [sum(window) / len(window) for window in windows],
        "bytes": {"tcp": course[:tcp], "cbr": course[tcp : tcp + cbr]},
    }
    path = result.files["out.tr"]
    if path.stat().st_size == 0:
        return reduced
    trace = ac.trace.read(path)
    if run.args[0] == "threshold":
        longest = max(trace.stats().links.column("queue_max_packets"))
        return {**reduced, "trace": hashlib.sha256(path.read_bytes()).hexdigest(), "queue_max_packets": longest}
    return {**reduced, "flows": _flows(trace, "tcp"), "acks": _flows(trace, "ack")}


def _columns(path: Path) -> list[list[float]]:
    lines = path.read_text(encoding="ascii").splitlines()
    return [list(column) for column in zip(*([float(word) for word in line.split()] for line in lines), strict=True)]


def _steps(totals: list[float]) -> list[int]:
    return [round(total - before) for before, total in zip([0.0, *totals], totals, strict=False)]


def _flows(trace: ac.trace.Trace, kind: str) -> dict[str, list[float]]:
    table = trace.stats(kind=kind).flows
    columns = zip(*(table.column(name) for name in FLOW), strict=True)
    return {str(flow): list(row) for flow, row in zip(table.column("flow"), columns, strict=True)}
