"""The transfers that `compare_with_kernel.py` compares: of the running kernel's TCP in real time, and of the engine's.

A case is a path and the congestion controls of the one or two flows over it. Kernel and engine share the path's
description. Several transfers of the kernel run at the same time over separate links of one emulation, as long as their
rates together are small enough for the machine.

The way through the emulator and the hosts' devices takes time, too, some 0.15 ms of a round trip, and not always the
same. It decides by a packet here and there whether a queue overflows, and is rounded up to whole packets in BBR's
window. So the engine's links get what was measured of it (`Detour`), the same in all cases.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import ackclock as ac
from ackclock.emulate import Emulation, transfer
from ackclock.scenario.units import rate_bps

KERNELS = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")

#: The engine's sender by the kernel's congestion control.
SENDERS = {"reno": "reno", "cubic": "linux_cubic", "bbr": "bbr"}
LASTS_S, WARM_UP_S = 15, 5
#: when the second of two flows begins, and by how much that differs from run to run in the engine, as programs do
SECOND_S, SPREAD_S = 1.0, 0.0005
#: Transfers at the same time begin one after another, so that their first packets do not meet in the emulator.
APART_S = 0.05
#: A program writes about so much later than it is connected. The ACK of the handshake has left then, and takes no
#: place in the queue.
WRITES_MS = 0.5
#: IP bytes of a full packet with timestamps, and of a SYN
PACKET_BYTES, SYN_BYTES = 1500, 60
#: what may be on the way at the same time in real time: bits per second of all links, and flows
MOST_BPS, MOST_FLOWS = 100e6, 10


@dataclass(frozen=True)
class Detour:
    """What the way through the emulator adds to a path."""

    #: to a round trip
    longer_ms: float = 0.0
    #: of that, what differs from packet to packet, evenly distributed in each direction from 0 on
    jitter_ms: float = 0.0


@dataclass(frozen=True)
class Way:
    """A path between two hosts: one link each way. Data packets are lost with the probability `loss`."""

    rate: str
    round_trip_ms: int
    buffer_bdp: float
    loss: float = 0.0

    @property
    def bdp_packets(self) -> float:
        """Packets that fill the path."""
        return rate_bps(self.rate) * self.round_trip_ms / 1e3 / 8 / PACKET_BYTES

    @property
    def shortest_ms(self) -> float:
        """The round trip of a SYN and its answer."""
        return self.round_trip_ms + 2 * SYN_BYTES * 8 / rate_bps(self.rate) * 1e3

    def link(self, ends: list[str], detour: Detour) -> ac.Link:
        """The link between two nodes."""
        limit = max(round(self.bdp_packets * self.buffer_bdp), 4)
        queue = ac.Queue(kind="drop_tail", limit=f"{limit} packets")
        constant_ms = max(detour.longer_ms - detour.jitter_ms, 0.0)
        losses, back = [], []
        if self.loss > 0:
            losses.append(ac.Loss(kind="uniform", rate=self.loss))
        if detour.jitter_ms > 0:
            most = f"{detour.jitter_ms} ms"
            back.append(ac.Loss(kind="uniform", rate=1, delay="0 ms", max_delay=most, in_order=True, place="wire"))
        return ac.Link(
            ends=ends,
            rate=self.rate,
            delay=f"{(self.round_trip_ms + constant_ms) / 2} ms",
            queue=queue,
            loss=[*losses, *back],
            reverse=ac.Reverse(loss=back),
        )


@dataclass(frozen=True)
class Case:
    """A path and the kernel's congestion controls of the flows over it. The second begins after `SECOND_S`."""

    way: Way
    controls: tuple[str, ...]


@dataclass(frozen=True)
class Seen:
    """What the flows of one case did after the warm-up, and the first one's window."""

    #: of each flow
    goodputs_mbps: list[float]
    #: mean time in the queue
    wait_ms: float
    #: mean window of each flow
    cwnds_packets: list[float]
    times_s: list[float] = field(repr=False)
    windows: list[float] = field(repr=False)
    #: The kernel's shortest round trip beyond the path's. It is negative if an RTT of TCP's timestamps, in whole
    #: milliseconds, was the shortest.
    longer_ms: float = 0.0
    #: how late half of the packets, 99 % of them, and the latest were handed over
    lateness_ms: tuple[float, float, float] = (0.0, 0.0, 0.0)


