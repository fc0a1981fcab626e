"""What is measured of a run: a function for each metric, and what it is in words.

Every metric leaves the warm-up out: series from their samples after it; transfers by those that begin after it; what a
flow counts (losses, retransmissions, delays) by what it had counted when the warm-up ended, from a run of the same seed
that ends there. A metric that a run cannot give is None.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ackclock.analysis.stats.fairness import jain
from ackclock.batch.evaluate import measure_model as of_model
from ackclock.batch.evaluate.view import Numbers, View, group_of, instant_s
from ackclock.execution.results import Results

#: Keys of a measure in a suite that are not its own arguments.
NOT_ARGUMENTS = ("of", "during")

#: Bytes of a packet on the wire where the documents count in packets of 1500.
PACKET_BYTES = 1500


@dataclass(frozen=True)
class Measure:
    """A metric: how it is computed, its unit, what it is divided by to be shown, and whether more of it is better."""

    compute: Callable[..., float | None]
    unit: str
    per: float = 1.0
    more_is_better: bool = True
    #: whether it compares flows, so that neither more nor less is better, but what is closer to equal
    compares: bool = False
    #: whether it takes the flows' series
    follows_flows: bool = False
    #: whether it takes the course of a control's model
    follows_models: bool = False
    #: whether it takes what flows count, and so a second run up to the end of the warm-up
    counts: bool = False

    @property
    def says(self) -> str:
        """What it is, in a sentence."""
        return inspect.cleandoc(self.compute.__doc__ or "")

    @property
    def better(self) -> str:
        """Whether less or more of it is better."""
        if self.compares:
            return "closer to equal is better"
        return "more is better" if self.more_is_better else "less is better"

    def wrong(self, given: Mapping[str, Any]) -> str:
        """What is wrong with the arguments, or nothing."""
        try:
            inspect.signature(self.compute).bind(None, **given)
        except TypeError as error:
            return f"the measure does not take this: {error}"
        return ""


def goodput(view: View, flows: str) -> float | None:
    """Goodput of these flows together, after the warm-up."""
    return sum(view.rate_bps(row) for row in view.flows(flows))


def utilisation(view: View, link: str = "") -> float | None:
    """Part of the link's rate that is used after the warm-up."""
    number = view.link(link)
    times, carried = view.samples("link_series", number, "throughput_bps")
    return float(carried.sum() / view.rates_bps(number, times).sum()) if len(times) else None


def queueing_delay(view: View, link: str = "", percentile: float | None = None) -> float | None:
    """How long what waits at the link takes to be sent, mean (or percentile) of samples after the warm-up."""
    number = view.link(link)
    times, waiting = view.samples("link_series", number, "queue_bytes")
    if not len(times):
        return None
    delays = 8 * waiting / view.rates_bps(number, times)
    return float(delays.mean() if percentile is None else np.percentile(delays, percentile))


def loss(view: View, link: str = "") -> float | None:
    """Packets that the link's queue drops after the warm-up, of those that come to it."""
    number = view.link(link)
    row = view.results.rows("links")[number]
    if not row["departed_packets"]:
        return None
    _, drops = view.samples("link_series", number, "drops_packets")
    _, carried = view.samples("link_series", number, "throughput_bps")
    sent = carried.sum() * view.sample_s / 8 * row["departed_packets"] / row["departed_bytes"]
    return float(drops.sum() / (drops.sum() + sent)) if drops.sum() + sent else None


def queue_ratio(view: View, link: str = "", percentile: float | None = None) -> float | None:
    """Queueing delay at the link over the path's least round trip, mean (or percentile) of samples after the warm-up.

    The least round trip is that of the whole run.
    """
    delay_s = queueing_delay(view, link, percentile)
    least = [row["rtt_min_s"] for rows in view.groups.values() for row in rows if row["rtt_min_s"]]
    return delay_s / min(least) if delay_s is not None and least else None


def flow_loss(view: View, flows: str) -> float | None:
    """Packets of these flows that are lost after the warm-up, of those they send."""
    rows = view.flows(flows)
    sent = sum(view.counted(row, "sent_packets") for row in rows)
    return sum(view.counted(row, "dropped_packets") for row in rows) / sent if sent > 0 else None


def retransmitted(view: View, flows: str) -> float | None:
    """Packets of these flows that are retransmissions, of those they send after the warm-up."""
    rows = [row for row in view.flows(flows) if row["retransmitted_packets"] is not None]
    sent = sum(view.counted(row, "sent_packets") for row in rows)
    return sum(view.counted(row, "retransmitted_packets") for row in rows) / sent if sent > 0 else None


