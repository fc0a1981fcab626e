"""What study 003 measures and draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import ackclock as ac
from ackclock.analysis.plot import GUIDE, SERIES, palette, panels, save, style
from ackclock.analysis.stats import jain
from ackclock.batch.study import (
    Figure,
    Measured,
    Replications,
    Runs,
    Settings,
    Table,
    Undetermined,
    Value,
    by_name,
    judge,
    spread,
)

#: The paper's names in the order of its tables.
VARIANTS = ("Taho", "Newreno", "Sack", "Reno", "Vegas")
QUEUES = ("DropTail", "RED")
DELAYS = ("1ms", "30ms")
#: The paper's pair whose agents stand the other way round in the run that gives its numbers.
SWAPPED = {"Taho/Sack": "Sack/Taho"}
#: Packets of 540 bytes that the bottleneck of 1.5 Mb/s carries in a second.
CAPACITY = 1.5e6 / 8 / 540
#: Length of the intervals that `reduce` counts in, s, and when the paper begins to look.
INTERVAL_S, FROM_S = 0.5, 5.0

#: How one number is taken from what is kept of a run.
Take = Callable[[Mapping[str, Any]], float]


def measure(runs: Runs) -> dict[str, Measured]:
    """What was measured for every claim."""
    measured: dict[str, Measured] = {}
    for variant in VARIANTS:
        for row in ("sent", "received", "dropped"):
            measured[f"table2/{row}/{variant}"] = over(runs, f"table2/{variant}", count(row))
        measured[f"percentages/dropped of sent/{variant}"] = over(runs, f"table2/{variant}", per_cent())
    for pair in pairs(runs):
        id = f"table4/{SWAPPED.get(pair, pair)}"
        flows = ("2", "1") if pair in SWAPPED else ("1", "2")
        for column, flow in zip(("first", "second"), flows, strict=True):
            measured[f"table4/{pair}/{column}"] = over(runs, id, count("dropped", flow))
    measured |= _two_flows(runs)
    measured |= {f"fair.{queue}.{delay}": _fairness(runs, queue, delay) for queue in QUEUES for delay in DELAYS}
    measured["congestion"] = _least_load(runs)
    early = [over(runs, f"table2/{variant}", lambda reduced: float(reduced["sent_in_5_s"])) for variant in VARIANTS]
    measured["five_seconds"] = _extreme(max, early)

    by_variant = {variant: over(runs, f"table2/{variant}", count("received")) for variant in VARIANTS}
    received = by_name(by_variant)
    measured |= {"vegas.most": received, "order": received}
    measured["vegas.least"] = by_name({v: over(runs, f"table2/{v}", per_cent()) for v in VARIANTS})
    measured["vegas.gap"] = by_name({variant: by_variant[variant] for variant in ("Vegas", "Sack")})
    if "table2_35/Reno" in runs:
        measured["release"] = {release: float(_matched(runs, release)) for release in ("ns2_29", "ns2_35")}
    return measured


def pairs(runs: Runs) -> list[str]:
    """The ten pairs of Table 4, as the paper names them."""
    (table,) = (table for table in runs.study.tables if table.id == "table4")
    return table.rows


def over(runs: Runs, id: str, take: Take) -> Replications:
    """A number of a run and of its replications."""
    return runs.over(id, lambda kept: take(kept.reduced))


def _number(value: object) -> float:
    return float(str(value))


def _of(reduced: Mapping[str, Any], what: str, flow: str = "0") -> float:
    return float(reduced[what].get(flow, 0))


def count(what: str, flow: str = "0") -> Take:
    """Takes this count of a flow."""
    return lambda reduced: _of(reduced, what, flow)


def per_cent(flow: str = "0") -> Take:
    """Takes lost of sent of a flow, %, both counted as the paper does.

    Where nothing passed the bottleneck, all was lost: a SYN that meets a full queue costs 6 s with ns-2.29's defaults.
    """

    def take(reduced: Mapping[str, Any]) -> float:
        sent, lost = _of(reduced, "sent", flow), _of(reduced, "dropped", flow)
        return 100 * lost / sent if sent else 100.0

    return take


def _two_flows(runs: Runs) -> dict[str, Measured]:
    """The claims about Table 4 that are not its numbers, from the base run and from starts at random."""
    lost: dict[str, Value | Replications | Undetermined] = {}
    rate: dict[str, Value | Replications | Undetermined] = {}
    received: dict[str, Value | Replications | Undetermined] = {}
    shares: dict[str, Value | Replications | Undetermined] = {}
    least: list[Replications] = []
    fewest: list[Replications] = []
    of_vegas: list[Replications] = []
    for pair in pairs(runs):
        run = SWAPPED.get(pair, pair)
        id, flows = f"table4/{run}", dict(zip(run.split("/"), "12", strict=True))
        if "Vegas" in flows:
            (partner,) = flows.keys() - {"Vegas"}
            lost[partner] = over(runs, id, count("dropped", flows["Vegas"]))
            both = {name: over(runs, id, per_cent(flows[name])) for name in ("Vegas", partner)}
            rate[partner] = by_name(both)
            of_vegas.append(both["Vegas"])
            received[partner] = by_name(
                {name: over(runs, id, count("received", flows[name])) for name in ("Vegas", partner)}
            )
        else:
            shares[run] = over(runs, id, _first_share)
            least += [over(runs, id, per_cent(flow)) for flow in flows.values()]
        fewest += [over(runs, id, count("dropped", flow)) for name, flow in flows.items() if name != "Vegas"]
    expense = {"least of the others": _extreme(min, least), "most of Vegas": _extreme(max, of_vegas)}
    return {
        "vegas.drops": Settings(lost),
        "vegas.rate": Settings(rate),
        "vegas.congested": Settings(received),
        "vegas.predicts": over(runs, "same/Vegas/Vegas", lambda reduced: float(sum(reduced["dropped"].values()))),
        "half": Settings(shares),
        "expense": by_name(expense),
        "aggressive": _extreme(min, fewest),
    }


def _first_share(reduced: Mapping[str, Any]) -> float:
    """The part of the packets that the first flow delivered."""
    return _of(reduced, "received", "1") / float(sum(reduced["received"].values()))


def _extreme(choose: Callable[..., float], measured: list[Replications]) -> Replications:
    """The least or the greatest of several measurements, run by run."""
    rows = zip(*(one.values for one in measured), strict=True)
    base = choose(_number(one.base) for one in measured)
    return Replications([choose(map(_number, row)) for row in rows], base)


def _fairness(runs: Runs, queue: str, delay: str, family: str = "fairness") -> dict[str, float]:
    """Packets in 5 to 20 s of both flows of each variant, and Jain's index of them."""
    found: dict[str, float] = {}
    for variant in ("Taho", "Reno", "Newreno", "Sack", "Vegas"):
        reduced = runs[f"{family}/{queue}/{delay}/{variant}"].reduced
        far, near = (_of(reduced, "steady", flow) for flow in "12")
        found |= {f"{variant} far": far, f"{variant} near": near, f"{variant} Jain": jain([far, near])}
    return found