def _scenario(cases: Sequence[Case], detour: Detour, **other: object) -> ac.Scenario:
    """Each case's path for itself, from `aN` to `bN`."""
    ends = [[f"a{number}", f"b{number}"] for number in range(len(cases))]
    links = [case.way.link(pair, detour) for case, pair in zip(cases, ends, strict=True)]
    graph = ac.Graph(nodes=[name for pair in ends for name in pair], links=links)
    return ac.Scenario(topology=graph, defaults="linux", record=ac.Record(sample="0.02 s"), **other)  # type: ignore[arg-type]


def _waits_ms(results: ac.Results, cases: Sequence[Case], epochs_s: Sequence[float]) -> list[float]:
    """The mean wait in each path's queue after the warm-up, of its bytes at the samples, by when its flows begin."""
    bytes_in: list[list[int]] = [[] for _ in cases]
    for row in results.rows("link_series"):
        # Each path has two links: there, and back.
        number, is_back = divmod(row["link"], 2)
        if not is_back and WARM_UP_S <= row["time_s"] - epochs_s[number] <= LASTS_S:
            bytes_in[number].append(row["queue_bytes"])
    rates_bps = [rate_bps(case.way.rate) for case in cases]
    return [float(np.mean(seen)) * 8 / rate * 1e3 for seen, rate in zip(bytes_in, rates_bps, strict=True)]


@contextmanager
def real_time() -> Iterator[None]:
    """This thread, and the threads and programs that it starts, run before all others of the machine."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


class _Program:
    """`transfer.py` at an external node. It prints into a file, so that nobody has to read while packets are due."""

    def __init__(self, network: Emulation, end: str, words: Sequence[str]) -> None:
        self._out = tempfile.TemporaryFile("w+")  # noqa: SIM115 (closed with the program)
        command = [sys.executable, "-I", "-S", transfer.__file__, *words]
        self._process = network.start(end, command, stdout=self._out)

    def begun(self) -> None:
        """Wait until it has printed something."""
        while os.fstat(self._out.fileno()).st_size == 0 and self._process.poll() is None:
            time.sleep(0.01)

    def lines(self) -> list[dict[str, float]]:
        """What it has printed until its end."""
        if self._process.wait() != 0:
            raise SystemExit(f"a transfer of the kernel failed: {self._process.args!r}")
        with self._out:
            self._out.seek(0)
            return [row for row in map(json.loads, self._out) if "at_s" in row]


def of_kernel(cases: Sequence[Case], seed: int = 1) -> list[Seen]:
    """A transfer of the kernel's TCP for each case, all at the same time. `seed` decides which packets are lost."""
    ends = [name for number in range(len(cases)) for name in (f"a{number}", f"b{number}")]
    scenario = _scenario(cases, Detour(), external_nodes=ends, seed=seed, duration=f"{LASTS_S + 60} s")
    flows = [(number, flow) for number, case in enumerate(cases) for flow in range(len(case.controls))]
    with real_time(), Emulation(scenario) as network:
        addresses = [[network.address(f"b{number}"), str(5001 + flow)] for number, flow in flows]
        receivers = [
            _Program(network, f"b{number}", ["receive", *address])
            for (number, _), address in zip(flows, addresses, strict=True)
        ]
        for receiver in receivers:
            receiver.begun()
        # Time for all programs to start.
        first_s = time.monotonic() + 1.0 + 0.2 * len(flows)
        epochs_s = [first_s + number * APART_S for number in range(len(cases))]
        senders = []
        for (number, flow), address in zip(flows, addresses, strict=True):
            later_s = flow * SECOND_S
            words = ["--epoch", str(epochs_s[number] + later_s), "send", *address, cases[number].controls[flow]]
            senders.append(_Program(network, f"a{number}", [*words, str(LASTS_S - later_s), "--info"]))
        states = [sender.lines() for sender in senders]
        arrivals = [receiver.lines() for receiver in receivers]
        epochs_s = [epoch_s - network.began_s() for epoch_s in epochs_s]
    seen_ms = {name: value * 1e3 for name, value in network.seen.items()}
    late_ms = (seen_ms["late_median_s"], seen_ms["late_99_s"], seen_ms["latest_s"])
    waits_ms = _waits_ms(network.results, cases, epochs_s)
    seen = []
    for number, (case, wait_ms) in enumerate(zip(cases, waits_ms, strict=True)):
        mine = [index for index, (path, _) in enumerate(flows) if path == number]
        told = _seen_of_kernel([states[index] for index in mine], [arrivals[index] for index in mine])
        longer_ms = states[mine[0]][-1]["min_rtt_us"] / 1e3 - case.way.shortest_ms
        seen.append(Seen(**told, wait_ms=wait_ms, longer_ms=longer_ms, lateness_ms=late_ms))
    return seen


