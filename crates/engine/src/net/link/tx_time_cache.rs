//! What links of one rate and delay have in common: how long each size of packet takes on them.
//!
//! Thousands of links are mostly of a few kinds, so this is computed once for a kind, and is at hand when a link looks.

use std::collections::HashMap;

use crate::event::{EventList, LaneId};

/// Index of a kind of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TxTimesId(u32);

impl TxTimesId {
    /// A link whose kind is not known yet, or one too many.
    pub const NONE: TxTimesId = TxTimesId(u32::MAX);
}

/// Sizes remembered for a kind; their number is a power of two.
const SIZES: usize = 32;

/// The most kinds that are remembered.
const MAX_WIRES: usize = 1 << 14;

/// What sending a packet of some size means.
#[derive(Clone, Copy)]
pub(crate) struct TxTime {
    size: i32,
    /// The lane of its arrival.
    pub arrival: LaneId,
    /// The lane of the end of its transmission, once one was waited for.
    pub end: LaneId,
    /// How long the transmitter is busy, s.
    pub transmission_s: f64,
    /// How long it takes to arrive, s.
    pub usual_s: f64,
}

/// No packet has this size.
const NO_SENDING: TxTime =
    TxTime { size: i32::MIN, arrival: LaneId::NONE, end: LaneId::NONE, transmission_s: 0.0, usual_s: 0.0 };

/// Seconds that a transmitter needs for `bytes`.
#[inline]
pub(crate) fn transmission_s(bytes: i32, rate_bps: f64) -> f64 {
    8.0 * f64::from(bytes) / rate_bps
}

/// A kind of links: sizes by their number of eight bytes, as far as these differ.
#[derive(Clone)]
struct TxTimes([TxTime; SIZES]);

/// All kinds of links.
#[derive(Default)]
pub(crate) struct TxTimeCache {
    kinds: Vec<TxTimes>,
    known: HashMap<(u64, u64), TxTimesId>,
}

fn slot(size: i32) -> usize {
    (size as usize / 8) % SIZES
}

impl TxTimeCache {
    /// The kind of a link of this rate, bit/s, and delay, s, which may be `known`.
    pub fn kind_of(&mut self, known: TxTimesId, rate_bps: f64, delay_s: f64) -> TxTimesId {
        if known != TxTimesId::NONE {
            return known;
        }
        let numbers = (rate_bps.to_bits(), delay_s.to_bits());
        if let Some(&known) = self.known.get(&numbers) {
            return known;
        }
        if self.kinds.len() == MAX_WIRES {
            return TxTimesId::NONE;
        }
        let id = TxTimesId(self.kinds.len() as u32);
        self.kinds.push(TxTimes([NO_SENDING; SIZES]));
        self.known.insert(numbers, id);
        id
    }

    /// What it means to send a packet of this size on links of a kind, if that is remembered.
    #[inline(always)]
    pub fn remembered(&self, id: TxTimesId, size: i32) -> Option<TxTime> {
        self.kinds.get(id.0 as usize).map(|times| times.0[slot(size)]).filter(|sending| sending.size == size)
    }

    /// What it means to send a packet of this size at this rate, bit/s, over this delay, s; remembered for the kind.
    #[cold]
    pub fn work_out(&mut self, id: TxTimesId, size: i32, link: (f64, f64), events: &mut EventList) -> TxTime {
        let (rate_bps, delay_s) = link;
        let transmission_s = transmission_s(size, rate_bps);
        // Transmission and propagation are added first, then to the clock: the sum of doubles depends on it.
        let usual_s = transmission_s + delay_s;
        let mut sending = TxTime { size, arrival: LaneId::NONE, end: LaneId::NONE, transmission_s, usual_s };
        if let Some(times) = self.kinds.get_mut(id.0 as usize) {
            sending.arrival = events.lane(usual_s);
            times.0[slot(size)] = sending;
        }
        sending
    }

    /// The lane of the ends of such transmissions.
    #[cold]
    pub fn lane_of_ends(&mut self, id: TxTimesId, sending: TxTime, events: &mut EventList) -> LaneId {
        let Some(times) = self.kinds.get_mut(id.0 as usize) else { return LaneId::NONE };
        let lane = events.lane(sending.transmission_s);
        times.0[slot(sending.size)].end = lane;
        lane
    }
}
