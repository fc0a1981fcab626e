//! What a delayer does ([`crate::net::link::delayer`]).

use crate::event::timer::{TimerId, TimerOwner};
use crate::net::Network;
use crate::net::link::delayer::{ALLOCATION, Delayer, SPIKE, Spells};
use crate::net::link::{Hook, HookPoint, LinkId};
use crate::packet::PacketId;
use crate::random::random_variable::VariableId;

impl Network {
    /// Adds a delayer behind a link's queue. False if the link already has one.
    pub fn insert_delayer(&mut self, link: LinkId) -> bool {
        if self.links[link.0 as usize].delayer().is_some() {
            return false;
        }
        let allocation = self.add_timer(TimerOwner::Delayer(link.0, ALLOCATION));
        let spike = self.add_timer(TimerOwner::Delayer(link.0, SPIKE));
        let found = &mut self.links[link.0 as usize];
        found.put_delayer(Delayer::new(allocation, spike));
        found.add_hook(HookPoint::Dequeued, Some(0), Hook::Delayer);
        true
    }

    fn delayer(&mut self, link: LinkId) -> Option<&mut Delayer> {
        self.links[link.0 as usize].delayer_mut()
    }

    /// Sets the idle time after which a channel must be allocated, and the time that the allocation takes.
    pub fn set_allocation(&mut self, link: LinkId, spells: Spells) {
        if let Some(delayer) = self.delayer(link) {
            delayer.allocation = Some(spells);
        }
    }

    /// Starts random delay spikes.
    pub fn set_spikes(&mut self, link: LinkId, spells: Spells) {
        let first_s = self.rng.draw(spells.interval);
        if let Some(delayer) = self.delayer(link) {
            delayer.spikes = Some(spells);
            let timer = delayer.spike_timer;
            self.set_timer(timer, first_s);
        }
    }

    /// Starts or ends a delay spike manually. A start has no effect if the delayer has random spikes.
    pub fn set_spike(&mut self, link: LinkId, begins: bool) {
        let Some(delayer) = self.delayer(link) else { return };
        if begins {
            delayer.is_spike |= delayer.spikes.is_none();
        } else {
            delayer.is_spike = false;
            self.delayer_goes_on(link);
        }
    }

    /// The queue passes a packet to the delayer.
    pub(crate) fn delay(&mut self, link: LinkId, next_hook: usize, packet: PacketId) {
        let now_s = self.now().secs();
        let Some(delayer) = self.delayer(link) else { return };
        delayer.held = Some((packet, next_hook));
        delayer.has_seen_packet = true;
        delayer.blocks_queue = true;
        let unused_s = now_s - delayer.last_sent_s;
        let timer = delayer.allocation_timer;
        if let Some(allocation) = delayer.allocation
            && unused_s > self.rng.draw(allocation.interval)
        {
            let needed_s = self.rng.draw(allocation.length);
            if let Some(delayer) = self.delayer(link) {
                delayer.is_allocated = false;
            }
            self.set_timer(timer, needed_s);
            return;
        }
        self.delayer_goes_on(link);
    }

    /// The delayer sends the held packet if nothing delays it any more, then dequeues the next one.
    pub(crate) fn delayer_goes_on(&mut self, link: LinkId) {
        let now = self.now();
        let is_free = self.links[link.0 as usize].is_idle();
        let Some(delayer) = self.delayer(link) else { return };
        if !is_free || !delayer.is_allocated || delayer.is_spike || !delayer.has_seen_packet {
            return;
        }
        if let Some((packet, next_hook)) = delayer.held.take() {
            delayer.last_sent_s = now.secs();
            if self.pass(link, HookPoint::Dequeued, next_hook, packet) {
                self.start_transmission(link, packet);
            }
        }
        if !self.dequeue(link) {
            let found = &mut self.links[link.0 as usize];
            found.queue_at_work().found_empty(now);
            if let Some(delayer) = found.delayer_mut() {
                delayer.blocks_queue = false;
            }
        }
    }

    /// A timer of the delayer expires.
    pub(crate) fn delayer_timer(&mut self, link: LinkId, which: u8) {
        let Some(delayer) = self.delayer(link) else { return };
        if which == ALLOCATION {
            delayer.is_allocated = true;
            self.delayer_goes_on(link);
            return;
        }
        let (timer, Some(spells)) = (delayer.spike_timer, delayer.spikes) else { return };
        delayer.is_spike = !delayer.is_spike;
        if delayer.is_spike {
            self.wake_after(timer, spells.length);
        } else {
            self.wake_after(timer, spells.interval);
            self.delayer_goes_on(link);
        }
    }

    fn wake_after(&mut self, timer: TimerId, drawn: VariableId) {
        let delay_s = self.rng.draw(drawn);
        self.set_timer(timer, delay_s);
    }
}
