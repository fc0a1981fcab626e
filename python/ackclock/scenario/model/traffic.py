"""Flows: who sends to whom, with which TCP, fed by which application, from when to when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

from ackclock.plugins import CongestionControl
from ackclock.plugins.classes import is_name
from ackclock.scenario.errors import ScenarioError
from ackclock.scenario.model.dscp import code_point
from ackclock.scenario.model.typed import Data, Described, Parameters, Rate, Size, Time, Window
from ackclock.scenario.units import rate_bps, size_bytes, time_s


@dataclass(frozen=True, kw_only=True)
class Ftp(Described):
    """A file transfer: endless, or of a `size` in packets or bytes (rounded up to whole packets). TCP only."""

    kind: ClassVar[str] = "ftp"

    size: Data | None = None


@dataclass(frozen=True, kw_only=True)
class Cbr(Described):
    """Packets of `packet_size` at constant intervals that give `rate`; `dither` moves each by up to half an interval.

    `packets` is how many are sent; no limit by default.
    """

    kind: ClassVar[str] = "cbr"

    rate: Rate = "448 kb/s"
    packet_size: Size = "210 B"
    dither: bool = False
    packets: int | None = None


@dataclass(frozen=True, kw_only=True)
class Exponential(Described):
    """On/off traffic: bursts at `rate` and idle times, exponentially distributed with means `burst` and `idle`.

    Packets have `packet_size`.
    """

    kind: ClassVar[str] = "exponential"

    rate: Rate = "64 kb/s"
    packet_size: Size = "210 B"
    burst: Time = "0.5 s"
    idle: Time = "0.5 s"


@dataclass(frozen=True, kw_only=True)
class Pareto(Described):
    """On/off traffic: bursts at `rate` and idle times, Pareto distributed: means `burst` and `idle`, this `shape`.

    Packets have `packet_size`.
    """

    kind: ClassVar[str] = "pareto"

    rate: Rate = "64 kb/s"
    packet_size: Size = "210 B"
    burst: Time = "0.5 s"
    idle: Time = "0.5 s"
    shape: float = 1.5

    def check(self) -> None:
        """`ScenarioError` unless the shape is above 1, so that the mean exists."""
        if not self.shape > 1:
            raise ScenarioError("must be more than 1, or the mean is infinite", key="shape", value=self.shape)


@dataclass(frozen=True, kw_only=True)
class Telnet(Described):
    """Single packets at exponentially distributed intervals of mean `interval`; without it, at those of tcplib."""

    kind: ClassVar[str] = "telnet"

    interval: Time | None = None


#: senders whose congestion control is chosen by name
WITH_CONTROLS = ("linux", "tcp", "ns3")

#: the engine's agents that take datagrams
TAKE_DATAGRAMS = ("null", "loss_monitor")

#: the engine's agents of a call: who sends the video, who receives it
CALL_SENDER, CALL_RECEIVER = "scream", "rtp_receiver"

#: senders whose window a user-defined control can decide
LEAVE_WINDOW = ("reno", "new_reno", "sack", "tcp")


@dataclass(frozen=True, kw_only=True)
class Requests(Described):
    """A client and a server over one two-way TCP connection, which is opened, used and closed.

    The source sends a `request`. Once the destination has all of it, it sends a `response` after the time
    `server_delay`. Once the source has all of that, it sends the next request after the time `think_time`, `times` in
    all, or without end if that is 0. Then the source closes the connection, unless `closes` is false. Two-way TCP only.
    """

    renamed: ClassVar[Mapping[str, str]] = {"serves": "server_delay", "thinks": "think_time"}

    kind: ClassVar[str] = "requests"

    request: Size = "300 B"
    response: Size = "12 kB"
    times: int = 1
    server_delay: Time = "0 s"
    think_time: Time = "0 s"
    closes: bool = True

    def check(self) -> None:
        """`ScenarioError` for a negative number of times."""
        if self.times < 0:
            raise ScenarioError("expected a number of times, 0 for without end", key="times", value=self.times)


@dataclass(frozen=True, kw_only=True)
class Call(Described):
    """The video of a call over RTP and UDP, whose bitrate SCReAM sets between `min_rate` and `max_rate`. No `tcp`.

    An encoder gives `fps` frames per second. Sizes and intervals deviate by Laplacian amounts, whose scale is the part
    `frame_variation` of each, and a new bitrate is taken after the time `reaction` at the earliest: the model of
    RFC 8593, section 5. The congestion control is SCReAM version 2 (draft-ietf-ccwg-rfc8298bis-screamv2), with feedback
    by RFC 8888. A frame is late if its last packet arrives later than `deadline` after its capture; ITU-T G.114
    recommends at most 150 ms one way. The flow's `packet_size` is the largest RTP packet, 1000 bytes by default.
    """

    kind: ClassVar[str] = "call"

    fps: float = 30.0
    min_rate: Rate = "150 kb/s"
    max_rate: Rate = "1.5 Mb/s"
    frame_variation: float = 0.15
    reaction: Time = "200 ms"
    deadline: Time = "150 ms"

    def check(self) -> None:
        """`ScenarioError` for no frames, a negative deviation, and a least rate above the highest."""
        if not self.fps > 0:
            raise ScenarioError("must be more than 0", key="fps", value=self.fps)
        if not self.frame_variation >= 0:
            raise ScenarioError("must not be negative", key="frame_variation", value=self.frame_variation)
        if rate_bps(self.min_rate) > rate_bps(self.max_rate):
            raise ScenarioError(f"must not be above max_rate, {self.max_rate}", key="min_rate", value=self.min_rate)


#: bitrates of the film with which BOLA was evaluated, as in Sabre's `bbb.json`
VIDEO_BITRATES = (
    "230 kb/s", "331 kb/s", "477 kb/s", "688 kb/s", "991 kb/s", "1427 kb/s", "2056 kb/s", "2962 kb/s", "5027 kb/s",
    "6000 kb/s",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Video(Described):
    """A video that the source sends and the destination plays, in segments over one two-way TCP connection.

    The destination opens the connection, and sends a `request` for each `segment`. Once it has all of the segment, it
    requests the next one, and waits first if the `buffer` has no room for it. Playing begins with the first segment;
    when the buffer is empty, it waits for the next one. Each segment has one of the `bitrates`. BOLA chooses it by the
    level of the buffer: K. Spiteri, R. Urgaonkar and R. K. Sitaraman, "BOLA: near-optimal bitrate adaptation for online
    videos", INFOCOM 2016, BOLA-BASIC. `gamma_p` is how much rebuffering counts there beside the bitrate. `segments` is
    the number of segments; without it, the video lasts until the flow's `stop`. Two-way TCP only.
    """

    kind: ClassVar[str] = "video"

    bitrates: list[Rate] = field(default_factory=lambda: list(VIDEO_BITRATES))
    segment: Time = "3 s"
    buffer: Time = "25 s"
    gamma_p: float = 5.0
    segments: int | None = None
    request: Size = "300 B"

    def check(self) -> None:
        """`ScenarioError` for bitrates that do not ascend, a buffer without room, and nothing to send."""
        if not self.bitrates:
            raise ScenarioError("expected at least one bitrate", key="bitrates")
        for index, (before, rate) in enumerate(pairwise(self.bitrates), 1):
            if not rate_bps(rate) > rate_bps(before):
                expected = f"must be above the bitrate before it, {before}"
                raise ScenarioError(expected, key=f"bitrates.{index}", value=rate)
        if not time_s(self.segment) > 0:
            raise ScenarioError("must be more than 0", key="segment", value=self.segment)
        if not time_s(self.buffer) > time_s(self.segment):
            raise ScenarioError(f"must be more than a segment, {self.segment}", key="buffer", value=self.buffer)
        if not self.gamma_p >= 1:
            expected = "must be at least 1, or an empty buffer does not ask for the lowest bitrate"
            raise ScenarioError(expected, key="gamma_p", value=self.gamma_p)
        if self.segments is not None and self.segments < 1:
            raise ScenarioError("expected at least 1", key="segments", value=self.segments)
        if size_bytes(self.request) < 1:
            raise ScenarioError("must be more than 0", key="request", value=self.request)


#: every application
App = Ftp | Cbr | Exponential | Pareto | Telnet | Requests | Call | Video


@dataclass(frozen=True, kw_only=True)
class Arrivals(Described):
    """Web-like traffic: short transfers in sequence, each a connection of its own.

    With the application `requests`, the objects are responses; otherwise they go from source to destination.

    Pages are requested at exponentially distributed intervals of mean `interval`. The number of objects of a page is
    Pareto distributed with mean `objects` and shape `objects_shape` (P. Barford and M. Crovella, "Generating
    representative Web workloads", 1998, found 2.43). They are requested in sequence at exponentially distributed
    intervals of mean `spacing`. The objects' sizes are Pareto distributed with mean `size` and this `shape` (M. E.
    Crovella and A. Bestavros, "Self-similarity in World Wide Web traffic", 1997, found 1.0 to 1.3), in whole packets.
    """

    renamed: ClassVar[Mapping[str, str]] = {"every": "interval"}

    interval: Time
    size: Data
    shape: float = 1.2
    objects: float = 1.0
    objects_shape: float = 2.43
    spacing: Time = "0 s"

    def check(self) -> None:
        """`ScenarioError` for means that do not exist, intervals of 0, and pages with less than one object."""
        for key in ("shape", "objects_shape"):
            if not getattr(self, key) > 1:
                raise ScenarioError("must be more than 1, or the mean is infinite", key=key, value=getattr(self, key))
        if not time_s(self.interval) > 0:
            raise ScenarioError("must be more than 0", key="interval", value=self.interval)
        if not self.objects >= 1:
            raise ScenarioError("a page has at least 1 object", key="objects", value=self.objects)


@dataclass(frozen=True, kw_only=True)
class Span(Described):
    """A time in which the application sends, from `start` to `stop`; without `stop` until the end."""

    start: Time
    stop: Time | None = None


@dataclass(frozen=True, kw_only=True)
class Flow(Described):
    """Packets from one node to another.

    `source` and `destination` name nodes. In a dumbbell `pair = 1` is left1 to right1, and `pair = 0` a flow for each
    pair. `tcp` is a variant's id (`ackclock list`); without it the packets are UDP datagrams. `app` is the source of
    data. `id` is the flow id in packets and traces, by default 1, 2, ... in the order of flows.

    Two-way variants (tcp, full, full_sack, ...) are the same at both ends. They have a handshake, both ends may send,
    and the end that stops closes the connection; with several `spans`, `tcp` keeps it open. Their `parameters` apply to
    both ends.

    With `tcp = "linux"`, `"tcp"` or `"ns3"`, `control` names the congestion control.
    `tcp = "cubic"`, or the name of another control of `tcp`, means `tcp = "tcp"` with it.
    With `reno`, `new_reno`, `sack` or `tcp`, `control` may be a user-defined class, or its name (`module:Class`).
    `tcp = "./libmine.so:Mine"` is a control of a shared library, `tcp = "kernel:cubic"` one of the Linux kernel's.

    `receiver` is a receiver's id, by default the default set's. `parameters` are the sender's and `receiver_parameters`
    the receiver's, by the engine's names. `window` and `packet_size` (data, without headers) are two of the sender's.

    The application sends from `start` to `stop`, or in each of its `spans`. With `start_jitter`, each flow starts at a
    random time within this time after `start`, which depends only on the seed and the flow. With `arrivals` there are
    many flows, a transfer each, that arrive from `start` to `stop`.

    `dscp` is the DiffServ code point of the source's packets, by number or name ("EF", "CS1", "AF41"). CAKE's tins and
    the bands of `linux_fq` go by it. ACKs have none.
    """

    renamed: ClassVar[Mapping[str, str]] = {"spread": "start_jitter"}

    belongs: ClassVar[Mapping[str, str]] = {
        "size": 'a transfer\'s size belongs to its app: app = { kind = "ftp", size = "1 MB" }',
        "rate": 'a rate belongs to the app: app = { kind = "cbr", rate = "1 Mb/s" }',
        "queue": "a queue belongs to a link of the topology",
    }

    pair: int | None = None
    source: str | None = None
    destination: str | None = None
    tcp: str | None = None
    control: str | type[CongestionControl] | None = None
    app: App = field(default_factory=Ftp)
    arrivals: Arrivals | None = None
    start: Time = "0 s"
    start_jitter: Time = "0 s"
    stop: Time | None = None
    spans: list[Span] | None = None
    packet_size: Size | None = None
    window: Window | None = None
    receiver: str | None = None
    dscp: int | str | None = None
    parameters: Parameters = field(default_factory=dict)
    receiver_parameters: Parameters = field(default_factory=dict)
    id: int | None = None
    name: str | None = None

    def check(self) -> None:
        """`ScenarioError` unless there are two ends, and a source of data for the sender."""
        if self.pair is None and (self.source is None or self.destination is None):
            missing = "source" if self.source is None else "destination"
            raise ScenarioError("the key is missing; a flow needs source and destination, or pair", key=missing)
        if self.pair is not None and (self.source is not None or self.destination is not None):
            raise ScenarioError("a flow has either pair or source and destination", key="pair", value=self.pair)
        if self.tcp is None and isinstance(self.app, (Ftp, Telnet, Requests, Video)):
            kind = self.app.kind
            raise ScenarioError(
                f"the key is missing; {kind} goes over TCP, datagrams have cbr, exponential, pareto, call", key="tcp"
            )
        if self.tcp is not None and isinstance(self.app, Call):
            raise ScenarioError("a call goes over RTP, and has no TCP; expected no such key", key="tcp", value=self.tcp)
        is_transfer = isinstance(self.app, Requests) or (isinstance(self.app, Ftp) and self.app.size is None)
        if self.arrivals is not None and (self.tcp is None or not is_transfer):
            raise ScenarioError("arrivals are ftp or requests over TCP, with sizes of their own", key="arrivals")
        if time_s(self.start_jitter) > 0 and (self.arrivals is not None or self.spans is not None):
            raise ScenarioError(
                "a flow with arrivals or spans has no start_jitter", key="start_jitter", value=self.start_jitter
            )
        if self.dscp is not None:
            try:
                code_point(self.dscp)
            except ScenarioError as error:
                raise error.under("dscp") from None
        self._check_spans()
        self._check_control()

    def _check_control(self) -> None:
        if self.control is None:
            return
        if isinstance(self.control, str) and not is_name(self.control):
            if self.tcp not in WITH_CONTROLS:
                senders = " and ".join(f'"{sender}"' for sender in WITH_CONTROLS)
                expected = f"only tcp = {senders} take a congestion control by name; a user-defined one is module:Class"
                raise ScenarioError(expected, key="control", value=self.control)
        elif self.tcp not in LEAVE_WINDOW:
            expected = f"a user-defined control works with {', '.join(LEAVE_WINDOW)}"
            raise ScenarioError(expected, key="tcp", value=self.tcp)

    def _check_spans(self) -> None:
        if self.spans is None:
            return
        if self.stop is not None or time_s(self.start) > 0:
            raise ScenarioError("a flow has either spans or start and stop", key="spans")
        if self.arrivals is not None or getattr(self.app, "size", None) is not None:
            raise ScenarioError("transfers of a size end by themselves; spans are for sources without end", key="spans")
        if isinstance(self.app, Telnet) and len(self.spans) > 1:
            raise ScenarioError("telnet cannot be started again: its next packet may be on its way", key="spans")
        if isinstance(self.app, Video) and len(self.spans) > 1:
            raise ScenarioError("a viewer who has left does not come back; expected one span", key="spans")
        if not self.spans:
            raise ScenarioError("expected at least one span", key="spans")
        before: Span | None = None
        for index, span in enumerate(self.spans):
            if before is not None and before.stop is None:
                raise ScenarioError("the key is missing; only the last span may go on", key=f"spans.{index - 1}.stop")
            if before is not None and before.stop is not None and time_s(span.start) < time_s(before.stop):
                expected = f"must not be before the stop of the span before it, {before.stop}"
                raise ScenarioError(expected, key=f"spans.{index}.start", value=span.start)
            before = span
