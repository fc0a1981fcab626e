"""The figures of study 000."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import ackclock as ac
from ackclock.analysis.plot import GUIDE, SERIES, palette, panels, save, style
from ackclock.batch.store import Kept
from ackclock.batch.study import Figure, Runs
from ackclock.batch.study.load import load_code

CODE = load_code(Path(__file__).with_name("vegas_sack_fack.py"))
NAMES = CODE.NAMES


def _windows(run: Kept) -> list[list[float]]:
    """Times, s, and the congestion window of each flow, packets."""
    lines = run.files["window.dat"].read_text(encoding="ascii").splitlines()
    return [list(column) for column in zip(*([float(word) for word in line.split()] for line in lines), strict=True)]


def figures(runs: Runs, folder: Path) -> list[Figure]:
    """Draw the study's figures into the folder."""
    low = [f"low/{kind}" for kind in NAMES.values()]
    with style():
        made = [
            _network(folder),
            _throughput(runs, folder, "figure2", low, "Fig. 2: throughput beside two CBR flows of 0.5 Mb, DropTail."),
        ]
        if "high/RED/Vegas" in runs:
            for name, queue, caption in (
                (
                    "figure3",
                    "DropTail",
                    "Fig. 3: beside two CBR flows of 3 Mb, a few packets of TCP a second, by chance.",
                ),
                ("figure4", "RED", "Fig. 4: the same under RED."),
            ):
                made.append(
                    _throughput(runs, folder, name, [f"high/{queue}/{kind}" for kind in NAMES.values()], caption)
                )
        made += [_window(runs, folder, low), _slow_start(runs, folder), _five(runs, folder)]
        if "threshold/Management/Vegas/5" in runs:
            made.append(_figure11(runs, folder))
    return made


def _network(folder: Path) -> Figure:
    """Fig. 1. The runs are of the script: this only draws what it builds."""
    routers = {
        **dict.fromkeys((*range(5), *range(10, 15)), 20),
        **dict.fromkeys((*range(5, 10), *range(15, 20)), 21),
    }
    links = [
        *(
            ac.Link(ends=[f"n{number}", f"n{router}"], rate="100 Mb/s", delay="2 ms")
            for number, router in routers.items()
        ),
        ac.Link(ends=["n20", "n21"], rate="5 Mb/s", delay="26 ms", queue=ac.Queue(limit="10 packets")),
    ]
    network = ac.Scenario(
        topology=ac.Graph(nodes=[f"n{number}" for number in range(22)], links=links),
        flows=[ac.Flow(source="n0", destination="n5", tcp="vegas")],
        duration="1 ms",
    )
    return Figure(
        ac.run(network).plot.topology().save(folder / "figure1.svg"),
        "Fig. 1: TCP from n0 to n4, to n5 to n9; constant rate from n10 to n14, to n15 to n19. Delays as for 0.5 Mb.",
    )


def _mbps(counts: Sequence[float]) -> list[float]:
    return [count * 8 / 1e6 for count in counts]


def _throughput(runs: Runs, folder: Path, name: str, ids: Sequence[str], caption: str) -> Figure:
    figure, grid = panels(1, len(ids), x="time (s)", y="throughput in 1 s (Mb/s)", size=(7.6, 2.8))
    for axes, title, id in zip(grid, NAMES, ids, strict=True):
        received_bytes = runs[id].reduced["bytes"]
        tcp = _mbps(received_bytes["tcp"][0])
        cbr = _mbps([sum(both) for both in zip(*received_bytes["cbr"], strict=True)])
        axes.plot(range(len(tcp)), tcp, **SERIES[0], label="TCP")
        axes.plot(range(len(cbr)), cbr, **SERIES[1], label="both CBR")
        axes.set_title(title)
        axes.set_ylim(bottom=0)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    return Figure(save(figure, folder / f"{name}.svg"), caption, list(ids))


