"""What study 001 measures and draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, median

import matplotlib.figure
from matplotlib.axes import Axes

import ackclock as ac
from ackclock.models import reno_and_vegas
from ackclock.plot import GUIDE, SERIES, panels, save, style
from ackclock.store import Kept
from ackclock.study import Figure, Measured, Replications, Runs, Settings

#: Time for which the runs of Reno beside Vegas last, s.
RENO_VEGAS_S = 100
#: The shared bottleneck as the model takes it: packets of 592 bytes, one way 10 + 200 + 10 ms.
SHARED = reno_and_vegas.Bottleneck(rate_packets_per_s=0.3e6 / 8 / 592, delay_s=0.22, buffer_packets=10)
RED = "RED:5:0.6"
#: RED's thresholds as they may have been meant.
READINGS = {
    "5 and 0.6 in ns-2's bytes": "RED:5:0.6",
    "5 and 0.6 in packets": "RED:5:0.6:packets",
    "5 and 6": "RED:5:6",
}


def rates_kbps(run: Kept) -> dict[str, float]:
    """By variant, what the sinks took in order, headers included."""
    words = [line.split() for line in run.stdout.splitlines()]
    return {kind: int(count) * 8 / RENO_VEGAS_S / 1e3 for kind, count in words}


def ratio(run: Kept) -> float:
    """Reno's throughput over Vegas's."""
    rates = rates_kbps(run)
    return rates["Reno"] / rates["Vegas"]


def measure(runs: Runs) -> dict[str, Measured]:
    """What was measured for every claim."""
    measured = _reno_vegas(runs)
    for setup, packet, windows, together, apart in (
        ("droptail", 512, (8000, 16), ("Newreno+Reno", "Newreno+Reno+Reno"), ("Newreno", "Reno")),
        ("red", 512, (2000, 4), ("Newreno+Reno", "Newreno+Reno+Reno"), ("Newreno+Newreno", "Reno+Reno")),
        ("multi", 552, (8000, 14), ("Newreno+Reno",), ("Newreno", "Reno")),
    ):
        ways = {
            f"{kinds.replace('+', ' + ')}, window {window}": [f"{setup}/{kinds}/{packet}/{window}"] * 2
            for window in windows
            for kinds in together
        }
        ways["runs of their own"] = [f"{setup}/{kinds}/{packet}/{windows[0]}" for kinds in apart]
        if all(id in runs for ids in ways.values() for id in ids):
            losses = _points if setup == "droptail" else _quotient
            measured[f"{setup}.gain"] = Settings({name: _pairs(runs, ids, _gain) for name, ids in ways.items()})
            measured[f"{setup}.loss"] = Settings({name: _pairs(runs, ids, losses) for name, ids in ways.items()})
    return measured


def _reno_vegas(runs: Runs) -> dict[str, Measured]:
    alone, together, red = (
        runs[f"base/{name}"] for name in ("Vegas/DropTail", "Reno+Vegas/DropTail", f"Reno+Vegas/{RED}")
    )
    late = [window for time, window in zip(*columns(alone, "window.dat"), strict=True) if time >= 60]
    measured: dict[str, Measured] = {
        "share": Settings({f"{n} packets": ratio(runs[f"window/{n}"]) for n in (8000, 20, 14)}),
        "share.8000": rates_kbps(runs["window/8000"]),
        "share.14": rates_kbps(runs["window/14"]),
        "small.buffer": [ratio(runs[f"buffer/{size}"]) for size in (10, 20, 50, 100)],
        "red.smaller": {name: _mean_queue(run, "Reno") for name, run in (("DropTail", together), ("RED", red))},
        "vegas.noloss": Settings(
            {
                "alone, from its slow start on": alone.reduced["Vegas"]["dropped"],
                "alone, without its slow start": _dropped_late(alone),
                "beside Reno": together.reduced["Vegas"]["dropped"],
            }
        ),
        "vegas.fixed": max(late) - min(late),
    }
    if "starts/DropTail" in runs:
        found = {queue: _median(runs, f"starts/{queue}") for queue in ("DropTail", *READINGS.values())}
        simulated = found["DropTail"]
        measured |= {
            "share.starts": simulated,
            "red.fairer": Settings(
                {name: {"DropTail": simulated, "RED": found[queue]} for name, queue in READINGS.items()}
            ),
            "model.printed": {"model": reno_and_vegas.drop_tail(SHARED).ratio, "simulated": simulated},
            "model.corrected": {"model": reno_and_vegas.drop_tail(SHARED, "corrected").ratio, "simulated": simulated},
        }
    return measured


def _dropped_late(run: Kept) -> float:
    """Packets dropped from 20 s on, when slow start is long over."""
    return float(sum(count for second, count in run.reduced["Vegas"]["drops"] if second >= 20))


def _mean_queue(run: Kept, kind: str) -> float:
    return fmean(run.reduced[kind]["queue_packets"])


def _median(runs: Runs, id: str) -> float:
    return median(ratio(run) for run in (runs[id], *runs.replications(id)))


def per_flow(run: Kept) -> dict[str, tuple[float, float, float]]:
    """By variant: a flow's bytes at its sink, in the mean; packets that came to the bottleneck, and those dropped."""
    found: dict[str, list[tuple[int, int, int]]] = {}
    for line in run.stdout.splitlines():
        kind, *numbers = line.split()
        taken, came, dropped = map(int, numbers)
        found.setdefault(kind, []).append((taken, came, dropped))
    return {
        kind: (fmean(row[0] for row in rows), sum(row[1] for row in rows), sum(row[2] for row in rows))
        for kind, rows in found.items()
    }


