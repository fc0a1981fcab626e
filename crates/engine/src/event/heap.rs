//! A heap of events.

use super::{Event, LaneId, NOTHING};

/// An event, its place in the order, and the lane that has it too.
#[derive(Clone, Copy)]
struct Entry {
    order: u128,
    event: Event,
    lane: LaneId,
}

impl Entry {
    #[inline]
    fn is_before(&self, other: &Entry) -> bool {
        self.order < other.order
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
    first_is_open: bool,
}

impl Heap {
    /// The order of the earliest event.
    pub(super) fn first(&self) -> u128 {
        // Below an open first place the earliest is among the first four.
        match (self.first_is_open, &self.entries[..]) {
            (false, [first, ..]) => first.order,
            (true, [_, below @ ..]) => below.iter().take(4).map(|entry| entry.order).min().unwrap_or(NOTHING),
            (_, []) => NOTHING,
        }
    }

    /// The earliest event, removed, and its lane.
    pub(super) fn pop(&mut self) -> Option<(Event, LaneId)> {
        if self.first_is_open {
            self.close_first();
        }
        let first = self.entries.first()?;
        self.first_is_open = true;
        Some((first.event, first.lane))
    }

    /// The events that are `meant` are cancelled: their orders, and what they were.
    pub(super) fn cancel(&mut self, meant: &impl Fn(Event) -> bool, off: &mut Vec<(u128, Event)>) {
        for entry in self.entries.iter_mut().skip(usize::from(self.first_is_open)) {
            // What a lane has is cancelled there.
            if entry.lane == LaneId::NONE && meant(entry.event) {
                off.push((entry.order, std::mem::replace(&mut entry.event, Event::Cancelled)));
            }
        }
    }

    pub(super) fn insert(&mut self, order: u128, event: Event, lane: LaneId) {
        let entry = Entry { order, event, lane };
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
    fn sink(&mut self, entry: &Entry) {
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
