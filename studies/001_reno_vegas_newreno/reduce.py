"""What the store keeps of a run of study 001 besides stdout: figures of the bottleneck's trace and of the senders."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

import ackclock as ac
from ackclock.batch.study import Run

#: Means of windows, round-trip times and timeouts leave the first seconds out: starts lie between 0 and 5 s.
FROM_S = 10
#: RED counts a packet as this many bytes by default (ns-2's `mean_pktsize_`).
MEAN_PACKET_BYTES = 500


def reduce(run: Run, result: ac.Ns2Result) -> dict[str, Any]:
    """For Reno beside Vegas, by flow, in the order of the script's argument; nothing for the other script.

    Drops and mean queue by the second (packets) and the bytes received by its end. From `FROM_S` on: packets that
    arrived and were dropped, means of cwnd (packets), smoothed RTT and RTO (s), and the windows that drops found.
    """
    if "out.tr" not in result.files:
        return {}
    trace = ac.trace.read(result.files["out.tr"])
    windows = _rows(result.files["window.dat"])
    course = _rows(result.files["course.dat"])
    kinds = str(run.args[0]).split("+")
    flows = []
    for number, kind in enumerate(kinds):
        flow = _of_flow(trace, number + 1)
        flow |= {
            "kind": kind,
            "cwnd_packets": fmean(row[1 + number] for row in windows if row[0] >= FROM_S),
            "bytes": [round(row[1 + 3 * number]) for row in course],
            "srtt_s": fmean(row[2 + 3 * number] for row in course if row[0] >= FROM_S),
            "rto_s": fmean(row[3 + 3 * number] for row in course if row[0] >= FROM_S),
        }
        flows.append(flow)
    arrived, at_drops = _at_drops(run, result.files["out.tr"], windows)
    for fid, flow in enumerate(flows, 1):
        flow["arrived"] = arrived.get(str(fid), 0)
    return {"flows": flows, **at_drops}


def _of_flow(trace: ac.trace.Trace, fid: int) -> dict[str, Any]:
    queue = trace.series("queue", 1.0, flow=fid)
    # A trace of one link has no line at a flow's ends: packets are counted at the link.
    loss = trace.series("loss", 1.0, flow=fid)
    drops = list(zip(loss.column("time_s"), loss.column("dropped_packets"), strict=True))
    return {
        "dropped": sum(dropped for second, dropped in drops if second >= FROM_S),
        "drops": drops,
        "queue_time_s": queue.column("time_s"),
        "queue_packets": queue.column("queue_mean_packets"),
    }


def _at_drops(run: Run, trace: Path, windows: list[list[float]]) -> tuple[dict[str, int], dict[str, Any]]:
    """From `FROM_S` on: packets that arrived, by flow; drops, how many found the buffer full, mean of both windows."""
    queue, limit = str(run.args[1]), int(run.args[2])
    in_bytes = queue.startswith("RED") and not queue.endswith("packets")
    capacity = limit * MEAN_PACKET_BYTES if in_bytes else limit
    waiting = found = drops = full = 0
    arrived: dict[str, int] = {}
    sums = []
    with trace.open(encoding="ascii") as lines:
        for line in lines:
            sign, time, _, _, _, size, _, fid, *_ = line.split()
            counted = int(size) if in_bytes else 1
            late = float(time) >= FROM_S
            if sign == "+":
                found = waiting
                waiting += counted
                if late:
                    arrived[fid] = arrived.get(fid, 0) + 1
            elif sign == "-":
                waiting -= counted
            elif sign == "d":
                # A dropped packet has a "+" line just before.
                waiting -= counted
                if late:
                    drops += 1
                    full += found >= capacity
                    row = windows[min(int(float(time) * 10), len(windows) - 1)]
                    sums.append(sum(row[1:]))
    return arrived, {"drops": drops, "drops_full": full, "windows_at_drop": fmean(sums) if sums else None}


def _rows(path: Path) -> list[list[float]]:
    return [[float(word) for word in line.split()] for line in path.read_text(encoding="ascii").splitlines()]
