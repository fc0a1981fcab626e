"""What is kept of a run of study 001 besides what it prints: the bottleneck's trace by the second."""

from __future__ import annotations

from typing import Any

import ackclock as ac
from ackclock.study import Run


def reduce(run: Run, result: ac.Ns2Result) -> dict[str, Any]:
    """By variant, for Reno beside Vegas: packets dropped, and in each second drops and the mean queue, packets."""
    if "out.tr" not in result.files:
        return {}
    trace = ac.trace.read(result.files["out.tr"])
    kinds = str(run.args[0]).split("+")
    return {kind: _of_flow(trace, fid) for fid, kind in enumerate(kinds, 1)}


def _of_flow(trace: ac.trace.Trace, fid: int) -> dict[str, Any]:
    queue = trace.series("queue", 1.0, flow=fid)
    # A trace of one link has no line at a flow's ends: what passed is counted at the link.
    loss = trace.series("loss", 1.0, flow=fid)
    drops = list(zip(loss.column("time_s"), loss.column("dropped_packets"), strict=True))
    return {
        "dropped": sum(count for _, count in drops),
        "drops": drops,
        "queue_time_s": queue.column("time_s"),
        "queue_packets": queue.column("queue_mean_packets"),
    }
