//! Token bucket filter: packets leave at a rate of the bucket's own, with bursts up to its depth.
//!
//! Source: tc-tbf(8): `rate`, `burst`, `limit`.
//! What it decides: the oldest packet goes when there are as many bytes of tokens as it has; tokens come at `rate`, and no
//! more than `burst` are kept. A full queue drops its arrival, and so does one that is bigger than the bucket.
//! Departures: none.
//! Not implemented: the second bucket of `peakrate`.
//! Checked against: departures worked by hand (tests/spec/test_aqm.py).

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit};
use crate::packet::PacketId;
use crate::params;
use crate::params::own_params;
use crate::time::Time;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "token_bucket",
    about: "token bucket filter: a rate below the link's, with bursts (tc-tbf)",
    make: || Box::new(TokenBucket::default()),
};

struct TokenBucket {
    /// Most packets that wait.
    limit: i32,
    /// Tokens that come, bit/s.
    rate: f64,
    /// Most tokens that are kept, bytes.
    burst: i32,
    /// Bytes of tokens at `counted`; `None` is a full bucket.
    tokens: Option<f64>,
    counted: Time,
    fifo: Fifo,
}

impl Default for TokenBucket {
    fn default() -> TokenBucket {
        TokenBucket { limit: 50, rate: 1e6, burst: 10_000, tokens: None, counted: Time::ZERO, fifo: Fifo::default() }
    }
}

params!(TokenBucket { limit, rate, burst });

/// Less than this many bytes are the clock's rounding.
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

    fn limit(&self) -> QueueLimit {
        QueueLimit::Packets(i64::from(self.limit))
    }

    fn len_packets(&self) -> usize {
        self.fifo.len()
    }

    fn len_bytes(&self) -> i64 {
        self.fifo.bytes()
    }

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        while let Some(packet) = self.fifo.pop(context.packets) {
            context.dropped.push(packet);
        }
        self.tokens = None;
    }
}
