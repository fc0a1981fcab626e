"""What study 002 runs and measures for section III, which describes the variants; the tables are in the other file."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from statistics import fmean, pstdev

import ackclock as ac
from ackclock.batch.store import Kept
from ackclock.batch.study import Measured, Replications, Runs, Settings, Value, by_name

#: Segments of ns-3.25, bytes, and its headers with them.
SEGMENT_BYTES, WIRE_BYTES = 536, 590
#: Positions of the lost packets on the bottleneck, as many of them as are lost. All are in one window of 40 segments.
LOST = (400, 402, 404, 406)
#: The RTT of the paths of `lossy` and `late`, s.
RTT_S = 0.1
#: The rate of the bottleneck of `late`, b/s.
RATE_BPS = 10e6
#: When the second flow of `late` starts, how long both then run, and the blocks of time that are compared, s.
LATE_S, BLOCK_S, END_S = 50, 10, 250
#: Two flows share fairly where the smaller has this part of the larger.
FAIR = 0.8


def _path(
    rate: str, *, access: str, delay: str, queue: int, pairs: int = 1, loss: list[ac.Loss] | None = None
) -> ac.Dumbbell:
    """A dumbbell whose bottleneck lets `queue` packets wait and has `delay` of one way; the hosts' links have 10 ms."""
    # A device queue of n packets lets n wait; ns-2's drop-tail of n lets n - 1.
    limit = ac.Queue(limit=f"{queue + 1} packets")
    back = ac.Reverse(loss=[]) if loss else None
    bottleneck = ac.Link(rate=rate, delay=delay, queue=limit, loss=loss or [], reverse=back)
    return ac.Dumbbell(pairs=pairs, access=ac.Link(rate=access, delay="10 ms", queue=limit), bottleneck=bottleneck)


def _flow(
    pair: int,
    sender: str,
    *,
    window: int = 244,
    start: str = "0 s",
    start_jitter: str = "0 s",
    receiver: str | None = None,
) -> ac.Flow:
    """A flow of ns-3.25's sender with a control, or of ns-2's Reno or NewReno ("ns2 reno") with ns-3.25's values."""
    of_ns2 = sender.startswith("ns2 ")
    tcp, control = (sender.removeprefix("ns2 "), None) if of_ns2 else ("ns3", sender)
    return ac.Flow(
        pair=pair,
        tcp=tcp,
        control=control,
        packet_size=f"{SEGMENT_BYTES} B",
        window=f"{window} packets",
        start=start,
        start_jitter=start_jitter,
        receiver=receiver,
    )


def few(sender: str, losses: int) -> ac.Scenario:
    """One flow with a window of 40 segments, of which so many are lost at once."""
    loss = [ac.Loss(kind="list", packets=list(LOST[:losses]))] if losses else None
    return ac.Scenario(
        topology=_path("5 Mb/s", access="5 Mb/s", delay="20 ms", queue=100, loss=loss),
        flows=[_flow(1, sender, window=40)],
        duration="10 s",
        defaults="ns3_25",
        record=ac.Record(sample="0 s", changes=True),
    )


def packets(receiver: str) -> ac.Scenario:
    """NewReno with three losses, every packet recorded. The receiver acknowledges every second segment, or each."""
    scenario = few("new_reno", 3)
    name = {"delayed ACKs": "sink_del_ack", "an ACK for each": "sink"}[receiver]
    return ac.Scenario(
        topology=scenario.topology,
        flows=[_flow(1, "new_reno", window=40, receiver=name)],
        duration="10 s",
        defaults="ns3_25",
        record=ac.Record(sample="0 s", packets=True),
    )


def bursts(sender: str) -> ac.Scenario:
    """One flow over a link that loses some three packets at a time, every 500 packets."""
    loss = [ac.Loss(kind="two_state", good=500, bad=3)]
    return ac.Scenario(
        topology=_path("5 Mb/s", access="5 Mb/s", delay="20 ms", queue=100, loss=loss),
        flows=[_flow(1, sender, start_jitter="1 s")],
        duration="100 s",
        defaults="ns3_25",
        record=ac.Record(sample="0 s"),
    )