def _window(runs: Runs, folder: Path, ids: Sequence[str]) -> Figure:
    figure, (axes,) = panels(1, 1, x="time (s)", y="cwnd (packets)", size=(7.6, 3.0))
    for name, id, line in zip(NAMES, ids, SERIES, strict=False):
        time, window = _windows(runs[id])
        axes.plot(time, window, **line, label=name)
    axes.set_ylim(bottom=0)
    axes.legend(ncols=3)
    caption = (
        "Fig. 5: congestion windows beside two CBR flows of 0.5 Mb, DropTail. SACK and FACK saw between half and "
        "full; Vegas stays where the link is full and the queue short."
    )
    return Figure(save(figure, folder / "figure5.svg"), caption, list(ids))


def _slow_start(runs: Runs, folder: Path) -> Figure:
    figure, (axes,) = panels(1, 1, x="time (s)", y="cwnd (packets)", size=(7.6, 2.8))
    time, window = _windows(runs["low/Sack1"])
    shown = [(at, cwnd) for at, cwnd in zip(time, window, strict=True) if at <= 12]
    axes.plot(*zip(*shown, strict=True), **SERIES[0])
    axes.set_ylim(0, 43)
    for says, point, place in (
        ("slow start: +1 for each ACK", (0.2, 8), (0.6, 3)),
        ("congestion avoidance: +1/w for each ACK", (1.6, 30), (0.3, 39)),
        ("fast recovery: halved", (5.95, 24), (6.2, 39)),
        ("timeout, slow start", (10.1, 1.2), (10.5, 3)),
    ):
        arrow = {"arrowstyle": "-", "color": palette.SOFT.light}
        axes.annotate(says, point, place, color=palette.INK.light, arrowprops=arrow)
    caption = "Fig. 6: the phases of a window, here SACK's of Fig. 5 in its first 12 s."
    return Figure(save(figure, folder / "figure6.svg"), caption, ["low/Sack1"])


def _five(runs: Runs, folder: Path) -> Figure:
    ids = {
        "Fig. 7: Tahoe, DropTail": "fair/DropTail/Tahoe",
        "Fig. 8: Vegas, RED": "fair/RED/Vegas",
        "Fig. 9: SACK, RED": "fair/RED/Sack1",
        "Fig. 10: FACK, RED": "fair/RED/Fack",
    }
    figure, grid = panels(2, 2, x="time (s)", y="throughput in 1 s (Mb/s)", size=(7.6, 4.6))
    for axes, (title, id) in zip(grid, ids.items(), strict=True):
        for node, (line, counts) in enumerate(zip(SERIES, runs[id].reduced["bytes"]["tcp"], strict=False), 5):
            rates = _mbps(counts)
            axes.plot(range(len(rates)), rates, **line, label=f"node {node}")
        axes.set_title(title)
        axes.set_ylim(bottom=0)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside upper right", ncols=5)
    caption = (
        "Figs. 7 to 10: five flows of one kind, single runs in which nothing is random; RED's thresholds are 40 and "
        "80. Node 9, the last to start, has less under RED with SACK and FACK. With random gaps the runs differ."
    )
    return Figure(save(figure, folder / "figures7to10.svg"), caption, list(ids.values()))


def _figure11(runs: Runs, folder: Path) -> Figure:
    figure, grid = panels(1, 3, x="threshold (packets)", y="throughput of five flows (Mb/s)", size=(7.6, 3.2))
    curves = {
        "Management": "proposed: limit n",
        "RED": "RED: limit n",
        "REDthresh": "RED: lower threshold n",
        "REDmax": "RED: upper threshold n",
    }
    for axes, name in zip(grid, NAMES, strict=True):
        # SERIES has more lines than there are curves.
        for (queue, label), line, mark in zip(curves.items(), SERIES, "os^v", strict=False):
            rates = [fmean(CODE.rates_mbps(runs, queue, name, n)) for n in CODE.THRESHOLDS]
            axes.plot(CODE.THRESHOLDS, rates, **line, marker=mark, markersize=3.5, label=label)
        axes.axhline(4, **GUIDE)
        axes.set_title(name)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside upper right", ncols=4)
    caption = (
        "Fig. 11: throughput against threshold. The paper does not say of which of RED's numbers its threshold is; "
        "the order of the curves hangs on that. The dotted line is what the constant-rate traffic leaves."
    )
    ids = [f"threshold/{queue}/{kind}/{n}" for queue in curves for kind in NAMES.values() for n in (10,)]
    return Figure(save(figure, folder / "figure11.svg"), caption, ids)
