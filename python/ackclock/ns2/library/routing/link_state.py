"""Link-state routing: every node floods the state of its links and computes the best ways by itself.

Source: ns-2.35's `Agent/rtProto/LS`.
What it decides: a node announces its links at random intervals and when one of them changes; neighbours confirm and
pass on what is new; what is not confirmed is retransmitted. A link that recovers carries the whole database across.
As in ns-2: messages are kept in a store that holds four of each sort for every node, and a message that was pushed out
before it arrived says nothing and is not confirmed; an announcement that a node passes on from another's database says
nothing about the links.
"""

from __future__ import annotations

from collections import defaultdict

from ackclock.ns2.bindings.tcl_object import method, ns2_class
from ackclock.ns2.library.core.engine import real, whole
from ackclock.ns2.library.routing.protocols import MessagingAgent, NodeRoutes, start_everywhere
from ackclock.ns2.library.routing.routes import STARTERS, RouteLogic
from ackclock.ns2.library.routing.shortest_paths import LinkStates, LinkStatus, Ways, shortest_ways
from ackclock.ns2.library.tcp.agents import KINDS

KINDS["Agent/rtProto/LS"] = "rt_proto_ls"

ANNOUNCEMENT, DATABASE, ANNOUNCEMENT_SEEN, DATABASE_SEEN = "announcement", "database", "seen", "database seen"
ANNOUNCEMENT_BYTES, DATABASE_BYTES, CONFIRMATION_BYTES = 100, 200, 20
_KEPT_FOR_EACH_NODE = 4
_DELAYS_UNTIL_SENT_AGAIN = 3
#: where the delay is not known
_WAIT_S = 0.002
#: what the queueing delay of a link is estimated with
_PACKET_BITS = 8000.0


class Message:
    """What a packet's number stands for."""

    def __init__(self, number: int, what: str, origin: int, sequence: int) -> None:
        self.number = number
        self.what = what
        self.origin = origin
        self.sequence = sequence
        #: an announcement's links; one that is passed on from a database has none
        self.links: LinkStates | None = None
        #: the sender's own database, as it is when the message is read
        self.database: dict[int, LinkStates] | None = None


