"""A suite as its file has it: conditions, traffic, criteria."""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from ackclock.batch.evaluate.known import suites
from ackclock.batch.evaluate.measure import MEASURES, NOT_ARGUMENTS
from ackclock.batch.evaluate.plot import Plot
from ackclock.batch.evaluate.standards import STANDARDS
from ackclock.scenario.errors import ScenarioError, choose, nearest
from ackclock.scenario.formats.read import line_of, toml
from ackclock.scenario.model.typed import Described

#: What a suite can evaluate.
SUBJECTS = ("variant", "queue")

#: How the subject's metric is compared with a baseline's, replication by replication; "" compares it with none.
COMPARISONS = {
    "": "as it is",
    "ratio": "over the baseline's",
    "difference": "less the baseline's",
    "harm": "harm to the standard flow, less the harm that a standard does it in the subject's place",
}

#: The rules that judge a mean by its interval, and one that does not judge.
RULES = ("at_least", "at_most", "between", "reported")


@dataclass(frozen=True, kw_only=True)
class Replications(Described):
    """The number of runs with different random numbers, at both levels; `why` is the source of these numbers."""

    quick: int
    full: int
    why: str

    def check(self) -> None:
        """`ScenarioError` for fewer than two, which have no interval."""
        if not 2 <= self.quick <= self.full:
            raise ScenarioError("expected 2 <= quick <= full: fewer have no interval", key="quick", value=self.quick)


@dataclass(frozen=True, kw_only=True)
class Condition(Described):
    """A network, or an event on it, that the document names.

    `scenario` are the keys in which it differs from the suite's scenario, `quick` those in which quick runs differ from
    that. `flows` are sent in addition to the traffic, and `sender` are keys of every TCP flow. `bottleneck` is the link
    that is measured. `warm_up` replaces the traffic's in full runs.

    `over` makes several of one: lists of tables, of which every combination is a condition. `{name}` in texts, in the
    traffic too, is the tables' value of that name. `family` is the name of all of them together.

    With `marks` the queue under test marks. `alternate` has the `rates` that a `link` takes in turn, each for `every`.
    `needs` is a queue discipline that the condition requires. `unevaluated` says why nothing can be evaluated in it
    here. `stands_in` says what replaces what the document names.
    """

    #: its name
    id: str
    #: its heading
    title: str
    #: the place in the document
    where: str
    #: the document's words
    asks: str
    scenario: dict[str, Any] = field(default_factory=dict)
    quick: dict[str, Any] = field(default_factory=dict)
    flows: list[dict[str, Any]] = field(default_factory=list)
    sender: dict[str, Any] = field(default_factory=dict)
    over: list[list[dict[str, Any]]] = field(default_factory=list)
    #: the values that `over` gives it, by name
    values: dict[str, Any] = field(default_factory=dict)
    family: str = ""
    marks: bool = False
    alternate: dict[str, Any] = field(default_factory=dict)
    bottleneck: str = "router1->router2"
    warm_up: str = ""
    needs: str = ""
    stands_in: str = ""
    unevaluated: str = ""

    def each(self) -> Iterator[Condition]:
        """The conditions that `over` makes of it; itself without."""
        if not self.over:
            yield self
            return
        for chosen in itertools.product(*self.over):
            values = {name: value for one in chosen for name, value in one.items()}
            plain = {name: value for name, value in vars(self).items() if name not in ("over", "values")}
            yield Condition(**filled(plain, values), values=values)


def filled(value: Any, values: Mapping[str, Any]) -> Any:
    """A value with the placeholders in its texts filled; a text that is only a placeholder becomes its value."""
    if isinstance(value, Mapping):
        return {key: filled(one, values) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, values) for one in value]
    if not isinstance(value, str):
        return value
    if value[1:-1] in values and value == f"{{{value[1:-1]}}}":
        return values[value[1:-1]]
    return re.sub(r"\{(\w+)\}", lambda place: str(values.get(place[1], place[0])), value)


