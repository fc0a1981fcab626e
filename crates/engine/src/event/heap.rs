//! A four-ary heap of events.

use super::key::{LaneId, NOTHING};
use super::kind::Event;

/// An event, its order, and the lane that it heads, if any.
#[derive(Clone, Copy)]
struct HeapEntry {
    order: u128,
    event: Event,
    lane: LaneId,
}

impl HeapEntry {
    #[inline]
    fn is_before(&self, other: &HeapEntry) -> bool {
        self.order < other.order
    }
}

/// A four-ary min-heap.
///
/// Handling an event usually inserts another one. So `pop` leaves the root empty, and the next insertion fills it and
/// sifts down. This saves the sift-down of the last entry and the sift-up of the new one.
#[derive(Default)]
pub(super) struct Heap {
    entries: Vec<HeapEntry>,
    /// The root entry was removed and is not replaced yet.
    first_is_open: bool,
}

impl Heap {
    /// The order of the earliest event.
    pub(super) fn first(&self) -> u128 {
        // With an empty root the earliest event is one of its four children.
        match (self.first_is_open, &self.entries[..]) {
            (false, [first, ..]) => first.order,
            (true, [_, below @ ..]) => below.iter().take(4).map(|entry| entry.order).min().unwrap_or(NOTHING),
            (_, []) => NOTHING,
        }
    }

    /// Removes and returns the earliest event and its lane.
    pub(super) fn pop(&mut self) -> Option<(Event, LaneId)> {
        if self.first_is_open {
            self.close_first();
        }
        let first = self.entries.first()?;
        self.first_is_open = true;
        Some((first.event, first.lane))
    }

    /// The events that are in no lane, with their orders.
    pub(super) fn events(&self) -> impl Iterator<Item = (u128, Event)> {
        let entries = self.entries.iter().skip(usize::from(self.first_is_open));
        entries.filter(|entry| entry.lane == LaneId::NONE).map(|entry| (entry.order, entry.event))
    }

    /// Cancels all events for which `meant` is true; appends their orders and the events to `off`.
    pub(super) fn cancel(&mut self, meant: &impl Fn(Event) -> bool, off: &mut Vec<(u128, Event)>) {
        for entry in self.entries.iter_mut().skip(usize::from(self.first_is_open)) {
            // Events in lanes are cancelled there.
            if entry.lane == LaneId::NONE && meant(entry.event) {
                off.push((entry.order, std::mem::replace(&mut entry.event, Event::Cancelled)));
            }
        }
    }

    pub(super) fn insert(&mut self, order: u128, event: Event, lane: LaneId) {
        let entry = HeapEntry { order, event, lane };
        if std::mem::take(&mut self.first_is_open) {
            self.sink(&entry);
        } else {
            self.entries.push(entry);
            self.rise(entry);
        }
    }

    /// Nothing was inserted since the last `pop`: moves the last entry to the root.
    fn close_first(&mut self) {
        self.first_is_open = false;
        if let Some(last) = self.entries.pop()
            && !self.entries.is_empty()
        {
            self.sink(&last);
        }
    }

    /// Sifts an entry down from the root.
    fn sink(&mut self, entry: &HeapEntry) {
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
        if let Some(child) = last_few.min_by_key(|&below| heap[below].order)
            && heap[child].is_before(entry)
        {
            heap[place] = heap[child];
            place = child;
        }
        heap[place] = *entry;
    }

    /// Sifts the last entry up.
    fn rise(&mut self, entry: HeapEntry) {
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
