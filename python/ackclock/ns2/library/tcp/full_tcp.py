"""Two-way TCP: `Agent/TCP/FullTcp` and its variants."""

from __future__ import annotations

import math

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.core.engine import whole
from ackclock.ns2.library.queues.red import Red
from ackclock.ns2.library.tcp import agents
from ackclock.ns2.library.tcp.agents import Tcp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.ns2.library.core.simulator import Simulator

agents.KINDS.update(
    {
        "Agent/TCP/FullTcp": "full",
        "Agent/TCP/FullTcp/Tahoe": "full_tahoe",
        "Agent/TCP/FullTcp/Newreno": "full_new_reno",
        "Agent/TCP/FullTcp/Sack": "full_sack",
    }
)


@ns2_class("Agent/TCP/FullTcp")
class FullTcp(Tcp):
    """One end of a two-way connection: Reno."""

    #: who wants to hear that bytes have come, if the engine was asked to tell
    reader: Callable[[], None] | None = None
    #: whether it acts on data before a segment is answered
    acts_first = False

    def create(self, *args: str) -> None:
        super().create(*args)
        # Scripts give single agents a `done` of their own at any time.
        for kind in ("done", "emptied"):
            self.native.listen(kind)

    def init_bound(self, defaults: dict[str, str]) -> None:
        super().init_bound(defaults)
        if self.engine_get("dctcp"):
            self._mark_as_patched()

    def write_bound(self, name: str, value: float) -> None:
        super().write_bound(name, value)
        if name == "dctcp_" and value:
            self._mark_as_patched()

    def _mark_as_patched(self) -> None:
        """The patch that DCTCP came with has RED mark up to `mark_p_`, itself included; ns-2 drops there."""
        simulator = self.simulator
        if not simulator.marks_as_patched:
            simulator.marks_as_patched = True
            simulator.at_run.append(lambda: _mark_at_the_limit(simulator))

    def told(self, what: str) -> None:
        if what == "done":
            self.call("done")
            self.native.done_was_delivered()
        elif what == "emptied":
            self.call("done_data")
        elif what == "received" and self.reader is not None:
            self.reader()
            if self.acts_first:
                self.native.command("go-on", [])

    def act_first(self) -> None:
        """The reader acts on data before a segment is answered, as ns-2's applications do."""
        self.acts_first = True
        self.native.command("act-first", [])

    @method()
    def done_data(self) -> None:
        """Everything was sent: scripts put their own here."""

    @method()
    def listen(self) -> None:
        """Wait for the peer's SYN."""
        self.native.command("listen", [])

    @method("advance", "advanceby")
    def add_segments(self, segments: str) -> None:
        """There are this many segments more to send."""
        self.native.advance(whole(segments, "the number of segments to send"))

    @method("advance-bytes")
    def advance_bytes(self, count: str) -> None:
        """There are this many bytes more to send."""
        self.native.command("advance-bytes", [str(whole(count, "the number of bytes to send"))])


def _mark_at_the_limit(simulator: Simulator) -> None:
    for link in simulator.edges():
        queue = getattr(link, "queue_peer", None)
        if isinstance(queue, Red):
            queue.engine_set("mark_p", math.nextafter(queue.engine_get("mark_p"), math.inf))


def _declare(name: str, off: tuple[str, ...]) -> None:
    """A subclass whose `init`, after the class's defaults, makes these bound variables false."""
    ns2_name = f"Agent/TCP/FullTcp/{name}"
    variant: type[FullTcp] = type(f"Full{name}", (FullTcp,), {"__doc__": f"{ns2_name}."})

    @method()
    def init(self: FullTcp, *args: str) -> None:
        self.next_after(variant, "init", *args)
        for bound_name in off:
            self.call("set", bound_name, "false")

    init.__doc__ = "`new`: after the class's defaults, what this variant does not do."
    variant.init = init  # type: ignore[attr-defined]
    ns2_class(ns2_name)(variant)


_declare("Tahoe", ("reno_fastrecov_",))
_declare("Newreno", ("open_cwnd_on_pack_",))
_declare("Sack", ("reno_fastrecov_", "open_cwnd_on_pack_"))
