"""Where each packet is at a time, read from the lines of a trace by the plainest program that does it.

It knows nothing of ackclock: what the page shows is held against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

#: Bits per second and seconds, of each direction of a link.
Links = Mapping[tuple[int, int], tuple[float, float]]


class Hop(NamedTuple):
    """A packet on one link; a time is None until it comes."""

    size_bytes: int
    flow: int
    kind: str
    queued_s: float
    sent_s: float | None = None
    came_s: float | None = None
    dropped_s: float | None = None


def hops(trace: Path) -> dict[tuple[int, int, int], Hop]:
    """Each packet's way over each link, by packet id and the link's two nodes; of a .tr or a .nam file."""
    found: dict[tuple[int, int, int], Hop] = {}
    for line in trace.read_text(encoding="ascii").splitlines():
        words = line.split()
        if not words or words[0] not in "+-rd":
            continue
        if words[1] == "-t":
            value = dict(zip(words[1::2], words[2::2], strict=False))
            time, a, b, uid = float(value["-t"]), int(value["-s"]), int(value["-d"]), int(value["-i"])
            size, flow, kind = int(value["-e"]), int(value["-c"]), value["-p"]
        else:
            time, a, b, uid = float(words[1]), int(words[2]), int(words[3]), int(words[11])
            size, flow, kind = int(words[5]), int(words[7]), words[4]
        key = (uid, a, b)
        match words[0]:
            case "+":
                found[key] = Hop(size, flow, kind, time)
            case "-":
                found[key] = found[key]._replace(sent_s=time)
            case "r":
                found[key] = found[key]._replace(came_s=time)
            case "d":
                found[key] = found.get(key, Hop(size, flow, kind, time))._replace(dropped_s=time)
    return found


class Place(NamedTuple):
    """Where a packet is: waiting, or on the link from `tail` to `head`, as fractions of its length."""

    waits: bool
    head: float
    tail: float
    flow: int
    kind: str


def places(found: Mapping[tuple[int, int, int], Hop], links: Links, time_s: float) -> dict[tuple[int, int, int], Place]:
    """All packets that are somewhere at a time, by packet id and link."""
    there = {}
    for (uid, a, b), hop in found.items():
        if time_s < hop.queued_s or (hop.dropped_s is not None and time_s >= hop.dropped_s):
            continue
        if hop.came_s is not None and time_s >= hop.came_s:
            continue
        if hop.sent_s is None or time_s < hop.sent_s:
            there[uid, a, b] = Place(True, 0.0, 0.0, hop.flow, hop.kind)
            continue
        rate_bps, delay_s = links[a, b]
        since = time_s - hop.sent_s
        head = min(1.0, since / delay_s)
        tail = max(0.0, (since - hop.size_bytes * 8 / rate_bps) / delay_s)
        there[uid, a, b] = Place(False, head, tail, hop.flow, hop.kind)
    return there
