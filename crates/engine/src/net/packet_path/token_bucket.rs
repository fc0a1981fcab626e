//! The path of a packet through a token bucket ([`crate::net::token_bucket`]).

use std::collections::VecDeque;

use crate::event::timer::TimerOwner;
use crate::net::Network;
use crate::net::ids::NodeId;
use crate::net::token_bucket::{BucketId, TokenBucket};
use crate::packet::PacketId;

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
            diverts_to: None,
            tokens: 0.0,
            counted_at: None,
            waiting: VecDeque::new(),
            timer,
        });
        id
    }

    /// A packet from an agent passes its bucket.
    pub(crate) fn pass_bucket(&mut self, id: BucketId, node: NodeId, packet: PacketId) {
        if let Some(agent) = self.buckets[id.index() as usize].diverts_to {
            self.hand_over(agent, packet);
            return;
        }
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
