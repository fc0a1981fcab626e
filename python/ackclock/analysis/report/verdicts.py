"""Verdicts of evaluations and of the scoreboard as they look: one scheme of colours and signs for all pages."""

from __future__ import annotations

from ackclock.batch.evaluate.judge import DEPENDS, MET, NOT_HERE, NOT_MET, REPORTED, UNDETERMINED

#: a word -> its look and its sign in the table of all
LOOK = {
    MET: ("good", "✓"),
    NOT_MET: ("against", "✗"),
    DEPENDS: ("depends", "±"),
    UNDETERMINED: ("unknown", "?"),
    REPORTED: ("plain", "·"),
    NOT_HERE: ("none", "-"),
}

#: Of several verdicts in one place, the first of these is shown.
WORST = (NOT_MET, DEPENDS, UNDETERMINED, MET, REPORTED, NOT_HERE)
