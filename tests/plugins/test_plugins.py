"""A congestion control and a queue discipline of one's own: the native ones written in Python give the same packets,
and others do what their rule says.
"""

from __future__ import annotations

import math
import re
import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock._native import Simulation, tcp_senders
from ackclock.scenario.formats.as_tcl import script
from ackclock.scenario.model.constants import LEAVE_WINDOW
from ackclock.scenario.resolve.network import resolve

ROOT = Path(__file__).resolve().parents[2]


class Reno(ac.CongestionControl):
    """RFC 5681, sections 3.1 and 3.2, counting ACKs, in whole packets as ns-2 has its threshold."""

    def on_ack(self, state: ac.SenderState, ack: ac.Ack) -> None:
        slow_start = state.cwnd_packets < state.ssthresh_packets
        state.cwnd_packets += 1.0 if slow_start else 1.0 / state.cwnd_packets

    def on_loss(self, state: ac.SenderState) -> None:
        state.ssthresh_packets = max(int(state.window_packets / 2), 2)
        state.cwnd_packets = state.window_packets / 2

    def on_timeout(self, state: ac.SenderState) -> None:
        state.ssthresh_packets = max(int(state.window_packets / 2), 2)
        state.cwnd_packets = 1


class DropTail(ac.QueueDiscipline):
    """First in, first out; ns-2's limit of n lets n - 1 wait."""

    def start(self) -> None:
        self.line: list[ac.Packet] = []

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        self.line.append(packet)
        if len(self.line) >= self.limit:
            self.line.pop().drop()

    def dequeue(self, now_s: float) -> ac.Packet | None:
        return self.line.pop(0) if self.line else None


class DropFront(DropTail):
    """The same, but the oldest goes."""

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        self.line.append(packet)
        if len(self.line) >= self.limit:
            self.line.pop(0).drop()


def dumbbell(queue: ac.Queue, rate: str = "1.5 Mb/s") -> ac.Dumbbell:
    return ac.Dumbbell(
        pairs=2,
        bottleneck=ac.Link(rate=rate, delay="12 ms", queue=queue),
        access=ac.Link(rate="10 Mb/s", delay="2 ms"),
        delays=["2 ms", "9 ms"],
    )


def lossy(tcp: str, control: Any, queue: ac.Queue, **more: Any) -> ac.Scenario:
    """Two flows that lose packets, one of them now and then all that it has in flight."""
    flows = [
        ac.Flow(pair=1, tcp=tcp, control=control, window="60 packets", **more),
        ac.Flow(pair=2, tcp=tcp, control=control, start="0.7 s", stop="50 s", **more),
    ]
    topology = dumbbell(queue)
    bursts = ac.Loss(kind="two_state", good=250, bad=5)
    topology = replace(topology, bottleneck=replace(topology.bottleneck, loss=bursts))
    return ac.Scenario(topology=topology, flows=flows, duration="60 s", seed="ns2:5")


def packets(scenario: ac.Scenario, folder: Path) -> bytes:
    """All that happens to packets, as ns-2 would trace it."""
    folder.mkdir(exist_ok=True)
    results = ac.run(scenario, trace=folder / "out.tr")
    for flow in results.rows("flows"):
        assert flow["retransmitted_packets"] > 20  # or nothing would have been decided
        assert flow["timeouts"] > 3
    return (folder / "out.tr").read_bytes()


QUEUE = ac.Queue(limit="10 packets")


#: those of ns-2; tests/plugins/test_plugin_tcp_control.py is about today's
CLASSIC = [tcp for tcp in LEAVE_WINDOW if tcp != "tcp"]


@pytest.mark.parametrize("control", [Reno, ac.CongestionControl])
@pytest.mark.parametrize("tcp", CLASSIC)
def test_reno_in_python_gives_the_packets_of_the_engine(tcp: str, control: type, tmp_path: Path) -> None:
    native = packets(lossy(tcp, None, QUEUE), tmp_path / "native")
    assert packets(lossy(tcp, control, QUEUE), tmp_path / "own") == native


