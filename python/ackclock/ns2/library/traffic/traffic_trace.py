"""Traffic from a recording: a file says when packets go and how big they are.

Source: ns-2.35's `Tracefile` and `Application/Traffic/Trace`. Each entry is two whole numbers of 32 bits, big end
first: microseconds to wait, bytes to send. Every source starts at an entry of its own, drawn at random.
"""

from __future__ import annotations

import struct

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject
from ackclock.ns2.library.traffic.traffic import Traffic

_ENTRY = struct.Struct(">II")


@ns2_class("Tracefile")
class TraceFile(EngineObject):
    """A recording."""

    def create(self, *args: str) -> None:
        self._path: str | None = None
        #: seconds and bytes, once read
        self.entries: list[tuple[float, int]] = []

    @method()
    def filename(self, name: str) -> None:
        """The file."""
        self._path = self.interp.file(name)

    def start_at(self) -> int:
        """The entry that a source starts at."""
        if not self.entries:
            self._read()
        place = int(self.engine.default_stream.unit() * len(self.entries) + 0.5)
        if place < len(self.entries):
            return place
        self.interp.warn(
            f"{self.class_name} {self.handle}: a source's random start is rounded to behind the last packet; it starts "
            "at the first, and ns-2 reads memory that is not the recording's"
        )
        return 0

    def _read(self) -> None:
        if self._path is None:
            raise NsError(f"{self.class_name} {self.handle} has no file: `$tracefile filename NAME` comes first")
        with open(self._path, "rb") as file:
            content = file.read()
        if not content or len(content) % _ENTRY.size:
            raise NsError(f"bad file size in {self._path}: a recording has {_ENTRY.size} bytes for each packet")
        self.entries = [(wait_us / 1_000_000.0, size) for wait_us, size in _ENTRY.iter_unpack(content)]


@ns2_class("Application/Traffic/Trace")
class RecordedTraffic(Traffic):
    """Sends what a recording says."""

    def create(self, *args: str) -> None:
        self._recording: TraceFile | None = None
        self._next = 0
        self._event: int | None = None

    @method("attach-tracefile")
    def attach_tracefile(self, recording: str) -> None:
        """The recording."""
        peer = self.interp.find_peer(recording)
        if not isinstance(peer, TraceFile):
            raise NsError(f"no such node {recording}")
        self._recording = peer

    @method()
    def start(self) -> None:
        """Start at a random entry."""
        if self._recording is None:
            raise NsError(f"{self.class_name} {self.handle} has no recording: `attach-tracefile` comes first")
        self.call("stop")
        self._next = self._recording.start_at()
        self._go_on()

    @method()
    def stop(self) -> None:
        """Stop sending."""
        if self._event is not None:
            self.interp.event_queue.take_back(self._event)
            self._event = None

    def _go_on(self) -> None:
        assert self._recording is not None
        entries = self._recording.entries
        wait_s, size = entries[self._next]
        self._next = (self._next + 1) % len(entries)
        self._event = self.interp.event_queue.call_in(wait_s, lambda: self._send(size))

    def _send(self, size: int) -> None:
        if self.fed is not None:
            self.fed.native.send_bytes(size)
            self.interp.settle_groups()
        self._go_on()


@ns2_class("Traffic/Trace")
class OldRecordedTraffic(RecordedTraffic):
    """The same by its old name."""
