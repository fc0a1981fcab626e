"""What a paper says, as data, and the rules by which a measurement is held against it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

#: A measurement: text where every printed digit counts, a number where it does not.
Value = str | float


class Rule(Enum):
    """How a measured value is held against the published one. There is no rule by eye."""

    #: The same characters.
    DIGITS = "digits"
    #: Not further from the published number than `tolerance`, in the quantity's own unit.
    WITHIN = "within"
    #: The published number is a bound, and the measured one is not below it.
    AT_LEAST = "at_least"
    #: The published number is a bound, and the measured one is not above it.
    AT_MOST = "at_most"


class Verdict(Enum):
    """What a rule says of one claim."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"


@dataclass(frozen=True)
class Claim:
    """One thing that a paper states."""

    #: Also the name under which the study's `measure` gives the measured value.
    id: str
    #: Claims of one group stand together in tables.
    group: str
    quantity: str
    #: Unit of the published and the measured value; empty for a pure number.
    unit: str
    #: Where in the paper.
    where: str
    #: The paper's own words.
    words: str
    #: As printed, or the bound that the words come to.
    published: str
    rule: Rule
    #: In the quantity's unit; used by `Rule.WITHIN` alone.
    tolerance: float = 0.0
    #: Whether ns-2 itself bears the claim out. What it contradicts, ackclock must too.
    holds_in_ns2: bool = True
    note: str = ""

    def verdict(self, measured: Value) -> Verdict:
        """Judge a measurement by the claim's rule.

        Raises `ValueError` when the rule needs a number and the measurement is not one.
        """
        return Verdict.REPRODUCED if self._holds(measured) else Verdict.NOT_REPRODUCED

    def ratio(self, measured: Value) -> float | None:
        """Measured over published; None where the published value is a bound or zero."""
        if self.rule in (Rule.AT_LEAST, Rule.AT_MOST) or float(self.published) == 0:
            return None
        return float(measured) / float(self.published)

    def _holds(self, measured: Value) -> bool:
        match self.rule:
            case Rule.DIGITS:
                return measured == self.published
            case Rule.WITHIN:
                return abs(float(measured) - float(self.published)) <= self.tolerance
            case Rule.AT_LEAST:
                return float(measured) >= float(self.published)
            case Rule.AT_MOST:
                return float(measured) <= float(self.published)