class MessageStore:
    """The messages on their way: announcements and databases have odd numbers, confirmations even ones."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._next = {True: 1, False: 2}
        self._kept: dict[bool, dict[int, Message]] = {True: {}, False: {}}

    def new(self, what: str, origin: int, sequence: int | None = None) -> Message:
        """A new message; the oldest of its sort goes when there are too many."""
        is_odd = what in (ANNOUNCEMENT, DATABASE)
        kept = self._kept[is_odd]
        number = self._next[is_odd]
        self._next[is_odd] += 2
        if len(kept) >= self._room:
            kept.pop(next(iter(kept)))
        kept[number] = Message(number, what, origin, number if sequence is None else sequence)
        return kept[number]

    def find(self, number: int) -> Message | None:
        """A message that is still kept."""
        return self._kept[bool(number % 2)].get(number)

    def delete(self, number: int) -> None:
        """A confirmation has been read."""
        self._kept[False].pop(number, None)


class Unconfirmed:
    """What a neighbour has not confirmed yet."""

    def __init__(self, wait_s: float) -> None:
        self.wait_s = wait_s
        self.database: Message | None = None
        #: the last announcement of each origin
        self.announcements: dict[int, Message] = {}
        self.timer: int | None = None

    def __bool__(self) -> bool:
        return self.database is not None or bool(self.announcements)


@ns2_class("Agent/rtProto/LS")
class LinkState(MessagingAgent):
    """Link-state routing at one node."""

    store: MessageStore

    def start(self) -> None:
        super().start()
        preference, unreachable = self.class_value("preference_"), self.class_value("UNREACHABLE")
        for number in self.simulator.nodes:
            self.preferences[number] = preference
            self.next_hops[number] = []
            self.metrics[number] = unreachable
        self.changes = 1
        self._several = self.node.vars["multiPath_"] not in ("0", "")
        self._here = self.node.number
        self._states: LinkStates = {}
        self._database: dict[int, LinkStates] = {}
        self._ways: Ways = {}
        #: what was heard last, by origin
        self._heard: dict[str, dict[int, int]] = {ANNOUNCEMENT: {}, DATABASE: {}}
        self._unconfirmed: dict[int, Unconfirmed] = defaultdict(lambda: Unconfirmed(_WAIT_S))
        self._outbox: list[tuple[int, Message]] = []
        self.simulator.call("at", self.drawn("0.0", "0.5"), f"{self.handle} send-periodic-update")

    def begin(self, store: MessageStore) -> None:
        """All agents are there."""
        self.store = store
        self._states = self._look_at_links()
        self._database[self._here] = copied(self._states)
        for near, link in self.links.items():
            limit = real(self.interp.call(link.call("queue"), "set", "limit_"), "a queue's limit")
            delay_s = limit * _PACKET_BITS / real(link.call("bw"), "a rate") + real(link.call("delay"), "a delay")
            self._unconfirmed[near] = Unconfirmed(_DELAYS_UNTIL_SENT_AGAIN * delay_s)
        self._find_ways()

    def _look_at_links(self) -> LinkStates:
        by_handle = {self.simulator.nodes[near].handle: near for near in self.links}
        states: LinkStates = {}
        for handle in self.interp.split(self.interp.call("::otcl::hashed", tuple(by_handle))):
            link = self.links[by_handle[handle]]
            is_up = link.call("up?") == "up"
            states[by_handle[handle]] = LinkStatus(is_up, whole(link.call("cost?"), "a link's cost"))
        return states

    def _find_ways(self) -> None:
        self._ways = shortest_ways(self._here, self._database)

    # --- what is sent ---

    def _send(self, near: int, message: Message, count: int) -> None:
        peer = self.peers[near]
        words = [str(word) for word in (peer.address, peer.port, message.number, count)]
        self.native.command("send", words)

    def _must_be_confirmed(self, near: int, message: Message) -> None:
        waiting = self._unconfirmed[near]
        if message.what == DATABASE:
            waiting.database = message
        else:
            waiting.announcements[message.origin] = message
        self._wait(near)

    def _wait(self, near: int) -> None:
        waiting = self._unconfirmed[near]
        self._stop_waiting(waiting)
        waiting.timer = self.interp.event_queue.call_in(waiting.wait_s, lambda: self._send_again(near))

    def _stop_waiting(self, waiting: Unconfirmed) -> None:
        if waiting.timer is not None:
            self.interp.event_queue.take_back(waiting.timer)
            waiting.timer = None

    def _send_again(self, near: int) -> None:
        waiting = self._unconfirmed[near]
        waiting.timer = None
        if waiting.database is not None:
            self._send(near, waiting.database, DATABASE_BYTES)
        for _, message in sorted(waiting.announcements.items()):
            self._send(near, message, ANNOUNCEMENT_BYTES)
        self._wait(near)

    def _announce(self) -> tuple[list[int], Message | None]:
        """A new announcement of the own links, and who is to hear of it."""
        own = self._database[self._here]
        if not self.peers or not own:
            return [], None
        message = self.store.new(ANNOUNCEMENT, self._here)
        for status in own.values():
            status.sequence = message.sequence
        message.links = copied(own)
        return self._reachable(), message

    def _reachable(self) -> list[int]:
        """Neighbours behind links that are up."""
        return [near for near in self.peers if near in self._states and self._states[near].is_up]

    @method("send-periodic-update")
    def send_periodic_update(self) -> None:
        """Announce the links, and again after about the class's interval."""
        listeners, message = self._announce()
        for near in listeners:
            assert message is not None
            self._send(near, message, ANNOUNCEMENT_BYTES)
            self._must_be_confirmed(near, message)
        now = self.simulator.call("now")
        interval = self.interp.call(type(self).ns2_name, "set", "advertInterval")
        again = self.interp.call("expr", f"{now} + ({interval} * {self.drawn('0.5', '1.5')})")
        self.simulator.call("at", again, f"{self.handle} send-periodic-update")

    @method("send-updates")
    def send_updates(self, changes: str) -> None:
        """The routes are installed: send what has waited for that."""
        outbox, self._outbox = self._outbox, []
        for near, message in outbox:
            self._must_be_confirmed(near, message)
            self._send(near, message, DATABASE_BYTES if message.what == DATABASE else ANNOUNCEMENT_BYTES)

    # --- what is heard ---

    def told(self, what: str) -> None:
        if what != "received":
            return
        sender, number = (int(word) for word in self.native.command("take", []).split())
        near = next((near for near, peer in self.peers.items() if peer.address == sender), None)
        message = self.store.find(number)
        if near is None or message is None:
            return
        if message.what == ANNOUNCEMENT:
            has_changed = self._hear_announcement(near, message)
        elif message.what == DATABASE:
            has_changed = self._hear_database(near, message)
        else:
            has_changed = False
            self._hear_confirmation(near, message)
            self.store.delete(number)
        if has_changed:
            self.call("route-changed")

    def _confirm(self, near: int, what: str, origin: int, sequence: int) -> None:
        self._send(near, self.store.new(what, origin, sequence), CONFIRMATION_BYTES)

    def _is_new(self, message: Message) -> bool:
        """Whether nothing as new has been heard from its origin; it has from now on."""
        heard = self._heard[message.what]
        if heard.get(message.origin, -1) >= message.sequence:
            return False
        heard[message.origin] = message.sequence
        return True

    def _hear_announcement(self, near: int, message: Message) -> bool:
        self._confirm(near, ANNOUNCEMENT_SEEN, message.origin, message.number)
        if message.origin == self._here or not self._is_new(message):
            return False
        for other in self._reachable():
            if other not in (message.origin, near):
                self._must_be_confirmed(other, message)
                self._send(other, message, ANNOUNCEMENT_BYTES)
        if message.links is None or not self._learn(message.origin, message.links):
            return False
        self._find_ways()
        return True

    def _learn(self, origin: int, links: LinkStates) -> bool:
        """Take over what a node has announced; whether it matters."""
        known = self._database.get(origin)
        if known is None:
            self._database[origin] = copied(links)
            return True
        has_changed = False
        for near, status in links.items():
            old = known.get(near)
            if old is None:
                known[near] = status.copy()
                has_changed = True
                continue
            has_changed |= (old.is_up, old.cost) != (status.is_up, status.cost)
            old.is_up, old.cost = status.is_up, status.cost
            if origin != self._here:
                old.sequence = status.sequence
        return has_changed

    def _hear_database(self, near: int, message: Message) -> bool:
        self._confirm(near, DATABASE_SEEN, near, message.sequence)
        if not self._is_new(message):
            return False
        has_changed = False
        for origin, links in sorted((message.database or {}).items()):
            if origin == self._here or not links:
                continue
            known = self._database.get(origin)
            if known and _sequence(known) >= _sequence(links):
                continue
            has_changed = True
            self._database[origin] = copied(links)
            passed_on = self.store.new(ANNOUNCEMENT, origin, _sequence(links))
            self._outbox += [(other, passed_on) for other in self._reachable() if other not in (origin, near)]
        if has_changed:
            self._find_ways()
        return has_changed

    def _hear_confirmation(self, near: int, message: Message) -> None:
        waiting = self._unconfirmed[near]
        if not waiting:
            return
        if message.what == DATABASE_SEEN:
            if waiting.database is not None and waiting.database.sequence == message.sequence:
                waiting.database = None
        else:
            sent = waiting.announcements.get(message.origin)
            if sent is not None and sent.sequence == message.sequence:
                del waiting.announcements[message.origin]
        if not waiting:
            self._stop_waiting(waiting)

    # --- links that fail and recover, and the routes ---

    @method("intf-changed")
    def intf_changed(self) -> None:
        """Announce what has changed; a neighbour that is back gets the whole database."""
        old = copied(self._database[self._here])
        self._states = self._look_at_links()
        if self._learn(self._here, self._states):
            self._find_ways()
            listeners, message = self._announce()
            self._outbox += [(near, message) for near in listeners if message is not None]
        for near, status in self._states.items():
            if not status.is_up:
                waiting = self._unconfirmed[near]
                waiting.database = None
                waiting.announcements.clear()
                self._stop_waiting(waiting)
            elif not old[near].is_up:
                whole_map = self.store.new(DATABASE, self._here)
                whole_map.database = self._database
                self._outbox.append((near, whole_map))
        self.call("route-changed")

    @method("route-changed")
    def route_changed(self) -> None:
        """The ways are others than before."""
        self.call("install-routes")
        self.node_routes().call("compute-routes")

    @method("compute-routes")
    def compute_routes(self) -> None:
        """Find the ways once more."""
        self._find_ways()
        self.call("install-routes")

    @method("install-routes")
    def install_routes(self) -> None:
        """Offer the ways that were found to the node."""
        self.changes = 1
        preference = self.class_value("preference_")
        worst, unreachable = NodeRoutes.worst(self), NodeRoutes.unreachable(self)
        for number in sorted(self.simulator.nodes):
            if number == self._here:
                self.metrics[number] = 32
            elif number not in self._ways:
                self.preferences[number], self.metrics[number] = worst, unreachable
                self.next_hops[number] = []
            else:
                cost, hops = self._ways[number]
                self.preferences[number], self.metrics[number] = preference, cost
                several = [self.links[near] for near in self.peers if near in hops]
                self.next_hops[number] = several if self._several else [self.links[hops[0]]]


def copied(links: LinkStates) -> LinkStates:
    """The same links, to be changed by themselves."""
    return {near: status.copy() for near, status in links.items()}


def _sequence(links: LinkStates) -> int:
    return next(iter(links.values())).sequence


def _start(logic: RouteLogic, nodes: list[str]) -> None:
    """Link states at these nodes, or at all."""
    agents = start_everywhere(logic, nodes, "LS")
    store = MessageStore(_KEPT_FOR_EACH_NODE * len(logic.simulator.nodes))
    for agent in agents:
        assert isinstance(agent, LinkState)
        agent.begin(store)


STARTERS["LS"] = _start