def dropped(view: View, flows: str) -> float | None:
    """How many packets of these flows are lost after the warm-up."""
    rows = view.flows(flows)
    return sum(view.counted(row, "dropped_packets") for row in rows) if rows else None


def delay(view: View, flows: str) -> float | None:
    """Mean one-way delay of these flows' packets after the warm-up."""
    rows = view.flows(flows)
    received = sum(view.counted(row, "received_packets") for row in rows)
    return sum(view.counted(row, "delay_sum_s") for row in rows) / received if received > 0 else None


def flow_delay(view: View, flows: str, percentile: int) -> float | None:
    """A percentile of the one-way delay of one flow's packets, in its whole life, which begins after the warm-up.

    Percentiles of several flows cannot be made one, so `ValueError` for several, and for a flow that begins earlier.
    """
    rows = [row for row in view.flows(flows) if row["start_s"] is not None]
    if len(rows) > 1 or any(row["start_s"] < view.from_s for row in rows):
        raise ValueError(f"{flows}: expected one flow that begins after the warm-up; percentiles cannot be pooled")
    return rows[0][f"delay_p{percentile}_s"] if rows else None


def rtt(view: View, flows: str, percentile: float | None = None) -> float | None:
    """Round-trip time of these flows, mean (or percentile) of all their samples after the warm-up."""
    parts = [view.samples("flow_series", row["flow"], "rtt_s")[1] for row in view.flows(flows)]
    values = np.concatenate(parts) if parts else np.empty(0)
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    return float(values.mean() if percentile is None else np.percentile(values, percentile))


def jitter(view: View, flows: str) -> float | None:
    """Mean difference between the delays of packets of a flow that come one after the other, after the warm-up."""
    rows = view.flows(flows)
    received = sum(view.counted(row, "received_packets") for row in rows)
    return sum(view.counted(row, "variation_sum_s") for row in rows) / received if received > 0 else None


def fairness(view: View, flows: str) -> float | None:
    """Jain's index of the goodputs of these flows after the warm-up."""
    rates = [view.rate_bps(row) for row in view.flows(flows)]
    return jain(rates) if any(rates) else None


def share(view: View, flows: str) -> float | None:
    """Goodput of the worst-off of these flows after the warm-up, of what each flow of the run has on average."""
    every = [view.rate_bps(row) for rows in view.groups.values() for row in rows if row["received_packets"]]
    rates = [view.rate_bps(row) for row in view.flows(flows)]
    return min(rates) * len(every) / sum(every) if any(every) and rates else None


def ratio(view: View, flows: str, to: str) -> float | None:
    """Goodput of the first flows over that of the others, each a mean over flows, after the warm-up."""
    over, under = ([view.rate_bps(row) for row in view.flows(group)] for group in (flows, to))
    return float(np.mean(over) / np.mean(under)) if over and any(under) else None


def split(view: View, flows: str, beside: str) -> float | None:
    """What a flow of the first kind has of the goodput of one of each kind, after the warm-up: 50 % is equal."""
    own, other = ([view.rate_bps(row) for row in view.flows(group)] for group in (flows, beside))
    if not own or not other or not (any(own) or any(other)):
        return None
    return float(np.mean(own) / (np.mean(own) + np.mean(other)))


def completion(view: View, flows: str, percentile: float | None = None) -> float | None:
    """Time from a transfer's first packet until all of it is acknowledged, mean (or percentile) over those that end."""
    found = [row["completion_s"] for row in view.transfers(flows) if row["completion_s"] is not None]
    if not found:
        return None
    return float(np.mean(found) if percentile is None else np.percentile(found, percentile))


def delivered(view: View, flows: str) -> float | None:
    """All data that the receivers of these flows have acknowledged after the warm-up."""
    rows = view.flows(flows)
    return 8 * sum(view.counted(row, "delivered_bytes") for row in rows) if rows else None


def transfer_rate(view: View, flows: str) -> float | None:
    """Mean goodput of these transfers, each over its own time, of those that end."""
    found = [row["goodput_bps"] for row in view.transfers(flows) if row["completion_s"]]
    return sum(found) / len(found) if found else None


def transfer_ratio(view: View, flows: str, to: str) -> float | None:
    """Mean goodput of the first transfers over that of the others, each over its own time, of those that end."""
    over, under = transfer_rate(view, flows), transfer_rate(view, to)
    return over / under if over is not None and under else None