def _least_load(runs: Runs) -> float:
    """What came to both receivers in 5 to 20 s, as a part of what the bottleneck carries: the least with DropTail."""
    loads: list[float] = []
    for delay, variant in product(DELAYS, VARIANTS):
        steady = runs[f"fairness/DropTail/{delay}/{variant}"].reduced["steady"]
        loads.append(sum(steady.values()) / ((20 - FROM_S) * CAPACITY))
    return min(loads)


def _matched(runs: Runs, release: str) -> int:
    """How many numbers of Tables 2 and 4 come out to their last digit under a release's defaults."""
    suffix = "" if release == "ns2_29" else "_35"

    def value(table: Table, row: str, column: str) -> float:
        if table.id == "table4":
            flow = {"first": "1", "second": "2"}[column]
            if row in SWAPPED:
                flow = {"1": "2", "2": "1"}[flow]
            return _of(runs[f"table4{suffix}/{SWAPPED.get(row, row)}"].reduced, "dropped", flow)
        reduced = runs[f"table2{suffix}/{column}"].reduced
        return per_cent()(reduced) if table.id == "percentages" else _of(reduced, row)

    claims = [(table, claim) for table in runs.study.tables for claim in table.claims()]
    return sum(judge(claim, value(table, *claim.cell[1:])).verdict.value == "reproduced" for table, claim in claims)


def figures(runs: Runs, folder: Path) -> list[Figure]:
    """Draw the study's figures into the folder."""
    with style():
        return [*_networks(runs, folder), _received(runs, folder), _drops(runs, folder), _occupancy(runs, folder)]


def _networks(runs: Runs, folder: Path) -> list[Figure]:
    """The two networks, as the scenarios of the same packets describe them."""
    drawn = []
    for name, caption in (
        ("error_model", "Topology 1: one flow, and a link that loses packets."),
        (
            "two_flows",
            "Topologies 2 and 3: two flows share the link from R1 to R2. In section IV its queue has room for 15.",
        ),
    ):
        scenario = ac.load(runs.study.folder / f"{name}.toml", {"duration": "1 ms"})
        drawn.append(Figure(ac.run(scenario).plot.topology().save(folder / f"{name}.svg"), caption))
    return drawn


