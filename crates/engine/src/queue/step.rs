//! Step marking: every arrival that finds more than a threshold in the queue is marked.
//!
//! Source: RFC 8257, section 3.1; M. Alizadeh et al., "Data center TCP (DCTCP)", SIGCOMM 2010, section 3.1. Dropping
//! packets that are not ECN-capable at the threshold (`drops_others`): RFC 8257, section 5.
//! What it decides: an arrival that finds more than `threshold` in the queue is marked; a full queue drops it.
//! Departures: none.
//! Not implemented: none.
//! Checked against: an independent transcription, packet by packet (tests/spec/test_aqm.py).

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit, lengths_of};
use crate::packet::{PacketId, flag};
use crate::params::{Params, own_params};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "step",
    about: "marks arrivals while more than a threshold is queued, for DCTCP (RFC 8257)",
    make: || Box::new(Step::default()),
};

#[derive(Params)]
struct Step {
    /// Maximum queue length, packets (times `mean_pktsize`: bytes).
    #[param("packets")]
    limit: i32,
    /// With more waiting than this (times `mean_pktsize`: bytes), arrivals are marked.
    #[param("packets")]
    threshold: i32,
    /// Whether bytes are counted.
    #[param("flag")]
    queue_in_bytes: bool,
    /// Mean packet size, bytes.
    #[param("bytes")]
    mean_pktsize: i32,
    /// Whether packets that cannot be marked are dropped instead.
    #[param("flag")]
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

    lengths_of!(fifo);

    own_params!();
}
