//! Token bucket filter (TBF) between an agent and its node.
//!
//! Source: ns-2.35's `TBF`.
//! What it decides: a packet leaves when there is one token for each of its bits. Otherwise it waits, and is lost
//! without a trace if the queue is full. The bucket is full when the first packet arrives.

use std::collections::VecDeque;
use std::num::NonZeroU32;

use crate::event::timer::TimerId;
use crate::net::ids::{AgentId, NodeId};
use crate::packet::PacketId;
use crate::params::Params;
use crate::time::Time;

/// Index of a token bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BucketId(NonZeroU32);

impl BucketId {
    /// The bucket with this index.
    pub fn new(index: u32) -> BucketId {
        BucketId(NonZeroU32::MIN.saturating_add(index))
    }

    /// Its index.
    #[inline]
    pub fn index(self) -> u32 {
        self.0.get() - 1
    }
}

/// A token bucket.
#[derive(Clone, Debug, Params)]
pub struct TokenBucket {
    /// Token rate, bit/s; one token per bit.
    #[param(state)]
    pub rate_bps: f64,
    /// Bucket depth, tokens.
    #[param(state)]
    pub bucket: i32,
    /// Maximum number of waiting packets.
    #[param(state)]
    pub qlen: i32,
    /// No bucket at all: an agent of the same node that gets the packets.
    pub diverts_to: Option<AgentId>,
    pub(in crate::net) tokens: f64,
    /// When the tokens were last updated; `None` before the first packet.
    pub(in crate::net) counted_at: Option<Time>,
    pub(in crate::net) waiting: VecDeque<(NodeId, PacketId)>,
    pub(in crate::net) timer: TimerId,
}

impl TokenBucket {
    /// Number of waiting packets.
    pub fn holds_packets(&self) -> usize {
        self.waiting.len()
    }

    pub(in crate::net) fn count_tokens(&mut self, now: Time) {
        let before = self.counted_at.replace(now);
        self.tokens = match before {
            Some(before) => (self.tokens + (now.secs() - before.secs()) * self.rate_bps).min(f64::from(self.bucket)),
            None => f64::from(self.bucket),
        };
    }
}
