"""How plots look: colours, legends, titles."""

from __future__ import annotations

import itertools
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

import ackclock as ac
from ackclock.analysis.plot import PLOTS, Plots, palette
from ackclock.analysis.plot.form import SIZES as FORM_SIZES
from ackclock.analysis.plot.table import SIZES
from ackclock.analysis.plot.theme import line
from test_plot import SCENARIO, panels


@pytest.fixture(scope="module")
def results() -> ac.Results:
    return ac.run(SCENARIO)


def test_a_flow_looks_alike_everywhere(results: ac.Results) -> None:
    looks = set()
    for name in ("cwnd", "rtt", "throughput", "fairness"):
        for flows in (None, ["late"]):
            for axes in panels(getattr(results.plot, name)(flows=flows)):
                looks |= {(to_hex(c.get_color()), c.get_linestyle()) for c in axes.lines if c.get_label() == "late"}
    # A single flow's name stands in the title.
    assert len(looks) == 1
    assert "late" in panels(results.plot.cwnd(flows=["late"]))[0].get_title(loc="left")


def test_colours_differ_for_everybody() -> None:
    def linear(colour: str) -> Any:
        value = np.array(to_rgb(colour))
        return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)

    def lab(rgb: Any) -> Any:
        # CIE 1976 L*a*b* under D65.
        to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
        xyz = np.array(to_xyz) @ np.clip(rgb, 0, 1) / [0.9505, 1, 1.089]
        f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
        return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])

    # Machado et al. 2009, severity 1.0.
    sights = {
        "all cones": np.eye(3),
        "protanopia": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
        "deuteranopia": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
        "tritanopia": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
    }
    for sight, matrix in sights.items():
        seen = [lab(np.array(matrix) @ linear(colour.light)) for colour in palette.SERIES]
        nearest = min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2))
        assert nearest > 35, (sight, nearest)
    grey = [lab(linear(colour.light))[0] for colour in palette.SERIES[:2]]
    assert abs(grey[0] - grey[1]) > 30
    assert len({(look["color"], str(look["linestyle"])) for look in map(line, range(15))}) == 15


def test_a_legend_hides_nothing(results: ac.Results) -> None:
    figure = results.plot("cwnd", "throughput")
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert {text.get_text() for text in legend.get_texts()} == {"long", "late", "datagrams"}
    box = legend.get_window_extent()
    assert not any(box.overlaps(axes.get_window_extent()) for axes in panels(figure))


def test_every_picture_says_what_it_is(results: ac.Results) -> None:
    for name in PLOTS:
        for axes in panels(getattr(results.plot, name)()):
            assert axes.get_title(loc="left")
            if axes.axison:
                assert axes.get_ylabel()
        if name != "topology":
            assert axes.get_xlabel() == "time (s)"


def test_the_table_the_methods_and_the_files_are_one() -> None:
    methods = {name for name in vars(Plots) if not name.startswith("_")}
    assert methods == set(PLOTS)
    assert set(SIZES) == set(FORM_SIZES)
    for name in PLOTS:
        assert callable(import_module(f"ackclock.analysis.plot.{name}").panels)
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "plots-and-reports.md").read_text(encoding="utf-8")
    for name, kind in PLOTS.items():
        assert f"| `{name}` | {kind.about} | {'yes ' if kind.of_traces else ''}|" in guide


def test_many_flows_have_room_and_a_short_legend() -> None:
    flows = [ac.Flow(pair=0, tcp="reno")]
    topology = ac.Dumbbell(pairs=40, bottleneck=ac.Link(rate="2 Mb/s", delay="10 ms"))
    results = ac.run(replace(SCENARIO, topology=topology, flows=flows, record=ac.Record()))
    figure, few = results.plot.throughput(), results.plot.throughput(flows=[1, 2])
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(texts) == 16 and texts[-1] == "and 25 more"
    for one in (figure, few):
        one.draw_without_rendering()
    heights = [panels(one)[0].get_window_extent().height for one in (figure, few)]
    assert heights[0] == pytest.approx(heights[1], rel=0.15)
