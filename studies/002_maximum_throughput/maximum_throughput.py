"""What study 002 runs, measures and draws."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from math import log
from pathlib import Path
from statistics import fmean, geometric_mean
from typing import NamedTuple

import ackclock as ac
from ackclock.analysis.plot import GUIDE, SERIES, panels, save, style
from ackclock.batch.store import Kept
from ackclock.batch.study import Comparison, Figure, Measured, Replications, Runs, Settings, Study, Undetermined, Value
from ackclock.batch.study.load import load_code

#: Section III has a file of its own; what it builds is named here, where `claims.toml` looks for it.
SECTION_III = load_code(Path(__file__).with_name("section_iii.py"))
few, packets, bursts = SECTION_III.few, SECTION_III.packets, SECTION_III.bursts
beside, lossy, drops, late = SECTION_III.beside, SECTION_III.lossy, SECTION_III.drops, SECTION_III.late


class Reading(NamedTuple):
    """A way to read what the paper leaves open."""

    name: str
    #: packets that wait, besides the one being sent
    queue: int
    duration_s: int
    segment_bytes: int = 536
    #: ns-3.25's buffers, 131072 bytes, in segments
    window: int = 244
    #: within what each flow starts, s
    spread_s: int = 0


READINGS = {
    "q12": Reading("12 packets, 40 s", 12, 40),
    "q20": Reading("20 packets, 30 s", 20, 30),
    # 1500 bytes of IP packet, and ns-3.25's own queues: pfifo_fast of 1000 packets above a device queue of 100.
    "printed": Reading("as printed", 1100, 100, 1448, 90),
}
#: the same with starts at random, since the paper prints no start
SPREAD = {id: read._replace(spread_s=1) for id, read in READINGS.items()}
#: the readings that fit the tables
FITTING = ("q12", "q20")
#: the paper's variants, then two that it has not; each with its name in the engine
PAPERS = {"NewReno": "new_reno", "Westwood": "westwood", "HighSpeed": "high_speed"}
OTHERS = {"Hybla": "hybla", "Westwood+": "westwood_plus"}
ALL = PAPERS | OTHERS
#: what each table varies
POINTS = {
    "II": (100, 400, 800, 1200, 1700, 3000, 5000, 7000, 10000),
    "III": (5, 15, 30, 45, 60, 100, 125, 175, 200),
    "IV": (2, 5, 7, 9, 12, 15, 18, 20, 23),
}
X = {"II": "router link (kb/s)", "III": "delay of the router link (ms)", "IV": "sources"}
#: the rates of Table II at which the paper has NewReno best, and HighSpeed
LOW, HIGH = (100, 400, 800, 1200), (1700, 3000, 5000, 7000, 10000)


def _network(
    reading: str, control: str, *, rate: str, delay: str, pairs: int = 2, record: ac.Record | None = None
) -> ac.Scenario:
    read = SPREAD[reading.removesuffix("s")] if reading.endswith("s") else READINGS[reading]
    # A device queue of n packets lets n wait; ns-2's drop-tail of n lets n - 1.
    queue = ac.Queue(limit=f"{read.queue + 1} packets")
    return ac.Scenario(
        topology=ac.Dumbbell(
            pairs=pairs,
            access=ac.Link(rate="5 Mb/s", delay="10 ms", queue=queue),
            bottleneck=ac.Link(rate=rate, delay=delay, queue=queue),
        ),
        flows=[
            ac.Flow(
                pair=0,
                tcp="ns3",
                control=control,
                packet_size=f"{read.segment_bytes} B",
                window=f"{read.window} packets",
                start_jitter=f"{read.spread_s} s",
            )
        ],
        duration=f"{read.duration_s} s",
        defaults="ns3_25",
        record=record or ac.Record(sample="0 s"),
    )


def by_rate(reading: str, control: str, kbps: int) -> ac.Scenario:
    """A cell of Table II."""
    return _network(reading, control, rate=f"{kbps} kb/s", delay="20 ms")


def by_delay(reading: str, control: str, ms: int) -> ac.Scenario:
    """A cell of Table III."""
    return _network(reading, control, rate="1 Mb/s", delay=f"{ms} ms")


def by_sources(reading: str, control: str, sources: int) -> ac.Scenario:
    """A cell of Table IV."""
    return _network(reading, control, rate="5 Mb/s", delay="10 ms", pairs=sources)


def alone(reading: str, control: str) -> ac.Scenario:
    """One flow, with each change of its window."""
    record = ac.Record(sample="0 s", changes=True)
    return _network(reading, control, rate="1 Mb/s", delay="60 ms", pairs=1, record=record)


def _rates(kept: Kept, duration_s: int) -> list[float]:
    """Goodput of each flow over the whole run, Mb/s."""
    return [row["delivered_bytes"] * 8 / duration_s / 1e6 for row in kept.results.rows("flows")]


class Ours:
    """Our numbers: `ours["II", "q12"]["NewReno"]` has one for each point of the table."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self._found = {(table, id): self._columns(table, id, "") for table in POINTS for id in READINGS}

    def _columns(self, table: str, reading: str, replication: str) -> dict[str, list[float]]:
        found: dict[str, list[float]] = {}
        duration_s = READINGS[reading.removesuffix("s")].duration_s
        for name, control in ALL.items():
            ids = [f"{reading}/{table}/{point}/{control}{replication}" for point in POINTS[table]]
            if ids[0] in self.runs:
                # The mean of two flows in Tables II and III; half of the aggregate in Table IV.
                found[name] = [sum(_rates(self.runs[id], duration_s)) / 2 for id in ids]
        return found

    def __getitem__(self, key: tuple[str, str]) -> Mapping[str, list[float]]:
        return self._found[key]

    def spread(self, table: str, reading: str) -> Iterator[Mapping[str, list[float]]]:
        """The same with starts at random, one after the other."""
        for number in count():
            found = self._columns(table, f"{reading}s", f"#{number}" if number else "")
            if not found:
                return
            yield found

    def settings(
        self,
        table: str,
        measure: Callable[[Mapping[str, list[float]]], Value],
        readings: Sequence[str] = FITTING,
    ) -> Settings:
        """A measurement of a table under the readings that were run, with its replications."""
        found: dict[str, Value | Replications | Undetermined] = {}
        for id in readings:
            if self[table, id]:
                others = [measure(columns) for columns in self.spread(table, id)]
                found[READINGS[id].name] = Replications(others, measure(self[table, id]))
        return Settings(found)


