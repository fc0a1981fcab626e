"""Random packetdrill scripts, each a function of its seed.

The peer reacts to ackclock's own socket: the script's ACKs are those that a receiver would have sent. The kernel then
gets the same packets at the same times.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from ackclock._native import run_packetdrill
from tcp_judge.compare import OPTIONS, SYN_AT
from tcp_judge.peer import SCRIPT_TS, Path, Peer, Receiver, Segment

#: Fields of TCP_INFO that are compared after each ACK.
FIELDS = ("snd_cwnd", "snd_ssthresh", "ca_state", "retrans", "lost", "sacked", "unacked", "reordering", "total_retrans")

#: Maximum segment size of the peer, bytes
MSS = 1000
#: ACKs in a script, and its length, at most
MAX_ACKS = 60
MAX_MICROS = 2_500_000

_OUTBOUND = re.compile(r"(\[\w+\]) (\S+) (\d+):\d+\((\d+)\)")
_TS_VAL = re.compile(r"TS val (\d+)")


@dataclass(frozen=True)
class Plan:
    """What a seed decides before the first packet."""

    path: Path
    receiver: Receiver
    #: when the application writes how many bytes
    writes: tuple[tuple[int, int], ...]
    sysctls: tuple[str, ...]
    #: data of the peer: when which bytes arrive
    inbound: tuple[tuple[int, int, int], ...]


def plan(seed: int) -> Plan:
    """The plan of a seed."""
    draws = random.Random(f"plan {seed}")
    one_way = draws.choice([5_170, 10_330, 20_410, 40_690])
    ecn = draws.random() < 0.15
    kinds = [
        "clean",
        "loss",
        "loss",
        "burst",
        "burst",
        "reorder",
        "mixed",
        "mixed",
        "acks",
        "outage",
        "outage",
        "longer",
    ]
    kind = draws.choice(kinds)
    start = SYN_AT + 2 * one_way + 5_000
    down = start + draws.choice([3_000, 20_000, 60_000, 150_000])
    path = Path(
        delay=one_way // 2,
        back_delay=one_way - one_way // 2,
        service=draws.choice([710, 1_040, 1_330, 2_130]),
        loss={"loss": draws.choice([0.03, 0.1]), "burst": 0.04, "mixed": 0.03}.get(kind, 0.0)
        + (0.02 if draws.random() < 0.2 else 0),
        burst_end=draws.choice([0.2, 0.5]) if kind == "burst" else 1.0,
        late={"reorder": draws.choice([0.05, 0.2]), "mixed": 0.05}.get(kind, 0.0),
        late_by=draws.choice([1_570, 3_190, 8_230, 30_310]),
        twice=0.03 if draws.random() < 0.2 else 0.0,
        mark=draws.choice([0.03, 0.2]) if ecn else 0.0,
        ack_loss={"acks": 0.2, "mixed": 0.1}.get(kind, 0.0),
        ack_late=0.1 if kind == "acks" else 0.0,
        down=(down, down + draws.choice([15_000, 120_000, 400_000, 900_000])) if kind == "outage" else (0, 0),
        longer_from=down if kind == "longer" else 1 << 60,
        longer_by=draws.choice([20_000, 150_000, 400_000]),
    )
    receiver = Receiver(
        sack=draws.random() < 0.8,
        timestamps=draws.random() < 0.3,
        ecn=ecn,
        ack_every=draws.choice([1, 2, 2, 4]),
        ack_delay=draws.choice([4_000, 25_000]),
        window=draws.choice([257, 1000, 1000, 4000]),
    )
    writes = [(start, draws.choice([2, 8, 15, 40, 80, 120]) * MSS + draws.choice([0, 0, 1, 337]))]
    for _ in range(draws.choice([0, 0, 1, 3])):
        at = writes[-1][0] + draws.choice([3_100, 60_300, 400_700])
        writes.append((at, draws.choice([1, 5, 12]) * MSS + draws.choice([0, 411])))
    sysctls = [
        f"net.ipv4.tcp_ecn={int(ecn)}",
        'net.ipv4.tcp_wmem="4096 4000000 4000000"',
        'net.ipv4.tcp_rmem="4096 131072 6291456"',
    ]
    if draws.random() < 0.15:
        sysctls.append("net.ipv4.tcp_slow_start_after_idle=0")
    if draws.random() < 0.1:
        sysctls.append("net.ipv4.tcp_early_retrans=0")
    inbound: list[tuple[int, int, int]] = []
    if draws.random() < 0.25:
        at, sequence = start + draws.choice([1_100, 30_300]), 1
        for _ in range(draws.choice([3, 8, 15])):
            length = draws.choice([MSS, MSS, 1400, 100])
            inbound.append((at, sequence, length))
            sequence += length
            at += draws.choice([500, 1_700, 25_300, 60_100])
        if draws.random() < 0.6:
            # Two packets change places, or one comes twice.
            first = draws.randrange(len(inbound) - 1)
            swapped = [(inbound[first][0], *inbound[first + 1][1:]), (inbound[first + 1][0], *inbound[first][1:])]
            twice = [inbound[first], (inbound[first][0] + 400, *inbound[first][1:]), inbound[first + 1]]
            inbound[first : first + 2] = swapped if draws.random() < 0.6 else twice
    return Plan(path, receiver, tuple(writes), tuple(sysctls), tuple(inbound))


def seconds(micros: int) -> str:
    """A time in a script."""
    return f"{micros / 1e6:.6f}"


def script(control: str, planned: Plan, events: list[tuple[int, str]], end: int) -> str:
    """The text of a script with these inbound packets and writes, each followed by a line that prints TCP_INFO."""
    receiver = planned.receiver
    options = ["mss 1000"]
    if receiver.timestamps:
        options.append(f"{'sackOK' if receiver.sack else 'nop,nop'},TS val 700 ecr 0")
    elif receiver.sack:
        options.append("nop,nop,sackOK")
    options.append("nop,wscale 7")
    one_way = planned.path.delay + planned.path.back_delay
    ack_at = SYN_AT + 2 * one_way
    echo = " <nop,nop,TS val 700 ecr 100>" if receiver.timestamps else ""
    expected = "<mss 1460,sackOK,TS val 100 ecr 700,nop,wscale 7>" if receiver.sack else ""
    if receiver.timestamps and not receiver.sack:
        expected = "<mss 1460,nop,nop,TS val 100 ecr 700,nop,wscale 7>"
    expected = expected if receiver.timestamps else "<...>"
    syn, syn_ack = ("SEW", "SE.") if receiver.ecn else ("S", "S.")
    lines = [
        "--tolerance_usecs=2000000",
        "--tcp_ts_ecr_scaled",
        "`" + "\n".join(f"sysctl -q -w {sysctl}" for sysctl in planned.sysctls),
        "ip link set dev tun0 gso_max_segs 1`",
        "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3",
        "+0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0",
        # A sysctl may set only what the whole machine allows.
        f'+0 setsockopt(3, SOL_TCP, TCP_CONGESTION, "{control}", {len(control)}) = 0',
        "+0 bind(3, ..., ...) = 0",
        "+0 listen(3, 1) = 0",
        f"{seconds(SYN_AT)} < {syn} 0:0(0) win 65535 <{','.join(options)}>",
        f"+0 > {syn_ack} 0:0(0) ack 1 {expected}",
        f"{seconds(ack_at)} < . 1:1(0) ack 1 win {receiver.window}{echo}",
        "+0 accept(3, ..., ...) = 4",
    ]
    show = f"%{{ print({', '.join(f'tcpi_{field}' for field in FIELDS)}) }}%"
    for at, event in sorted(events, key=lambda event: event[0]):
        lines += [f"{seconds(at)} {event}", f"+0 {show}"]
    lines.append(f"{seconds(end)} {show}")
    return "\n".join(lines) + "\n"


def generate(seed: int, control: str) -> str:
    """The script of a seed: the socket under test has `control`."""
    planned = plan(seed)
    peer = Peer(planned.path, planned.receiver, random.Random(f"path {seed}"))
    writes = [(at, f"write(4, ..., {count}) = {count}") for at, count in planned.writes]
    for data in planned.inbound:
        peer.send_data(*data)
    acks: list[tuple[int, str]] = []
    written = [at for at, _ in writes]
    sent = 0
    first = planned.writes[0][0]
    while len(acks) < MAX_ACKS:
        text = script(control, planned, writes + acks, MAX_MICROS)
        segments = _segments(text, first, [*written, *(at for at, _ in acks)])
        injection: tuple[int, str] | None = None
        while injection is None:
            at = peer.next_time()
            if sent < len(segments) and (at is None or segments[sent].at <= at):
                peer.send(segments[sent])
                sent += 1
                continue
            if at is None or at > MAX_MICROS:
                return script(control, planned, writes + acks, _end(writes + acks))
            if (ack := peer.step()) is not None:
                injection = (peer.injection_time(_after_timers(at, segments)), ack)
        acks.append(injection)
    return script(control, planned, writes + acks, _end(writes + acks))


def _end(events: list[tuple[int, str]]) -> int:
    """Time for the timers that the last event has set."""
    return max(at for at, _ in events) + 350_000


def _after_timers(at: int, segments: list[Segment]) -> int:
    """A time at or after `at` that is not close behind a timer, which the kernel may run later."""
    for segment in segments:
        if segment.timer_slack and segment.at - 1_000 <= at <= segment.at + segment.timer_slack:
            at = segment.at + segment.timer_slack + 1_000
    return at


def _segments(text: str, first: int, events: list[int]) -> list[Segment]:
    """What ackclock's socket sends in this script, after the handshake.

    A segment that no event causes is a timer's. The kernel counts ticks of 4 ms, of 32 ms above 256 ms, and so on: its
    timers are late by up to an eighth. Timestamps of such a segment are raised by as much, so that their echo is not
    earlier than the kernel's segment, which would look like an answer to the original.
    """
    verdict, message, packets, _ = run_packetdrill("generated", text, OPTIONS, [])
    if verdict != "passes":
        raise RuntimeError(f"{verdict}: {message}\n{text}")
    found = []
    base: int | None = None
    last = 0
    for at, is_outbound, packet in packets:
        if not is_outbound:
            continue
        if base is None and (value := _TS_VAL.search(packet)):
            base = int(value[1]) - SCRIPT_TS
        if at < first:
            continue
        match = _OUTBOUND.match(packet)
        assert match, packet
        ecn, flags, start, length = match.groups()
        value = _TS_VAL.search(packet)
        # The shortest timer is a tick. A retransmission's may have been set when the last segment was sent.
        is_timers = at - max([last, *(event for event in events if event <= at)]) > 3_500
        slack = max(6_000, (at - last) // 8 + 4_000) if is_timers else 0
        last = at
        # The kernel's millisecond need not begin where the script's does.
        ts_val = int(value[1]) - (base or 0) + 1 + slack // 1000 if value else None
        found.append(Segment(at, int(start), int(length), flags, ecn, ts_val, slack))
    return found
