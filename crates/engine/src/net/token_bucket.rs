//! Token bucket filter (TBF) between an agent and its node.
//!
//! Source: ns-2.35's `TBF`.
//! What it decides: a packet leaves when there is one token for each of its bits. Otherwise it waits, and is lost
//! without a trace if the queue is full. The bucket is full when the first packet arrives.

use std::collections::VecDeque;
use std::num::NonZeroU32;

use crate::event::timer::{TimerId, TimerOwner};
use crate::net::Network;
use crate::net::node::NodeId;
use crate::packet::PacketId;
use crate::params;
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
#[derive(Clone, Debug)]
pub struct TokenBucket {
    /// Token rate, bit/s; one token per bit.
    pub rate_bps: f64,
    /// Bucket depth, tokens.
    pub bucket: i32,
    /// Maximum number of waiting packets.
    pub qlen: i32,
    tokens: f64,
    /// When the tokens were last updated; `None` before the first packet.
    counted_at: Option<Time>,
    waiting: VecDeque<(NodeId, PacketId)>,
    timer: TimerId,
}

params!(TokenBucket { rate_bps, bucket, qlen });

impl TokenBucket {
    /// Number of waiting packets.
    pub fn holds_packets(&self) -> usize {
        self.waiting.len()
    }

    fn count_tokens(&mut self, now: Time) {
        let before = self.counted_at.replace(now);
        self.tokens = match before {
            Some(before) => (self.tokens + (now.secs() - before.secs()) * self.rate_bps).min(f64::from(self.bucket)),
            None => f64::from(self.bucket),
        };
    }
}

fn bits(net: &Network, packet: PacketId) -> f64 {
    f64::from(net.packets[packet].size << 3)
}

impl Network {
    /// A new token bucket.
    pub fn add_bucket(&mut self) -> BucketId {
        let id = BucketId::new(self.buckets.len() as u32);
        let timer = self.add_timer(TimerOwner::Bucket(id.index()));
        self.buckets.push(TokenBucket {
            rate_bps: 0.0,
            bucket: 0,
            qlen: 0,
            tokens: 0.0,
            counted_at: None,
            waiting: VecDeque::new(),
            timer,
        });
        id
    }

    /// A packet from an agent passes its bucket.
    pub(crate) fn pass_bucket(&mut self, id: BucketId, node: NodeId, packet: PacketId) {
        let now = self.now();
        let bits = bits(self, packet);
        let bucket = &mut self.buckets[id.index() as usize];
        let must_wait = if bucket.waiting.is_empty() {
            bucket.count_tokens(now);
            bucket.tokens < bits
        } else {
            true
        };
        if !must_wait {
            bucket.tokens -= bits;
            self.send(node, packet);
        } else if bucket.waiting.len() as i64 >= i64::from(bucket.qlen) {
            self.free(packet);
        } else {
            bucket.waiting.push_back((node, packet));
            if bucket.waiting.len() == 1 {
                let (timer, wait_s) = (bucket.timer, (bits - bucket.tokens) / bucket.rate_bps);
                self.set_timer(timer, wait_s);
            }
        }
    }

    /// The first waiting packet has enough tokens.
    pub(crate) fn bucket_timer(&mut self, id: BucketId) {
        let now = self.now();
        let bucket = &mut self.buckets[id.index() as usize];
        let Some((node, packet)) = bucket.waiting.pop_front() else {
            return;
        };
        bucket.count_tokens(now);
        let bits_sent = bits(self, packet);
        self.send(node, packet);
        let bucket = &mut self.buckets[id.index() as usize];
        bucket.tokens -= bits_sent;
        if let Some(&(_, next)) = bucket.waiting.front() {
            let (timer, tokens, rate_bps) = (bucket.timer, bucket.tokens, bucket.rate_bps);
            let wait_s = (bits(self, next) - tokens) / rate_bps;
            self.set_timer(timer, wait_s);
        }
    }
}
