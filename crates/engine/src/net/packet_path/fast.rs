//! The fast path of packets over links and nodes.
//!
//! Most packets meet a plain link: no hooks, a queue that an idle link's packet may bypass, one next hop, an agent at
//! the destination port. For these the functions here do at once what the slow path does in several calls. The rest of
//! `packet_path` is the slow path, which works for every packet.
//!
//! # Contract
//!
//! - Both paths give the same packets at the same times in the same order, and the same random draws. So both take the
//!   same counters: [`Network::transmit`] takes two per packet, for the arrival and for the end of the transmission,
//!   whether or not the end is inserted in the event list.
//! - The condition of a fast step is that the slow step would have no other effect. Where it does not hold, the
//!   function calls its slow twin, having changed nothing.
//! - A link's condition is cached in [`FastPath`]. Whatever can change it resets the cache to [`FastPath::Unknown`].
//! - A queue discipline takes part with `can_bypass`, `store` and `take` ([`crate::queue::Discipline`]). Their
//!   defaults send every packet through `enqueue` and `dequeue`.
//! - The end of a transmission is an event only if a packet waits for it. Otherwise the transmitter is idle from that
//!   time on, and the discipline learns of it before its next call (`found_empty`).
//!
//! | fast | slow |
//! |---|---|
//! | [`Network::offer`] | [`Network::enter_link`] |
//! | [`Network::bypasses_queue`] | [`Network::leave_to_queue`] |
//! | [`Network::transmitter_free`], [`Link::takes`] | [`Network::transmitter_free_slow`], [`Network::dequeue`] |
//! | [`Network::arrive`] | [`Network::arrive_slow`], [`Network::reach_far_end`] |
//! | [`Network::forward`], [`Network::reach_port`] | [`Network::enter_ingress`] |
//! | [`Network::next_of_lanes`] | [`EventList::pop_of_heap`](crate::event::EventList::pop_of_heap) |
//! | [`TxTimeCache::remembered`] | [`TxTimeCache::work_out`] |
//!
//! [`TxTimeCache::remembered`]: crate::net::link::tx_time_cache::TxTimeCache::remembered
//! [`TxTimeCache::work_out`]: crate::net::link::tx_time_cache::TxTimeCache::work_out
//!
//! # Without the fast path
//!
//! After [`Network::use_fast_path`]`(false)` every packet takes the slow path at every step of this table, each end of
//! a transmission is an event, and no event is in a lane. `tests/fast_path.rs` compares the packets of both modes.

use crate::event::{Event, Key, LaneId, OfLink};
use crate::net::ids::AgentId;
use crate::net::link::{FastPath, HookPoint, Link, LinkId};
use crate::net::node::{NextHop, Port};
use crate::net::{Network, SimulationError};
use crate::packet::{PacketId, PacketPool};
use crate::prefetch::prefetch_at;

impl Network {
    /// Switches the fast path on or off, for tests. On is the default. To be called before the first packet.
    pub fn use_fast_path(&mut self, is_used: bool) {
        self.has_fast_path = is_used;
        self.tx_time_cache.use_cache(is_used);
        self.links.iter_mut().for_each(|link| link.allow_fast_path(is_used));
    }

    /// Whether the fast path is used; agents with one of their own follow it.
    #[inline]
    pub fn has_fast_path(&self) -> bool {
        self.has_fast_path
    }

    /// Adds a link.
    pub fn add_link(&mut self, mut link: Link) -> LinkId {
        if !self.has_fast_path {
            link.allow_fast_path(false);
        }
        self.links.push(link);
        LinkId(self.links.len() as u32 - 1)
    }

    /// A packet arrives at the head of a link.
    #[inline(always)]
    pub fn offer(&mut self, link: LinkId, packet: PacketId) {
        let known = &self.links[link.0 as usize];
        if known.is_open(self.current) {
            self.transmit(link, packet, self.packets[packet].size, known.expects_more());
        } else {
            self.enter_link(link, packet);
        }
    }

