"""What study 004 measures and draws."""

from __future__ import annotations

import re
from math import floor
from pathlib import Path
from statistics import fmean, pstdev

import ackclock as ac
from ackclock.analysis.plot import GUIDE, SERIES, palette, panels, save, style
from ackclock.batch.store import Kept
from ackclock.batch.study import Figure, Runs, Settings, Value, read_columns

FLAVOURS = ("SACK", "VEGAS")
CASES = (1, 2, 3)
#: Propagation RTT of src2 over that of src1.
RTT_RATIO = {1: 2, 2: 3, 3: 4}
#: ns-2's defaults, which the script leaves alone, in packets.
WINDOW = 20
QUEUE_LIMIT = 50
#: The run of the one number among the table's throughputs that is cut off: 0.24948 for src2.
CUT_OFF = "VEGAS3"

#: When both flavours have settled, s.
SETTLED_S = 20.0
#: The first listing of the paper.
LISTING = (
    "Avg throughput for Src1=0.52330800000000588 MBits/sec",
    "Avg throughput for Src2=0.47523919999999636 MBits/sec",
)

#: As the paper's table prints src1/src2.
PUBLISHED_RATIO = {"SACK": (1.101, 1.202, 1.303), "VEGAS": (1.400, 2.201, 3.003)}


def measure(runs: Runs) -> dict[str, Value | Settings]:
    """What was measured for every claim."""
    measured: dict[str, Value | Settings] = {}
    rate: dict[str, tuple[float, float]] = {}
    six = [f"{flavour}{case}" for flavour in FLAVOURS for case in CASES]
    for id in six:
        run, row = runs[id], runs.run(id).label
        printed = re.findall(r"^Avg throughput for Src[12]=(\S+)", run.stdout, re.MULTILINE)
        first, second = rate[id] = float(printed[0]), float(printed[1])
        measured |= {f"printed/{row}/Src1": printed[0], f"printed/{row}/Src2": printed[1]}
        # The paper's ratios are of its own columns, which are rounded but for one that is cut off.
        columns = round(first, 4), floor(second * 1e4) / 1e4 if id == CUT_OFF else round(second, 4)
        measured |= {
            f"ratios/{row}/src1 Mbps": first,
            f"ratios/{row}/src2 Mbps": second,
            f"ratios/{row}/ratio": columns[0] / columns[1],
        }

    queue = {id: read_columns(runs[id].files["queue.dat"]) for id in six}
    length = {flavour: fmean(fmean(queue[f"{flavour}{case}"][1]) for case in CASES) for flavour in FLAVOURS}
    ratio = {id: first / second for id, (first, second) in rate.items()}
    listing = (runs.study.folder / "printed_trace.txt").read_text(encoding="ascii").splitlines()
    trace = runs["SACK1"].files["out_SACK1-S1.tr"].read_text(encoding="ascii").splitlines()
    same = sum(ours == printed for ours, printed in zip(trace, listing, strict=False))
    return measured | {
        "trace": str(same),
        "listing": str(sum(line in runs["SACK1"].stdout.splitlines() for line in LISTING)),
        "nam": _animated(runs["nam"]),
        "sack.growth": ratio["SACK3"] / ratio["SACK1"],
        "vegas.growth": ratio["VEGAS3"] / ratio["VEGAS1"],
        "rtt.links": Settings({f"case {case}": _first_rtt_ratio(runs, case) / RTT_RATIO[case] for case in CASES}),
        "sack.unlike": max(ratio[f"SACK{case}"] / RTT_RATIO[case] for case in CASES),
        "vegas.trend": [ratio[f"VEGAS{case}"] for case in CASES],
        "vegas.short": Settings({f"case {case}": ratio[f"VEGAS{case}"] for case in CASES}),
        "vegas.lossless": sum(queue[f"VEGAS{case}"][2][-1] for case in CASES),
        "vegas.stable": {flavour: fmean(_unsteady(runs[f"{flavour}{case}"]) for case in CASES) for flavour in FLAVOURS},
        "rtt.seen": Settings({flavour: _round_trips(runs[f"{flavour}1"]) for flavour in FLAVOURS}),
        "case1.src1": rate["VEGAS1"][0] / rate["SACK1"][0],
        "case1.sum": sum(rate["VEGAS1"]) / sum(rate["SACK1"]),
        "sack.dropped": sum(queue[f"SACK{case}"][2][-1] for case in CASES),
        "vegas.queue": length["VEGAS"] / length["SACK"],
    }


def _round_trips(run: Kept) -> float:
    """The RTT of src2 over that of src1: by Little's law, the mean of what is in flight by the throughput."""
    _, *windows = read_columns(run.files["window.dat"])
    _, *rates = read_columns(run.files["throughput.dat"])
    first, second = (
        fmean(min(cwnd, WINDOW) for cwnd in window) / fmean(rate) for window, rate in zip(windows, rates, strict=True)
    )
    return second / first


def _first_rtt_ratio(runs: Runs, case: int) -> float:
    """The round trip of src2's first packet over that of src1's: from sending it to sending the second."""
    times = []
    for source in (1, 2):
        lines = runs[f"SACK{case}"].files[f"out_SACK{case}-S{source}.tr"].read_text(encoding="ascii").splitlines()
        sent = [float(line.split()[1]) for line in lines if line.startswith("+")]
        times.append(sent[1] - sent[0])
    return times[1] / times[0]


