"""A criterion in a condition, and in all of them: metrics over replications, and what the rule says of them.

A subject is compared with each standard and judged by the one that is kindest to it: what a standard does is allowed.
"Met" is the 95 % interval of the mean within the bound. "Not met" is a claim against the subject, and there are some
hundred cells: the interval is beyond the bound, and Holm's correction over all judged cells leaves p below 5 %.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ackclock.analysis.stats.difference import Difference, holm, paired
from ackclock.analysis.stats.fairness import harm
from ackclock.analysis.stats.interval import Interval, student
from ackclock.analysis.stats.samples import identical
from ackclock.batch.evaluate.measure import MEASURES
from ackclock.batch.evaluate.suite import Condition, Criterion, Traffic

MET, NOT_MET, DEPENDS, UNDETERMINED = "met", "not met", "depends", "undetermined"

#: The word for what could not be had here, and for what is measured and not judged.
NOT_HERE, REPORTED = "not evaluated", "reported"

#: Upper bound of the probability that any cell of an evaluation is wrongly "not met", for replications that are
#: normally distributed (Student's test).
LEVEL = 0.05


@dataclass(frozen=True)
class Cell:
    """A criterion in one condition: metrics by replication, in bits, seconds or shares.

    `subject` is with the subject, `baselines` with each standard in its place, `solo` without either. `standard` is the
    competing standard, if there is one. `lacks` says why the condition is not available here, `failed` which runs
    failed. `p_holm` is the p-value after Holm's correction over the evaluation.
    """

    #: what is judged
    criterion: Criterion
    #: the network
    condition: Condition
    #: the flows
    traffic: Traffic
    subject: Mapping[int, float] = field(default_factory=dict)
    baselines: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    solo: Mapping[int, float] = field(default_factory=dict)
    standard: str = ""
    lacks: str = ""
    failed: str = ""
    p_holm: float | None = None

    @property
    def title(self) -> str:
        """The traffic if the criterion has several, the condition if it has several or one traffic; and the competing
        standard.
        """
        parts = [self.traffic.title] if len(self.criterion.traffics) > 1 else []
        if len(self.criterion.conditions) > 1 or not parts:
            parts.append(self.condition.title)
        return ", ".join(parts) + (f" beside {self.standard}" if self.standard else "")

    @property
    def by(self) -> str:
        """The baseline by which the cell is judged: the most lenient one for the subject. "" without a baseline."""
        found = {name: values for name in self.baselines if (values := self.compared_with(name))}
        if not self.criterion.comparison or not found:
            return ""
        means = {name: sum(values) / len(values) for name, values in found.items()}
        return min(means, key=means.__getitem__) if self.criterion.less_is_better else max(means, key=means.__getitem__)

    @property
    def baseline(self) -> Mapping[int, float]:
        """The metric of the baseline by which it is judged, or of the first."""
        return self.baselines.get(self.by or next(iter(self.baselines), ""), {})

    def compared_with(self, name: str) -> list[float]:
        """What would be judged with the baseline `name`: one number for each replication that both have."""
        found = []
        for number in sorted(self.subject):
            other = self.baselines.get(name, {}).get(number)
            value = None if other is None else self._compare(self.subject[number], other, self.solo.get(number))
            if value is not None:
                found.append(value)
        return found

    def _compare(self, one: float, other: float, alone: float | None) -> float | None:
        how = self.criterion.comparison
        if how == "difference":
            return one - other
        if how == "ratio":
            return one / other if other else None if one else 1.0  # neither has anything: they are equal
        harms = [self._harm(alone, value) for value in (one, other)]
        return None if harms[0] is None or harms[1] is None else harms[0] - harms[1]

    def _harm(self, alone: float | None, beside: float) -> float | None:
        """Ware et al. (2019), section 4; None where it divides by nothing."""
        more = MEASURES[self.criterion.measure["of"]].more_is_better
        if alone is None or not (alone > 0 if more else beside > 0):
            return None
        return harm(alone, beside, more_is_better=more)

    def harms(self, values: Mapping[int, float]) -> list[float]:
        """The harm in each replication, if that is compared; `values` are a metric beside a competitor."""
        found = [self._harm(self.solo.get(number), values[number]) for number in sorted(values)]
        return [one for one in found if one is not None]

    @property
    def compared(self) -> list[float]:
        """What is judged: one number for each replication that both have."""
        if self.criterion.comparison:
            return self.compared_with(self.by)
        return [self.subject[number] for number in sorted(self.subject)]

    @property
    def interval(self) -> Interval | None:
        """The mean of what is judged with its interval; None for fewer than two values."""
        return interval(self.compared)

    @property
    def p_value(self) -> float | None:
        """The probability of values so far beyond the bound if the rule is met; the largest over all baselines.

        For a metric that is only reported, the probability of so large a difference from the baseline's by chance. None
        without values.
        """
        if self.lacks or self.failed:
            return None
        if self.criterion.rule == REPORTED:
            both = [number for number in sorted(self.subject) if number in self.baseline]
            values = [self.subject[number] - self.baseline[number] for number in both]
            return min(1.0, 2 * beyond(values, 0.0, 0.0)) if len(values) > 1 else None
        tried = [self.compared_with(name) for name in self.baselines] if self.criterion.comparison else [self.compared]
        found = [beyond(values, *self.criterion.bounds()) for values in tried if len(values) > 1]
        return max(found, default=None)

    @property
    def word(self) -> str:
        """The verdict in one word; for a reported metric, whether it is more or less than the baseline's."""
        if self.lacks:
            return NOT_HERE
        if self.criterion.rule == REPORTED:
            return self._reported()
        values, found = self.compared, self.interval
        if self.failed or len(values) < 2:
            return UNDETERMINED
        # Identical values are one run without an interval; its value decides.
        low, high = (found.low, found.high) if found is not None else (values[0], values[0])
        least, most = self.criterion.bounds()
        if least <= low and high <= most:
            return MET
        p_value = self.p_value if self.p_holm is None else self.p_holm
        is_beyond = high < least or low > most
        return NOT_MET if is_beyond and p_value is not None and p_value <= LEVEL else UNDETERMINED

    def _reported(self) -> str:
        if self.failed or len(self.subject) < 2:
            return UNDETERMINED
        difference = self.difference
        if difference is None:
            return REPORTED
        p_value = self.p_value if self.p_holm is None else self.p_holm
        if not difference.significant or p_value is None or p_value > LEVEL:
            return "no difference seen"
        return "more" if difference.interval.mean > 0 else "less"

    @property
    def difference(self) -> Difference | None:
        """The subject's metric minus the baseline's, paired; None for fewer than two pairs."""
        both = [number for number in sorted(self.subject) if number in self.baseline]
        if len(both) < 2:
            return None
        return paired([self.subject[number] for number in both], [self.baseline[number] for number in both])

    @property
    def says(self) -> str:
        """The subject's mean with its interval, and the baseline's; or why there are none."""
        if self.lacks or self.failed:
            return self.lacks or self.failed
        measure = MEASURES[self.criterion.measure["of"]]
        shown = [mean(list(values.values()), measure.per) for values in (self.subject, self.baseline)]
        if not shown[0]:
            return "no run has this metric"
        unit = f" {measure.unit}" if measure.unit else ""
        name = self.by or next(iter(self.baselines), "")
        said = f"{shown[0]}{unit}, {name} {shown[1]}" if all(shown) else shown[0] + unit
        if self.criterion.comparison == "harm" and self.compared:
            said += (
                f"; harm {mean(self.harms(self.subject), 0.01)} %, by {name} {mean(self.harms(self.baseline), 0.01)} %"
            )
        return said


