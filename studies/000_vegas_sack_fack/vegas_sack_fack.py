"""What study 000 measures. `vegas_sack_fack_figures.py` draws its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log
from pathlib import Path
from statistics import fmean, stdev

from ackclock.analysis.stats import jain
from ackclock.batch.store import Kept
from ackclock.batch.study import Figure, Measured, Replications, Runs, Settings, by_name
from ackclock.batch.study.load import load_code

#: As the paper names them, and as ns-2 does.
NAMES = {"Vegas": "Vegas", "Sack": "Sack1", "Fack": "Fack"}
#: The authors' scripts counted each TCP packet five times.
COUNTED = 5
#: Mb/s of each of the two CBR sources; the first is that of the set-up `low` itself.
RATES = ("0.5", "1", "1.5", "2", "2.5", "3")
#: Of Fig. 11, packets.
THRESHOLDS = (5, 10, 15, 20, 30, 40, 50)
#: What the threshold of Fig. 11 may be of RED's.
READINGS = {"RED": "limit", "REDthresh": "lower threshold", "REDmax": "upper threshold"}
#: RED's thresholds for Table 3 and Figs. 8 to 10, packets. ns-2's automatic ones come to 5 and 15 here.
RED = {"40/80": "40:80", "5/15": "5:15", "10/30": "10:30"}
#: Bytes on the wire of a data packet: Vegas's have no headers on top.
WIRE = {"Vegas": 1000, "Sack": 1040, "Fack": 1040}
CBR_BYTES = 210
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
    return 1e3 * float(sum(flow[1] * flow[2] for flow in flows if flow[1])) / received(run)


def lost(run: Kept) -> float:
    """Data packets sent and not received, those on the way at the end included."""
    return sent(run) - received(run)


def printed(run: Kept, kind: str, column: int) -> list[float]:
    """A column of the lines that the script prints about the flows of a kind, `tcp` or `cbr`."""
    lines = (line.split() for line in run.stdout.splitlines())
    return [float(words[column]) for words in lines if words[0] == kind]


def in_order(run: Kept) -> list[float]:
    """Data packets that each sink received in order."""
    return printed(run, "tcp", 1)


def retransmitted(run: Kept) -> float:
    """Data packets that the sources retransmitted."""
    return sum(printed(run, "tcp", 2))


def dropped(run: Kept) -> float:
    """TCP's data packets that the bottleneck dropped."""
    return sum(printed(run, "tcp", 3))


def udp(run: Kept) -> float:
    """CBR packets received."""
    return sum(printed(run, "cbr", 1))


def measure(runs: Runs) -> dict[str, Measured]:
    """What was measured for every claim whose runs there are."""
    measured = {**_tables(runs), **_low(runs)}
    if "high/RED/Vegas" in runs:
        measured |= {**_high(runs), **_rates(runs), **_fair(runs), **_delays(runs), **_threshold(runs)}
    return measured


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
                f"table2/{row}/Sent": _over(runs, id, lambda run: COUNTED * sent(run)),
                f"table2/{row}/Lost": _over(runs, id, lambda run: COUNTED * lost(run)),
                f"table2/{row}/Delay": _over(runs, id, delay_ms),
            }
        run = runs[f"fair/RED/{kind}"]
        acks = run.reduced["acks"].values()
        measured |= {
            f"table3/{name}/Paketa TCP": COUNTED * sent(run),
            f"table3/{name}/ACK from TCP Sink": sum(flow[0] for flow in acks),
            f"table3/{name}/TCP Drop": COUNTED * dropped(run),
            f"table3/{name}/ACK Drop": sum(printed(run, "tcp", 4)),
            f"table3/{name}/Average Delay": delay_ms(run),
        }
    return measured


def _low(runs: Runs) -> dict[str, Measured]:
    ids = {name: f"low/{kind}" for name, kind in NAMES.items()}
    carried = {name: _values(runs, id, received) for name, id in ids.items()}
    return {
        "low.vegas.first": _together(runs, ids, received),
        "low.vegas.gain": Settings(
            {f"over {name}": Replications.ratio_of_means(carried["Vegas"], carried[name]) for name in ("Sack", "Fack")}
        ),
        "low.sack.fack": Replications.ratio_of_means(carried["Sack"], carried["Fack"]),
        "low.vegas.drops": _together(runs, ids, lambda run: lost(run) / sent(run)),
        "low.vegas.delay": _together(runs, ids, delay_ms),
        "low.vegas.retransmits": _together(runs, ids, retransmitted),
        "losses.start": Settings({name: _over(runs, id, dropped) for name, id in ids.items()}),
    }


