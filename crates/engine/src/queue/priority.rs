//! Strict priority: a band is served only when all lower-numbered bands are empty.
//!
//! Source: tc-prio(8), with packets' priorities as bands.
//! What it decides: the oldest packet of the lowest-numbered nonempty band is sent next. A packet's band is its
//! priority; priorities above the last band belong to the last band. A full band drops its arrivals.
//! Departures: none.
//! Not implemented: disciplines other than drop-tail in the bands.
//! Checked against: an independent transcription, packet by packet (tests/spec/test_aqm.py).

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit};
use crate::packet::PacketId;
use crate::params::{Params, own_params};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "priority",
    about: "strict priority: bands by the packets' priority, the first band that has packets is served (tc-prio)",
    make: || Box::new(Priority { limit: 50, bands: 3, lines: Vec::new() }),
};

#[derive(Params)]
struct Priority {
    /// Maximum queue length of a band, packets.
    #[param("packets")]
    limit: i32,
    /// Number of bands.
    #[param("")]
    bands: i32,
    lines: Vec<Fifo>,
}

impl Discipline for Priority {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        if self.lines.is_empty() {
            self.lines.resize_with(self.bands.clamp(1, 65_536) as usize, Fifo::default);
        }
        let last = self.lines.len() - 1;
        let line = &mut self.lines[(context.packets[packet].prio.max(0) as usize).min(last)];
        if (line.len() as i64) < i64::from(self.limit) {
            line.push(packet, context.packets);
        } else {
            context.dropped.push(packet);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        self.lines.iter_mut().find_map(|line| line.pop(context.packets))
    }

    fn can_bypass(&self) -> bool {
        self.limit > 0
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Packets(i64::from(self.limit.max(0)) * self.lines.len() as i64)
    }

    fn len_packets(&self) -> usize {
        self.lines.iter().map(Fifo::len).sum()
    }

    fn len_bytes(&self) -> i64 {
        self.lines.iter().map(Fifo::bytes).sum()
    }

    own_params!();
}