def unfinished(view: View, flows: str) -> float | None:
    """Transfers that do not end within the run, of those that begin after the warm-up."""
    rows = view.transfers(flows)
    return sum(row["completion_s"] is None for row in rows) / len(rows) if rows else None


def timeouts(view: View, flows: str) -> float | None:
    """How often these flows' retransmission timers expire after the warm-up."""
    return sum(view.counted(row, "timeouts") for row in view.flows(flows))


def packets(view: View, link: str, after: str) -> float | None:
    """Packets of 1500 bytes that the link sends after an instant, to the run's end."""
    _, carried = view.samples("link_series", view.link(link), "throughput_bps", instant_s(after, view.results))
    return float(carried.sum() * view.sample_s / 8 / PACKET_BYTES)


def reached(view: View, flows: str, packets: float) -> float | None:
    """Time from a flow's start until it has received as many packets of 1500 bytes."""
    (row,) = view.flows(flows)
    if row["start_s"] is None:
        return None
    times, received = view.samples("flow_series", row["flow"], "throughput_bps", row["start_s"] - view.sample_s)
    total = received.cumsum() * view.sample_s / 8
    enough = np.flatnonzero(total >= PACKET_BYTES * packets)
    return float(times[enough[0]] - row["start_s"]) if len(enough) else None


def window_reached(view: View, flows: str, packets: float, after: str) -> float | None:
    """Time from an instant until the congestion window is at least as many packets."""
    times, windows = _windows(view, flows, after)
    enough = np.flatnonzero(windows >= packets)
    return float(times[enough[0]] - instant_s(after, view.results)) if len(enough) else None


def greatest_step(view: View, flows: str, packets: float, after: str) -> float | None:
    """The largest growth of the congestion window between two samples, a round trip apart, until it is so large."""
    _, windows = _windows(view, flows, after)
    enough = np.flatnonzero(windows >= packets)
    until = windows[: enough[0] + 1] if len(enough) else windows
    return float(np.diff(until).max()) if len(until) > 1 else None


def _windows(view: View, flows: str, after: str) -> tuple[Numbers, Numbers]:
    (row,) = view.flows(flows)
    at_s = instant_s(after, view.results) - view.sample_s
    return view.samples("flow_series", row["flow"], "cwnd_packets", at_s)


#: name in a suite's file -> the measure
MEASURES: dict[str, Measure] = {
    "goodput": Measure(goodput, "Mb/s", 1e6, follows_flows=True),
    "utilisation": Measure(utilisation, "%", 0.01),
    "queueing_delay": Measure(queueing_delay, "ms", 1e-3, more_is_better=False),
    "queue_ratio": Measure(queue_ratio, "RTT", more_is_better=False),
    "loss": Measure(loss, "%", 0.01, more_is_better=False),
    "flow_loss": Measure(flow_loss, "%", 0.01, more_is_better=False, counts=True),
    "retransmitted": Measure(retransmitted, "%", 0.01, more_is_better=False, counts=True),
    "dropped": Measure(dropped, "packets", more_is_better=False, counts=True),
    "delay": Measure(delay, "ms", 1e-3, more_is_better=False, counts=True),
    "flow_delay": Measure(flow_delay, "ms", 1e-3, more_is_better=False),
    "rtt": Measure(rtt, "ms", 1e-3, more_is_better=False, follows_flows=True),
    "jitter": Measure(jitter, "ms", 1e-3, more_is_better=False, counts=True),
    "fairness": Measure(fairness, "", follows_flows=True),
    "share": Measure(share, "", follows_flows=True),
    "split": Measure(split, "%", 0.01, compares=True, follows_flows=True),
    "ratio": Measure(ratio, "", compares=True, follows_flows=True),
    "delivered": Measure(delivered, "Mb", 1e6, counts=True),
    "transfer_rate": Measure(transfer_rate, "Mb/s", 1e6),
    "transfer_ratio": Measure(transfer_ratio, "", compares=True),
    "completion": Measure(completion, "s", more_is_better=False),
    "unfinished": Measure(unfinished, "%", 0.01, more_is_better=False),
    "timeouts": Measure(timeouts, "", more_is_better=False, counts=True),
    "packets": Measure(packets, "packets of 1500 B", more_is_better=False),
    "reached": Measure(reached, "s", more_is_better=False, follows_flows=True),
    "window_reached": Measure(window_reached, "s", more_is_better=False, follows_flows=True),
    "greatest_step": Measure(greatest_step, "packets", more_is_better=False, follows_flows=True),
    "model": Measure(of_model.model, "", follows_models=True),
    "leads": Measure(of_model.leads, "%", 0.01, follows_models=True),
    "is_set": Measure(of_model.is_set, "%", 0.01, follows_models=True),
    "ever_set": Measure(of_model.ever_set, "%", 0.01, follows_models=True),
    "rises": Measure(of_model.rises, "%", 0.01, follows_models=True),
    "rises_in": Measure(of_model.rises_in, "%", 0.01, follows_models=True),
    "stay": Measure(of_model.stay, "", more_is_better=False, follows_models=True),
    "entries": Measure(of_model.entries, "", more_is_better=False, follows_models=True),
    "extreme": Measure(of_model.extreme, "", follows_models=True),
    "probing_rounds": Measure(of_model.probing_rounds, "rounds", more_is_better=False, follows_models=True),
    "step_growth": Measure(of_model.step_growth, "", follows_models=True),
}

