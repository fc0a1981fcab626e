//! A heap of entries of the event list.

use super::{Event, Key, LaneId};
use crate::packet::PacketId;
use crate::units::Time;

/// A key as two numbers with the same order, what happens, and the lane whose first event this is.
///
/// The event is kept in its parts: a whole one would be put together in memory first, and waited for.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    at_bits: u64,
    counter: u64,
    kind: u32,
    index: u32,
    packet: u32,
    pub(super) lane: LaneId,
}

impl Entry {
    #[inline(always)]
    pub(super) fn new(key: Key, event: Event, lane: LaneId) -> Entry {
        let (kind, index, packet) = match event {
            Event::Arrive(link, packet) => (0, link, packet.0),
            Event::TransmitterFree(link) => (1, link, 0),
            Event::Timer(timer) => (2, timer, 0),
            Event::Release(errors) => (3, errors, 0),
            Event::Lan(step) => (4, step, 0),
            Event::Script(script) => (5, script, 0),
            Event::CalledOff => (6, 0, 0),
        };
        Entry { at_bits: key.at.order_bits(), counter: key.counter, kind, index, packet, lane }
    }

    #[inline(always)]
    pub(super) fn event(&self) -> Event {
        match self.kind {
            0 => Event::Arrive(self.index, PacketId(self.packet)),
            1 => Event::TransmitterFree(self.index),
            2 => Event::Timer(self.index),
            3 => Event::Release(self.index),
            4 => Event::Lan(self.index),
            5 => Event::Script(self.index),
            _ => Event::CalledOff,
        }
    }

    /// What was to happen does not; what it was.
    pub(super) fn call_off(&mut self) -> Event {
        let event = self.event();
        *self = Entry::new(self.key(), Event::CalledOff, self.lane);
        event
    }

    #[inline]
    pub(super) fn key(&self) -> Key {
        Key { at: Time(f64::from_bits(self.at_bits)), counter: self.counter }
    }

    #[inline]
    pub(super) fn order(&self) -> u128 {
        u128::from(self.at_bits) << 64 | u128::from(self.counter)
    }

    #[inline]
    pub(super) fn is_before(&self, other: &Entry) -> bool {
        // One subtraction of two words, without a branch.
        self.order() < other.order()
    }
}

/// A heap: each entry comes before the four below it.
///
/// Most events put another one in the list, so the place of the entry that was taken last stays open: what comes next
/// fills it and sinks from there, instead of the last entry sinking and the new one rising.
#[derive(Default)]
pub(super) struct Heap {
    entries: Vec<Entry>,
    /// The first entry has been taken.
    pub(super) first_is_open: bool,
}

impl Heap {
    /// The earliest entry.
    #[inline(always)]
    pub(super) fn first(&mut self) -> Option<&Entry> {
        if self.first_is_open {
            self.close_first();
        }
        self.entries.first()
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<(Key, Event)> {
        let first = *self.first()?;
        self.first_is_open = true;
        Some((first.key(), first.event()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.len() == usize::from(self.first_is_open)
    }

    pub(super) fn entries_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut().skip(usize::from(self.first_is_open))
    }

    pub(super) fn insert(&mut self, entry: Entry) {
        if std::mem::take(&mut self.first_is_open) {
            self.sink(&entry);
        } else {
            self.entries.push(entry);
            self.rise(entry);
        }
    }

    /// Nothing came in the place of the entry that was taken: the last entry does.
    fn close_first(&mut self) {
        self.first_is_open = false;
        if let Some(last) = self.entries.pop()
            && !self.entries.is_empty()
        {
            self.sink(&last);
        }
    }

    /// Puts an entry in the first place, then below those that come before it.
    pub(super) fn sink(&mut self, entry: &Entry) {
        let heap = &mut self.entries[..];
        let mut place = 0;
        while let Some(below) = heap.get(4 * place + 1..4 * place + 5) {
            let one = usize::from(below[1].is_before(&below[0]));
            let other = 2 + usize::from(below[3].is_before(&below[2]));
            let first = if below[other].is_before(&below[one]) { other } else { one };
            let child = below[first];
            if entry.is_before(&child) {
                heap[place] = *entry;
                return;
            }
            heap[place] = child;
            place = 4 * place + 1 + first;
        }
        let last_few = 4 * place + 1..heap.len();
        if let Some(child) = last_few.min_by_key(|&below| heap[below].order())
            && heap[child].is_before(entry)
        {
            heap[place] = heap[child];
            place = child;
        }
        heap[place] = *entry;
    }

    /// Takes the entry in the last place above those that come after it.
    fn rise(&mut self, entry: Entry) {
        let heap = &mut self.entries[..];
        let mut place = heap.len() - 1;
        while place > 0 {
            let above = (place - 1) / 4;
            if heap[above].is_before(&entry) {
                break;
            }
            heap[place] = heap[above];
            place = above;
        }
        heap[place] = entry;
    }
}