    /// Fast-path enqueue of a packet that has passed the hooks at the head. False: nothing happened, use
    /// [`Network::leave_to_queue`].
    #[inline(always)]
    pub(super) fn bypasses_queue(&mut self, link: LinkId, packet: PacketId) -> bool {
        let known = &mut self.links[link.0 as usize];
        if known.is_plain_behind_head() {
            if known.sends(self.current) {
                return self.waits_in_queue(link, packet);
            }
            let is_awaited = known.expects_more();
            self.transmit(link, packet, self.packets[packet].size, is_awaited);
            return true;
        }
        let bypasses = known.can_bypass(self.current);
        if bypasses && self.pass(link, HookPoint::Dequeued, 0, packet) {
            self.transmit(link, packet, self.packets[packet].size, false);
        }
        bypasses
    }

    /// Fast-path enqueue while the transmitter is busy. False if the discipline needs
    /// [`crate::queue::Discipline::enqueue`].
    #[inline(always)]
    fn waits_in_queue(&mut self, link: LinkId, packet: PacketId) -> bool {
        let known = &mut self.links[link.0 as usize];
        let waits = known.queue_at_work().store(packet, &self.packets);
        if waits {
            if let Some(free) = known.await_end() {
                self.events.insert(free, Event::TransmitterFree(link.0));
            }
            self.enters_queue(link, self.packets[packet].size);
            self.count_enter(link, packet);
        }
        waits
    }

    /// Transmits a packet of `size` bytes. `is_awaited`: the end of the transmission must be scheduled.
    #[inline(always)]
    pub(super) fn transmit(&mut self, id: LinkId, packet: PacketId, size: i32, is_awaited: bool) {
        let now = self.current.at;
        let arrival_counter = self.events.take_counter();
        let free_counter = self.events.take_counter();
        let link = &mut self.links[id.0 as usize];
        let sending = match self.tx_time_cache.remembered(link.tx_times, size) {
            Some(sending) => sending,
            None => {
                let (rate_bps, delay_s) = (link.rate_bps(), link.delay_s());
                link.tx_times = self.tx_time_cache.kind_of(link.tx_times, rate_bps, delay_s);
                let sending = self.tx_time_cache.work_out(link.tx_times, size, (rate_bps, delay_s), &mut self.events);
                if sending.transmission_s < 0.0 {
                    return self.end_in_the_past(id, size);
                }
                sending
            }
        };
        link.count_sent(size);
        link.on_wire += 1;
        let on_wire_s = if link.has_own_order() { link.enter_wire(now, sending, packet) } else { sending.usual_s };
        let arrival = Key { at: now + on_wire_s, counter: arrival_counter };
        let free = Key { at: now + sending.transmission_s, counter: free_counter };
        link.send_until(free, is_awaited);
        let wire = link.tx_times;
        self.events.insert_in(sending.arrival, arrival, id.0, Some(packet));
        if is_awaited {
            let lane = match sending.end {
                LaneId::NONE => self.tx_time_cache.lane_of_ends(wire, sending, &mut self.events),
                known => known,
            };
            self.events.insert_in(lane, free, id.0, None);
        }
    }

    /// A packet or a rate below 0 has no transmission; ns-2 ends there.
    #[cold]
    fn end_in_the_past(&mut self, id: LinkId, size: i32) {
        let Link { from, to, .. } = self.links[id.0 as usize];
        self.fail(SimulationError::Broken(format!(
            "a packet of {size} bytes on the link from node {from} to node {to} would have been sent before it came; \
             ns-2 ends there: scheduler going backwards in time"
        )));
    }

    /// A transmission has ended, and packets may wait.
    pub(crate) fn transmitter_free(&mut self, link: LinkId, key: Key) {
        if !self.links[link.0 as usize].ends_with(key) {
            return;
        }
        self.current = key;
        let known = &mut self.links[link.0 as usize];
        if let Some((packet, has_next)) = known.takes(&self.packets) {
            let is_awaited = has_next || known.expects_more();
            let bytes = self.packets[packet].size;
            self.leaves_queue(link, bytes);
            self.count_leave(link, packet);
            self.transmit(link, packet, bytes, is_awaited);
        } else {
            self.transmitter_free_slow(link);
        }
    }

