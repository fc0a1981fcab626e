//! A lane of the event list: events in the order in which they were put in.

use super::heap::Entry;
use super::{Event, Key, LaneId};

/// A lane's events, a ring without the first of them, which is in a heap.
#[derive(Default)]
pub(super) struct Lane {
    /// Room for a power of two.
    ring: Vec<Entry>,
    first: usize,
    count: usize,
    /// The last event's place in the order; 0 while the lane is empty.
    last: u128,
}

/// What became of an event that a lane was given.
pub(super) enum Taken {
    /// It waits behind others.
    Behind,
    /// It is the first and goes to the heap.
    First,
    /// It is due before the lane's last.
    TooEarly,
}

impl Lane {
    /// Takes an event, unless it is due before the last.
    // In line, and the entry is made in its place: one made elsewhere and copied would be waited for.
    #[inline(always)]
    pub(super) fn push(&mut self, own: LaneId, key: Key, event: Event) -> Taken {
        let order = key.order();
        if order <= self.last {
            return Taken::TooEarly;
        }
        let was_empty = self.last == 0;
        self.last = order;
        if was_empty {
            return Taken::First;
        }
        if self.count == self.ring.len() {
            self.grow();
        }
        let place = (self.first + self.count) & (self.ring.len() - 1);
        self.ring[place] = Entry::new(key, event, own);
        self.count += 1;
        Taken::Behind
    }

    /// The lane's first event was taken out of the heap: the one that takes its place, if any.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<&Entry> {
        if self.count == 0 {
            self.last = 0;
            return None;
        }
        let place = self.first;
        self.first = (place + 1) & (self.ring.len() - 1);
        self.count -= 1;
        self.ring.get(place)
    }

    /// The events that wait.
    pub(super) fn entries_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        let (wrapped, begun) = self.ring.split_at_mut(self.first);
        begun.iter_mut().chain(wrapped).take(self.count)
    }

    #[cold]
    fn grow(&mut self) {
        self.ring.rotate_left(self.first);
        self.first = 0;
        let room = (self.ring.len() * 2).max(4);
        self.ring.resize(room, Entry::new(Key::default(), Event::CalledOff, LaneId::NONE));
    }
}
