"""TFRC: `Agent/TFRC` and its receiver, `Agent/TFRCSink`."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import whole
from ackclock.ns2.library.tcp import agents
from ackclock.ns2.library.tcp.agents import Agent
from ackclock.ns2.otcl.stdio import stdio

agents.KINDS.update({"Agent/TFRC": "tfrc", "Agent/TFRCSink": "tfrc_sink"})


@ns2_class("Agent/TFRC")
class Tfrc(Agent):
    """A sender whose rate is fair to TCP. Its `rate_` is in bytes/s."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.native.watch_output(stdio(self.interp).channel)

    def init_bound(self, defaults: dict[str, str]) -> None:
        # ns-2 makes every sender with the same longest queue, whatever the class says.
        super().init_bound({name: value for name, value in defaults.items() if name != "maxqueue_"})

    def engine_get(self, name: str) -> float:
        return super().engine_get("rate" if name == "rate_bps" else name)

    def engine_set(self, name: str, value: float) -> None:
        super().engine_set("rate" if name == "rate_bps" else name, value)

    @method()
    def start(self) -> None:
        """Send without end; a sender of the other type starts with its application's first data."""
        if self.engine_get("sndr_type") != 0:
            raise NsError(f"{self.class_name} {self.handle}: start is for senders with SndrType_ 0")
        self.native.command("start", [])

    @method()
    def stop(self) -> None:
        """Send no more."""
        self.native.command("stop", [])

    @method()
    def advance(self, packet: str) -> None:
        """There is data up to this packet."""
        self._check_is_fed("advance")
        self.native.command("advance", [str(whole(packet, "the packet to send up to"))])

    @method()
    def advanceby(self, packets: str) -> None:
        """There are this many packets more to send."""
        self._check_is_fed("advanceby")
        self.native.advance(whole(packets, "the number of packets to send"))

    def _check_is_fed(self, name: str) -> None:
        if self.engine_get("sndr_type") != 1:
            raise NsError(f"{self.class_name} {self.handle}: {name} is for senders with SndrType_ 1")


@ns2_class("Agent/TFRCSink")
class TfrcSink(Agent):
    """The receiver."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.native.watch_output(stdio(self.interp).channel)

    @method()
    def weights(self, words: str) -> None:
        """The number of loss intervals that count, and their weights; as in ns-2 the weights stay the usual ones."""
        self.set_bound("NumSamples_", str(whole(words.partition("+")[0], "the number of weights")))
