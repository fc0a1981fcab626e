"""What is measured of a scenario's run unless the sweep says otherwise."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ackclock._native import Table
from ackclock.analysis.stats.warm_up import mser5
from ackclock.execution.results import Results, jain_of_lasting
from ackclock.scenario.errors import ScenarioError, choose, nearest
from ackclock.scenario.units import time_s

#: A warm-up that is looked for in each run.
MSER5 = "mser5"


#: Numeric columns of the table `flows`, of which `Columns` may take metrics.
FLOW_COLUMNS = (
    "sent_packets", "sent_bytes", "received_packets", "received_bytes", "dropped_packets", "dropped_bytes",
    "in_flight_packets", "marked_packets", "retransmitted_packets", "timeouts", "delivered_bytes",
    "replies_delivered_bytes", "replies_sent_packets", "replies_received_packets", "replies_dropped_packets",
    "start_s", "completion_s", "throughput_bps", "goodput_bps", "loss_ratio",
    "delay_mean_s", "delay_min_s", "delay_p50_s", "delay_p95_s", "delay_p99_s", "delay_max_s", "jitter_s",
    "rtt_mean_s", "rtt_min_s", "rtt_p50_s", "rtt_p95_s", "rtt_p99_s",
    "limited_by_application_s", "limited_by_receiver_window_s", "limited_by_congestion_window_s",
)  # fmt: skip

#: Numeric columns of the table `calls`, of which it may take them, too.
CALL_COLUMNS = (
    "captured_frames", "delivered_frames", "lost_frames", "late_frames", "encoded_bps", "delivered_bps",
    "frame_delay_mean_s", "frame_delay_min_s", "frame_delay_p50_s", "frame_delay_p95_s", "frame_delay_p99_s",
    "frame_delay_max_s",
)  # fmt: skip

#: Numeric columns of the table `videos`.
VIDEO_COLUMNS = (
    "segments", "startup_delay_s", "played_s", "rebuffering_s", "rebuffering_ratio", "rebufferings",
    "bitrate_mean_bps", "switches",
)  # fmt: skip

#: Everything that may be measured of a flow.
MEASURED = FLOW_COLUMNS + CALL_COLUMNS + VIDEO_COLUMNS

#: Statistics over the flows of a group, besides the mean: name to quantile.
OVER_FLOWS = {"min": 0.0, "p5": 0.05, "p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}


@dataclass(frozen=True)
class Columns:
    """Columns of the tables `flows`, `calls` and `videos` that a sweep reports in addition to the usual metrics.

    With `each = "flow"`, the metric `delay_p95_s.long2` is that of the flow `long2`. With `each = "group"`, flows whose
    names differ only in the number at the end are a group: `long1` and `long2`, or the transfers `short.1`, `short.2`
    of `arrivals`. `completion_s.short` is the mean over the group's flows that have a value. Groups of several flows
    also have `.min`, `.p5`, `.p50`, `.p95`, `.p99` and `.max` over these flows. `both` gives flows and groups. Units
    are the columns'.

    `flows` names the columns. `ScenarioError` for a column that none of the tables has.
    """

    flows: tuple[str, ...]
    each: str = "group"

    def __post_init__(self) -> None:
        for number, name in enumerate(self.flows):
            if name not in MEASURED:
                expected = "expected a numeric column of the table flows, calls or videos"
                raise ScenarioError(expected, key=f"flows.{number}", value=name, nearest=nearest(str(name), MEASURED))
        if not self.flows:
            raise ScenarioError('expected columns of the table flows, such as ["delay_p95_s"]', key="flows")
        choose(self.each, ("group", "flow", "both"), "what a metric is of", "each")

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Columns:
        """Read a grid's `table`. `ScenarioError` for wrong keys or values."""
        if not isinstance(table, Mapping):
            raise ScenarioError('expected a table: { flows = ["delay_p95_s"] }', value=table)
        for key in table:
            if key not in ("flows", "each"):
                raise ScenarioError("expected flows or each", key=key, nearest=nearest(key, ("flows", "each")))
        flows = table.get("flows")
        if not isinstance(flows, (list, tuple)):
            raise ScenarioError('expected a list of columns, such as ["delay_p95_s"]', key="flows", value=flows)
        return cls(tuple(flows), table.get("each", "group"))

    def read(self, results: Results) -> dict[str, float]:
        """The metrics of a run, from the tables of its `results`. Flows without a value are left out."""
        if self.each == "both":
            return replace(self, each="group").read(results) | replace(self, each="flow").read(results)
        names = results.names["flows"]
        shown = names if self.each == "flow" else [group_of(name) for name in names]
        members, found = Counter(shown), dict[str, float]()
        for column in self.flows:
            groups: dict[str, list[float]] = {}
            for name, value in _by_flow(results, column, shown):
                if value is not None:
                    groups.setdefault(name, []).append(value)
            for name, values in groups.items():
                found[f"{column}.{name}"] = float(np.mean(values))
                if self.each == "group" and members[name] > 1:
                    quantiles = np.quantile(values, list(OVER_FLOWS.values()))
                    found |= {f"{column}.{name}.{q}": float(v) for q, v in zip(OVER_FLOWS, quantiles, strict=True)}
        return found


def _by_flow(results: Results, column: str, shown: list[str]) -> Iterator[tuple[str, float | None]]:
    """The values of a column with the names of their flows; none of a call's or a video's where no flow is one."""
    if column in FLOW_COLUMNS:
        yield from zip(shown, results.tables["flows"].column(column), strict=True)
    elif (table := results.tables.get("calls" if column in CALL_COLUMNS else "videos")) is not None:
        for number, value in zip(table.column("flow"), table.column(column), strict=True):
            yield shown[number - 1], value


