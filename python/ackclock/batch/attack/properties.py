"""What is asked of a congestion control: a figure of a run, and a bound that it should keep.

A figure may be none for a candidate that says nothing about the property, such as one in which nobody could send.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ackclock.batch.attack.space import FEATURES, STEPS, Candidate, Table, capacity_bits, settled_s
from ackclock.batch.sweep.metrics import FLOW_COLUMNS, Columns, metrics
from ackclock.execution.results import Results
from ackclock.scenario import Scenario
from ackclock.scenario.errors import ScenarioError, nearest
from ackclock.scenario.units import time_s

#: Of the rate of a link, what is left for data when headers of 40 to 60 bytes are counted.
PAYLOAD = 0.95
#: Size of the transfer of `completion`, bytes.
TRANSFER_BYTES = 1_000_000
#: The part of a run in which `stall` and `latecomer` measure, and the part until which the network has to be settled.
LAST, SETTLED = 0.75, 0.5


class Measured(Protocol):
    """What a figure reads of a run: `Results`, or what was measured of real packets."""

    @property
    def scenario(self) -> Scenario:
        """What was run."""

    @property
    def names(self) -> Mapping[str, Sequence[str]]:
        """Names of flows, in the order of the rows of their table."""

    @property
    def tables(self) -> Mapping[str, Any]:
        """Tables by name; each has `column(name)`."""


#: A run's figure for a candidate; None where the candidate says nothing. An expression needs `Results`, the others
#: `Measured`.
Figure = Callable[[Any, Candidate], "float | None"]


@dataclass(frozen=True)
class Property:
    """A property that a control should have: its figure stays on one side of the bound.

    `fails_below` says on which side it fails. `features` are those that a search may use, `needed` those that each
    candidate has. `subjects` is the number of the subject's flows. With `peer`, a flow of another control is beside
    them. `flow` has more keys of the subject's flows.
    """

    name: str
    about: str
    bound: float
    fails_below: bool
    figure: Figure
    features: tuple[str, ...]
    needed: tuple[str, ...] = ()
    subjects: int = 1
    peer: bool = False
    flow: Mapping[str, Any] | None = None

    def fails(self, figure: float | None) -> bool:
        """Whether a figure is on the wrong side of the bound."""
        return figure is not None and (figure < self.bound if self.fails_below else figure > self.bound)

    def distance(self, figure: float | None) -> float:
        """How far a figure is from failing, as a ratio on the log scale; the worse, the lower. Infinite for None."""
        if figure is None or math.isnan(figure):
            return math.inf
        ratio = math.log(max(figure, 1e-6) / max(self.bound, 1e-6))
        return ratio if self.fails_below else -ratio

    def flows(self, subject: Mapping[str, Any], peer: Mapping[str, Any]) -> list[Table]:
        """The flows of a candidate: the subject's, then the peer's."""
        made = [
            {"name": f"subject{number}", "window": "1000000 packets", **subject, **(self.flow or {})}
            for number in range(1, self.subjects + 1)
        ]
        if self.peer:
            made.append({"name": "peer", "window": "1000000 packets", **peer})
        return made


def _goodputs_bps(results: Measured, beginning: str) -> list[float]:
    names, values = results.names["flows"], results.tables["flows"].column("goodput_bps")
    return [value or 0.0 for name, value in zip(names, values, strict=True) if name.startswith(beginning)]


def _utilisation(results: Measured, candidate: Candidate) -> float | None:
    begin_s = time_s(results.scenario.flows[0].start)
    names, values = results.names["flows"], results.tables["flows"].column("delivered_bytes")
    bits: float = 8.0 * sum(value for name, value in zip(names, values, strict=True) if name.startswith("subject"))
    return bits / (PAYLOAD * capacity_bits(candidate, begin_s))


def _starvation(results: Measured, candidate: Candidate) -> float | None:
    del candidate
    goodputs = _goodputs_bps(results, "subject")
    return min(goodputs) / max(goodputs) if max(goodputs) > 0 else None


def _share(results: Measured, candidate: Candidate) -> float | None:
    del candidate
    subject, peer = _goodputs_bps(results, "subject"), _goodputs_bps(results, "peer")
    return sum(subject) / (sum(subject) + sum(peer)) if sum(subject) + sum(peer) > 0 else None


def _queueing_delay_s(results: Measured, candidate: Candidate) -> float | None:
    del candidate
    flows = results.tables["flows"]
    high, low = flows.column("delay_p95_s")[0], flows.column("delay_min_s")[0]
    return None if high is None or low is None else max(high - low, 0.0)


def _loss(results: Measured, candidate: Candidate) -> float | None:
    del candidate
    found: float | None = results.tables["flows"].column("loss_ratio")[0]
    return found


def _completion(results: Measured, candidate: Candidate) -> float | None:
    path = candidate.of("path")
    ideal_s = 8 * TRANSFER_BYTES / (PAYLOAD * 1e6 * path["rate_mbps"]) + 8 * path["delay_s"]
    if "outage" in candidate.features:
        outage = candidate.of("outage")
        # Who knows the path waits for the end of an outage that falls into the transfer.
        ideal_s += outage["length_s"] if outage["begin"] * candidate.duration_s < ideal_s else 0.0
    took_s: float | None = results.tables["flows"].column("completion_s")[0]
    return (candidate.duration_s if took_s is None else took_s) / ideal_s


def _recovery_s(results: Measured, candidate: Candidate) -> float | None:
    outage = candidate.of("outage")
    end_s = outage["begin"] * candidate.duration_s + outage["length_s"]
    series = results.tables["flow_series"]
    step = candidate.of("rate_step")["factor"] if "rate_step" in candidate.features else 1.0
    enough_bps = 0.7e6 * candidate.of("path")["rate_mbps"] * min(step, 1.0)
    times, rates = series.column("time_s"), series.column("throughput_bps")
    for at_s, rate_bps in zip(times, rates, strict=True):
        if at_s > end_s and (rate_bps or 0.0) >= enough_bps:
            return float(at_s - end_s)
    return candidate.duration_s - end_s


def _last_rates_bps(results: Measured, candidate: Candidate) -> list[float] | None:
    """Mean throughput of each flow in the last quarter; None where the network changes after the first half."""
    if settled_s(candidate) > SETTLED * candidate.duration_s:
        return None
    begin_s = LAST * candidate.duration_s
    rates: list[list[float]] = [[] for _ in results.names["flows"]]
    series = results.tables["flow_series"]
    columns = (series.column(name) for name in ("time_s", "flow", "throughput_bps"))
    for at_s, flow, rate_bps in zip(*columns, strict=True):
        if at_s > begin_s:
            rates[flow - 1].append(rate_bps or 0.0)
    return [math.fsum(each) / len(each) if each else 0.0 for each in rates]


def _stall(results: Measured, candidate: Candidate) -> float | None:
    rates_bps = _last_rates_bps(results, candidate)
    begin_s = LAST * candidate.duration_s
    mean_bps = capacity_bits(candidate, begin_s) / (candidate.duration_s - begin_s)
    return None if rates_bps is None else rates_bps[0] / mean_bps


def _latecomer(results: Measured, candidate: Candidate) -> float | None:
    rates_bps = _last_rates_bps(results, candidate)
    return None if rates_bps is None or not rates_bps[1] else rates_bps[0] / rates_bps[1]


_ALL = tuple(FEATURES)
#: Features that lose or delay packets beside the queue.
_IMPAIRED = ("loss", "bursts", "drops", "jitter", "own_jitter", "reordering")


def _without(*names: str) -> tuple[str, ...]:
    return tuple(name for name in _ALL if name not in names)


_PROPERTIES = (
    Property("utilisation", "share of the bottleneck that the flow fills", 0.5, True, _utilisation, _without("late")),
    Property(
        "starvation",
        "goodput of the slower of two flows of the same control, over that of the faster",
        0.1,
        True,
        _starvation,
        _without("pauses", "outage"),
        subjects=2,
    ),
    Property(
        "share", "share of the goodput beside a flow of the peer", 0.1, True, _share, _without("pauses"), peer=True
    ),
    Property(
        "delay",
        "95th percentile of the queueing delay, s",
        0.2,
        False,
        _queueing_delay_s,
        _without(*_IMPAIRED, "delay_step", "outage", "pulses"),
    ),
    Property(
        "loss",
        "share of packets that the queue drops",
        0.1,
        False,
        _loss,
        _without("loss", "bursts", "drops", "outage", "pulses"),
    ),
    Property(
        "completion",
        "time of a transfer of 1 MB, over that of a sender that knows the path",
        10.0,
        False,
        _completion,
        _without("pauses", "late", "outage", "rate_step", "delay_step"),
        flow={"app": {"kind": "ftp", "size": "1 MB"}},
    ),
    Property(
        "recovery",
        "time after an outage until 70 % of the rate is reached again, s",
        5.0,
        False,
        _recovery_s,
        _without("pauses", "late", "pulses"),
        needed=("outage",),
    ),
    Property(
        "stall",
        "share of the bottleneck that the flow fills in the last quarter of the run; the network changes in the first"
        " half alone",
        0.1,
        True,
        _stall,
        ("queue", "drops", "ack_path", "outage", *STEPS),
    ),
    Property(
        "latecomer",
        "rate of a flow over that of a second one of the same control that started later, in the last quarter",
        0.1,
        True,
        _latecomer,
        ("queue", "jitter", "ack_jitter", "ack_path", *STEPS),
        needed=("late",),
        subjects=2,
    ),
)

#: The properties by name.
PROPERTIES: Mapping[str, Property] = {each.name: each for each in _PROPERTIES}

#: Properties whose figure needs samples over time.
WITH_SERIES = frozenset({"recovery", "stall", "latecomer"})


def find_property(
    name: str, *, below: float | None = None, above: float | None = None, features: tuple[str, ...] | None = None
) -> Property:
    """A property by name, or one whose figure is an expression over metrics, such as `rtt_p95_s.subject1 / 0.1`.

    `below` or `above` replace the bound; an expression needs one of them. `features` replace those of a search.
    Raises `ScenarioError` for an unknown name, and for contradictory bounds.
    """
    if below is not None and above is not None:
        raise ScenarioError("expected one of the two: a property fails on one side of a bound", key="--below, --above")
    found = PROPERTIES.get(name)
    if found is None:
        if name.isidentifier() and name not in _METRICS and name not in FLOW_COLUMNS:
            known = (*PROPERTIES, *_METRICS)
            raise ScenarioError(
                f"expected a property ({', '.join(PROPERTIES)}) or an expression over metrics",
                key="--property",
                value=name,
                nearest=nearest(name, known),
            )
        found = _of_expression(name)
        if below is None and above is None:
            raise ScenarioError(
                "the bound is missing; an expression needs --below or --above", key="--property", value=name
            )
    if below is not None or above is not None:
        bound = below if below is not None else above
        assert bound is not None
        if not math.isfinite(bound):
            raise ScenarioError(
                "expected a finite number", key="--below" if below is not None else "--above", value=bound
            )
        found = replace(found, bound=bound, fails_below=below is not None)
    if features is not None:
        found = replace(found, features=features)
    return found


_METRICS = ("goodput_bps", "jain", "delay_mean_s", "loss_ratio", "utilisation", "completion_mean_s")
_OPERATIONS: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _of_expression(text: str) -> Property:
    """A property whose figure is computed from metrics: names, numbers, + - * / and brackets."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ScenarioError(f"not an expression: {error.msg}", key="--property", value=text) from None
    names = sorted({_dotted(node) for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Attribute))})
    longest = [name for name in names if not any(other.startswith(f"{name}.") for other in names)]
    columns = []
    for name in longest:
        column = name.partition(".")[0]
        if column in FLOW_COLUMNS and column not in _METRICS:
            columns.append(column)
        elif column not in _METRICS:
            known = (*_METRICS, *FLOW_COLUMNS)
            raise ScenarioError(
                "expected a metric or a column of the table flows",
                key="--property",
                value=name,
                nearest=nearest(column, known),
            )
    _value(tree, dict.fromkeys(longest, 1.0), text)  # what is not an expression is told before the search
    asked = Columns(tuple(dict.fromkeys(columns)), "flow") if columns else None

    def figure(results: Results, candidate: Candidate) -> float | None:
        del candidate
        found = metrics(results, asked)
        given = {name: found[name] for name in longest if name in found}
        return _value(tree, given, text) if len(given) == len(longest) else None

    return Property(text, "an expression over metrics", 0.0, True, figure, _ALL)


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _value(node: ast.AST, given: Mapping[str, float], text: str) -> float | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return float(node.value)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return given[_dotted(node)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand, given, text)
        return None if inner is None else -inner
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = _value(node.left, given, text), _value(node.right, given, text)
        if left is None or right is None or (right == 0 and isinstance(node.op, ast.Div)):
            return None
        return _OPERATIONS[type(node.op)](left, right)
    raise ScenarioError("expected names, numbers, + - * / and brackets", key="--property", value=text)
