"""`Agent/TCP/SimpleTcp`: a message is one packet, without acknowledgements or windows."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NotYet, method, ns2_class
from ackclock.ns2.library.tcp.agents import KINDS, Agent, Tcp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

KINDS["Agent/TCP/SimpleTcp"] = "simple_tcp"

#: bound variables that do something; the others, of TCP's windows and timers, are there and do nothing, as in ns-2
_WITH_EFFECT = frozenset(
    ("agent_addr_", "agent_port_", "dst_addr_", "dst_port_", "class_", "fid_", "prio_", "flags_", "ttl_", "seqno_")
)


@ns2_class("Agent/TCP/SimpleTcp")
class SimpleTcp(Tcp):
    """One end of a conversation."""

    #: who wants to hear that bytes have come, if the engine was asked to tell
    reader: Callable[[], None] | None = None

    def init_bound(self, defaults: dict[str, str]) -> None:
        Agent.init_bound(self, defaults)
        self.bound.update(cwnd_=1, maxseq_=-1, ack_=-1)

    def write_bound(self, name: str, value: float) -> None:
        if name in _WITH_EFFECT:
            super().write_bound(name, value)
        else:
            self.bound[name] = value

    def reports_to_nam(self) -> bool:
        return bool(self.bound["nam_tracevar_"])

    def told(self, what: str) -> None:
        if what == "received" and self.reader is not None:
            self.reader()

    @method()
    def close(self) -> None:
        """The conversation ends, at once."""
        self.call("done")

    @method()
    def send(self, count: str, text: str = "") -> None:
        """Send a message of this many bytes."""
        if self._count(count, "the number of bytes to send") < 0:
            self.interp.call("puts", "stderr", "SimpleTcp doesn't support infinite send. Do not use FTP::start(), etc.")
        else:
            super().send(count, text)

    @method("advance", "advanceby")
    def advance(self, packets: str) -> None:
        """Send by packets, which ns-2 leaves to its one-way TCP."""
        raise NotYet(f"ns-2 sends packets of one-way TCP at `advance` of {self.class_name}; ackclock does not")
