"""CoDel, from RFC 8289."""

from __future__ import annotations

from collections import deque
from math import sqrt

import ackclock as ac


class CoDelQueue:
    """RFC 8289, sections 5.4 to 5.6, with the names of its listing; marks as tc-codel(8) has them."""

    def __init__(self, target: float, interval: float, ecn: bool, ce_threshold: float = 0.0) -> None:
        self.target, self.interval, self.ecn, self.ce_threshold = target, interval, ecn, ce_threshold
        self.q: deque[ac.Packet] = deque()
        self.bytes = 0
        self.first_above_time = 0.0
        self.drop_next = 0.0
        self.count = self.lastcount = 0
        self.dropping = False
        self.maxpacket = 0

    def enque(self, p: ac.Packet) -> None:
        self.q.append(p)
        self.bytes += p.size_bytes

    def pop(self) -> ac.Packet | None:
        if not self.q:
            return None
        p = self.q.popleft()
        self.bytes -= p.size_bytes
        return p

    def control_law(self, t: float, count: int) -> float:
        return t + self.interval / sqrt(count)

    def dodeque(self, now: float) -> tuple[ac.Packet | None, bool]:
        p = self.pop()
        ok_to_drop = False
        if p is None:
            self.first_above_time = 0
        else:
            self.maxpacket = max(self.maxpacket, p.size_bytes)
            sojourn_time = now - p.arrived_s
            if sojourn_time < self.target or self.bytes <= self.maxpacket:
                self.first_above_time = 0
            elif self.first_above_time == 0:
                self.first_above_time = now + self.interval
            elif now >= self.first_above_time:
                ok_to_drop = True
        return p, ok_to_drop

    def marks(self, p: ac.Packet | None) -> bool:
        return self.ecn and p is not None and p.mark()

    def deque(self, now: float) -> ac.Packet | None:
        p, ok_to_drop = self.dodeque(now)
        if self.dropping:
            if not ok_to_drop:
                self.dropping = False
            while now >= self.drop_next and self.dropping:
                self.count += 1
                if self.marks(p):
                    self.drop_next = self.control_law(self.drop_next, self.count)
                    break
                assert p is not None
                p.drop()
                p, ok_to_drop = self.dodeque(now)
                if not ok_to_drop:
                    self.dropping = False
                else:
                    self.drop_next = self.control_law(self.drop_next, self.count)
        elif ok_to_drop:
            if not self.marks(p):
                assert p is not None
                p.drop()
                p, ok_to_drop = self.dodeque(now)
            self.dropping = True
            delta = self.count - self.lastcount
            self.count = 1
            if delta > 1 and now - self.drop_next < 16 * self.interval:
                self.count = delta
            self.drop_next = self.control_law(now, self.count)
            self.lastcount = self.count
        if p is not None and self.ce_threshold and now - p.arrived_s > self.ce_threshold:
            p.mark()
        return p


class CoDel(ac.QueueDiscipline):
    """A queue under CoDel."""

    limit = 1000
    target, interval, ecn, ce_threshold = 0.005, 0.1, False, 0.0

    def start(self) -> None:
        self.queue = CoDelQueue(self.target, self.interval, self.ecn, self.ce_threshold)

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        if len(self.queue.q) >= self.limit:
            packet.drop()
        else:
            self.queue.enque(packet)

    def dequeue(self, now_s: float) -> ac.Packet | None:
        return self.queue.deque(now_s)
