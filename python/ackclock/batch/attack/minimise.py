"""Leaves out of a failing network what the failure does not need (delta debugging; Zeller and Hildebrandt 2002).

First features, one at a time, until none can go. Then each count gets lower, and each other quantity gets its usual
value, or fewer digits. Last the run gets shorter. Each step is kept only if the property still fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ackclock.batch.attack.space import FEATURES, Candidate, made, rounded

#: Parts of the duration that are tried, and the shortest run, s.
SHORTER = (0.5, 0.75)
SHORTEST_S = 4.0
#: By how much another quantity may grow for a lower count.
STRONGER = 1.5

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
        kind = next(each for each in FEATURES[feature].quantities if each.name == quantity)
        if kind.is_count:
            candidate = _fewer(candidate, name, kind.low, fails)
            continue
        for plainer in dict.fromkeys([kind.usual, rounded(value, 1), rounded(value, 2)]):
            if plainer == value:
                break
            if fails(tried := _with(candidate, name, plainer)):
                candidate = tried
                break
    return candidate


def _with(candidate: Candidate, name: str, value: float) -> Candidate:
    return replace(candidate, values=tuple((n, value if n == name else v) for n, v in candidate.values))


def _fewer(candidate: Candidate, name: str, least: float, fails: Fails) -> Candidate:
    """Lower counts; where one is too low, the other quantities of the feature may make up for it."""
    again = True
    while again:
        again = False
        count = dict(candidate.values)[name]
        for fewer in (least, float(count // 2), count - 1):
            if not least <= fewer < count:
                continue
            lower = _with(candidate, name, fewer)
            if (found := next(filter(fails, [lower, *_stronger(lower, name, STRONGER)]), None)) is not None:
                candidate, again = found, True
                break
    return candidate


def _stronger(candidate: Candidate, name: str, factor: float) -> Iterator[Candidate]:
    """The candidate with another quantity of the feature multiplied, one at a time."""
    feature = name.partition(".")[0]
    for kind in FEATURES[feature].quantities:
        other = f"{feature}.{kind.name}"
        value = rounded(dict(candidate.values)[other] * factor, 3)
        if other != name and value <= kind.high:
            yield _with(candidate, other, value)


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
