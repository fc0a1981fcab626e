"""Agents that send datagrams, and that get them: UDP, ping, and what counts losses."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import whole
from ackclock.ns2.library.tcp.agents import Agent


@ns2_class("Agent/UDP")
class Udp(Agent):
    """Datagrams; those with words in them reach the script's `process_data` where no application listens."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.native.listen("message")

    @method()
    def send(self, count: str, words: str | None = None) -> None:
        """Send this many bytes, with words in them or without."""
        if self._is_endless(count):
            return
        if words is None:
            self.next_after(Udp, "send", count)
        else:
            self._send_words(count, words, "")

    @method()
    def sendmsg(self, count: str, flags: str, own: str | None = None) -> None:
        """The same, with the source's own words; with words to carry before those if there are three arguments."""
        if self._is_endless(count):
            return
        if own is None:
            self.next_after(Udp, "sendmsg", count, flags)
        else:
            self._send_words(count, flags, own)

    def _is_endless(self, count: str) -> bool:
        """Whether the count is that of a transfer without end, which datagrams do not have, and ns-2 says so."""
        if count.strip() != "-1":
            return False
        from ackclock.ns2.otcl.stdio import stdio

        stdio(self.interp).print("Error:  sendmsg() for UDP should not be -1")
        return True

    def _send_words(self, count: str, words: str, flags: str) -> None:
        size = whole(count, "the number of bytes to send")
        if size > self.engine_get("packet_size"):
            self.interp.call("puts", "Error: data greater than maximum UDP packet size")
            return
        self.native.command("send", [str(size), words, flags])
        self.interp.settle_groups()

    def feed(self) -> None:
        super().feed()
        self.native.listen("received")

    def told(self, what: str) -> None:
        if self.is_fed:
            why = "a packet has come, and the application that feeds this agent takes none; ns-2 ends here, too"
            raise NsError(f"{self.class_name} {self.handle}: {why}")
        if what == "message":
            self.interp.event_queue.tell_lines()
            node, _, words = self.native.command("take", []).partition(" ")
            self.call("process_data", node, words)

    @method("process_data")
    def process_data(self, node: str, words: str) -> None:
        """Words have come: scripts put their own here."""


@ns2_class("Agent/Ping")
class Ping(Agent):
    """Asks its peer for an answer; the script's `recv` hears from which node it came, and how long it took."""

    _tells_each_way = False

    def create(self, *args: str) -> None:
        super().create(*args)
        self.native.listen("received")

    @method()
    def send(self, count: str = "", text: str = "") -> None:
        """Ask."""
        self.native.command("send", [])

    @method()
    def oneway(self) -> None:
        """From now on `recv` hears the node, the question's number, and the ways there and back."""
        self._tells_each_way = True

    def told(self, what: str) -> None:
        if what == "received":
            self.interp.event_queue.tell_lines()
            node, seqno, there, back, both = self.native.command("take", []).split()
            self.call("recv", node, *([seqno, there, back] if self._tells_each_way else [both]))


@ns2_class("Agent/LossMonitor")
class LossMonitor(Agent):
    """Counts what it gets and what is missing."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.native.listen("lost")

    def engine_get(self, name: str) -> float:
        return super().engine_get(_LOSS_MONITOR.get(name, name))

    def engine_set(self, name: str, value: float) -> None:
        super().engine_set(_LOSS_MONITOR.get(name, name), value)

    def told(self, what: str) -> None:
        if what == "lost":
            self.call("log-loss")

    @method("log-loss")
    def log_loss(self) -> None:
        """Something is missing: scripts put their own here."""

    @method()
    def clear(self) -> None:
        """Expect any packet next."""
        self.native.command("clear", [])


_LOSS_MONITOR = {"nlost": "lost", "npkts": "packets", "last_pkt_time": "last_packet_time"}
