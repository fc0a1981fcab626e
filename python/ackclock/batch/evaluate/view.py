"""A run as evaluations look at it: flows by group, samples after the warm-up, and what flows have counted since.

A group is named by what stands before the numbers of its flows: `long` are long1, long2, ... and the transfers long.1,
long.2, ...
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ackclock.execution.results import Results
from ackclock.scenario.units import time_s

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class View:
    """A run, from when on it is measured, and the link that is: `a->b`."""

    results: Results
    from_s: float
    bottleneck: str
    until_s: float = float("inf")
    #: what each flow had counted when the warm-up ended, by name and column; empty without a warm-up
    before: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @cached_property
    def sample_s(self) -> float:
        """Seconds between two samples."""
        return time_s(self.results.scenario.record.sample)

    def within(self, during: Sequence[str] | None) -> View:
        """The same run, measured from one instant to another only."""
        if during is None:
            return self
        from_s, until_s = (instant_s(text, self.results) for text in during)
        return replace(self, from_s=from_s, until_s=until_s, before={})

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
        from ackclock.scenario.resolve.network import resolve

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

    def transfers(self, group: str) -> list[dict[str, Any]]:
        """Rows of the transfers of a group that begin after the warm-up."""
        return [row for row in self.flows(group) if row["start_s"] is not None and row["start_s"] >= self.from_s]

    def counted(self, row: Mapping[str, Any], column: str) -> float:
        """What a flow has counted since the warm-up, of one of `COUNTED`."""
        name = self.results.names["flows"][row["flow"] - 1]
        return count(row, column) - self.before.get(name, {}).get(column, 0.0)

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


#: What a flow counts: of each, its value in a row of the table `flows`. Sums of delays are in seconds.
COUNTED: Mapping[str, Callable[[Mapping[str, Any]], float]] = {
    "sent_packets": lambda row: row["sent_packets"],
    "received_packets": lambda row: row["received_packets"],
    "dropped_packets": lambda row: row["dropped_packets"],
    "retransmitted_packets": lambda row: row["retransmitted_packets"] or 0,
    "timeouts": lambda row: row["timeouts"] or 0,
    "delivered_bytes": lambda row: row["delivered_bytes"],
    "delay_sum_s": lambda row: (row["delay_mean_s"] or 0.0) * row["received_packets"],
    "variation_sum_s": lambda row: (row["jitter_s"] or 0.0) * max(row["received_packets"] - 1, 0),
}


def count(row: Mapping[str, Any], column: str) -> float:
    """One of `COUNTED` in a row of the table `flows`."""
    return float(COUNTED[column](row))


def counters(results: Results, groups: Sequence[str]) -> dict[str, float]:
    """What the flows of these groups have counted at the end of a run, as `NAME|COLUMN`; read by `counters_by_flow`."""
    rows = zip(results.names["flows"], results.rows("flows"), strict=True)
    return {
        f"{name}|{column}": count(row, column) for name, row in rows if group_of(name) in groups for column in COUNTED
    }


def counters_by_flow(found: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The same by flow and column."""
    flows: dict[str, dict[str, float]] = {}
    for key, value in found.items():
        name, _, column = key.rpartition("|")
        flows.setdefault(name, {})[column] = value
    return flows


def group_of(name: str) -> str:
    """The group of a flow by its name: what stands before the first digit or point, and a hyphen before that."""
    return re.split(r"-?\d|\.", name, maxsplit=1)[0]


def instant_s(text: str, results: Results) -> float:
    """An instant of a run, s, given as a time or as a share of its duration: "50 %"."""
    if text.endswith("%"):
        return float(text[:-1]) / 100 * time_s(results.scenario.duration)
    return time_s(text)
