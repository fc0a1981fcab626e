//! Periodic error model: errors at fixed intervals, counted in packets, bytes or seconds.
//!
//! Source: ns-2.35's `ErrorModel/Periodic`.
//! What it decides: the first error comes at `offset`, and the next ones follow at intervals of `period`. Each error
//! extends over `burstlen`. With `default_drop` (packet and byte units only) the choice is inverted: after the first
//! chosen packet, all but the periodic packets are in error.
//! Departures: none.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::{Common, Entry, Model, ModelContext, Unit};
use crate::packet::Packet;
use crate::params::{Params, own_values};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "periodic",
    about: "every so many packets, bytes or seconds a packet is in error (ns-2.35's ErrorModel/Periodic)",
    make: || {
        Box::new(Periodic {
            period: 1.0,
            offset: 0.0,
            burstlen: 0.0,
            default_drop: 0,
            count: 0,
            has_begun: false,
            last_s: 0.0,
        })
    },
};

#[derive(Params)]
struct Periodic {
    #[param(state)]
    period: f64,
    #[param(state)]
    offset: f64,
    #[param(state)]
    burstlen: f64,
    #[param(state)]
    default_drop: i32,
    count: i32,
    has_begun: bool,
    last_s: f64,
}

impl Periodic {
    fn errs_by_time(&mut self, now_s: f64) -> bool {
        if !self.has_begun {
            self.has_begun = now_s >= self.offset;
            self.last_s = now_s;
            return self.has_begun;
        }
        if now_s - self.last_s > self.period {
            self.last_s = now_s;
            return true;
        }
        now_s - self.last_s < self.burstlen
    }
}

impl Model for Periodic {
    fn errs(&mut self, packet: &Packet, common: &Common, context: &mut ModelContext) -> bool {
        if common.unit == Unit::Time {
            return self.errs_by_time(context.now.secs());
        }
        self.count += if common.unit == Unit::Packet { 1 } else { packet.size };
        let goal = if self.has_begun { self.period } else { self.offset };
        let is_chosen = self.count >= goal as i32;
        let had_begun = self.has_begun;
        if is_chosen {
            self.has_begun = true;
            self.count = 0;
        }
        if self.default_drop != 0 {
            had_begun && !is_chosen
        } else {
            is_chosen || (had_begun && f64::from(self.count) < self.burstlen)
        }
    }

    own_values!();
}
