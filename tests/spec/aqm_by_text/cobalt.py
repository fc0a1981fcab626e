"""COBALT and CAKE, from their papers."""

from __future__ import annotations

from collections import deque
from math import sqrt

import ackclock as ac
from aqm_by_text.draw import Mrg32k3a


class Cobalt(ac.QueueDiscipline):
    """Palmei et al. 2019, with exact roots: CoDel's count goes down by steps, BLUE's probability by events."""

    limit = 1000
    target, interval, ecn = 0.005, 0.1, True
    increment, decrement, least_wait = 1 / 256, 1 / 4096, 0.0
    seed, skip = 1, 0

    def start(self) -> None:
        self.draw = Mrg32k3a(self.seed, self.skip)
        self.q: deque[ac.Packet] = deque()
        self.count = 0
        self.dropping = False
        self.drop_next = self.p_drop = self.blue_timer = 0.0

    def control(self, t: float) -> float:
        return t + self.interval / sqrt(max(1, self.count))

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        if len(self.q) < self.limit:
            self.q.append(packet)
            return
        packet.drop()
        self.queue_full(now_s)

    def queue_full(self, now: float) -> None:
        if now - self.blue_timer > self.target:
            self.p_drop = min(1.0, self.p_drop + self.increment)
            self.blue_timer = now
        self.dropping, self.drop_next = True, now
        self.count = max(1, self.count)

    def queue_empty(self, now: float) -> None:
        if self.p_drop and now - self.blue_timer > self.target:
            self.p_drop = max(0.0, self.p_drop - self.decrement)
            self.blue_timer = now
        self.dropping = False
        if self.count and now >= self.drop_next:
            self.count -= 1
            self.drop_next = self.control(self.drop_next)

    def should_drop(self, packet: ac.Packet, now: float) -> bool:
        drop = False
        over_target = now - packet.arrived_s > max(self.target, self.least_wait)
        schedule = now - self.drop_next
        next_due = self.count > 0 and schedule >= 0
        if over_target:
            if not self.dropping:
                self.dropping = True
                self.drop_next = self.control(now)
            self.count = self.count or 1
        else:
            self.dropping = False
        if next_due and self.dropping:
            drop = not (self.ecn and packet.mark())
            self.count += 1
            self.drop_next = self.control(self.drop_next)
            schedule = now - self.drop_next
        else:
            while next_due:
                self.count -= 1
                self.drop_next = self.control(self.drop_next)
                schedule = now - self.drop_next
                next_due = self.count > 0 and schedule >= 0
        if self.p_drop and self.draw() < self.p_drop:
            drop = True
        if self.count == 0:
            self.drop_next = now + self.interval
        elif schedule > 0 and not drop:
            self.drop_next = now
        return drop

    def dequeue(self, now_s: float) -> ac.Packet | None:
        while self.q:
            packet = self.q.popleft()
            if not self.should_drop(packet, now_s) or not self.q:
                return packet
            packet.drop()
        self.queue_empty(now_s)
        return None


class CakeFlow:
    """What CAKE keeps of a flow."""

    def __init__(self, own: Cake) -> None:
        self.cobalt = Cobalt()
        self.cobalt.target, self.cobalt.interval = own.stretched()
        self.cobalt.ecn = own.ecn
        self.cobalt.least_wait = 4 * 1514 * 8 / own.rate if own.rate else 0.0
        self.cobalt.start()
        self.cobalt.draw = own.draw
        self.cobalt.limit = 1 << 60
        self.set = "none"
        self.deficit = 0

    @property
    def backlog(self) -> int:
        return sum(packet.size_bytes for packet in self.cobalt.q)


class Cake(ac.QueueDiscipline):
    """Høiland-Jørgensen et al. 2018: the shaper's clock, DRR++ with hosts' shares, COBALT. No two flows share a set."""

    limit = 1 << 30
    memory_limit, rate, overhead, mpu = 4 << 20, 0.0, 0, 0
    by_source, by_destination, ecn = True, True, True
    target, interval = 0.005, 0.1
    seed, skip = 1, 0

    def start(self) -> None:
        self.draw = Mrg32k3a(self.seed, self.skip)
        self.flows: dict[tuple[int, int], CakeFlow] = {}
        self.new: deque[tuple[int, int]] = deque()
        self.old: deque[tuple[int, int]] = deque()
        self.decaying: deque[tuple[int, int]] = deque()

    def stretched(self) -> tuple[float, float]:
        mtu_time = 1514 * 8 / self.rate if self.rate else 0.0
        target = max(self.target, mtu_time * 1.5)
        return target, max(self.interval + target - self.target, target * 2)

    def quantum_of(self, key: tuple[int, int]) -> int:
        quantum = min(1514, max(300, int(self.rate / 8) >> 12)) if self.rate else 1514
        bulk = [one for one, flow in self.flows.items() if flow.set == "bulk"]
        load = 1
        if self.by_source:
            load = max(load, sum(one[0] == key[0] for one in bulk))
        if self.by_destination:
            load = max(load, sum(one[1] == key[1] for one in bulk))
        return max(1, quantum // load)

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        key = packet.source, packet.destination
        flow = self.flows.setdefault(key, CakeFlow(self))
        flow.cobalt.q.append(packet)
        if flow.set in ("none", "decaying"):
            if flow.set == "decaying":
                self.decaying.remove(key)
            self.new.append(key)
            flow.set = "sparse"
            flow.deficit = self.quantum_of(key)
        elif flow.set == "sparse_wait":
            flow.set = "bulk"
        while sum(one.backlog for one in self.flows.values()) > self.memory_limit:
            fattest = max((self.flows[one] for one in (*self.new, *self.old)), key=lambda one: one.backlog)
            fattest.cobalt.queue_full(now_s)
            fattest.cobalt.q.popleft().drop()

    def dequeue(self, now_s: float) -> ac.Packet | None:
        if not any(flow.cobalt.q for flow in self.flows.values()):
            return None
        first_flow = True
        while True:
            head = self.decaying if first_flow and self.decaying else self.new or self.old or self.decaying
            first_flow = False
            key = head[0]
            flow = self.flows[key]
            if flow.deficit <= 0:
                if flow.set == "sparse":
                    flow.set = "bulk" if flow.cobalt.q else "sparse_wait"
                flow.deficit += self.quantum_of(key)
                self.old.append(head.popleft())
                continue
            if not flow.cobalt.q:
                head.popleft()
                cobalt = flow.cobalt
                cobalt.queue_empty(now_s)
                if cobalt.p_drop or cobalt.count or now_s < cobalt.drop_next:
                    self.decaying.append(key)
                    flow.set = "decaying"
                else:
                    flow.set = "none"
                continue
            while True:
                packet = flow.cobalt.q.popleft()
                if not flow.cobalt.should_drop(packet, now_s) or not flow.cobalt.q:
                    break
                packet.drop()
            flow.deficit -= max(self.mpu, packet.size_bytes + self.overhead)
            return packet
