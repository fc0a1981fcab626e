"""A step of RFC 8257, and disciplines that classes of packets have."""

from __future__ import annotations

from collections import deque

import ackclock as ac


class Step(ac.QueueDiscipline):
    """RFC 8257, section 3.1."""

    limit, threshold, drops_others = 1000, 20, False

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        over = len(self.waiting) > self.threshold
        if len(self.waiting) >= self.limit or (over and not packet.mark() and self.drops_others):
            packet.drop()
        else:
            self.waiting.append(packet)


class Priority(ac.QueueDiscipline):
    """tc-prio(8) over drop-tail bands."""

    limit = 1 << 30
    each, bands = 50, 3

    def start(self) -> None:
        self.lines: list[deque[ac.Packet]] = [deque() for _ in range(self.bands)]

    def band(self, packet: ac.Packet) -> int:
        return min(packet.priority, self.bands - 1)

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        line = self.lines[self.band(packet)]
        if len(line) < self.each:
            line.append(packet)
        else:
            packet.drop()

    def dequeue(self, now_s: float) -> ac.Packet | None:
        return next((line.popleft() for line in self.lines if line), None)


class WeightedDrr(Priority):
    """Shreedhar and Varghese 1995, figures 3 and 4: an active list; a visit adds the quantum and sends what it can."""

    bands = 4
    quantum_0, quantum_1, quantum_2, quantum_3 = 1514, 1514, 1514, 1514

    def start(self) -> None:
        super().start()
        self.active: deque[int] = deque()
        self.deficit = [0] * 4

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        band = self.band(packet)
        was_idle = not self.lines[band]
        super().enqueue(packet, now_s)
        if was_idle and self.lines[band]:
            if band not in self.active:
                self.active.append(band)
                self.deficit[band] = 0
            if len(self.active) == 1:
                self.deficit[band] = self.quantum(band)

    def quantum(self, band: int) -> int:
        return [self.quantum_0, self.quantum_1, self.quantum_2, self.quantum_3][band]

    def begin_visit(self) -> None:
        if self.active:
            self.deficit[self.active[0]] += self.quantum(self.active[0])

    def dequeue(self, now_s: float) -> ac.Packet | None:
        while self.active:
            band = self.active[0]
            head = self.lines[band][0]
            if head.size_bytes > self.deficit[band]:
                self.active.append(self.active.popleft())
                self.begin_visit()
                continue
            self.deficit[band] -= head.size_bytes
            self.lines[band].popleft()
            if not self.lines[band]:
                self.active.popleft()
                self.deficit[band] = 0
                self.begin_visit()
            return head
        return None
