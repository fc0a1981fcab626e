"""What study 000 measures and draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import ackclock as ac
from ackclock.plot import GUIDE, SERIES, panels, save, style
from ackclock.stats import jain
from ackclock.store import Kept
from ackclock.study import Figure, Measured, Replications, Runs, Settings, Value

#: As the paper names them, and as ns-2 does.
NAMES = {"Vegas": "Vegas", "Sack": "Sack1", "Fack": "Fack"}
#: The authors' scripts counted each TCP packet five times.
COUNTED = 5
#: Of Fig. 11.
THRESHOLDS = (5, 10, 15, 20, 30, 40, 50)
#: Bytes on the wire of a data packet: Vegas's have no headers on top.
WIRE = {"Vegas": 1000, "Sack": 1040, "Fack": 1040}
THRESHOLD_SECONDS = 40


def sent(run: Kept) -> float:
    """Data packets sent by all TCP flows."""
    return float(sum(flow[0] for flow in run.reduced["flows"].values()))


def received(run: Kept) -> float:
    """Data packets received by all TCP sinks."""
    return sum(shares(run))


def shares(run: Kept) -> list[float]:
    """Data packets received by each sink, node 5 first."""
    flows = run.reduced["flows"]
    return [flows[fid][1] for fid in sorted(flows, key=int)]


def delay_ms(run: Kept) -> float:
    """Mean of all data packets' delays."""
    flows = run.reduced["flows"].values()
    return 1e3 * float(sum(flow[1] * flow[3] for flow in flows if flow[1])) / received(run)


def lost(run: Kept) -> float:
    """Data packets sent and not received, those on the way at the end included."""
    return sent(run) - received(run)


def measure(runs: Runs) -> dict[str, Measured]:
    """What was measured for every claim."""
    return {**_tables(runs), **_low(runs), **_high(runs), **_fair(runs), **_threshold(runs)}


def _tables(runs: Runs) -> dict[str, Measured]:
    measured: dict[str, Measured] = {}
    for name, kind in NAMES.items():
        for row, id in (
            (f"{name}, DropTail, 0.5 Mb", f"low/{kind}"),
            (f"{name}, DropTail, 3 Mb", f"high/DropTail/{kind}"),
            (f"{name}, RED, 3 Mb", f"high/RED/{kind}"),
        ):
            if id not in runs:
                continue
            measured |= {
                f"table2/{row}/Sent": runs.over(id, lambda run: COUNTED * sent(run)),
                f"table2/{row}/Lost": runs.over(id, lambda run: COUNTED * lost(run)),
                f"table2/{row}/Delay": runs.over(id, delay_ms),
            }
        run = runs[f"fair/RED/{kind}"]
        acks = run.reduced["acks"].values()
        measured |= {
            f"table3/{name}/Paketa TCP": COUNTED * sent(run),
            f"table3/{name}/ACK from TCP Sink": sum(flow[0] for flow in acks),
            f"table3/{name}/TCP Drop": COUNTED * sum(flow[2] for flow in run.reduced["flows"].values()),
            f"table3/{name}/ACK Drop": sum(flow[2] for flow in acks),
            f"table3/{name}/Average Delay": delay_ms(run),
        }
    return measured


def _low(runs: Runs) -> dict[str, Measured]:
    ids = {name: f"low/{kind}" for name, kind in NAMES.items()}
    others = {name: ids[name] for name in ("Sack", "Fack")}
    return {
        "low.vegas.first": _together(runs, ids, received),
        "low.vegas.gain": _replicated(
            runs, ids, lambda by: received(by["Vegas"]) / fmean([received(by["Sack"]), received(by["Fack"])])
        ),
        "low.sack.fack": _together(runs, others, received),
        "low.vegas.drops": _together(runs, ids, lambda run: lost(run) / sent(run)),
        "low.vegas.delay": _together(runs, ids, delay_ms),
        "low.window": _replicated(runs, others, lambda by: fmean(fmean(_windows(run)[1]) for run in by.values())),
    }


def _high(runs: Runs) -> dict[str, Measured]:
    if "high/RED/Vegas" not in runs:
        return {}
    drop_tail, red = ({name: f"high/{queue}/{kind}" for name, kind in NAMES.items()} for queue in ("DropTail", "RED"))
    return {
        "high.order": _together(runs, drop_tail, sent),
        "high.red.fack": _together(runs, red, sent),
        "high.red.vegas": _replicated(
            runs,
            {"DropTail": drop_tail["Vegas"], "RED": red["Vegas"]},
            lambda by: sent(by["DropTail"]) / sent(by["RED"]),
        ),
        "high.udp": _replicated(runs, {"low": "low/Vegas", "high": drop_tail["Vegas"]}, _with_the_rate),
    }


def _with_the_rate(by: Mapping[str, Kept]) -> float:
    """The lesser of TCP's factor down and UDP's factor up, in packets a second."""
    low, high = by["low"], by["high"]
    tcp = (received(low) / 40) / (received(high) / 100)
    udp = [sum(flow[1] for flow in run.reduced["cbr"].values()) for run in (low, high)]
    return float(min(tcp, (udp[1] / 100) / (udp[0] / 40)))


