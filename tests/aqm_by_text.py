"""Queue disciplines written down in Python from the pseudo-code of their RFCs, as classes of one's own.

They share nothing with the engine but the packets they are handed; `test_aqm.py` drives both with the same arrivals.
"""

from __future__ import annotations

from collections import deque
from math import sqrt

import ackclock as ac


class Mrg32k3a:
    """L'Ecuyer's generator (Operations Research 47(1), 1999), all six seeds being `seed`."""

    def __init__(self, seed: int, skip: int = 0) -> None:
        self.first, self.second = [seed] * 3, [seed] * 3
        for _ in range(skip):
            self()

    def __call__(self) -> float:
        """The next number, 0 to 1."""
        m1, m2 = 4294967087, 4294944443
        one = (1403580 * self.first[1] - 810728 * self.first[0]) % m1
        two = (527612 * self.second[2] - 1370589 * self.second[0]) % m2
        self.first, self.second = [*self.first[1:], one], [*self.second[1:], two]
        return ((one - two) % m1 or m1) * 2.328306549295727688e-10


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


class PieQueue:
    """RFC 8033: sections 4 and 5 and appendices A and B, with their names."""

    def __init__(self, own: Pie | FqPie, random: Mrg32k3a) -> None:
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
        self.most = 0.0

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        if len(self.queue.q) >= self.limit or not self.queue.enque(packet):
            packet.drop()

    def dequeue(self, now_s: float) -> ac.Packet | None:
        return self.queue.deque(now_s)

    def timer(self, now_s: float) -> None:
        self.queue.calculate_drop_prob()


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
