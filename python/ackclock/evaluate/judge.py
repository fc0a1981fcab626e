"""A criterion in a condition, and in all of them: figures over replications, and what the rule says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ackclock.evaluate.measure import MEASURES
from ackclock.evaluate.suite import Condition, Criterion, Traffic
from ackclock.stats.difference import Difference, paired
from ackclock.stats.fairness import harm
from ackclock.stats.interval import Interval, student
from ackclock.study import Judged, Replications, Settings, Undetermined, Verdict, judge

#: What a verdict is called here.
WORDS = {
    Verdict.REPRODUCED: "met",
    Verdict.CONTRADICTED: "not met",
    Verdict.DEPENDS: "depends",
    Verdict.UNDETERMINED: "undetermined",
}

#: The word for what could not be had here, and for what is measured and not judged.
NOT_HERE, REPORTED = "not evaluated", "reported"


@dataclass(frozen=True)
class Cell:
    """A criterion in one condition: the subject's figure and the baseline's by replication, in bits, seconds, shares.

    `lacks` says why the condition cannot be had here, `failed` which runs failed.
    """

    criterion: Criterion
    condition: Condition
    traffic: Traffic
    subject: Mapping[int, float] = field(default_factory=dict)
    baseline: Mapping[int, float] = field(default_factory=dict)
    lacks: str = ""
    failed: str = ""

    @property
    def title(self) -> str:
        """The condition, or where these differ the traffic, or both."""
        if len(self.criterion.traffics) == 1:
            return self.condition.title
        here = f", {self.condition.title}" if len(self.criterion.conditions) > 1 else ""
        return f"{self.traffic.title}{here}"

    @property
    def compared(self) -> list[float]:
        """What is judged, a number for each replication in which it can be had."""
        how, found = self.criterion.against, []
        for number in sorted(self.subject):
            one = self.subject[number]
            if not how:
                found.append(one)
                continue
            other = self.baseline.get(number)
            if other is None:
                continue
            if how == "difference":
                found.append(one - other)
            elif how == "ratio" and other:
                found.append(one / other)
            elif how == "harm" and (other if MEASURES[self.criterion.measure["of"]].more_is_better else one):
                better = MEASURES[self.criterion.measure["of"]].more_is_better
                found.append(harm(other, one, more_is_better=better))
        return found

    @property
    def judged(self) -> Judged | None:
        """What the rule says; None where the figure is reported only."""
        if self.criterion.rule == "reported":
            return None
        measured = self.measured()
        return judge(self.criterion.claim(), measured)

    def measured(self) -> Replications | Undetermined:
        """As a measurement of a study."""
        if self.lacks or self.failed:
            return Undetermined(self.lacks or self.failed)
        found = self.compared
        if len(found) < 2:
            how = "" if len(self.subject) < 2 else ": the baseline's is 0 or not there"
            return Undetermined(f"the figure is there in {len(found)} replications{how}")
        return Replications(found)

    @property
    def difference(self) -> Difference | None:
        """The subject's figure less the baseline's, paired; None for fewer than two pairs."""
        both = [number for number in sorted(self.subject) if number in self.baseline]
        if len(both) < 2:
            return None
        return paired([self.subject[number] for number in both], [self.baseline[number] for number in both])

    @property
    def says(self) -> str:
        """The figures: the subject's mean with its interval, and the baseline's; or why there are none."""
        if self.lacks or self.failed:
            return self.lacks or self.failed
        measure = MEASURES[self.criterion.measure["of"]]
        shown = [mean(list(values.values()), measure.per) for values in (self.subject, self.baseline)]
        if not shown[0]:
            return "there is no such figure in any run"
        unit = f" {measure.unit}" if measure.unit else ""
        return f"{shown[0]}{unit}, the baseline {shown[1]}" if all(shown) else shown[0] + unit

    @property
    def word(self) -> str:
        """The verdict in a word; of a reported figure, whether it is more or less than the baseline's."""
        if self.lacks:
            return NOT_HERE
        judged = self.judged
        if judged is not None:
            return WORDS[judged.verdict]
        if self.failed or len(self.subject) < 2:
            return WORDS[Verdict.UNDETERMINED]
        difference = self.difference
        if difference is None:
            return "reported"
        if not difference.significant:
            return "no difference seen"
        return "more" if difference.interval.mean > 0 else "less"


@dataclass(frozen=True)
class Row:
    """A criterion with its cells, a condition each; none where it could not be evaluated."""

    criterion: Criterion
    cells: Sequence[Cell]

    @property
    def judged(self) -> Judged | None:
        """The verdict over the conditions that can be had; None where the figures are reported only.

        It depends on the condition where some meet the rule and some do not; where some meet it and the others leave
        it open, so does the whole.
        """
        if self.criterion.unevaluated:
            return Judged(Verdict.UNDETERMINED, self.criterion.unevaluated)
        if self.criterion.rule == "reported":
            return None
        here = [cell for cell in self.cells if not cell.lacks]
        if not here:
            return Judged(Verdict.UNDETERMINED, "none of the conditions can be had here")
        found = judge(self.criterion.claim(), Settings({cell.title: cell.measured() for cell in here}))
        words = {cell.word for cell in here}
        if len(words) == 2 and WORDS[Verdict.UNDETERMINED] in words:
            return Judged(Verdict.UNDETERMINED, found.says.removeprefix("on the condition: "))
        return found

    @property
    def word(self) -> str:
        """The verdict in a word."""
        if self.criterion.unevaluated or all(cell.lacks for cell in self.cells):
            return NOT_HERE
        judged = self.judged
        if judged is None:
            return WORDS[Verdict.UNDETERMINED] if any(cell.failed for cell in self.cells) else REPORTED
        return WORDS[judged.verdict]

    @property
    def says(self) -> str:
        """In how many conditions the rule is met, and in which it is not: "met in 20 of 22; not met: 100 Mb/s"."""
        if self.criterion.unevaluated:
            return self.criterion.unevaluated
        here = [cell for cell in self.cells if not cell.lacks]
        if len(self.cells) == 1:
            return self.cells[0].says
        if self.criterion.rule == REPORTED:
            found = {word: [cell for cell in here if cell.word == word] for word in dict.fromkeys(c.word for c in here)}
            return ", ".join(f"{word} in {len(cells)}" for word, cells in found.items())
        met = sum(cell.word == WORDS[Verdict.REPRODUCED] for cell in here)
        parts = [f"met in {met} of {len(here)}"]
        for verdict in (Verdict.CONTRADICTED, Verdict.UNDETERMINED):
            names = [cell.title for cell in here if cell.word == WORDS[verdict]]
            if names:
                parts.append(f"{WORDS[verdict]}: {', '.join(names)}")
        return "; ".join(parts)


def interval(values: Sequence[float]) -> Interval | None:
    """The mean with its interval; None for fewer than two values."""
    return student(values) if len(values) > 1 else None


def mean(values: Sequence[float], per: float) -> str:
    """The mean with half of its interval, divided by `per`: "4.1 ± 0.2"; a single value as it is."""
    found = interval(values)
    if found is None:
        return f"{values[0] / per:.4g}" if values else ""
    return f"{found.mean / per:.4g} ± {found.half_width / per:.2g}"
