//! Stochastic Fair Queueing (SFQ): flows hash into buckets, which are served in round robin, packet by packet.
//!
//! Source: P. E. McKenney, "Stochastic fairness queueing", INFOCOM 1990, as ns-2.35's `Queue/SFQ` has it.
//! What it decides: an arriving packet is dropped if its bucket holds at least half of the free space. It is also
//! dropped if its bucket holds more than its fair share while little space is free. Each nonempty bucket sends one
//! packet per round.
//! Departures: none.
//! Not implemented: changing limit and buckets by commands; both are parameters.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use std::collections::VecDeque;

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit};
use crate::packet::PacketId;
use crate::params::{Params, own_params};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "sfq",
    about: "stochastic fair queueing: hashed flows take turns (McKenney 1990)",
    make: || Box::new(Sfq::default()),
};

#[derive(Params)]
struct Sfq {
    /// No effect, as in ns-2.
    #[param(state)]
    limit: i32,
    /// Maximum number of packets in all buckets together.
    #[param("packets")]
    maxqueue: i32,
    /// Number of buckets.
    #[param("")]
    buckets: i32,
    fair_share: i32,
    queues: Vec<Fifo>,
    /// Nonempty buckets in the order of service.
    turns: VecDeque<usize>,
    packets: i32,
    bytes: i64,
}

impl Default for Sfq {
    fn default() -> Sfq {
        Sfq {
            limit: 50,
            maxqueue: 40,
            buckets: 16,
            fair_share: 0,
            queues: Vec::new(),
            turns: VecDeque::new(),
            packets: 0,
            bytes: 0,
        }
    }
}

/// ns-2's hash of a pair of nodes.
fn hash(source: i32, destination: i32) -> i32 {
    let k = source.wrapping_add(destination);
    (k.wrapping_add(k >> 8).wrapping_add(!(k >> 4))) % ((2 << 19) - 1)
}

impl Sfq {
    fn set_up(&mut self) {
        self.buckets = self.buckets.max(1);
        self.queues = (0..self.buckets).map(|_| Fifo::default()).collect();
        self.fair_share = self.maxqueue / self.buckets;
    }
}

impl Discipline for Sfq {
    fn enqueue(&mut self, id: PacketId, context: &mut QueueContext) {
        if self.queues.is_empty() {
            self.set_up();
        }
        let packet = &context.packets[id];
        let bucket = hash(packet.src.node, packet.dst.node).unsigned_abs() as usize % self.queues.len();
        let used = self.queues[bucket].len() as i32;
        let left = self.maxqueue - self.packets;
        let is_greedy = left < self.queues.len() as i32 && used > self.fair_share;
        if used >= left >> 1 || is_greedy || left <= 0 {
            context.dropped.push(id);
            return;
        }
        self.packets += 1;
        self.bytes += i64::from(packet.size);
        self.queues[bucket].push(id, context.packets);
        if used == 0 {
            self.turns.push_back(bucket);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let bucket = *self.turns.front()?;
        let id = self.queues[bucket].pop(context.packets)?;
        self.packets -= 1;
        self.bytes -= i64::from(context.packets[id].size);
        if self.queues[bucket].is_empty() {
            self.turns.pop_front();
        } else {
            self.turns.rotate_left(1);
        }
        Some(id)
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Packets(i64::from(self.maxqueue))
    }

    fn len_packets(&self) -> usize {
        self.packets as usize
    }

    fn len_bytes(&self) -> i64 {
        self.bytes
    }

    own_params!();
}
