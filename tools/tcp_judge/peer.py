"""The peer of a random script: a receiver behind a path that loses, delays and marks, with times in microseconds.

It is written for the generator of scripts only: RFC 9293 and RFC 2018 as far as ACKs need them.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass, field

#: the script's value of the timestamp on the SYN-ACK
SCRIPT_TS = 100
#: the bottleneck takes up to so much longer for a packet, microseconds
UNEVEN_MICROS = 170


@dataclass(frozen=True)
class Segment:
    """A segment of the socket under test, in a script's sequence numbers."""

    at: int
    start: int
    length: int
    flags: str
    ecn: str
    ts_val: int | None
    #: how much later the kernel may send it, microseconds; 0 if no timer sends it
    timer_slack: int = 0


@dataclass(frozen=True)
class Path:
    """What the path does: times in microseconds, probabilities per packet."""

    delay: int
    back_delay: int
    #: time that the bottleneck takes for a packet
    service: int
    loss: float = 0.0
    #: the loss ends a burst with this probability for each packet
    burst_end: float = 1.0
    late: float = 0.0
    late_by: int = 0
    twice: float = 0.0
    mark: float = 0.0
    ack_loss: float = 0.0
    ack_late: float = 0.0
    #: from when to when all packets are lost, microseconds
    down: tuple[int, int] = (0, 0)
    #: from when on the path is longer, and by how much
    longer_from: int = 1 << 60
    longer_by: int = 0


@dataclass(frozen=True)
class Receiver:
    """How the peer acknowledges."""

    sack: bool
    timestamps: bool
    ecn: bool
    #: packets that one ACK acknowledges at most, and how long it waits for them, microseconds
    ack_every: int
    ack_delay: int
    window: int


@dataclass(order=True)
class _Item:
    at: int
    number: int
    kind: str = field(compare=False)
    value: object = field(compare=False)


