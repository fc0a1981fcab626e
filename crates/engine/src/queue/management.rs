//! Drop-tail that stores first: an arriving packet is stored, then removed again if the length has reached the limit.
//!
//! Source: the listing of a queue called "Management" in a comparison of Vegas, SACK and FACK over DropTail and RED
//! (study 000 of this repository).
//! What it decides: a limit of n holds n - 1 packets. The result equals ns-2's DropTail, packet for packet.
//! Departures: none.
//! Not implemented: none.
//! Checked against: its listing; ns-2.35's DropTail (tests/oracle/ns2).

use super::{Discipline, Entry, Fifo, QueueContext, limited_to_packets};
use crate::packet::PacketId;
use crate::params::{Params, own_params};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "management",
    about: "drop-tail that stores a packet first and removes it if the limit is reached (study 000)",
    make: || Box::new(Management { limit: 50, fifo: Fifo::default() }),
};

#[derive(Params)]
struct Management {
    /// Maximum queue length, packets, including the arriving one, which is dropped when it is reached.
    #[param("packets")]
    limit: i32,
    fifo: Fifo,
}

impl Discipline for Management {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        self.fifo.push(packet, context.packets);
        if self.fifo.len() as i64 >= i64::from(self.limit) {
            context.dropped.extend(self.fifo.pop_newest(context.packets));
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        self.fifo.pop(context.packets)
    }

    limited_to_packets!(fifo);

    own_params!();
}
