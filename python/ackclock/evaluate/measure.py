"""What is measured of a run: a function for each figure, and what it is in words.

Flows are named by what stands before their numbers: `long` are long1, long2, ... and the transfers long.1, long.2, ...
What is measured over time leaves the warm-up out. A figure that a run cannot give is None.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ackclock.results import Results
from ackclock.scenario.units import time_s
from ackclock.stats.fairness import jain

Numbers = NDArray[np.float64]

#: Keys of a measure in a suite that are not its own arguments.
NOT_ARGUMENTS = ("of", "during")

#: Bytes of a packet on the wire where the documents count in packets of 1500.
PACKET_BYTES = 1500


@dataclass(frozen=True)
class View:
    """A run, from when on it is measured, and the link that is: `a->b`."""

    results: Results
    from_s: float
    bottleneck: str
    until_s: float = float("inf")

    @cached_property
    def sample_s(self) -> float:
        """Seconds between two samples."""
        return time_s(self.results.scenario.record.sample)

    def within(self, during: Sequence[str] | None) -> View:
        """The same run, measured from one instant to another only."""
        if during is None:
            return self
        from_s, until_s = (instant_s(text, self.results) for text in during)
        return replace(self, from_s=from_s, until_s=until_s)

    def link(self, name: str) -> int:
        """The number of the link of this name; "" is the bottleneck, "back" its other direction."""
        if name == "back":
            name = "->".join(reversed(self.bottleneck.split("->")))
        return self.results.names["links"].index(name or self.bottleneck)

    def samples(self, table: str, number: int, column: str, from_s: float | None = None) -> tuple[Numbers, Numbers]:
        """Instants and samples of a flow or link; each is of the interval that ends there, all of it after `from_s`."""
        what = table.removesuffix("_series")
        times, numbers, values = (self._column(table, name) for name in ("time_s", what, column))
        least = (self.from_s if from_s is None else from_s) + self.sample_s * (1 - 1e-9)
        chosen = (numbers == number) & (times >= least) & (times <= self.until_s * (1 + 1e-9))
        return times[chosen], values[chosen]

    def _column(self, table: str, name: str) -> Numbers:
        key = f"_column {table} {name}"
        if key not in self.__dict__:
            self.__dict__[key] = np.array(self.results.tables[table].column(name), dtype=np.float64)
        found: Numbers = self.__dict__[key]
        return found

    def rates_bps(self, link: int, times: Numbers) -> Numbers:
        """The link's rate at these instants, which changes of the scenario set."""
        from ackclock.scenario.network import resolve

        network = self.__dict__.get("_network")
        if network is None:
            network = self.__dict__["_network"] = resolve(self.results.scenario, to_run=False)
        rates = np.full(len(times), network.links[link].rate_bps)
        for event in network.events:
            if event.link == link and event.what == "rate":
                rates[times > event.at_s] = event.value
        return rates

    def flows(self, group: str) -> list[dict[str, Any]]:
        """Rows of the flows of a group."""
        return self.groups.get(group, [])

    @cached_property
    def groups(self) -> dict[str, list[dict[str, Any]]]:
        """Rows of all flows by group."""
        found: dict[str, list[dict[str, Any]]] = {}
        for row, name in zip(self.results.rows("flows"), self.results.names["flows"], strict=True):
            found.setdefault(group_of(name), []).append(row)
        return found

    def rate_bps(self, row: Mapping[str, Any]) -> float:
        """What a flow delivers after the warm-up: what it received, times the share of new data in all it received."""
        if not row["received_bytes"]:
            return 0.0
        since_s = max(self.from_s, row["start_s"] or 0.0)
        _, received = self.samples("flow_series", row["flow"], "throughput_bps", since_s)
        new = float(row["delivered_bytes"] / row["received_bytes"])
        return float(received.mean()) * new if len(received) else 0.0


def group_of(name: str) -> str:
    """The group of a flow by its name: what stands before the first digit or point."""
    return re.split(r"[\d.]", name, maxsplit=1)[0]


@dataclass(frozen=True)
class Measure:
    """A figure: how it is computed, its unit, what it is divided by to be shown, and whether more of it is better."""

    compute: Callable[..., float | None]
    unit: str
    per: float = 1.0
    more_is_better: bool = True
    #: whether it takes the flows' series
    follows_flows: bool = False

    @property
    def says(self) -> str:
        """What it is, in a sentence."""
        return inspect.cleandoc(self.compute.__doc__ or "")

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


def flow_loss(view: View, flows: str) -> float | None:
    """Packets of these flows that are lost, of those they send, in the whole run."""
    rows = view.flows(flows)
    sent = sum(row["sent_packets"] for row in rows)
    return sum(row["dropped_packets"] for row in rows) / sent if sent else None


def dropped(view: View, flows: str) -> float | None:
    """How many packets of these flows are lost."""
    rows = view.flows(flows)
    return float(sum(row["dropped_packets"] for row in rows)) if rows else None


