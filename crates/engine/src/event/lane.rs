//! A lane of the event list: events in the order in which they were put in.

use super::lane_heads::LaneHead;
use super::{Event, Key, OfLink};
use crate::event::prefetch::prefetch_at;
use crate::packet::PacketId;

/// An event of a lane in its parts: a whole one would be put together in memory first, and waited for.
#[derive(Clone, Copy)]
struct Entry {
    at_bits: u64,
    counter: u64,
    what: OfLink,
}

impl Entry {
    fn order(&self) -> u128 {
        u128::from(self.at_bits) << 64 | u128::from(self.counter)
    }
}

/// A long ring has left the caches before its turn comes: an event that has so many before it is fetched. Where the ring
/// begins anew, what is behind its end is, which does no harm.
const FAR: usize = 16;

/// A lane's events, in a ring. Two lanes are in what a processor fetches at once.
#[derive(Default)]
pub(super) struct FifoLane {
    /// Room for a power of two.
    ring: Box<[Entry]>,
    first: u32,
    count: u32,
    /// When the last event is due; 0 while there is none.
    last_bits: u64,
}

const _: () = assert!(size_of::<FifoLane>() == 32);

/// What became of an event that a lane was given.
pub(super) enum Taken {
    /// It waits behind others.
    Behind,
    /// It is the first.
    First,
    /// It is due before the lane's last.
    TooEarly,
}

impl FifoLane {
    /// Where the event is that has so many before it.
    #[inline(always)]
    fn place(&self, before: u32) -> usize {
        (self.first as usize + before as usize) & (self.ring.len() - 1)
    }

    /// Takes an event of a link, unless it is due before the last: an arrival or, without a packet, the end of a transmission.
    /// Counters only grow, so that what is due at the same time comes later.
    // In line, and the entry is made in its place: one made elsewhere and copied would be waited for.
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
        self.ring[place] = Entry { at_bits, counter: key.counter, what };
        self.count += 1;
        if self.count == 1 { Taken::First } else { Taken::Behind }
    }

    /// The lane's first event.
    pub(super) fn first(&self) -> Event {
        self.ring[self.first as usize].what.event()
    }

    /// The lane's first event, removed, and the one behind it, of the lane that is number `own`: its place in the order, and
    /// what it is.
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
        let Entry { at_bits, counter, what: next } = ring[first];
        prefetch_at(ring, first + FAR, 1);
        (what, Some((LaneHead { at_bits, counter, lane: own }, next)))
    }

    /// The events that are `meant` are cancelled: their orders, and what they were.
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
        ring.resize((ring.len() * 2).max(4), Entry { at_bits: 0, counter: 0, what: OfLink::CANCELLED });
        self.ring = ring.into_boxed_slice();
    }
}
