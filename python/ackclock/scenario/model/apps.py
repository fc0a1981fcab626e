"""Parts of descriptions, as crates/scenario/src/model/apps.rs declares them.

Written by tools/write_scenario_types.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ackclock.scenario.model.part import Part
from ackclock.scenario.model.typed import Data, Rate, Size, Time


@dataclass(frozen=True, kw_only=True)
class Ftp(Part):
    """A file transfer: endless, or of a `size` in packets or bytes (rounded up to whole packets). TCP only."""

    part = "Ftp"
    kind: ClassVar[str] = "ftp"

    size: Data | None = None
    """How much is sent; no limit by default."""


@dataclass(frozen=True, kw_only=True)
class Cbr(Part):
    """Packets of `packet_size` at constant intervals that give `rate`; `dither` moves each by up to half an interval.

    `packets` is how many are sent; no limit by default.
    """

    part = "Cbr"
    kind: ClassVar[str] = "cbr"

    rate: Rate = "448 kb/s"
    """The rate of the packets."""
    packet_size: Size = "210 B"
    """The packets' size."""
    dither: bool = False
    """Whether the intervals vary."""
    packets: int | None = None
    """How many are sent; no limit by default."""


@dataclass(frozen=True, kw_only=True)
class Exponential(Part):
    """On/off traffic: bursts at `rate` and idle times, exponentially distributed with means `burst` and `idle`.

    Packets have `packet_size`.
    """

    part = "Exponential"
    kind: ClassVar[str] = "exponential"

    rate: Rate = "64 kb/s"
    """The rate of a burst."""
    packet_size: Size = "210 B"
    """The packets' size."""
    burst: Time = "0.5 s"
    """Mean length of a burst."""
    idle: Time = "0.5 s"
    """Mean idle time."""


@dataclass(frozen=True, kw_only=True)
class Pareto(Part):
    """On/off traffic: bursts at `rate` and idle times, Pareto distributed: means `burst` and `idle`, this `shape`.

    Packets have `packet_size`.
    """

    part = "Pareto"
    kind: ClassVar[str] = "pareto"

    rate: Rate = "64 kb/s"
    """The rate of a burst."""
    packet_size: Size = "210 B"
    """The packets' size."""
    burst: Time = "0.5 s"
    """Mean length of a burst."""
    idle: Time = "0.5 s"
    """Mean idle time."""
    shape: float = 1.5
    """The shape of both distributions."""


@dataclass(frozen=True, kw_only=True)
class Telnet(Part):
    """Single packets at exponentially distributed intervals of mean `interval`; without it, at those of tcplib."""

    part = "Telnet"
    kind: ClassVar[str] = "telnet"

    interval: Time | None = None
    """The mean interval; without it, intervals are those of tcplib."""


@dataclass(frozen=True, kw_only=True)
class Requests(Part):
    """A client and a server over one two-way TCP connection, which is opened, used and closed.

    The source sends a `request`. Once the destination has all of it, it sends a `response` after the time
    `server_delay`. Once the source has all of that, it sends the next request after the time `think_time`, `times` in
    all, or without end if that is 0. Then the source closes the connection, unless `closes` is false. Two-way TCP only.
    """

    part = "Requests"
    kind: ClassVar[str] = "requests"
    renamed: ClassVar[Mapping[str, str]] = {"serves": "server_delay", "thinks": "think_time"}

    request: Size = "300 B"
    """The size of a request."""
    response: Size = "12 kB"
    """The size of a response."""
    times: int = 1
    """How many requests are sent; 0 for without end."""
    server_delay: Time = "0 s"
    """The time from a request to its response."""
    think_time: Time = "0 s"
    """The time from a response to the next request."""
    closes: bool = True
    """Whether the source closes the connection after the last one."""


@dataclass(frozen=True, kw_only=True)
class Call(Part):
    """The video of a call over RTP and UDP, whose bitrate SCReAM sets between `min_rate` and `max_rate`. No `tcp`.

    An encoder gives `fps` frames per second. Sizes and intervals deviate by Laplacian amounts, whose scale is the part
    `frame_variation` of each, and a new bitrate is taken after the time `reaction` at the earliest: the model of RFC
    8593, section 5. The congestion control is SCReAM version 2 (draft-ietf-ccwg-rfc8298bis-screamv2), with feedback by
    RFC 8888. A frame is late if its last packet arrives later than `deadline` after its capture; ITU-T G.114 recommends
    at most 150 ms one way. The flow's `packet_size` is the largest RTP packet, 1000 bytes by default.
    """

    part = "Call"
    kind: ClassVar[str] = "call"

    fps: float = 30.0
    """Frames per second."""
    min_rate: Rate = "150 kb/s"
    """The encoder's lowest bitrate."""
    max_rate: Rate = "1.5 Mb/s"
    """The encoder's highest bitrate."""
    frame_variation: float = 0.15
    """The scale of the deviations of frame sizes and intervals."""
    reaction: Time = "200 ms"
    """The shortest time between two changes of the bitrate."""
    deadline: Time = "150 ms"
    """A frame is late if it arrives later than this after its capture."""


@dataclass(frozen=True, kw_only=True)
class Video(Part):
    """A video that the source sends and the destination plays, in segments over one two-way TCP connection.

    The destination opens the connection, and sends a `request` for each `segment`. Once it has all of the segment, it
    requests the next one, and waits first if the `buffer` has no room for it. Playing begins with the first segment;
    when the buffer is empty, it waits for the next one. Each segment has one of the `bitrates`. BOLA chooses it by the
    level of the buffer: K. Spiteri, R. Urgaonkar and R. K. Sitaraman, "BOLA: near-optimal bitrate adaptation for online
    videos", INFOCOM 2016, BOLA-BASIC. `gamma_p` is how much rebuffering counts there beside the bitrate. `segments` is
    the number of segments; without it, the video lasts until the flow's `stop`. Two-way TCP only.
    """

    part = "Video"
    kind: ClassVar[str] = "video"

    bitrates: list[Rate] = field(
        default_factory=lambda: [
            "230 kb/s",
            "331 kb/s",
            "477 kb/s",
            "688 kb/s",
            "991 kb/s",
            "1427 kb/s",
            "2056 kb/s",
            "2962 kb/s",
            "5027 kb/s",
            "6000 kb/s",
        ]
    )
    """The bitrates that there are, ascending."""
    segment: Time = "3 s"
    """How much video a segment has."""
    buffer: Time = "25 s"
    """The most video in the player's buffer."""
    gamma_p: float = 5.0
    """How much rebuffering counts beside the bitrate."""
    segments: int | None = None
    """How many segments there are; no limit by default."""
    request: Size = "300 B"
    """The size of a request."""


#: Parts that differ in `kind`: ftp, cbr, exponential, pareto, telnet, requests, call, video.
App = Ftp | Cbr | Exponential | Pareto | Telnet | Requests | Call | Video
