//! The slow path of a packet over a link: hooks, queue discipline, far end. The fast path is in [`super::fast`].

use crate::event::timer::TimerOwner;
use crate::event::{Event, Key};
use crate::net::link::{Hook, HookPoint, LinkId};
use crate::net::node::AgentId;
use crate::net::{Network, SimulationError};
use crate::packet::{PacketId, flag};
use crate::queue::QueueContext;
use crate::random::rng::Source;

impl Network {
    /// Slow path of [`Network::offer`]: hooks at the head, then the queue.
    #[inline(never)]
    pub(super) fn enter_link(&mut self, link: LinkId, packet: PacketId) {
        if self.pass(link, HookPoint::Head, 0, packet) {
            self.enter_queue(link, packet);
        }
    }

    /// Number of packets on a link: in the queue, on the wire, or held back by an error module.
    pub fn packets_on(&self, link: LinkId) -> usize {
        let link = &self.links[link.0 as usize];
        let hooks = [HookPoint::Head, HookPoint::WireEnd].into_iter().flat_map(|place| link.hooks(place));
        let held = hooks.map(|hook| match hook {
            Hook::Errors(errors) => self.errors[errors.0 as usize].holds_packets(),
            _ => 0,
        });
        link.holds_packets() + held.sum::<usize>()
    }

    /// A packet is lost on a link, not in its queue.
    pub fn lose(&mut self, link: LinkId, packet: PacketId) {
        self.count_lost(link, packet);
        self.discard(link, packet);
    }

    /// A packet that the queue dropped, or that was lost between queue and transmitter.
    pub(super) fn discard(&mut self, link: LinkId, packet: PacketId) {
        if self.pass(link, HookPoint::Dropped, 0, packet) {
            self.packets.free(packet);
        }
    }

    /// A queue dropped a packet before it was full.
    fn lose_early(&mut self, link: LinkId, packet: PacketId) {
        if self.packets[packet].has(flag::POLICED) {
            if self.pass(link, HookPoint::Policed, 0, packet) {
                self.packets.free(packet);
            }
        } else if !self.links[link.0 as usize].has_hooks(HookPoint::DroppedEarly) {
            self.discard(link, packet);
        } else if self.pass(link, HookPoint::DroppedEarly, 0, packet) {
            self.packets.free(packet);
        }
    }

    fn with_queue<R>(
        &mut self,
        link: LinkId,
        act: impl FnOnce(&mut dyn crate::queue::Discipline, &mut QueueContext) -> R,
    ) -> R {
        let id = link;
        let link = &mut self.links[id.0 as usize];
        let mut context = QueueContext {
            now: self.current.at,
            packets: &mut self.packets,
            rng: self.rng.of(Source::Queue(id.0)),
            rate_bps: link.rate_bps(),
            delay_s: link.delay_s(),
            dropped: &mut self.dropped,
            dropped_early: &mut self.dropped_early,
            wake_in_s: None,
            error: &mut self.queue_error,
            observer: &mut *self.observer,
        };
        let result = act(&mut **link.queue_at_work(), &mut context);
        if let Some(wait_s) = context.wake_in_s {
            self.wake_queue(id, wait_s);
        }
        if let Some(error) = self.queue_error.take() {
            self.fail(SimulationError::Broken(error));
        }
        result
    }

    fn wake_queue(&mut self, link: LinkId, wait_s: f64) {
        let timer = self.links[link.0 as usize].queue_timer();
        let timer = *timer.get_or_insert_with(|| self.timers.add(TimerOwner::Queue(link.0)));
        if (0.0..f64::INFINITY).contains(&wait_s) {
            self.timers.set(timer, self.current.at + wait_s, &mut self.events);
        } else {
            self.fail(SimulationError::Broken(format!("a queue set its timer to {wait_s} s")));
        }
    }

    /// Calls a link's queue discipline, then processes the packets that it dropped.
    #[inline]
    pub fn use_queue<R>(
        &mut self,
        link: LinkId,
        act: impl FnOnce(&mut dyn crate::queue::Discipline, &mut QueueContext) -> R,
    ) -> R {
        let current = self.current;
        if let Some(since) = self.links[link.0 as usize].idle_since(current) {
            self.links[link.0 as usize].queue_at_work().found_empty(since);
        }
        let result = self.with_queue(link, act);
        self.lose_dropped(link);
        result
    }

    /// The timer of a queue discipline expires. A discipline that held packets back may release them now.
    pub(crate) fn queue_timer(&mut self, link: LinkId) {
        self.use_queue(link, |queue, context| queue.timer(context));
        let waits = &self.links[link.0 as usize];
        if waits.on_medium().is_some() {
            self.await_access(link);
        } else if waits.delivery_trace().is_none() && waits.queue().len_packets() > 0 && !waits.is_busy(self.current) {
            self.dequeue(link);
        }
    }

