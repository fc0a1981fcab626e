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


@pytest.fixture(scope="module")
def crowd() -> ac.Results:
    flows = [ac.Flow(pair=0, tcp="reno")]
    topology = ac.Dumbbell(pairs=40, bottleneck=ac.Link(rate="2 Mb/s", delay="10 ms"))
    return ac.run(replace(SCENARIO, topology=topology, flows=flows, record=ac.Record()))


def test_many_flows_have_room_and_a_short_legend(crowd: ac.Results) -> None:
    figure, few = crowd.plot.throughput(spread=False), crowd.plot.throughput(flows=[1, 2])
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(texts) == 16 and texts[-1] == "and 25 more"
    for one in (figure, few):
        one.draw_without_rendering()
    heights = [panels(one)[0].get_window_extent().height for one in (figure, few)]
    assert heights[0] == pytest.approx(heights[1], rel=0.15)


def test_many_curves_are_their_spread(crowd: ac.Results) -> None:
    """Median, quartiles and range are numpy's of the rates that each flow's own curve has."""
    whole, apart = crowd.plot.throughput(), crowd.plot.throughput(spread=False)
    assert [text.get_text() for text in whole.legends[0].get_texts()] == [
        "median of 40",
        "lowest to highest",
        "middle half",
    ]
    (axes,), (each,) = panels(whole), panels(apart)
    rates = np.array([np.asarray(curve.get_ydata(), dtype=float)[1:] for curve in each.lines])
    assert rates.shape[0] == 40 and np.isfinite(rates).all()
    (median,) = axes.lines
    np.testing.assert_allclose(np.asarray(median.get_ydata(), dtype=float)[:-1], np.median(rates, axis=0))
    low, high = np.min(rates, axis=0), np.max(rates, axis=0)
    quarters = np.percentile(rates, [25, 75], axis=0)
    assert len(axes.collections) == 2
    for band, (below, above) in zip(axes.collections, ((low, high), quarters), strict=True):
        (path,) = band.get_paths()
        corners = np.asarray(path.vertices)
        assert corners[:, 1].max() == pytest.approx(above.max()) and corners[:, 1].min() == pytest.approx(below.min())
        assert set(np.round(above, 9)) <= set(np.round(corners[:, 1], 9)) >= set(np.round(below, 9))
    # Flows that are named are drawn, however many.
    named = crowd.plot.throughput(flows=list(range(1, 21)))
    assert len(panels(named)[0].lines) == 20 and not panels(named)[0].collections


def test_a_spike_of_one_of_many_curves_is_in_their_range(tmp_path: Path) -> None:
    """A window that one connection has for a millisecond only."""
    lines = [f"{0.1 * step:g} 0 {flow} 1 {flow} cwnd_ {2 + flow % 3}" for step in range(100) for flow in range(20)]
    lines += ["5.0501 0 7 1 7 cwnd_ 90", "5.0511 0 7 1 7 cwnd_ 3"]
    (tmp_path / "windows.tr").write_text("\n".join(sorted(lines, key=lambda text: float(text.split()[0]))) + "\n")
    (axes,) = panels(ac.plot.columns([tmp_path / "windows.tr"]))
    whole, middle = (np.asarray(band.get_paths()[0].vertices) for band in axes.collections)
    assert whole[:, 1].max() == 90 and whole[np.argmax(whole[:, 1]), 0] == pytest.approx(5.05, abs=0.03)
    # Of 20 windows 7 are of 2 packets, 7 of 3 and 6 of 4: the quartiles are 2 and 4 or 3, whatever one of them does.
    assert middle[:, 1].min() >= 2 and middle[:, 1].max() <= 4


def test_crowds_laid_over_each_other_are_a_median_each(crowd: ac.Results) -> None:
    other = ac.run(crowd.scenario, seed=2)
    figure = ac.plot.compare([crowd, other], "throughput", labels=["a", "b"], overlay=True)
    (axes,) = panels(figure)
    names = ["a: median, middle half, range of 40", "b: median, middle half, range of 40"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == names
    colours = [to_hex(curve.get_color()) for curve in axes.lines]
    assert len(set(colours)) == 2
    assert [to_hex(tuple(np.asarray(band.get_facecolor())[0, :3])) for band in axes.collections] == [colours[0]] * 2 + [
        colours[1]
    ] * 2


def test_panels_of_flows_say_whose_they_are_without_titles(results: ac.Results) -> None:
    figure = results.plot.sequence(flows=["long", "late"], size="column")
    assert [axes.get_title(loc="left") for axes in panels(figure)] == ["long", "late"]
    alone = results.plot.sequence(flows=["late"], size="column")
    assert [axes.get_title(loc="left") for axes in panels(alone)] == [""]


def overlaps(figure: Any) -> list[tuple[str, str]]:
    """Texts of a drawing that lie over each other."""
    figure.draw_without_rendering()
    boxes = [(text.get_text(), text.get_window_extent()) for text in figure.axes[0].texts if text.get_text()]
    return [(one, other) for n, (one, box) in enumerate(boxes) for other, two in boxes[:n] if box.overlaps(two)]


@pytest.mark.parametrize(
    ("topology", "ends"),
    [
        (ac.ParkingLot(bottlenecks=4, bottleneck=ac.Link(rate="3 Mb/s", delay="7 ms")), ("source0", "sink0")),
        (ac.Chain(nodes=7, link=ac.Link(rate="3 Mb/s", delay="7 ms")), ("node1", "node7")),
        (ac.Star(hosts=8, link=ac.Link(rate="3 Mb/s", delay="7 ms")), ("host1", "host5")),
        (
            ac.Graph(
                nodes=list("abcde"),
                links=[
                    ac.Link(ends=list(ends), rate="3 Mb/s", delay="7 ms")
                    for ends in ("ab", "bc", "cd", "de", "ea", "ac")
                ],
            ),
            ("a", "c"),
        ),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_names_in_a_row_stand_apart_in_a_column(topology: Any, ends: tuple[str, str]) -> None:
    flows = [ac.Flow(source=ends[0], destination=ends[1], tcp="reno")]
    results = ac.run(ac.Scenario(topology=topology, flows=flows, duration="1 s"))
    figure = results.plot.topology(size="column")
    assert overlaps(figure) == []
    assert set(results.nodes) <= {text.get_text() for text in figure.axes[0].texts}


def test_a_wide_dumbbell_is_drawn_in_part(crowd: ac.Results) -> None:
    figure = crowd.plot.topology(size="column")
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert {"left1", "left4", "left40", "right40", "router1"} <= set(texts) and "left5" not in texts
    assert texts.count("35 more") == 2 and not overlaps(figure)
    named = crowd.plot.topology(size="column", flows=[20, 21])
    texts = [text.get_text() for text in named.axes[0].texts]
    assert {"left20", "right21", "sends reno-20"} <= set(texts) and "left1" not in texts
    assert not overlaps(named)
    four = ac.Dumbbell(pairs=4, bottleneck=ac.Link(rate="2 Mb/s", delay="10 ms"))
    run = ac.run(replace(crowd.scenario, topology=four, duration="0.5 s"))
    assert not overlaps(run.plot.topology(size="column"))
