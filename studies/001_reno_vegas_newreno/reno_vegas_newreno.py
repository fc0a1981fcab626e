"""What study 001 measures. `reno_vegas_newreno_figures.py` draws its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log
from pathlib import Path
from statistics import fmean
from typing import Any

from ackclock.analysis.models import reno_and_vegas
from ackclock.analysis.models.reno_and_vegas import Bottleneck, VegasWindow
from ackclock.batch.store import Kept
from ackclock.batch.study import Figure, Measured, Replications, Runs, Settings, Value, read_columns
from ackclock.batch.study.load import load_code

#: What a setting of a claim may have.
Weighed = Value | Replications

#: How long the runs of Reno beside Vegas last, s.
RENO_VEGAS_S = 100
#: Buffers of the bottleneck for which the model is compared with runs, packets.
BUFFERS = (5, 7, 10, 15, 20, 30, 50, 100)
#: What RED's printed thresholds "5[packets] and 0.6[packets]" may mean, at the printed buffer of 10 packets.
READINGS = {
    "5 and 0.6 in ns-2's bytes": "RED:5:0.6",
    "5 and 0.6 in packets": "RED:5:0.6:packets",
    "5 and 6 in bytes": "RED:5:6",
    "5 and 6 in packets": "RED:5:6:packets",
}
#: RED as the model describes it, in packets: name, queue of the script, buffer, thresholds.
RED_MODELS = (
    ("5/6 of 10", "RED:5:6:packets", 10, 5, 6),
    ("5/15 of 50", "RED:5:15:packets", 50, 5, 15),
    ("10/30 of 100", "RED:10:30:packets", 100, 10, 30),
)
#: Set-ups of NewReno and Reno: packet size, windows, sources together, sources in runs of their own.
NEWRENO = {
    "droptail": (512, (8000, 16), ("Newreno+Reno", "Newreno+Reno+Reno"), ("Newreno", "Reno")),
    "red": (512, (2000, 4), ("Newreno+Reno", "Newreno+Reno+Reno"), ("Newreno+Newreno", "Reno+Reno")),
    "multi": (552, (8000, 14), ("Newreno+Reno",), ("Newreno", "Reno")),
}
#: The other ends of "0.7Mbps to 2Mbps" and "1ms to 20ms".
RANGES = ("0.7Mb:1ms", "2Mb:1ms", "2Mb:20ms")


def bottleneck(buffer_packets: float) -> Bottleneck:
    """The shared link as the model describes it: packets of 592 bytes, one way 10 + 200 + 10 ms."""
    return Bottleneck(rate_packets_per_s=0.3e6 / 8 / 592, delay_s=0.22, buffer_packets=buffer_packets)


def kbps(run: Kept) -> dict[str, float]:
    """By variant, what the sink received in order, headers included."""
    words = [line.split() for line in run.stdout.splitlines()]
    return {kind: int(count) * 8 / RENO_VEGAS_S / 1e3 for kind, count in words}


def ratio(run: Kept) -> float:
    """Reno's throughput over Vegas's."""
    rates = kbps(run)
    return rates["Reno"] / rates["Vegas"]


def measure(runs: Runs) -> dict[str, Measured]:
    """What was measured for every claim whose runs there are."""
    measured = {**_alone(runs), **_drop_tail_model(runs)}
    if "window/14" in runs:
        measured |= {**_together(runs), **_red(runs), **_pairs(runs), **_red_model(runs), **_newreno(runs)}
    return measured


def _alone(runs: Runs) -> dict[str, Measured]:
    vegas = runs.with_replications("alone/Vegas")
    beside = [_flow(run, "Vegas") for run in runs.with_replications("starts/10")]
    return {
        "vegas.noloss": Settings(
            {
                "alone, slow start included": Replications([_dropped(run.reduced["flows"][0], 0) for run in vegas]),
                "alone, from 20 s on": Replications([_dropped(run.reduced["flows"][0], 20) for run in vegas]),
                "beside Reno, from 20 s on": Replications([_dropped(flow, 20) for flow in beside]),
            }
        ),
        "vegas.fixed": Replications([_window_range(run) for run in vegas]),
        "vegas.queued": Replications([_late_queue(run) for run in vegas]),
        "reno.loss": Replications(
            [_dropped(run.reduced["flows"][0], 0) for run in runs.with_replications("alone/Reno")]
        ),
    }


def _window_range(run: Kept) -> float:
    time, window, *_ = read_columns(run.files["window.dat"])
    late = [packets for at, packets in zip(time, window, strict=True) if at >= 60]
    return max(late) - min(late)


def _late_queue(run: Kept) -> float:
    """Vegas's own packets in the queue from 60 s on, mean."""
    flow = run.reduced["flows"][0]
    return fmean(queued for time, queued in zip(flow["queue_time_s"], flow["queue_packets"], strict=True) if time >= 60)


