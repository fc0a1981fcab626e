//! FIFO lanes of the event list, each a ring buffer.

use super::key::Key;
use super::kind::{Event, OfLink};
use super::lane_heads::LaneHead;
use crate::packet::PacketId;
use crate::prefetch::prefetch_at;

/// An event of a lane in parts, because a whole [`Event`] would be assembled in memory first.
#[derive(Clone, Copy)]
struct LaneEvent {
    at_bits: u64,
    counter: u64,
    what: OfLink,
}

impl LaneEvent {
    fn order(&self) -> u128 {
        u128::from(self.at_bits) << 64 | u128::from(self.counter)
    }
}

/// Prefetch distance in entries: a long ring no longer fits the caches. At the end of the ring the prefetch address
/// is past it, which is harmless.
const FAR: usize = 16;

/// The events of a lane, in a ring buffer. 32 bytes: two lanes per cache line.
#[derive(Default)]
pub(super) struct FifoLane {
    /// Its length is a power of two.
    ring: Box<[LaneEvent]>,
    first: u32,
    count: u32,
    /// When the last event is due, as order bits; 0 if the lane is empty.
    last_bits: u64,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<FifoLane>() == 32);

/// The result of [`FifoLane::push`].
pub(super) enum Taken {
    /// The event is behind others.
    Behind,
    /// The event is the first.
    First,
    /// The event is due before the last one of the lane, and was not taken.
    TooEarly,
}

impl FifoLane {
    /// The ring index of the event with `before` events in front of it.
    #[inline(always)]
    fn place(&self, before: u32) -> usize {
        (self.first as usize + before as usize) & (self.ring.len() - 1)
    }

    /// Appends a link's event, unless it is due before the last one: an arrival or, without a packet, the end of a
    /// transmission. Counters only grow, so events at the same time stay in order.
    // Inlined, and the entry is built in place: a copy of an entry built elsewhere would stall.
    #[inline(always)]
    pub(super) fn push(&mut self, key: Key, link: u32, packet: Option<PacketId>) -> Taken {
        let at_bits = key.at.order_bits();
        if at_bits < self.last_bits {
            return Taken::TooEarly;
        }
        self.last_bits = at_bits;
        if self.count as usize == self.ring.len() {
            self.grow();
        }
        let place = self.place(self.count);
        let what = OfLink { link, packet: packet.map_or(OfLink::NO_PACKET, |packet| packet.0) };
        self.ring[place] = LaneEvent { at_bits, counter: key.counter, what };
        self.count += 1;
        if self.count == 1 { Taken::First } else { Taken::Behind }
    }

    /// The lane's first event.
    pub(super) fn first(&self) -> Event {
        self.ring[self.first as usize].what.event()
    }

    /// Removes the first event of lane number `own`. Also returns the next event of the lane, with its order.
    #[inline(always)]
    pub(super) fn pop(&mut self, own: u32) -> (OfLink, Option<(LaneHead, OfLink)>) {
        let ring = &self.ring[..];
        let what = ring[self.first as usize].what;
        let first = (self.first as usize + 1) & (ring.len() - 1);
        self.first = first as u32;
        self.count -= 1;
        if self.count == 0 {
            self.last_bits = 0;
            return (what, None);
        }
        let LaneEvent { at_bits, counter, what: next } = ring[first];
        prefetch_at(ring, first + FAR, 1);
        (what, Some((LaneHead { at_bits, counter, lane: own }, next)))
    }

    /// The events, in order, with their orders.
    pub(super) fn events(&self) -> impl Iterator<Item = (u128, Event)> {
        (0..self.count).map(|offset| &self.ring[self.place(offset)]).map(|entry| (entry.order(), entry.what.event()))
    }

    /// Cancels all events for which `meant` is true; appends their orders and the events to `off`.
    pub(super) fn cancel(&mut self, meant: &impl Fn(Event) -> bool, off: &mut Vec<(u128, Event)>) {
        for offset in 0..self.count {
            let place = self.place(offset);
            let entry = &mut self.ring[place];
            let event = entry.what.event();
            if meant(event) {
                off.push((entry.order(), event));
                entry.what = OfLink::CANCELLED;
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.ring.rotate_left(self.first as usize);
        self.first = 0;
        let mut ring = std::mem::take(&mut self.ring).into_vec();
        ring.resize((ring.len() * 2).max(4), LaneEvent { at_bits: 0, counter: 0, what: OfLink::CANCELLED });
        self.ring = ring.into_boxed_slice();
    }
}
