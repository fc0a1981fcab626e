"""Where nodes are drawn: as nam's orientations say, else neighbours near each other and flows to the right."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.float64]

#: nam's words for directions, degrees.
WORDS = {"right": 0.0, "up": 90.0, "left": 180.0, "down": 270.0}
#: With more nodes than this a circle must do.
MOST_NODES = 600
#: What stays free at the edges.
MARGIN = 0.08


def placed(
    nodes: Sequence[int],
    links: Iterable[tuple[int, int]],
    orients: Mapping[tuple[int, int], str],
    flows: Iterable[tuple[int, int]],
) -> dict[int, tuple[float, float]]:
    """x and y of each node, 0 to 1, y downwards. `flows` are source and destination nodes."""
    index = {node: place for place, node in enumerate(nodes)}
    pairs = [(index[a], index[b]) for a, b in links if a in index and b in index and a != b]
    ways = {(index[a], index[b]): angle for (a, b), word in orients.items() if (angle := degrees(word)) is not None}
    ends = [(index[a], index[b]) for a, b in flows if a in index and b in index and a != b]
    found = _oriented(len(nodes), ways)
    if found is None:
        found = _to_the_right(_spread(len(nodes), pairs, ends), ends)
    found = _fitted(found)
    return {node: (round(float(x), 4), round(float(y), 4)) for node, (x, y) in zip(nodes, found, strict=True)}


def degrees(word: str) -> float | None:
    """nam's direction as an angle: `right`, `left-up`, `30deg`; None for anything else."""
    if match := re.fullmatch(r"(-?[\d.]+)deg", word):
        return float(match[1]) % 360
    angles = [WORDS[part] for part in word.split("-") if part in WORDS]
    if not angles:
        return None
    x = sum(math.cos(math.radians(angle)) for angle in angles)
    y = sum(math.sin(math.radians(angle)) for angle in angles)
    return math.degrees(math.atan2(y, x)) % 360


def _oriented(count: int, ways: Mapping[tuple[int, int], float]) -> Places | None:
    """Places along the directions; None unless they lead to every node, each to a place of its own."""
    if count == 0 or not ways:
        return None
    steps: dict[int, list[tuple[int, float]]] = {}
    for (a, b), angle in ways.items():
        steps.setdefault(a, []).append((b, angle))
        steps.setdefault(b, []).append((a, angle + 180))
    places: dict[int, tuple[float, float]] = {0: (0.0, 0.0)}
    rest = [0]
    while rest:
        here = rest.pop()
        for there, angle in steps.get(here, []):
            if there not in places:
                x, y = places[here]
                places[there] = (x + math.cos(math.radians(angle)), y - math.sin(math.radians(angle)))
                rest.append(there)
    distinct = {(round(x, 3), round(y, 3)) for x, y in places.values()}
    if len(places) < count or len(distinct) < count:
        return None
    return np.array([places[node] for node in range(count)])


def _distances(count: int, pairs: Iterable[tuple[int, int]]) -> Places:
    """Hops between nodes; those that no way joins are as far apart as any, and a little more."""
    beside: list[set[int]] = [set() for _ in range(count)]
    for a, b in pairs:
        beside[a].add(b)
        beside[b].add(a)
    hops = np.full((count, count), np.inf)
    for start in range(count):
        hops[start, start] = 0
        ring, far = {start}, 0
        while ring:
            far += 1
            ring = {there for here in ring for there in beside[here] if np.isinf(hops[start, there])}
            for there in ring:
                hops[start, there] = far
    most = hops[np.isfinite(hops)].max()
    hops[np.isinf(hops)] = most + 1
    return hops


def _columns(hops: Places, ends: Sequence[tuple[int, int]]) -> Places:
    """A column for each number of hops from who sends and does not receive; in a column the nodes by number."""
    receivers = {b for _, b in ends}
    sources = sorted({a for a, _ in ends} - receivers) or [a for a, _ in ends[:1]] or [0]
    level = hops[sources].min(axis=0)
    places = np.zeros((len(hops), 2))
    for column in np.unique(level):
        own = np.flatnonzero(level == column)
        # A little askew: points on one line would stay on it.
        places[own] = np.column_stack([column + 0.01 * np.sin(7.0 * own), np.arange(len(own)) - (len(own) - 1) / 2])
    return places


def _spread(count: int, pairs: Sequence[tuple[int, int]], ends: Sequence[tuple[int, int]]) -> Places:
    """Distances on paper as near as can be to hops: stress majorisation (Gansner, Koren and North 2004, equation 6)."""
    if count < 3 or count > MOST_NODES:
        turn = np.pi + 2 * np.pi * np.arange(count) / max(count, 1)
        return np.column_stack([np.cos(turn), np.sin(turn)])
    hops = _distances(count, pairs)
    places = _columns(hops, ends)
    weights = np.divide(1.0, hops**2, out=np.zeros_like(hops), where=hops > 0)
    total = weights.sum(axis=1)
    for _ in range(200):
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)
        pull = weights * np.divide(hops, apart, out=np.zeros_like(hops), where=apart > 1e-9)
        new = (weights @ places + places * pull.sum(axis=1)[:, None] - pull @ places) / total[:, None]
        if np.abs(new - places).max() < 1e-3:
            break
        places = new
    return places


def _to_the_right(places: Places, ends: Sequence[tuple[int, int]]) -> Places:
    """Turned so that flows go to the right on the whole; without flows, so that it is wider than high."""
    middle: Places = places - places.mean(axis=0)
    if ends:
        x, y = sum((middle[b] - middle[a] for a, b in ends), np.zeros(2))
    else:
        x, y = np.linalg.svd(middle, full_matrices=False)[2][0] if len(places) > 1 else (1.0, 0.0)
    length = math.hypot(x, y)
    if length < 1e-9:
        return middle
    return np.asarray(middle @ np.array([[x, -y], [y, x]]) / length)


def _fitted(places: Places) -> Places:
    """Into the unit square, each way stretched, but none to more than three times the other."""
    if not len(places):
        return places
    low, high = places.min(axis=0), places.max(axis=0)
    spans = np.maximum(high - low, 1e-9)
    scale = np.minimum((1 - 2 * MARGIN) / spans, 3 * (1 - 2 * MARGIN) / spans.max())
    fitted: Places = 0.5 + (places - (low + high) / 2) * scale
    return fitted