def beside(kbps: int, pair: str) -> ac.Scenario:
    """Two flows of controls that may differ share a bottleneck.

    Its queue is a quarter of what the path holds, and 20 packets at the least.
    """
    first, second = pair.split("+")
    queue = max(20, round(kbps * 1000 * 0.08 / 8 / WIRE_BYTES / 4))
    return ac.Scenario(
        topology=_path(f"{kbps} kb/s", access=f"{5 * kbps} kb/s", delay="20 ms", queue=queue, pairs=2),
        flows=[_flow(1, first, window=4000, start_jitter="1 s"), _flow(2, second, window=4000, start_jitter="1 s")],
        duration="100 s",
        defaults="ns3_25",
        record=ac.Record(sample="0 s"),
    )


def lossy(control: str, rate: str) -> ac.Scenario:
    """One flow over a fast link of 100 ms that loses packets at random."""
    loss = [ac.Loss(kind="uniform", rate=float(rate))]
    return ac.Scenario(
        topology=_path("1 Gb/s", access="10 Gb/s", delay="30 ms", queue=10000, loss=loss),
        flows=[_flow(1, control, window=20000, start_jitter="1 s")],
        duration="200 s",
        defaults="ns3_25",
        record=ac.Record(sample="0 s"),
    )


def drops(control: str) -> ac.Scenario:
    """As `lossy` with a rate of 1e-4, for 60 s, with each change of the window."""
    scenario = lossy(control, "1e-4")
    record = ac.Record(sample="0 s", changes=True)
    return ac.Scenario(
        topology=scenario.topology, flows=scenario.flows, duration="60 s", defaults="ns3_25", record=record
    )


def late(control: str, flows: int) -> ac.Scenario:
    """A flow over 10 Mb/s and 100 ms, and another one that starts 50 s later if there are two."""
    path = _path("10 Mb/s", access="100 Mb/s", delay="30 ms", queue=50, pairs=flows)
    starts = [0, LATE_S][:flows]
    return ac.Scenario(
        topology=path,
        flows=[
            _flow(pair, control, window=4000, start=f"{start} s", start_jitter="1 s")
            for pair, start in enumerate(starts, 1)
        ],
        duration=f"{END_S} s",
        defaults="ns3_25",
        record=ac.Record(sample="1 s"),
    )


