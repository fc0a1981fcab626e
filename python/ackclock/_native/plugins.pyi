"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from typing import final

@final
class SenderState:
    """A TCP sender as its congestion control sees it. Windows are in packets; `cwnd_packets` and `ssthresh_packets`
    are to be set. It is the same object at each call, with what is true then: keep its numbers, not the object.
    """

    @property
    def now_s(self) -> float:
        """The simulated time, s."""
    @property
    def cwnd_packets(self) -> float:
        """The congestion window, packets: at least 1, not necessarily whole. Less than 1 counts as 1: Linux has no
        smaller window either (`tcp_snd_cwnd_set` warns of one). `ValueError` for a negative number, NaN and above
        2**30.
        """
    @cwnd_packets.setter
    def cwnd_packets(self, packets: float) -> None: ...
    @property
    def ssthresh_packets(self) -> float:
        """The slow-start threshold, packets: whole, the rest is cut off, and at least 2. `ValueError` for a negative
        number or none.
        """
    @ssthresh_packets.setter
    def ssthresh_packets(self, packets: float) -> None: ...
    @property
    def window_packets(self) -> float:
        """What may be in flight, packets: the window with what duplicate ACKs add to it in recovery, at most the
        receiver's.
        """
    @property
    def in_flight_packets(self) -> int:
        """Packets sent and not yet acknowledged."""
    @property
    def mss_bytes(self) -> int:
        """Bytes of data in a packet."""
    @property
    def srtt_s(self) -> float | None:
        """The smoothed round-trip time (RFC 6298, gain 1/8, exact samples), s; None before the first sample."""
    @property
    def min_rtt_s(self) -> float | None:
        """The shortest round-trip time so far, s; None before the first sample."""
    @property
    def is_limited(self) -> bool:
        """Whether the window, not the application or the receiver, limits the sender: one that is not used should
        not grow (RFC 7661). Senders other than `tcp` do not look, and say yes.
        """
    @property
    def pacing_packets_per_s(self) -> float | None:
        """The rate to send at, packets/s; None lets ACKs say when. Only the sender `tcp` goes by it. `ValueError`
        for what is not a positive number.
        """
    @pacing_packets_per_s.setter
    def pacing_packets_per_s(self, rate: float | None) -> None: ...

@final
class Ack:
    """An ACK of new data."""

    @property
    def packets(self) -> int:
        """Packets that it acknowledges and none did before: more than 1 with delayed or lost ACKs, and after a
        recovery.
        """
    @property
    def marked(self) -> bool:
        """Whether it echoes a congestion mark."""
    @property
    def marked_packets(self) -> int:
        """Packets that it newly tells to have been marked; 1 or 0 where marks are not counted (`acc_ecn` counts
        them).
        """
    @property
    def rtt_s(self) -> float | None:
        """The round-trip time that it tells by its echoed timestamp, s; None if it tells none."""
    @property
    def delivery_packets_per_s(self) -> float | None:
        """How fast packets were delivered while the last of these was on its way, packets/s (draft-ietf-ccwg-bbr,
        4.1); None where that cannot be told, and on senders other than `tcp`.
        """
    @property
    def is_app_limited(self) -> bool:
        """Whether the application, not the path, held that rate down."""

@final
class KernelModule:
    """A shared object that `ackclock kernel build` has made, and the control of it that is used."""

    def __new__(cls, path: str, control: str | None = None) -> KernelModule:
        """Reads and loads the file: its code runs. `control` names one of its controls; without it, the last one
        that it registers is used. `ValueError` in one line for a file that cannot be used.
        """
    @property
    def control(self) -> str:
        """The name of the control."""
    @property
    def controls(self) -> list[str]:
        """The names of all controls that the file has."""
    @property
    def hz(self) -> int:
        """Ticks per second of its clock (`HZ`)."""
    @property
    def parameters(self) -> list[tuple[str, str, int]]:
        """The parameters of the module: name, description, default."""

@final
class ControlLibrary:
    """A shared library of the user's own, and the congestion control of it that is used."""

    def __new__(cls, path: str, control: str) -> ControlLibrary:
        """Reads and loads the file: its code runs. `control` names one of its controls. `ValueError` in one line for
        a file that cannot be used.
        """
    @property
    def about(self) -> str:
        """One line of description."""
    @property
    def parameters(self) -> list[tuple[str, str, float]]:
        """The parameters of the control: name, description, default."""

@final
class Packet:
    """A packet in a queue: what a discipline may look at, and do with it."""

    @property
    def uid(self) -> int:
        """Its number in the whole simulation."""
    @property
    def flow_id(self) -> int:
        """Its flow's id."""
    @property
    def kind(self) -> str:
        """What it is, as traces name it: tcp, ack, cbr, exp, pareto."""
    @property
    def seqno(self) -> int:
        """Its sequence number, in packets."""
    @property
    def size_bytes(self) -> int:
        """Bytes on the wire."""
    @property
    def source(self) -> int:
        """Number of the node that it comes from."""
    @property
    def destination(self) -> int:
        """Number of the node that it goes to."""
    @property
    def arrived_s(self) -> float:
        """When it came to this queue, s."""
    @property
    def ecn_capable(self) -> bool:
        """Whether its transport understands congestion marks."""
    @property
    def ect_1(self) -> bool:
        """Whether its transport answers marks in proportion: ECT(1)."""
    @property
    def priority(self) -> int:
        """Its priority."""
    @property
    def marked(self) -> bool:
        """Whether this queue or one before it has marked it."""
    def drop(self) -> None:
        """Throws the packet away: the one that has just come, or one that waits. `ValueError` if it does not wait
        here.
        """
    def mark(self) -> bool:
        """Marks the packet if its transport understands marks; whether it does. `ValueError` if it does not wait
        here.
        """
    def __repr__(self) -> str: ...

__all__ = [
    "Ack",
    "ControlLibrary",
    "KernelModule",
    "Packet",
    "SenderState",
]
