"""A node's table of routes, as protocols and scripts set it; packets may go over several links in turn."""

from __future__ import annotations

from ackclock import _native
from ackclock.ns2.bindings.tcl_object import NotYet, NsError, TclObject, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.ns2.library.core.nodes import Node


@ns2_class("Classifier/MultiPath")
class MultiPath(EngineObject):
    """Links that packets take one after the other."""

    def create(self, *args: str) -> None:
        self.links: list[_native.Link | None] = []
        #: slot -> the head of a link
        self.heads: dict[int, str] = {}
        self.turn: tuple[_native.Node, int] | None = None

    def join(self, node: _native.Node) -> int:
        """The node's number for this turn."""
        if self.turn is None:
            self.turn = node, node.add_turn()
        self._tell()
        return self.turn[1]

    def _tell(self) -> None:
        if self.turn is not None:
            node, turn = self.turn
            node.set_turn(turn, self.links)

    @method()
    def install(self, slot: str, head: str) -> None:
        """Put a link into a slot."""
        place = whole(slot, "a slot")
        if place < 0:
            raise NsError(f"{self.handle} has slots from 0 on, not {slot}")
        self.links += [None] * (place + 1 - len(self.links))
        self.links[place] = link_of(self.interp.peer(head))
        self.heads[place] = head
        self._tell()

    @method("installNext")
    def install_next(self, head: str) -> int:
        """Put a link behind the last slot in use; the slot."""
        slot = len(self.links)
        self.call("install", slot, head)
        return slot

    @method()
    def slot(self, slot: str) -> str:
        """The head of the link in a slot."""
        head = self.heads.get(whole(slot, "a slot"))
        if head is None:
            raise NsError(f"error when calling class {self.class_name}: slot {slot}")
        return head

    @method()
    def reset(self) -> None:
        """A table of slots stays as it is."""

    @method()
    def clear(self, slot: str) -> None:
        """A slot is empty."""
        place = whole(slot, "a slot")
        if not 0 <= place < len(self.links):
            raise NsError(f"{self.handle} has no slot {slot}, but {len(self.links)} from 0 on")
        self.links[place] = None
        self.heads.pop(place, None)
        while self.links and self.links[-1] is None:
            self.links.pop()
        self._tell()


def link_of(head: TclObject) -> _native.Link | None:
    """The engine's link that begins here, if one does."""
    link = head.interp.find_peer(head.vars.get("link_", ""))
    native = getattr(link, "native", None)
    return native if isinstance(native, _native.Link) else None


class RoutedNode:
    """A node's routes, as protocols and scripts set them."""

    @method("add-route")
    def add_route(self: Node, destination: str, target: str) -> None:  # type: ignore[misc]
        """Packets for a node go to the head of a link, or to an agent that throws them away."""
        if self.interp.levels is not None:
            raise NotYet("add-route with hierarchical addresses: their routes are computed")
        last = whole(destination, "a node's number")
        peer = self.interp.peer(target)
        if isinstance(peer, MultiPath):
            self.native.route_in_turn(last, peer.join(self.native))
            return
        link = link_of(peer)
        if link is not None:
            _known(self.native.set_route, last, link)
        elif target == self.simulator.vars["nullAgent_"]:
            _known(self.native.discard_route, last)
        else:
            raise NotYet(f"a route to {peer.class_name} {target}: ackclock has routes to links only")

    @method("delete-route")
    def delete_route(self: Node, destination: str, null_agent: str = "") -> None:  # type: ignore[misc]
        """Packets for a node are thrown away."""
        _known(self.native.discard_route, whole(destination, "a node's number"))

    @method("init-routing")
    def init_routing(self: Node, routes: str) -> str:  # type: ignore[misc]
        """A routing protocol keeps this node's routes from now on."""
        for number in self.simulator.nodes:
            self.vars[f"routes_({number})"] = "0"
        if "rtObject_" not in self.vars:
            self.vars["rtObject_"] = routes
        return self.vars["rtObject_"]

    @method("rtObject?")
    def get_rt_object(self: Node) -> str:  # type: ignore[misc]
        """What keeps this node's routes, empty without a protocol that does."""
        return self.vars.get("rtObject_", "")

    @method("intf-changed")
    def intf_changed(self: Node) -> None:  # type: ignore[misc]
        """A link of this node has failed or recovered."""
        if "rtObject_" in self.vars:
            self.interp.call(self.vars["rtObject_"], "intf-changed")

    @method("add-routes")
    def add_routes(self: Node, destination: str, links: str) -> None:  # type: ignore[misc]
        """Packets for a node go over these links in turn; over one of them, unless `multiPath_` is set."""
        heads = [self.interp.call(link, "head") for link in self.interp.split(links)]
        if not heads:
            raise NsError(f"node {self.number}: add-routes {destination} names no link")
        count = f"routes_({destination})"
        shared = self.vars.get(f"mpathClsfr_({destination})")
        several = self.vars["multiPath_"] not in ("0", "")
        has_route = int(self.vars.get(count, "0")) > 0
        if not several or (not has_route and len(heads) == 1 and shared is None):
            self.call("add-route", destination, heads[0])
            self.vars[count] = "1"
            self.vars[f"ackclock_head_({destination})"] = heads[0]
            return
        if shared is None:
            shared = self.vars[f"mpathClsfr_({destination})"] = self.interp.new("Classifier/MultiPath")
            if has_route:
                self.interp.call(shared, "installNext", self.vars[f"ackclock_head_({destination})"])
            self.call("add-route", destination, shared)
        for head in heads:
            self.interp.call(shared, "installNext", head)
        self.vars[count] = int(self.vars.get(count, "0")) + len(heads)

    @method("delete-routes")
    def delete_routes(self: Node, destination: str, links: str, null_agent: str) -> None:  # type: ignore[misc]
        """Packets for a node go over these links no longer."""
        count = f"routes_({destination})"
        shared = self.interp.find_peer(self.vars.get(f"mpathClsfr_({destination})", ""))
        gone = 1
        if isinstance(shared, MultiPath):
            heads = [self.interp.peer(self.interp.call(link, "head")) for link in self.interp.split(links)]
            natives = {link_of(head) for head in heads}
            slots = [slot for slot, link in enumerate(shared.links) if link is not None and link in natives]
            for slot in slots:
                shared.call("clear", slot)
            gone = len(slots)
        else:
            self.call("delete-route", destination, null_agent)
        self.vars[count] = int(self.vars.get(count, "0")) - gone


def _known(tell: Callable[..., None], *words: int | _native.Link) -> None:
    """Tell the engine of a route; it says if there is no such node."""
    try:
        tell(*words)
    except KeyError as error:
        raise NsError(str(error.args[0])) from None