def _fair(runs: Runs) -> dict[str, Measured]:
    red = {name: runs[f"fair/RED/{kind}"] for name, kind in NAMES.items()}
    tahoe = runs["fair/DropTail/Tahoe"]
    return {
        "fair.tahoe": jain(shares(tahoe)),
        "fair.tahoe.delay": {"Tahoe": delay_ms(tahoe), **{name: delay_ms(run) for name, run in red.items()}},
        "fair.sack": jain(shares(red["Sack"])),
        "fair.vegas.node9": _node9(red["Vegas"]),
        "fair.fack.node9": _node9(red["Fack"]),
        "fair.delay": {name: delay_ms(run) for name, run in red.items()},
        "fair.fack.more": {name: received(run) for name, run in red.items()},
        "fair.together": Settings(
            {
                f"{first} first, beside {second}": _other_over_vegas(runs[f"fair/RED/{first}+{second}"], first)
                for pair in ("Sack1", "Fack")
                for first, second in (("Vegas", pair), (pair, "Vegas"))
            }
        ),
    }


def _node9(run: Kept) -> float:
    *others, last = shares(run)
    return last / fmean(others)


def _other_over_vegas(run: Kept, first: str) -> float:
    """Flows take turns: the first, third and fifth are of the first kind."""
    got = shares(run)
    vegas, other = (got[::2], got[1::2]) if first == "Vegas" else (got[1::2], got[::2])
    return fmean(other) / fmean(vegas)


def _threshold(runs: Runs) -> dict[str, Measured]:
    if "threshold/Management/Vegas/5" not in runs:
        return {}
    keys = [(kind, n) for kind in NAMES.values() for n in THRESHOLDS]
    different = sum(
        runs[f"threshold/Management/{kind}/{n}"].reduced["trace"]
        != runs[f"threshold/DropTail/{kind}/{n}"].reduced["trace"]
        for kind, n in keys
    )
    return {
        "management": str(different),
        "best.limit": _worst(runs, "RED", THRESHOLDS),
        "best.threshold": _worst(runs, "REDthresh", THRESHOLDS),
        "best.from20": _worst(runs, "RED", [n for n in THRESHOLDS if n >= 20]),
    }


def _worst(runs: Runs, red: str, thresholds: Sequence[int]) -> Settings:
    """For each variant the least quotient of the mean throughputs, over the thresholds."""
    return Settings(
        {
            name: min(
                fmean(rates_mbps(runs, "Management", name, n)) / fmean(rates_mbps(runs, red, name, n))
                for n in thresholds
            )
            for name in NAMES
        }
    )


def rates_mbps(runs: Runs, queue: str, name: str, n: int) -> list[float]:
    """Throughput of the five flows of a run of Fig. 11, and of its replications."""
    id = f"threshold/{queue}/{NAMES[name]}/{n}"
    found = [runs[id], *runs.replications(id)]
    return [received(run) * WIRE[name] * 8 / THRESHOLD_SECONDS / 1e6 for run in found]


def _together(runs: Runs, ids: Mapping[str, str], measure: Callable[[Kept], float]) -> Replications:
    """A number of each of several runs by name, seed by seed."""
    return _replicated(runs, ids, lambda by: {name: measure(run) for name, run in by.items()})


def _replicated(runs: Runs, ids: Mapping[str, str], measure: Callable[[Mapping[str, Kept]], Value]) -> Replications:
    """A measurement of several runs with one seed, for each seed."""
    seeds = zip(*(runs.replications(id) for id in ids.values()), strict=True)
    values = [measure(dict(zip(ids, together, strict=True))) for together in seeds]
    return Replications(values, measure({name: runs[id] for name, id in ids.items()}))


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
        tcp = _mbps(next(iter(received_bytes["tcp"].values())))
        cbr = _mbps([sum(both) for both in zip(*received_bytes["cbr"].values(), strict=False)])
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
        axes.annotate(says, point, place, color="#444444", arrowprops={"arrowstyle": "-", "color": "#888888"})
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
    lines = (*SERIES, {"color": "#b0413e", "linestyle": "-", "linewidth": 1.6})
    for axes, (title, id) in zip(grid, ids.items(), strict=True):
        for node, (line, counts) in enumerate(zip(lines, runs[id].reduced["bytes"]["tcp"].values(), strict=False), 5):
            rates = _mbps(counts)
            axes.plot(range(len(rates)), rates, **line, label=f"node {node}")
        axes.set_title(title)
        axes.set_ylim(bottom=0)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside upper right", ncols=5)
    caption = "Figs. 7 to 10: five flows of one kind. Node 9, the last to start, has less under RED with SACK and FACK."
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
        for (queue, label), line, mark in zip(curves.items(), SERIES, "os^v", strict=True):
            rates = [fmean(rates_mbps(runs, queue, name, n)) for n in THRESHOLDS]
            axes.plot(THRESHOLDS, rates, **line, marker=mark, markersize=3.5, label=label)
        axes.axhline(4, **GUIDE)
        axes.set_title(name)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside upper right", ncols=4)
    caption = (
        "Fig. 11: throughput against threshold. The paper does not say of which of RED's numbers its threshold is; "
        "the order of the curves hangs on that. The dotted line is what the constant-rate traffic leaves."
    )
    ids = [f"threshold/{queue}/{kind}/{n}" for queue in curves for kind in NAMES.values() for n in (10,)]
    return Figure(save(figure, folder / "figure11.svg"), caption, ids)
