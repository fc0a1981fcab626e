"""Delayers: what holds packets back between a queue and its transmitter, as cellular links do."""

from __future__ import annotations

import sys

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.core.nodes import Connector
from ackclock.ns2.library.core.randomness import RandomVariable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.library.core.simulator import Simulator
    from ackclock.ns2.library.links.links import SimpleLink


@ns2_class("Delayer")
class Delayer(Connector):
    """Waits for a channel to be allocated, and for delay spikes to pass."""

    link: _native.Link | None = None

    def create(self, *args: str) -> None:
        super().create(*args)
        self._waiting: dict[str, tuple[_native.RandomVariable, _native.RandomVariable]] = {}
        self._is_blocked = False

    def join(self, link: _native.Link) -> None:
        """The link it stands in."""
        self.link = link
        link.insert_delayer()
        for what, variables in self._waiting.items():
            self._set(what, *variables)
        if self._is_blocked:
            link.set_spike(True)

    def _set(self, what: str, interval: _native.RandomVariable, length: _native.RandomVariable) -> None:
        assert self.link is not None
        if what == "alloc":
            self.link.set_allocation(interval, length)
        else:
            self.link.set_spikes(interval, length)

    def _variables(self, what: str, *handles: str) -> None:
        interval, length = (self.interp.peer_of(one, RandomVariable, "random variable").native for one in handles)
        self._waiting[what] = (interval, length)
        if self.link is not None:
            self._set(what, *self._waiting[what])

    @method()
    def alloc(self, interval: str, length: str) -> None:
        """After such an interval without packets it takes such a length to allocate a channel."""
        self._variables("alloc", interval, length)

    @method()
    def spike(self, interval: str, length: str) -> None:
        """Delay spikes of such lengths come after such intervals."""
        self._variables("spike", interval, length)

    @method()
    def block(self) -> None:
        """A delay spike begins."""
        self._is_blocked = True
        if self.link is not None:
            self.link.set_spike(True)

    @method()
    def unblock(self) -> None:
        """A delay spike ends."""
        self._is_blocked = False
        if self.link is not None:
            self.link.set_spike(False)


class DelayingLink:
    """What a link knows of its delayer."""

    @method("insert-delayer")
    def insert_delayer(self: SimpleLink, delayer: str) -> None:  # type: ignore[misc]
        """Put a delayer behind the queue, once."""
        if "delayer_" in self.vars:
            print("Delayer already inserted", file=sys.stderr)
            return
        peer = self.interp.peer_of(delayer, Delayer, "Delayer")
        self.vars["delayer_"] = delayer
        peer.join(self.native)


class DelayingNetwork:
    """What a script says of delayers."""

    @method("insert-delayer")
    def insert_delayer(self: Simulator, src: str, dst: str, delayer: str) -> None:  # type: ignore[misc]
        """Put a delayer behind the queue of a link."""
        self.link_between(src, dst).call("insert-delayer", delayer)

    @method("DelayBox")
    def delay_box(self: Simulator) -> str:  # type: ignore[misc]
        """A new node with a box at its door, which delays flows as rules say."""
        return self.make_node("Node/DelayBox")

    @method("Tmix_DelayBox")
    def tmix_delay_box(self: Simulator) -> str:  # type: ignore[misc]
        """The same as connection vectors say."""
        return self.make_node("Node/Tmix_DelayBox")