class Peer:
    """Turns the socket's segments into ACKs, each at its time."""

    def __init__(self, path: Path, receiver: Receiver, draws: random.Random) -> None:
        self.path, self.receiver, self._draws = path, receiver, draws
        self._queue: list[_Item] = []
        self._count = 0
        self._busy_until = 0
        self._in_burst = False
        self._next = 1
        #: ranges received out of order, the latest first
        self._blocks: list[tuple[int, int]] = []
        self._duplicate: tuple[int, int] | None = None
        self._unacked = 0
        self._timer = 0
        self._echo_congestion = False
        #: the timestamp to echo: first that of the SYN-ACK
        self._ts_recent: int | None = SCRIPT_TS if receiver.timestamps else None
        self._last_injected = 0
        self._own_next = 1

    def _push(self, at: int, kind: str, value: object) -> None:
        self._count += 1
        heapq.heappush(self._queue, _Item(at, self._count, kind, value))

    def send(self, segment: Segment) -> None:
        """A segment leaves the socket under test."""
        path, draws = self.path, self._draws
        # One draw of each kind for each segment, so that scripts of one seed stay alike when the socket changes.
        loses, ends, is_late, is_twice, is_marked, takes = (draws.random() for _ in range(6))
        # Uneven: with equal distances the kernel would often compare equal times (RTTs, distances of ACKs), and the
        # microseconds that it takes itself would decide.
        start = max(self._busy_until, segment.at) + round(takes * UNEVEN_MICROS)
        self._busy_until = start + path.service
        if self._in_burst or loses < path.loss:
            self._in_burst = ends >= path.burst_end
            return
        if path.down[0] <= segment.at < path.down[1]:
            return
        at = start + path.service + path.delay + (path.late_by if is_late < path.late else 0)
        at += path.longer_by if segment.at >= path.longer_from else 0
        arrives = segment
        if segment.ecn.startswith("[ect") and is_marked < path.mark:
            arrives = Segment(segment.at, segment.start, segment.length, segment.flags, "[ce]", segment.ts_val)
        self._push(at, "segment", arrives)
        if is_twice < path.twice:
            self._push(at + path.service, "segment", arrives)

    def send_data(self, at: int, start: int, length: int) -> None:
        """Plan data of the peer: they leave at this time."""
        self._push(at, "data", (start, length))

    def next_time(self) -> int | None:
        """When something happens next."""
        return self._queue[0].at if self._queue else None

    def step(self) -> str | None:
        """Let it happen; the ACK to inject at that time, if it is one."""
        item = heapq.heappop(self._queue)
        if item.kind == "inject":
            return str(item.value)
        if item.kind == "data":
            assert isinstance(item.value, tuple)
            start, length = item.value
            self._own_next = max(self._own_next, start + length)
            self._unacked = 0
            text = self._ack(f"P. {start}:{start + length}({length})")
            self._push(item.at + self.path.back_delay, "inject", text)
            return None
        if item.kind == "timer":
            if item.value == self._timer and self._unacked:
                self._acknowledge(item.at)
            return None
        assert isinstance(item.value, Segment)
        self._arrive(item.at, item.value)
        return None

    def injection_time(self, at: int) -> int:
        """A time for an injection that is later than the one before: the kernel takes them one by one."""
        self._last_injected = max(at, self._last_injected + 300)
        return self._last_injected

    def _arrive(self, at: int, segment: Segment) -> None:
        if segment.ecn == "[ce]":
            self._echo_congestion = True
        if "W" in segment.flags:
            self._echo_congestion = segment.ecn == "[ce]"
        if segment.length == 0:
            return
        start, end = segment.start, segment.start + segment.length
        if segment.ts_val is not None and start <= self._next:
            self._ts_recent = segment.ts_val
        was_in_order = start == self._next and not self._blocks
        covered = any(left <= start and end <= right for left, right in self._blocks)
        if end <= self._next or covered:
            self._duplicate = (start, end)
        elif start <= self._next:
            self._next = end
            while joined := [block for block in self._blocks if block[0] <= self._next]:
                self._next = max(self._next, *(right for _, right in joined))
                self._blocks = [block for block in self._blocks if block not in joined]
        else:
            touching = [block for block in self._blocks if block[0] <= end and start <= block[1]]
            self._blocks = [block for block in self._blocks if block not in touching]
            left = min([start, *(left for left, _ in touching)])
            right = max([end, *(right for _, right in touching)])
            self._blocks.insert(0, (left, right))
        self._unacked += 1
        if not was_in_order or self._unacked >= self.receiver.ack_every:
            self._acknowledge(at)
        else:
            self._timer += 1
            self._push(at + self.receiver.ack_delay, "timer", self._timer)

    def _acknowledge(self, at: int) -> None:
        self._unacked = 0
        is_lost, is_late = self._draws.random(), self._draws.random()
        text = self._ack()
        self._duplicate = None
        if is_lost >= self.path.ack_loss:
            late = 2 * self.path.service if is_late < self.path.ack_late else 0
            self._push(at + self.path.back_delay + late, "inject", text)

    def _ack(self, data: str | None = None) -> str:
        options = []
        if self.receiver.timestamps and self._ts_recent is not None:
            options.append(f"nop,nop,TS val 700 ecr {self._ts_recent}")
        if self.receiver.sack:
            blocks = [*([self._duplicate] if self._duplicate else []), *self._blocks]
            blocks = blocks[: 3 if self.receiver.timestamps else 4]
            if blocks:
                options.append("nop,nop,sack " + " ".join(f"{left}:{right}" for left, right in blocks))
        echo = "E" if self._echo_congestion and self.receiver.ecn else ""
        segment = data or f". {self._own_next}:{self._own_next}(0)"
        prefix = "[ect0] " if data and self.receiver.ecn else ""
        text = f"< {prefix}{segment.replace('.', f'{echo}.', 1)} ack {self._next} win {self.receiver.window}"
        return f"{text} <{','.join(options)}>" if options else text
