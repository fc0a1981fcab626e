"""The order in which nodes start, which decides what senders draw."""

from __future__ import annotations


def start_order(count: int) -> list[int]:
    """The order in which ns-2 starts nodes numbered from 0: that of a hash table of Tcl's with their numbers as keys.

    Senders draw their clock's phase as they start, so their order decides who draws what.
    """

    def mixed(number: int) -> int:
        value = 0
        for letter in str(number).encode():
            value = value * 9 + letter if value else letter
        return value & 0xFFFFFFFF

    size = 4
    table: list[list[int]] = [[] for _ in range(size)]
    for number in range(count):
        table[mixed(number) % size].insert(0, number)
        if number + 1 >= size * 3:
            size *= 4
            bigger: list[list[int]] = [[] for _ in range(size)]
            for bucket in table:
                for old in bucket:
                    bigger[mixed(old) % size].insert(0, old)
            table = bigger
    return [number for bucket in table for number in bucket]