def _high(runs: Runs) -> dict[str, Measured]:
    low = {name: f"low/{kind}" for name, kind in NAMES.items()}
    drop_tail, red = ({name: f"high/{queue}/{kind}" for name, kind in NAMES.items()} for queue in ("DropTail", "RED"))
    both = {"DropTail": drop_tail, "RED": red}
    windows = {"0.5 Mb": low, "3 Mb, DropTail": drop_tail, "3 Mb, RED": red}
    return {
        "high.order": _together(runs, drop_tail, sent),
        "high.red.fack": _together(runs, red, sent),
        "high.red.vegas": Replications.ratio_of_means(
            _values(runs, drop_tail["Vegas"], sent), _values(runs, red["Vegas"], sent)
        ),
        "high.red.opposite": _together(runs, red, sent),
        "high.vegas.losses": Settings(
            {queue: _together(runs, ids, lambda run: lost(run) / sent(run)) for queue, ids in both.items()}
        ),
        "high.dissimilar": Replications(
            [
                log(sent(sack) / sent(fack)) - log(sent(high_sack) / sent(high_fack))
                for sack, fack, high_sack, high_fack in zip(
                    *(runs.with_replications(ids[name]) for ids in (low, drop_tail) for name in ("Sack", "Fack")),
                    strict=True,
                )
            ]
        ),
        "window": Settings(
            {
                f"{name}, {where}": _over(runs, ids[name], lambda run: fmean(run.reduced["cwnd_packets"]))
                for where, ids in windows.items()
                for name in ("Sack", "Fack")
            }
        ),
        "udp.same": Settings({where: _spread_of_udp(runs, list(ids.values())) for where, ids in windows.items()}),
    }


def _spread_of_udp(runs: Runs, ids: Sequence[str]) -> Replications:
    """The most CBR packets that came through beside one of the variants, over the least."""
    together = zip(*(_values(runs, id, udp) for id in ids), strict=True)
    return Replications([max(counts) / min(counts) for counts in together])


def _rates(runs: Runs) -> dict[str, Measured]:
    """The set-up of the 0.5 Mb rows at other CBR rates."""
    ids = {name: [f"low/{kind}", *(f"rate/{kind}/{rate}" for rate in RATES[1:])] for name, kind in NAMES.items()}
    # The runs at 0.5 Mb have more replications than the others.
    at = {
        name: [runs.with_replications(id)[: len(runs.with_replications(of_kind[-1]))] for id in of_kind]
        for name, of_kind in ids.items()
    }
    greater = {
        f"{name}, {rate} Mb, {unit}": Replications.ratio_of_means(
            [factor * udp(run) for run in found], [sum(in_order(run)) for run in found]
        )
        for name in NAMES
        for rate, found in ((RATES[0], at[name][0]), (RATES[-1], at[name][-1]))
        for unit, factor in (("packets", 1.0), ("bytes", CBR_BYTES / WIRE[name]))
    }
    return {
        "rates.tcp": Settings({name: _one_after_the_other(found) for name, found in at.items()}),
        "rates.udp": Settings(
            {
                name: Replications.ratio_of_means([udp(run) for run in found[-1]], [udp(run) for run in found[0]])
                for name, found in at.items()
            }
        ),
        "udp.greater": Settings(greater),
    }


def _one_after_the_other(found: Sequence[Sequence[Kept]]) -> Replications:
    """Packets received at each rate, replication by replication; the first one is the base run's."""
    base, *others = ([sum(in_order(run)) for run in together] for together in zip(*found, strict=True))
    return Replications(others, base)