@dataclass(frozen=True, kw_only=True)
class Trigger(Described):
    """The nth entry of the subject's control into a state of its model; its instant is T (`timeline`).

    A first run of the same seed finds it. What happens from then on does not change the past, so the second run enters
    the state at the same instant.
    """

    state: str
    number: int = 1


@dataclass(frozen=True, kw_only=True)
class Traffic(Described):
    """The flows, as in a scenario, with the keys `count` and `load` of `build`.

    `then` are keys of the scenario that may depend on the instant of the `trigger`, and `paused` or `limited`, when the
    subject's application has no data or less (`timeline`). `warm_up` is left out of metrics over time. Like every time
    of a suite it may be a share of the run, "20 %".
    """

    #: its name
    id: str
    #: its heading
    title: str
    #: tables of flows
    flows: list[dict[str, Any]]
    warm_up: str = "20 %"
    #: keys in which its scenario differs
    scenario: dict[str, Any] = field(default_factory=dict)
    #: keys in which the scenario of quick runs differs from that
    quick: dict[str, Any] = field(default_factory=dict)
    #: the place in the document
    where: str = ""
    #: what it replaces
    stands_in: str = ""
    trigger: Trigger | None = None
    then: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Criterion(Described):
    """A criterion of the document, its metric here, and the rule by which it is judged.

    Every traffic in every condition is a cell of it; a condition may be named by its family. `strength` is the
    document's own word (MUST, SHOULD, should ...). `measure` names a measure and its arguments, and may restrict it to
    a time: `during` = ["10 s", "30 s"]. `comparison` says how it is compared with the same runs with a baseline instead
    of the subject: "ratio", "difference", or "harm", which also needs runs without the subject's flows. `rule` has a
    `bound`, and `why` is its source. With rule "reported" the metric is not judged. `better` is "less" or "more" if the
    measure does not define it. `quick` are the conditions of quick runs.
    """

    renamed: ClassVar[Mapping[str, str]] = {"against": "comparison"}

    #: its name
    id: str
    #: its heading
    title: str
    #: the place in the document
    where: str
    strength: str
    #: the document's words
    asks: str
    #: ids of its traffic
    traffic: str | list[str] = ""
    #: ids or families of its conditions
    conditions: list[str] = field(default_factory=list)
    #: those of quick runs; all by default
    quick: list[str] = field(default_factory=list)
    measure: dict[str, Any] = field(default_factory=dict)
    comparison: str = ""
    better: str = ""
    rule: str = "reported"
    bound: str | list[str] = ""
    why: str = ""
    #: why it cannot be evaluated here
    unevaluated: str = ""

    def check(self) -> None:
        """`ScenarioError` unless it has a measure, a rule and its bound, or is unevaluated."""
        if self.unevaluated:
            return
        for key in ("traffic", "conditions", "measure"):
            if not getattr(self, key):
                raise ScenarioError("the key is missing; a criterion has it, or unevaluated", key=key)
        choose(self.comparison, COMPARISONS, "how it is compared", "comparison")
        choose(self.rule, RULES, "a rule", "rule")
        choose(self.better, ("", "less", "more"), "what is better", "better")
        choose(self.measure.get("of", ""), MEASURES, "a measure", "measure.of")
        wrong = MEASURES[self.measure["of"]].wrong(
            {key: value for key, value in self.measure.items() if key not in NOT_ARGUMENTS}
        )
        if wrong:
            raise ScenarioError(wrong, key="measure")
        if MEASURES[self.measure["of"]].counts and "during" in self.measure:
            raise ScenarioError("expected none: this measure counts from the warm-up's end", key="measure.during")
        if self.rule != "reported":
            if not self.why:
                raise ScenarioError("the key is missing; a bound needs to say whose it is", key="why")
            self.bounds()

    def places(self, quick: bool) -> list[str]:
        """The conditions of `quick` or of full runs."""
        return self.quick if quick and self.quick else self.conditions

    @property
    def traffics(self) -> list[str]:
        """The ids of all its traffic."""
        return [self.traffic] if isinstance(self.traffic, str) else self.traffic

    @property
    def bound_numbers(self) -> list[float]:
        """The numbers of its bound, as written. `ScenarioError` for what is no number."""
        try:
            return [float(one) for one in ([self.bound] if isinstance(self.bound, str) else self.bound)]
        except ValueError:
            raise ScenarioError("expected a number, as text", key="bound", value=self.bound) from None

    def bounds(self) -> tuple[float, float]:
        """Minimum and maximum that meet the rule. `ScenarioError` for a bound that is no number."""
        numbers = self.bound_numbers
        if len(numbers) != (2 if self.rule == "between" else 1):
            raise ScenarioError(f"expected {'two numbers' if self.rule == 'between' else 'a number'}", key="bound")
        if self.rule == "between":
            return numbers[0], numbers[1]
        return (numbers[0], math.inf) if self.rule == "at_least" else (-math.inf, numbers[0])

    @property
    def less_is_better(self) -> bool:
        """Whether less of what is judged is better: a harm, a rule `at_most`, or by the measure."""
        if self.rule in ("at_least", "at_most"):
            return self.rule == "at_most"
        return not MEASURES[self.measure["of"]].more_is_better

    @property
    def says_better(self) -> str:
        """Whether less or more of what is judged or reported is better."""
        if self.better or self.rule in ("at_least", "at_most"):
            return f"{self.better or ('less' if self.less_is_better else 'more')} is better"
        return MEASURES[self.measure["of"]].better


