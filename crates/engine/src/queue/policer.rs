//! Policer: a packet above a rate is dropped when it arrives. What conforms is queued first in, first out.
//!
//! Source: tc-police(8), `rate` and `burst` with `conform-exceed drop`: a token bucket on arrivals. What such policers
//! do to TCP: T. Flach and others, "An Internet-Wide Analysis of Traffic Policing", SIGCOMM 2016.
//! What it decides: an arriving packet conforms if the bucket holds tokens for all its bytes, which it takes. Tokens arrive
//! at `rate`, up to `burst`. Others are dropped, and so are packets that find the queue full; these have taken their
//! tokens, as a policer does not know of the queue behind it.
//! Departures: none.
//! Not implemented: `peakrate`, `avrate`, `mtu`; packets that exceed are not remarked (`ds_red_edge` does that).
//! Checked against: arrivals worked by hand (tests/spec/test_aqm.py).

use super::{Discipline, Entry, Fifo, QueueContext, limited_to_packets};
use crate::packet::PacketId;
use crate::params::{Params, own_params};
use crate::time::Time;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "policer",
    about: "policer: what exceeds a rate and a burst is dropped on arrival, the rest is queued (tc-police)",
    make: || Box::new(Policer::default()),
};

#[derive(Params)]
struct Policer {
    /// Maximum length of the queue of conforming packets, packets.
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

impl Default for Policer {
    fn default() -> Policer {
        Policer { limit: 1000, rate: 1e6, burst: 10_000, tokens: None, counted: Time::ZERO, fifo: Fifo::default() }
    }
}

/// Tolerance for rounding of the clock, bytes.
const ROUNDING: f64 = 1e-6;

impl Policer {
    /// Whether the bucket holds tokens for so many bytes, which are then taken.
    fn conforms(&mut self, bytes: f64, now: Time) -> bool {
        let most = f64::from(self.burst);
        let came = (now - self.counted) * self.rate / 8.0;
        let tokens = self.tokens.map_or(most, |tokens| (tokens + came).min(most));
        self.counted = now;
        let conforms = tokens + ROUNDING >= bytes;
        self.tokens = Some(if conforms { tokens - bytes } else { tokens });
        conforms
    }
}

impl Discipline for Policer {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        let conforms = self.conforms(f64::from(context.packets[packet].size), context.now);
        if conforms && (self.fifo.len() as i64) < i64::from(self.limit) {
            self.fifo.push(packet, context.packets);
        } else {
            context.dropped.push(packet);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        self.fifo.pop(context.packets)
    }

    limited_to_packets!(fifo);

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        self.fifo.drop_all(context);
        self.tokens = None;
    }
}