def measure(runs: Runs) -> dict[str, Measured]:
    """What was measured for every claim."""
    ours = Ours(runs)
    found: dict[str, Measured] = dict(SECTION_III.measure(runs))
    for table, points in POINTS.items():
        for number, point in enumerate(points):
            for name in PAPERS:
                take = partial(_cell, name=name, number=number)
                found[f"{table}/{point}/{name}"] = ours.settings(table, take, tuple(READINGS))
    low, high = slice(0, len(LOW)), slice(len(LOW), None)
    found |= {
        "low": ours.settings("II", lambda got: geometric_mean(_lead(got, "NewReno")[low])),
        "low.margin": ours.settings("II", lambda got: geometric_mean(_lead(got, "NewReno")[low])),
        "high": ours.settings("II", lambda got: _over(got, "HighSpeed", "Westwood", high)),
        "high.newreno": ours.settings("II", lambda got: _over(got, "HighSpeed", "NewReno", high)),
        "high.each": ours.settings("II", lambda got: sum(lead > 1 for lead in _lead(got, "HighSpeed")[high])),
        "high.same": ours.settings("II", lambda got: fmean(got["NewReno"][i] / got["Westwood"][i] for i in (7, 8))),
        "II.westwood": ours.settings("II", lambda got: sum(lead < 1 for lead in _lead(got, "Westwood"))),
        "III.falls": ours.settings("III", lambda got: got["NewReno"]),
        "III.steep": ours.settings("III", lambda got: got["NewReno"][-1] / got["NewReno"][0]),
        "III.useful": ours.settings("III", lambda got: got["HighSpeed"][-1] / got["NewReno"][-1]),
        "III.rising": ours.settings("III", lambda got: _quotients(got, "HighSpeed", "NewReno")),
        "III.crossing": ours.settings("III", _crossing),
        "III.westwood": ours.settings("III", lambda got: sum(lead < 1 for lead in _lead(got, "Westwood"))),
        "IV.rises": ours.settings("IV", lambda got: got["NewReno"]),
        "IV.highspeed": ours.settings("IV", lambda got: sum(lead > 1 for lead in _lead(got, "HighSpeed")[2:])),
        "IV.westwood": ours.settings("IV", lambda got: sum(lead < 1 for lead in _lead(got, "Westwood"))),
        "IV.dip": ours.settings("IV", lambda got: got["NewReno"][2] / got["NewReno"][1]),
        "IV.reading": _readings_of_iv(runs),
        "westwood.estimate": Settings(
            {
                f"{name}, {READINGS[id].name}": _last_threshold(runs[f"alone/{id}/{ALL[name]}"])
                for name in ("Westwood", "Westwood+")
                for id in FITTING
            }
        ),
    }
    if "Westwood+" in ours["II", "q12"]:
        found["westwood.poor"] = Replications(*_westwoods(ours))
    if ours["II", "printed"]:
        tables = [ours[table, "printed"] for table in ("II", "III")]
        others = zip(ours.spread("II", "printed"), ours.spread("III", "printed"), strict=True)
        found["printed"] = Replications(
            [max(map(_apart, both)) for both in others], max(_apart(columns) for columns in tables)
        )
    return found