def group_of(name: str) -> str:
    """A flow's name without the number at its end: `long2` and `long-2` are of `long`, the transfer `short.12` of
    `short`.
    """
    return re.sub(r"[.-]?\d+$", "", name) or name


def metrics(results: Results, columns: Columns | None = None) -> dict[str, float]:
    """The metrics of a run, from the tables `flows` and `links` of its `results`; of the whole run, warm-up included.

    - `goodput_bps`: new data that all flows delivered together, over the run's duration.
    - `goodput_bps.1`, ...: of each of up to eight flows, over the time that it lasted.
    - `jain`: Jain's index of the latter, of the flows that last: those that neither come from `arrivals` nor end with
      their transfer within the run. Left out for fewer than two of them (`results.jain_of_lasting`).
    - `delay_mean_s`, of all packets received; `loss_ratio`, dropped over sent; `utilisation` of the busiest link.
    - `completion_mean_s`, `completion_p50_s`, `completion_p99_s` over the transfers that ended.
    - what `columns` requests.

    Metrics without a value are left out, and those whose table was not kept.
    """
    found: dict[str, float] = {}
    goodputs: list[float] = []
    completed: list[float] = []
    asked: dict[str, float] = {}
    if flows := results.tables.get("flows"):
        goodputs = [goodput or 0.0 for goodput in flows.column("goodput_bps")]
        delivered_bits = 8.0 * sum(flows.column("delivered_bytes"))
        found["goodput_bps"] = delivered_bits / time_s(results.scenario.duration)
        completions: list[float | None] = flows.column("completion_s")
        if (index := jain_of_lasting(results, goodputs)) is not None:
            found["jain"] = index
        delays = zip(flows.column("delay_mean_s"), flows.column("received_packets"), strict=True)
        received = [(delay_s, packets) for delay_s, packets in delays if delay_s is not None]
        if received:
            found["delay_mean_s"] = sum(d * n for d, n in received) / sum(n for _, n in received)
        sent = sum(flows.column("sent_packets"))
        if sent:
            found["loss_ratio"] = sum(flows.column("dropped_packets")) / sent
        completed = [took_s for took_s in completions if took_s is not None]
        asked = columns.read(results) if columns else {}
    if links := results.tables.get("links"):
        found["utilisation"] = max(links.column("utilisation"))
    if completed:
        found["completion_mean_s"] = sum(completed) / len(completed)
        found["completion_p50_s"], found["completion_p99_s"] = map(float, np.quantile(completed, [0.5, 0.99]))
    return found | _each("goodput_bps", goodputs) | asked


def settled(results: Results, warm_up: str) -> dict[str, float]:
    """The metrics of a run without its warm-up, from the tables `flow_series` and `link_series` of its `results`.

    `warm_up` is a time such as "2 s", or `mser5`: what `stats.mser5` finds in the throughput of all flows together. The
    metrics are of the time up to the last sample:

    - `warm_up_s`;
    - `throughput_bps` of all flows, and of each of up to eight;
    - `jain` of the long-lived flows, as `metrics` has them;
    - `rtt_mean_s`;
    - `queue_mean_packets` of the link with the longest queue;
    - with mser5, `settled`: 1, or 0 if the run drifts on in its second half and is too short.

    `ValueError` for a run that ends before its warm-up.
    """
    flows = results.tables["flow_series"]
    number = len(results.names["flows"])
    # A sample's rate is that of the time since the last one, so the one at 0 s tells nothing.
    times = np.asarray(flows.column("time_s"))[::number]
    begin = int(times[0] == 0)
    times, rates = times[begin:], _by_sample(flows, "throughput_bps", number)[begin:]
    found: dict[str, float] = {}
    if warm_up == MSER5:
        told = mser5(np.nansum(rates, axis=1))
        first, found["settled"] = told.length, float(told.ended)
    else:
        since = np.concatenate([[0.0], times[:-1]])
        first = int((since < time_s(warm_up) - 1e-9).sum())
    if first >= len(times):
        raise ValueError(f"the run is over before its warm-up, {warm_up}")
    found["warm_up_s"] = float(times[first - 1]) if first else 0.0
    means = np.nan_to_num(rates)[first:].mean(axis=0).tolist()
    found["throughput_bps"] = sum(means)
    if (index := jain_of_lasting(results, means)) is not None:
        found["jain"] = index
    rtts = _by_sample(flows, "rtt_s", number)[begin + first :]
    if not np.isnan(rtts).all():
        found["rtt_mean_s"] = float(np.nanmean(rtts))
    queues = _by_sample(results.tables["link_series"], "queue_packets", len(results.names["links"]))
    found["queue_mean_packets"] = float(queues[begin + first :].mean(axis=0).max())
    return found | _each("throughput_bps", means)


def _each(name: str, values: list[float]) -> dict[str, float]:
    """A metric for each flow, where there are a few."""
    return {f"{name}.{number}": value for number, value in enumerate(values, 1)} if 1 < len(values) <= 8 else {}


def _by_sample(series: Table, name: str, number: int) -> NDArray[np.float64]:
    """A column of a series with `number` rows a sample, shape (samples, number); nan for what is missing."""
    column: NDArray[np.float64] = np.array(series.column(name), dtype=np.float64).reshape(-1, number)
    return column
