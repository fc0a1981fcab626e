"""How packets find their way: static routes, computed from the links' costs."""

from __future__ import annotations

from ackclock.ns2.library.engine import EngineObject, real, whole
from ackclock.ns2.peers import NsError, method, ns2_class


@ns2_class("RouteLogic")
class RouteLogic(EngineObject):
    """Computes and installs routes."""

    @method()
    def configure(self) -> None:
        """The simulation starts."""
        self.call("compute")

    @method()
    def compute(self) -> None:
        """Compute and install all routes."""
        for link in self.simulator.links():
            cost = real(link.call("cost?"), "a link's cost")
            self.engine.set_route_cost(link.source.number, link.target.number, cost)
        self.engine.install_routes()

    @method()
    def lookup(self, source: str, target: str) -> int:
        """The next node on the way from one node to another, -1 where there is no way."""
        first, last = (self._number(text) for text in (source, target))
        if first == last:
            return last
        hops = self.engine.next_hops(first)
        hop = hops[last] if last < len(hops) else None
        return -1 if hop is None else hop

    def _number(self, text: str) -> int:
        peer = self.interp.find_peer(text)
        number = getattr(peer, "number", None) if peer is not None else whole(text, "a node's number")
        if not isinstance(number, int):
            raise NsError(f'"{text}" is no node')
        return number