def _fair(runs: Runs) -> dict[str, Measured]:
    """Under RED's thresholds as they may have been, with CBR gaps at random."""
    tahoe = runs.with_replications("fair/random/DropTail/Tahoe")
    red = {
        way: {name: runs.with_replications(f"fair/{thresholds}/{kind}") for name, kind in NAMES.items()}
        for way, thresholds in RED.items()
    }

    def of_each(measure: Callable[[Kept], float]) -> Settings:
        return Settings(
            {
                way: _together(runs, {name: f"fair/{thresholds}/{kind}" for name, kind in NAMES.items()}, measure)
                for way, thresholds in RED.items()
            }
        )

    def jains(name: str) -> dict[str, Replications]:
        return {way: Replications([jain(shares(run)) for run in found[name]]) for way, found in red.items()}

    return {
        "fair.tahoe": Replications([jain(shares(run)) for run in tahoe]),
        "fair.tahoe.delay": Settings(
            {
                f"{way}, {name}": Replications.ratio_of_means(
                    [delay_ms(run) for run in tahoe], [delay_ms(run) for run in of_name]
                )
                for way, found in red.items()
                for name, of_name in found.items()
            }
        ),
        "fair.alike": Settings({f"{name}, {way}": found for name in NAMES for way, found in jains(name).items()}),
        "fair.sack": Settings(jains("Sack")),
        "fair.fack": Settings(jains("Fack")),
        "fair.vegas.node9": Settings({way: _node9(found["Vegas"]) for way, found in red.items()}),
        "fair.delay": of_each(delay_ms),
        "fair.fack.more": of_each(received),
        "fair.lower.delay": Settings(
            {
                way: Replications(
                    [_least_delay_most_packets(together) for together in zip(*found.values(), strict=True)]
                )
                for way, found in red.items()
            }
        ),
        "fair.together": Settings(
            {
                f"{first} first, beside {second}, {way}": _other_over_vegas(
                    runs.with_replications(f"fair/{thresholds}/{first}+{second}"), first
                )
                for way, thresholds in RED.items()
                for pair in ("Sack1", "Fack")
                for first, second in (("Vegas", pair), (pair, "Vegas"))
            }
        ),
        "fair.best": Settings(
            {
                way: Replications(
                    [
                        min(jain(shares(one)), jain(shares(vegas))) - max(jain(shares(sack)), jain(shares(fack)))
                        for one, vegas, sack, fack in zip(tahoe, *found.values(), strict=True)
                    ]
                )
                for way, found in red.items()
            }
        ),
    }


def _least_delay_most_packets(together: Sequence[Kept]) -> float:
    """1 if the variant with the least delay received the most packets, else 0."""
    quickest = min(together, key=delay_ms)
    return float(received(quickest) == max(received(run) for run in together))


def _node9(runs: Sequence[Kept]) -> Replications:
    """Packets of the fifth flow over the mean of the others."""
    return Replications.ratio_of_means([shares(run)[-1] for run in runs], [fmean(shares(run)[:-1]) for run in runs])


def _other_over_vegas(runs: Sequence[Kept], first: str) -> Replications:
    """Flows take turns: the first, third and fifth are of the first kind."""
    vegas, other = (0, 1) if first == "Vegas" else (1, 0)
    return Replications.ratio_of_means(
        [fmean(shares(run)[other::2]) for run in runs], [fmean(shares(run)[vegas::2]) for run in runs]
    )


def _delays(runs: Runs) -> dict[str, Measured]:
    """Flows of different delays, and Vegas on long paths."""
    differ = {
        f"{name}, {queue}": runs.with_replications(f"delays/{queue}/{kind}")
        for queue in ("DropTail", "RED")
        for name, kind in NAMES.items()
    }
    near = [log(_variation(run)) for run in runs.with_replications("far/26")]
    far = {delay: [log(_variation(run)) for run in runs.with_replications(f"far/{delay}")] for delay in (100, 300)}
    return {
        "delays.more": Settings(
            {
                name: Replications.ratio_of_means(
                    [in_order(run)[0] for run in found], [in_order(run)[-1] for run in found]
                )
                for name, found in differ.items()
            }
        ),
        "far.unstable": Settings(
            {
                f"{delay} ms": Replications([one - other for one, other in zip(found, near, strict=True)])
                for delay, found in far.items()
            }
        ),
    }


