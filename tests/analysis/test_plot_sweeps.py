"""Plots of sweeps: the points are the sweep's numbers, axes have units, mistakes are named."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.analysis.plot import PlotError
from ackclock.analysis.plot.axis import name_of, scale_of
from ackclock.batch.sweep import Sweep, stored

LIMIT, TCP = "topology.bottleneck.queue.limit", "flows.0.tcp"

SCENARIO = """\
duration = "4 s"

[topology]
kind = "dumbbell"
pairs = 1
access = { rate = "100 Mb/s", delay = "1 ms" }

[topology.bottleneck]
rate = "2 Mb/s"
delay = "10 ms"
queue = { limit = "20 packets" }
loss = { kind = "uniform", rate = 0.01 }

[[flows]]
pair = 1
tcp = "reno"
window = "100 packets"
name = "long"
"""

GRID = f"""\
scenario = "net.toml"
replications = 4
[vary]
{LIMIT} = ["5 packets", "10 packets", "40 packets"]
{TCP} = ["reno", "vegas"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sweep")
    (made / "net.toml").write_text(SCENARIO)
    (made / "grid.toml").write_text(GRID)
    ac.sweep(made / "grid.toml", store=made / "store")
    return made


@pytest.fixture(scope="module")
def sweep(folder: Path) -> Sweep:
    return stored(folder / "grid.toml", store=folder / "store")


def test_intervals_are_the_sweeps(sweep: Sweep) -> None:
    (axes,) = sweep.plot(x=LIMIT, y="goodput_bps", hue=TCP).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("bottleneck queue limit (packets)", "goodput (Mb/s)")
    for bars in axes.containers:
        data, _, (lines,) = bars
        for x, y, whole in zip(data.get_xdata(), data.get_ydata(), lines.get_segments(), strict=True):
            (cell,) = [c for c in sweep if c.point.settings == {LIMIT: f"{x:g} packets", TCP: bars.get_label()}]
            interval = cell.interval("goodput_bps")
            assert interval is not None and y == pytest.approx(interval.mean / 1e6)
            assert whole[:, 1] == pytest.approx([interval.low / 1e6, interval.high / 1e6])


def test_boxes_distributions_and_maps_are_the_replications(sweep: Sweep) -> None:
    first = sorted(value / 1e6 for value in sweep[0].values("goodput_bps"))
    (axes,) = sweep.plot(x=LIMIT, y="goodput_bps", hue=TCP, kind="box").axes
    medians = [one for one in axes.lines if len(np.asarray(one.get_xdata())) == 2 and one.get_linewidth() == 1.6]
    assert float(np.asarray(medians[0].get_ydata())[0]) == pytest.approx((first[1] + first[2]) / 2)
    (axes,) = sweep.plot(y="goodput_bps", hue=TCP, where={LIMIT: "5 packets"}, kind="ecdf").axes
    x, y = axes.lines[0].get_data()
    assert np.asarray(x)[1:].tolist() == pytest.approx(first) and np.asarray(y)[1:].tolist() == pytest.approx(
        [0.25, 0.5, 0.75, 1]
    )
    axes, _ = sweep.plot(x=LIMIT, hue=TCP, y="goodput_bps", kind="heat").axes
    assert axes.texts[0].get_text() == f"{sum(first) / 4:.3g}"


def test_boxes_are_told_apart_without_colours(sweep: Sweep) -> None:
    (axes,) = sweep.plot(x=LIMIT, hue=TCP, y="goodput_bps", kind="box").axes
    assert {str(box.get_hatch()) for box in axes.patches} == {"", "////"}


def test_keys_may_be_given_by_their_ends(sweep: Sweep) -> None:
    (axes,) = sweep.plot(x="limit", hue="tcp").axes
    assert axes.get_xlabel() == "bottleneck queue limit (packets)"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"y": "godput_bps"}, "unknown metric godput_bps; .*nearest known: goodput_bps"),
        ({"x": "flows.0.tpc"}, "expected a varied key: .*nearest known: flows.0.tcp"),
        ({"kind": "bx"}, "expected one of intervals, ecdf, box, heat; nearest known: box"),
        ({"size": "colum"}, "nearest known: column"),
        ({"font": "No Such Font"}, "font No Such Font: not installed"),
        ({"style": "ggplt"}, "nearest known: ggplot"),
        ({"x": LIMIT, "kind": "ecdf"}, "an ecdf has the metric itself on its x axis"),
        ({"x": LIMIT, "hue": LIMIT}, "is asked for twice"),
        ({"where": {LIMIT: "7 packets"}}, "expected one of 5 packets, 10 packets, 40 packets"),
        ({"log": "z"}, "expected x, y, xy or none"),
        ({"kind": "heat", "where": {TCP: "reno"}}, "a heat map needs a second varied key"),
    ],
)
def test_mistakes_are_named(sweep: Sweep, given: dict[str, Any], message: str) -> None:
    with pytest.raises(PlotError, match=message):
        sweep.plot(**given)


def test_a_key_left_open_is_named(folder: Path) -> None:
    vary = {LIMIT: ["5 packets", "9 packets"], TCP: ["reno", "vegas"], "duration": ["1 s", "2 s"], "name": ["a", "b"]}
    sweep = ac.sweep(ac.load(folder / "net.toml"), vary=vary, store=folder / "other")
    with pytest.raises(PlotError, match="name is varied too: show it by x, hue or col, or hold it"):
        sweep.plot()
    assert sweep.plot(where={"name": "a"}).axes


def test_nothing_run_is_nothing_to_plot(folder: Path) -> None:
    with pytest.raises(PlotError, match="nothing to plot: no run of this sweep is done"):
        stored(folder / "grid.toml", store=folder / "empty").plot()


