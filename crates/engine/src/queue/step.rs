//! A step: a packet that comes to more than a threshold is marked, always.
//!
//! Source: RFC 8257, section 3.1; M. Alizadeh et al., "Data center TCP (DCTCP)", SIGCOMM 2010, section 3.1. That senders
//! without ECN may lose packets at the threshold (`drops_others`): RFC 8257, section 5.
//! What it decides: an arrival that finds more than `threshold` waiting is marked; a full queue drops it.
//! Departures: none.
//! Not implemented: none.
//! Checked against: an independent transcription, packet by packet (tests/spec/test_aqm.py).

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit};
use crate::packet::{PacketId, flag};
use crate::params;
use crate::params::own_params;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "step",
    about: "marks what finds more than a threshold waiting, for DCTCP (RFC 8257)",
    make: || Box::new(Step::default()),
};

struct Step {
    /// Most packets (times `mean_pktsize`: bytes) that wait.
    limit: i32,
    /// With more waiting than this many packets (times `mean_pktsize`: bytes), arrivals are marked.
    threshold: i32,
    /// Whether bytes are counted.
    queue_in_bytes: bool,
    /// Bytes of a usual packet.
    mean_pktsize: i32,
    /// Whether packets that cannot be marked are dropped instead.
    drops_others: bool,
    fifo: Fifo,
}

impl Default for Step {
    fn default() -> Step {
        Step {
            limit: 1000,
            threshold: 20,
            queue_in_bytes: false,
            mean_pktsize: 1000,
            drops_others: false,
            fifo: Fifo::default(),
        }
    }
}

params!(Step { limit, threshold, queue_in_bytes, mean_pktsize, drops_others });

impl Discipline for Step {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        let (waiting, unit) = if self.queue_in_bytes {
            (self.fifo.bytes(), i64::from(self.mean_pktsize))
        } else {
            (self.fifo.len() as i64, 1)
        };
        if waiting >= i64::from(self.limit) * unit {
            context.dropped.push(packet);
            return;
        }
        if waiting > i64::from(self.threshold) * unit {
            if !context.packets[packet].has(flag::ECN_CAPABLE) && self.drops_others {
                context.dropped_early.push(packet);
                return;
            }
            context.packets[packet].mark();
        }
        self.fifo.push(packet, context.packets);
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        self.fifo.pop(context.packets)
    }

    fn can_bypass(&self) -> bool {
        self.limit > 0 && self.threshold >= 0
    }

    fn limit(&self) -> QueueLimit {
        let limit = i64::from(self.limit);
        if self.queue_in_bytes {
            QueueLimit::Bytes(limit * i64::from(self.mean_pktsize))
        } else {
            QueueLimit::Packets(limit)
        }
    }

    fn len_packets(&self) -> usize {
        self.fifo.len()
    }

    fn len_bytes(&self) -> i64 {
        self.fifo.bytes()
    }

    own_params!();
}
