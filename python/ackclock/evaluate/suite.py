"""A suite as its file has it: conditions, traffic, criteria."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ackclock.evaluate.known import suites
from ackclock.evaluate.measure import MEASURES, NOT_ARGUMENTS
from ackclock.scenario.errors import ScenarioError, choose, nearest
from ackclock.scenario.read import line_of, toml
from ackclock.scenario.typed import Described
from ackclock.study.claim import Claim

#: What a suite can evaluate.
SUBJECTS = ("variant", "queue")

#: How the subject's figure is held against the baseline's, replication by replication; "" holds it against nothing.
AGAINST = {
    "": "as it is",
    "ratio": "over the baseline's",
    "difference": "less the baseline's",
    "harm": "what is lost of the baseline's",
}

#: The rules of `ackclock.study` that judge a mean by its interval, and one that does not judge.
RULES = ("at_least", "at_most", "between", "reported")


@dataclass(frozen=True, kw_only=True)
class Replications(Described):
    """How often each run is done with other random numbers, at both levels; `why` says whose numbers these are."""

    quick: int
    full: int
    why: str

    def check(self) -> None:
        """An interval needs two."""
        if not 2 <= self.quick <= self.full:
            raise ScenarioError("expected 2 <= quick <= full: fewer have no interval", key="quick", value=self.quick)


@dataclass(frozen=True, kw_only=True)
class Condition(Described):
    """A network, or what happens on it, that the document names.

    `scenario` are the keys of a scenario in which it differs from the suite's, `quick` those in which quick runs differ
    from that again; `flows` are there beside the traffic, and `sender` are keys of every TCP flow. `bottleneck` is the
    link that is measured, `warm_up` counts instead of the traffic's where runs are not quick.

    `over` makes several of one: lists of tables, of which every combination is a condition; `{name}` in texts is what
    the tables say of that name, in the traffic too, and `family` is what all are called together.

    With `marks` the queue under test marks. `alternate` has the `rates` that a `link` takes by turns, and for how long,
    `every`. `needs` is a queue discipline without which the condition cannot be had, `unevaluated` says why none can
    have it here. `stands_in` says what is here instead of what the document asks for.
    """

    id: str
    title: str
    where: str
    asks: str
    scenario: dict[str, Any] = field(default_factory=dict)
    quick: dict[str, Any] = field(default_factory=dict)
    flows: list[dict[str, Any]] = field(default_factory=list)
    sender: dict[str, Any] = field(default_factory=dict)
    over: list[list[dict[str, Any]]] = field(default_factory=list)
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
    """A value with the places in its texts filled; a text that is nothing but a place becomes what stands there."""
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
class Traffic(Described):
    """Who sends: flows as in a scenario, and what `build` makes of `count` and `load`.

    `warm_up` is left out of what is measured over time; as every time of a suite it may be a share of the run, "20 %".
    """

    id: str
    title: str
    flows: list[dict[str, Any]]
    warm_up: str = "20 %"
    scenario: dict[str, Any] = field(default_factory=dict)
    quick: dict[str, Any] = field(default_factory=dict)
    where: str = ""
    stands_in: str = ""


@dataclass(frozen=True, kw_only=True)
class Criterion(Described):
    """What the document asks for, how it is measured here, and the rule by which it is judged.

    Every traffic in every condition is a cell of it; a condition may be called by its family. `strength` is the
    document's own word (MUST, SHOULD, should ...). `measure` names a measure and its arguments, and may say `during`
    which time: ["10 s", "30 s"]. `against` says how it is held against the same runs with the baseline instead of the
    subject. `bound` is the rule's, and `why` whose bound that is. With rule "reported" the figure is not judged.
    """

    id: str
    title: str
    where: str
    strength: str
    asks: str
    traffic: str | list[str] = ""
    conditions: list[str] = field(default_factory=list)
    measure: dict[str, Any] = field(default_factory=dict)
    against: str = ""
    rule: str = "reported"
    bound: str | list[str] = ""
    why: str = ""
    unevaluated: str = ""

    def check(self) -> None:
        """A measure, a rule and its bound; or why it is not evaluated."""
        if self.unevaluated:
            return
        for key in ("traffic", "conditions", "measure"):
            if not getattr(self, key):
                raise ScenarioError("the key is missing; a criterion has it, or unevaluated", key=key)
        choose(self.against, AGAINST, "how it is compared", "against")
        choose(self.rule, RULES, "a rule", "rule")
        choose(self.measure.get("of", ""), MEASURES, "a measure", "measure.of")
        wrong = MEASURES[self.measure["of"]].wrong(
            {key: value for key, value in self.measure.items() if key not in NOT_ARGUMENTS}
        )
        if wrong:
            raise ScenarioError(wrong, key="measure")
        if self.rule != "reported":
            if not self.why:
                raise ScenarioError("the key is missing; a bound needs to say whose it is", key="why")
            self.claim()

    @property
    def traffics(self) -> list[str]:
        """All of its traffics."""
        return [self.traffic] if isinstance(self.traffic, str) else self.traffic

    def claim(self) -> Claim:
        """The same as a claim of a study, which has the rules."""
        return Claim(
            id=self.id,
            where=self.where,
            words=self.asks,
            quantity=self.title,
            rule=self.rule,
            published=self.bound,
            why=self.why,
            judged="mean",
            depends_on="the condition",
        )


@dataclass(frozen=True, kw_only=True)
class Suite(Described):
    """A document's evaluation: `id` is what the command calls it, `scenario` what all its runs share.

    `baseline` is what the document compares with unless told otherwise. `sender` is the one that carries a control of
    one's own. `graph` has the criteria that the document wants as the axes of one picture, `x` and `y`.
    """

    id: str
    document: str
    title: str
    about: str
    evaluates: str
    baseline: str
    baseline_why: str
    replications: Replications
    scenario: dict[str, Any]
    condition: list[Condition]
    traffic: list[Traffic]
    criterion: list[Criterion]
    sender: str = "sack"
    graph: dict[str, str] = field(default_factory=dict)

    def check(self) -> None:
        """Names that are there, each once."""
        object.__setattr__(self, "condition", [one for family in self.condition for one in family.each()])
        choose(self.evaluates, SUBJECTS, "what is evaluated", "evaluates")
        for key in ("condition", "traffic", "criterion"):
            names = [one.id for one in getattr(self, key)]
            for number, name in enumerate(names):
                if name in names[:number]:
                    raise ScenarioError("the name is there twice", key=f"{key}.{number}.id", value=name)
        for number, criterion in enumerate(self.criterion):
            if criterion.unevaluated:
                continue
            for traffic in criterion.traffics:
                choose(traffic, [one.id for one in self.traffic], "a traffic", f"criterion.{number}.traffic")
            for place, name in enumerate(criterion.conditions):
                known = [name for one in self.condition for name in (one.id, one.family) if name]
                choose(name, known, "a condition", f"criterion.{number}.conditions.{place}")
            every = [one.id for one in self.condition if {one.id, one.family} & set(criterion.conditions)]
            object.__setattr__(criterion, "conditions", every)
        for axis, name in self.graph.items():
            choose(name, [one.id for one in self.criterion], "a criterion", f"graph.{axis}")

    def named_condition(self, id: str) -> Condition:
        """The condition of this id."""
        return next(one for one in self.condition if one.id == id)

    def named_traffic(self, id: str) -> Traffic:
        """The traffic of this id."""
        return next(one for one in self.traffic if one.id == id)

    def only(self, names: Iterable[str]) -> Suite:
        """The suite with these criteria, or with these conditions, or both; all of a kind of which none is named.

        `ScenarioError` for a name that is neither.
        """
        criteria = [one.id for one in self.criterion]
        conditions = [name for one in self.condition for name in (one.id, one.family) if name]
        chosen = list(names)
        for name in chosen:
            if name not in criteria and name not in conditions:
                known = [*criteria, *conditions]
                expected = f"expected a criterion or condition of {self.id}: {', '.join(known)}"
                raise ScenarioError(expected, key="only", value=name, nearest=nearest(name, known))
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
                one = Criterion(**{**vars(one), "conditions": here})
            elif places:
                continue
            kept.append(one)
        if not kept:
            raise ScenarioError("none of these criteria is evaluated in one of these conditions", key="only")
        graph = self.graph if set(self.graph.values()) <= {one.id for one in kept} else {}
        return Suite(**{**vars(self), "criterion": kept, "graph": graph})


def load_suite(name: str | os.PathLike[str]) -> Suite:
    """A suite by its name, or from a file of one's own.

    Raises `ScenarioError` for a name that is none and, with file and line, for what is wrong in a file; `OSError` when
    it cannot be read.
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
