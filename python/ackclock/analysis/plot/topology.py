"""The network drawn: nodes, links with rate, delay and queue, and where flows begin and end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ackclock._native import SimulationError
from ackclock.analysis.plot import palette
from ackclock.analysis.plot.options import View
from ackclock.analysis.plot.panel import Panel
from ackclock.analysis.plot.run import Run
from ackclock.analysis.plot.source import Source
from ackclock.scenario import Chain, Dumbbell, Graph, ParkingLot, Star
from ackclock.scenario.resolve.trial_engine import trial_link
from ackclock.scenario.resolve.view import DirectedLink

Places = NDArray[np.float64]

#: With more links than this, links that are alike share one label; in a column, which has less room.
MOST_LABELS, MOST_LABELS_IN_COLUMN = 12, 5
#: Of more pairs of a dumbbell than this the first ones and the last are drawn, and the others counted.
MOST_PAIRS = 10
FIRST_PAIRS = 4
#: A node names this many flows, and counts the others.
MOST_FLOWS = 4
#: Points from line to line of a node's text.
_LINE = 9.5


def panels(source: Source, view: View) -> list[Panel]:
    """One panel, without axes."""
    run = Run.only(source, "topology")
    kind = type(run.scenario.topology).kind.replace("_", " ")
    title = f"The network: {kind}, {len(run.nodes)} nodes, {len(_wires(run.network.links))} links"
    shown = {flow: run.flow_names[flow] for flow in run.flows(view)}
    return [Drawing(title, run, shown, _pairs(run, list(shown) if view.flows is not None else []))]


@dataclass(frozen=True)
class Drawing:
    """The panel."""

    title: str
    run: Run
    flows: dict[int, str]
    #: the pairs of a dumbbell that are drawn, from 0; all where there is none
    pairs: tuple[int, ...] = ()
    x: str = ""
    y: str = ""
    subject: str = ""

    @property
    def height(self) -> float:
        """Inches: room for whoever stands above whom."""
        places = layout(self.run, self.pairs)
        return float(np.clip(0.8 + 0.62 * (np.nanmax(places[:, 1]) - np.nanmin(places[:, 1])), 1.3, 8.0))

    def draw(self, axes: Axes, view: View) -> None:
        """Draw it."""
        places = layout(self.run, self.pairs)
        spec = axes.get_subplotspec()
        small = view.size == "column" or (spec is not None and spec.get_gridspec().ncols > 1)
        axes.set_axis_off()
        axes.set_aspect("auto")
        self._draw_links(axes, places, small)
        axes.plot(
            places[:, 0], places[:, 1], linestyle="none", marker="o", markersize=7, zorder=3,
            color=palette.PAPER.light, markeredgecolor=palette.INK.light,
        )  # fmt: skip
        self._draw_nodes(axes, places, 0.82 if small else 1.0)
        self._draw_gaps(axes, places, 0.82 if small else 1.0)
        axes.margins(x=0.3 if small else 0.16, y=0.5 / self.height)

    def frame(self, axes: Axes) -> None:
        """There are no axes."""

    def _draw_links(self, axes: Axes, places: Places, small: bool) -> None:
        links = self.run.network.links
        wires = _wires(links)
        labels = [_short(links, ways) if small else _label(links, ways) for ways in wires]
        ends = [(places[links[ways[0]].source], places[links[ways[0]].target]) for ways in wires]
        drawn = [number for number, pair in enumerate(ends) if not np.isnan(pair).any()]
        share = len(drawn) > (MOST_LABELS_IN_COLUMN if small else MOST_LABELS)
        alike = {label: [number for number in drawn if labels[number] == label] for label in labels}
        holders = {self._holder(numbers, ends) for numbers in alike.values() if numbers}
        lower = 0.0
        for number in drawn:
            ways, label, (first, last) = wires[number], labels[number], ends[number]
            axes.plot(*zip(first, last, strict=True), color=palette.SOFT.light, linewidth=1.1, zorder=1)
            if len(ways) == 1:
                axes.annotate(
                    "", last, first, arrowprops={"arrowstyle": "-|>", "color": palette.SOFT.light, "shrinkB": 6}
                )
            if share and number not in holders:
                continue
            count = labels.count(label)
            is_shared = share and count > 1
            text = f"{label}\n(each of {count} links)" if is_shared else label
            flat = _is_flat(first, last)
            # In a column a slope is short: its label stands nearer to the outer end, away from a router's name.
            outer = first if abs(first[1]) >= abs(last[1]) else last
            at = (first + last) / 2 + (
                0.2 * (outer - (first + last) / 2) if small and not flat and not is_shared else 0
            )
            # One for many links stands beside the first, where the next ones do not run.
            beside = is_shared and not flat
            below = -3.0
            if is_shared and flat:
                # So is one for a row of links, below those of others.
                below -= lower
                lower += 7.5 * (text.count("\n") + 1)
            axes.annotate(
                text, at, (4 if beside else 0, below if flat else 0), textcoords="offset points",
                ha="left" if beside else "center",
                fontsize=5.6 if small else 6.8,
                va="top" if flat else "center", zorder=2, linespacing=1.15,
                bbox={"facecolor": palette.PAPER.light, "edgecolor": "none", "pad": 0.8},
            )  # fmt: skip

    def _holder(self, numbers: Sequence[int], ends: Sequence[tuple[Places, Places]]) -> int:
        """Which of links that are alike has the label of all."""
        flat = [number for number in numbers if _is_flat(*ends[number])]
        if len(flat) == len(numbers):
            return flat[len(flat) // 2]
        if flat and isinstance(self.run.scenario.topology, Graph):
            # Anywhere in a graph stand names, and fewest below a long line that lies.
            return max(flat, key=lambda number: float(abs(ends[number][0][0] - ends[number][1][0])))
        return numbers[0]

    def _draw_nodes(self, axes: Axes, places: Places, scale: float) -> None:
        neighbours: dict[int, set[int]] = {}
        for link in self.run.network.links:
            neighbours.setdefault(link.source, set()).add(link.target)
            neighbours.setdefault(link.target, set()).add(link.source)
        left, right = np.nanmin(places[:, 0]), np.nanmax(places[:, 0])
        middle = (left + right) / 2
        for node, name in enumerate(self.run.nodes):
            if np.isnan(places[node]).any():
                continue
            # Text of those at the sides stands outside, a host's else away from its only link, a router's above it.
            beside = neighbours.get(node, set())
            away = places[node] - places[next(iter(beside))] if len(beside) == 1 else np.array([0.0, 1.0])
            across = len(beside) == 1 and abs(places[node, 0] - middle) > 0.4 * (right - left)
            lines = [(name, palette.INK.light, 8.0), *self._ends(node)]
            high = _LINE * scale
            # A name above a router makes room for the links that come from above.
            above = [places[other] - places[node] for other in beside if places[other, 1] > places[node, 1]]
            room = -5 * np.sign(round(sum(float(way[0]) for way in above), 6)) if scale < 1 and len(beside) > 1 else 0
            low = -(len(lines) - 1) * high / 2 if across else (7 + high / 2 if away[1] > 0 else -7 - high / 2)
            if scale < 1 and not across and self._is_second(places, node):
                # Names that would run into each other stand on two levels.
                low += high if away[1] > 0 else -high
            for number, (text, colour, size) in enumerate(lines):
                if across:
                    offset = (9 * scale if away[0] > 0 else -9 * scale, -low - number * high)
                elif away[1] > 0:
                    offset = (room, low + (len(lines) - 1 - number) * high)
                else:
                    offset = (0, low - number * high)
                side = ("left" if away[0] > 0 else "right") if across else "center"
                axes.annotate(
                    text, places[node], offset, textcoords="offset points", ha=side, va="center", fontsize=size * scale,
                    color=colour, zorder=4, annotation_clip=False,
                    bbox={"facecolor": palette.PAPER.light, "edgecolor": "none", "pad": 0.3},
                )  # fmt: skip

    def _is_second(self, places: Places, node: int) -> bool:
        """Whether a node is every other one of a row that is too narrow for the names in it, in a column."""
        row = np.flatnonzero(np.isclose(places[:, 1], places[node, 1]))
        order = row[np.argsort(places[row, 0])]
        inches = 3.33 * np.diff(places[order, 0]) / (1.6 * (np.nanmax(places[:, 0]) - np.nanmin(places[:, 0])) or 1.0)
        letters = max(len(self.run.nodes[one]) for one in order)
        is_narrow = len(order) > 2 and inches.min() < 0.062 * letters
        return bool(is_narrow) and int(np.flatnonzero(order == node)[0]) % 2 == 1

    def _draw_gaps(self, axes: Axes, places: Places, scale: float) -> None:
        """Dots where pairs are left out, with their number."""
        for before, after in pairwise(self.pairs):
            if after == before + 1:
                continue
            for side in (0, len(places) - self._count):
                at = (places[side + before] + places[side + after]) / 2
                for step in (-0.16, 0.0, 0.16):
                    axes.plot(at[0], at[1] + step, marker="o", markersize=1.6, color=palette.SOFT.light, zorder=3)
                axes.annotate(
                    f"{after - before - 1} more", at, (-9 * scale if side == 0 else 9 * scale, 0),
                    textcoords="offset points", ha="right" if side == 0 else "left", va="center", fontsize=7.0 * scale,
                    color=palette.SOFT.light, annotation_clip=False,
                )  # fmt: skip

    @property
    def _count(self) -> int:
        """How many pairs there are."""
        topology = self.run.scenario.topology
        return topology.pairs if isinstance(topology, Dumbbell) else 0

    def _ends(self, node: int) -> list[tuple[str, str, float]]:
        """The flows that begin or end at a node, each with its colour."""
        found = []
        for flow, name in self.flows.items():
            one = self.run.network.flows[flow]
            if node in (one.source, one.destination):
                text = f"{'sends' if node == one.source else 'receives'} {name}"
                found.append((text, str(self.run.flow_look(flow)["color"]), 7.0))
        if len(found) > MOST_FLOWS:
            found[MOST_FLOWS - 1 :] = [(f"and {len(found) - MOST_FLOWS + 1} flows more", palette.SOFT.light, 7.0)]
        return found


def _is_flat(first: Places, last: Places) -> bool:
    """Whether a line between two places lies, so that a label has room below it."""
    return bool(abs(first[1] - last[1]) < 0.2 * abs(first[0] - last[0]))


def _wires(links: Sequence[DirectedLink]) -> list[tuple[int, ...]]:
    """Links by number, the two directions together where there are two."""
    number = {(link.source, link.target): place for place, link in enumerate(links)}
    found: list[tuple[int, ...]] = []
    for place, link in enumerate(links):
        back = number.get((link.target, link.source))
        if back is None:
            found.append((place,))
        elif place < back:
            found.append((place, back))
    return found


def _label(links: Sequence[DirectedLink], ways: tuple[int, ...]) -> str:
    """What a link is; of the reverse direction what differs."""
    texts = []
    for way in ways:
        link = links[way]
        limit = link.parameters.get("limit", _usual_limit(link.queue.name))
        texts.append(
            (
                f"{_rate(link.rate_bps)}, {link.delay_s * 1e3:g} ms",
                link.queue.name,
                "" if limit is None else f"{limit:g} packets",
                "losses: " + ", ".join(one.loss.kind for one in link.losses) if link.losses else "",
            )
        )
    lines, back = texts[0], texts[-1]
    differs = ", ".join(new or "no losses" for old, new in zip(lines, back, strict=True) if old != new)
    return "\n".join(line for line in (*lines, f"(back: {differs})" if differs else "") if line)


def _short(links: Sequence[DirectedLink], ways: tuple[int, ...]) -> str:
    """Rate and delay, and the queue where it is another than drop-tail or has another limit than its usual one."""
    whole = _label(links, ways).splitlines()
    link = links[ways[0]]
    usual = _usual_limit(link.queue.name)
    is_plain = link.queue.name == "drop_tail" and link.parameters.get("limit", usual) == usual
    return "\n".join([*whole[0].split(", "), *([] if is_plain else whole[1:3])])


@cache
def _usual_limit(kind: str) -> float | None:
    """The limit of a queue that is told none, packets; none for a discipline that has none."""
    try:
        return trial_link(1e6, 0.0, kind).queue.param("limit")
    except (KeyError, SimulationError):
        return None  # it has none, or is the user's own


def _rate(rate_bps: float) -> str:
    power = min(max(int(math.log10(rate_bps) // 3), 0), 3) if rate_bps >= 1 else 0
    return f"{rate_bps / 1000**power:g} {('', 'k', 'M', 'G')[power]}b/s"


def _pairs(run: Run, flows: Sequence[int]) -> tuple[int, ...]:
    """The pairs of a dumbbell that are drawn: of many those of the named flows, else the first ones and the last."""
    topology = run.scenario.topology
    if not isinstance(topology, Dumbbell):
        return ()
    count = topology.pairs
    if count <= MOST_PAIRS:
        return tuple(range(count))
    ends = {node for flow in flows for node in (run.network.flows[flow].source, run.network.flows[flow].destination)}
    named = [pair for pair in range(count) if ends & {pair, count + 2 + pair}]
    return tuple(named[:MOST_PAIRS]) or (*range(FIRST_PAIRS), count - 1)


def layout(run: Run, shown: Sequence[int] = ()) -> Places:
    """Where the nodes stand: a row for each, x to the right, y upwards. Of a dumbbell only the pairs `shown` have
    places, the others NaN.
    """
    topology, count = run.scenario.topology, len(run.nodes)
    if isinstance(topology, Dumbbell):
        pairs = topology.pairs
        drawn = list(shown) or list(range(pairs))
        # A row is left free where pairs are left out.
        gaps = np.cumsum([0, *(after > before + 1 for before, after in pairwise(drawn))])
        down = np.arange(len(drawn)) + gaps
        rows = np.full(pairs, np.nan)
        rows[drawn] = down[-1] / 2 - down
        hosts = 1.15 * rows if pairs > 1 else rows
        left, right = np.where(np.isnan(rows), np.nan, 0.0), np.where(np.isnan(rows), np.nan, 4.0)
        x, y = np.concatenate([left, [1.15, 2.85], right]), np.concatenate([hosts, [0, 0], hosts])
        return np.column_stack([x, y * 1.3])
    if isinstance(topology, ParkingLot):
        return _parking_lot(topology.bottlenecks)
    if isinstance(topology, Star):
        angle = np.pi / 2 - 2 * np.pi * np.arange(topology.hosts) / topology.hosts
        return np.vstack([[0.0, 0.0], np.column_stack([2.2 * np.cos(angle), 2.2 * np.sin(angle)])])
    if isinstance(topology, Chain):
        return np.column_stack([np.arange(count, dtype=float), np.zeros(count)])
    return _stress(count, run.network.links)


def _parking_lot(bottlenecks: int) -> Places:
    """Routers in a row, sources above the router that they feed, sinks below the one that feeds them."""
    places = [(float(router), 0.0) for router in range(bottlenecks + 1)]
    places += [(-0.9, 0.0), (bottlenecks + 0.9, 0.0)]
    for hop in range(bottlenecks):
        places += [(float(hop) + 0.12, 1.9), (hop + 1 - 0.12, -1.9)]
    return np.array(places)


def _stress(count: int, links: Sequence[DirectedLink]) -> Places:
    """Nodes as far apart as they are in hops: least stress, by majorization from a circle.

    Source: E. Gansner, Y. Koren and S. North, "Graph Drawing by Stress Majorization", GD 2004.
    """
    hops = np.full((count, count), np.inf)
    np.fill_diagonal(hops, 0)
    for link in links:
        hops[link.source, link.target] = hops[link.target, link.source] = 1
    for over in range(count):
        hops = np.minimum(hops, hops[:, over, None] + hops[None, over, :])
    # Parts that no link joins stand apart.
    hops[np.isinf(hops)] = 1.5 * np.max(hops, where=np.isfinite(hops), initial=1.0)
    angle = 2 * np.pi * np.arange(count) / count
    places = np.column_stack([np.cos(angle), np.sin(angle)]) * (1 + 0.01 * np.arange(count))[:, None]
    weight = 1 / np.maximum(hops, 1) ** 2
    np.fill_diagonal(weight, 0)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    inverse = np.linalg.pinv(laplacian)
    for _ in range(200):
        apart = places[:, None] - places[None]
        distance = np.maximum(np.linalg.norm(apart, axis=2), 1e-9)
        ratio = weight * hops / distance
        places = inverse @ (np.diag(ratio.sum(axis=1)) - ratio) @ places
    # The longer side lies flat.
    _, _, axes = np.linalg.svd(places - places.mean(axis=0))
    turned = (places - places.mean(axis=0)) @ axes.T
    placed: Places = turned * np.where(turned[0] > 0, -1, 1) * [1.0, 1.3]
    return placed
