//! Additive increase by counting ACKs: one packet per window of ACKs.
//!
//! Source: ns-2.35's window option 0.
//! What it decides: growth in whole packets; the decrease is the standard rule's.
//! Departures: none known.
//! Not implemented: nothing.
//! Checked against: ns-2.35.

use crate::transport::one_way::window_law::{Growth, WindowLaw, WindowLawParameters, WindowOption};

/// The registry entry.
pub const ENTRY: WindowOption = WindowOption {
    id: "counting",
    option: 0,
    about: "one whole packet more for each window of ACKs",
    make: || Box::new(Counting { acks: 0 }),
};

struct Counting {
    acks: i32,
}

impl WindowLaw for Counting {
    fn grow(&mut self, growth: &Growth, _: &WindowLawParameters) -> f64 {
        self.acks += 1;
        if f64::from(self.acks) >= growth.cwnd {
            self.acks = 0;
            growth.cwnd + 1.0
        } else {
            growth.cwnd
        }
    }

    fn was_cut(&mut self) {
        self.acks = 0;
    }
}