def _cell(got: Mapping[str, list[float]], *, name: str, number: int) -> float:
    return got[name][number]


def _over(got: Mapping[str, list[float]], name: str, other: str, points: slice) -> dict[str, float]:
    """Two variants' throughputs, geometric means over points of a table."""
    return {one: geometric_mean(got[one][points]) for one in (name, other)}


def _quotients(got: Mapping[str, list[float]], name: str, other: str) -> list[float]:
    return [above / below for above, below in zip(got[name], got[other], strict=True)]


def _westwoods(ours: Ours) -> tuple[list[Value], Value]:
    """Table II's throughput of Westwood+ and Westwood: with starts at random, and of the base run."""

    def means(got: Mapping[str, list[float]]) -> dict[str, float]:
        return {name: geometric_mean(got[name]) for name in ("Westwood+", "Westwood")}

    return [means(got) for got in ours.spread("II", "q12")], means(ours["II", "q12"])


def _apart(got: Mapping[str, list[float]]) -> float:
    """The greatest share by which two of the paper's variants differ at a point."""
    points = [[got[name][number] for name in PAPERS] for number in range(len(got["NewReno"]))]
    return max(max(point) / min(point) for point in points) - 1


def _lead(got: Mapping[str, list[float]], name: str) -> list[float]:
    """Of each point, a variant's throughput over that of the better of the others; for Westwood, of the worse."""
    best = min if name == "Westwood" else max
    others = [got[other] for other in PAPERS if other != name]
    return [own / best(rest) for own, *rest in zip(got[name], *others, strict=True)]


def _crossing(got: Mapping[str, list[float]]) -> float:
    """The delay, ms, from which on HighSpeed stays above NewReno, between points along a straight line; 0 for all."""
    leads = [log(fast / new) for fast, new in zip(got["HighSpeed"], got["NewReno"], strict=True)]
    below = [number for number, lead in enumerate(leads) if lead <= 0]
    if not below:
        return 0.0
    last = below[-1]
    if last + 1 == len(leads):
        return float(POINTS["III"][-1])
    first, after = POINTS["III"][last : last + 2]
    return first + (after - first) * leads[last] / (leads[last] - leads[last + 1])


def _readings_of_iv(runs: Runs) -> Settings:
    """What the number for 23 sources may count, with starts at random."""
    ways: dict[str, Callable[[list[float]], float]] = {
        "half of the aggregate": lambda rates: sum(rates) / 2,
        "mean of the flows": fmean,
        "greatest flow": max,
    }
    duration_s = READINGS["q12"].duration_s
    base, id = _rates(runs["q12/IV/23/new_reno"], duration_s), "q12s/IV/23/new_reno"
    others = [_rates(kept, duration_s) for kept in [runs[id], *runs.replications(id)]] if id in runs else []
    return Settings({name: Replications([take(rates) for rates in others], take(base)) for name, take in ways.items()})


