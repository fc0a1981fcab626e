"""Two answers to one script: packets and TCP_INFO, and the first thing that differs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
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

#: Seeds for controls that draw. BBR draws one of seven phases whenever it begins PROBE_BW (bbr_reset_probe_bw_mode in
#: net/ipv4/tcp_bbr.c); the kernel does not say which. 32 seeds miss a phase of the first draw in 1 of 140 cases.
SEEDS: dict[str, Sequence[int | None]] = {"bbr": range(1, 33)}

_EVENT = re.compile(r"^(\d+\.\d+) (<|write)", re.MULTILINE)
#: An event with the number that it acknowledges, and the end of a segment with data.
_ACKED = re.compile(r"^(\d+\.\d+) (?:< .* ack (\d+)|write)", re.MULTILINE)
_SENT = re.compile(r" \d+:(\d+)\([1-9]")
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

    def windows(self, fields: tuple[str, ...]) -> list[int]:
        """The congestion window after each event, packets."""
        place = fields.index("snd_cwnd")
        return [int(line[place]) for line in self.info]

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


def ackclock_answer(text: str, seed: int | None = None) -> Answer:
    """What ackclock's socket does with a script. The seed is that of the congestion control's draws."""
    from ackclock._native import run_packetdrill

    options = OPTIONS if seed is None else [*OPTIONS, ("seed", str(seed))]
    verdict, message, packets, printed = run_packetdrill("script", text, options, [])
    found = []
    for at, is_outbound, packet in packets:
        if is_outbound:
            found.append(Packet(at, _WINDOW.sub("", _TIMESTAMPS.sub("TS", packet))))
    return Answer(found, [line.split() for line in printed], "" if verdict == "passes" else message)


@dataclass(frozen=True)
class Comparison:
    """ackclock beside a kernel's answer."""

    #: the first packet or field of TCP_INFO that differs; `None` if nothing does
    difference: str | None
    #: whether the windows are within a packet after each event, and after the last event of each round trip
    near_at_events: bool
    near_at_rounds: bool


def compare(text: str, control: str, expected: Answer, fields: tuple[str, ...]) -> Comparison:
    """ackclock's answer beside the kernel's. For a control that draws, that of the seed that comes nearest."""
    found = []
    for seed in SEEDS.get(control, (None,)):
        actual = ackclock_answer(text, seed)
        difference = first_difference(text, expected, actual, fields)
        want, got = expected.windows(fields), actual.windows(fields)
        at_ends = [at for at in round_ends(text, expected) if at < min(len(want), len(got))]
        is_near_at_rounds = _near([want[at] for at in at_ends], [got[at] for at in at_ends])
        found.append(Comparison(difference, _near(want, got), is_near_at_rounds))
        if difference is None:
            break
    return max(found, key=lambda one: (one.difference is None, one.near_at_events, one.near_at_rounds))


def round_ends(text: str, answer: Answer) -> list[int]:
    """The last event of each round trip: the next one is the first to acknowledge data sent since this one began.

    Numbers of lines of TCP_INFO; the line after the last event, at the script's end, is the last one.
    """
    events = [(round(float(at) * 1e6), int(ack or 0)) for at, ack in _ACKED.findall(text)][1:]
    sent = [(packet.at, int(found[1])) for packet in answer.packets if (found := _SENT.search(packet.text))]
    ends, una, end = [], 0, 0
    for at, (time, ack) in enumerate(events):
        una = max(una, ack)
        if una > end:
            ends += [at - 1] if at else []
            end = max((last for when, last in sent if when <= time), default=una)
    return [*ends, len(events)]


def _near(expected: list[int], actual: list[int], packets: int = 1) -> bool:
    """Whether there are windows, as many in both, and each differs by at most so many packets."""
    if not expected or len(expected) != len(actual):
        return False
    return all(abs(want - got) <= packets for want, got in zip(expected, actual, strict=True))


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