#: Figures of one replication that belong together: a distribution's values, a series.
Several = Callable[..., Mapping[str, float]]


def times(view: View, flows: str) -> dict[str, float]:
    """Completion times of all transfers that begin after the warm-up and end, s."""
    found = [row["completion_s"] for row in view.transfers(flows) if row["completion_s"] is not None]
    return {str(number): value for number, value in enumerate(found)}


def course(view: View, flows: str) -> dict[str, float]:
    """How it went, in at most `POINTS` intervals: each flow's throughput, bit/s, and the bottleneck's queue, s.

    `flows` are groups with a space between them.
    """
    whole = replace(view, from_s=0.0)
    number = view.link(view.bottleneck)
    at_s, waiting = whole.samples("link_series", number, "queue_bytes")
    queue_s = 8 * waiting / view.rates_bps(number, at_s)
    series = {"queue": queue_s}
    for row in (row for group in flows.split() for row in view.flows(group)):
        name = group_of(view.results.names["flows"][row["flow"] - 1])
        series[name] = whole.samples("flow_series", row["flow"], "throughput_bps")[1]
    found: dict[str, float] = {}
    for place, chosen in enumerate(np.array_split(np.arange(len(at_s)), min(POINTS, len(at_s)))):
        found[f"at|{place}"] = float(at_s[chosen].mean())
        for name, values in series.items():
            found[f"{name}|{place}"] = float(values[chosen].mean())
    return found


#: Intervals in which a course is shown.
POINTS = 150

#: name in a suite's file -> what has several metrics of a run
SEVERAL: dict[str, Several] = {"times": times, "course": course}


def metrics(
    results: Results,
    wanted: Mapping[str, Mapping[str, Any]],
    warm_up: str,
    bottleneck: str,
    senders: Sequence[str] | None = (),
    before: Mapping[int, Mapping[str, Mapping[str, float]]] | None = None,
) -> dict[str, float]:
    """Figures of a run: `wanted` has for each name the measure, `of`, and its arguments. What is not there is out.

    Of a measure with several metrics they are NAME|..., each. `senders` are the groups of flows of what is under test,
    None for a queue: `ValueError` where each of these sent no more than its first packets, or where nothing passed the
    bottleneck. `before` has, by seed, what flows had counted when the warm-up ended.
    """
    counted = (before or {}).get(int(results.scenario.seed or 0), {})
    view = View(results, instant_s(warm_up, results), bottleneck, before=counted)
    sent = [row for group in senders or () for row in view.flows(group)]
    # What sends into losses sends more, if it has no answer.
    if sent and not any(row["sent_packets"] > FIRST_PACKETS or row["completion_s"] is not None for row in sent):
        raise ValueError(SENT_NOTHING)
    if senders is None and not results.rows("links")[view.link("")]["departed_packets"]:
        raise ValueError(PASSED_NOTHING)
    found: dict[str, float] = {}
    for name, given in wanted.items():
        arguments = {key: value for key, value in given.items() if key not in NOT_ARGUMENTS}
        if given["of"] in SEVERAL:
            several = SEVERAL[given["of"]](view, **arguments)
            found |= {f"{name}|{key}": value for key, value in several.items()}
            continue
        value = MEASURES[given["of"]].compute(view.within(given.get("during")), **arguments)
        if value is not None and np.isfinite(value):
            found[name] = float(value)
    return found


#: The handshake and the ten packets after it, which Linux does not pace, are no transfer.
FIRST_PACKETS = 12
#: Why a run has no metrics in which the flows under test sent no more.
SENT_NOTHING = "the flows under test sent no more than their first packets"
#: The same of a queue discipline through which no packet went.
PASSED_NOTHING = "no packet passed the queue under test"
