//! What a link's delayer does: it waits for a channel to be allocated, and for delay spikes to pass.
//!
//! Source: ns-2.35's `Delayer`. As there, the queue is asked for its next packet as soon as one has gone on, so that a
//! packet waits in the delayer while the transmitter is busy.

use crate::event::timer::{TimerId, TimerOwner};
use crate::net::Network;
use crate::net::link::delayer::{Delayer, Spells};
use crate::net::link::{Hook, HookPoint, LinkId};
use crate::packet::PacketId;

const ALLOCATION: u8 = 0;
const SPIKE: u8 = 1;

impl Network {
    /// Puts a delayer behind a link's queue, unless it has one. Whether it had none.
    pub fn insert_delayer(&mut self, link: LinkId) -> bool {
        if self.links[link.0 as usize].delayer().is_some() {
            return false;
        }
        let allocation = self.add_timer(TimerOwner::Delayer(link.0, ALLOCATION));
        let spike = self.add_timer(TimerOwner::Delayer(link.0, SPIKE));
        let found = &mut self.links[link.0 as usize];
        found.put_delayer(Delayer::new(allocation, spike));
        found.add_tap(HookPoint::Dequeued, Some(0), Hook::Delayer);
        true
    }

    fn delayer(&mut self, link: LinkId) -> Option<&mut Delayer> {
        self.links[link.0 as usize].delayer_mut()
    }

    /// How long it takes to allocate a channel, and after how long without a packet that is needed.
    pub fn set_allocation(&mut self, link: LinkId, spells: Spells) {
        if let Some(delayer) = self.delayer(link) {
            delayer.allocation = Some(spells);
        }
    }

    /// Delay spikes come and go from now on.
    pub fn set_spikes(&mut self, link: LinkId, spells: Spells) {
        let first_s = self.rng.draw(spells.interval);
        if let Some(delayer) = self.delayer(link) {
            delayer.spikes = Some(spells);
            let timer = delayer.spike_timer;
            self.set_timer(timer, first_s);
        }
    }

    /// A delay spike begins or ends by hand. Where spikes come by themselves, none can be begun so.
    pub fn set_spike(&mut self, link: LinkId, begins: bool) {
        let Some(delayer) = self.delayer(link) else { return };
        if begins {
            delayer.is_spike |= delayer.spikes.is_none();
        } else {
            delayer.is_spike = false;
            self.delayer_goes_on(link);
        }
    }

    /// The queue hands over a packet.
    pub(crate) fn delay(&mut self, link: LinkId, next_tap: usize, packet: PacketId) {
        let now_s = self.now().secs();
        let Some(delayer) = self.delayer(link) else { return };
        delayer.held = Some((packet, next_tap));
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

    /// Something the delayer waited for has come: it sends what it holds, and asks the queue for more.
    pub(crate) fn delayer_goes_on(&mut self, link: LinkId) {
        let now = self.now();
        let is_free = self.links[link.0 as usize].is_idle();
        let Some(delayer) = self.delayer(link) else { return };
        if !is_free || !delayer.is_allocated || delayer.is_spike || !delayer.has_seen_packet {
            return;
        }
        if let Some((packet, next_tap)) = delayer.held.take() {
            delayer.last_sent_s = now.secs();
            if self.pass(link, HookPoint::Dequeued, next_tap, packet) {
                self.put_on_wire(link, packet);
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

    /// A delayer's timer is due.
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

    fn wake_after(&mut self, timer: TimerId, drawn: crate::random::random_variable::VariableId) {
        let delay_s = self.rng.draw(drawn);
        self.set_timer(timer, delay_s);
    }
}
