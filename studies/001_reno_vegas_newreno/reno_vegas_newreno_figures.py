"""The figures of study 001."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import matplotlib.figure
from matplotlib.axes import Axes

import ackclock as ac
from ackclock.analysis.models import reno_and_vegas
from ackclock.analysis.plot import GUIDE, SERIES, palette, panels, save, style
from ackclock.batch.study import Figure, Runs, read_columns
from ackclock.batch.study.load import load_code

CODE = load_code(Path(__file__).with_name("reno_vegas_newreno.py"))
RED = "RED:5:0.6"


def figures(runs: Runs, folder: Path) -> list[Figure]:
    """Draw the study's figures into the folder."""
    with style():
        made = [*_networks(folder), _alone(runs, folder)]
        for queue, numbers in (("DropTail", (5, 6, 7)), (RED, (12, 13, 14))):
            made.append(_together(runs, folder, queue, numbers))
        for setup, id, pair in (
            ("DropTail, 0.7 Mb/s", "droptail/Newreno+Reno/512/8000", (8, 10)),
            ("RED, 2 Mb/s, 25 flows each", "red/Newreno+Reno/512/2000", (15, 17)),
            ("two bottlenecks of 0.3 Mb/s", "multi/Newreno+Reno/552/8000", (0, 19)),
        ):
            if id in runs:
                made.append(_newreno(runs, folder, setup, id, pair))
        made.append(_model(runs, folder))
    return made


def _networks(folder: Path) -> list[Figure]:
    """Figs. 1 to 3. The runs are of the scripts: these only draw what they build."""
    shared = [
        *(ac.Link(ends=[source, "R1"], rate="2 Mb/s", delay="10 ms") for source in ("S1", "S2")),
        ac.Link(ends=["R1", "R2"], rate="0.3 Mb/s", delay="200 ms", queue=ac.Queue(limit="10 packets")),
        *(ac.Link(ends=["R2", sink], rate="2 Mb/s", delay="10 ms") for sink in ("D1", "D2")),
    ]
    sources = [
        *(ac.Link(ends=[source, "R1"], rate="10 Mb/s", delay="1 ms") for source in ("S1", "S2", "S3")),
        ac.Link(ends=["UDP", "R1"], rate="10 Mb/s", delay="7 ms"),
    ]
    one = ac.Link(ends=["R1", "R2"], rate="0.7 Mb/s", delay="20 ms", queue=ac.Queue(limit="20 packets"))
    two = [
        ac.Link(ends=list(ends), rate="0.3 Mb/s", delay="20 ms", queue=ac.Queue(limit="10 packets"))
        for ends in (("R1", "R2"), ("R2", "R3"))
    ]
    drawn = []
    for name, links, ends, caption in (
        ("figure1", shared, ("S1", "D1"), "Fig. 1: Reno beside Vegas."),
        (
            "figure2",
            [*sources, one],
            ("S1", "R2"),
            "Fig. 2: NewReno and Reno over one bottleneck, here that of DropTail.",
        ),
        ("figure3", [*sources, *two], ("S1", "R3"), "Fig. 3: the same over two."),
    ):
        nodes = list(dict.fromkeys(node for link in links for node in link.ends or ()))
        flow = ac.Flow(source=ends[0], destination=ends[1], tcp="reno")
        network = ac.Scenario(topology=ac.Graph(nodes=nodes, links=links), flows=[flow], duration="1 ms")
        drawn.append(Figure(ac.run(network).plot.topology().save(folder / f"{name}.svg"), caption))
    return drawn


def _alone(runs: Runs, folder: Path) -> Figure:
    ids = ["alone/Reno", "alone/Vegas"]
    figure, grid = panels(1, 2, x="time (s)", y="cwnd (packets)", size=(7.6, 2.8))
    for axes, title, id in zip(grid, ("Fig. 4(a): Reno alone", "Fig. 4(b): Vegas alone"), ids, strict=True):
        axes.plot(*read_columns(runs[id].files["window.dat"]), **SERIES[0])
        axes.set_title(title)
        axes.set_ylim(bottom=0)
    return Figure(save(figure, folder / "figure4.svg"), "Fig. 4: the window of each, alone, DropTail.", ids)


