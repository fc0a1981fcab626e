//! The total order of events, and their lanes.

use crate::time::Time;

/// The place of an event in the total order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// When it is due.
    pub at: Time,
    /// Order of the events at the same instant: smaller first.
    pub counter: u64,
}

impl Key {
    /// The key as a number with the same order.
    #[inline(always)]
    pub fn order(self) -> u128 {
        u128::from(self.at.order_bits()) << 64 | u128::from(self.counter)
    }

    /// The key of this number.
    #[inline(always)]
    pub(super) fn of_order(order: u128) -> Key {
        Key { at: Time(f64::from_bits((order >> 64) as u64)), counter: order as u64 }
    }
}

/// The order of no event: after all events.
pub(super) const NOTHING: u128 = u128::MAX;

/// The lane of all events with the same delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneId(pub(super) u32);

impl LaneId {
    /// No lane: the event goes to the heap.
    pub const NONE: LaneId = LaneId(u32::MAX);
}
