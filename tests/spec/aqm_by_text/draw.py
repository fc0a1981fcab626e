"""The engine's random numbers and hash, from what is published of them."""

from __future__ import annotations


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


def split_mix(number: int) -> int:
    """The last step of SplitMix64, over one increment of its golden gamma."""
    whole = 2**64 - 1
    number = (number + 0x9E3779B97F4A7C15) & whole
    number = ((number ^ number >> 30) * 0xBF58476D1CE4E5B9) & whole
    number = ((number ^ number >> 27) * 0x94D049BB133111EB) & whole
    return number ^ number >> 31