def test_values_are_numbers_in_one_unit() -> None:
    places, texts, label, is_numeric, is_log = scale_of("topology.bottleneck.rate", ["500 kb/s", "2 Mb/s", "8 Mb/s"])
    assert places == [0.5, 2.0, 8.0] and texts == ["0.5", "2", "8"] and is_numeric and is_log
    assert label == "bottleneck rate (Mb/s)"
    assert scale_of("duration", ["1 s", "2 s", "3 s"]).is_logarithmic is False
    assert scale_of(TCP, ["reno", "new_reno"]).texts == ["reno", "new reno"]
    assert name_of("flows.1.tcp") == "tcp of flow 2"


def test_words_at_ticks_stand_apart_in_a_column(folder: Path) -> None:
    kind = "topology.bottleneck.queue.kind"
    queues = ["drop_tail", "red", "pie", "codel", "fq_codel", "cobalt", "fq_pie"]
    (folder / "queues.toml").write_text(f'scenario = "net.toml"\nreplications = 2\n[vary]\n{kind} = {queues}\n')
    figure = ac.sweep(folder / "queues.toml", store=folder / "store").plot(size="column", y="goodput_bps", log="y")
    figure.draw_without_rendering()
    (axes,) = figure.axes
    boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
    assert [label.get_text() for label in axes.get_xticklabels()][4] == "fq\ncodel"
    assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))
    # A logarithmic axis of less than a decade has plain numbers, not 1.2 x 10^0.
    shown = [label.get_text() for which in ("major", "minor") for label in axes.get_yticklabels(which=which)]
    assert any(shown) and all(float(text) > 0 for text in shown if text)


def test_points_that_share_a_value_are_told_apart(folder: Path) -> None:
    # One discipline with two limits, side by side in a [[zip]]: the limit does not follow from the discipline.
    kind = "topology.bottleneck.queue.kind"
    grid = f'scenario = "net.toml"\n[[zip]]\n{kind} = ["drop_tail", "drop_tail", "codel"]\n'
    (folder / "zip.toml").write_text(f'{grid}{LIMIT} = ["5 packets", "40 packets", "40 packets"]\n')
    sweep = ac.sweep(folder / "zip.toml", store=folder / "store")
    figure = sweep.plot(x=kind, y="goodput_bps")
    texts = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert texts == ["5 packets", "40 packets"]
    # The discipline and the limit together are the point.
    assert len(sweep.plot(x=LIMIT, hue=kind, y="goodput_bps").axes) == 1


def test_panels_of_a_row_show_the_values_of_all(sweep: Sweep) -> None:
    # Of the limits, 40 packets has by far the longest delay, and its panel is the last one.
    figure = sweep.plot(x=TCP, col=LIMIT, y="delay_mean_s")
    largest = max(max(cell.values("delay_mean_s")) for cell in sweep.cells) * 1000
    assert all(axes.get_ylim()[0] == 0 and axes.get_ylim()[1] > largest for axes in figure.axes)


def test_a_figure_has_the_width_of_its_size(sweep: Sweep, tmp_path: Path) -> None:
    # 3.33 and 7 inches: a column and a page of ACM's and IEEE's proceedings.
    for size, width in (("column", 3.33), ("page", 7.0), ("slide", 10.0)):
        assert sweep.plot(size=size).get_figwidth() == width
    assert sweep.plot(size="column", font="serif", style="grayscale").save(tmp_path / "x.pdf").is_file()


def test_a_notebook_shows_it_and_rows_become_data_frames(sweep: Sweep) -> None:
    import pandas  # type: ignore[import-untyped]
    import polars

    assert len(sweep) == 6 and sweep[-1].point.settings == {LIMIT: "40 packets", TCP: "vegas"}
    assert repr(sweep) == "<Sweep of 6 points, 24 of 24 runs done>"
    html = sweep._repr_html_()
    assert html.count("<tr>") == 7 and "goodput_bps, Mb/s" in html
    assert sweep.to_polars().equals(polars.DataFrame(sweep.rows()))
    assert sweep.to_pandas().equals(pandas.DataFrame(sweep.rows()))
    with pytest.raises(IndexError, match="the sweep has 6 points"):
        sweep[6]


def test_columns_of_flows_are_read_from_what_is_stored(folder: Path) -> None:
    from ackclock.batch.sweep import load_grid

    grid = load_grid(folder / "grid.toml").with_metrics(["delay_p95_s.long", "goodput_bps"])
    sweep = stored(grid, store=folder / "store")
    assert sweep.done == 24 and len(sweep[0].values("delay_p95_s.long")) == 4
    with pytest.raises(PlotError, match=r"of single flows or groups of them: .* as delay_p95_s\.long"):
        sweep.plot(y="delay_p95_s")


def test_the_commands_draw_and_report(folder: Path) -> None:
    from test_cli_of_plots import command

    words = ["--store", "store", "--y", "goodput_bps,delay_p95_s.long", "--x", "limit", "--size", "column"]
    done = command("plot", "grid.toml", *words, "--out", "s.png", cwd=folder)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "s.png\n")
    done = command("report", "grid.toml", "--store", "store", "--out", "s.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    page = (folder / "s.html").read_text(encoding="utf-8")
    assert page.count("<figure>") >= 4 and "ackclock plot grid.toml --y goodput_bps" in page and "<script" not in page
    done = command("report", "grid.toml", "--store", "none", cwd=folder)
    assert done.returncode == 1 and "nothing to report: no run of this sweep is done" in done.stderr
    done = command("plot", "grid.toml", "--store", "store", "--what", "cwnd", cwd=folder)
    assert done.returncode == 1 and "--what does not apply to a sweep" in done.stderr
