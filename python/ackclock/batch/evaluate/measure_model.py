"""What is measured of a control's model of its path: the visits to its states and its values there.

A visit is the time from the entry into a state to the entry into the next one. Visits are counted from 1. A state may
be given by the beginning of its name: `probe_bw` is any of ProbeBW's. All these metrics are of the first flow that has
a model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ackclock.batch.evaluate.view import View
from ackclock.scenario.units import time_s

Row = Mapping[str, Any]

#: Bytes of a packet's data where the draft counts in bytes (its 64 KBytes).
_QUANTUM_BYTES = 65536
#: Bytes of a SYN on the wire.
_SYN_BYTES = 40


@dataclass(frozen=True)
class Visit:
    """A visit to a state: its rows, and the row at which the next one begins, if any."""

    rows: Sequence[Row]
    after: Row | None

    @property
    def state(self) -> str:
        """The state."""
        return str(self.rows[0]["state"])


def rows_of(view: View) -> list[Row]:
    """The rows of the first flow that has a model."""
    if "model_changes" not in view.results.tables:
        return []
    rows = view.results.rows("model_changes")
    return [row for row in rows if row["flow"] == rows[0]["flow"]]


def visits(rows: Sequence[Row]) -> list[Visit]:
    """The visits in their order."""
    if not rows:
        return []
    starts = [0, *(n for n in range(1, len(rows)) if rows[n]["state"] != rows[n - 1]["state"]), len(rows)]
    return [Visit(rows[a:b], rows[b] if b < len(rows) else None) for a, b in pairwise(starts)]


def visit_to(rows: Sequence[Row], state: str, number: int) -> Visit | None:
    """The visit of this number to a state."""
    found = [visit for visit in visits(rows) if visit.state.startswith(state)]
    return found[number - 1] if len(found) >= number else None


def entry_s(view: View, state: str, number: int) -> float | None:
    """When the control enters a state for the nth time."""
    visit = visit_to(rows_of(view), state, number)
    return float(visit.rows[0]["time_s"]) if visit else None


def _after(view: View, state: str, number: int) -> list[Row]:
    """The rows from the entry into a state on; all without a state."""
    rows = rows_of(view)
    if not state:
        return rows
    visit = visit_to(rows, state, number)
    return [row for row in rows if row["time_s"] >= visit.rows[0]["time_s"]] if visit else []


def _packets_per_s(view: View, at_s: float) -> float:
    """The bottleneck's rate in packets of the flow."""
    import numpy as np

    (row, *_) = view.results.rows("flows")
    # Without the SYN, which has no data.
    bits: float = 8 * (row["sent_bytes"] - _SYN_BYTES) / (row["sent_packets"] - 1)
    return float(view.rates_bps(view.link(""), np.array([at_s]))[0]) / bits


def _rtt_s(view: View) -> float:
    (row, *_) = view.results.rows("flows")
    return float(row["rtt_min_s"])


def _inflight_target(view: View, row: Row) -> float:
    """`Inflight(1.0)`: the BDP, but at least three send quanta and four packets (draft-ietf-ccwg-bbr, 5.6.4.2)."""
    mss = int(view.results.scenario.flows[0].parameters.get("packet_size", 1448))
    quantum = max(2.0, min(_QUANTUM_BYTES / mss, row["pacing_rate_packets_per_s"] * 0.001))
    return float(max(row["inflight_target_packets"], 3 * quantum, 4.0))


def _value(view: View, row: Row, column: str, over: str, before: Row) -> float:
    """A column of a row, over the bottleneck's rate, the path's BDP, `Inflight(1.0)`, the bound of DOWN, or its own
    value in the row `before`.
    """
    value: float = float(row[column])
    if not over:
        return value
    if over == "rate":
        under = _packets_per_s(view, row["time_s"])
    elif over == "bdp":
        under = _packets_per_s(view, row["time_s"]) * _rtt_s(view)
    elif over == "target":
        under = _inflight_target(view, row)
    elif over == "down_bound":
        under = min(_inflight_target(view, row), float(row["inflight_with_headroom_packets"]))
    else:
        under = float(before[column])
    return value / under if under else math.nan


def model(view: View, column: str, state: str, number: int = 1, at: str = "entry", over: str = "") -> float | None:
    """A value of the control's model at the entry into a state, or at its exit."""
    visit = visit_to(rows_of(view), state, number)
    row = visit and (visit.after if at == "exit" else visit.rows[0])
    return _value(view, row, column, over, visit.rows[0]) if visit and row else None