def _gain(newreno: Kept, reno: Kept) -> float:
    return per_flow(newreno)["Newreno"][0] / per_flow(reno)["Reno"][0]


def _loss_rates(newreno: Kept, reno: Kept) -> tuple[float, float]:
    (_, came, dropped), (_, reno_came, reno_dropped) = per_flow(newreno)["Newreno"], per_flow(reno)["Reno"]
    return dropped / came, reno_dropped / reno_came


def _points(newreno: Kept, reno: Kept) -> float:
    own, other = _loss_rates(newreno, reno)
    return 100 * (other - own)


def _quotient(newreno: Kept, reno: Kept) -> float:
    own, other = _loss_rates(newreno, reno)
    return other / own


def _pairs(runs: Runs, ids: Sequence[str], measure: Callable[[Kept, Kept], float]) -> Replications:
    """Of NewReno's run and Reno's, which may be one and the same, with each seed."""
    first, second = ([runs[id], *runs.replications(id)] for id in ids)
    return Replications([measure(*pair) for pair in zip(first, second, strict=True)])


def columns(run: Kept, file: str) -> list[list[float]]:
    """The columns of a file of numbers in rows."""
    lines = run.files[file].read_text(encoding="ascii").splitlines()
    return [list(column) for column in zip(*([float(word) for word in line.split()] for line in lines), strict=True)]


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
        if "starts/DropTail" in runs:
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
    ids = [f"base/{kind}/DropTail" for kind in ("Reno", "Vegas")]
    figure, grid = panels(1, 2, x="time (s)", y="cwnd (packets)", size=(7.6, 2.8))
    for axes, title, id in zip(grid, ("Fig. 4(a): Reno alone", "Fig. 4(b): Vegas alone"), ids, strict=True):
        axes.plot(*columns(runs[id], "window.dat"), **SERIES[0])
        axes.set_title(title)
        axes.set_ylim(bottom=0)
    return Figure(save(figure, folder / "figure4.svg"), "Fig. 4: the window of each, alone, DropTail.", ids)


def _together(runs: Runs, folder: Path, queue: str, numbers: tuple[int, int, int]) -> Figure:
    id = f"base/Reno+Vegas/{queue}"
    run = runs[id]
    figure, grid = _three()
    time, *windows = columns(run, "window.dat")
    seconds, *taken = columns(run, "course.dat")
    for kind, line, window, count in zip(("Reno", "Vegas"), SERIES, windows, taken, strict=False):
        grid[0].plot(time, window, **line, label=kind)
        kept = run.reduced[kind]
        grid[1].plot(kept["queue_time_s"], kept["queue_packets"], **line)
        grid[2].plot(seconds, [8e-3 * total / at for total, at in zip(count, seconds, strict=True)], **line)
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
    time, *windows = columns(run, "window.dat")
    seconds, *totals = columns(run, "course.dat")
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
    figure, (axes,) = panels(1, 1, x="buffer (packets)", y="throughput, Reno over Vegas", size=(7.6, 3.2))
    sizes = (10, 20, 50, 100)
    fine = [5 + 0.5 * step for step in range(191)]
    for way, line in (("as_printed", SERIES[1]), ("corrected", SERIES[0])):
        ratios = [reno_and_vegas.drop_tail(_with_buffer(size), way).ratio for size in fine]  # type: ignore[arg-type]
        axes.plot(fine, ratios, **line, label=f"model, {way.replace('_', ' ')}")
    axes.plot(sizes, [ratio(runs[f"buffer/{size}"]) for size in sizes], "o", color="#444444", label="one run, 100 s")
    starts = [ratio(run) for run in (runs["starts/DropTail"], *runs.replications("starts/DropTail"))]
    axes.plot([10] * len(starts), starts, "_", color="#444444", alpha=0.5, label="40 random starts")
    axes.axhline(1, **GUIDE)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.legend()
    caption = (
        "The analytic model over the buffer, as printed and with Vegas's window corrected, and what runs give. "
        "Equation 3 takes what Vegas keeps queued for its window."
    )
    return Figure(
        save(figure, folder / "model.svg"), caption, ["starts/DropTail", *(f"buffer/{size}" for size in sizes)]
    )


def _with_buffer(packets: float) -> reno_and_vegas.Bottleneck:
    return reno_and_vegas.Bottleneck(
        rate_packets_per_s=SHARED.rate_packets_per_s, delay_s=SHARED.delay_s, buffer_packets=packets
    )
