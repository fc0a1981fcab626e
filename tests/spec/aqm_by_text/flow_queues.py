"""FQ-CoDel and FQ-PIE, from RFC 8290."""

from __future__ import annotations

from collections import deque

import ackclock as ac
from aqm_by_text.codel import CoDelQueue
from aqm_by_text.draw import Mrg32k3a
from aqm_by_text.pie import PieQueue


class _Turns(ac.QueueDiscipline):
    """RFC 8290, section 4: new and old queues. A flow is a source and a destination: no two share a queue."""

    limit = 10240
    quantum, drop_batch = 1514, 64

    def start(self) -> None:
        self.queues: dict[tuple[int, int], CoDelQueue | PieQueue] = {}
        self.credits: dict[tuple[int, int], int] = {}
        self.new: deque[tuple[int, int]] = deque()
        self.old: deque[tuple[int, int]] = deque()

    def make(self) -> CoDelQueue | PieQueue:
        raise NotImplementedError

    def queue_of(self, packet: ac.Packet) -> tuple[tuple[int, int], CoDelQueue | PieQueue]:
        key = packet.source, packet.destination
        if key not in self.queues:
            self.queues[key] = self.make()
        return key, self.queues[key]

    def activate(self, key: tuple[int, int]) -> None:
        if key not in self.new and key not in self.old:
            self.new.append(key)
            self.credits[key] = self.quantum

    def waiting_packets(self) -> int:
        return sum(len(queue.q) for queue in self.queues.values())

    def dequeue(self, now_s: float) -> ac.Packet | None:
        while self.new or self.old:
            turn = self.new if self.new else self.old
            key = turn[0]
            if self.credits[key] <= 0:
                self.credits[key] += self.quantum
                self.old.append(turn.popleft())
                continue
            packet = self.queues[key].deque(now_s)
            if packet is not None:
                self.credits[key] -= packet.size_bytes
                return packet
            turn.popleft()
            if turn is self.new:
                self.old.append(key)
        return None


class FqCoDel(_Turns):
    """FQ-CoDel."""

    target, interval, ecn, ce_threshold = 0.005, 0.1, True, 0.0

    def make(self) -> CoDelQueue:
        return CoDelQueue(self.target, self.interval, self.ecn, self.ce_threshold)

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        key, queue = self.queue_of(packet)
        assert isinstance(queue, CoDelQueue)
        queue.enque(packet)
        self.activate(key)
        if self.waiting_packets() > self.limit:
            order = [self.queues[one] for one in (*self.new, *self.old)]
            fattest = max(order, key=lambda one: one.bytes if isinstance(one, CoDelQueue) else 0)
            assert isinstance(fattest, CoDelQueue)
            before, dropped = fattest.bytes, 0
            while dropped < self.drop_batch and fattest.bytes > before / 2:
                gone = fattest.pop()
                assert gone is not None
                gone.drop()
                dropped += 1


class FqPie(_Turns):
    """FQ-PIE."""

    interval_s = 0.015
    target, tupdate, alpha, beta, max_burst, mean_pktsize = 0.015, 0.015, 0.125, 1.25, 0.15, 1000
    ecn, mark_ecnth = False, 0.1
    derandomization, cap_drop_adjustment, dq_rate_estimator, dq_threshold = False, False, False, 16384
    seed, skip = 1, 0

    def start(self) -> None:
        super().start()
        self.draw = Mrg32k3a(self.seed, self.skip)

    def make(self) -> PieQueue:
        return PieQueue(self, self.draw)

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        if self.waiting_packets() >= self.limit:
            packet.drop()
            return
        key, queue = self.queue_of(packet)
        assert isinstance(queue, PieQueue)
        if queue.enque(packet):
            self.activate(key)
        else:
            packet.drop()

    def timer(self, now_s: float) -> None:
        for queue in self.queues.values():
            assert isinstance(queue, PieQueue)
            queue.calculate_drop_prob()
