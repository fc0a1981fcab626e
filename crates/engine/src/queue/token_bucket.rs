//! Token Bucket Filter (TBF): packets leave at a configured rate, with bursts up to the bucket's depth.
//!
//! Source: tc-tbf(8): `rate`, `burst`, `limit`.
//! What it decides: the oldest packet leaves when the bucket holds tokens for all its bytes. Tokens arrive at `rate`,
//! up to `burst`. Arrivals that find the queue full, or exceed the bucket depth, are dropped.
//! Departures: none.
//! Not implemented: the second bucket of `peakrate`.
//! Checked against: departures computed by hand (tests/spec/test_aqm.py).

use super::{Discipline, Entry, Fifo, QueueContext, limited_to_packets};
use crate::packet::PacketId;
use crate::params::{Params, own_params};
use crate::time::Time;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "token_bucket",
    about: "token bucket filter: a rate below the link's, with bursts (tc-tbf)",
    make: || Box::new(TokenBucket::default()),
};

#[derive(Params)]
struct TokenBucket {
    /// Maximum queue length, packets.
    #[param("packets")]
    limit: i32,
    /// Token rate, bit/s.
    #[param("bit/s")]
    rate: f64,
    /// Bucket size, bytes.
    #[param("bytes")]
    burst: i32,
    /// Tokens at the time `counted`, bytes; `None` is a full bucket.
    tokens: Option<f64>,
    counted: Time,
    fifo: Fifo,
}

impl Default for TokenBucket {
    fn default() -> TokenBucket {
        TokenBucket { limit: 50, rate: 1e6, burst: 10_000, tokens: None, counted: Time::ZERO, fifo: Fifo::default() }
    }
}

/// Tolerance for rounding of the clock, bytes.
const ROUNDING: f64 = 1e-6;

impl Discipline for TokenBucket {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        let is_full = self.fifo.len() as i64 >= i64::from(self.limit);
        if is_full || context.packets[packet].size > self.burst {
            context.dropped.push(packet);
        } else {
            self.fifo.push(packet, context.packets);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let size = f64::from(context.packets[self.fifo.get(0)?].size);
        let most = f64::from(self.burst);
        let came = (context.now - self.counted) * self.rate / 8.0;
        let tokens = self.tokens.map_or(most, |tokens| (tokens + came).min(most));
        self.counted = context.now;
        if tokens + ROUNDING < size {
            self.tokens = Some(tokens);
            context.wake_in_s = Some((size - tokens) * 8.0 / self.rate);
            return None;
        }
        self.tokens = Some(tokens - size);
        self.fifo.pop(context.packets)
    }

    limited_to_packets!(fifo);

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        self.fifo.drop_all(context);
        self.tokens = None;
    }
}