@dataclass(frozen=True)
class Row:
    """A criterion with its cells, one per condition; none if it could not be evaluated."""

    #: what is judged
    criterion: Criterion
    #: its conditions with their metrics
    cells: Sequence[Cell]

    @property
    def word(self) -> str:
        """The verdict in one word. It is "depends" if some cells are not met and others are."""
        if self.criterion.unevaluated or all(cell.lacks for cell in self.cells):
            return NOT_HERE
        words = {cell.word for cell in self.cells if not cell.lacks}
        if self.criterion.rule == REPORTED:
            return UNDETERMINED if any(cell.failed for cell in self.cells) else REPORTED
        if NOT_MET in words:
            return NOT_MET if words == {NOT_MET} else DEPENDS
        return MET if words == {MET} else UNDETERMINED

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
        met = sum(cell.word == MET for cell in here)
        parts = [f"met in {met} of {len(here)}"]
        for word in (NOT_MET, UNDETERMINED):
            names = [cell.title for cell in here if cell.word == word]
            if names:
                parts.append(f"{word}: {', '.join(names)}")
        return "; ".join(parts)


def corrected(rows: Sequence[Row]) -> list[Row]:
    """The rows with Holm's correction, over all cells that are judged, and over all that are reported."""
    found = list(rows)
    for is_reported in (False, True):
        chosen = [n for n, row in enumerate(rows) if (row.criterion.rule == REPORTED) is is_reported]
        p_values = [cell.p_value for n in chosen for cell in rows[n].cells]
        adjusted = iter(holm([p_value for p_value in p_values if p_value is not None]).tolist())
        for n in chosen:
            cells = [c if c.p_value is None else replace(c, p_holm=next(adjusted)) for c in rows[n].cells]
            found[n] = Row(rows[n].criterion, cells)
    return found


def judged_in(criterion: Criterion) -> tuple[str, float]:
    """The unit in which what is judged is shown, and what it is divided by."""
    if criterion.comparison == "ratio":
        return "times the baseline's", 1.0
    if criterion.comparison == "harm":
        return "% of what the flow has alone", 0.01
    measure = MEASURES[criterion.measure["of"]]
    return measure.unit, measure.per


def bound_words(criterion: Criterion) -> str:
    """The rule and its bound in the unit of what is judged: "at most 10 % of what the flow has alone"."""
    unit, per = judged_in(criterion)
    shown = " and ".join(f"{bound / per:g}" for bound in criterion.bound_numbers)
    return f"{criterion.rule.replace('_', ' ')} {shown} {unit}".strip()


def beyond(values: Sequence[float], least: float, most: float) -> float:
    """The one-sided p-value of Student's test that the mean of these is beyond a bound; 1 where it is within.

    `values` are at least two; of values that are all the same, 0 or 1.
    """
    from scipy.special import stdtr  # type: ignore[import-untyped]

    average = float(np.mean(values))
    if least <= average <= most:
        return 1.0
    if identical(values):
        return 0.0
    bound = least if average < least else most
    error = float(np.std(values, ddof=1)) / len(values) ** 0.5
    return float(stdtr(len(values) - 1, -abs(average - bound) / error))


def interval(values: Sequence[float]) -> Interval | None:
    """The mean with its interval; None for fewer than two values, and where all are identical."""
    return student(values) if len(values) > 1 and not identical(values) else None


def mean(values: Sequence[float], per: float) -> str:
    """The mean with half of its interval, divided by `per`: "4.1 ± 0.2"; a single value as it is."""
    found = interval(values)
    if found is None:
        return f"{values[0] / per:.4g}" if values else ""
    return f"{found.mean / per:.4g} ± {found.half_width / per:.2g}"
