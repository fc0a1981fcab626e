//! Errors at a rate, each packet by itself.
//!
//! Source: ns-2.35's `ErrorModel`.
//! What it decides: a packet is in error when a draw is below the rate (by packets), or below the probability that one of
//! its bytes is (by bytes).
//! Departures: by time there is never an error, as in ns-2, which says so on standard error at each packet.
//! Not implemented: errors by the bit.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::{Common, Entry, Model, ModelContext, Unit};
use crate::packet::Packet;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "uniform",
    about: "each packet or byte is in error with the same probability (ns-2.35's ErrorModel)",
    make: || Box::new(Uniform),
};

struct Uniform;

impl Model for Uniform {
    fn errs(&mut self, packet: &Packet, common: &Common, context: &mut ModelContext) -> bool {
        if common.enable == 0 {
            return false;
        }
        match common.unit {
            Unit::Packet => common.draw(&mut context.rng) < common.rate,
            Unit::Byte => {
                let probability = 1.0 - (1.0 - common.rate).powf(common.length(packet));
                common.draw(&mut context.rng) < probability
            }
            Unit::Time => false,
        }
    }
}