def _dropped(flow: Mapping[str, Any], from_s: float) -> float:
    return float(sum(count for second, count in flow["drops"] if second >= from_s))


def _flow(run: Kept, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = next(flow for flow in run.reduced["flows"] if flow["kind"] == kind)
    return found


def _mean(run: Kept, kind: str, name: str) -> float:
    """A figure of a flow; the mean of it if there is one for each second."""
    value = _flow(run, kind)[name]
    return fmean(value) if isinstance(value, list) else float(value)


def _means(runs: Runs, id: str, kind: str, name: str) -> list[float]:
    return [_mean(run, kind, name) for run in runs.with_replications(id)]


def _rates(runs: Runs, id: str, kind: str) -> list[float]:
    return [kbps(run)[kind] for run in runs.with_replications(id)]


def _together(runs: Runs) -> dict[str, Measured]:
    windows = {"8000 packets": "starts/10", "8000 bytes, 14 packets": "window/14"}
    shares = {
        name: Replications.ratio_of_means(_rates(runs, id, "Reno"), _rates(runs, id, "Vegas"))
        for name, id in windows.items()
    }
    return {
        "share": Settings(shares),
        "share.significant": Settings(shares),
        "occupancy": Replications.ratio_of_means(
            _means(runs, "starts/10", "Reno", "queue_packets"), _means(runs, "starts/10", "Vegas", "queue_packets")
        ),
        "small.buffer": Settings(
            {
                f"5 packets against {larger}": _log_quotients(runs, "starts/5", f"starts/{larger}")
                for larger in BUFFERS[1:]
            }
        ),
        "loss.share": Replications.ratio_of_means(
            [_part(run, "dropped") for run in runs.with_replications("starts/10")],
            [_part(run, "cwnd_packets") for run in runs.with_replications("starts/10")],
        ),
    }


def _part(run: Kept, name: str) -> float:
    """Vegas's part of what both flows have."""
    vegas = _mean(run, "Vegas", name)
    return vegas / (vegas + _mean(run, "Reno", name))


def _log_quotients(runs: Runs, first: str, second: str) -> Replications:
    """Logarithm of Reno over Vegas in one run, by the same in another with the same starts.

    Logarithms, so that a doubling and a halving weigh alike.
    """
    pairs = zip(runs.with_replications(first), runs.with_replications(second), strict=True)
    return Replications([log(ratio(one) / ratio(other)) for one, other in pairs])


def _red(runs: Runs) -> dict[str, Measured]:
    readings = {name: (f"red/{queue}/10", "starts/10") for name, queue in READINGS.items()}
    larger = {f"{name} packets": (f"red/{queue}/{size}", f"starts/{size}") for name, queue, size, *_ in RED_MODELS[1:]}
    fairer = {name: _log_quotients(runs, drop_tail, red) for name, (red, drop_tail) in (readings | larger).items()}

    def against(kind: str, measure: Callable[[Runs, str, str], list[float]]) -> Settings:
        return Settings(
            {
                name: Replications.ratio_of_means(measure(runs, red, kind), measure(runs, drop_tail, kind))
                for name, (red, drop_tail) in readings.items()
            }
        )

    return {
        "red.fairer": Settings(fairer),
        "red.occupancy": against("Reno", lambda runs, id, kind: _means(runs, id, kind, "queue_packets")),
        "red.vegas.more": against("Vegas", _rates),
        "red.early": Settings({name: _early(runs, red) for name, (red, _) in readings.items()}),
    }


def _early(runs: Runs, id: str) -> Replications:
    """The part of the drops that found room in the buffer."""
    found = [run.reduced for run in runs.with_replications(id)]
    return Replications.ratio_of_means(
        [run["drops"] - run["drops_full"] for run in found], [run["drops"] for run in found]
    )


def _pairs(runs: Runs) -> dict[str, Measured]:
    """Two flows of one kind; the second starts 60 s after the first. Bytes of the last 100 s."""

    def last(run: Kept, flow: int) -> float:
        taken: list[int] = run.reduced["flows"][flow]["bytes"]
        return float(taken[-1] - taken[len(taken) - 100])

    def quotients(kind: str) -> Replications:
        pairs = [(last(run, 0), last(run, 1)) for run in runs.with_replications(f"pair/{kind}+{kind}")]
        return Replications([max(pair) / min(pair) for pair in pairs])

    vegas = runs.with_replications("pair/Vegas+Vegas")
    return {
        "pair.reno": quotients("Reno"),
        "pair.vegas": quotients("Vegas"),
        "pair.second": Replications.ratio_of_means([last(run, 1) for run in vegas], [last(run, 0) for run in vegas]),
    }


def _over(model: float, runs: Sequence[float]) -> Replications:
    """A model's number over the mean of runs."""
    return Replications.ratio_of_means([model] * len(runs), runs)


def _over_ratio(model: float, runs: Runs, id: str) -> Replications:
    """A model's Reno over Vegas, over that of the runs' mean throughputs."""
    return Replications.ratio_of_means([model * rate for rate in _rates(runs, id, "Vegas")], _rates(runs, id, "Reno"))


def _drop_tail_model(runs: Runs) -> dict[str, Measured]:
    def shares(vegas: VegasWindow) -> Settings:
        models = {size: reno_and_vegas.drop_tail(bottleneck(size), vegas).ratio for size in BUFFERS}
        return Settings({f"{size}": _over_ratio(model, runs, f"starts/{size}") for size, model in models.items()})

    def reno(model: Callable[[reno_and_vegas.DropTail], float], name: str) -> Settings:
        models = {size: model(reno_and_vegas.drop_tail(bottleneck(size))) for size in BUFFERS}
        return Settings(
            {f"{size}": _over(number, _means(runs, f"starts/{size}", "Reno", name)) for size, number in models.items()}
        )

    return {
        "model.ratio": shares("as_printed"),
        "model.corrected": shares("corrected"),
        "model.vegas.window": Settings(
            {f"{size}": Replications(_means(runs, f"starts/{size}", "Vegas", "cwnd_packets")) for size in BUFFERS}
        ),
        "model.overflow": Settings(
            {
                f"{size}": Replications(
                    [
                        run.reduced["windows_at_drop"] / (bottleneck(size).wire_packets + size)
                        for run in runs.with_replications(f"starts/{size}")
                        if run.reduced["windows_at_drop"] is not None
                    ]
                )
                for size in BUFFERS
            }
        ),
        "model.reno.window": reno(lambda found: found.reno_window_packets, "cwnd_packets"),
        "model.reno.queue": reno(lambda found: found.reno_queued_packets, "queue_packets"),
    }


def _red_model(runs: Runs) -> dict[str, Measured]:
    windows: dict[str, Weighed] = {}
    shares: dict[VegasWindow, dict[str, Weighed]] = {"as_printed": {}, "corrected": {}}
    for name, queue, size, least, most in RED_MODELS:
        found = runs.with_replications(f"red/{queue}/{size}")
        windows[name] = Replications([_reno_window_model(run) / _mean(run, "Reno", "cwnd_packets") for run in found])
        rto_s = fmean(_mean(run, "Reno", "rto_s") for run in found)
        for way, by_name in shares.items():
            model = reno_and_vegas.red(bottleneck(size), least_packets=least, most_packets=most, rto_s=rto_s, vegas=way)
            by_name[name] = _over_ratio(model.ratio, runs, f"red/{queue}/{size}")
    return {
        "model.red.window": Settings(windows),
        "model.red.ratio": Settings(shares["as_printed"]),
        "model.red.corrected": Settings(shares["corrected"]),
    }


def _reno_window_model(run: Kept) -> float:
    """Equations 15 to 23 with the loss ratio, the RTT and the RTO that the run's Reno had."""
    loss_ratio = _mean(run, "Reno", "dropped") / _mean(run, "Reno", "arrived")
    return reno_and_vegas.reno_mean_window_packets(
        loss_ratio, rtt_s=_mean(run, "Reno", "srtt_s"), rto_s=_mean(run, "Reno", "rto_s")
    )


def per_flow(run: Kept) -> dict[str, dict[str, float]]:
    """By variant: a flow's bytes at its sink and its window reductions, means; its loss ratio at the bottlenecks."""
    found: dict[str, list[list[int]]] = {}
    for line in run.stdout.splitlines():
        kind, *numbers = line.split()
        found.setdefault(kind, []).append([int(number) for number in numbers])
    return {
        kind: {
            "bytes": fmean(row[0] for row in rows),
            "loss": sum(row[2] for row in rows) / sum(row[1] for row in rows),
            "reductions": fmean(row[3] for row in rows),
        }
        for kind, rows in found.items()
    }


def _newreno(runs: Runs) -> dict[str, Measured]:
    measured: dict[str, Measured] = {}
    more: dict[str, Weighed] = {}
    fewer: dict[str, Weighed] = {}
    for setup, (packet, windows, together, apart) in NEWRENO.items():
        ways = {
            f"{kinds.replace('+', ' + ')}, window {window}": [f"{setup}/{kinds}/{packet}/{window}"] * 2
            for window in windows
            for kinds in together
        }
        own, other = (f"{setup}/{kinds}/{packet}/{windows[0]}" for kinds in apart)
        ways["runs of their own"] = [own, other]
        gains = {name: _quotient(runs, ids[0], ids[1], "bytes") for name, ids in ways.items()}
        losses = {name: _quotient(runs, ids[1], ids[0], "loss", "Reno", "Newreno") for name, ids in ways.items()}
        more |= {f"{setup}, {name}": gain for name, gain in gains.items()}
        fewer |= {f"{setup}, {name}": loss for name, loss in losses.items()}
        measured[f"{setup}.gain"] = Settings(gains)
        if setup == "droptail":
            measured["droptail.loss"] = Settings(_less_loss(runs, ways))
            measured["reductions"] = Settings(
                {name: _quotient(runs, ids[1], ids[0], "reductions", "Reno", "Newreno") for name, ids in ways.items()}
            )
        else:
            measured[f"{setup}.loss"] = Settings(losses)
    for setting in RANGES:
        id = f"droptail:{setting}/Newreno+Reno/512/8000"
        name = setting.replace("Mb:", " Mb/s, ").replace("ms", " ms")
        more[name] = _quotient(runs, id, id, "bytes")
        fewer[name] = _quotient(runs, id, id, "loss", "Reno", "Newreno")
    return {**measured, "newreno.more": Settings(more), "newreno.fewer": Settings(fewer)}


def _quotient(
    runs: Runs, first: str, second: str, name: str, kind: str = "Newreno", other: str = "Reno"
) -> Replications:
    return Replications.ratio_of_means(_of(runs, first, kind, name), _of(runs, second, other, name))


def _of(runs: Runs, id: str, kind: str, name: str) -> list[float]:
    return [per_flow(run)[kind][name] for run in runs.with_replications(id)]


def _less_loss(runs: Runs, ways: Mapping[str, Sequence[str]]) -> dict[str, Weighed]:
    """How much less NewReno loses, in per cent: of the packets sent, and of Reno's loss rate."""
    found: dict[str, Weighed] = {}
    for name, (newreno, reno) in ways.items():
        own, others = _of(runs, newreno, "Newreno", "loss"), _of(runs, reno, "Reno", "loss")
        found[f"{name}, points"] = Replications([100 * (y - x) for x, y in zip(own, others, strict=True)])
        relative = Replications.ratio_of_means(own, others).values
        found[f"{name}, relative"] = Replications([100 * (1 - float(value)) for value in relative])  # type: ignore[arg-type]
    return found


def figures(runs: Runs, folder: Path) -> list[Figure]:
    """Draw the study's figures into the folder."""
    drawn: list[Figure] = load_code(Path(__file__).with_name("reno_vegas_newreno_figures.py")).figures(runs, folder)
    return drawn