def _variation(run: Kept) -> float:
    """Coefficient of variation of a flow's throughput in intervals of 5 s, from 60 s on; mean over the flows."""
    found = []
    for counts in run.reduced["bytes"]["tcp"]:
        intervals = [sum(counts[second : second + 5]) for second in range(60, 120, 5)]
        found.append(stdev(intervals) / fmean(intervals))
    return fmean(found)


def _threshold(runs: Runs) -> dict[str, Measured]:
    keys = [f"{kind}/{n}" for kind in NAMES.values() for n in THRESHOLDS]
    different = sum(
        runs[f"threshold/Management/{key}"].reduced["trace"] != runs[f"threshold/DropTail/{key}"].reduced["trace"]
        for key in keys
    )
    other_length = sum(
        run.reduced["queue_max_packets"] != int(key.partition("/")[2]) - 1
        for key in keys
        for run in runs.with_replications(f"threshold/Management/{key}")
    )
    return {
        "management": str(different),
        "management.length": str(other_length),
        "best": Settings(dict(_worst(runs, name, red) for red in READINGS for name in NAMES)),
        "buffer.red": Settings({name: _fairer_red(runs, name) for name in NAMES}),
        "buffer.larger": Settings(
            {
                f"{name}, {label}": Replications(
                    [_rises(values) for values in zip(*_jains(runs, queue, name), strict=True)]
                )
                for queue, label in (("Management", "proposed"), ("RED", "RED"))
                for name in NAMES
            }
        ),
    }


def _worst(runs: Runs, name: str, red: str) -> tuple[str, Replications]:
    """The proposed queue's throughput over RED's, at the threshold where it does worst.

    One half of the replications picks the threshold and the other half is judged: the minimum of noisy ratios would be
    below 1 by chance.
    """
    proposed, other = ({n: rates_mbps(runs, queue, name, n) for n in THRESHOLDS} for queue in ("Management", red))
    half = len(proposed[THRESHOLDS[0]]) // 2
    worst = min(THRESHOLDS, key=lambda n: fmean(proposed[n][:half]) / fmean(other[n][:half]))
    return f"{name} at RED's {READINGS[red]} {worst}", Replications.ratio_of_means(
        proposed[worst][half:], other[worst][half:]
    )


def rates_mbps(runs: Runs, queue: str, name: str, n: int) -> list[float]:
    """Throughput of the five flows of a run of Fig. 11, and of its replications."""
    found = runs.with_replications(f"threshold/{queue}/{NAMES[name]}/{n}")
    return [sum(in_order(run)) * WIRE[name] * 8 / THRESHOLD_SECONDS / 1e6 for run in found]


def _jains(runs: Runs, queue: str, name: str) -> list[list[float]]:
    """By threshold, Jain's index in each replication."""
    ids = [f"threshold/{queue}/{NAMES[name]}/{n}" for n in THRESHOLDS]
    return [[jain(in_order(run)) for run in runs.with_replications(id)] for id in ids]


def _fairer_red(runs: Runs, name: str) -> Replications:
    """Jain's index under RED less that under the proposed queue of the same size, mean over the sizes."""
    red, proposed = (
        [fmean(values) for values in zip(*_jains(runs, queue, name), strict=True)] for queue in ("RED", "Management")
    )
    return Replications([one - other for one, other in zip(red, proposed, strict=True)])


def _rises(values: Sequence[float]) -> float:
    """Kendall's rank correlation of the values with their places."""
    signs = [(later > earlier) - (later < earlier) for at, earlier in enumerate(values) for later in values[at + 1 :]]
    return fmean(signs)


def _values(runs: Runs, id: str, measure: Callable[[Kept], float]) -> list[float]:
    return [measure(run) for run in runs.with_replications(id)]


def _over(runs: Runs, id: str, measure: Callable[[Kept], float]) -> Replications:
    return Replications(_values(runs, id, measure))


def _together(runs: Runs, ids: Mapping[str, str], measure: Callable[[Kept], float]) -> Replications:
    """A number of each of several runs by name, replication by replication."""
    return by_name({name: runs.over(id, measure) for name, id in ids.items()})


def figures(runs: Runs, folder: Path) -> list[Figure]:
    """Draw the study's figures into the folder."""
    drawn: list[Figure] = load_code(Path(__file__).with_name("vegas_sack_fack_figures.py")).figures(runs, folder)
    return drawn
