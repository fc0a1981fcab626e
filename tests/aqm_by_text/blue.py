"""BLUE and stochastic fair BLUE, from their papers."""

from __future__ import annotations

import ackclock as ac
from aqm_by_text.draw import Mrg32k3a, split_mix


class Blue(ac.QueueDiscipline):
    """Feng et al. 2002, figure 3."""

    limit = 100
    increment, decrement, freeze_time, ecn = 0.02, 0.002, 0.1, True
    seed, skip = 1, 0

    def start(self) -> None:
        super().start()
        self.draw = Mrg32k3a(self.seed, self.skip)
        self.p_m = self.last_update = 0.0

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        if len(self.waiting) >= self.limit:
            packet.drop()
            if now_s - self.last_update > self.freeze_time:
                self.p_m = min(1.0, self.p_m + self.increment)
                self.last_update = now_s
        elif self.draw() < self.p_m and not (self.ecn and packet.mark()):
            packet.drop()
        else:
            self.waiting.append(packet)

    def dequeue(self, now_s: float) -> ac.Packet | None:
        if self.waiting:
            return self.waiting.popleft()
        if now_s - self.last_update > self.freeze_time:
            self.p_m = max(0.0, self.p_m - self.decrement)
            self.last_update = now_s
        return None


class Sfb(ac.QueueDiscipline):
    """Feng et al. 2001, figure 2. Where a flow's bins are is the engine's affair: its ports are 0 in the test."""

    limit, levels, bins, bin_size = 200, 2, 23, 13
    increment, decrement, penalty_rate, ecn = 0.0005, 0.00005, 160e3, True
    seed, skip = 1, 0

    def start(self) -> None:
        super().start()
        self.draw = Mrg32k3a(self.seed, self.skip)
        self.qlen = [[0] * self.bins for _ in range(self.levels)]
        self.p_m = [[0.0] * self.bins for _ in range(self.levels)]
        self.penalty_until = 0.0

    def hashes(self, packet: ac.Packet) -> list[int]:
        flow = split_mix(split_mix((packet.source << 32 | packet.destination) ^ split_mix(0)))
        return [split_mix(flow ^ level) % self.bins for level in range(self.levels)]

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        if len(self.waiting) >= self.limit or not self.admits(packet, now_s):
            packet.drop()
            return
        for level, place in enumerate(self.hashes(packet)):
            self.qlen[level][place] += 1
        self.waiting.append(packet)

    def admits(self, packet: ac.Packet, now_s: float) -> bool:
        dropped, p_min = False, 1.0
        for level, place in enumerate(self.hashes(packet)):
            if self.qlen[level][place] > self.bin_size:
                self.p_m[level][place] = min(1.0, self.p_m[level][place] + self.increment)
                dropped = True
            elif self.qlen[level][place] == 0:
                self.p_m[level][place] = max(0.0, self.p_m[level][place] - self.decrement)
            p_min = min(p_min, self.p_m[level][place])
        if dropped:
            return False
        if p_min == 1:
            if now_s < self.penalty_until:
                return False
            self.penalty_until = now_s + 8 * packet.size_bytes / self.penalty_rate
            return True
        return self.draw() >= p_min or (self.ecn and packet.mark())

    def dequeue(self, now_s: float) -> ac.Packet | None:
        if not self.waiting:
            return None
        packet = self.waiting.popleft()
        for level, place in enumerate(self.hashes(packet)):
            self.qlen[level][place] -= 1
        return packet
