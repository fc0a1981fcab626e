"""Connection vectors: files that say, connection by connection, who sends how much and after which pause.

Source: M. C. Weigle, P. Adurthi, F. Hernandez-Campos, K. Jeffay and F. D. Smith, "Tmix: a tool for generating realistic
application workloads in ns-2", CCR 36(3), 2006, and ns-2's manual, "Tmix", for both formats. In the original one
(`SEQ`, `CONC`) times stand on lines of their own; in the other one (`S`, `C`) each unit has its two pauses.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ackclock.ns2.bindings.tcl_object import NsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: a pause of no length counts as one so long, µs
_LEAST_PAUSE_US = 1


@dataclass(frozen=True)
class Unit:
    """What an application hands over at once; 0 bytes close the connection. One of the pauses, µs, may be 0."""

    after_send_us: int
    after_receive_us: int
    size: int


@dataclass
class Side:
    """One end: what it sends in order, its segment, bytes, and its window, segments."""

    mss: int
    window: int = 0
    units: list[Unit] = field(default_factory=list)


@dataclass
class ConnectionVector:
    """One connection."""

    start_s: float
    initiator: Side
    acceptor: Side


@dataclass(frozen=True)
class Reader:
    """How vectors are read."""

    #: the file as errors name it
    name: str
    #: bytes of a segment where the file says nothing of it
    mss: int
    #: both ends have the greater one of their two segments
    has_one_mss: bool
    #: a connection without an end is closed so long after the last unit, µs
    closes_after_us: int

    def read(self, lines: Iterator[str]) -> Iterator[ConnectionVector]:
        """The vectors of a file. Raises `NsError` for what is none."""
        block: list[tuple[int, list[str]]] = []
        for number, line in enumerate(lines, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if words[0] in ("SEQ", "CONC", "S", "C") and block:
                yield self._vector(block)
                block = []
            block.append((number, words))
        if block:
            yield self._vector(block)

    def _error(self, number: int, words: list[str], expected: str) -> NsError:
        return NsError(f'{self.name}:{number}: "{" ".join(words)}" in a connection vector; expected {expected}')

    def _whole(self, number: int, words: list[str], place: int, expected: str) -> int:
        try:
            return int(words[place])
        except (IndexError, ValueError):
            raise self._error(number, words, expected) from None

    def _vector(self, block: list[tuple[int, list[str]]]) -> ConnectionVector:
        number, words = block[0]
        if words[0] not in ("SEQ", "CONC", "S", "C"):
            raise self._error(number, words, "SEQ or CONC, or S or C, and a start in µs")
        start_us = self._whole(number, words, 1, f"{words[0]} and a start in µs")
        take = {"SEQ": self._sequence, "CONC": self._both_ways}.get(words[0], self._short_units)
        vector = ConnectionVector(start_us / 1e6, Side(self.mss), Side(self.mss))
        rest: list[tuple[int, list[str]]] = []
        for number, words in block[1:]:
            if words[0] in ("m", "w"):
                first, last = (self._whole(number, words, place, f"{words[0]} and two numbers") for place in (1, 2))
                self._describe(vector, words[0], first, last)
            elif words[0] not in ("r", "l"):
                rest.append((number, words))
        last_side = take(vector, rest)
        if last_side is None:
            raise self._error(*block[0], "at least one unit after it")
        if last_side.units[-1].size != 0:
            last_side.units.append(Unit(self.closes_after_us, 0, 0))
        return vector

    def _describe(self, vector: ConnectionVector, what: str, first: int, last: int) -> None:
        for side, value in ((vector.initiator, first), (vector.acceptor, last)):
            if what == "w":
                side.window = value // side.mss
            else:
                side.mss = max(first, last) if self.has_one_mss else value

    def _short_units(self, vector: ConnectionVector, rest: list[tuple[int, list[str]]]) -> Side | None:
        """`I` or `A`, the pauses after sending and after receiving, the size."""
        side = None
        for number, words in rest:
            if words[0] not in ("I", "A"):
                continue
            side = vector.initiator if words[0] == "I" else vector.acceptor
            expected = f"{words[0]}, two pauses in µs and a size"
            side.units.append(Unit(*(self._whole(number, words, place, expected) for place in (1, 2, 3))))
        return side

    def _sequence(self, vector: ConnectionVector, rest: list[tuple[int, list[str]]]) -> Side | None:
        """`>` and `<`: who sends how much, with `t` and a pause between any two of them."""
        last_sender = None
        pause_us, is_pause_next = 0, False
        for number, words in rest:
            if (words[0] == "t") != is_pause_next or words[0] not in (">", "<", "t"):
                raise self._error(number, words, "t and a pause in µs" if is_pause_next else "> or < and a size")
            value = self._whole(number, words, 1, f"{words[0]} and a number")
            if is_pause_next:
                pause_us = value or _LEAST_PAUSE_US
            else:
                side = vector.initiator if words[0] == ">" else vector.acceptor
                side.units.append(Unit(pause_us, 0, value) if side is last_sender else Unit(0, pause_us, value))
                last_sender = side
            is_pause_next = not is_pause_next
        if last_sender is not None and not is_pause_next:
            last_sender.units.append(Unit(pause_us, 0, 0))
        return last_sender

    def _both_ways(self, vector: ConnectionVector, rest: list[tuple[int, list[str]]]) -> Side | None:
        """`c>` and `c<`: each end sends on its own account, after the pauses `t>` and `t<`."""
        sides = {">": vector.initiator, "<": vector.acceptor}
        pauses_us, pending, last = {">": 0, "<": 0}, dict.fromkeys(sides, False), None
        before = ""
        for number, words in rest:
            kind, end = words[0][:1], words[0][1:]
            if kind not in ("c", "t") or end not in sides or words[0] == before:
                raise self._error(number, words, "c> or c< and a size, t> or t< and a pause in µs")
            value = self._whole(number, words, 1, f"{words[0]} and a number")
            if kind == "t":
                pauses_us[end], pending[end] = value or _LEAST_PAUSE_US, True
            else:
                sides[end].units.append(Unit(pauses_us[end], 0, value))
                pending[end], last = False, sides[end]
            before = words[0]
        for end, side in sides.items():
            if pending[end]:
                side.units.append(Unit(pauses_us[end], 0, 0))
                last = side
        return last
