"""Leaves out of a failing network what the failure does not need (delta debugging; Zeller and Hildebrandt 2002).

First features, one at a time, until none can go. Then each quantity gets its usual value, or fewer digits. Last the run
gets shorter. Each step is kept only if the property still fails.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ackclock.batch.attack.space import FEATURES, Candidate, made, rounded

#: Parts of the duration that are tried, and the shortest run, s.
SHORTER = (0.5, 0.75)
SHORTEST_S = 4.0

#: Whether a candidate fails still.
Fails = Callable[[Candidate], bool]


def minimised(candidate: Candidate, fails: Fails, needed: frozenset[str]) -> Candidate:
    """The candidate without what its failure does not need; `needed` features stay."""
    found = _fewer_features(candidate, fails, needed)
    found = _plainer_values(found, fails)
    found = _shorter(found, fails)
    return _fewer_features(found, fails, needed)


def _fewer_features(candidate: Candidate, fails: Fails, needed: frozenset[str]) -> Candidate:
    again = True
    while again:
        again = False
        for name in reversed(candidate.features):
            if name in needed:
                continue
            without = made({*candidate.features} - {name}, dict(candidate.values), candidate.duration_s)
            if fails(without):
                candidate, again = without, True
    return candidate


def _plainer_values(candidate: Candidate, fails: Fails) -> Candidate:
    for name, value in candidate.values:
        feature, _, quantity = name.partition(".")
        usual = next(each.usual for each in FEATURES[feature].quantities if each.name == quantity)
        for plainer in dict.fromkeys([usual, rounded(value, 1), rounded(value, 2)]):
            if plainer == value:
                break
            tried = replace(candidate, values=tuple((n, plainer if n == name else v) for n, v in candidate.values))
            if fails(tried):
                candidate = tried
                break
    return candidate


def _shorter(candidate: Candidate, fails: Fails) -> Candidate:
    again = True
    while again:
        again = False
        for part in SHORTER:
            duration_s = rounded(candidate.duration_s * part, 2)
            tried = replace(candidate, duration_s=duration_s)
            if SHORTEST_S <= duration_s < candidate.duration_s and fails(tried):
                candidate, again = tried, True
                break
    return candidate