def _seen_of_kernel(
    states: list[list[dict[str, float]]], arrivals: list[list[dict[str, float]]]
) -> dict[str, list[float]]:
    """The fields of `Seen` that senders and receivers have printed."""
    goodputs_mbps, cwnds = [], []
    for flow, (rows, came) in enumerate(zip(states, arrivals, strict=True)):
        # Both count from the flow's own beginning; the receiver from half a round trip later.
        warm_s = WARM_UP_S - flow * SECOND_S
        counted = [row for row in came if row["at_s"] >= warm_s]
        took_s = counted[-1]["at_s"] - counted[0]["at_s"]
        goodputs_mbps.append((counted[-1]["bytes"] - counted[0]["bytes"]) * 8 / took_s / 1e6)
        cwnds.append(float(np.mean([row["cwnd_packets"] for row in rows if row["at_s"] >= warm_s])))
    return {
        "goodputs_mbps": goodputs_mbps,
        "cwnds_packets": cwnds,
        "times_s": [round(row["at_s"], 4) for row in states[0]],
        "windows": [row["cwnd_packets"] for row in states[0]],
    }


def detour(kernel: Sequence[Seen]) -> Detour:
    """The detour of transfers of the kernel: medians of the shortest round trip and how late 99 % of packets were."""
    known_ms = [seen.longer_ms for seen in kernel if seen.longer_ms > 0]
    return Detour(
        longer_ms=float(np.median(known_ms)) if known_ms else 0.0,
        jitter_ms=float(np.median([seen.lateness_ms[1] for seen in kernel])),
    )


def of_engine(case: Case, detour: Detour, seed: int = 1) -> Seen:
    """The same of the engine's senders."""
    draws = np.random.default_rng(seed)
    flows = []
    for flow, control in enumerate(case.controls):
        begins_s = flow * (SECOND_S + draws.uniform(0, SPREAD_S))
        writes_s = begins_s + (case.way.shortest_ms + detour.longer_ms + WRITES_MS) / 1e3
        spans = [ac.Span(start=f"{begins_s} s", stop=f"{begins_s + 1e-6} s")]
        spans.append(ac.Span(start=f"{writes_s} s", stop=f"{LASTS_S} s"))
        flows.append(ac.Flow(source="a0", destination="b0", tcp=SENDERS[control], spans=spans))
    results = ac.run(_scenario([case], detour, flows=flows, seed=seed, duration=f"{LASTS_S} s"))
    goodputs_mbps, cwnds = [], []
    rows = [row for row in results.rows("flow_series") if row["flow"] == 1]
    for flow in range(len(flows)):
        counted = [row for row in results.rows("flow_series") if row["flow"] == flow + 1 and row["time_s"] >= WARM_UP_S]
        # The series has the receiver's rate with headers; data is what is in full packets without 52 bytes of them.
        rate = float(np.mean([row["throughput_bps"] for row in counted])) * (PACKET_BYTES - 52) / PACKET_BYTES
        goodputs_mbps.append(rate / 1e6)
        cwnds.append(float(np.mean([row["cwnd_packets"] for row in counted])))
    return Seen(
        goodputs_mbps=goodputs_mbps,
        wait_ms=_waits_ms(results, [case], [0.0])[0],
        cwnds_packets=cwnds,
        times_s=[row["time_s"] for row in rows],
        windows=[row["cwnd_packets"] for row in rows],
    )
