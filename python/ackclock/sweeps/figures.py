"""What is measured of a scenario's run unless the sweep says otherwise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ackclock._native import Table
from ackclock.results import Results
from ackclock.scenario.units import time_s
from ackclock.stats.warm_up import mser5

#: A warm-up that is looked for in each run.
MSER5 = "mser5"


def figures(results: Results) -> dict[str, float]:
    """A run in numbers, of the tables `flows` and `links`; the whole run, its beginning included.

    `goodput_bps` of all flows together, and of each of up to eight: `goodput_bps.1`, ...; `jain` of their goodputs;
    `delay_mean_s`, of all packets received; `loss_ratio`, dropped over sent; `utilisation` of the busiest link; of the
    transfers that ended, `completion_mean_s`, `completion_p50_s` and `completion_p99_s`. What a run has none of is left
    out, and what needs a table that is not kept.
    """
    found: dict[str, float] = {}
    goodputs: list[float] = []
    completed: list[float] = []
    if flows := results.tables.get("flows"):
        goodputs = [goodput or 0.0 for goodput in flows.column("goodput_bps")]
        found["goodput_bps"] = sum(goodputs)
        if len(goodputs) > 1 and any(goodputs):
            found["jain"] = _jain(goodputs)
        delays = zip(flows.column("delay_mean_s"), flows.column("received_packets"), strict=True)
        received = [(delay_s, packets) for delay_s, packets in delays if delay_s is not None]
        if received:
            found["delay_mean_s"] = sum(d * n for d, n in received) / sum(n for _, n in received)
        sent = sum(flows.column("sent_packets"))
        if sent:
            found["loss_ratio"] = sum(flows.column("dropped_packets")) / sent
        completed = [took_s for took_s in flows.column("completion_s") if took_s is not None]
    if links := results.tables.get("links"):
        found["utilisation"] = max(links.column("utilisation"))
    if completed:
        found["completion_mean_s"] = sum(completed) / len(completed)
        found["completion_p50_s"], found["completion_p99_s"] = map(float, np.quantile(completed, [0.5, 0.99]))
    return found | _each("goodput_bps", goodputs)


def settled(results: Results, warm_up: str) -> dict[str, float]:
    """A run in numbers without its warm-up, of the tables `flow_series` and `link_series`.

    `warm_up` is a time, or `mser5`: what `stats.mser5` finds in the throughput of all flows together. Figures are
    `warm_up_s`; `throughput_bps` of all flows, and of each of up to eight; `jain` of these; `rtt_mean_s`;
    `queue_mean_packets` of the link with the longest queue; with mser5, `settled`: 1, or 0 where the run seems to
    drift on in its second half, and is too short. They are of the time up to the last sample. `ValueError` for a run
    that is over before its warm-up.
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
    if len(means) > 1 and any(means):
        found["jain"] = _jain(means)
    rtts = _by_sample(flows, "rtt_s", number)[begin + first :]
    if not np.isnan(rtts).all():
        found["rtt_mean_s"] = float(np.nanmean(rtts))
    queues = _by_sample(results.tables["link_series"], "queue_packets", len(results.names["links"]))
    found["queue_mean_packets"] = float(queues[begin + first :].mean(axis=0).max())
    return found | _each("throughput_bps", means)


def _jain(rates: list[float]) -> float:
    """Jain's index, as `stats.jain` has it; of so few numbers, without arrays."""
    return float(sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates)))


def _each(name: str, values: list[float]) -> dict[str, float]:
    """A figure for each flow, where there are a few."""
    return {f"{name}.{number}": value for number, value in enumerate(values, 1)} if 1 < len(values) <= 8 else {}


def _by_sample(series: Table, name: str, number: int) -> NDArray[np.float64]:
    """A column of a series with `number` rows a sample, shape (samples, number); nan for what is missing."""
    column: NDArray[np.float64] = np.array(series.column(name), dtype=np.float64).reshape(-1, number)
    return column
