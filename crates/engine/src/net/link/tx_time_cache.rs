//! Cache of transmission times, shared by all links with the same rate and delay.
//!
//! Most networks have thousands of links but few pairs of rate and delay. So the times are computed once per pair,
//! and stay in the processor's caches.

use std::collections::HashMap;

use crate::event::{EventList, LaneId};

/// Index of a pair of rate and delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TxTimesId(u32);

impl TxTimesId {
    /// The pair is not looked up yet, or the cache is full.
    pub const NONE: TxTimesId = TxTimesId(u32::MAX);
}

/// Packet sizes cached per pair; a power of two.
const SIZES: usize = 32;

/// Maximum number of pairs in the cache.
const MAX_PAIRS: usize = 1 << 14;

/// The times for a packet size, and the lanes of its events.
#[derive(Clone, Copy)]
pub(crate) struct TxTime {
    size: i32,
    /// The lane of the arrival.
    pub arrival: LaneId,
    /// The lane of the end of transmission, after the first time that one was scheduled.
    pub end: LaneId,
    /// Transmission time, s.
    pub transmission_s: f64,
    /// Transmission time plus propagation delay, s.
    pub usual_s: f64,
}

/// An empty cache slot: no packet has this size.
const NO_SENDING: TxTime =
    TxTime { size: i32::MIN, arrival: LaneId::NONE, end: LaneId::NONE, transmission_s: 0.0, usual_s: 0.0 };

/// Transmission time of `bytes`, s.
#[inline]
pub(crate) fn transmission_s(bytes: i32, rate_bps: f64) -> f64 {
    8.0 * f64::from(bytes) / rate_bps
}

/// The times of one pair, direct-mapped by size / 8.
#[derive(Clone)]
struct TxTimes([TxTime; SIZES]);

/// All pairs.
#[derive(Default)]
pub(crate) struct TxTimeCache {
    kinds: Vec<TxTimes>,
    known: HashMap<(u64, u64), TxTimesId>,
    is_off: bool,
}

fn slot(size: i32) -> usize {
    (size as usize / 8) % SIZES
}

impl TxTimeCache {
    /// Switches the cache on or off. Off, no link has an index, so no event has a lane.
    pub fn use_cache(&mut self, is_used: bool) {
        self.is_off = !is_used;
    }

    /// The index of a rate (bit/s) and a delay (s); `known` if that is set.
    pub fn kind_of(&mut self, known: TxTimesId, rate_bps: f64, delay_s: f64) -> TxTimesId {
        if known != TxTimesId::NONE || self.is_off {
            return known;
        }
        let numbers = (rate_bps.to_bits(), delay_s.to_bits());
        if let Some(&known) = self.known.get(&numbers) {
            return known;
        }
        if self.kinds.len() == MAX_PAIRS {
            return TxTimesId::NONE;
        }
        let id = TxTimesId(self.kinds.len() as u32);
        self.kinds.push(TxTimes([NO_SENDING; SIZES]));
        self.known.insert(numbers, id);
        id
    }

    /// The cached times for a packet size, if any.
    #[inline(always)]
    pub fn remembered(&self, id: TxTimesId, size: i32) -> Option<TxTime> {
        self.kinds.get(id.0 as usize).map(|times| times.0[slot(size)]).filter(|sending| sending.size == size)
    }

    /// Computes the times for a packet size at this rate (bit/s) and delay (s), and caches them.
    #[cold]
    pub fn work_out(&mut self, id: TxTimesId, size: i32, link: (f64, f64), events: &mut EventList) -> TxTime {
        let (rate_bps, delay_s) = link;
        let transmission_s = transmission_s(size, rate_bps);
        // Transmission and propagation time are added first, then the clock: the rounding depends on this order.
        let usual_s = transmission_s + delay_s;
        let mut sending = TxTime { size, arrival: LaneId::NONE, end: LaneId::NONE, transmission_s, usual_s };
        if let Some(times) = self.kinds.get_mut(id.0 as usize) {
            sending.arrival = events.lane(usual_s);
            times.0[slot(size)] = sending;
        }
        sending
    }

    /// The lane of the ends of these transmissions.
    #[cold]
    pub fn lane_of_ends(&mut self, id: TxTimesId, sending: TxTime, events: &mut EventList) -> LaneId {
        let Some(times) = self.kinds.get_mut(id.0 as usize) else { return LaneId::NONE };
        let lane = events.lane(sending.transmission_s);
        times.0[slot(sending.size)].end = lane;
        lane
    }
}
