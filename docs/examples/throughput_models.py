"""Models of TCP's rate over simulated points: one sender, random losses, no queue.

    python docs/examples/throughput_models.py [--quick] [--out throughput_models.png]

Prints each point (for a simulated one the mean of its replications and their range) and draws the picture of
docs/guide/models.md. About 15 s; --quick is a second, with fewer and shorter runs.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import fmean

import ackclock as ac
from ackclock import models, plot

RTT_S, RTO_S = 0.1, 0.2  # the path's round trip; ns-2's least timeout, which is the one at this round trip
SENDERS = {
    "Reno": {"tcp": "reno"},
    "SACK": {"tcp": "sack"},
    "HighSpeed": {"tcp": "linux", "control": "highspeed"},
    "CUBIC": {"tcp": "linux", "control": "cubic"},
}
DRAWN = ("square_root", "pftk", "pftk_approximate", "high_speed", "cubic")
LINES = {
    "square_root": {"color": "#9aa5ad", "linestyle": "-"},
    "pftk": {"color": "#0b3c5d", "linestyle": "-"},
    "pftk_approximate": {"color": "#0b3c5d", "linestyle": "--"},
    "high_speed": {"color": "#d17a22", "linestyle": "-."},
    "cubic": {"color": "#5a5a5a", "linestyle": ":"},
}
MARKS = {
    "Reno": {"color": "#0b3c5d", "marker": "o"},
    "SACK": {"color": "#0b3c5d", "marker": "x"},
    "HighSpeed": {"color": "#d17a22", "marker": "^"},
    "CUBIC": {"color": "#5a5a5a", "marker": "s"},
}


def packets_per_s(sender: dict[str, str], loss_ratio: float, duration_s: float, seed: int) -> float:
    """What one sender sends over a path that loses each packet with this probability and never queues."""
    path = ac.Link(rate="10 Gb/s", delay=f"{RTT_S / 2 - 0.0002} s", loss=ac.Loss(rate=loss_ratio))
    scenario = ac.Scenario(
        topology=ac.Dumbbell(pairs=1, bottleneck=path, access=ac.Link(rate="10 Gb/s", delay="0.1 ms")),
        flows=[ac.Flow(pair=1, window="100000 packets", **sender)],
        duration=f"{duration_s} s",
        record=ac.Record(sample="0 s"),
        seed=seed,
    )
    sent: int = ac.run(scenario).rows("flows")[0]["sent_packets"]
    return sent / duration_s


def main() -> None:
    """Simulate, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--out", type=Path, default=Path("throughput_models.png"))
    options = parser.parse_args()
    losses = (0.003, 0.03) if options.quick else (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
    duration_s, seeds = (60, (1, 2, 3)) if options.quick else (200, (1, 2, 3))

    print("packets/s   " + "".join(f"{name:>18}" for name in (*DRAWN, *SENDERS)))
    points: dict[str, list[float]] = {}
    for loss_ratio in losses:
        said = [models.TABLE[key].packets_per_s(loss_ratio, RTT_S, RTO_S) for key in DRAWN]
        line = f"{loss_ratio:<12}" + "".join(f"{rate:18.0f}" for rate in said)
        for name, sender in SENDERS.items():
            rates = [packets_per_s(sender, loss_ratio, duration_s, seed) for seed in seeds]
            points.setdefault(name, []).append(fmean(rates))
            line += f"{fmean(rates):8.0f} {f'{min(rates):.0f}-{max(rates):.0f}':>9}"
        print(line)

    with plot.style():
        figure, (axes,) = plot.panels(1, 1, x="packets lost, share", y="rate (packets/s)", size=(6.0, 4.2))
        fine = [losses[0] * (losses[-1] / losses[0]) ** (i / 100) for i in range(101)]
        for key in DRAWN:
            model = models.TABLE[key]
            rates = [model.packets_per_s(p, RTT_S, RTO_S) for p in fine]
            axes.plot(fine, rates, label=f"{model.title} ({model.source})", linewidth=1.2, **LINES[key])
        for name, rates in points.items():
            axes.plot(losses, rates, label=f"{name}, simulated", linestyle="", fillstyle="none", **MARKS[name])
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(f"Round trip {RTT_S * 1000:g} ms, random losses, no queue")
        axes.legend(fontsize=7.5)
        print(plot.save(figure, options.out))


if __name__ == "__main__":
    main()
