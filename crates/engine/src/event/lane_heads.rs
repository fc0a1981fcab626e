//! The first events of a few lanes, in order.

/// Lanes that fit; a power of two.
const ROOM: usize = 16;

/// A lane and the place of its first event in the order.
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

/// Behind all that there are.
const NONE: LaneHead = LaneHead { at_bits: u64::MAX, counter: u64::MAX, lane: 0 };

/// Firsts in ascending order, in a ring. While there is none, one that is behind all others stands where the next would.
///
/// Where lanes come in turn the next event of one is after those of all others; where some come seldom it is before theirs.
/// So a first is compared with the one in the middle, and looked for a place from the end on its side.
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
    /// The first of all; without any, one whose order is [`NOTHING`](super::NOTHING).
    #[inline(always)]
    pub(super) fn first(&self) -> LaneHead {
        self.heads[self.begin % ROOM]
    }

    /// Whether all places are taken.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.end.wrapping_sub(self.begin) == ROOM
    }

    /// Takes the first out.
    #[inline(always)]
    pub(super) fn pop(&mut self) {
        self.begin = self.begin.wrapping_add(1);
        if self.begin == self.end {
            self.heads[self.end % ROOM] = NONE;
        }
    }

    /// Takes one in; there must be a place.
    #[inline(always)]
    pub(super) fn insert(&mut self, first: LaneHead) {
        if self.is_early(first) {
            self.begin = self.begin.wrapping_sub(1);
            self.insert_from_begin(first);
        } else {
            self.insert_from_end(first);
        }
    }

    /// Takes the first out and another one in.
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

    /// Whether one is due before that in the middle. With none in, what stands there is none any more, and one that is before it
    /// is put in its place from either end.
    #[inline(always)]
    fn is_early(&self, first: LaneHead) -> bool {
        let middle = self.begin.wrapping_add(self.end.wrapping_sub(self.begin) / 2);
        first.at_bits < self.heads[middle % ROOM].at_bits
    }

    /// Takes one in that is before another: those before it move up into the place at the begin, which is free.
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

    /// Takes one in that is behind another, or the only one: those behind it move on.
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