    /// A packet arrives at the far end. Returns the receiving agent, or `None` if the packet was forwarded.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, id: LinkId, packet: PacketId, key: Key) -> Option<AgentId> {
        self.current = key;
        let link = &mut self.links[id.0 as usize];
        link.on_wire -= 1;
        let record = &mut self.packets[packet];
        if link.is_slow_at_end() || record.ttl <= 1 {
            return self.arrive_slow(id, packet);
        }
        record.ttl -= 1;
        let (node, destination) = (link.to, record.dst);
        if destination.node == node as i32 {
            return self.reach_port(node, destination.port, packet);
        }
        self.forward(node, destination.node, packet);
        None
    }

    /// Forwards a packet from a node that is not its destination.
    #[inline(always)]
    pub(super) fn forward(&mut self, node: u32, destination: i32, packet: PacketId) {
        if let NextHop::Link(link) = self.nodes[node as usize].next_hop(destination) {
            self.offer(link, packet);
        } else {
            self.forward_otherwise(node, destination, packet);
        }
    }

    /// Delivers a packet to its destination node: returns the agent at the port.
    #[inline(always)]
    pub(super) fn reach_port(&mut self, node: u32, port: i32, packet: PacketId) -> Option<AgentId> {
        match self.nodes[node as usize].at_port(port) {
            Port::Agent(agent) => return Some(agent),
            Port::Left => self.free(packet),
            Port::Free => return self.enter_ingress(node, packet),
        }
        None
    }

    /// Removes and returns the earliest event if it is the head of a sorted lane. Prefetches the packet and the link
    /// of the lane's next event, because with many packets they are no longer in the caches.
    #[inline(always)]
    pub(crate) fn next_of_lanes(&mut self) -> Option<(Key, OfLink)> {
        let Network { events, packets, links, .. } = self;
        events.pop_of_lane(|soon| {
            packets.prefetch(soon.packet);
            prefetch_at(links, soon.link as usize, 1);
        })
    }
}

impl Link {
    /// Whether a packet that arrives now goes directly to the transmitter.
    #[inline(always)]
    fn is_open(&self, now: Key) -> bool {
        self.fast_path == FastPath::Plain && !self.sends(now)
    }

    /// Dequeues on the fast path: the next packet, and whether another one waits. `None`: use the slow path.
    #[inline]
    pub(super) fn takes(&mut self, packets: &PacketPool) -> Option<(PacketId, bool)> {
        if self.is_plain_behind_head() { self.queue.take(packets) } else { None }
    }

    /// Whether the fast path applies behind the hooks at the head.
    #[inline(always)]
    pub(super) fn is_plain_behind_head(&mut self) -> bool {
        self.refresh_fast_path();
        matches!(self.fast_path, FastPath::Plain | FastPath::PlainBehindHead)
    }

    /// Whether a packet that arrives now bypasses the queue, but passes the hooks behind it.
    pub(super) fn can_bypass(&self, now: Key) -> bool {
        self.fast_path == FastPath::Hooked && !self.sends(now)
    }

    /// Whether the link is known to have an ordinary queue and transmitter.
    #[inline(always)]
    pub(super) fn is_usual(&self) -> bool {
        !matches!(self.fast_path, FastPath::Unknown | FastPath::Other)
    }

    /// Finds out which fast path the link has, if that is unknown.
    #[inline(always)]
    fn refresh_fast_path(&mut self) {
        if self.fast_path == FastPath::Unknown {
            self.find_fast_path();
        }
    }

    #[cold]
    fn find_fast_path(&mut self) {
        let sends_at_times = self.delivery_trace().is_some() || self.on_medium().is_some();
        let has_own_ways = self.port().is_some() || self.delayer().is_some() || sends_at_times;
        self.fast_path = if has_own_ways || self.queue.answers_later() || self.queue.counts_questions() {
            FastPath::Other
        } else if !self.allows_fast_path() || !self.queue.can_bypass() {
            FastPath::Queue
        } else if self.has_hooks(HookPoint::Dequeued) {
            FastPath::Hooked
        } else if self.has_hooks(HookPoint::Head) {
            FastPath::PlainBehindHead
        } else {
            FastPath::Plain
        };
    }
}
