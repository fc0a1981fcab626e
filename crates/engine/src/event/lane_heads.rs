//! The heads (first events) of up to 16 lanes, sorted.

/// Capacity; a power of two.
const ROOM: usize = 16;

/// A lane, and the order of its first event.
#[derive(Clone, Copy)]
pub(super) struct LaneHead {
    pub at_bits: u64,
    pub counter: u64,
    pub lane: u32,
}

impl LaneHead {
    #[inline(always)]
    pub(super) fn order(&self) -> u128 {
        u128::from(self.at_bits) << 64 | u128::from(self.counter)
    }

    #[inline(always)]
    fn is_before(&self, other: &LaneHead) -> bool {
        self.at_bits < other.at_bits || (self.at_bits == other.at_bits && self.counter < other.counter)
    }
}

/// After all events.
const NONE: LaneHead = LaneHead { at_bits: u64::MAX, counter: u64::MAX, lane: 0 };

/// Lane heads in ascending order, in a ring buffer. If it is empty, [`NONE`] is at its front.
///
/// A new head is compared with the middle one, then inserted from the nearer end. If lanes alternate, the next event of
/// a lane is after those of all others. If some lanes are rarely used, the next event of a busy lane is before theirs.
pub(super) struct LaneHeads {
    heads: [LaneHead; ROOM],
    begin: usize,
    end: usize,
}

impl Default for LaneHeads {
    fn default() -> LaneHeads {
        LaneHeads { heads: [NONE; ROOM], begin: 0, end: 0 }
    }
}

impl LaneHeads {
    /// The earliest head; if there is none, one whose order is [`NOTHING`](super::key::NOTHING).
    #[inline(always)]
    pub(super) fn first(&self) -> LaneHead {
        self.heads[self.begin % ROOM]
    }

    /// Whether all slots are used.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.end.wrapping_sub(self.begin) == ROOM
    }

    /// Removes the first head.
    #[inline(always)]
    pub(super) fn pop(&mut self) {
        self.begin = self.begin.wrapping_add(1);
        if self.begin == self.end {
            self.heads[self.end % ROOM] = NONE;
        }
    }

    /// Inserts a head. There must be a free slot.
    #[inline(always)]
    pub(super) fn insert(&mut self, first: LaneHead) {
        if self.is_early(first) {
            self.begin = self.begin.wrapping_sub(1);
            self.insert_from_begin(first);
        } else {
            self.insert_from_end(first);
        }
    }

    /// Replaces the first head by another one, in its order.
    #[inline(always)]
    pub(super) fn replace(&mut self, first: LaneHead) {
        let old = self.begin;
        self.begin = old.wrapping_add(1);
        if self.is_early(first) {
            self.begin = old;
            self.insert_from_begin(first);
        } else {
            self.insert_from_end(first);
        }
    }

    /// Whether a head is due before the middle one. If there is none, the slot holds an old head; then an insertion
    /// from either end is correct.
    #[inline(always)]
    fn is_early(&self, first: LaneHead) -> bool {
        let middle = self.begin.wrapping_add(self.end.wrapping_sub(self.begin) / 2);
        first.at_bits < self.heads[middle % ROOM].at_bits
    }

    /// Inserts a head that is before another one. The heads before it move up into the free slot at the front.
    #[inline(always)]
    fn insert_from_begin(&mut self, first: LaneHead) {
        let mut place = self.begin;
        loop {
            let behind = &self.heads[place.wrapping_add(1) % ROOM];
            if first.is_before(behind) {
                break;
            }
            self.heads[place % ROOM] = *behind;
            place = place.wrapping_add(1);
        }
        self.heads[place % ROOM] = first;
    }

    /// Inserts a head that is behind all others before it, or the only one. The heads behind it move back.
    #[inline(always)]
    fn insert_from_end(&mut self, first: LaneHead) {
        let mut place = self.end;
        while place != self.begin {
            let before = &self.heads[place.wrapping_sub(1) % ROOM];
            if before.is_before(&first) {
                break;
            }
            self.heads[place % ROOM] = *before;
            place = place.wrapping_sub(1);
        }
        self.heads[place % ROOM] = first;
        self.end = self.end.wrapping_add(1);
    }
}