@dataclass(frozen=True, kw_only=True)
class Suite(Described):
    """A document's evaluation: `id` is its name on the command line, `scenario` is common to all its runs.

    `standards` are what the document compares with by default, on the subject's own sender: "reno" (RFC 5681) and
    "cubic" (RFC 9438). A suite of queue disciplines, or one with a baseline of its own, has a `baseline` instead.
    With "{subject}" it compares with nothing: what the document asks is judged as it is.
    `sender` is the one for a user-defined control. `graph` names the criteria on the axes `x` and `y` of a plot that
    the document requires. `plot` are further plots, with runs of their own.
    """

    id: str
    #: the document's name
    document: str
    #: the document's title
    title: str
    #: what it evaluates, in a sentence
    about: str
    #: "variant" or "queue"
    evaluates: str
    #: why these are the baselines
    baseline_why: str
    #: runs with different random numbers
    replications: Replications
    scenario: dict[str, Any]
    #: its conditions
    condition: list[Condition]
    #: its traffic
    traffic: list[Traffic]
    #: its criteria
    criterion: list[Criterion]
    baseline: str = ""
    standards: list[str] = field(default_factory=list)
    sender: str = "sack"
    graph: dict[str, str] = field(default_factory=dict)
    plot: list[Plot] = field(default_factory=list)

    def check(self) -> None:
        """`ScenarioError` for names that do not exist or exist twice."""
        object.__setattr__(self, "condition", [one for family in self.condition for one in family.each()])
        choose(self.evaluates, SUBJECTS, "what is evaluated", "evaluates")
        if bool(self.baseline) == bool(self.standards) or (self.standards and self.evaluates == "queue"):
            raise ScenarioError("expected a baseline, or for variants standards", key="baseline", value=self.baseline)
        for number, standard in enumerate(self.standards):
            choose(standard, STANDARDS, "a standard", f"standards.{number}")
        for key, parts in (
            ("condition", self.condition),
            ("traffic", self.traffic),
            ("criterion", self.criterion),
            ("plot", self.plot),
        ):
            names = [one.id for one in parts]
            for number, name in enumerate(names):
                if name in names[:number]:
                    raise ScenarioError("duplicate name", key=f"{key}.{number}.id", value=name)
        for number, criterion in enumerate(self.criterion):
            if not criterion.unevaluated:
                self._check_places(criterion, f"criterion.{number}")
        for number, plot in enumerate(self.plot):
            self._check_places(plot, f"plot.{number}")
            if plot.standard:
                choose(plot.standard, STANDARDS, "a standard", f"plot.{number}.standard")
        for axis, name in self.graph.items():
            choose(name, [one.id for one in self.criterion], "a criterion", f"graph.{axis}")

    def _check_places(self, part: Criterion | Plot, key: str) -> None:
        """Its traffic and conditions are there; families of conditions are put in full."""
        for traffic in part.traffics if isinstance(part, Criterion) else [part.traffic]:
            choose(traffic, [one.id for one in self.traffic], "a traffic", f"{key}.traffic")
        known = [name for one in self.condition for name in (one.id, one.family) if name]
        for name in ("conditions", "quick"):
            for place, condition in enumerate(getattr(part, name)):
                choose(condition, known, "a condition", f"{key}.{name}.{place}")
            every = [one.id for one in self.condition if {one.id, one.family} & set(getattr(part, name))]
            object.__setattr__(part, name, every)

    def named_condition(self, id: str) -> Condition:
        """The condition with this `id`."""
        return next(one for one in self.condition if one.id == id)

    def named_traffic(self, id: str) -> Traffic:
        """The traffic with this `id`."""
        return next(one for one in self.traffic if one.id == id)

    def only(self, names: Iterable[str]) -> Suite:
        """The suite with the criteria, plots or conditions in `names`; all if none is named.

        A plot is included only if it is named itself. `ScenarioError` for an unknown name.
        """
        criteria = [one.id for one in self.criterion] + [one.id for one in self.plot]
        conditions = [name for one in self.condition for name in (one.id, one.family) if name]
        chosen = list(names)
        for name in chosen:
            if name not in criteria and name not in conditions:
                # A family stands for its conditions.
                listed = dict.fromkeys([*criteria, *(one.family or one.id for one in self.condition)])
                expected = f"expected a criterion, plot or condition of {self.id}: {', '.join(listed)}"
                near = nearest(name, [*criteria, *conditions])
                raise ScenarioError(expected, key="only", value=name, nearest=near)
        wanted = [name for name in chosen if name in criteria] or criteria
        places = [one.id for one in self.condition if {one.id, one.family} & set(chosen)]
        kept = []
        for one in self.criterion:
            if one.id not in wanted:
                continue
            if places and not one.unevaluated:
                here = [name for name in one.conditions if name in places]
                if not here:
                    continue
                one = Criterion(**{**vars(one), "conditions": here, "quick": []})
            elif places:
                continue
            kept.append(one)
        drawn = [one for one in self.plot if one.id in chosen]
        if not kept and not drawn:
            raise ScenarioError("none of these criteria is evaluated in one of these conditions", key="only")
        graph = self.graph if set(self.graph.values()) <= {one.id for one in kept} else {}
        return Suite(**{**vars(self), "criterion": kept, "graph": graph, "plot": drawn})


def load_suite(name: str | os.PathLike[str]) -> Suite:
    """The suite called `name`, or read from a file of this name.

    Raises `ScenarioError` for an unknown name and, with file and line, for an error in a file; `OSError` if it cannot
    be read.
    """
    known = suites()
    file = known.get(os.fspath(name), Path(name))
    if file.suffix != ".toml":
        expected = f"expected a suite, {', '.join(known)}, or a file of one, NAME.toml"
        raise ScenarioError(expected, key="suite", value=os.fspath(name), nearest=nearest(os.fspath(name), known))
    text, table = toml(file)
    try:
        return Suite.of(table)
    except ScenarioError as error:
        raise error.at(file, line_of(text, error.key)) from None
