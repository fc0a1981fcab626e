//! Uniform error model: each packet is in error independently, at a given rate.
//!
//! Source: ns-2.35's `ErrorModel`.
//! What it decides: a packet is in error if a random draw is below a probability. In the packet unit this is the rate;
//! in the byte unit it is the probability that at least one byte is in error.
//! Departures: in the time unit no packet is in error. ns-2 does likewise, and prints a message on standard error for
//! each packet.
//! Not implemented: the bit unit.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::{Common, Entry, Model, ModelContext, Unit};
use crate::math::Math;
use crate::packet::Packet;

/// The registry entry.
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
                let probability = 1.0 - (1.0 - common.rate).power(common.length(packet));
                common.draw(&mut context.rng) < probability
            }
            Unit::Time => false,
        }
    }
}
