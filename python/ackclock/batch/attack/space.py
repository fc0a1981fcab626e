"""The networks that a search considers: a dumbbell, and features that can be added to it.

A candidate is a set of features and a value for each of their quantities. A point of the unit cube stands for it: one
coordinate for each quantity, and one for each feature that says whether it is there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ackclock.scenario.errors import ScenarioError, choose

#: A scenario as a table, as a file has it.
Table = dict[str, Any]
#: Values of quantities, by feature and name: `jitter.max_delay_s`.
Values = Mapping[str, float]

#: A feature is there where its coordinate is above this: a candidate has a third of them.
PRESENT = 2 / 3
#: Links of hosts: they are never the bottleneck, and a burst of a whole window does not overflow them.
ACCESS = {"rate": "10 Gb/s", "delay": "0 ms", "queue": {"limit": "100000 packets"}}
#: A full packet, and the smallest buffer: with less, no sender gets anything through.
PACKET_BYTES, LEAST_PACKETS = 1500, 5
BOTTLENECK = "router1->router2"
#: The link to the first subject's receiver.
LAST_LINK = "router2->right1"
#: Features that change the network once.
STEPS = ("rate_step", "delay_step")


@dataclass(frozen=True)
class Quantity:
    """A number of a feature, from `low` to `high`, with the value that a witness has if it does not matter.

    `is_count`: it is a whole number, and a witness has as few as its failure needs.
    """

    name: str
    low: float
    high: float
    usual: float
    is_log: bool = True
    is_count: bool = False

    def at(self, coordinate: float) -> float:
        """The value of a coordinate, 0 to 1, in three digits: so a file can say it."""
        part = min(max(coordinate, 0.0), 1.0)
        on_log_scale = self.low * (self.high / self.low) ** part if self.is_log else math.nan
        value = rounded(on_log_scale if self.is_log else self.low + part * (self.high - self.low), 3)
        return float(round(value)) if self.is_count else value


@dataclass(frozen=True)
class Feature:
    """Something that a network may have. `add` changes the scenario's table; it gets the feature's values by name."""

    name: str
    about: str
    quantities: tuple[Quantity, ...]
    add: Callable[[Table, Values], None]


@dataclass(frozen=True)
class Candidate:
    """A network: its features, and the values of their quantities."""

    features: tuple[str, ...]
    values: tuple[tuple[str, float], ...]
    duration_s: float

    def of(self, feature: str) -> dict[str, float]:
        """The values of one feature, by name."""
        return {name.partition(".")[2]: value for name, value in self.values if name.startswith(f"{feature}.")}


def rounded(value: float, digits: int) -> float:
    """A number, rounded to `digits` significant digits."""
    return float(f"{value:.{digits}g}")


def _ms(seconds: float) -> str:
    return f"{rounded(1000 * seconds, 4):g} ms"


def _s(seconds: float) -> str:
    return f"{rounded(seconds, 4):g} s"


def _bottleneck(table: Table) -> Table:
    found: Table = table["topology"]["bottleneck"]
    return found


def _reverse(table: Table) -> Table:
    found: Table = _bottleneck(table).setdefault("reverse", {})
    return found


def _losses(part: Table) -> list[Table]:
    found: list[Table] = part.setdefault("loss", [])
    return found


def _duration_s(table: Table) -> float:
    return float(table["duration"].split()[0])


def _path(table: Table, values: Values) -> None:
    link = _bottleneck(table)
    link["rate"] = f"{values['rate_mbps']:g} Mb/s"
    link["delay"] = _ms(values["delay_s"])
    bdp = 1e6 * values["rate_mbps"] * 2 * values["delay_s"] / 8 / PACKET_BYTES
    link["queue"]["limit"] = f"{max(round(bdp * values['buffer_bdp']), LEAST_PACKETS)} packets"


#: Queue disciplines that a candidate may have besides drop-tail.
QUEUES = ("red", "codel", "fq_codel", "pie", "cake")
#: Those with one queue for all flows that can mark, and the parameter with which they do.
MARKING = {"red": "setbit", "codel": "ecn", "pie": "ecn"}


def _chosen(kinds: Sequence[str], value: float) -> str:
    return kinds[min(int(value), len(kinds) - 1)]


def _queue(table: Table, values: Values) -> None:
    _bottleneck(table)["queue"]["kind"] = _chosen(QUEUES, values["kind"])


def _marks(table: Table, values: Values) -> None:
    kind = _chosen(tuple(MARKING), values["kind"])
    _bottleneck(table)["queue"] |= {"kind": kind, "parameters": {MARKING[kind]: True}}


def _loss(table: Table, values: Values) -> None:
    _losses(_bottleneck(table)).append({"kind": "uniform", "rate": values["rate"]})
    _reverse(table).setdefault("loss", [])


def _bursts(table: Table, values: Values) -> None:
    loss = {"kind": "two_state", "unit": "seconds", "good": values["good_s"], "bad": values["bad_s"]}
    _losses(_bottleneck(table)).append(loss)
    _reverse(table).setdefault("loss", [])


def gaps_s(values: Values) -> list[tuple[float, float]]:
    """Begin and end of each time in which `drops` loses all data."""
    period_s = values["length_s"] + values["gap_s"]
    begins = [values["at_s"] + number * period_s for number in range(int(values["times"]))]
    return [(begin_s, begin_s + values["length_s"]) for begin_s in begins]


def _delayed(values: Values, rate: float) -> Table:
    return {"rate": rate, "delay": "0 ms", "max_delay": _ms(values["max_delay_s"]), "place": "wire"}


def _jitter(table: Table, values: Values) -> None:
    _losses(_bottleneck(table)).append({**_delayed(values, 1), "in_order": True})
    _reverse(table).setdefault("loss", [])


def _own_jitter(table: Table, values: Values) -> None:
    _losses(_bottleneck(table)).append({**_delayed(values, 1), "in_order": True, "flows": ["subject1"]})
    _reverse(table).setdefault("loss", [])


def _reordering(table: Table, values: Values) -> None:
    _losses(_bottleneck(table)).append(_delayed(values, values["rate"]))
    _reverse(table).setdefault("loss", [])


def _ack_loss(table: Table, values: Values) -> None:
    _losses(_reverse(table)).append({"kind": "uniform", "rate": values["rate"]})


def _ack_jitter(table: Table, values: Values) -> None:
    _losses(_reverse(table)).append({**_delayed(values, 1), "in_order": True})


def _ack_path(table: Table, values: Values) -> None:
    rate_mbps = float(_bottleneck(table)["rate"].split()[0])
    _reverse(table)["rate"] = f"{rounded(rate_mbps * values['part'], 3):g} Mb/s"


def _changes(table: Table) -> list[Table]:
    found: list[Table] = table.setdefault("changes", [])
    return found


def _outage(table: Table, values: Values) -> None:
    begin_s = values["begin"] * _duration_s(table)
    _changes(table).append({"at": _s(begin_s), "link": "router1-router2", "up": False})
    _changes(table).append({"at": _s(begin_s + values["length_s"]), "link": "router1-router2", "up": True})


def _drops(table: Table, values: Values) -> None:
    # The last link has no queue and no delay, so what arrives in these times is lost, and nothing else.
    for begin_s, end_s in gaps_s(values):
        _changes(table).append({"at": _s(begin_s), "link": LAST_LINK, "up": False})
        _changes(table).append({"at": _s(end_s), "link": LAST_LINK, "up": True})


def _rate_step(table: Table, values: Values) -> None:
    rate_mbps = float(_bottleneck(table)["rate"].split()[0]) * values["factor"]
    at = _s(values["at"] * _duration_s(table))
    _changes(table).append({"at": at, "link": BOTTLENECK, "rate": f"{rounded(rate_mbps, 3):g} Mb/s"})


def _delay_step(table: Table, values: Values) -> None:
    at = _s(values["at"] * _duration_s(table))
    _changes(table).append({"at": at, "link": BOTTLENECK, "delay": _ms(values["delay_s"])})


def on_and_off(duration_s: float, on_s: float, off_s: float, first_s: float = 0.0) -> list[Table]:
    """Spans of a source that sends for `on_s`, then is silent for `off_s`, and so on, from `first_s` to the end."""
    spans, at_s = [], first_s
    while at_s < duration_s:
        spans.append({"start": _s(at_s), "stop": _s(min(at_s + on_s, duration_s))})
        at_s += on_s + off_s
    return spans


def _pulses(table: Table, values: Values) -> None:
    rate_mbps = float(_bottleneck(table)["rate"].split()[0]) * values["rate"]
    app = {"kind": "cbr", "rate": f"{rounded(rate_mbps, 3):g} Mb/s"}
    length_s = min(values["length_s"], 0.9 * values["period_s"])
    spans = on_and_off(_duration_s(table), length_s, values["period_s"] - length_s, 1.0)
    table["flows"].append({"name": "pulses", "app": app, "packet_size": "1000 B", "spans": spans})


def _pauses(table: Table, values: Values) -> None:
    for flow in table["flows"]:
        if flow["name"].startswith("subject"):
            flow["spans"] = on_and_off(_duration_s(table), values["on_s"], values["off_s"])
            flow.pop("start", None)


def _late(table: Table, values: Values) -> None:
    last = [flow for flow in table["flows"] if flow["name"].startswith("subject")][-1]
    last["start"] = _s(values["part"] * _duration_s(table))


_FEATURES = (
    Feature(
        "path",
        "rate, delay and buffer of the bottleneck; always there",
        (
            Quantity("rate_mbps", 1, 100, 10),
            Quantity("delay_s", 0.001, 0.15, 0.02),
            Quantity("buffer_bdp", 0.1, 4, 1),
        ),
        _path,
    ),
    Feature(
        "queue", "a queue discipline other than drop-tail", (Quantity("kind", 0, len(QUEUES) - 0.01, 1, False),), _queue
    ),
    Feature(
        "marks",
        "RED, CoDel or PIE, which marks packets of ECN flows instead of dropping them",
        (Quantity("kind", 0, len(MARKING) - 0.01, 0, False),),
        _marks,
    ),
    Feature("loss", "random losses of data", (Quantity("rate", 1e-5, 0.05, 0.01),), _loss),
    Feature(
        "bursts",
        "times in which all data is lost",
        (Quantity("good_s", 0.2, 10, 1), Quantity("bad_s", 0.001, 0.2, 0.01)),
        _bursts,
    ),
    Feature(
        "drops",
        "short times in which all data of the first subject is lost, 1 to 8 of them",
        (
            Quantity("at_s", 0.05, 3, 1),
            Quantity("length_s", 0.001, 0.4, 0.05),
            Quantity("gap_s", 0.02, 1, 0.2),
            Quantity("times", 1, 8, 1, is_count=True),
        ),
        _drops,
    ),
    Feature("jitter", "random delays of data, in order", (Quantity("max_delay_s", 0.001, 0.1, 0.01),), _jitter),
    Feature(
        "own_jitter",
        "random delays of the first subject's data alone, in order",
        (Quantity("max_delay_s", 0.001, 0.1, 0.01),),
        _own_jitter,
    ),
    Feature(
        "reordering",
        "random delays of some data packets, which others overtake",
        (Quantity("rate", 0.001, 0.2, 0.01), Quantity("max_delay_s", 0.001, 0.1, 0.01)),
        _reordering,
    ),
    Feature("ack_loss", "random losses of ACKs", (Quantity("rate", 0.01, 0.6, 0.1),), _ack_loss),
    Feature("ack_jitter", "random delays of ACKs, in order", (Quantity("max_delay_s", 0.001, 0.1, 0.01),), _ack_jitter),
    Feature("ack_path", "a slower path of ACKs", (Quantity("part", 0.01, 0.5, 0.1),), _ack_path),
    Feature(
        "outage",
        "the bottleneck is down for a time",
        (Quantity("begin", 0.1, 0.7, 0.5, False), Quantity("length_s", 0.05, 3, 1)),
        _outage,
    ),
    Feature(
        "rate_step",
        "the bottleneck's rate changes once",
        (Quantity("at", 0.1, 0.7, 0.5, False), Quantity("factor", 0.1, 10, 2)),
        _rate_step,
    ),
    Feature(
        "delay_step",
        "the bottleneck's delay changes once",
        (Quantity("at", 0.1, 0.7, 0.5, False), Quantity("delay_s", 0.001, 0.15, 0.05)),
        _delay_step,
    ),
    Feature(
        "pulses",
        "bursts of datagrams at a fixed period",
        (Quantity("rate", 0.1, 2, 1), Quantity("length_s", 0.01, 0.5, 0.1), Quantity("period_s", 0.2, 3, 1)),
        _pulses,
    ),
    Feature(
        "pauses",
        "an application that sends and pauses by turns",
        (Quantity("on_s", 0.05, 5, 1), Quantity("off_s", 0.05, 5, 1)),
        _pauses,
    ),
    Feature("late", "the last subject starts later", (Quantity("part", 0.05, 0.5, 0.2),), _late),
)

#: The features by name, in the order in which they are added.
FEATURES: Mapping[str, Feature] = {feature.name: feature for feature in _FEATURES}


class Space:
    """The networks with these features; `path` is always among them, and `needed` ones are in each candidate.

    `ScenarioError` for unknown features.
    """

    def __init__(self, features: Sequence[str], duration_s: float, needed: Sequence[str] = ()) -> None:
        for name in (*features, *needed):
            choose(name, FEATURES, "a feature of networks", "features")
        if not duration_s > 0:
            raise ScenarioError("must be more than 0", key="duration", value=duration_s)
        self.features = [name for name in FEATURES if name in {*features, *needed, "path"}]
        self.needed = {"path", *needed}
        self.duration_s = duration_s
        self._optional = [name for name in self.features if name not in self.needed]
        self._quantities = [(name, each) for name in self.features for each in FEATURES[name].quantities]

    @property
    def dimensions(self) -> int:
        """Coordinates of a point."""
        return len(self._optional) + len(self._quantities)

    def candidate(self, point: Sequence[float], excluded: Sequence[frozenset[str]] = ()) -> Candidate:
        """The network of a point, shape (`dimensions`,).

        Of each set in `excluded` that it has wholly, the last optional feature is left out.
        """
        switches = dict(zip(self._optional, point, strict=False))
        present = {*self.needed, *(name for name, value in switches.items() if value > PRESENT)}
        for features in excluded:
            if features and features <= present:
                present -= {next(name for name in reversed(self._optional) if name in features)}
        values = {
            f"{name}.{each.name}": each.at(coordinate)
            for (name, each), coordinate in zip(self._quantities, point[len(self._optional) :], strict=True)
        }
        return made(present, values, self.duration_s)


def made(present: set[str] | frozenset[str], values: Values, duration_s: float) -> Candidate:
    """The candidate with these features; values of other features are left out."""
    features = tuple(name for name in FEATURES if name in present)
    kept = tuple((name, value) for name, value in values.items() if name.partition(".")[0] in present)
    return Candidate(features, kept, duration_s)


def scenario_table(candidate: Candidate, flows: Sequence[Table], seed: int) -> Table:
    """The scenario of a candidate with these flows of the subject and its peers, one a pair."""
    table: Table = {
        "duration": f"{candidate.duration_s:g} s",
        "defaults": "linux",
        "seed": seed,
        "topology": {"kind": "dumbbell", "access": dict(ACCESS), "bottleneck": {"queue": {"kind": "drop_tail"}}},
        "flows": [dict(flow) for flow in flows],
        "record": {"sample": "0 s"},
    }
    for name in candidate.features:
        FEATURES[name].add(table, candidate.of(name))
    queue = _bottleneck(table)["queue"]
    if queue["kind"] == "cake":
        del queue["limit"]  # it counts bytes, and has its own
    for number, flow in enumerate(table["flows"], 1):
        flow["pair"] = number
    table["topology"]["pairs"] = len(table["flows"])
    return table


def settled_s(candidate: Candidate) -> float:
    """The time from which on nothing about the network changes any more."""
    times = [0.0]
    if "outage" in candidate.features:
        values = candidate.of("outage")
        times.append(values["begin"] * candidate.duration_s + values["length_s"])
    times += [candidate.of(name)["at"] * candidate.duration_s for name in STEPS if name in candidate.features]
    if "drops" in candidate.features:
        times.append(gaps_s(candidate.of("drops"))[-1][1])
    if "late" in candidate.features:
        times.append(candidate.of("late")["part"] * candidate.duration_s)
    return max(times)


def capacity_bits(candidate: Candidate, begin_s: float = 0.0) -> float:
    """The bits that the bottleneck can send from `begin_s` to the end, without those of pulses."""
    path, end_s = candidate.of("path"), candidate.duration_s
    cuts = {begin_s, end_s}
    outage = step = None
    if "outage" in candidate.features:
        values = candidate.of("outage")
        outage = values["begin"] * end_s, values["begin"] * end_s + values["length_s"]
        cuts |= set(outage)
    if "rate_step" in candidate.features:
        step = candidate.of("rate_step")
        cuts.add(step["at"] * end_s)
    bits = 0.0
    ordered = sorted(cut for cut in cuts if begin_s <= cut <= end_s)
    for first_s, last_s in pairwise(ordered):
        middle_s = (first_s + last_s) / 2
        if outage is not None and outage[0] < middle_s < outage[1]:
            continue
        factor = step["factor"] if step is not None and middle_s > step["at"] * end_s else 1.0
        bits += 1e6 * path["rate_mbps"] * factor * (last_s - first_s)
    if "pulses" in candidate.features:
        pulses = candidate.of("pulses")
        length_s = min(pulses["length_s"], 0.9 * pulses["period_s"])
        share = min(pulses["rate"], 1.0) * length_s / pulses["period_s"]
        bits *= max(1 - share, 0.1)
    if "pauses" in candidate.features:
        pauses = candidate.of("pauses")
        bits *= pauses["on_s"] / (pauses["on_s"] + pauses["off_s"])
    return math.nan if bits <= 0 else bits