def _together(runs: Runs, folder: Path, queue: str, numbers: tuple[int, int, int]) -> Figure:
    id = f"base/Reno+Vegas/{queue}"
    run = runs[id]
    figure, grid = _three()
    time, *windows = read_columns(run.files["window.dat"])
    for flow, line, window in zip(run.reduced["flows"], SERIES, windows, strict=False):
        grid[0].plot(time, window, **line, label=flow["kind"])
        grid[1].plot(flow["queue_time_s"], flow["queue_packets"], **line)
        seconds = range(1, len(flow["bytes"]) + 1)
        grid[2].plot(seconds, [8e-3 * total / at for total, at in zip(flow["bytes"], seconds, strict=True)], **line)
    labels = ("cwnd (packets)", "packets queued", "average throughput (kb/s)")
    for axes, number, label in zip(grid, numbers, labels, strict=True):
        axes.set(title=f"Fig. {number}", xlabel="time (s)", ylabel=label)
        axes.set_ylim(bottom=0)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    name = queue.split(":")[0]
    caption = f"Figs. {numbers[0]} to {numbers[2]}: Reno and Vegas together, {name}; queues and averages by the second."
    return Figure(save(figure, folder / f"figures{numbers[0]}to{numbers[2]}.svg"), caption, [id])


def _three() -> tuple[matplotlib.figure.Figure, list[Axes]]:
    """Three panels with a quantity of its own each."""
    figure = matplotlib.figure.Figure(figsize=(7.6, 2.8), layout="constrained")
    return figure, list(figure.subplots(1, 3))


def _newreno(runs: Runs, folder: Path, setup: str, id: str, numbers: tuple[int, int]) -> Figure:
    run = runs[id]
    figure, grid = _three()
    time, *windows = read_columns(run.files["window.dat"])
    seconds, *totals = read_columns(run.files["course.dat"])
    for index, (name, line, window) in enumerate(zip(("NewReno", "Reno"), SERIES, windows, strict=False)):
        taken, came, dropped = totals[3 * index : 3 * index + 3]
        grid[0].plot(time, window, **line, label=name)
        grid[1].plot(seconds, [8e-3 * count / at for count, at in zip(taken, seconds, strict=True)], **line)
        grid[2].plot(seconds, [100 * lost / max(1, sent) for lost, sent in zip(dropped, came, strict=True)], **line)
    first, second = numbers
    titles = (f"Figs. {first} and {first + 1}" if first else "", f"Fig. {second}", f"Fig. {second + 1}")
    labels = ("cwnd (packets)", "average throughput (kb/s)", "packets lost (%)")
    for axes, title, label in zip(grid, titles, labels, strict=True):
        axes.set(title=title, xlabel="time (s)", ylabel=label)
        axes.set_ylim(bottom=0)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    caption = f"NewReno and Reno together, {setup}: window of the first flow of each; throughput and loss rate so far."
    return Figure(save(figure, folder / f"figure{second}.svg"), caption, [id])


def _model(runs: Runs, folder: Path) -> Figure:
    figure, (axes,) = panels(1, 1, x="buffer (packets)", y="throughput, Reno over Vegas", size=(7.6, 3.4))
    fine = [5 * 1.02**step for step in range(152)]
    for way, line in (("as_printed", SERIES[1]), ("corrected", SERIES[0])):
        ratios = [reno_and_vegas.drop_tail(CODE.bottleneck(size), way).ratio for size in fine]  # type: ignore[arg-type]
        axes.plot(fine, ratios, **line, label=f"model, {way.replace('_', ' ')}")
    count = 0
    for size in CODE.BUFFERS:
        found = runs.with_replications(f"starts/{size}")
        count, first = len(found), size == CODE.BUFFERS[0]
        ratios = [CODE.ratio(run) for run in found]
        axes.plot([size] * count, ratios, "_", color=palette.SOFT.light, alpha=0.6, label="runs" if first else "")
        rates = [CODE.kbps(run) for run in found]
        mean = fmean(rate["Reno"] for rate in rates) / fmean(rate["Vegas"] for rate in rates)
        axes.plot([size], [mean], "o", color=palette.INK.light, label="ratio of mean throughputs" if first else "")
    axes.axhline(1, **GUIDE)
    axes.set(xscale="log", yscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter("")
    axes.set_xticks(list(CODE.BUFFERS))
    axes.legend()
    caption = (
        f"The analytic model over the buffer, and {count} runs with independent starts at each size, with the "
        "ratio of their mean throughputs. As printed the model is too high everywhere. With Vegas's window corrected "
        "it crosses the runs once, near the paper's 10 packets."
    )
    return Figure(save(figure, folder / "model.svg"), caption, [f"starts/{size}" for size in CODE.BUFFERS])
