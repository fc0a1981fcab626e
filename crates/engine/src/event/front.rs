//! The first events of a few lanes, in order.

/// Lanes that fit; a power of two.
const ROOM: usize = 16;

/// A lane and the place of its first event in the order.
#[derive(Clone, Copy)]
pub(super) struct First {
    pub at_bits: u64,
    pub counter: u64,
    pub lane: u32,
}

impl First {
    #[inline(always)]
    pub(super) fn order(&self) -> u128 {
        u128::from(self.at_bits) << 64 | u128::from(self.counter)
    }
}

const NONE: First = First { at_bits: 0, counter: 0, lane: 0 };

/// Firsts in ascending order, in a ring.
///
/// A lane whose first event was taken has its next one mostly after all others, so a new one is looked for a place from the
/// end.
pub(super) struct Front {
    firsts: [First; ROOM],
    begin: usize,
    end: usize,
}

impl Default for Front {
    fn default() -> Front {
        Front { firsts: [NONE; ROOM], begin: 0, end: 0 }
    }
}

impl Front {
    /// The first of all, if there is one.
    #[inline(always)]
    pub(super) fn first(&self) -> First {
        self.firsts[self.begin % ROOM]
    }

    /// Takes the first out.
    #[inline(always)]
    pub(super) fn pop(&mut self) {
        self.begin = self.begin.wrapping_add(1);
    }

    /// Whether there is none.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.begin == self.end
    }

    /// Whether all places are taken.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.end.wrapping_sub(self.begin) == ROOM
    }

    /// Takes one in; there must be a place.
    #[inline(always)]
    pub(super) fn insert(&mut self, first: First) {
        let mut place = self.end;
        while place != self.begin {
            let before = &self.firsts[place.wrapping_sub(1) % ROOM];
            if before.at_bits < first.at_bits || (before.at_bits == first.at_bits && before.counter < first.counter) {
                break;
            }
            self.firsts[place % ROOM] = *before;
            place = place.wrapping_sub(1);
        }
        self.firsts[place % ROOM] = first;
        self.end = self.end.wrapping_add(1);
    }
}
