"""What a script says of links, and what a network asks of all of its own."""

from __future__ import annotations

from ackclock.ns2.bindings import catalogue
from ackclock.ns2.bindings.tcl_object import NsError, TclObject, method
from ackclock.ns2.library.core.engine import real
from ackclock.ns2.library.core.nodes import Node
from ackclock.ns2.library.links.links import SimpleLink
from ackclock.ns2.library.links.plain_links import plain_link
from ackclock.ns2.library.queues.queues import Queue
from ackclock.ns2.otcl.values import remembered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeGuard

    from ackclock.ns2.library.core.simulator import Simulator
    from ackclock.ns2.library.lan.lans import VirtualLink


class LinkedNetwork:
    """The links of a network."""

    def link_between(self: Simulator, source: str, target: str) -> SimpleLink:  # type: ignore[misc]
        """The link from one node to another."""
        first, last = self.node_at(source).number, self.node_at(target).number
        handle = self.vars.get(f"link_({first}:{last})")
        if handle is None:
            raise NsError(f"no link from node {first} to node {last}")
        return self.interp.peer_of(handle, SimpleLink, "link with a queue of its own")

    @method("simplex-link")
    def simplex_link(self: Simulator, src: str, dst: str, bandwidth: str, delay: str, queue: str, *args: str) -> str:  # type: ignore[misc]
        """A link in one direction, with a queue of the kind named. ns-2 gives the links that nam is told of."""
        source, target = self.node_at(src), self.node_at(dst)
        queue = self.vars.get(f"queueMap_({queue})", queue)
        link = None if args or queue == "FQ" else plain_link(self, source, target, bandwidth, delay, f"Queue/{queue}")
        if link is None:
            link = self._link_by_parts(source, target, bandwidth, delay, queue, args)
        self.vars[f"link_({source.number}:{target.number})"] = link
        source.call("add-neighbor", dst, "0")
        if _computes_from_link(queue):
            self.interp.call(self.interp.call(link, "queue"), "link", self.interp.call(link, "link"))
        if "traceAllFile_" in self.vars:
            self.call("trace-queue", src, dst, self.vars["traceAllFile_"])
        if "namtraceAllFile_" in self.vars:
            self.call("namtrace-queue", src, dst, self.vars["namtraceAllFile_"])
        return self.call("register-nam-linkconfig", link)

    def _link_by_parts(  # type: ignore[misc]
        self: Simulator, source: Node, target: Node, bandwidth: str, delay: str, queue: str, args: tuple[str, ...]
    ) -> str:
        queue_class = f"Queue/{queue}"
        if catalogue.lookup(queue_class) is None and not self.interp.call("::otcl::is_class", queue_class) == "1":
            raise NsError(f"link from node {source.number} to node {target.number}: {_no_queue(queue)}")
        handle = self.interp.new(queue_class, *(() if queue_class.startswith("Queue/CBQ") else args))
        words = (source.handle, target.handle, bandwidth, delay, handle)
        if queue in ("CBQ", "CBQ/WRR"):
            classifier = args[0] if args else self.interp.new("Classifier/Hash/Fid", 33)
            return self.interp.new("CBQLink", *words, classifier)
        if queue == "FQ":
            return self.interp.new("FQLink", *words)
        return self.interp.new("SimpleLink", *words)

    @method("duplex-link")
    def duplex_link(self: Simulator, src: str, dst: str, bandwidth: str, delay: str, queue: str, *args: str) -> None:  # type: ignore[misc]
        """A link in each direction."""
        ends = (self.node_at(src).number, self.node_at(dst).number)
        if f"link_({ends[0]}:{ends[1]})" in self.vars:
            self.call("remove-nam-linkconfig", *ends)
        # ns-2 evaluates these words once more: an empty one is none, and one with a blank is two.
        words = self.interp.split(f"{bandwidth} {delay} {queue}")
        self.call("simplex-link", src, dst, *words, *args)
        self.call("simplex-link", dst, src, *words, *args)

    @method("simplex-link-op")
    def simplex_link_op(self: Simulator, src: str, dst: str, op: str, *args: str) -> str:  # type: ignore[misc]
        """Call a method of a link."""
        return self.link_between(src, dst).call(op, *args)

    @method("duplex-link-op")
    def duplex_link_op(self: Simulator, src: str, dst: str, op: str, *args: str) -> str:  # type: ignore[misc]
        """Call a method of the links in both directions."""
        self.link_between(src, dst).call(op, *args)
        return self.link_between(dst, src).call(op, *args)

    @method()
    def link(self: Simulator, src: str, dst: str) -> str:  # type: ignore[misc]
        """The link from one node to another, given by handle or by number; empty where there is none."""
        numbers = []
        for text in (src, dst):
            peer = self.interp.find_peer(text)
            is_end = isinstance(peer, Node) or (peer is not None and text in self.lan_nodes.values())
            numbers.append(str(peer.number) if is_end else text)  # type: ignore[union-attr]
        return self.vars.get(f"link_({numbers[0]}:{numbers[1]})", "")

    @method("queue-limit")
    def queue_limit(self: Simulator, src: str, dst: str, limit: str) -> None:  # type: ignore[misc]
        """The limit of a link's queue."""
        queue = self.link_between(src, dst).call("queue")
        self.interp.call(queue, "set", "limit_", limit)
        peer = self.interp.peer(queue)
        if isinstance(peer, Queue):
            peer.take_limit(limit)

    @method()
    def delay(self: Simulator, src: str, dst: str, delay: str, kind: str = "simplex") -> None:  # type: ignore[misc]
        """Another propagation delay of a link, or of both directions (`duplex`)."""
        self._rewire("delay_", src, dst, delay, kind)

    @method()
    def bandwidth(self: Simulator, src: str, dst: str, bandwidth: str, kind: str = "simplex") -> None:  # type: ignore[misc]
        """Another bandwidth of a link, or of both directions (`duplex`)."""
        self._rewire("bandwidth_", src, dst, bandwidth, kind)

    def _rewire(self: Simulator, name: str, src: str, dst: str, value: str, kind: str) -> None:  # type: ignore[misc]
        for first, last in [(src, dst), (dst, src)] if kind == "duplex" else [(src, dst)]:
            link = self.call("link", first, last)
            if link:
                self.interp.call(self.interp.call(link, "link"), "set", name, value)

    @method()
    def cost(self: Simulator, src: str, dst: str, cost: str) -> str:  # type: ignore[misc]
        """What a link counts for in the choice of routes."""
        return self.link_between(src, dst).call("cost", cost)

    def edges(self: Simulator) -> list[SimpleLink | VirtualLink]:  # type: ignore[misc]
        """All links and what joins nodes to LANs, in the order of Tcl's arrays."""
        peers = [self.interp.peer(handle) for handle in self.vars.elements("link_")]
        return [peer for peer in peers if _is_edge(peer)]

    def costs(self: Simulator) -> list[tuple[int, int, float | None]]:  # type: ignore[misc]
        """Every link's ends and what it counts for in the choice of routes, None while it is down."""
        links = self.vars.elements("link_")
        asked = self.costs_of(self.interp.lazy_objects.to_be_asked(links, "cost?"))
        costs = []
        for handle in links:
            if handle in asked:
                costs.append(asked[handle])
            else:
                ends = self.interp.lazy_objects.ends(handle)
                costs += [] if ends is None else [(*ends, 1.0)]
        return costs

    def costs_of(self: Simulator, links: list[str]) -> dict[str, tuple[int, int, float | None]]:  # type: ignore[misc]
        """The same of some links, by their handles; nothing of what is no link."""
        peers = {handle: self.interp.peer(handle) for handle in links}
        seen = [handle for handle, link in peers.items() if _is_edge(link)]
        for handle in seen:
            link = peers[handle]
            if isinstance(link, SimpleLink) and link.is_apart:
                link.become_known()
        up = [handle for handle, state in zip(seen, self.interp.call_each(seen, "up?"), strict=True) if state == "up"]
        costs: dict[str, float | None] = dict.fromkeys(seen)
        for handle, cost in zip(up, self.interp.call_each(up, "cost?"), strict=True):
            costs[handle] = real(cost, "a link's cost")
        ends: list[tuple[str, Any]] = [(handle, peers[handle]) for handle in seen]
        return {handle: (link.source.number, link.target.number, costs[handle]) for handle, link in ends}


def _is_edge(peer: TclObject) -> TypeGuard[SimpleLink | VirtualLink]:
    return isinstance(peer, SimpleLink) or peer.ns2_name == "Vlink"


@remembered
def _computes_from_link(queue: str) -> bool:
    return any(kind in queue for kind in ("RED", "PI", "Vq", "REM", "GK", "XCP"))


def _no_queue(name: str) -> str:
    import difflib

    kinds = [entry.removeprefix("Queue/") for entry in catalogue.names() if entry.startswith("Queue/")]
    close = difflib.get_close_matches(name, kinds, n=1, cutoff=0.5)
    return f'there is no queue "{name}"' + (f"; nearest known: {close[0]}" if close else "")