@pytest.mark.parametrize("tcp", CLASSIC)
def test_and_so_those_of_ns2(tcp: str, ns: str, tmp_path: Path) -> None:
    own = packets(lossy(tcp, Reno, ac.Queue(kind=DropTail, limit="10 packets")), tmp_path)
    tcl = tmp_path / "equal.tcl"
    tcl.write_text(script(lossy(tcp, None, QUEUE), "theirs.tr"))
    ac.run_ns2(tcl, cwd=tmp_path, program=(ns,))
    assert own == (tmp_path / "theirs.tr").read_bytes()


def test_marks_are_heeded_as_the_engine_does(tmp_path: Path) -> None:
    marking: dict[str, bool | int | float | str] = {"thresh": "3 packets", "maxthresh": "9 packets", "setbit": True}
    red = ac.Queue(kind="red", limit="40 packets", parameters=marking)
    with_engine = packets(lossy("new_reno", None, red, parameters={"ecn": True}), tmp_path)
    own = lossy("new_reno", ac.CongestionControl, red, parameters={"ecn": True})
    assert packets(own, tmp_path) == with_engine
    assert sum(row["marked_packets"] for row in ac.run(own).rows("flows")) > 20


@pytest.mark.parametrize(
    ("own", "native"),
    [(DropTail, {}), (ac.QueueDiscipline, {}), (DropFront, {"drop_front": True})],
    ids=["DropTail", "QueueDiscipline", "DropFront"],
)
def test_drop_tail_in_python_gives_the_packets_of_the_engine(own: type, native: Any, tmp_path: Path) -> None:
    theirs = packets(lossy("sack", None, ac.Queue(limit="10 packets", parameters=native)), tmp_path)
    assert packets(lossy("sack", None, ac.Queue(kind=own, limit="10 packets")), tmp_path) == theirs


class Scalable(ac.CongestionControl):
    """T. Kelly, "Scalable TCP", CCR 33(2), 2003: 0.01 packets more at each ACK, an eighth less after a loss."""

    growth: float = 0.01
    decay: float = 0.125

    def on_ack(self, state: ac.SenderState, ack: ac.Ack) -> None:
        slow_start = state.cwnd_packets < state.ssthresh_packets
        state.cwnd_packets += 1 if slow_start else self.growth

    def on_loss(self, state: ac.SenderState) -> None:
        state.cwnd_packets *= 1 - self.decay
        state.ssthresh_packets = state.cwnd_packets


def seconds_between_losses(control: Any, rate: str) -> float:
    """The mean time from loss to loss of one flow alone, after a while; the round trip is 0.1 s, 0.12 s at most."""
    topology = ac.Dumbbell(
        pairs=1,
        bottleneck=ac.Link(rate=rate, delay="40 ms", queue=ac.Queue(limit="0.2 BDP")),
        access=ac.Link(rate="1 Gb/s", delay="5 ms"),
    )
    flow = ac.Flow(pair=1, tcp="sack", control=control, window="10000 packets")
    results = ac.run(
        ac.Scenario(topology=topology, flows=[flow], duration="200 s", record=ac.Record(changes=True, sample="0 s"))
    )
    changes = results.rows("window_changes")
    cuts = [
        late["time_s"]
        for early, late in pairwise(changes)
        if late["cwnd_packets"] < 0.95 * early["cwnd_packets"] and late["time_s"] > 50
    ]
    assert len(cuts) > 3
    return float((cuts[-1] - cuts[0]) / (len(cuts) - 1))


def test_scalable_tcp_recovers_in_the_same_time_at_any_rate() -> None:
    """Kelly, table 1: standard TCP's recovery time grows with the rate, Scalable TCP's does not."""
    slow, fast = (seconds_between_losses(Scalable, rate) for rate in ("5 Mb/s", "20 Mb/s"))
    trips = math.log(1 - 0.125) / -math.log(1 + 0.01)  # to recover, section 2; one or two more go by in fast recovery
    assert trips * 0.1 < fast < (trips + 2) * 0.12
    assert fast == pytest.approx(slow, rel=0.15)
    standard = [seconds_between_losses(None, rate) for rate in ("5 Mb/s", "20 Mb/s")]
    assert standard[1] > 3 * standard[0]


