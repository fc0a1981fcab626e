"""Makes an input of others that is nearly one of them: some bytes, lines or words are other ones.

The readers here read text, in lines and words, so most changes are of those: bytes alone would seldom come past the
first check. Which changes are made follows from the random numbers that are given, and from nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

#: An input has no more bytes.
MOST_BYTES = 1 << 16

#: Numbers at whose edges something may give way.
NUMBERS = (
    b"0 1 -1 2 3 7 10 64 127 128 255 256 1000 32767 65535 65536 1000000 2147483647 -2147483648 4294967295 4294967296 "
    b"9007199254740993 9223372036854775807 -9223372036854775808 18446744073709551616 999999999999999999999999 "
    b"-0 0.0 -0.0 0.5 1.5 1e-9 1e9 1e18 1e22 1e300 -1e300 1e-320 1e400 nan inf -inf 0x7fffffff 1_000 007 .5 5. 1e"
).split()
ODD = [bytes([byte]) for byte in b"\0 \n\r\t\"'\\{}[]$#\xff"] + [b"\r\n", b"\xc3\x28", "ü".encode()]

_WORD = re.compile(rb"-?[0-9][0-9.eE+-]*|[A-Za-z_][A-Za-z0-9_/-]*|\"[^\"\n]*\"|[^\sA-Za-z0-9]")
_NUMBER = re.compile(rb"-?[0-9][0-9.eE+-]*")


class Mutator:
    """Changes inputs; `words` are those of the language that is read."""

    def __init__(self, random: Random, words: Sequence[bytes] = ()) -> None:
        self.random = random
        self.words = list(words)
        #: the inputs that others are made of; whoever finds a new kind of answer adds to it
        self.pool: list[bytes] = []
        self._ways: list[Callable[[bytes], bytes]] = [
            self._byte, self._cut, self._repeat, self._odd, self._truncate,
            self._drop_line, self._repeat_line, self._move_line, self._borrow_line,
            *[self._word] * 4, *[self._number] * 3, self._drop_word, self._swap_words,
        ]  # fmt: skip

    def made(self) -> bytes:
        """Another input."""
        data = self.random.choice(self.pool)
        for _ in range(self.random.choice((1, 1, 1, 2, 2, 3, 5, 8))):
            data = self.random.choice(self._ways)(data)
        return data[:MOST_BYTES]

    def _span(self, data: bytes) -> tuple[int, int]:
        begin = self.random.randint(0, len(data))
        length = self.random.choice((1, 1, 2, 4, 8, 32, 200))
        return begin, min(begin + length, len(data))

    def _byte(self, data: bytes) -> bytes:
        if not data:
            return bytes([self.random.randrange(256)])
        at = self.random.randrange(len(data))
        new = self.random.choice((data[at] ^ 1 << self.random.randrange(8), self.random.randrange(256)))
        return data[:at] + bytes([new]) + data[at + 1 :]

    def _cut(self, data: bytes) -> bytes:
        begin, end = self._span(data)
        return data[:begin] + data[end:]

    def _repeat(self, data: bytes) -> bytes:
        begin, end = self._span(data)
        return data[:begin] + data[begin:end] * self.random.choice((2, 3, 17, 300)) + data[end:]

    def _odd(self, data: bytes) -> bytes:
        at = self.random.randint(0, len(data))
        return data[:at] + self.random.choice(ODD) + data[at:]

    def _truncate(self, data: bytes) -> bytes:
        return data[: self.random.randint(0, len(data))]

    def _lines(self, data: bytes) -> tuple[list[bytes], int]:
        lines = data.splitlines(keepends=True) or [b""]
        return lines, self.random.randrange(len(lines))

    def _drop_line(self, data: bytes) -> bytes:
        lines, at = self._lines(data)
        return b"".join(lines[:at] + lines[at + 1 :])

    def _repeat_line(self, data: bytes) -> bytes:
        lines, at = self._lines(data)
        return b"".join(lines[:at] + [lines[at]] * self.random.choice((2, 3, 40)) + lines[at + 1 :])

    def _move_line(self, data: bytes) -> bytes:
        lines, at = self._lines(data)
        line = lines.pop(at)
        lines.insert(self.random.randint(0, len(lines)), line)
        return b"".join(lines)

    def _borrow_line(self, data: bytes) -> bytes:
        lines, at = self._lines(data)
        others, other = self._lines(self.random.choice(self.pool))
        return b"".join(lines[:at] + others[other : other + self.random.choice((1, 1, 3, 10))] + lines[at:])

    def _found(self, data: bytes, kind: re.Pattern[bytes]) -> re.Match[bytes] | None:
        """One of them: the first behind any place, so that the rest of a long input need not be looked through."""
        return kind.search(data, self.random.randint(0, len(data))) or kind.search(data)

    def _replaced(self, data: bytes, kind: re.Pattern[bytes], new: Callable[[bytes], bytes]) -> bytes:
        match = self._found(data, kind)
        return data[: match.start()] + new(match[0]) + data[match.end() :] if match else data

    def _any_word(self) -> bytes:
        if self.words and self.random.random() < 0.5:
            return self.random.choice(self.words)
        match = self._found(self.random.choice(self.pool), _WORD)
        return match[0] if match else b""

    def _word(self, data: bytes) -> bytes:
        return self._replaced(data, _WORD, lambda _: self._any_word())

    def _number(self, data: bytes) -> bytes:
        return self._replaced(data, _NUMBER, lambda _: self.random.choice(NUMBERS))

    def _drop_word(self, data: bytes) -> bytes:
        return self._replaced(data, _WORD, lambda _: b"")

    def _swap_words(self, data: bytes) -> bytes:
        one, other = self._found(data, _WORD), self._found(data, _WORD)
        if one is None or other is None:
            return data
        if one.start() > other.start():
            one, other = other, one
        if one.end() > other.start():
            return data
        return b"".join((data[: one.start()], other[0], data[one.end() : other.start()], one[0], data[other.end() :]))
