//! Losses by count: every n-th arrival is dropped.
//!
//! Source: none; an example of what a queue discipline needs.
//! What it decides: every n-th arrival and every arrival at a full queue is dropped; the oldest packet leaves first.
//! Departures: none.
//! Not implemented: nothing.
//! Checked against: by hand, below.

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit};
use crate::packet::PacketId;
use crate::params::{Params, own_params};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "every_nth",
    about: "first in, first out; every n-th arrival is dropped (an example)",
    make: || Box::new(EveryNth { limit: 50, n: 100, arrivals: 0, fifo: Fifo::default() }),
};

#[derive(Params)]
struct EveryNth {
    /// Maximum queue length, packets.
    #[param("packets")]
    limit: i32,
    /// The period of the drops, in arrivals; 0 for no drops.
    #[param("")]
    n: i32,
    arrivals: i64,
    fifo: Fifo,
}

impl EveryNth {
    /// Counts an arrival, and decides whether it is dropped.
    fn is_due(&mut self) -> bool {
        self.arrivals += 1;
        self.n > 0 && self.arrivals % i64::from(self.n) == 0
    }
}

impl Discipline for EveryNth {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        let is_full = self.fifo.len() as i64 >= i64::from(self.limit);
        if self.is_due() {
            context.dropped_early.push(packet);
        } else if is_full {
            context.dropped.push(packet);
        } else {
            self.fifo.push(packet, context.packets);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_third_arrival_is_dropped() {
        let mut queue = EveryNth { limit: 50, n: 3, arrivals: 0, fifo: Fifo::default() };
        let dropped: Vec<usize> = (1..=7).filter(|_| queue.is_due()).collect();
        assert_eq!(dropped, [3, 6]);
    }

    #[test]
    fn both_parameters_are_declared() {
        let mut known = Vec::new();
        (ENTRY.make)().describe(&mut known);
        let known: Vec<(&str, &str)> = known.iter().map(|one| (&*one.name, one.unit)).collect();
        assert_eq!(known, [("limit", "packets"), ("n", "")]);
    }
}