class Blue(ac.QueueDiscipline):
    """W. Feng, K. Shin, D. Kandlur, D. Saha, "The BLUE active queue management algorithms", ToN 10(4), 2002."""

    traced = ("probability",)
    up: float = 0.02
    down: float = 0.002
    freeze_s: float = 0.1

    def start(self) -> None:
        super().start()
        self.probability, self.changed_s = 0.0, 0.0

    def change(self, by: float, now_s: float) -> None:
        if now_s - self.changed_s > self.freeze_s:
            self.probability = min(1.0, max(0.0, self.probability + by))
            self.changed_s = now_s

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        if len(self.waiting) + 1 >= self.limit:
            self.change(self.up, now_s)
            packet.drop()
        elif self.random.random() < self.probability and not packet.mark():
            packet.drop()
        else:
            self.waiting.append(packet)

    def dequeue(self, now_s: float) -> ac.Packet | None:
        if not self.waiting:
            self.change(-self.down, now_s)
        return super().dequeue(now_s)


def test_blue_follows_its_rule_and_loses_less_than_drop_tail() -> None:
    def crowd(queue: ac.Queue) -> ac.Results:
        flows = [ac.Flow(pair=0, tcp="new_reno", window="40 packets", parameters={"ecn": True})]
        bottleneck = ac.Link(rate="5 Mb/s", delay="20 ms", queue=queue)
        topology = ac.Dumbbell(pairs=20, bottleneck=bottleneck)
        return ac.run(
            ac.Scenario(topology=topology, flows=flows, duration="60 s", seed=3, record=ac.Record(changes=True))
        )

    blue = crowd(ac.Queue(kind=Blue, limit="60 packets", parameters={"freeze_s": "50 ms", "up": 0.01}))
    plain = crowd(ac.Queue(limit="60 packets"))
    number = blue.names["links"].index("router1->router2")
    changes = [row for row in blue.rows("own_changes") if row["link"] == number]
    assert {row["variable"] for row in changes} == {"probability"} and changes[0]["value"] == 0.0
    assert all(row["flow"] is None for row in changes) and len(changes) > 10
    for early, late in pairwise(changes):
        step = late["value"] - early["value"]
        assert step == pytest.approx(0.01) or step == pytest.approx(-0.002) or late["value"] in (0.0, 1.0)
        assert late["time_s"] - early["time_s"] > 0.05
    lost, marked = (blue.rows("links")[number][name] for name in ("dropped_packets", "marked_packets"))
    assert marked > 10 * lost
    assert lost < plain.rows("links")[number]["dropped_packets"] / 5


def test_the_same_seed_gives_the_same_and_another_another(tmp_path: Path) -> None:
    scenario = lossy("sack", Scalable, ac.Queue(kind=Blue, limit="10 packets", parameters={"up": 0.1}))
    first, again, other = (packets(replace(scenario, seed=seed), tmp_path) for seed in (1, 1, 2))
    assert first == again != other