def leads(view: View, state: str, to: str | list[str], number: int = 1) -> float | None:
    """Whether a visit to a state ends with the entry into a given one, or one of several: 100 % if it does, 0 % if not.

    A state that the control leaves within the same ACK is not seen.
    """
    visit = visit_to(rows_of(view), state, number)
    if visit is None:
        return None
    wanted = (to,) if isinstance(to, str) else tuple(to)
    return float(visit.after is not None and str(visit.after["state"]).startswith(wanted))


def is_set(view: View, column: str, state: str, number: int = 1, at: str = "entry") -> float | None:
    """Whether a bound of the model is set at the entry into a state, or at its exit: 100 % if it is, 0 % if not."""
    value = model(view, column, state, number, at)
    return None if value is None else float(math.isfinite(value))


def ever_set(view: View, column: str, state: str = "", after: str = "", number: int = 1) -> float | None:
    """Whether a bound of the model is ever set in a state, after the nth entry into another one."""
    rows = [row for row in _after(view, after, number) if str(row["state"]).startswith(state)]
    return float(any(math.isfinite(row[column]) for row in rows)) if rows else None


def _rise(view: View, column: str, after: str, number: int) -> Row | None:
    rows = _after(view, after, number)
    return next((row for row in rows if row[column] > rows[0][column]), None)


def rises(view: View, column: str, after: str, number: int = 1) -> float | None:
    """Whether a count of the model grows after the nth entry into a state: 100 % if it does, 0 % if not."""
    return float(_rise(view, column, after, number) is not None) if _after(view, after, number) else None


def rises_in(view: View, column: str, states: list[str], after: str, number: int = 1) -> float | None:
    """Whether the control is in one of these states when a count of the model has grown, after the nth entry into a
    state: 100 % if it is, 0 % if not.
    """
    row = _rise(view, column, after, number)
    return None if row is None else float(row["state"] in states)


def stay(view: View, state: str, number: int = 1, unit: str = "s") -> float | None:
    """Length of a visit to a state, in seconds, round trips counted by packets ("rounds"), or min RTTs ("rtts")."""
    visit = visit_to(rows_of(view), state, number)
    if visit is None:
        return None
    first, last = visit.rows[0], visit.after or visit.rows[-1]
    if unit == "rounds":
        return float(last["round"] - first["round"])
    end_s = last["time_s"] if visit.after else time_s(view.results.scenario.duration)
    lasted_s = float(end_s - first["time_s"])
    return lasted_s / _rtt_s(view) if unit == "rtts" else lasted_s


def entries(view: View, state: str, after: str = "", number: int = 1) -> float | None:
    """How often the control enters a state, after its nth entry into another one."""
    rows = _after(view, after, number)
    return float(sum(visit.state.startswith(state) for visit in visits(rows))) if rows else None


def extreme(
    view: View, column: str, which: str, state: str = "", over: str = "", after: str = "", number: int = 1
) -> float | None:
    """The max or the min of a value of the control's model, in a state, after its nth entry into another one."""
    rows = _after(view, after, number)
    found = [_value(view, row, column, over, rows[0]) for row in rows if str(row["state"]).startswith(state)]
    found = [value for value in found if not math.isnan(value)]
    return (max(found) if which == "max" else min(found)) if found else None


def probing_rounds(view: View, least: float, after: str, number: int = 1) -> float | None:
    """Round trips of REFILL and UP until the max bandwidth is this part of the rate, after an nth entry."""
    rows = _after(view, after, number)
    seen: set[float] = set()
    # The rate changes at T, with the first of the rows.
    for row in rows[1:]:
        if row["state"] in ("probe_bw_refill", "probe_bw_up"):
            seen.add(row["round"])
        if row["max_bw_packets_per_s"] >= least * _packets_per_s(view, row["time_s"]):
            return float(len(seen))
    return None


def step_growth(view: View, after: str, number: int = 1, ratios: int = 3) -> float | None:
    """Mean ratio of one round trip's growth of the long-term bound to the growth before, in the first steps of an UP.

    The UP is the first one after the nth entry into a state. The steps begin with the first one of a packet or more.
    """
    ups = [visit for visit in visits(_after(view, after, number)) if visit.state == "probe_bw_up"]
    bounds = [row["inflight_longterm_packets"] for row in ups[0].rows] if ups else []
    steps = [later - earlier for earlier, later in pairwise(bounds) if math.isfinite(later - earlier)]
    while steps and steps[0] < 1:
        steps.pop(0)
    if len(steps) <= ratios or not steps[ratios] > 0:
        return None
    return float((steps[ratios] / steps[0]) ** (1 / ratios))