def _unsteady(run: Kept) -> float:
    """Standard deviation of src1's window from 20 s on, packets."""
    time, window, _ = read_columns(run.files["window.dat"])
    return pstdev(min(cwnd, WINDOW) for at, cwnd in zip(time, window, strict=True) if at >= SETTLED_S)


def _animated(run: Kept) -> dict[str, float]:
    """Packets that src1 sends: in the animator's file, and in the trace."""
    nam = run.files["out.nam"].read_text(encoding="ascii").splitlines()
    trace = run.files["out_SACK1-S1.tr"].read_text(encoding="ascii").splitlines()
    shown = [line for line in nam if line.startswith("+ ") and " -s 0 -d 2 " in line]
    return {"animation": float(len(shown)), "trace": float(sum(line.startswith("+") for line in trace))}


def figures(runs: Runs, folder: Path) -> list[Figure]:
    """Draw the study's figures into the folder."""
    with style():
        return [
            _network(runs, folder),
            _ratio(runs, folder),
            _throughput(runs, folder),
            _window(runs, folder),
            _queue(runs, folder),
        ]


def _network(runs: Runs, folder: Path) -> Figure:
    """The network, as the scenario of the same packets describes it."""
    scenario = ac.load(runs.study.folder / "sack_vegas.toml", {"duration": "1 ms"})
    picture = ac.run(scenario).plot.topology()
    return Figure(picture.save(folder / "topology.svg"), "The network, in case 1.")


def _ratio(runs: Runs, folder: Path) -> Figure:
    figure, (axes,) = panels(1, 1, x="RTT of src2 / RTT of src1", y="throughput of src1 / of src2", size=(7.6, 3.4))
    measured = measure(runs)
    rtt = [RTT_RATIO[case] for case in CASES]
    axes.plot(rtt, rtt, **GUIDE)
    axes.annotate("as the RTTs", (3.05, 3.12), color=palette.SOFT.light, rotation=17)
    for flavour, line, mark in zip(FLAVOURS, SERIES, "os", strict=False):
        ratios = [float(str(measured[f"ratios/{flavour} {case}/ratio"])) for case in CASES]
        axes.plot(rtt, ratios, **line, marker=mark, markersize=4, label=f"{flavour}, measured")
        axes.plot(
            rtt,
            PUBLISHED_RATIO[flavour],
            linestyle="none",
            marker=mark,
            markersize=10,
            markerfacecolor="none",
            markeredgecolor=line["color"],
            label=f"{flavour}, published",
        )
    axes.set_xticks(rtt)
    axes.set_ylim(bottom=0)
    axes.legend()
    return Figure(
        save(figure, folder / "ratio.svg"),
        "Throughput ratio against RTT ratio. Open marks are the paper's table, filled ones this run. "
        "VEGAS follows the round-trip times; SACK hardly does.",
    )


def _throughput(runs: Runs, folder: Path) -> Figure:
    path = _against_time(runs, folder / "throughput.svg", "throughput.dat", "throughput (Mbit/s)", "src")
    return Figure(
        path,
        "Throughput of each source over 0.5 s. The sum is the full 1 Mb/s in all six runs; the "
        "flavours differ in how it is shared.",
    )


def _window(runs: Runs, folder: Path) -> Figure:
    path = _against_time(runs, folder / "window.svg", "window.dat", "cwnd_ (packets)", "src", log=True, guide=WINDOW)
    return Figure(
        path,
        f"Congestion window of each source. The dotted line is window_, {WINDOW} packets: beyond "
        "it cwnd_ grows on paper only. Both SACK flows pass it within about a second and stay.",
    )


def _queue(runs: Runs, folder: Path) -> Figure:
    path = _against_time(runs, folder / "queue.svg", "queue.dat", "queue (packets)", "", guide=QUEUE_LIMIT)
    return Figure(
        path,
        f"Packets waiting in R1 for the bottleneck. The dotted line is the limit, {QUEUE_LIMIT} "
        "packets, which no run reaches: nothing is lost.",
    )


def _against_time(
    runs: Runs,
    path: Path,
    file: str,
    label: str,
    series: str,
    *,
    log: bool = False,
    guide: float | None = None,
) -> Path:
    """Six panels, a row a flavour and a column a case: a file's columns against its first."""
    figure, grid = panels(2, 3, x="time (s)", y=label, size=(7.6, 4.4))
    keys = [(flavour, case) for flavour in FLAVOURS for case in CASES]
    for axes, (flavour, case) in zip(grid, keys, strict=True):
        time, *columns = read_columns(runs[f"{flavour}{case}"].files[file])
        shown = columns if series else columns[:1]
        for i, (values, line) in enumerate(zip(shown, SERIES, strict=False), 1):
            axes.plot(time[1:], values[1:], **line, label=f"{series}{i}" if series else None)
        if guide is not None:
            axes.axhline(guide, **GUIDE)
        axes.set_title(f"{flavour} {case}")
    # All panels share their axes, so these hold for every one. The start, where all of the
    # adapting is done, has room on a logarithmic axis only.
    grid[0].set_xscale("log")
    grid[0].set_xlim(time[1], 400)
    grid[0].xaxis.set_major_formatter("{x:g}")
    if log:
        grid[0].set_yscale("log")
        grid[0].yaxis.set_major_formatter("{x:g}")
    else:
        grid[0].set_ylim(bottom=0)
    if series:
        figure.legend(*grid[0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    return save(figure, path)