def test_runs_on_threads_do_not_touch_each_other(tmp_path: Path) -> None:
    scenario = lossy("sack", Scalable, ac.Queue(kind=Blue, limit="10 packets"))
    alone = packets(scenario, tmp_path / "alone")
    found: dict[int, bytes] = {}
    threads = [
        threading.Thread(target=lambda n=n: found.update({n: packets(scenario, tmp_path / str(n))})) for n in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(found.values()) == [alone] * 3


class Watching(ac.CongestionControl):
    """Checks what it is told against what must be true of it."""

    def on_start(self, state: ac.SenderState) -> None:
        self.seen: list[tuple[str, float]] = []
        assert state.srtt_s is None and state.min_rtt_s is None and state.in_flight_packets == 0

    def on_ack(self, state: ac.SenderState, ack: ac.Ack) -> None:
        # Two ways of 12 + 2 + 2 ms, or 12 + 9 + 9 ms, and what transmissions take.
        least_s = 0.032 if self.name == "near" else 0.060
        assert ack.rtt_s is not None and state.min_rtt_s is not None and state.srtt_s is not None
        assert least_s < state.min_rtt_s <= ack.rtt_s and state.min_rtt_s <= state.srtt_s < 1.0
        assert ack.packets >= 1 and state.mss_bytes == 1000 and 0.0 < state.now_s < 60.0
        assert state.window_packets <= 60 and 0 <= state.in_flight_packets <= 60
        super().on_ack(state, ack)


def test_what_a_control_is_told(tmp_path: Path) -> None:
    scenario = lossy("sack", Watching, QUEUE)
    flows = [replace(flow, name=name) for flow, name in zip(scenario.flows, ("near", "far"), strict=True)]
    packets(replace(scenario, flows=flows), tmp_path)


def test_every_variant_takes_a_control_or_says_that_it_does_not() -> None:
    for tcp, _ in tcp_senders():
        if tcp in LEAVE_WINDOW:
            topology = dumbbell(QUEUE)
            ac.run(ac.Scenario(topology=topology, flows=[ac.Flow(pair=1, tcp=tcp, control=Reno)], duration="1 s"))
            continue
        with pytest.raises(ac.ScenarioError, match="reno, new_reno, sack"):
            ac.Flow(pair=1, tcp=tcp, control=Reno)
        engine = Simulation()
        assert engine.add_agent(tcp).set_plugin_control(Reno(), "x", 1, []) is False


def test_parameters_take_units_and_bandwidth_delay_products() -> None:
    queue = ac.Queue(kind=Blue, limit="2 BDP", parameters={"freeze_s": "20 ms"})
    flow = ac.Flow(pair=2, tcp="sack", control=Scalable, parameters={"decay": 0.5, "numdupacks": 2})
    network = resolve(ac.Scenario(topology=dumbbell(queue), flows=[flow], duration="1 s"))
    link = next(link for link in network.links if link.rate_bps == 1.5e6)
    # 1.5 Mb/s times twice 12 + 9 + 9 ms is 11 packets of 1040 bytes.
    assert link.parameters == {"freeze_s": 0.02, "up": 0.02, "down": 0.002, "limit": 22, "interval_s": 0.0}
    assert network.flows[0].own == {"growth": 0.01, "decay": 0.5}
    assert network.flows[0].parameters["numdupacks"] == 2


def test_a_link_that_goes_down_loses_what_waits_in_an_own_queue(tmp_path: Path) -> None:
    changes = [
        ac.Change(at="2 s", link="router1-router2", up=False),
        ac.Change(at="3 s", link="router1-router2", up=True),
        ac.Change(at="5 s", link="router1->router2", rate="3 Mb/s"),
    ]
    ran = []
    for kind in (DropTail, "drop_tail"):
        scenario = lossy("new_reno", None, ac.Queue(kind=kind, limit="10 packets"))
        ran.append(packets(replace(scenario, changes=changes), tmp_path))
    assert ran[0] == ran[1]


class Clock(ac.QueueDiscipline):
    """Notes when its timer is called, and the rate it is told."""

    interval_s = 0.25
    traced = ("calls", "rate_bps")

    def start(self) -> None:
        super().start()
        self.calls = 0

    def timer(self, now_s: float) -> None:
        self.calls += 1


def test_the_timer_and_the_rate() -> None:
    topology = dumbbell(QUEUE)
    topology = replace(topology, bottleneck=replace(topology.bottleneck, queue=ac.Queue(kind=Clock)))
    changes = [ac.Change(at="1.1 s", link="router1->router2", rate="3 Mb/s")]
    record = ac.Record(changes=True)
    flows = [ac.Flow(pair=1, tcp="sack")]
    results = ac.run(ac.Scenario(topology=topology, flows=flows, duration="2 s", changes=changes, record=record))
    number = results.names["links"].index("router1->router2")
    rows = [row for row in results.rows("own_changes") if row["link"] == number]
    calls = [(row["time_s"], row["value"]) for row in rows if row["variable"] == "calls"]
    assert calls == [(0.0, 0), *((0.25 * n, n) for n in range(1, 8))]
    rates = [row["value"] for row in rows if row["variable"] == "rate_bps"]
    assert rates == [1.5e6, 3e6]


def test_the_guide_examples_are_short() -> None:
    page = (ROOT / "docs" / "guide" / "own.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python (\w+)\.py\n(.*?)```", page, re.DOTALL)
    assert [name for name, _ in examples] == ["scalable", "paced", "blue"]
    for _, code in examples:
        assert len(code.splitlines()) < 40
