"""Links taken apart: the connectors that a link is made of, each of which names the one that follows.

A link that nobody takes apart is one piece in the engine, and knows the order of its parts. The first `target` or
`drop-target` of one of these parts, told or asked, makes parts of the engine of them, which packets then pass one by
one. From then on everything that is put on the link is put between its parts.
"""

from __future__ import annotations

from ackclock._native import SimulationError
from ackclock.ns2.bindings.tcl_object import NotYet, NsError, method
from ackclock.ns2.library.core.classifiers import Classifier
from ackclock.ns2.library.core.nodes import Connector, Node
from ackclock.ns2.library.links.links import DelayLink, SimpleLink
from ackclock.ns2.library.queues.queues import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native
    from ackclock.ns2.bindings.tcl_object import TclObject

#: links whose parts are not those of a SimpleLink
_OTHERS = ("CBQLink", "IntServLink")


class Connected:
    """What every connector knows of its neighbours."""

    @method()
    def target(self: Connector, handle: str | None = None) -> str | None:  # type: ignore[misc]
        """What comes behind it; told or asked."""
        _find_link(self)
        if handle is None:
            return self.target_handle
        _connect(self, handle)
        return None

    @method("drop-target")
    def drop_target(self: Connector, handle: str | None = None) -> str | None:  # type: ignore[misc]
        """Where packets go that it drops; told or asked."""
        _find_link(self)
        if handle is None:
            return self.drop_handle
        following = self.interp.peer(handle)
        if self.part is not None:
            self.part.set_drop_target(part_of(following))
        self.drop_handle = handle
        return None


def part_of(peer: TclObject) -> _native.Part:
    """The engine's part of a connector or another object, made when it is first asked for.

    A part of a link is made with the others of that link.
    """
    if isinstance(peer, Connector):
        _find_link(peer)
    known: _native.Part | None = getattr(peer, "part", None)
    if known is not None:
        return known
    engine = peer.interp.engine
    if isinstance(peer, Classifier) and peer.node is not None:
        if peer.node not in peer.simulator.nodes.handles:
            raise NotYet(f"{peer.class_name} {peer.handle}: ackclock leads no link to a node of another Simulator yet")
        made = engine.add_part("node", peer.simulator.nodes[peer.node].native)
    elif isinstance(peer, Node):
        made = engine.add_part("node", peer.native)
    else:
        if isinstance(peer, (Queue, DelayLink)) and peer.link is None:
            _make_link(peer)
            return part_of(peer)
        describe = getattr(peer, "describe_part", None)
        if describe is None:
            raise NotYet(f"ns-2 has {peer.class_name} {peer.handle} as a part of a link; ackclock does not have it yet")
        made = engine.add_part(*describe())
    _become_part(peer, made)
    return made


def _become_part(peer: TclObject, part: _native.Part) -> None:
    peer.part = part  # type: ignore[attr-defined]
    if isinstance(peer, Connector) and peer.drop_handle:
        part.set_drop_target(part_of(peer.interp.peer(peer.drop_handle)))


def _connect(peer: Connector, handle: str) -> None:
    following = peer.interp.peer(handle)
    if isinstance(peer, Queue) and isinstance(following, DelayLink) and peer.link is None and following.link is None:
        _make_link(peer, following)
    part_of(peer).connect(part_of(following))
    peer.target_handle = handle


def _connect_all(way: list[Connector]) -> None:
    for number in range(1, len(way)):
        _connect(way[number - 1], way[number].handle)


def _find_link(peer: Connector) -> None:
    """Take the link apart in which a part stands."""
    if peer.stands_in is None and not peer.target_handle:
        simulator = peer.simulator
        for handle in simulator.vars.elements("link_"):
            link = peer.interp.peer(handle)
            if isinstance(link, SimpleLink) and peer.handle in link.first_parts:
                peer.stands_in = link
                break
    if peer.stands_in is not None:
        take_apart(peer.stands_in)


def take_apart(link: SimpleLink) -> None:
    """Make parts of the engine of all parts of a link, once."""
    if link.is_apart:
        return
    if type(link).ns2_name in _OTHERS or "delayer_" in link.vars or "qs_agent_" in link.source.vars:
        raise NotYet(f"{link.class_name} {link.handle}: ackclock does not take such a link apart yet")
    told = link.interp.told_traces.values()
    if any(handle in told for handles in link.on_way.values() for handle in handles):
        raise NotYet(f"{link.class_name} {link.handle}: ackclock does not take a link with trace-callback apart yet")
    # Before it is, since parts of other links may lead back to this one.
    link.is_apart = True
    try:
        _connect_parts(link)
    except BaseException:
        link.is_apart = False
        raise


def _connect_parts(link: SimpleLink) -> None:
    interp = link.interp
    queue, drop_head, head, wire, ttl = (_connector(link, handle) for handle in link.first_parts)
    places = {place: [_connector(link, handle) for handle in handles] for place, handles in link.on_way.items()}
    way = [head, *places.get("head", ()), queue, *places.get("dequeued", ()), wire, *places.get("wire_end", ()), ttl]
    way += places.get("received", ())
    _connect_all(way)
    entry = interp.peer_of(link.target.vars["classifier_"], Classifier, "classifier")
    if getattr(entry, "part", None) is None:
        # The node may be of a Simulator that was made before this one.
        entry.part = interp.engine.add_part("node", link.target.native)  # type: ignore[attr-defined]
    _connect(way[-1], entry.handle)
    losses = [drop_head, *places.get("dropped", ())]
    _connect_all(losses)
    _connect(losses[-1], link.simulator.vars["nullAgent_"])
    dropping = [queue, wire, ttl]
    for peer in (*places.get("head", ()), *places.get("dequeued", ()), *places.get("wire_end", ())):
        is_gate = type(peer).ns2_name == "DynamicLink"
        if hasattr(peer, "module") or (is_gate and link.reports_refused):
            dropping.append(peer)
    for peer in dropping:
        peer.drop_handle = peer.drop_handle or drop_head.handle
        part_of(peer).set_drop_target(part_of(interp.peer(peer.drop_handle)))
    link.native.take_apart(part_of(head), part_of(queue), part_of(wire))


def _connector(link: SimpleLink, handle: str) -> Connector:
    peer = link.interp.peer_of(handle, Connector, "connector")
    peer.stands_in = link
    return peer


def _make_link(*peers: Queue | DelayLink) -> None:
    """A link of the engine for a queue, or a wire, or both, that the script has made by hand."""
    engine = peers[0].engine
    rate_bps, delay_s, discipline = 1e6, 0.0, "drop_tail"
    for peer in peers:
        if isinstance(peer, DelayLink):
            rate_bps, delay_s = peer.bound.get("bandwidth_", 0.0), peer.bound.get("delay_", 0.0)
        else:
            discipline = peer.discipline
    what = f"{peers[0].class_name} {peers[0].handle}"
    start = next(iter(peers[0].simulator.nodes.values()), None)
    if start is None:
        raise NotYet(f"{what}: ackclock connects parts of links once there is a node; make the first node before")
    try:
        link = engine.add_link(start.native, start.native, rate_bps, delay_s, discipline)
    except SimulationError as error:
        raise NsError(f"{what}: {error}") from None
    nothing = engine.add_part("discard")
    parts = {"queue": nothing, "wire": nothing}
    for peer in peers:
        peer.join(link)
        kind = "wire" if isinstance(peer, DelayLink) else "queue"
        parts[kind] = engine.add_part(kind, link)
        _become_part(peer, parts[kind])
    link.take_apart(nothing, parts["queue"], parts["wire"])
