"""What goes wrong in a congestion control or a queue discipline of one's own says so."""

from __future__ import annotations

import os
import signal
import traceback
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from test_plugins import QUEUE, Blue, DropTail, Reno, Scalable, dumbbell, lossy


class Wrong(ac.CongestionControl):
    """Does something wrong, after a while."""

    mistake: int = 0

    def on_ack(self, state: ac.SenderState, ack: ac.Ack) -> Any:
        super().on_ack(state, ack)
        if state.now_s < 2:
            return None
        if self.mistake == 0:
            return 1 // (state.mss_bytes - 1000)
        if self.mistake == 1:
            state.cwnd_packets = float("nan")
        if self.mistake == 2:
            state.cwnd_packets = -3.0
        if self.mistake == 3:
            state.ssthresh_packets = -1.0
        return state.cwnd_packets + 1


MISTAKES = ["ZeroDivisionError", "cwnd_packets = NaN", "cwnd_packets = -3", "ssthresh_packets = -1", "it returned"]


@pytest.mark.parametrize("mistake", range(len(MISTAKES)), ids=MISTAKES)
def test_a_mistake_in_a_control_ends_the_run(mistake: int, tmp_path: Path) -> None:
    scenario = lossy("sack", Wrong, QUEUE, parameters={"mistake": mistake})
    with pytest.raises(
        ac.SimulationError, match=rf"flow Wrong-\d at 2\.\d+ s: Wrong.on_ack: .*{MISTAKES[mistake]}"
    ) as wrong:
        ac.run(scenario, trace=tmp_path / "out.tr", nam=tmp_path / "out.nam")
    assert list(tmp_path.iterdir()) == []
    if mistake < 4:
        assert wrong.value.__cause__ is not None
        assert "in on_ack" in "".join(traceback.format_exception(wrong.value.__cause__))


class WrongQueue(DropTail):
    """Does something wrong, after a while."""

    mistake: int = 0
    before: ac.Packet

    def enqueue(self, packet: ac.Packet, now_s: float) -> Any:
        if now_s < 2 or self.mistake > 3:
            return super().enqueue(packet, now_s)
        if self.mistake == 0:
            self.line.append(packet)
        if self.mistake == 1:
            self.line.append(packet)
            return True
        if self.mistake == 2:
            self.before.drop()
        if self.mistake == 3:
            raise RuntimeError("no reason")
        return None

    def dequeue(self, now_s: float) -> Any:
        packet = super().dequeue(now_s)
        if now_s > 2 and packet is not None:
            if self.mistake == 4:
                return self.before
            if self.mistake == 5:
                return None
            if self.mistake == 6:
                return packet.uid
        self.before = packet or self.before if hasattr(self, "before") or packet is None else packet
        return packet


QUEUE_MISTAKES = [
    r"enqueue: 11 packets wait, and its limit is 10",
    r"enqueue: it returned True; expected None",
    r"enqueue: ValueError: packet \d+ does not wait in this queue any more",
    r"enqueue: RuntimeError: no reason",
    r"dequeue: it returned packet \d+, which does not wait in this queue",
    r"dequeue: it returned None while \d+ packets wait",
    r"dequeue: it returned \d+; expected a packet that waits here",
]


@pytest.mark.parametrize("mistake", range(len(QUEUE_MISTAKES)))
def test_a_mistake_in_a_queue_ends_the_run(mistake: int, tmp_path: Path) -> None:
    queue = ac.Queue(kind=WrongQueue, limit="10 packets", parameters={"mistake": mistake})
    message = rf"link router\d->router\d at 2\.?\d* s: WrongQueue.{QUEUE_MISTAKES[mistake]}"
    with pytest.raises(ac.SimulationError, match=message):
        ac.run(lossy("sack", None, queue), trace=tmp_path / "out.tr")
    assert list(tmp_path.iterdir()) == []


def test_what_was_there_before_stays_when_a_run_fails(tmp_path: Path) -> None:
    trace = tmp_path / "out.tr"
    trace.write_text("an older one")
    with pytest.raises(ac.SimulationError):
        ac.run(lossy("sack", Wrong, QUEUE), trace=trace)
    assert trace.read_text() == "an older one"


class Endless(ac.CongestionControl):
    """Never comes back."""

    def on_ack(self, state: ac.SenderState, ack: ac.Ack) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(10**7):
            pass
        raise AssertionError("Ctrl-C was not heard")


def test_ctrl_c_ends_a_run_in_the_middle_of_own_code(tmp_path: Path) -> None:
    # What runs in a shell's background has Ctrl-C switched off.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            ac.run(lossy("sack", Endless, QUEUE), trace=tmp_path / "out.tr")
    finally:
        signal.signal(signal.SIGINT, before)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (
            lambda: ac.Flow(pair=1, tcp="sack", control=DropTail),  # type: ignore[arg-type]
            "expected a text or a class derived from ac.Congestion",
        ),
        (lambda: ac.Queue(kind=Reno), "expected a text or a class derived from ac.QueueDiscipline"),  # type: ignore[arg-type]
        (
            lambda: ac.Flow(pair=1, tcp="sack", control="cubic"),
            "take a congestion control by name; a user-defined one is",
        ),
        (lambda: ac.Flow(pair=1, tcp="vegas", control=Reno), "a user-defined control works with reno, new_reno, sack"),
        (lambda: ac.Flow(pair=1, tcp="sack", control=Scalable, parameters={"grwth": 1}), "nearest known: growth"),
        (lambda: ac.Flow(pair=1, tcp="sack", control=Scalable, parameters={"growth": True}), "expected a number"),
        (lambda: ac.Flow(pair=1, tcp="sack", control=Wrong, parameters={"mistake": 0.5}), "expected a whole number"),
        (lambda: ac.Queue(kind=Blue, parameters={"freeze": "1 s"}), "nearest known: freeze_s"),
        (lambda: ac.Queue(kind=Blue, limit="64 kB"), "counts packets, not bytes"),
        (lambda: ac.Queue(kind="no_such_module:Blue"), "no module no_such_module"),
        (lambda: ac.Queue(kind="test_plugins:Bleu"), "has no such class"),
        (lambda: ac.Queue(kind="test_plugins:Reno"), "not a class derived from ac.QueueDiscipline"),
    ],
)
def test_a_wrong_description_says_what_is_wrong(part: Any, message: str) -> None:
    with pytest.raises(ac.ScenarioError, match=message):
        made = part()
        queue = made if isinstance(made, ac.Queue) else QUEUE
        flow = made if isinstance(made, ac.Flow) else ac.Flow(pair=1, tcp="sack")
        ac.run(ac.Scenario(topology=dumbbell(queue), flows=[flow], duration="1 s"))
