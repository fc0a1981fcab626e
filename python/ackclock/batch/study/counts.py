"""Counts of verdicts, by where the settings come from. Statements of our own count apart from the paper's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ackclock.batch.study.claim import SETTINGS, Claim, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.batch.study.run import Outcome


@dataclass(frozen=True)
class Tally:
    """Numbers of claims by verdict."""

    #: Claims of the paper, by their verdict and their `settings`.
    paper: Mapping[tuple[Verdict, str], int]
    #: Statements of our own, by their verdict.
    ours: Mapping[Verdict, int]
    #: Claims, the paper's and our own, that the level of the run leaves out.
    left_out: int
    #: Places of the papers that no claim weighs.
    unweighed: int

    def count(self, verdict: Verdict | None = None, settings: str | None = None) -> int:
        """The paper's claims with this `verdict` and these `settings`; None counts all."""
        return sum(
            number
            for (one, its_settings), number in self.paper.items()
            if verdict in (None, one) and settings in (None, its_settings)
        )

    @property
    def rows(self) -> list[tuple[Verdict | None, list[int]]]:
        """A row for each verdict, and one for all: how many are printed, inferred, fitted, and the sum."""
        return [
            (verdict, [*(self.count(verdict, settings) for settings in SETTINGS), self.count(verdict)])
            for verdict in (*Verdict, None)
        ]


def tally(outcomes: Iterable[Outcome]) -> Tally:
    """The counts over the `outcomes` of studies."""
    done = list(outcomes)
    return tally_of(
        ((checked.claim, checked.verdict) for outcome in done for checked in outcome.checked),
        left_out=sum(len(outcome.left_out) for outcome in done),
        unweighed=sum(len(outcome.study.unweighed) for outcome in done),
    )


def tally_of(verdicts: Iterable[tuple[Claim, Verdict]], *, left_out: int = 0, unweighed: int = 0) -> Tally:
    """The counts over claims with their `verdicts`, and how many were `left_out` or are `unweighed`."""
    paper: Counter[tuple[Verdict, str]] = Counter()
    ours: Counter[Verdict] = Counter()
    for claim, verdict in verdicts:
        if claim.origin == "paper":
            paper[verdict, claim.settings] += 1
        else:
            ours[verdict] += 1
    return Tally(paper, ours, left_out, unweighed)


def by_settings(claims: Iterable[Claim]) -> dict[str, int]:
    """How many of the paper's `claims` have which `settings`."""
    found = Counter(claim.settings for claim in claims if claim.origin == "paper")
    return {settings: found[settings] for settings in SETTINGS}
