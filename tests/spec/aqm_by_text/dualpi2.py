"""DualPI2, from RFC 9332."""

from __future__ import annotations

from collections import deque

import ackclock as ac


class DualPi2(ac.QueueDiscipline):
    """RFC 9332, figures 3 to 6 and those of A.2, with tc-dualpi2's weighted round robin."""

    limit = 10000
    interval_s = 0.015
    target, tupdate, alpha, beta, coupling = 0.015, 0.015, 0.15, 3.0, 2.0
    step_min, step_range, step_packets, classic_share = 0.0008, 0.0004, 1, 0.1

    def start(self) -> None:
        self.lq: deque[ac.Packet] = deque()
        self.cq: deque[ac.Packet] = deque()
        self.counts = {True: 0.0, False: 0.0}
        self.p = self.prevq = self.credit = 0.0

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        if len(self.lq) + len(self.cq) >= self.limit:
            packet.drop()
        elif packet.ect_1 or packet.marked:
            self.lq.append(packet)
        else:
            self.cq.append(packet)

    def recur(self, low: bool, likelihood: float) -> bool:
        self.counts[low] += likelihood
        if self.counts[low] > 1:
            self.counts[low] -= 1
            return True
        return False

    def laqm(self, qdelay: float) -> float:
        if qdelay >= self.step_min + self.step_range:
            return 1.0
        if qdelay > self.step_min:
            return (qdelay - self.step_min) / self.step_range
        return 0.0

    def dequeue(self, now_s: float) -> ac.Packet | None:
        p_cl, p_c, p_cmax = self.coupling * self.p, self.p**2, min(1 / self.coupling**2, 1)
        while self.lq or self.cq:
            both = bool(self.lq and self.cq)
            if self.lq and (not self.cq or self.credit <= 0):
                packet = self.lq.popleft()
                if p_cl < 1:
                    p_l = self.laqm(now_s - packet.arrived_s) if len(self.lq) >= self.step_packets else 0.0
                    if self.recur(True, max(p_l, p_cl)):
                        packet.mark()
                else:
                    if self.recur(True, p_c):
                        packet.drop()
                        continue
                    if self.recur(True, min(p_cl, 1.0)):
                        packet.mark()
                change = self.classic_share
            else:
                packet = self.cq.popleft()
                if self.recur(False, p_c) and (p_c >= p_cmax or not packet.mark()):
                    packet.drop()
                    continue
                change = self.classic_share - 1
            if both:
                self.credit += change * packet.size_bytes
            return packet
        self.credit = 0.0
        return None

    def timer(self, now_s: float) -> None:
        curq = max((now_s - line[0].arrived_s if line else 0.0) for line in (self.lq, self.cq))
        self.p += self.alpha * (curq - self.target) + self.beta * (curq - self.prevq)
        self.p = min(1.0, max(0.0, self.p))
        self.prevq = curq