def delay(view: View, flows: str, percentile: int | None = None) -> float | None:
    """One-way delay of these flows' packets, mean (or percentile), in the whole run."""
    name = "delay_mean_s" if percentile is None else f"delay_p{percentile}_s"
    rows = [row for row in view.flows(flows) if row[name] is not None]
    received = sum(row["received_packets"] for row in rows)
    return sum(row[name] * row["received_packets"] for row in rows) / received if received else None


def jitter(view: View, flows: str) -> float | None:
    """Mean difference between the delays of packets of a flow that come one after the other."""
    found = [row["jitter_s"] for row in view.flows(flows) if row["jitter_s"] is not None]
    return sum(found) / len(found) if found else None


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


def completion(view: View, flows: str) -> float | None:
    """Mean time from a transfer's first packet until all of it is acknowledged, of those that end."""
    found = [row["completion_s"] for row in view.flows(flows) if row["completion_s"] is not None]
    return sum(found) / len(found) if found else None


def delivered(view: View, flows: str) -> float | None:
    """All data that the receivers of these flows have acknowledged in the whole run."""
    rows = view.flows(flows)
    return 8 * float(sum(row["delivered_bytes"] for row in rows)) if rows else None


def transfer_rate(view: View, flows: str) -> float | None:
    """Mean goodput of these transfers, each over its own time, of those that end."""
    found = [row["goodput_bps"] for row in view.flows(flows) if row["completion_s"]]
    return sum(found) / len(found) if found else None


def transfer_ratio(view: View, flows: str, to: str) -> float | None:
    """Mean goodput of the first transfers over that of the others, each over its own time, of those that end."""
    over, under = transfer_rate(view, flows), transfer_rate(view, to)
    return over / under if over is not None and under else None


def unfinished(view: View, flows: str) -> float | None:
    """Transfers that do not end within the run, of those that began."""
    rows = [row for row in view.flows(flows) if row["start_s"] is not None]
    return sum(row["completion_s"] is None for row in rows) / len(rows) if rows else None


def timeouts(view: View, flows: str) -> float | None:
    """How often these flows' retransmission timers came up."""
    return float(sum(row["timeouts"] or 0 for row in view.flows(flows)))


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
    """The greatest growth of the congestion window between two samples, a round trip apart, until it is so large."""
    _, windows = _windows(view, flows, after)
    enough = np.flatnonzero(windows >= packets)
    until = windows[: enough[0] + 1] if len(enough) else windows
    return float(np.diff(until).max()) if len(until) > 1 else None


def _windows(view: View, flows: str, after: str) -> tuple[Numbers, Numbers]:
    (row,) = view.flows(flows)
    at_s = instant_s(after, view.results) - view.sample_s
    return view.samples("flow_series", row["flow"], "cwnd_packets", at_s)


def instant_s(text: str, results: Results) -> float:
    """An instant of a run, s, given as a time or as a share of its duration: "50 %"."""
    if text.endswith("%"):
        return float(text[:-1]) / 100 * time_s(results.scenario.duration)
    return time_s(text)


#: name in a suite's file -> the measure
MEASURES: dict[str, Measure] = {
    "goodput": Measure(goodput, "Mb/s", 1e6, follows_flows=True),
    "utilisation": Measure(utilisation, "%", 0.01),
    "queueing_delay": Measure(queueing_delay, "ms", 1e-3, more_is_better=False),
    "loss": Measure(loss, "%", 0.01, more_is_better=False),
    "flow_loss": Measure(flow_loss, "%", 0.01, more_is_better=False),
    "dropped": Measure(dropped, "packets", more_is_better=False),
    "delay": Measure(delay, "ms", 1e-3, more_is_better=False),
    "jitter": Measure(jitter, "ms", 1e-3, more_is_better=False),
    "fairness": Measure(fairness, "", follows_flows=True),
    "share": Measure(share, "", follows_flows=True),
    "ratio": Measure(ratio, "", follows_flows=True),
    "delivered": Measure(delivered, "Mb", 1e6),
    "transfer_rate": Measure(transfer_rate, "Mb/s", 1e6),
    "transfer_ratio": Measure(transfer_ratio, ""),
    "completion": Measure(completion, "s", more_is_better=False),
    "unfinished": Measure(unfinished, "%", 0.01, more_is_better=False),
    "timeouts": Measure(timeouts, "", more_is_better=False),
    "packets": Measure(packets, "packets of 1500 B", more_is_better=False),
    "reached": Measure(reached, "s", more_is_better=False, follows_flows=True),
    "window_reached": Measure(window_reached, "s", more_is_better=False, follows_flows=True),
    "greatest_step": Measure(greatest_step, "packets", more_is_better=False, follows_flows=True),
}


def figures(
    results: Results, wanted: Mapping[str, Mapping[str, Any]], warm_up: str, bottleneck: str
) -> dict[str, float]:
    """Figures of a run: `wanted` has for each name the measure, `of`, and its arguments. What is not there is out."""
    view = View(results, instant_s(warm_up, results), bottleneck)
    found = {}
    for name, given in wanted.items():
        arguments = {key: value for key, value in given.items() if key not in NOT_ARGUMENTS}
        value = MEASURES[given["of"]].compute(view.within(given.get("during")), **arguments)
        if value is not None and np.isfinite(value):
            found[name] = float(value)
    return found