def _last_threshold(kept: Kept) -> float:
    """The last slow-start threshold of a run, as a share of what the path holds without a queue."""
    (flow,) = kept.results.rows("flows")
    path: float = 1e6 * flow["rtt_min_s"] / 8 / 590
    last: float = kept.results.rows("window_changes")[-1]["ssthresh_packets"]
    return last / path


def recorded(study: Study) -> dict[tuple[str, str, str], dict[int, float]]:
    """What real ns-3 gives, and what the paper prints: (table, column, variant) -> point -> Mb/s."""
    found: dict[tuple[str, str, str], dict[int, float]] = {}
    for table in study.tables:
        for number, name in enumerate(table.columns):
            column = [float(row[number]) for row in table.published]
            found[table.id, "paper", name] = dict(zip(map(int, table.rows), column, strict=True))
    with (study.folder / "ns3.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            found.setdefault((row["table"], row["column"], row["variant"]), {})[int(row["point"])] = float(row["mbps"])
    return found


def figures(runs: Runs, folder: Path) -> list[Figure | Comparison]:
    """Draw the study's figures into the folder."""
    ours, known = Ours(runs), recorded(runs.study)
    with style():
        drawn: list[Figure | Comparison] = [_topology(folder)]
        drawn += [_curves(ours, known, table, folder) for table in POINTS]
        drawn += [_side_by_side(ours, known, table) for table in POINTS]
        return [*drawn, _agreement(ours, known, folder), *_windows(runs, folder)]


def _topology(folder: Path) -> Figure:
    """The paper's figure 2: two senders, two routers, two receivers."""
    scenario = replace(by_rate("q12", "new_reno", 1700), duration="1 ms")
    picture = ac.run(scenario).plot.topology()
    return Figure(picture.save(folder / "topology.svg"), "Figure 2. The dumbbell, here with 1700 Kbps in the middle.")


Known = Mapping[tuple[str, str, str], Mapping[int, float]]
PLACE = {"II": "Figure 3, Table II", "III": "Figure 4, Table III", "IV": "Figure 5, Table IV"}
MARKS = "os^Dv"


def _curves(ours: Ours, known: Known, table: str, folder: Path) -> Figure:
    """The paper's figure: its numbers, and ours under the readings, a panel each."""
    shown = [id for id in READINGS if ours[table, id]]
    unit = "Mb/s" if table != "IV" else "Mb/s, half of the aggregate"
    figure, grid = panels(1, 1 + len(shown), x=X[table], y=f"throughput ({unit})", size=(8.4, 3.0))
    for axes, id in zip(grid, [None, *shown], strict=True):
        axes.set_title("the paper" if id is None else READINGS[id].name)
        for name, line, mark in zip(ALL, SERIES, MARKS, strict=False):
            series = known.get((table, "paper", name)) if id is None else ours[table, id].get(name)
            if series:
                values = list(series.values()) if isinstance(series, Mapping) else series
                axes.plot(POINTS[table], values, **line, marker=mark, markersize=3.5, label=name)
        if table == "II":
            axes.set_xscale("log")
    grid[0].set_ylim(bottom=0)
    most = max(grid, key=lambda axes: len(axes.get_lines()))
    figure.legend(*most.get_legend_handles_labels(), loc="outside upper right", ncols=len(ALL))
    caption = {
        "II": "Throughput of a flow against the rate of the router link.",
        "III": "Throughput of a flow against the delay of the router link, at 1 Mb/s.",
        "IV": "Half of the throughput of all flows against their number, at 5 Mb/s.",
    }[table]
    note = "Hybla and Westwood+ are not in the paper." if ours[table, "q12"].keys() - PAPERS.keys() else ""
    ids = [id for id in runs_of(ours.runs, table) if id.startswith("q12")][:3]
    where = PLACE[table]
    return Figure(save(figure, folder / f"table_{table}.svg"), f"{where}. {caption} {note}".strip(), ids)


def runs_of(runs: Runs, table: str) -> list[str]:
    """Ids of a table's runs."""
    return [id for id in runs if id.split("/")[1:2] == [table]]


#: what the rows of the side-by-side tables are: the recorded column, and our reading beside it
ROWS = {
    "paper": "the paper",
    "O": "ns-3.25, 20 packets, 30 s",
    "q20": "ackclock, 20 packets, 30 s",
    "M": "ns-3.25, 12 packets, 40 s",
    "q12": "ackclock, 12 packets, 40 s",
    "P": "ns-3.37, the same, no SACK, window 1",
    "N": "ns-3.37, the same, its own TCP",
    "E": "ns-3.37, its own queues too, 100 s",
    "L": "ns-3.25, as printed",
    "printed": "ackclock, as printed",
}


def _side_by_side(ours: Ours, known: Known, table: str) -> Comparison:
    """Published numbers, the real ns-3's and ours."""
    groups = []
    for name in ALL:
        rows = []
        for column, label in ROWS.items():
            got: Sequence[float] | None = None
            if column in READINGS:
                got = ours[table, column].get(name)
            elif (table, column, name) in known:
                got = list(known[table, column, name].values())
            if got:
                rows.append((label, [f"{value:.3f}" for value in got]))
        if rows:
            groups.append((name, rows))
    unit = "Mb/s a flow" if table != "IV" else "Mb/s, half of the aggregate"
    caption = f"Table {table} side by side, {unit}: published, as the real ns-3 gives it, ours."
    return Comparison(caption, [X[table], *map(str, POINTS[table])], groups)


def _agreement(ours: Ours, known: Known, folder: Path) -> Figure:
    """Ours over the real ns-3.25's, cell by cell, for the two columns that were run on it."""
    figure, grid = panels(1, 2, x="throughput in ns-3.25 (Mb/s)", y="ours / ns-3.25", size=(7.6, 3.0))
    said = []
    for axes, (column, id) in zip(grid, (("M", "q12"), ("O", "q20")), strict=True):
        ratios: list[float] = []
        for table, mark in zip(POINTS, MARKS, strict=False):
            cells = [
                (known[table, column, name][point], value)
                for name in PAPERS
                for point, value in zip(POINTS[table], ours[table, id][name], strict=True)
            ]
            ratios += [value / real for real, value in cells]
            axes.plot(
                [real for real, _ in cells],
                [value / real for real, value in cells],
                linestyle="none",
                marker=mark,
                markersize=4,
                markerfacecolor="none",
                color=SERIES[0]["color"],
                label=f"Table {table}",
            )
        for bound in (0.9, 1.0, 1.1):
            axes.axhline(bound, **GUIDE)
        axes.set_xscale("log")
        axes.set_title(READINGS[id].name)
        close = {share: sum(abs(ratio - 1) <= share for ratio in ratios) for share in (0.01, 0.1)}
        said.append(
            f"with {READINGS[id].name}, {close[0.01]} of {len(ratios)} cells are within 1 % of the real ns-3.25's, "
            f"{close[0.1]} within 10 %"
        )
    grid[0].legend()
    text = "; ".join(said)
    return Figure(save(figure, folder / "agreement.svg"), f"Ours over the real simulator's: {text}.")


def _windows(runs: Runs, folder: Path) -> list[Figure]:
    """Westwood's window and threshold beside Westwood+'s."""
    figure, grid = panels(1, 3, x="time (s)", y="segments", size=(8.4, 2.8))
    names = ("NewReno", "Westwood", "Westwood+")
    ids = [f"alone/q12/{ALL[name]}" for name in names]
    for axes, name, id in zip(grid, names, ids, strict=True):
        rows = [row for row in runs[id].results.rows("window_changes") if row["time_s"] > 0]
        time = [row["time_s"] for row in rows]
        axes.step(time, [row["cwnd_packets"] for row in rows], where="post", **SERIES[0], label="window")
        limit = [min(row["ssthresh_packets"], 250) for row in rows]
        axes.step(time, limit, where="post", **SERIES[1], label="threshold")
        axes.set_title(name)
        axes.set_ylim(0, 130)
    grid[0].legend()
    return [
        Figure(
            save(figure, folder / "windows.svg"),
            "One flow over 1 Mb/s and 160 ms. ns-3.25's Westwood divides what one ACK acknowledges by a whole round "
            "trip, so that each loss leaves a threshold of two segments; Westwood+ measures the round trip.",
            ids,
        )
    ]