def _received(runs: Runs, folder: Path) -> Figure:
    """Table 2's packets received: printed, in the base run, and in the replications."""
    figure, (axes,) = panels(1, 1, x="", y="packets received in 19 s", size=(7.6, 3.4))
    published = _published(runs, "table2")
    for place, variant in enumerate(VARIANTS):
        found = over(runs, f"table2/{variant}", count("received"))
        first = place == 0
        values = [_number(value) for value in found.values]
        axes.plot(
            [place + 0.12] * len(values), values, ".", color=SERIES[2]["color"], label="replications" if first else None
        )
        seeds = spread(values)
        if seeds is not None and seeds.half is not None:
            axes.errorbar(
                place + 0.25, seeds.mean, seeds.half, fmt="_", color=SERIES[2]["color"], capsize=3,
                label="their mean, 95 %" if first else None,
            )  # fmt: skip
        base = _number(found.base)
        axes.plot(place - 0.1, base, "o", markersize=4, color=SERIES[0]["color"], label="ours" if first else None)
        axes.plot(
            place - 0.1, published["received", variant], "o", markersize=10, markerfacecolor="none",
            markeredgecolor=SERIES[1]["color"], label="published" if first else None,
        )  # fmt: skip
    axes.set_xticks(range(len(VARIANTS)), VARIANTS)
    axes.set_ylim(bottom=0)
    axes.legend(ncols=2, loc="lower right")
    return Figure(
        save(figure, folder / "received.svg"),
        "Packets received behind the error model. With the paper's random numbers the SYN of every variant but Vegas "
        "is lost, which costs 6 of 19 s. In the replications, on other substreams, the variants lie close together.",
        [f"table2/{variant}" for variant in VARIANTS],
    )


def _drops(runs: Runs, folder: Path) -> Figure:
    """Table 4, printed and ours."""
    figure, (axes,) = panels(1, 1, x="", y="packets dropped in 4.4 s", size=(7.6, 3.2))
    published = _published(runs, "table4")
    for place, pair in enumerate(pairs(runs)):
        reduced = runs[f"table4/{SWAPPED.get(pair, pair)}"].reduced
        for column, flow, aside, line in zip(
            ("first", "second"), "21" if pair in SWAPPED else "12", (-0.18, 0.18), SERIES, strict=False
        ):
            label = f"{column}, ours" if place == 0 else None
            axes.bar(place + aside, _of(reduced, "dropped", flow), 0.3, color=line["color"], label=label)
            label = "published" if place == 0 and column == "first" else None
            axes.plot(
                place + aside,
                published[pair, column],
                "o",
                markersize=7,
                color=palette.INK.light,
                markerfacecolor="none",
                label=label,
            )
    axes.set_xticks(range(10), [pair.replace("/", "\n") for pair in pairs(runs)])
    axes.set_ylim(top=40)
    axes.set_axisbelow(True)
    axes.legend(ncols=3, loc="upper left")
    return Figure(
        save(figure, folder / "drops.svg"),
        "Packets dropped when two variants share the bottleneck. Vegas loses 3 to 6, whatever it runs beside.",
        [f"table4/{SWAPPED.get(pair, pair)}" for pair in pairs(runs)],
    )


def _occupancy(runs: Runs, folder: Path) -> Figure:
    """Section IV: 20 panels, a row a variant, a column a queue and a delay."""
    columns = list(product(QUEUES, DELAYS))
    figure, grid = panels(len(VARIANTS), len(columns), x="time (s)", y="part of the link", size=(7.6, 8.4))
    ids = []
    for axes, (variant, (queue, delay)) in zip(grid, product(VARIANTS, columns), strict=True):
        id = f"fairness/{queue}/{delay}/{variant}"
        ids.append(id)
        reduced = runs[id].reduced
        for flow, name, line in zip("12", ("S1 to S3 (delay X)", "S2 to S4 (1 ms)"), SERIES, strict=False):
            counts = reduced["intervals"].get(flow, [])
            first = int(FROM_S / INTERVAL_S)
            times = [FROM_S + INTERVAL_S * (n + 0.5) for n in range(len(counts) - first)]
            axes.plot(times, [count / INTERVAL_S / CAPACITY for count in counts[first:]], **line, label=name)
        axes.axhline(0.5, **GUIDE)
        if variant == VARIANTS[0]:
            axes.set_title(f"{queue}, X = {delay.removesuffix('ms')} ms")
        axes.annotate(variant, (0.03, 0.86), xycoords="axes fraction", fontsize=8)
    grid[0].set_ylim(0, 1.2)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    return Figure(
        save(figure, folder / "occupancy.svg"),
        "Section IV's occupancy graphs: packets received in each half second as a part of what the link carries. The "
        "dotted line is half. With 30 ms more on the way of S1 to S3, the loss-based variants starve it under DropTail "
        "and less under RED; Vegas shares.",
        ids,
    )


def _published(runs: Runs, id: str) -> dict[tuple[str, str], float]:
    (table,) = (table for table in runs.study.tables if table.id == id)
    return {(claim.cell[1], claim.cell[2]): float(str(claim.published)) for claim in table.claims()}