    #[inline(always)]
    fn lose_dropped(&mut self, link: LinkId) {
        // Taken out during the loop: the loss of a packet never makes a queue drop another one.
        if !self.dropped_early.is_empty() {
            let mut early = std::mem::take(&mut self.dropped_early);
            for packet in early.drain(..) {
                self.leaves_queue(link, self.packets[packet].size);
                self.count_dropped(link, packet);
                self.lose_early(link, packet);
            }
            self.dropped_early = early;
        }
        if !self.dropped.is_empty() {
            let mut dropped = std::mem::take(&mut self.dropped);
            for packet in dropped.drain(..) {
                self.leaves_queue(link, self.packets[packet].size);
                self.count_dropped(link, packet);
                self.discard(link, packet);
            }
            self.dropped = dropped;
        }
    }

    /// Enqueues a packet that has passed the hooks at the head.
    #[inline(never)]
    pub(crate) fn enqueue(&mut self, link: LinkId, packet: PacketId) {
        self.enter_queue(link, packet);
    }

    /// Inlined body of [`Network::enqueue`].
    #[inline(always)]
    pub(super) fn enter_queue(&mut self, link: LinkId, packet: PacketId) {
        if !self.bypasses_queue(link, packet) {
            self.leave_to_queue(link, packet);
        }
    }

    /// Slow-path enqueue: calls the discipline, then starts or schedules the transmitter.
    fn leave_to_queue(&mut self, id: LinkId, packet: PacketId) {
        self.enters_queue(id, self.packets[packet].size);
        self.count_enter(id, packet);
        self.use_queue(id, |queue, context| queue.enqueue(packet, context));
        let link = &mut self.links[id.0 as usize];
        if !link.is_busy(self.current) {
            if link.is_usual() {
                self.dequeue(id);
            } else if link.delivery_trace().is_some() {
                self.await_delivery(id);
            } else if link.on_medium().is_some() {
                self.await_access(id);
            } else if link.queue().answers_later() {
                let free = Key { at: self.current.at, counter: self.events.take_counter() };
                link.send_until(free, true);
                self.events.insert(free, Event::TransmitterFree(id.0));
            } else {
                self.dequeue(id);
            }
        } else if link.ends_unawaited()
            && link.queue().len_packets() > 0
            && let Some(free) = link.await_end()
        {
            self.events.insert(free, Event::TransmitterFree(id.0));
        }
    }

    /// Dequeues the next packet and transmits it. False if the queue has none.
    pub(crate) fn dequeue(&mut self, link: LinkId) -> bool {
        let next = self.with_queue(link, |queue, context| queue.dequeue(context));
        self.lose_dropped(link);
        match next {
            Some(packet) => {
                self.leaves_queue(link, self.packets[packet].size);
                if self.pass(link, HookPoint::Dequeued, 0, packet) {
                    self.count_leave(link, packet);
                    self.start_transmission(link, packet);
                }
                true
            }
            None => false,
        }
    }

    /// Passes a packet to the transmitter, or to the medium access of a LAN port.
    pub(crate) fn start_transmission(&mut self, id: LinkId, packet: PacketId) {
        let link = &self.links[id.0 as usize];
        if link.port().is_some() {
            self.access_medium(id, packet);
        } else {
            let is_awaited = link.queue().len_packets() > 0
                || !link.allows_fast_path()
                || !link.is_usual() && (link.delayer().is_some() || link.queue().counts_questions());
            self.transmit(id, packet, self.packets[packet].size, is_awaited);
        }
    }

    /// Slow path of [`Network::transmitter_free`]: the discipline dequeues, or the delayer continues.
    #[inline(always)]
    pub(super) fn transmitter_free_slow(&mut self, link: LinkId) {
        if self.links[link.0 as usize].delayer().is_some() {
            self.links[link.0 as usize].be_idle();
            self.delayer_goes_on(link);
        } else if !self.dequeue(link) {
            let now = self.current.at;
            let link = &mut self.links[link.0 as usize];
            link.be_idle();
            link.queue_at_work().found_empty(now);
        }
    }

    /// Slow path of [`Network::arrive`].
    #[inline(never)]
    pub(super) fn arrive_slow(&mut self, id: LinkId, packet: PacketId) -> Option<AgentId> {
        if self.links[id.0 as usize].delivers_first() {
            self.arrive_first(id, packet);
            return None;
        }
        self.reach_far_end(id, packet, HookPoint::WireEnd, 0)
    }

    /// Runs the hooks at the far end of a link, from index `first` of `place` on, then passes the packet to the node.
    pub(crate) fn reach_far_end(
        &mut self,
        id: LinkId,
        packet: PacketId,
        place: HookPoint,
        first: usize,
    ) -> Option<AgentId> {
        if place == HookPoint::WireEnd {
            if !self.pass(id, HookPoint::WireEnd, first, packet) {
                return None;
            }
            let hops_left = self.packets[packet].ttl - 1;
            if hops_left <= 0 {
                self.lose(id, packet);
                return None;
            }
            self.packets[packet].ttl = hops_left;
        }
        let first = if place == HookPoint::Received { first } else { 0 };
        if !self.pass(id, HookPoint::Received, first, packet) {
            return None;
        }
        let node = self.links[id.0 as usize].to;
        self.enter_node(node, packet)
    }
}
