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


class Bins:
    """A set of SFB's bins under hash functions of its own."""

    def __init__(self, levels: int, bins: int, perturbation: int) -> None:
        self.bins, self.perturbation = bins, perturbation
        self.qlen = [[0] * bins for _ in range(levels)]
        self.p_m = [[0.0] * bins for _ in range(levels)]

    def hashes(self, packet: ac.Packet) -> list[int]:
        flow = split_mix(split_mix((packet.source << 32 | packet.destination) ^ split_mix(self.perturbation)))
        return [split_mix(flow ^ level) % self.bins for level in range(len(self.qlen))]

    def count(self, packet: ac.Packet, change: int) -> None:
        for level, place in enumerate(self.hashes(packet)):
            self.qlen[level][place] += change


class Sfb(ac.QueueDiscipline):
    """Feng et al. 2001, figure 2, and moving hash functions. Where a flow's bins are is the engine's affair: its ports
    are 0 in the test.
    """

    limit, levels, bins, bin_size = 200, 2, 23, 13
    increment, decrement, penalty_rate, ecn, rehash = 0.0005, 0.00005, 160e3, True, 0.0
    seed, skip = 1, 0

    def start(self) -> None:
        super().start()
        self.draw = Mrg32k3a(self.seed, self.skip)
        self.sets: list[Bins] = []
        self.moved = self.penalty_until = 0.0

    def new_bins(self, perturbation: int) -> Bins:
        made = Bins(self.levels, self.bins, perturbation)
        for packet in self.waiting:
            made.count(packet, 1)
        return made

    def enqueue(self, packet: ac.Packet, now_s: float) -> None:
        if not self.sets:
            self.sets = [self.new_bins(number) for number in range(2 if self.rehash > 0 else 1)]
            self.moved = now_s
        if self.rehash > 0 and now_s >= self.moved + self.rehash:
            self.sets = [self.sets[1], self.new_bins(self.sets[1].perturbation + 1)]
            self.moved = now_s
        if len(self.waiting) >= self.limit or not self.admits(packet, now_s):
            packet.drop()
            return
        for bins in self.sets:
            bins.count(packet, 1)
        self.waiting.append(packet)

    def learn(self, bins: Bins, packet: ac.Packet) -> tuple[bool, float]:
        dropped, p_min = False, 1.0
        for level, place in enumerate(bins.hashes(packet)):
            if bins.qlen[level][place] > self.bin_size:
                bins.p_m[level][place] = min(1.0, bins.p_m[level][place] + self.increment)
                dropped = True
            elif bins.qlen[level][place] == 0:
                bins.p_m[level][place] = max(0.0, bins.p_m[level][place] - self.decrement)
            p_min = min(p_min, bins.p_m[level][place])
        return dropped, p_min

    def admits(self, packet: ac.Packet, now_s: float) -> bool:
        dropped, p_min = self.learn(self.sets[0], packet)
        if p_min == 1:
            for bins in self.sets[1:]:
                self.learn(bins, packet)
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
        for bins in self.sets:
            bins.count(packet, -1)
        return packet
