"""Plots that a suite asks for: what is run for one, and how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ackclock.batch.evaluate.measure import MEASURES, NOT_ARGUMENTS, SEVERAL
from ackclock.scenario.errors import ScenarioError, choose
from ackclock.scenario.model.typed import Described

#: How a plot is drawn.
KINDS = {
    "lines": "a metric over a condition's value or over conditions, a line for each variant",
    "distribution": "cumulative distributions, a line for each variant",
    "course": "throughput of each flow and the queue over time, in one run",
    "matrix": "a metric for each pair of variants",
}


@dataclass(frozen=True, kw_only=True)
class Plot(Described):
    """A plot: `measure` with this traffic in these conditions, for each subject and each of `beside`.

    `beside` are variants or standards ("reno", "cubic", on the subject's sender) that are shown with the subject.
    `standard` takes the place of `{standard}` in the traffic. `x` names the value of a condition's `over` on the axis,
    by default the conditions are; `log` makes it logarithmic. `quick` are the conditions of quick runs, all by default.
    `at` are values of the measure that are drawn as lines, for example an equal share.
    """

    #: its name for `--only`
    id: str
    #: its heading
    title: str
    #: the place in the document
    where: str
    #: how it is drawn
    kind: str
    #: the id of its traffic
    traffic: str
    #: the ids or families of its conditions
    conditions: list[str]
    #: a measure with its arguments
    measure: dict[str, Any]
    beside: list[str] = field(default_factory=list)
    standard: str = ""
    x: str = ""
    #: the axis's quantity and unit
    x_label: str = ""
    log: bool = False
    quick: list[str] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    #: the sentence under it
    about: str = ""

    def check(self) -> None:
        """`ScenarioError` unless its kind exists and can show its measure."""
        choose(self.kind, KINDS, "a kind of plot", "kind")
        known = SEVERAL if self.kind in ("distribution", "course") else MEASURES
        choose(self.measure.get("of", ""), known, "a measure", "measure.of")
        if self.kind in ("lines", "matrix"):
            given = {key: value for key, value in self.measure.items() if key not in NOT_ARGUMENTS}
            wrong = MEASURES[self.measure["of"]].wrong(given)
            if wrong:
                raise ScenarioError(wrong, key="measure")

    @property
    def key(self) -> str:
        """The name of its metric among those of a run."""
        return f"plot {self.id}"

    def shown(self, quick: bool) -> list[str]:
        """The conditions of `quick` or of full runs."""
        return self.quick if quick and self.quick else self.conditions
