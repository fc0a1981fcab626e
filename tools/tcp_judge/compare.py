"""Two answers to one script: packets and TCP_INFO, and the first thing that differs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

#: When the SYN of each script arrives, microseconds.
SYN_AT = 10_000

#: packetdrill begins a script at a tick of the kernel. So long after the script's start is the next one: measured, on
#: Linux 6.18 with 250 ticks per second.
OPTIONS: list[tuple[str, str]] = [("tick_phase_usecs", "3600")]

#: How far a time may differ: microseconds, and the share of the time since the last event or, of a segment with data,
#: the last such segment, when its timer may have been set. The share is that of Linux's timer wheel: each of its levels
#: is eight times as coarse as the one below, which makes a timer late by an eighth of its time at most
#: (kernel/time/timer.c). The microseconds are our choice: two ticks of 4 ms, where a timer begins and ends, and 2 ms
#: for the machine.
TOLERANCE_MICROS = 10_000
TOLERANCE_SHARE = 0.125

_EVENT = re.compile(r"^(\d+\.\d+) (<|write)", re.MULTILINE)
_TIME = re.compile(r"^(\d+\.\d+) ", re.MULTILINE)
_TIMESTAMPS = re.compile(r"TS val \d+ ecr \d+")
_WINDOW = re.compile(r" win \d+")


@dataclass(frozen=True)
class Packet:
    """A packet that came out, microseconds after the start, in packetdrill's notation."""

    at: int
    text: str


@dataclass(frozen=True)
class Answer:
    """What came of a script."""

    packets: list[Packet]
    #: TCP_INFO's fields after each event
    info: list[list[str]]
    error: str = ""
    #: by how much a packet of the script came too late, microseconds, at most
    late: int = 0
    #: when each packet of the script came, microseconds after the start
    arrived: list[int] = field(default_factory=list)

    def to_json(self) -> str:
        """One line."""
        packets = [[packet.at, packet.text] for packet in self.packets]
        found = {"packets": packets, "info": self.info, "error": self.error, "late": self.late, "arrived": self.arrived}
        return json.dumps(found, separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> Answer:
        """The answer of [`Answer.to_json`]."""
        found = json.loads(text)
        packets = [Packet(at, packet) for at, packet in found["packets"]]
        return Answer(packets, found["info"], found.get("error", ""), found.get("late", 0), found.get("arrived", []))


def as_it_was_run(text: str, answer: Answer) -> str:
    """The script with the times at which its packets came when the kernel answered.

    A write has the time of the first segment that it sent, if one went out within a millisecond.
    """
    arrived = iter(answer.arrived)
    sent = [packet.at for packet in answer.packets if "(0)" not in packet.text]

    def moved(event: re.Match[str]) -> str:
        at = round(float(event[1]) * 1e6)
        begun = arrived if event[2] == "<" else (time for time in sent if at <= time < at + 1_000)
        return f"{next(begun, at) / 1e6:.6f} {event[2]}"

    return _EVENT.sub(moved, text)


def ackclock_answer(text: str) -> Answer:
    """What ackclock's socket does with a script."""
    from ackclock._native import run_packetdrill

    verdict, message, packets, printed = run_packetdrill("script", text, OPTIONS, [])
    found = []
    for at, is_outbound, packet in packets:
        if is_outbound:
            found.append(Packet(at, _WINDOW.sub("", _TIMESTAMPS.sub("TS", packet))))
    return Answer(found, [line.split() for line in printed], "" if verdict == "passes" else message)


def first_difference(text: str, expected: Answer, actual: Answer, fields: tuple[str, ...]) -> str | None:
    """The first packet or field of TCP_INFO that differs, as a message; `None` if nothing does."""
    if expected.error or actual.error:
        return f"error: {expected.error or actual.error}"
    times = [round(float(at) * 1e6) for at, _ in _EVENT.findall(text)]
    # Then the program ends, and with it the connection.
    end = max(round(float(at) * 1e6) for at in _TIME.findall(text))
    before = [[packet for packet in answer.packets if packet.at < end] for answer in (expected, actual)]
    packet = _packet_difference(times, *before)
    # The first two times are those of the SYN and of the handshake's last ACK, after which nothing is printed.
    info = _info_difference([*times[2:], end], expected.info, actual.info, fields)
    found = [difference for difference in (packet, info) if difference is not None]
    return min(found)[1] if found else None


def windows_agree(expected: Answer, actual: Answer, fields: tuple[str, ...], packets: int = 1) -> bool:
    """Whether there are windows, as many in both, and those after each event differ by at most so many packets."""
    if not expected.info or len(expected.info) != len(actual.info):
        return False
    place = list(fields).index("snd_cwnd")
    pairs = zip(expected.info, actual.info, strict=True)
    return all(abs(int(want[place]) - int(got[place])) <= packets for want, got in pairs)


def _packet_difference(times: list[int], expected: list[Packet], actual: list[Packet]) -> tuple[int, str] | None:
    last_data = 0
    for at in range(max(len(expected), len(actual))):
        if at >= len(actual):
            return expected[at].at, f"packet {at}: expected {_show(expected[at])}; nothing came"
        if at >= len(expected):
            return actual[at].at, f"packet {at}: nothing expected; actual {_show(actual[at])}"
        want, got = expected[at], actual[at]
        last = max((time for time in times if time <= want.at), default=0)
        if "(0)" not in want.text:
            last, last_data = min(last, last_data), want.at
        tolerance = max(TOLERANCE_MICROS, TOLERANCE_SHARE * (want.at - last))
        if want.text != got.text or abs(want.at - got.at) > tolerance:
            return min(want.at, got.at), f"packet {at}: expected {_show(want)}; actual {_show(got)}"
    return None


def _info_difference(
    times: list[int], expected: list[list[str]], actual: list[list[str]], fields: tuple[str, ...]
) -> tuple[int, str] | None:
    for at, (want, got) in enumerate(zip(expected, actual, strict=False)):
        wrong = [f"{name} {a} (actual {b})" for name, a, b in zip(fields, want, got, strict=True) if a != b]
        if wrong:
            return times[at], f"after {times[at] / 1e6:.6f} s: expected {', '.join(wrong)}"
    if len(expected) != len(actual):
        return times[-1], f"TCP_INFO: expected {len(expected)} lines; actual {len(actual)}"
    return None


def _show(packet: Packet) -> str:
    return f"{packet.at / 1e6:.6f} {packet.text}"
