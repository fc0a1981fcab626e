"""Queues that a sweep compares and whose limits nobody has set: each then has its own, from 50 packets to 10240."""

from __future__ import annotations

from ackclock._native import SimulationError
from ackclock.batch.sweep.grid import Grid
from ackclock.batch.sweep.script import Script
from ackclock.scenario import ScenarioError
from ackclock.scenario.resolve.network import resolve
from ackclock.scenario.resolve.trial_engine import trial_link

#: Points that are looked at: each takes about a millisecond.
_MOST_POINTS = 200


def own_limits(grid: Grid) -> str:
    """A remark on the limits of the queue disciplines that a grid varies, where they differ and it sets none."""
    keys = [key for axis in grid.axes for key in axis.keys if key.endswith(("queue", "queue.kind"))]
    if isinstance(grid.base, Script) or not keys:
        return ""
    where = keys[0].removesuffix(".kind")
    limits: dict[str, float] = {}
    for index in range(min(len(grid), _MOST_POINTS)):
        point = grid.point(index)
        value = point.settings[keys[0]]
        kind = value.get("kind") if isinstance(value, dict) else value
        if not isinstance(kind, str) or kind in limits:
            continue
        try:
            queues = [
                link.parameters.get("limit", trial_link(1e6, 0.0, kind).queue.param("limit"))
                for link in resolve(grid.scenario(point, 0), to_run=False).links
                if link.queue_key == where and link.queue.limit is None
            ]
        except (KeyError, ScenarioError, SimulationError):
            continue  # it has no limit in packets, or is a user's own
        if queues:
            limits[kind] = float(queues[0])
    if len(set(limits.values())) < 2:
        return ""
    listed = ", ".join(f"{kind} {limit:g} packets" for kind, limit in limits.items())
    return f"the queues' own limits differ, as no `limit` is set: {listed}"
