"""Interfaces: what tells a node over which link or LAN a packet has come."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native


@ns2_class("NetworkInterface")
class NetworkInterface(EngineObject):
    """Where packets leave a LAN, or a link of a network with groups."""

    def create(self, *args: str) -> None:
        self._label = self.interp.count("NetworkInterface", "ifacenum_").next() + 1
        self._link: _native.Link | None = None

    def mark(self, link: _native.Link) -> None:
        """Packets that arrive over this link of the engine's have the interface's label."""
        self._link = link
        link.set_label(self._label)

    @method()
    def label(self, *label: str) -> int | None:
        """A number of its own; told or asked."""
        if not label:
            return self._label
        self._label = int(label[0])
        if self._link is not None:
            self.mark(self._link)
        return None