def measure(runs: Runs) -> dict[str, Measured]:
    """What was measured for the claims about section III."""
    found: dict[str, Measured] = {
        "initial": float(runs["alone/q12/new_reno"].results.rows("window_changes")[0]["cwnd_packets"]),
        "slow.start": Settings({name: float(_sent(runs[f"packets/{name}"])[2]) for name in RECEIVERS}),
        "newreno.once": Settings({f"{n} losses": float(_reductions(runs[f"few/new_reno/{n}"])) for n in (2, 3, 4)}),
        "reno.more": Settings({f"{n} losses": float(_reductions(runs[f"few/ns2 reno/{n}"])) for n in (2, 3, 4)}),
        "newreno.half": _left(runs["few/new_reno/1"]),
        "newreno.rtt": max(_between_retransmissions(runs["packets/delayed ACKs"])),
        "newreno.efficient": _ratio(runs, "bursts/ns2 new_reno", "bursts/ns2 reno", goodput),
        "newreno.several": _named(
            runs,
            {"NewReno": "bursts/new_reno", "Westwood": "bursts/westwood", "HighSpeed": "bursts/high_speed"},
            goodput,
        ),
        "westwood.smooth": Settings(
            {
                f"{name}, {queue}": {
                    name: _unsteady(runs[f"alone/{id}/{control}"]),
                    "NewReno": _unsteady(runs[f"alone/{id}/new_reno"]),
                }
                for name, control in WESTWOODS.items()
                for id, queue in QUEUES.items()
            }
        ),
        "westwood.utilisation": Settings(
            {
                f"{name}, {queue}": goodput(runs[f"alone/{id}/{control}"]) / goodput(runs[f"alone/{id}/new_reno"])
                for name, control in WESTWOODS.items()
                for id, queue in QUEUES.items()
            }
        ),
        "westwood.degrades": Settings(
            {
                f"{name}, {kbps // 1000} Mb/s": _ratio(
                    runs, f"beside/{kbps}/{control}+new_reno", f"beside/{kbps}/new_reno+new_reno", _second
                )
                for name, control in WESTWOODS.items()
                for kbps in (1000, 5000)
            }
        ),
        "hstcp.response": Settings({p: _window(runs, "high_speed", p, response(float(p))) for p in RATES}),
        "hstcp.faster": Settings(
            {p: _ratio(runs, f"lossy/high_speed/{p}", f"lossy/new_reno/{p}", goodput) for p in RATES}
        ),
        "hstcp.standard": _ratio(runs, "lossy/high_speed/1e-2", "lossy/new_reno/1e-2", goodput),
        "hstcp.decrease": runs.over("drops/high_speed", lambda kept: 1 - min(_kept_at_losses(kept))),
        "hstcp.utilisation": _ratio(runs, "late/high_speed/1", "late/new_reno/1", _filled_s),
        "hstcp.unfair": Settings(
            {
                f"{kbps // 1000} Mb/s": runs.over(f"beside/{kbps}/high_speed+new_reno", _first_by_second)
                for kbps in (1000, 5000, 50000)
            }
        ),
        "hstcp.convergence": _ratio(runs, "late/high_speed/2", "late/new_reno/2", _converged_s),
    }
    return found


RECEIVERS = ("delayed ACKs", "an ACK for each")
WESTWOODS = {"Westwood": "westwood", "Westwood+": "westwood_plus"}
QUEUES = {"q12": "12 packets, 40 s", "q20": "20 packets, 30 s"}
RATES = ("1e-3", "3e-4", "1e-4")


def response(loss: float) -> float:
    """HighSpeed's mean window, segments, at a probability of loss (the paper's equation; RFC 3649, section 5)."""
    return 0.12 / math.pow(loss, 0.835)


def goodput(kept: Kept) -> float:
    """What the flows delivered, b/s."""
    return float(sum(row["goodput_bps"] for row in kept.results.rows("flows")))


def _second(kept: Kept) -> float:
    """What the second flow delivered, bytes."""
    return float(kept.results.rows("flows")[1]["delivered_bytes"])


def _first_by_second(kept: Kept) -> Value:
    first, second = (float(row["delivered_bytes"]) for row in kept.results.rows("flows"))
    return {"first": first, "second": second}


def _ratio(runs: Runs, above: str, below: str, take: Callable[[Kept], float]) -> Replications:
    """The quotient of a measurement of two runs, replication by replication."""
    return _named(runs, {"above": above, "below": below}, take)


def _named(runs: Runs, ids: dict[str, str], take: Callable[[Kept], float]) -> Replications:
    """A measurement of several runs by name, replication by replication."""
    return by_name({name: runs.over(id, take) for name, id in ids.items()})


def _window(runs: Runs, control: str, rate: str, expected: float) -> Replications:
    """The mean window by what is expected; the queue stays empty, so the window is goodput times the RTT."""

    def take(kept: Kept) -> float:
        window: float = goodput(kept) / 8 / SEGMENT_BYTES * RTT_S
        return window / expected

    return runs.over(f"lossy/{control}/{rate}", take)


def _thresholds(kept: Kept) -> list[float]:
    """Each threshold that is lower than the one before it, segments."""
    found = [float(row["ssthresh_packets"]) for row in kept.results.rows("window_changes")]
    return [after for before, after in pairwise(found) if after < before]


