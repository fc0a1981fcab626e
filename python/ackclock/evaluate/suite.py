"""A suite as its file has it: conditions, traffic, criteria."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ackclock.evaluate.known import suites
from ackclock.evaluate.measure import MEASURES
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
    from that again; `flows` are there beside the traffic. `bottleneck` is the link that is measured. `needs` is a queue
    discipline without which the condition cannot be had, `unevaluated` says why none can have it here. `stands_in` says
    what is here instead of what the document asks for.
    """

    id: str
    title: str
    where: str
    asks: str
    scenario: dict[str, Any] = field(default_factory=dict)
    quick: dict[str, Any] = field(default_factory=dict)
    flows: list[dict[str, Any]] = field(default_factory=list)
    sender: dict[str, Any] = field(default_factory=dict)
    bottleneck: str = "router1->router2"
    needs: str = ""
    stands_in: str = ""
    unevaluated: str = ""


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

    `strength` is the document's own word (MUST, SHOULD, should ...). `measure` names a measure and its arguments.
    `against` says how it is held against the same runs with the baseline instead of the subject. `bound` is the rule's,
    and `why` whose bound that is. With rule "reported" the figure is given and not judged.
    """

    id: str
    title: str
    where: str
    strength: str
    asks: str
    traffic: str = ""
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
        wrong = MEASURES[self.measure["of"]].wrong({key: value for key, value in self.measure.items() if key != "of"})
        if wrong:
            raise ScenarioError(wrong, key="measure")
        if self.rule != "reported":
            if not self.why:
                raise ScenarioError("the key is missing; a bound needs to say whose it is", key="why")
            self.claim()

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
    one's own.
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

    def check(self) -> None:
        """Names that are there, each once."""
        choose(self.evaluates, SUBJECTS, "what is evaluated", "evaluates")
        for key in ("condition", "traffic", "criterion"):
            names = [one.id for one in getattr(self, key)]
            for number, name in enumerate(names):
                if name in names[:number]:
                    raise ScenarioError("the name is there twice", key=f"{key}.{number}.id", value=name)
        for number, criterion in enumerate(self.criterion):
            if criterion.unevaluated:
                continue
            choose(criterion.traffic, [one.id for one in self.traffic], "a traffic", f"criterion.{number}.traffic")
            for place, name in enumerate(criterion.conditions):
                known = [one.id for one in self.condition]
                choose(name, known, "a condition", f"criterion.{number}.conditions.{place}")

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
        criteria, conditions = [one.id for one in self.criterion], [one.id for one in self.condition]
        chosen = list(names)
        for name in chosen:
            if name not in criteria and name not in conditions:
                known = [*criteria, *conditions]
                expected = f"expected a criterion or condition of {self.id}: {', '.join(known)}"
                raise ScenarioError(expected, key="only", value=name, nearest=nearest(name, known))
        wanted = [name for name in chosen if name in criteria] or criteria
        places = [name for name in chosen if name in conditions]
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
        return Suite(**{**vars(self), "criterion": kept})


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
