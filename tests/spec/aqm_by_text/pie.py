"""PIE, from RFC 8033."""

from __future__ import annotations

from collections import deque
from typing import Protocol

import ackclock as ac
from aqm_by_text.draw import Mrg32k3a


class Settings(Protocol):
    """What a queue under PIE is told."""

    target: float
    tupdate: float
    alpha: float
    beta: float
    max_burst: float
    mean_pktsize: int
    ecn: bool
    mark_ecnth: float
    derandomization: bool
    cap_drop_adjustment: bool
    dq_rate_estimator: bool
    dq_threshold: int


class PieQueue:
    """RFC 8033: sections 4 and 5 and appendices A and B, with their names."""

    def __init__(self, own: Settings, random: Mrg32k3a) -> None:
        self.own, self.random = own, random
        self.q: deque[ac.Packet] = deque()
        self.byte_length = 0
        self.drop_prob = self.accu_prob = 0.0
        self.qdelay_old = self.current_qdelay = 0.0
        self.burst_allowance = own.max_burst
        self.in_measurement = False
        self.dq_count = 0
        self.measurement_start = self.avg_dq_time = 0.0

    def qdelay(self) -> float:
        if self.own.dq_rate_estimator:
            self.current_qdelay = self.byte_length * self.avg_dq_time / self.own.dq_threshold
        return self.current_qdelay

    def enque(self, p: ac.Packet) -> bool:
        """Whether the packet was stored."""
        half = self.own.target / 2
        if self.drop_prob == 0 and self.qdelay() < half and self.qdelay_old < half:
            self.burst_allowance = self.own.max_burst
        if self.burst_allowance == 0 and self.drop_early():
            self.accu_prob = 0
            if not (self.own.ecn and self.drop_prob < self.own.mark_ecnth and p.mark()):
                return False
        self.q.append(p)
        self.byte_length += p.size_bytes
        return True

    def drop_early(self) -> bool:
        if self.qdelay_old < self.own.target / 2 and self.drop_prob < 0.2:
            return False
        if self.byte_length <= 2 * self.own.mean_pktsize:
            return False
        if self.own.derandomization:
            if self.drop_prob == 0:
                self.accu_prob = 0
            self.accu_prob += self.drop_prob
            if self.accu_prob < 0.85:
                return False
            if self.accu_prob >= 8.5:
                return True
        return self.random() < self.drop_prob

    def deque(self, now: float) -> ac.Packet | None:
        if not self.q:
            return None
        p = self.q[0]
        if self.own.dq_rate_estimator:
            self.measure(p.size_bytes, now)
        self.q.popleft()
        self.byte_length -= p.size_bytes
        if not self.own.dq_rate_estimator:
            self.current_qdelay = now - p.arrived_s if self.q else 0.0
        return p

    def measure(self, size: int, now: float) -> None:
        threshold = self.own.dq_threshold
        if self.in_measurement:
            self.dq_count += size
            if self.dq_count >= threshold:
                dq_time = now - self.measurement_start
                weight = threshold / 2**16
                if self.avg_dq_time == 0:
                    self.avg_dq_time = dq_time
                else:
                    self.avg_dq_time = dq_time * weight + self.avg_dq_time * (1 - weight)
                self.in_measurement = False
        elif self.byte_length >= threshold:
            self.in_measurement = True
            self.measurement_start = now
            self.dq_count = 0

    def calculate_drop_prob(self) -> None:
        qdelay = self.qdelay()
        p = self.own.alpha * (qdelay - self.own.target) + self.own.beta * (qdelay - self.qdelay_old)
        if self.drop_prob < 0.000001:
            p /= 2048
        elif self.drop_prob < 0.00001:
            p /= 512
        elif self.drop_prob < 0.0001:
            p /= 128
        elif self.drop_prob < 0.001:
            p /= 32
        elif self.drop_prob < 0.01:
            p /= 8
        elif self.drop_prob < 0.1:
            p /= 2
        if self.own.cap_drop_adjustment and self.drop_prob >= 0.1 and p > 0.02:
            p = 0.02
        self.drop_prob += p
        if qdelay == 0 and self.qdelay_old == 0:
            self.drop_prob *= 0.98
        self.drop_prob = min(max(self.drop_prob, 0.0), 1.0)
        self.qdelay_old = qdelay
        self.burst_allowance = max(0.0, self.burst_allowance - self.own.tupdate)


class Pie(ac.QueueDiscipline):
    """A queue under PIE. `skip`: random numbers that others draw before it does."""

    limit = 1000
    interval_s = 0.015
    target, tupdate, alpha, beta, max_burst, mean_pktsize = 0.015, 0.015, 0.125, 1.25, 0.15, 1000
    ecn, mark_ecnth = False, 0.1
    derandomization, cap_drop_adjustment, dq_rate_estimator, dq_threshold = False, False, False, 16384
    seed, skip = 1, 0

    def start(self) -> None:
        self.queue = PieQueue(self, Mrg32k3a(self.seed, self.skip))

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        if len(self.queue.q) >= self.limit or not self.queue.enque(packet):
            packet.drop()

    def dequeue(self, now_s: float) -> ac.Packet | None:
        return self.queue.deque(now_s)

    def timer(self, now_s: float) -> None:
        self.queue.calculate_drop_prob()