def _reductions(kept: Kept) -> int:
    """How often the threshold was lowered."""
    return len(_thresholds(kept))


def _left(kept: Kept) -> float:
    """The threshold after the only loss, as a part of the 40 segments that were in flight."""
    (threshold,) = _thresholds(kept)
    return threshold / 40


def _kept_at_losses(kept: Kept) -> list[float]:
    """The part of a window above 38 segments that each fast retransmission leaves.

    At one, the window is changed first and the threshold next, at the same instant. A timeout leaves a window of one.
    """
    rows = kept.results.rows("window_changes")
    found = []
    for before, reduced, after in zip(rows, rows[1:], rows[2:], strict=False):
        lowered = after["ssthresh_packets"] < reduced["ssthresh_packets"]
        fast = reduced["time_s"] == after["time_s"] and reduced["cwnd_packets"] > 2
        if lowered and fast and before["cwnd_packets"] > 38:
            found.append(after["ssthresh_packets"] / before["cwnd_packets"])
    return found


def _sent(kept: Kept) -> list[int]:
    """How many segments are sent in the first, second, ... round trip after the SYN's."""
    times = [time_s for time_s, _ in _departures(kept)]
    rtt_s = float(kept.results.rows("flows")[0]["rtt_min_s"])
    # Sending takes time, so what belongs together is told by the gaps between the first round trips.
    rounds: list[int] = []
    last_s = -rtt_s
    for time_s in times:
        if time_s - last_s > rtt_s / 2:
            rounds.append(0)
        rounds[-1] += 1
        last_s = time_s
    return rounds[1:]


def _departures(kept: Kept) -> list[tuple[float, int]]:
    """When the sender sends which segment."""
    return [
        (row["time_s"], row["sequence"])
        for row in kept.results.rows("packets")
        if (row["event"], row["from_node"], row["kind"]) == ("enqueue", 0, "tcp")
    ]


def _between_retransmissions(kept: Kept) -> list[float]:
    """Times between retransmissions, in round trips."""
    rtt_s: float = kept.results.rows("flows")[0]["rtt_min_s"]
    seen: set[int] = set()
    again = []
    for time_s, segment in _departures(kept):
        if segment in seen:
            again.append(time_s)
        seen.add(segment)
    return [(after - before) / rtt_s for before, after in pairwise(again)]


def _unsteady(kept: Kept) -> float:
    """Standard deviation of a window over its mean, by time, from 5 s on."""
    rows = [row for row in kept.results.rows("window_changes") if row["time_s"] > 0]
    sampled: list[float] = []
    at_s, number = 5.0, 0
    while at_s < rows[-1]["time_s"]:
        while number + 1 < len(rows) and rows[number + 1]["time_s"] <= at_s:
            number += 1
        sampled.append(rows[number]["cwnd_packets"])
        at_s += 0.05
    return pstdev(sampled) / fmean(sampled)


def _filled_s(kept: Kept) -> float:
    """When a single flow has first carried 95 % of the link's rate for a second, s."""
    rows = kept.results.rows("flow_series")
    return next((float(row["time_s"]) for row in rows if row["throughput_bps"] >= 0.95 * RATE_BPS), float(END_S))


def _converged_s(kept: Kept) -> float:
    """From the second flow's start until both share fairly over a block of 10 s, s.

    All of the time if they never do.
    """
    rates: dict[int, dict[int, float]] = {1: {}, 2: {}}
    for row in kept.results.rows("flow_series"):
        block = int((row["time_s"] - 1e-9) // BLOCK_S)
        rates[row["flow"]][block] = rates[row["flow"]].get(block, 0.0) + row["throughput_bps"]
    for block in range(LATE_S // BLOCK_S + 1, END_S // BLOCK_S):
        first, second = rates[1].get(block, 0.0), rates[2].get(block, 0.0)
        if min(first, second) >= FAIR * max(first, second):
            return float((block + 1) * BLOCK_S - LATE_S)
    return float(END_S - LATE_S)
